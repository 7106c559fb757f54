//! Temporal patterns over all histories: is there an order of the events that passes through these states in turn, or
//! that satisfies a formula of linear temporal logic, and do all orders?
//!
//! A history of a computation is a linear extension of its partial order. It passes through global states, the last of
//! which is repeated for ever, so a formula holds of it or does not. The long version of Stoller, Unnikrishnan and Liu
//! names such patterns as future work (section 1).
//!
//! * A *sequence* `E1, …, En`: some history passes through a state with `E1`, then through one with `E2`, and so on,
//!   where *then* means later or at the same time: one state may serve for several. This is
//!   `<> (E1 && <> (E2 && …))`. `stages.rs` searches with the persistent sets of Possibly.
//! * A formula of LTL without snapshots: `product.rs` searches the histories together with the residuals of the
//!   formula, reduced by visibility (`visibility.rs`) if the formula is stutter-invariant.
//!
//! That every history satisfies a formula means that none satisfies its negation. What is found is an order of all
//! events, which `definition.rs` checks step by step before it is shown.

mod definition;
mod letters;
mod product;
mod query;
mod stages;
mod visibility;

pub use query::{Pattern, PatternError, PatternModality};

use crate::causality::{Cut, Event};
use crate::computation::Computation;
use crate::detection::{Explored, Method, Settings, is_too_long};
use definition::Shown;
use letters::Letters;
use mazurka_core::{End, Limit, Outcome, Statistics};
use mazurka_logic::StutterInvariance;
use query::Kind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// The answer about a pattern: the verdict holds if what the modality says of it is true.
pub type PatternAnswer = Outcome<PatternFindings>;

/// What was found out about a pattern.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct PatternFindings {
    /// How it was found.
    pub method: Method,
    /// The order of the events that shows the answer, if one does and it is not too long.
    pub order: Option<PatternOrder>,
    /// What is known about the pattern, and how the answer was found.
    pub remarks: Vec<String>,
    /// Why there is no answer, if there is none.
    pub refusal: Option<PatternError>,
}

/// An order of all events.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PatternOrder {
    /// The global states that it passes through, from the first to the last.
    pub path: Vec<Cut>,
    /// Of a sequence, after how many events each of its parts is reached.
    pub reached: Vec<usize>,
}

/// What a search for a history found: its events among those that were kept.
type Found = Explored<Option<Vec<Event>>>;

/// How histories are explored.
#[derive(Clone, Copy, Debug)]
struct Effort {
    method: Method,
    /// Whether to leave out histories that the pattern does not tell from others.
    reduce: bool,
    /// Whether to forget events that change nothing.
    project: bool,
}

impl Effort {
    fn of(settings: &Settings<'_>) -> Result<Self, PatternError> {
        let (method, reduce, project) = match (settings.method, settings.reduction) {
            (Method::Enumerate, _) => (Method::Enumerate, false, false),
            (Method::Auto | Method::Search, None) => (Method::Search, true, true),
            (Method::Auto | Method::Search, Some(reduction)) => (Method::Search, reduction.persistent(), false),
            (method, _) => {
                return Err(PatternError::general(format!(
                    "method `{method}` is not for orders of events; `search` and `enumerate` are"
                )));
            }
        };
        Ok(Self {
            method,
            reduce,
            project,
        })
    }
}

impl Pattern {
    /// Checks that it fits a run; gives up when `stop` is set, with an error then that need not be true.
    ///
    /// # Errors
    /// If it does not.
    pub fn fits(&self, computation: &Computation, stop: Option<&AtomicBool>) -> Result<(), PatternError> {
        self.propositions(computation, stop).map(drop)
    }

    /// Answers it for a run.
    ///
    /// ```
    /// use mazurka_trace::{ImportOptions, Input, Pattern, PatternModality, Settings, Verdict, import};
    /// let bytes = br#"{"process":"a","vars":{"x":1}}
    /// {"process":"b","vars":{"y":1}}"#;
    /// let input = Input::Text { name: "run.jsonl".into(), bytes: bytes.to_vec() };
    /// let imported = import(input, &ImportOptions::default()).unwrap();
    /// let parts = ["b.y == 1 && a.x == null".to_owned(), "a.x == 1".to_owned()];
    /// let pattern = Pattern::sequence(PatternModality::PossiblySequence, &parts).unwrap();
    /// let answer = pattern.answer(&imported.executions[0].computation, &Settings::default()).unwrap();
    /// assert_eq!(answer.verdict, Verdict::Holds);
    /// assert_eq!(answer.found.order.unwrap().path, [[0, 0], [0, 1], [1, 1]]);
    /// ```
    ///
    /// # Errors
    /// If it does not fit the run, one of its conditions has no value in a state that matters, or the method does not
    /// suit it.
    pub fn answer(&self, computation: &Computation, settings: &Settings<'_>) -> Result<PatternAnswer, PatternError> {
        let start = Instant::now();
        let effort = Effort::of(settings)?;
        let stop = settings.limits.interrupt;
        let propositions = self.propositions(computation, stop);
        if stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            let mut answer = PatternAnswer::unanswered(Limit::Interrupt.into(), PatternFindings::default());
            answer.statistics.time = start.elapsed();
            return Ok(answer);
        }
        let propositions = propositions?;
        let mut remarks = Vec::new();
        let invariant = match self.kind() {
            Kind::Sequence(_) => true,
            Kind::Formula(_) => self.searched().stutter_invariance() == StutterInvariance::Invariant,
        };
        let letters = Letters::new(computation, &propositions, effort.project && invariant);
        remarks.push(format!(
            "{} of {} events can change a condition",
            letters.order().total(),
            computation.causality().total()
        ));
        let found = match self.kind() {
            Kind::Sequence(_) => stages::search(&letters, effort.reduce, settings.limits)?,
            Kind::Formula(_) => {
                remarks.push(match (invariant, effort.reduce) {
                    (true, true) => {
                        "the formula is stutter-invariant: reduced to orders of events that it sees".to_owned()
                    }
                    (true, false) => "no reduction, as asked".to_owned(),
                    (false, _) => "the formula counts steps, or it is too large to tell: no reduction".to_owned(),
                });
                product::search(&letters, &self.searched(), effort.reduce && invariant, settings.limits)?
            }
        };
        let mut answer = PatternAnswer {
            verdict: (found.result.is_some() == self.modality().seeks_example()).into(),
            end: if found.result.is_some() {
                End::Stopped
            } else {
                End::Complete
            },
            statistics: Statistics {
                states: found.states,
                transitions: found.transitions,
                ..Statistics::default()
            },
            found: PatternFindings {
                method: effort.method,
                ..PatternFindings::default()
            },
        };
        if let End::Limit(limit) = found.end {
            answer = PatternAnswer {
                statistics: answer.statistics,
                ..PatternAnswer::unanswered(limit.into(), answer.found)
            };
        } else if let Some(run) = found.result {
            match is_too_long(computation.causality()) {
                true => remarks.push("no order is shown: it is too long".to_owned()),
                false => {
                    let shown = Shown::new(computation, &propositions, letters.whole_path(&run));
                    answer.found.order = Some(shown.checked(self)?);
                }
            }
        }
        answer.found.remarks = remarks;
        answer.statistics.time = start.elapsed();
        Ok(answer)
    }
}
