//! Snapshot logic on a recorded run: freeze automata as monitors.
//!
//! A formula of linear temporal logic is about the run as it was observed: its events in the order
//! of their records. An event whose record comes before that of a cause takes place as soon as the cause has. After the
//! last event, the last global state is repeated for ever. `snapshot(q)` holds once the run has passed through a
//! global state with `q` in some order of concurrent events: some consistent cut of what has happened so far
//! satisfies it. If the conditions of `q` read one process each, freeze sets decide that (`frozen.rs`); if some relate
//! processes, or there are too many conjunctions, what remains of `q` where processes have stopped (`remaining.rs`).
//!
//! Niebert and Peled, *Efficient model checking for LTL with partial order snapshots*, whose conclusion
//! suggests this use; `frozen.rs` has the freeze sets of processes that exchange messages.

mod frozen;
mod parse;
mod remaining;
mod watch;

pub(crate) use watch::Watch;

use crate::causality::Event;
use crate::computation::Computation;
use crate::predicate::{EvaluationError, Predicate, PredicateErrors};
use crate::value::Value;
use mazurka_core::{Limits, Outcome, ProcessId};
use mazurka_logic::Formula;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::time::Instant;

/// A formula with snapshots over CEL expressions.
#[derive(Clone, Debug)]
pub struct SltlFormula {
    text: String,
    /// Its atoms are the predicates, then the snapshots.
    formula: Formula,
    /// With their places in the text.
    predicates: Vec<(Predicate, usize)>,
    snapshots: Vec<Snapshot>,
}

#[derive(Clone, Debug)]
struct Snapshot {
    text: String,
    /// Over the predicates.
    q: Formula,
}

/// What is wrong with a formula, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
#[non_exhaustive]
pub struct SltlError {
    /// What is wrong.
    pub message: String,
    /// Where in the text of the formula.
    pub span: Range<usize>,
    /// What to do about it.
    pub hint: Option<String>,
}

impl SltlError {
    /// The first of the errors of a predicate that begins at a place of the formula.
    fn of_predicate(errors: &PredicateErrors, at: usize) -> Self {
        let first = errors.errors.first();
        let message = first.map_or_else(|| errors.to_string(), |error| error.message.clone());
        let function = message.strip_prefix("there is no function `");
        let function = function.and_then(|rest| rest.split('`').next());
        let hint = match function {
            // The predicates of other queries have no snapshots.
            Some(name) if strsim::damerau_levenshtein(name, "snapshot") <= 3 => {
                Some("did you mean `snapshot`?".to_owned())
            }
            _ => first.and_then(|error| error.hint.clone()),
        };
        Self {
            message,
            span: first.map_or(at..at, |error| error.span.start + at..error.span.end + at),
            hint,
        }
    }

    fn of_evaluation(error: &EvaluationError, at: usize) -> Self {
        Self {
            message: error.message.clone(),
            span: error.span.start + at..error.span.end + at,
            hint: None,
        }
    }
}

/// The answer about a formula: the verdict says whether it holds of the run.
pub type SltlAnswer = Outcome<SltlFindings>;

/// What was found out about a formula.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SltlFindings {
    /// After how many events the verdict was settled, whatever came later; none if only the end settles it.
    pub settled: Option<u64>,
    /// The snapshots of the formula, and where they are passed; none if there is no verdict.
    pub snapshots: Vec<PassedSnapshot>,
    /// Why the formula cannot be checked, if it cannot.
    pub refusal: Option<SltlError>,
}

/// A snapshot of a formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassedSnapshot {
    /// `snapshot(q)`.
    pub text: String,
    /// If the run passes it: after how many observed events, and the consistent cut, as the executed events of
    /// each process.
    pub passed: Option<(u64, BTreeMap<String, u32>)>,
}

impl SltlFormula {
    /// Reads a formula.
    ///
    /// ```
    /// use mazurka_trace::SltlFormula;
    /// let formula = SltlFormula::parse("[] (a.recorded -> snapshot(a.x == 1 && b.y == 2))").unwrap();
    /// assert!(formula.variables().contains("recorded"));
    /// assert!(SltlFormula::parse("snapshot(<> a.x)").is_err());
    /// ```
    ///
    /// # Errors
    /// If the text is not a formula.
    pub fn parse(text: &str) -> Result<Self, SltlError> {
        parse::parse(text)
    }

    /// The text as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it asks about states that were only possible.
    pub(crate) fn has_snapshots(&self) -> bool {
        !self.snapshots.is_empty()
    }

