//! Definitely: which method, and what it found.
//!
//! A conjunction of 1-local predicates is decided by intervals; a counterexample is then
//! searched for, since the intervals do not give one. Everything else is searched.

use super::conjunctive::local_truths;
use super::search::DefinitelySets;
use super::{
    Answer, DetectError, Detection, Explored, Method, Reduction, conjunctive, enumerate, plain, search, witness,
};
use crate::causality::{Causality, Cut, Event};
use crate::clocks::Clocks;
use crate::condition::{Condition, Reading};
use crate::narrow::short;
use mazurka_core::End;

/// The longest history that is shown, in events times processes.
const LONGEST_PATH: u64 = 1 << 26;
/// States that the search for a counterexample to Definitely may look at, when the
/// answer is known already.
const COUNTEREXAMPLE: u64 = 5_000_000;

/// Whether a history of all events is too long to be shown.
pub(crate) fn is_too_long(order: &Causality) -> bool {
    order.total().saturating_mul(order.processes() as u64) > LONGEST_PATH
}

/// What a method found: a history that avoids the predicate, as its cuts, or `Some(None)` if there is
/// one that is not shown; and whether a state was met in which the predicate has no value.
type Avoiding = (Method, Explored<Option<Option<Vec<Cut>>>>, bool);

impl Detection<'_> {
    /// Answers Definitely.
    pub(super) fn definitely(mut self) -> Result<Answer, DetectError> {
        let (method, explored, undefined) = self.definitely_by(Reading::Certain)?;
        if let Some(limit) = explored.limit() {
            return Ok(self.stopped(method, limit));
        }
        let Some(history) = explored.result else {
            return Ok(self.answer(true, method, None));
        };
        let mut history = history;
        if undefined {
            // Some history avoids the states that certainly satisfy the predicate. If all
            // of these meet a state where it has no value, there is no answer.
            let counted = (self.states, self.transitions);
            let (_, explored, _) = self.definitely_by(Reading::Perhaps)?;
            (self.states, self.transitions) = counted;
            if let Some(limit) = explored.limit() {
                return Ok(self.stopped(method, limit));
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
        Ok(self.answer(false, method, witness))
    }

    fn undefined_on(&self, history: Option<Vec<Cut>>) -> DetectError {
        let without = |cut: &Cut| plain::truth(self.computation, self.formula, cut).is_err();
        match history.into_iter().flatten().find(without) {
            Some(cut) => witness::undefined(self.computation, self.formula, cut),
            None => DetectError::Internal("a predicate without a value has one everywhere".to_owned()),
        }
    }

    /// A history in which the predicate never holds under a reading.
    fn definitely_by(&mut self, reading: Reading) -> Result<Avoiding, DetectError> {
        let condition = Condition::new(self.computation, self.formula, reading);
        match (self.settings.method, self.settings.reduction) {
            (method @ (Method::Decompose | Method::Stubborn), _) => {
                Err(Self::unsuitable(method, "it is for Possibly only"))
            }
            (Method::Enumerate, _) => Ok(self.by_enumeration(condition.expanded())),
            (Method::Search, Some(reduction)) => {
                Ok(self.by_asked_search(condition.expanded(), reduction, DefinitelySets::Long))
            }
            (Method::Conference, _) if !condition.is_local() => Err(Self::unsuitable(
                Method::Conference,
                "a conjunct reads more than one process; try `search`",
            )),
            (Method::Conference, reduction) => {
                let reduction = reduction.unwrap_or(Reduction::Full);
                Ok(self.by_asked_search(condition.expanded(), reduction, DefinitelySets::Conference))
            }
            (Method::Conjunctive, _) if !condition.is_local() => Err(Self::unsuitable(
                Method::Conjunctive,
                "a conjunct reads more than one process; try `search`",
            )),
            (Method::Auto | Method::Conjunctive, _) if condition.is_local() => Ok(self.by_intervals(&condition)),
            _ => Ok(self.by_search(&condition)),
        }
    }

    fn by_enumeration(&mut self, condition: Condition<'_>) -> Avoiding {
        let explored = enumerate::definitely(self.order(), &condition, self.settings.limits);
        self.count(&explored);
        let explored = explored.map(|levels| levels.map(|l| Some(witness::path_through(self.order(), &l))));
        (Method::Enumerate, explored, condition.met_undefined())
    }

    /// The search that the user asks for: of the whole computation, with this reduction.
    fn by_asked_search(&mut self, condition: Condition<'_>, reduction: Reduction, sets: DefinitelySets) -> Avoiding {
        let explored = search::definitely(self.order(), &condition, reduction, sets, self.settings.limits);
        self.count(&explored);
        let explored = explored.map(|run| run.map(|run| Some(witness::cuts_of(self.order(), &run))));
        (self.settings.method, explored, condition.met_undefined())
    }

    fn by_intervals(&mut self, condition: &Condition<'_>) -> Avoiding {
        self.remark("method: a conjunction of predicates of one process each: by intervals");
        let order = condition.projected_order();
        let clocks = Clocks::of(&order).expect("a projection of an acyclic order");
        let truth = local_truths(condition, |p| (0..short(condition.changes(p).len())).collect());
        let mut explored = match condition.is_never() {
            true => Explored {
                result: false,
                states: 0,
                transitions: 0,
                end: End::Complete,
            },
            false => conjunctive::definitely(&order, &clocks, &truth, self.settings.limits),
        };
        self.count(&explored);
        if explored.limit().is_some() || explored.result {
            return (Method::Conjunctive, explored.map(|_| None), condition.met_undefined());
        }
        explored.end = End::Stopped;
        let path = self.counterexample(&order, condition);
        (
            Method::Conjunctive,
            explored.map(|_| Some(path)),
            condition.met_undefined(),
        )
    }

    /// A search of the events that can change the predicate.
    fn by_search(&mut self, condition: &Condition<'_>) -> Avoiding {
        self.remark("method: selective search");
        let order = condition.projected_order();
        self.remark(format!(
            "{} of {} events can change it",
            order.total(),
            self.order().total()
        ));
        let limits = self.settings.limits;
        let explored = search::definitely(&order, condition, Reduction::Full, DefinitelySets::Long, limits);
        self.count(&explored);
        let raw = |run: Vec<Event>| Some(witness::raw_path(self.order(), condition, &run));
        (
            Method::Search,
            explored.map(|run| run.map(raw)),
            condition.met_undefined(),
        )
    }
}

impl Detection<'_> {
    /// A history that avoids the condition, given that there is one; `None`
    /// if it is too long to show or takes too long to find.
    fn counterexample(&self, order: &Causality, condition: &Condition<'_>) -> Option<Vec<Cut>> {
        if is_too_long(self.order()) {
            return None;
        }
        let mut limits = self.settings.limits;
        limits.states = Some(COUNTEREXAMPLE);
        let found = search::definitely(order, condition, Reduction::Full, DefinitelySets::Long, limits);
        found.result.map(|run| witness::raw_path(self.order(), condition, &run))
    }
}
