//! Possibly and Definitely: could a run have passed through a global state, and must it have?
//!
//! [`detect`] answers one question about a computation. It compiles the predicate
//! ([`crate::condition`]), forgets the events that cannot change it
//! ([`crate::projection`]), picks a method, and checks what the method found against
//! the definitions ([`plain`]) before it returns it.

mod conjunctive;
mod decompose;
mod definitely;
mod enumerate;
mod histories;
mod insertion_order;
mod plain;
mod possibly;
mod ps_def;
mod ps_poss;
mod search;
mod sequences;
mod stubborn;
mod wait_for;
mod witness;

pub(crate) use definitely::is_too_long;
pub(crate) use histories::{Histories, Width};
pub(crate) use plain::{run_between, truth};
pub(crate) use ps_def::{Lattice, Rule};
pub use search::MemberOrder;
pub(crate) use wait_for::follow;
pub(crate) use witness::undefined_record;

use crate::causality::{Causality, Cut, Event};
use crate::clocks::Clocks;
use crate::computation::Computation;
use crate::predicate::{Formula, Predicate, PredicateErrors};
use mazurka_core::{End, Limit, Limits, Outcome, ProcessId, Reduction, Statistics, Verdict};
use std::fmt;
use std::ops::Range;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// What to ask about a predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Modality {
    /// Some history passes through a global state that satisfies it.
    Possibly,
    /// Every history does.
    Definitely,
    /// No history does.
    Never,
    /// Every history passes through such states only.
    Always,
    /// As `Definitely`, but a "no" is a violation.
    Inevitably,
}

impl Modality {
    /// Whether a "no" is a violation.
    pub fn is_requirement(self) -> bool {
        matches!(self, Self::Never | Self::Always | Self::Inevitably)
    }

    /// What a verdict means for the user: a "no" to a mere question is not a violation.
    pub fn judgement(self, verdict: Verdict) -> Verdict {
        match verdict {
            Verdict::Violated if !self.is_requirement() => Verdict::Holds,
            verdict => verdict,
        }
    }
}

impl fmt::Display for Modality {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Possibly => "possibly",
            Self::Definitely => "definitely",
            Self::Never => "never",
            Self::Always => "always",
            Self::Inevitably => "inevitably",
        })
    }
}

/// How to find the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Method {
    /// Whatever is best for the predicate.
    #[default]
    Auto,
    /// Selective search.
    Search,
    /// Looks at every consistent cut.
    Enumerate,
    /// The linear algorithms for conjunctions of 1-local predicates; for Possibly also
    /// disjunctions of such.
    Conjunctive,
    /// Fixed sets, for Possibly.
    Decompose,
    /// Selective search with conditional stubborn sets, one event at a time, for Possibly.
    Stubborn,
    /// Selective search with the persistent sets of the conference version, one event at a time, for
    /// Definitely of conjunctions of 1-local predicates.
    Conference,
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Auto => "auto",
            Self::Search => "search",
            Self::Enumerate => "enumerate",
            Self::Conjunctive => "conjunctive",
            Self::Decompose => "decompose",
            Self::Stubborn => "stubborn",
            Self::Conference => "conference",
        })
    }
}

/// A question about a computation.
#[derive(Clone, Debug)]
pub struct Question {
    /// What to ask.
    pub modality: Modality,
    /// The predicate.
    pub predicate: Predicate,
}

/// How to answer a question.
#[derive(Clone, Copy, Debug, Default)]
pub struct Settings<'a> {
    /// How to find the answer.
    pub method: Method,
    /// For the search: exactly this reduction, one event at a time, on all events, as
    /// the paper measures it. By default the strongest, by sequences of events, on
    /// the events that matter.
    pub reduction: Option<Reduction>,
    /// For the linear algorithm and fixed sets: look at all events, as published, and not only at those that can
    /// change the predicate.
    pub all_events: bool,
    /// In which order a search for Possibly with a given reduction explores the members of a persistent set.
    pub order: MemberOrder,
    /// Threads for counting cuts.
    pub threads: usize,
    /// Bounds on the work.
    pub limits: Limits<'a>,
}

/// The answer to a question: the verdict holds if what the modality says of the predicate is true.
pub type Answer = Outcome<Detected>;

/// What was found out about a question.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Detected {
    /// How it was found.
    pub method: Method,
    /// What shows the answer, where something can.
    pub witness: Option<Witness>,
    /// What is known about the predicate, and why the method was chosen.
    pub remarks: Vec<String>,
    /// Why the question cannot be answered, if it cannot.
    pub refusal: Option<DetectError>,
}