    /// The formula; its atoms are the predicates, then the snapshots.
    pub(crate) fn formula(&self) -> &Formula {
        &self.formula
    }

    /// The predicates, with their places in the text.
    pub(crate) fn predicates(&self) -> impl Iterator<Item = (&Predicate, usize)> {
        self.predicates.iter().map(|(predicate, at)| (predicate, *at))
    }

    /// The names of all variables that it may read.
    pub fn variables(&self) -> BTreeSet<String> {
        self.predicates
            .iter()
            .flat_map(|(predicate, _)| predicate.variables())
            .collect()
    }

    /// Checks that it fits a run.
    ///
    /// # Errors
    /// If it does not fit the run, or a condition has no value in the first state.
    pub fn fits(&self, computation: &Computation) -> Result<(), SltlError> {
        self.watch(computation).map(drop)
    }

    fn watch(&self, computation: &Computation) -> Result<Watch, SltlError> {
        let assigned = |_: ProcessId, variable: &str| computation.variable(variable).is_some();
        let initial = |p: ProcessId| computation.local_state(p, 0).into_iter().map(owned).collect();
        let initial = computation.process_ids().map(initial).collect();
        Watch::new(self, computation.names(), computation.variables(), &assigned, initial)
    }

    /// Checks whether it holds of a run. Of the limits, those on time and the interrupt apply.
    ///
    /// ```
    /// use mazurka_core::{Limits, Verdict};
    /// use mazurka_trace::{ImportOptions, Input, SltlFormula, import};
    /// let bytes = br#"{"process":"a","vars":{"x":1}}
    /// {"process":"b","vars":{"y":1}}"#;
    /// let input = Input::Text { name: "run.jsonl".into(), bytes: bytes.to_vec() };
    /// let imported = import(input, &ImportOptions::default()).unwrap();
    /// let formula = SltlFormula::parse("<> snapshot(b.y == 1 && a.x == null)").unwrap();
    /// let answer = formula.check(&imported.executions[0].computation, Limits::default()).unwrap();
    /// assert_eq!(answer.verdict, Verdict::Holds);
    /// ```
    ///
    /// # Errors
    /// If it does not fit the run, or a condition has no value.
    pub fn check(&self, computation: &Computation, limits: Limits<'_>) -> Result<SltlAnswer, SltlError> {
        let (start, limits) = (Instant::now(), limits.from_now());
        let mut watch = self.watch(computation)?;
        let mut cut = vec![0; computation.processes()];
        while let Some(event) = next(computation, &cut) {
            if let Some(limit) = limits.stop() {
                let mut answer = SltlAnswer::unanswered(limit.into(), SltlFindings::default());
                answer.statistics.time = start.elapsed();
                return Ok(answer);
            }
            let p = event.process;
            cut[p.index()] = event.index;
            let causes = computation.causality().causes(p, event.index);
            let changes = computation.assigned_by(p, event.index);
            watch.event(event, causes, changes.into_iter().map(owned))?;
        }
        Ok(watch.answer(start.elapsed()))
    }

    /// The processes that it mentions by name.
    pub fn named_processes(&self) -> BTreeSet<String> {
        let named = self
            .predicates
            .iter()
            .flat_map(|(predicate, _)| predicate.named_processes());
        named.collect()
    }

    /// The variables that it reads from processes that it names.
    pub fn named_reads(&self) -> BTreeSet<(String, String)> {
        let reads = self
            .predicates
            .iter()
            .flat_map(|(predicate, _)| predicate.named_reads());
        reads.collect()
    }

    /// Whether it is about all processes.
    pub fn quantifies(&self) -> bool {
        self.predicates.iter().any(|(predicate, _)| predicate.quantifies())
    }
}

fn owned((name, value): (&str, &Value)) -> (String, Value) {
    (name.to_string(), value.clone())
}

/// The next event in the observed order: of those whose causes are there, the one with the first record.
fn next(computation: &Computation, cut: &[u32]) -> Option<Event> {
    let causality = computation.causality();
    let enabled = causality.process_ids().filter(|p| causality.is_enabled(*p, cut));
    let place = |p: &ProcessId| {
        let place = computation.place(*p, cut[p.index()] + 1);
        place.map_or((u16::MAX, u64::MAX), |place| (place.file, place.offset))
    };
    let first = enabled.min_by_key(place)?;
    Some(Event::new(first, cut[first.index()] + 1))
}
