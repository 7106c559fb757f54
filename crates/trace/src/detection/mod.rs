//! Possibly and Definitely: could a run have passed through a global state, must it?
//!
//! [`detect`] answers one question about a computation. It compiles the predicate
//! ([`crate::condition`]), forgets the events that cannot change it
//! ([`crate::projection`]), picks a method, and checks what the method found against
//! the definitions ([`plain`]) before it says so.

mod conjunctive;
mod decompose;
mod enumerate;
mod histories;
mod plain;
mod ps_def;
mod ps_poss;
mod search;
mod sequences;
mod stubborn;
mod wait_for;
mod witness;

pub use search::{DefinitelySets, PossiblySets, Reduction};

use crate::causality::{Causality, Cut, Event};
use crate::clocks::Clocks;
use crate::computation::Computation;
use crate::condition::{Condition, Reading};
use crate::predicate::{Formula, Node, Predicate, PredicateErrors};
use conjunctive::Truth;
use mazurka_core::{End, Limit, Limits};
use std::fmt;
use std::ops::Range;
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

/// How to find out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Method {
    /// Whatever is best for the predicate.
    #[default]
    Auto,
    /// Selective search.
    Search,
    /// Every consistent cut.
    Enumerate,
    /// The linear algorithms for conjunctions of 1-local predicates; for Possibly also
    /// disjunctions of such.
    Conjunctive,
    /// Fixed sets, for Possibly.
    Decompose,
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Auto => "auto",
            Self::Search => "search",
            Self::Enumerate => "enumerate",
            Self::Conjunctive => "conjunctive",
            Self::Decompose => "decompose",
        })
    }
}

/// A question about a computation.
#[derive(Clone, Debug)]
pub struct Question {
    /// What to ask.
    pub modality: Modality,
    /// About which predicate.
    pub predicate: Predicate,
}

/// How to answer it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Settings<'a> {
    /// How to find out.
    pub method: Method,
    /// For the search: exactly this reduction, one event at a time, on all events, as
    /// the paper measures it. By default the strongest, by sequences of events, on
    /// the events that matter.
    pub reduction: Option<Reduction>,
    /// Which persistent sets a search for Possibly with a given reduction uses.
    pub possibly_sets: PossiblySets,
    /// Which persistent sets a search for Definitely with a given reduction uses.
    pub definitely_sets: DefinitelySets,
    /// Threads for counting cuts.
    pub threads: usize,
    /// Bounds.
    pub limits: Limits<'a>,
}

/// An answer.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Whether what the modality says of the predicate is true; `None` if a limit was
    /// reached first.
    pub answer: Option<bool>,
    /// How it was found.
    pub method: Method,
    /// Global states looked at.
    pub states: u64,
    /// Transitions explored.
    pub transitions: u64,
    /// How long it took.
    pub time: Duration,
    /// What shows it, where something can.
    pub witness: Option<Witness>,
    /// The limit that was reached.
    pub limit: Option<Limit>,
    /// What was found out about the predicate, and which method was chosen why.
    pub remarks: Vec<String>,
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
    /// The method is not for such a question.
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
        /// The process and the local state whose value is to blame, if one is.
        record: Option<(usize, u32)>,
        /// The global state.
        cut: Cut,
    },
    /// A witness did not pass the check of the definitions: a defect of this program.
    #[error("internal error: {0} (please report it)")]
    Internal(String),
}

/// What a method brought to light.
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
        match self.end {
            End::Limit(limit) => Some(limit),
            _ => None,
        }
    }
}

/// Answers a question about a computation.
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
    let assigned = |_: usize, variable: &str| computation.variable(variable).is_some();
    let formula = predicate.bind_among(computation.names(), computation.variables(), &assigned)?;
    let detection = Detection {
        computation,
        formula: &formula,
        settings,
        start: Instant::now(),
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
        answer.answer = answer.answer.map(|possible| !possible);
    }
    Ok(answer)
}

