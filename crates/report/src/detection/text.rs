//! Answers as text.

use super::events::{Ends, events_text};
use super::place::Records;
use super::relevant::Relevant;
use super::state::{Row, Variable, rows_text};
use super::{RecordedRun, meaning, verdict};
use crate::TextOptions;
use crate::amounts::{counted, duration, grouped};
use crate::limits::unanswered_query;
use crate::line::one_line;
use crate::style::{FAINT, NAME, of_verdict, styled};
use mazurka_trace::{Answer, CutCount, Event, Modality, ProcessId, Question, Witness};

/// The run that is asked about: a line or two before the answers.
pub fn run_text(run: RecordedRun<'_>) -> String {
    let computation = run.computation;
    let trace = match run.trace {
        "-" => "standard input".to_owned(),
        trace => one_line(trace),
    };
    let name = match run.execution {
        None => trace,
        Some((number, None)) => format!("{trace}, execution {number}"),
        Some((number, Some(name))) => format!("{trace}, execution {number} ({})", one_line(name)),
    };
    let mut text = format!(
        "{}: {}, {}  {}\n",
        styled(NAME, &name),
        counted(computation.processes() as u64, "process", "processes"),
        counted(computation.causality().total(), "event", "events"),
        styled(FAINT, &format!("[{}]", run.format)),
    );
    let holes = computation.holes().len() as u64;
    if holes > 0 {
        text += &format!(
            "{} without a record: what they assigned is unknown, so values may be older than they were\n",
            counted(holes, "event", "events"),
        );
    }
    text
}

/// The answer to a query.
pub fn answer_text(run: RecordedRun<'_>, question: &Question, answer: &Answer, options: &TextOptions) -> String {
    let mut text = verdict_line(question, answer.verdict.truth());
    match (&answer.witness, answer.limit()) {
        (_, Some(limit)) => text += &format!("  {}\n", unanswered_query(limit)),
        (None, None) => text += &format!("  {}\n", meaning(question.modality, answer.verdict.truth())),
        (Some(Witness::Path(path)), None) => {
            let events: Vec<Event> = path.windows(2).filter_map(|pair| step(&pair[0], &pair[1])).collect();
            text += &match events.len() {
                0 => "  There is no event, and it does not hold initially.\n".to_owned(),
                n => format!(
                    "  The run could have avoided it: in this order of {} it never holds.\n",
                    counted(n as u64, "event", "events")
                ),
            };
            text += &events_text(run, &events, Ends::Both, options);
        }
        (
            Some(Witness::Cut {
                cut,
                minimal,
                run: events,
                observed,
            }),
            None,
        ) => {
            text += &cut_line(question.modality, *minimal);
            text += &rows_text(&rows(run, question, cut), options);
            text += &reached_line(*observed, events.len());
            text += &events_text(run, events, Ends::Last, options);
        }
    }
    if options.verbose {
        for remark in &answer.remarks {
            text += &format!("  {}\n", styled(FAINT, &one_line_indented(remark)));
        }
    }
    let effort = format!(
        "method {}, {}, {}, {}",
        answer.method,
        counted(answer.statistics.states, "state", "states"),
        counted(answer.statistics.transitions, "transition", "transitions"),
        duration(answer.statistics.time),
    );
    text += &format!("  {}\n", styled(FAINT, &effort));
    text
}

/// The number of consistent cuts.
pub fn cuts_text(cuts: CutCount) -> String {
    let many = counted(cuts.counted, "consistent cut", "consistent cuts");
    let time = styled(FAINT, &format!("({})", duration(cuts.time)));
    match cuts.limit {
        None => format!("{many} {time}\n"),
        Some(limit) => {
            let verdict = "inconclusive";
            let count = styled(of_verdict(verdict), verdict);
            let why = unanswered_query(limit);
            format!("{count}: the number of consistent cuts\n  at least {many} {time}\n  {why}\n")
        }
    }
}

/// The verdict, what was asked, and about what.
pub(super) fn verdict_line(question: &Question, answer: Option<bool>) -> String {
    let verdict = verdict(question.modality, answer);
    format!(
        "{}: {} {}\n",
        styled(of_verdict(verdict), verdict),
        question.modality,
        one_line(question.predicate.text())
    )
}

/// The line before a global state that shows the answer.
pub(super) fn cut_line(modality: Modality, minimal: bool) -> String {
    let smallest = match minimal {
        true => " (no smaller one will do)",
        false => "",
    };
    match modality {
        Modality::Always => {
            format!("  The run could have been in this global state, in which it does not hold{smallest}:\n")
        }
        _ => format!("  The run could have been in this global state{smallest}:\n"),
    }
}

fn reached_line(observed: Option<bool>, events: usize) -> String {
    let order = match observed {
        Some(true) => "The recorded order itself passed through such a state.",
        Some(false) => "The recorded order did not pass through such a state; another order of the same events does.",
        None => "Whether the recorded order passed through such a state is not known.",
    };
    let reached = match events {
        0 => "Nothing has happened yet in this one.".to_owned(),
        1 => "One event leads to this one:".to_owned(),
        n => format!("{} events lead to this one:", grouped(n as u64)),
    };
    format!("  {order}\n  {reached}\n")
}

fn rows(run: RecordedRun<'_>, question: &Question, cut: &[u32]) -> Vec<Row> {
    let relevant = Relevant::of(run.computation, question, cut);
    let last = |p: ProcessId| Event::new(p, cut[p.index()]);
    let processes = run.computation.process_ids();
    let records = Records::of(run, processes.clone().map(last));
    let row = |p: ProcessId| Row {
        process: run.computation.name(p).to_owned(),
        state: cut[p.index()],
        matters: relevant.processes.contains(&p),
        record: (records.text(last(p))).map(|text| (records.wording(last(p)), one_line(&text))),
        variables: (run.computation.local_state(p, cut[p.index()]).into_iter())
            .map(|(name, value)| Variable::new(name, value, relevant.reads(p, name)))
            .collect(),
    };
    processes.map(row).collect()
}

/// The event between two cuts of a history.
fn step(before: &[u32], after: &[u32]) -> Option<Event> {
    let p = before.iter().zip(after).position(|(a, b)| a != b)?;
    Some(Event::new(ProcessId::new(p), after[p]))
}

/// Remarks are indented by those who make them.
fn one_line_indented(remark: &str) -> String {
    let indent = remark.len() - remark.trim_start().len();
    format!("{}{}", " ".repeat(indent), one_line(remark))
}