impl Detected {
    /// Nothing was found yet.
    pub fn new(method: Method) -> Self {
        Self {
            method,
            witness: None,
            remarks: Vec::new(),
            refusal: None,
        }
    }
}

/// What shows an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Witness {
    /// A consistent cut in which the predicate holds (for `Always`: does not hold).
    Cut {
        /// The executed events of each process.
        cut: Cut,
        /// Whether no smaller cut will do.
        minimal: bool,
        /// A run that reaches it: its events in order.
        run: Vec<Event>,
        /// Whether the order of the input passed through such a state; `None` if that
        /// order is unknown or not causal.
        observed: Option<bool>,
    },
    /// A history in which the predicate never holds: its cuts.
    Path(Vec<Cut>),
}

/// Why there is no answer.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DetectError {
    /// The predicate does not fit the trace.
    #[error("{0}")]
    Predicate(#[from] PredicateErrors),
    /// The method cannot answer such a question.
    #[error("method `{method}` cannot answer this: {reason}")]
    Unsuitable {
        /// The method that was asked for.
        method: Method,
        /// Why it cannot.
        reason: String,
    },
    /// The predicate has no value in a global state that decides the answer.
    #[error("{message}")]
    Undefined {
        /// What is wrong.
        message: String,
        /// Where in the predicate.
        span: Range<usize>,
        /// The event whose value is to blame, if one is; number 0 stands for the initial state.
        record: Option<Event>,
        /// The global state.
        cut: Cut,
    },
    /// A witness did not pass the check of the definitions: a defect of this program.
    #[error("internal error: {0} (please report it)")]
    Internal(String),
}

/// What a method found, and what that took.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Explored<T> {
    pub(crate) result: T,
    pub(crate) states: u64,
    pub(crate) transitions: u64,
    pub(crate) end: End,
}

impl<T> Explored<T> {
    fn map<U>(self, f: impl FnOnce(T) -> U) -> Explored<U> {
        Explored {
            result: f(self.result),
            states: self.states,
            transitions: self.transitions,
            end: self.end,
        }
    }

    fn limit(&self) -> Option<Limit> {
        self.end.limit()
    }
}

/// Answers a question about a computation.
///
/// ```
/// use mazurka_trace::{
///     ImportOptions, Input, Modality, Predicate, Question, Settings, Verdict, Witness, detect, import,
/// };
/// // Nothing orders the two events.
/// let bytes = br#"{"process":"a","vars":{"x":1}}
/// {"process":"b","vars":{"y":1}}"#;
/// let input = Input::Text { name: "run.jsonl".into(), bytes: bytes.to_vec() };
/// let imported = import(input, &ImportOptions::default()).unwrap();
/// let predicate = Predicate::parse("a.x == null && b.y == 1").unwrap();
/// let question = Question { modality: Modality::Possibly, predicate };
/// let answer = detect(&imported.executions[0].computation, &question, &Settings::default()).unwrap();
/// assert_eq!(answer.verdict, Verdict::Holds);
/// assert!(matches!(&answer.witness, Some(Witness::Cut { cut, .. }) if cut == &[0, 1]));
/// ```
///
/// # Errors
/// If the predicate does not fit the trace or has no value where it matters, or the
/// method does not suit the question.
pub fn detect(computation: &Computation, question: &Question, settings: &Settings<'_>) -> Result<Answer, DetectError> {
    let predicate = match question.modality {
        Modality::Always => question.predicate.negated(),
        _ => question.predicate.clone(),
    };
    // A process may happen never to assign a variable that others do: it is null there.
    let assigned = |_: ProcessId, variable: &str| computation.variable(variable).is_some();
    let start = Instant::now();
    let stop = settings.limits.interrupt;
    let bound = predicate.bind_until(computation.names(), computation.variables(), &assigned, stop);
    if stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
        let mut answer = Answer::unanswered(Limit::Interrupt.into(), Detected::new(settings.method));
        answer.statistics.time = start.elapsed();
        return Ok(answer);
    }
    let formula = bound?;
    let detection = Detection {
        computation,
        formula: &formula,
        settings,
        start,
        states: 0,
        transitions: 0,
        remarks: describe(computation, &formula),
    };
    let universal = matches!(question.modality, Modality::Definitely | Modality::Inevitably);
    let mut answer = match universal {
        true => detection.definitely()?,
        false => detection.possibly()?,
    };
    if matches!(question.modality, Modality::Never | Modality::Always) {
        answer.verdict = answer.verdict.negated();
    }
    Ok(answer)
}

