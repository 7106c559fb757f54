//! What a verification found out about a model, as text, JSON, a web page and a trace.
//!
//! Text is for people: one line for each property, then for each violation where it
//! is and the steps that lead there, in the model's own words. It contains the escape
//! sequences of a terminal, which have to be removed elsewhere. The shape of
//! the JSON (`json.rs`) is a contract with scripts. The page (`page.rs`) shows
//! counterexamples as message sequence charts. A counterexample can also be written
//! as a trace (`trace.rs`), which is what `mazurka detect` reads.
//!
//! ```
//! use mazurka_core::Limit;
//! use mazurka_promela::load;
//! use mazurka_promela::verify::{Options, Property, Session};
//! use mazurka_report::check::{CheckedModel, checked_json};
//! let text = "byte x; active proctype P() { x = 1; assert(x == 2) }";
//! let model = load("m.pml", text, &Default::default()).unwrap().model;
//! let properties = Property::all(&model);
//! let session = Session::new(model, properties);
//! session.check(&Options::default(), 1, None, &());
//! let view = CheckedModel {
//!     model: "m.pml",
//!     sources: &session.model().sources,
//!     initial: session.initial(),
//!     checked: &session.checked(Limit::Time),
//! };
//! assert!(checked_json(&view).contains("\"verdict\": \"violated\""));
//! ```

mod chart;
mod json;
mod page;
#[cfg(test)]
mod sample;
mod simulation;
mod snapshots;
mod steps;
mod text;
mod trace;
mod value;
mod words;

pub use json::checked_json;
pub use page::checked_html;
pub use simulation::{SimulationEnd, simulation_json, simulation_step, simulation_summary};
pub use text::{checked_text, progress_text};
pub use trace::counterexample_trace;

use crate::{Excerpt, printable};
use mazurka_promela::plain::Pid;
use mazurka_promela::verify::{Checked, ShownStep, StepId, Violation};
use mazurka_promela::{FileId, Sources, Span};
use std::collections::HashMap;

/// A model and the answers about it.
#[derive(Clone, Copy)]
pub struct CheckedModel<'a> {
    /// What to call the model: the file as it was given.
    pub model: &'a str,
    /// Its text.
    pub sources: &'a Sources,
    /// The values of all variables in the first state, by the names that steps use;
    /// none, if they are not known.
    pub initial: &'a [(String, String)],
    /// The answers.
    pub checked: &'a Checked,
}

/// A place: file, line and column.
fn place(sources: &Sources, span: Span) -> String {
    format!("{}:{}", printable(sources.name(span.file)), sources.place(span))
}

/// The line of a statement; the file too, if it is not that of the model.
fn line(sources: &Sources, span: Span) -> String {
    let line = sources.place(span).line;
    match span.file {
        FileId(0) => format!("line {line}"),
        file => format!("{}:{line}", printable(sources.name(file))),
    }
}

/// The text at a place, drawn with a mark under it.
fn excerpt(sources: &Sources, span: Span) -> String {
    let excerpt = Excerpt {
        place: &place(sources, span),
        text: sources.text(span.file),
        span: span.start as usize..span.end as usize,
        numbered: true,
        note: "",
    };
    excerpt.drawn()
}

/// What to call the process of a step.
fn process_name(step: &ShownStep) -> String {
    format!("{}[{}]", step.process, step.pid)
}

/// For each of a list of processes, its number in the order of their first appearance.
fn lanes(processes: impl Iterator<Item = String>) -> Vec<usize> {
    let mut numbers: HashMap<String, usize> = HashMap::new();
    let number = |process| {
        let next = numbers.len();
        *numbers.entry(process).or_insert(next)
    };
    processes.map(number).collect()
}

/// Splits the name that others have for a variable of a process (`P[1]:x`) into the process
/// and the variable's own name. A shared variable has no process.
fn owned(name: &str) -> (Option<&str>, &str) {
    match name.split_once(':') {
        Some((process, name)) => (Some(process), name),
        None => (None, name),
    }
}

/// What to call the receiver of a rendezvous: the name that its own steps have.
fn partner_name(violation: &Violation, pid: Pid, at: StepId) -> String {
    let (before, after) = violation.steps.split_at(at.index());
    // Numbers of processes that ended are used again, so the nearest one is meant.
    let near = after.iter().chain(before.iter().rev()).find(|step| step.pid == pid);
    near.map_or_else(|| format!("process {pid}"), process_name)
}
