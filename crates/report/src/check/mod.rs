//! The results of a verification, as text, JSON, a web page and a trace.
//!
//! Text is for people: one line for each property, then for each violation its place and the
//! steps that lead there, in the model's own words. It contains escape sequences for terminals; whoever writes it
//! elsewhere removes them. The shape of
//! the JSON (`json.rs`) is a contract with scripts. The page (`page.rs`) shows
//! counterexamples as message sequence charts. A counterexample can also be written
//! as a trace (`trace.rs`) for `mazurka detect`.
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
    /// The name of the model: the file as the user gave it.
    pub model: &'a str,
    /// Its text.
    pub sources: &'a Sources,
    /// The values of all variables in the initial state, by the names that steps use.
    /// Empty if they are not known.
    pub initial: &'a [(String, String)],
    /// The answers.
    pub checked: &'a Checked,
}

/// A place: file, line and column.
fn place(sources: &Sources, span: Span) -> String {
    format!("{}:{}", printable(sources.name(span.file)), sources.place(span))
}

/// The line of a statement, with the file if it is not that of the model.
fn line(sources: &Sources, span: Span) -> String {
    let line = sources.place(span).line;
    match span.file {
        FileId(0) => format!("line {line}"),
        file => format!("{}:{line}", printable(sources.name(file))),
    }
}

/// The line at a place, with the place underlined.
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

/// The name of the process of a step.
fn process_name(step: &ShownStep) -> String {
    format!("{}[{}]", step.process, step.pid)
}

/// Numbers processes in the order of their first appearance. The result has a number for each element of the list.
fn lanes(processes: impl Iterator<Item = String>) -> Vec<usize> {
    let mut numbers: HashMap<String, usize> = HashMap::new();
    let number = |process| {
        let next = numbers.len();
        *numbers.entry(process).or_insert(next)
    };
    processes.map(number).collect()
}

/// Splits the qualified name of a variable (`P[1]:x`) into the process and the variable's own name. A shared variable
/// has no process.
fn owned(name: &str) -> (Option<&str>, &str) {
    match name.split_once(':') {
        Some((process, name)) => (Some(process), name),
        None => (None, name),
    }
}

/// The name of the receiver of a rendezvous, as in its own steps.
fn partner_name(violation: &Violation, pid: Pid, at: StepId) -> String {
    let (before, after) = violation.steps.split_at(at.index());
    // The numbers of processes that ended are used again, so the nearest step with the number tells.
    let near = after.iter().chain(before.iter().rev()).find(|step| step.pid == pid);
    near.map_or_else(|| format!("process {pid}"), process_name)
}