/// How many consistent cuts a computation has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CutCount {
    /// How many were counted.
    pub counted: u64,
    /// Why there may be more; `None` if these are all.
    pub limit: Option<Limit>,
    /// How long it took.
    pub time: Duration,
}

impl CutCount {
    /// A limit was reached before anything was counted.
    pub(crate) fn none(limit: Limit) -> Self {
        Self {
            counted: 0,
            limit: Some(limit),
            time: Duration::ZERO,
        }
    }
}

/// Counts the consistent cuts of a computation.
///
/// ```
/// use mazurka_core::Limits;
/// use mazurka_trace::{ImportOptions, Input, count_cuts, import};
/// let bytes = br#"{"process":"a","send":["m"]}
/// {"process":"b","recv":["m"]}"#;
/// let input = Input::Text { name: "run.jsonl".into(), bytes: bytes.to_vec() };
/// let imported = import(input, &ImportOptions::default()).unwrap();
/// let cuts = count_cuts(&imported.executions[0].computation, 1, Limits::default());
/// assert_eq!((cuts.counted, cuts.limit), (3, None));
/// ```
pub fn count_cuts(computation: &Computation, threads: usize, limits: Limits<'_>) -> CutCount {
    let start = Instant::now();
    let order = computation.causality();
    let clocks = Clocks::of(order).expect("the order of a computation is acyclic");
    let explored = enumerate::count(order, &clocks, threads, limits);
    CutCount {
        counted: explored.states,
        limit: explored.limit(),
        time: start.elapsed(),
    }
}

/// Describes what the predicate is made of.
fn describe(computation: &Computation, formula: &Formula) -> Vec<String> {
    let conjuncts = formula.conjuncts();
    let mut remarks = vec![match conjuncts.len() {
        1 => "1 conjunct".to_owned(),
        n => format!("{n} conjuncts"),
    }];
    for node in conjuncts.iter().take(12) {
        let names: Vec<_> = formula.support(node).into_iter().map(|p| computation.name(p)).collect();
        let shown = formula.display(node).to_string();
        let shown: String = match shown.chars().count() {
            0..=100 => shown,
            _ => shown.chars().take(99).chain(['…']).collect(),
        };
        let who = match names.len() {
            0 => "no process".to_owned(),
            1..=6 => names.join(", "),
            n => format!("{n} processes"),
        };
        remarks.push(format!("  reads {who}: {shown}"));
    }
    if conjuncts.len() > 12 {
        remarks.push(format!("  and {} more", conjuncts.len() - 12));
    }
    remarks
}

/// A question that is being answered.
struct Detection<'a> {
    computation: &'a Computation,
    formula: &'a Formula,
    settings: &'a Settings<'a>,
    start: Instant,
    states: u64,
    transitions: u64,
    remarks: Vec<String>,
}

impl<'a> Detection<'a> {
    fn order(&self) -> &'a Causality {
        self.computation.causality()
    }

    fn clocks(&self) -> Clocks {
        Clocks::of(self.order()).expect("the order of a computation is acyclic")
    }

    fn remark(&mut self, text: impl Into<String>) {
        self.remarks.push(text.into());
    }

    fn count<T>(&mut self, explored: &Explored<T>) {
        self.states += explored.states;
        self.transitions += explored.transitions;
    }

    /// The answer is yes or no.
    fn answer(self, holds: bool, method: Method, witness: Option<Witness>) -> Answer {
        let statistics = self.statistics();
        Answer {
            verdict: holds.into(),
            // A witness decides the question before everything is explored.
            end: if witness.is_some() { End::Stopped } else { End::Complete },
            statistics,
            found: Detected {
                witness,
                remarks: self.remarks,
                ..Detected::new(method)
            },
        }
    }

    /// A limit was reached first.
    fn stopped(self, method: Method, limit: Limit) -> Answer {
        let statistics = self.statistics();
        let found = Detected {
            remarks: self.remarks,
            ..Detected::new(method)
        };
        Answer {
            statistics,
            ..Answer::unanswered(limit.into(), found)
        }
    }

    fn statistics(&self) -> Statistics {
        Statistics {
            states: self.states,
            transitions: self.transitions,
            time: self.start.elapsed(),
            ..Statistics::default()
        }
    }

    fn unsuitable(method: Method, reason: impl Into<String>) -> DetectError {
        DetectError::Unsuitable {
            method,
            reason: reason.into(),
        }
    }
}
