//! Messages about questions without answers: which record is to blame, and what to do.

use crate::diagnostic::Diagnostic;
use crate::exit::Error;
use mazurka_report::detection::RecordedRun;
use mazurka_trace::{DetectError, Event, Predicate, Question, Spot, Value};

/// Why there is no answer to a question.
pub(super) fn refused(run: RecordedRun<'_>, question: &Question, error: &DetectError) -> Error {
    let (modality, text) = (question.modality, question.predicate.text());
    let mut all = Diagnostic::new();
    match error {
        DetectError::Predicate(errors) => {
            all.predicate(modality, text, errors);
        }
        DetectError::Undefined {
            message,
            span,
            record,
            cut,
        } => {
            all.heading(message).expression(modality, text, span.clone(), None);
            if let Some(event) = *record {
                blamed_record(&mut all, run, event);
                let (computation, p) = (run.computation, event.process);
                let is_null = |name: &String| {
                    let variable = computation.variable(name);
                    variable.is_some_and(|v| computation.value(p, v, cut[p.index()]) == &Value::Null)
                };
                default_hint(&mut all, question.predicate.variables().into_iter().find(is_null));
            }
            global_state(&mut all, run, cut);
        }
        DetectError::Unsuitable { method, reason } => {
            all.heading(format!("method `{method}` cannot answer `{modality} {text}`: {reason}"));
        }
        error => {
            all.heading(error);
        }
    }
    if let Some((number, name)) = run.execution {
        let name = name.map_or(String::new(), |name| format!(" ({name})"));
        all.note(format!("this is execution {number}{name}; --execution chooses others"));
    }
    all.into()
}

/// Shows the record of the local state that is to blame.
pub(super) fn blamed_record(all: &mut Diagnostic, run: RecordedRun<'_>, event: Event) {
    let name = run.computation.name(event.process);
    let what = match event.index {
        0 => format!("the initial state of `{name}`"),
        n => format!("event {n} of `{name}`"),
    };
    match run.computation.place(event.process, event.index) {
        Some(place) => {
            let (file, line, _) = run.sources.line_column(place, 0);
            let record = run.sources.text(place).unwrap_or_default();
            let first = record.lines().next().unwrap_or_default();
            all.record(&Spot::in_line(file, line, first.as_bytes(), 0), &what);
        }
        None => drop(all.note(format!("it happens in {what}, which has no record"))),
    }
}

/// Says which global state it is about, unless there are too many processes to list.
pub(super) fn global_state(all: &mut Diagnostic, run: RecordedRun<'_>, cut: &[u32]) {
    const MOST: usize = 12;
    let names = run.computation.names();
    if names.len() <= MOST {
        let states = names.iter().zip(cut).map(|(name, k)| format!("{name}: {k}"));
        let states: Vec<String> = states.collect();
        all.note(format!(
            "the global state is after these numbers of events: {}",
            states.join(", ")
        ));
    }
}

/// How to give an unassigned variable a value.
pub(super) fn default_hint(all: &mut Diagnostic, variable: Option<String>) {
    if let Some(name) = variable {
        all.note(format!(
            "`--default {name}=VALUE` gives `{name}` a value where none is assigned yet"
        ));
    }
}

/// How to give the variables of a predicate a value, when it is not known which lack one.
pub(super) fn default_hint_for(all: &mut Diagnostic, predicate: &Predicate) {
    default_hint(all, predicate.variables().into_iter().next());
}
