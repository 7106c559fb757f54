//! `mazurka detect FILE --linearizable SPEC`: is a recorded history that of an object?

use super::{Method, Options};
use crate::diagnostic::Diagnostic;
use crate::exit::{Error, Exit};
use crate::output::{Format, print, print_styled, remark};
use crate::progress::Activity;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use mazurka_core::{Limit, Limits};
use mazurka_linear::formats::{Ended, Fault, Judged, Object, Recorded, judge, read};
use mazurka_report::Excerpt;
use mazurka_report::linear::{LinearRun, linear_json, linear_text};
use mazurka_trace::{Ended as Supervised, ImportError, Input, Stop, Supervisor};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

/// Reads an object by its name.
pub(super) fn objects() -> impl TypedValueParser<Value = Object> {
    PossibleValuesParser::new(Object::ALL.map(Object::name)).map(|name| {
        let named = Object::ALL.into_iter().find(|object| object.name() == name);
        named.expect("the parser accepts names of objects only")
    })
}

/// What the work on a history leaves.
struct Worked {
    text: String,
    recorded: Result<Recorded, Fault>,
    judged: Result<Vec<Judged>, Fault>,
}

pub(super) fn run(options: &Options, object: Object) -> Result<Exit, Error> {
    options.goes_with_nothing_else()?;
    let supervisor = Supervisor::new(options.budget());
    let _line = Activity::new(format!("checking {}", options.input.title()), options.output.quiet);
    let (source, states) = (options.input.clone(), options.max_states);
    let ended = supervisor.run(None, move |stop| -> Result<Worked, Error> {
        let text = text(source.open()?)?;
        Ok(work(text, object, states, stop))
    });
    let name = options.input.name();
    let (worked, asked) = match ended {
        Supervised::Done(worked, asked) => (worked?, asked),
        Supervised::LeftBehind(limit) => return Ok(unanswered(options, &name, object, limit)),
    };
    let refused = |fault: &Fault| Error::from(drawn(&options.input.title(), &worked.text, fault));
    let recorded = worked.recorded.as_ref().map_err(&refused)?;
    let mut judged = worked.judged.map_err(|fault| refused(&fault))?;
    if let Some(limit) = asked {
        judged
            .iter_mut()
            .for_each(|part| part.outcome = part.outcome.clone().stopped_by(limit));
    }
    remarks(recorded, options.output.quiet);
    let run = LinearRun {
        trace: &name,
        text: &worked.text,
        object,
        recorded: Some(recorded),
        judged: &judged,
        limit: None,
    };
    show(options, &run);
    Ok(Exit::of(
        judged.iter().map(|part| (part.outcome.verdict, part.outcome.end)),
    ))
}

fn work(text: String, object: Object, states: Option<u64>, stop: &Arc<Stop>) -> Worked {
    let recorded = read(&text);
    let limits = Limits {
        states,
        interrupt: Some(stop.flag()),
        ..Limits::default()
    };
    let judged = match &recorded {
        Ok(recorded) => judge(object, recorded, limits, false),
        Err(_) => Ok(Vec::new()),
    };
    Worked { text, recorded, judged }
}

impl Options {
    /// Other options are about global states, of which a history has none.
    fn goes_with_nothing_else(&self) -> Result<(), Error> {
        let others = [
            ("a query", !self.asks_nothing()),
            ("--follow", self.follow),
            ("--execution", self.execution.is_some()),
            ("--method", self.method != Method::Auto),
            ("--reduction", self.reduction.is_some()),
            ("--report", self.report.is_some()),
            ("--input", self.input.input.format().is_some()),
            ("--holes", self.input.holes),
            ("--skew", self.input.skew.is_some()),
            ("--default", !self.input.defaults.is_empty()),
        ];
        match others.iter().find(|(_, given)| *given) {
            None => Ok(()),
            Some((other, _)) => {
                let mut wrong = Diagnostic::error(format!("--linearizable does not go together with {other}"));
                wrong.note("a history has invocations and returns, but no global states");
                Err(wrong.into())
            }
        }
    }
}

/// The text of the only input.
fn text(input: Input) -> Result<String, Error> {
    let failed = |path: &Path, error: io::Error| {
        let path = path.to_path_buf();
        Error::from(Diagnostic::error(ImportError::Io { path, error }))
    };
    let (name, bytes): (PathBuf, Vec<u8>) = match input {
        Input::Text { name, bytes } => (name.into(), bytes),
        Input::Paths(paths) => match &paths[..] {
            [path] => (path.clone(), fs::read(path).map_err(|error| failed(path, error))?),
            _ => return Err(Diagnostic::error("--linearizable reads one file, since a history has one order").into()),
        },
    };
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..valid].iter().filter(|byte| **byte == b'\n').count() + 1;
        Diagnostic::error(format!("{}:{line}: this is not UTF-8", name.display())).into()
    })
}

/// What is wrong with the input, with its place.
fn drawn(name: &str, text: &str, fault: &Fault) -> Diagnostic {
    let offset = (0..=fault.offset.min(text.len()))
        .rfind(|at| text.is_char_boundary(*at))
        .unwrap_or(0);
    let start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
    let (line, column) = (
        text[..start].matches('\n').count() + 1,
        text[start..offset].chars().count() + 1,
    );
    let end = text[offset..].find('\n').map_or(text.len(), |length| offset + length);
    let mut all = Diagnostic::error(&fault.message);
    let mut excerpt = Diagnostic::new();
    excerpt.excerpt(&Excerpt {
        place: &format!("{name}:{line}:{column}"),
        text,
        span: offset..end,
        numbered: true,
        note: "",
    });
    all.note_below(&excerpt);
    all
}

/// What was left out, which nobody should have to guess.
fn remarks(recorded: &Recorded, quiet: bool) {
    if quiet {
        return;
    }
    let mut all = Vec::new();
    if recorded.skipped > 0 {
        all.push(format!(
            "{} records are not about operations of processes",
            recorded.skipped
        ));
    }
    for (field, count) in &recorded.unread {
        all.push(format!("the field `{field}` is not read; {count} records have it"));
    }
    let never = recorded.operations.iter().filter(|o| o.ended == Ended::Never).count();
    if never > 0 {
        all.push(format!(
            "{never} invocations have no return; they may or may not have taken effect"
        ));
    }
    for text in all {
        remark(&format!("note: {}\n", mazurka_report::one_line(&text)));
    }
}

fn unanswered(options: &Options, name: &str, object: Object, limit: Limit) -> Exit {
    let run = LinearRun {
        trace: name,
        text: "",
        object,
        recorded: None,
        judged: &[],
        limit: Some(limit),
    };
    show(options, &run);
    Exit::of_limit(limit)
}

fn show(options: &Options, run: &LinearRun<'_>) {
    match options.output.format {
        Format::Text => print_styled(&linear_text(run, options.verbose)),
        Format::Json => print(&linear_json(run)),
    }
}