/// How many consistent cuts a computation has.
pub fn count_cuts(computation: &Computation, threads: usize, limits: Limits<'_>) -> Result<u64, Limit> {
    let order = computation.causality();
    let clocks = Clocks::of(order).expect("the order of a computation is acyclic");
    let explored = enumerate::count(order, &clocks, threads, limits);
    match explored.limit() {
        None => Ok(explored.states),
        Some(limit) => Err(limit),
    }
}

/// What the predicate is made of, for those who ask.
fn describe(computation: &Computation, formula: &Formula) -> Vec<String> {
    let conjuncts = formula.conjuncts();
    let mut remarks = vec![match conjuncts.len() {
        1 => "1 conjunct".to_owned(),
        n => format!("{n} conjuncts"),
    }];
    for node in conjuncts.iter().take(12) {
        let names: Vec<_> = formula
            .support(node)
            .into_iter()
            .map(|p| computation.names()[p].as_str())
            .collect();
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

/// An answer in the making.
struct Detection<'a> {
    computation: &'a Computation,
    formula: &'a Formula,
    settings: &'a Settings<'a>,
    start: Instant,
    states: u64,
    transitions: u64,
    remarks: Vec<String>,
}

/// A disjunction of conjunctions of this many at most goes to the linear algorithm.
const DISJUNCTS: usize = 4096;
/// States that the search may look at before decomposition is considered.
const FIRST_TRY: u64 = 50_000;
/// A bound on the work of a decomposition that is worth trying, in local states.
const DECOMPOSITION: f64 = 3e8;
/// The longest history that is shown, in numbers of its cuts.
const LONGEST_PATH: u64 = 1 << 26;
/// States that the search for a counterexample to Definitely may look at, when the
/// answer is known already.
const COUNTEREXAMPLE: u64 = 5_000_000;

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

    fn answer(self, answer: Option<bool>, method: Method, witness: Option<Witness>, limit: Option<Limit>) -> Answer {
        Answer {
            answer,
            method,
            states: self.states,
            transitions: self.transitions,
            time: self.start.elapsed(),
            witness,
            limit,
            remarks: self.remarks,
        }
    }

    fn unsuitable(method: Method, reason: impl Into<String>) -> DetectError {
        DetectError::Unsuitable {
            method,
            reason: reason.into(),
        }
    }

    // Possibly.

    fn possibly(mut self) -> Result<Answer, DetectError> {
        let (method, explored, undefined) = self.possibly_by(Reading::Certain)?;
        let limit = explored.limit();
        let minimal = method == Method::Conjunctive;
        match explored.result {
            Some(cut) => {
                let witness = witness::cut(self.computation, self.formula, cut, minimal, self.settings.limits)?;
                Ok(self.answer(Some(true), method, Some(witness), None))
            }
            None if limit.is_some() => Ok(self.answer(None, method, None, limit)),
            None => {
                if undefined {
                    // No state certainly satisfies the predicate. If in some state it has
                    // no value, there is no answer. This is a second search for another
                    // predicate; what it costs is not counted.
                    let counted = (self.states, self.transitions);
                    let (_, explored, _) = self.possibly_by(Reading::Perhaps)?;
                    (self.states, self.transitions) = counted;
                    if let Some(cut) = explored.result {
                        return Err(witness::undefined(self.computation, self.formula, cut));
                    }
                    if let Some(limit) = explored.limit() {
                        return Ok(self.answer(None, method, None, Some(limit)));
                    }
                }
                Ok(self.answer(Some(false), method, None, None))
            }
        }
    }

    /// A cut of the computation in which the predicate holds under a reading, and
    /// whether a part without a value was met.
    fn possibly_by(&mut self, reading: Reading) -> Result<(Method, Explored<Option<Cut>>, bool), DetectError> {
        let limits = self.settings.limits;
        match self.settings.method {
            Method::Auto | Method::Conjunctive => {
                if let Some((explored, undefined)) = self.disjunction(reading) {
                    self.count(&explored);
                    return Ok((Method::Conjunctive, explored, undefined));
                }
                if self.settings.method == Method::Conjunctive {
                    let reason = match self.formula.disjuncts(DISJUNCTS) {
                        None => format!("it takes more than {DISJUNCTS} disjuncts of conjunctions"),
                        Some(_) => "a literal reads more than one process; try `search`".to_owned(),
                    };
                    return Err(Self::unsuitable(Method::Conjunctive, reason));
                }
            }
            Method::Search | Method::Enumerate | Method::Decompose => {}
        }
        let condition = Condition::new(self.computation, self.formula, reading);
        let explored = match (self.settings.method, self.settings.reduction) {
            (Method::Enumerate, _) => {
                let condition = condition.expanded();
                let explored = enumerate::possibly(self.order(), &self.clocks(), &condition, limits);
                self.count(&explored);
                return Ok((Method::Enumerate, explored, condition.met_undefined()));
            }
            (Method::Search, Some(reduction)) => {
                let condition = condition.expanded();
                let sets = self.settings.possibly_sets;
                let explored = search::possibly(self.order(), &condition, reduction, sets, limits);
                self.count(&explored);
                return Ok((Method::Search, explored, condition.met_undefined()));
            }
            (method, _) => {
                let order = condition.projected_order();
                self.remark(format!(
                    "{} of {} events can change it",
                    order.total(),
                    self.order().total()
                ));
                let (method, explored) = match method {
                    Method::Decompose => self.decompose(&order, &condition),
                    Method::Search => (Method::Search, self.sequences(&order, &condition, limits)),
                    _ => self.portfolio(&order, &condition),
                };
                let kept = |cut: Cut| witness::raw_cut(self.order(), &condition, &cut);
                (method, explored.map(|found| found.map(kept)))
            }
        };
        Ok((explored.0, explored.1, condition.met_undefined()))
    }

    fn sequences(&mut self, order: &Causality, condition: &Condition<'_>, limits: Limits<'_>) -> Explored<Option<Cut>> {
        let explored = sequences::possibly(order, condition, &order.last_cut(), limits);
        self.count(&explored);
        explored
    }

    fn decompose(&mut self, order: &Causality, condition: &Condition<'_>) -> (Method, Explored<Option<Cut>>) {
        let clocks = Clocks::of(order).expect("a projection of an acyclic order");
        let explored = decompose::possibly(order, &clocks, condition, self.settings.limits);
        self.count(&explored);
        (Method::Decompose, explored)
    }

    /// The search, and if it takes long, decomposition where that is bound to end soon.
    fn portfolio(&mut self, order: &Causality, condition: &Condition<'_>) -> (Method, Explored<Option<Cut>>) {
        let most = self.settings.limits.states.unwrap_or(u64::MAX);
        let mut limits = self.settings.limits;
        limits.states = Some(most.min(FIRST_TRY));
        self.remark("method: selective search by sequences of events");
        let explored = self.sequences(order, condition, limits);
        if explored.limit() != Some(Limit::States) || most <= FIRST_TRY {
            return (Method::Search, explored);
        }
        let fixed = decompose::fixed_set(condition);
        let combinations: f64 = fixed.iter().map(|p| f64::from(order.events(*p)) + 1.0).product();
        if combinations * order.total() as f64 <= DECOMPOSITION {
            self.remark(format!(
                "method: it takes more than {FIRST_TRY} states, so decomposition with {} fixed processes",
                fixed.len()
            ));
            return self.decompose(order, condition);
        }
        (Method::Search, self.sequences(order, condition, self.settings.limits))
    }

    /// Possibly of a disjunction is possibly of a disjunct; each disjunct that is a
    /// conjunction of 1-local literals has a least cut. The smallest of these.
    fn disjunction(&mut self, reading: Reading) -> Option<(Explored<Option<Cut>>, bool)> {
        let local = |node: &Node| self.formula.support(node).len() <= 1;
        let conjuncts = self.formula.conjuncts();
        let disjuncts: Vec<Vec<Node>> = match conjuncts.iter().all(|node| local(node)) {
            true => vec![conjuncts.into_iter().cloned().collect()],
            false => {
                let literal = |(atom, positive)| Node::Literal { atom, positive };
                let disjuncts = self.formula.disjuncts(DISJUNCTS)?.into_iter();
                disjuncts.map(|d| d.into_iter().map(literal).collect()).collect()
            }
        };
        if !disjuncts.iter().flatten().all(local) {
            return None;
        }
        self.remark(match disjuncts.len() {
            1 => "method: a conjunction of predicates of one process each: linear".to_owned(),
            n => {
                format!("method: a disjunction of {n} conjunctions of predicates of one process each: linear for each")
            }
        });
        let (mut undefined, mut best) = (false, None);
        let (mut states, mut transitions, mut end) = (0, 0, End::Complete);
        // With many disjuncts it pays to forget the events that change none of them.
        let projected = (disjuncts.len() > 1).then(|| {
            let literals: Vec<&Node> = disjuncts.iter().flatten().collect();
            let condition = Condition::of(self.computation, self.formula, &literals, reading);
            let order = condition.projected_order();
            (condition, order)
        });
        for disjunct in &disjuncts {
            let conjuncts: Vec<&Node> = disjunct.iter().collect();
            let condition = Condition::of(self.computation, self.formula, &conjuncts, reading);
            undefined |= condition.met_undefined();
            if condition.is_never() {
                continue;
            }
            let explored = match &projected {
                None => {
                    let truth = local_truths(&condition, |p| condition.changes(p).to_vec());
                    conjunctive::possibly(self.order(), &truth, self.settings.limits)
                }
                Some((whole, order)) => {
                    let truth = local_truths(&condition, |p| {
                        let kept = whole.changes(p);
                        let changes = condition.changes(p).iter();
                        changes.map(|e| kept.partition_point(|k| k < e) as u32).collect()
                    });
                    conjunctive::possibly(order, &truth, self.settings.limits)
                        .map(|found| found.map(|cut| witness::raw_cut(self.order(), whole, &cut)))
                }
            };
            states += explored.states;
            transitions += explored.transitions;
            if let End::Limit(_) = explored.end {
                end = explored.end;
                break;
            }
            let size = |cut: &Cut| cut.iter().map(|k| u64::from(*k)).sum::<u64>();
            if let Some(cut) = explored.result
                && best.as_ref().is_none_or(|b| size(&cut) < size(b))
            {
                best = Some(cut);
            }
        }
        let explored = Explored {
            end: if best.is_some() { End::Stopped } else { end },
            result: best,
            states,
            transitions,
        };
        Some((explored, undefined))
    }

    // Definitely.

    fn definitely(mut self) -> Result<Answer, DetectError> {
        let (method, explored, undefined) = self.definitely_by(Reading::Certain)?;
        let limit = explored.limit();
        if limit.is_some() {
            return Ok(self.answer(None, method, None, limit));
        }
        let Some(history) = explored.result else {
            return Ok(self.answer(Some(true), method, None, None));
        };
        let mut history = history;
        if undefined {
            // Some history avoids the states that certainly satisfy the predicate. If all
            // of these meet a state where it has no value, there is no answer.
            let counted = (self.states, self.transitions);
            let (_, explored, _) = self.definitely_by(Reading::Perhaps)?;
            (self.states, self.transitions) = counted;
            if let Some(limit) = explored.limit() {
                return Ok(self.answer(None, method, None, Some(limit)));
            }
            match explored.result {
                Some(certain) => history = certain,
                None => return Err(self.undefined_on(history)),
            }
        }
        let witness = match history {
            Some(path) => Some(witness::path(self.computation, self.formula, path)?),
            None => {
                self.remark("no counterexample is shown: it is too long, or the search for it takes too long");
                None
            }
        };
        Ok(self.answer(Some(false), method, witness, None))
    }

    fn undefined_on(&self, history: Option<Vec<Cut>>) -> DetectError {
        let without = |cut: &Cut| plain::truth(self.computation, self.formula, cut).is_err();
        match history.into_iter().flatten().find(without) {
            Some(cut) => witness::undefined(self.computation, self.formula, cut),
            None => DetectError::Internal("a predicate without a value has one everywhere".to_owned()),
        }
    }

    /// A history in which the predicate never holds under a reading: its cuts, or
    /// `Some(None)` if there is one and it was not found.
    #[allow(clippy::type_complexity)]
    fn definitely_by(
        &mut self,
        reading: Reading,
    ) -> Result<(Method, Explored<Option<Option<Vec<Cut>>>>, bool), DetectError> {
        let limits = self.settings.limits;
        let condition = Condition::new(self.computation, self.formula, reading);
        match (self.settings.method, self.settings.reduction) {
            (Method::Decompose, _) => Err(Self::unsuitable(Method::Decompose, "it is for Possibly only")),
            (Method::Enumerate, _) => {
                let condition = condition.expanded();
                let explored = enumerate::definitely(self.order(), &condition, limits);
                self.count(&explored);
                let explored = explored.map(|levels| levels.map(|l| Some(witness::path_through(self.order(), &l))));
                Ok((Method::Enumerate, explored, condition.met_undefined()))
            }
            (Method::Search, Some(reduction)) => {
                let condition = condition.expanded();
                let sets = self.settings.definitely_sets;
                if sets == DefinitelySets::Conference && !condition.is_local() {
                    let reason = "the sets of the conference version are for conjuncts of one process each";
                    return Err(Self::unsuitable(Method::Search, reason));
                }
                let explored = search::definitely(self.order(), &condition, reduction, sets, limits);
                self.count(&explored);
                let explored = explored.map(|run| run.map(|run| Some(witness::cuts_of(self.order(), &run))));
                Ok((Method::Search, explored, condition.met_undefined()))
            }
            (Method::Conjunctive, _) if !condition.is_local() => Err(Self::unsuitable(
                Method::Conjunctive,
                "a conjunct reads more than one process; try `search`",
            )),
            (Method::Auto | Method::Conjunctive, _) if condition.is_local() => {
                self.remark("method: a conjunction of predicates of one process each: by intervals");
                let order = condition.projected_order();
                let clocks = Clocks::of(&order).expect("a projection of an acyclic order");
                let truth = local_truths(&condition, |p| (0..condition.changes(p).len() as u32).collect());
                let mut explored = match condition.is_never() {
                    true => Explored {
                        result: false,
                        states: 0,
                        transitions: 0,
                        end: End::Complete,
                    },
                    false => conjunctive::definitely(&order, &clocks, &truth, limits),
                };
                self.count(&explored);
                if explored.limit().is_some() {
                    return Ok((Method::Conjunctive, explored.map(|_| None), condition.met_undefined()));
                }
                if explored.result {
                    return Ok((Method::Conjunctive, explored.map(|_| None), condition.met_undefined()));
                }
                explored.end = End::Stopped;
                let path = self.counterexample(&order, &condition);
                Ok((
                    Method::Conjunctive,
                    explored.map(|_| Some(path)),
                    condition.met_undefined(),
                ))
            }
            _ => {
                self.remark("method: selective search");
                let order = condition.projected_order();
                self.remark(format!(
                    "{} of {} events can change it",
                    order.total(),
                    self.order().total()
                ));
                let explored = search::definitely(&order, &condition, Reduction::Full, DefinitelySets::Long, limits);
                self.count(&explored);
                let raw = |run: Vec<Event>| Some(witness::raw_path(self.order(), &condition, &run));
                Ok((
                    Method::Search,
                    explored.map(|run| run.map(raw)),
                    condition.met_undefined(),
                ))
            }
        }
    }
}

impl Detection<'_> {
    /// A history that avoids the condition, of which it is known that there is one; `None`
    /// if it is too long to show or takes too long to find.
    fn counterexample(&self, order: &Causality, condition: &Condition<'_>) -> Option<Vec<Cut>> {
        let length = self.order().total().saturating_mul(self.order().processes() as u64);
        if length > LONGEST_PATH {
            return None;
        }
        let mut limits = self.settings.limits;
        limits.states = Some(COUNTEREXAMPLE);
        let found = search::definitely(order, condition, Reduction::Full, DefinitelySets::Long, limits);
        found.result.map(|run| witness::raw_path(self.order(), condition, &run))
    }
}

/// Per process: where its conjuncts are true, in local states that begin at `starts`.
fn local_truths(condition: &Condition<'_>, starts: impl Fn(usize) -> Vec<u32>) -> Vec<Truth> {
    (0..condition.processes())
        .map(|p| Truth::new(&starts(p), &condition.local_truth(p)))
        .collect()
}
