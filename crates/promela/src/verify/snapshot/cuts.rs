//! The partial order of an execution, and the states that it passes in some order.
//!
//! An event is what happens between two states that a formula observes. A *cut* is a set of events that
//! contains all predecessors of its members. The states after cuts are those that are passed.
//!
//! For a conjunction of local propositions there is a least cut of which it holds, if there is any: while the
//! conjunct of a component does not hold in the cut so far, every cut that contains it and of which all
//! hold has the next event of that component (Garg and Waldecker 1994). This shares nothing with
//! freeze sets, and is what counterexamples are checked with and explained by.

use super::propositions::holds;
use crate::model::Ltl;
use crate::plain::{Action, Component, Failure, Interpreter, State, Step};
use mazurka_logic::{AtomId, Formula};
use std::collections::{BTreeMap, HashSet};

/// A conjunction, by the components of the plain interpreter.
pub(super) type PlainConjunction = Vec<(Component, Formula)>;

/// An execution as events.
pub(super) struct Events<'a, 'm> {
    pub(super) interpreter: &'a Interpreter<'m>,
    pub(super) ltl: &'a Ltl,
    pub(super) actions: Vec<Action>,
    /// The state before the first event and after each.
    pub(super) states: Vec<State>,
    /// For each event, its direct predecessors in the partial order, and perhaps others.
    before: Vec<Vec<usize>>,
}

/// The greatest number of cuts that are examined.
const MOST_CUTS: usize = 4_000;

impl<'a, 'm> Events<'a, 'm> {
    /// The events of steps between states.
    pub(super) fn new(interpreter: &'a Interpreter<'m>, ltl: &'a Ltl, steps: &[Step], states: &[State]) -> Self {
        let mut events = Self {
            interpreter,
            ltl,
            actions: Vec::new(),
            states: vec![states[0].clone()],
            before: Vec::new(),
        };
        let mut action = Action::default();
        for (k, step) in steps.iter().enumerate() {
            action.push(interpreter, &states[k], step, &states[k + 1]);
            if states[k + 1].exclusive.is_none() {
                events.actions.push(std::mem::take(&mut action));
                events.states.push(states[k + 1].clone());
            }
        }
        let mut last: BTreeMap<&Component, usize> = BTreeMap::new();
        let mut last_of_all = None;
        for (k, action) in events.actions.iter().enumerate() {
            let mut before: Vec<usize> = match action.participants.all {
                true => last.values().copied().collect(),
                false => action
                    .participants
                    .some
                    .iter()
                    .filter_map(|c| last.get(c).copied())
                    .collect(),
            };
            before.extend(last_of_all);
            before.sort_unstable();
            before.dedup();
            events.before.push(before);
            last.extend(action.participants.some.iter().map(|c| (c, k)));
            if action.participants.all {
                last_of_all = Some(k);
            }
        }
        events
    }

    /// Whether a boolean combination of propositions holds in a state.
    pub(super) fn hold(&self, q: &Formula, state: &State) -> bool {
        holds(q, &|atom: AtomId| {
            let value = self.interpreter.evaluate(state, &self.ltl.atoms[atom.0 as usize]);
            value.is_ok_and(|value| value != 0)
        })
    }

    /// The least cut where a conjunction holds. For each event, whether it is a member.
    pub(super) fn least(&self, conjunction: &PlainConjunction) -> Option<Vec<bool>> {
        let mut cut = vec![false; self.actions.len()];
        // For each conjunct, the last event of its component in the cut, which contains all events before it too.
        let mut positions: Vec<Option<usize>> = vec![None; conjunction.len()];
        loop {
            for (position, (component, _)) in positions.iter_mut().zip(conjunction) {
                let next = position.map_or(0, |k| k + 1);
                let members = (next..cut.len()).filter(|k| cut[*k]);
                let mut theirs = members.filter(|k| self.actions[*k].participants.contains(component));
                *position = theirs.next_back().or(*position);
            }
            let fails = conjunction.iter().zip(&positions).find(|((_, conjunct), position)| {
                // Its local state has been the same since its last event.
                !self.hold(conjunct, &self.states[position.map_or(0, |k| k + 1)])
            });
            let Some(((component, _), position)) = fails else {
                return Some(cut);
            };
            let mut rest = position.map_or(0, |k| k + 1)..cut.len();
            let next = rest.find(|k| self.actions[*k].participants.contains(component))?;
            let mut open = vec![next];
            while let Some(event) = open.pop() {
                if !std::mem::replace(&mut cut[event], true) {
                    open.extend(&self.before[event]);
                }
            }
        }
    }

    /// A cut where a boolean combination holds, inside the shortest possible prefix of the execution.
    /// `None` if there is none, an error if there are too many cuts.
    pub(super) fn first(&self, q: &Formula) -> Result<Option<Vec<bool>>, TooMany> {
        let mut cuts: Vec<(Vec<bool>, State)> = vec![(vec![false; self.actions.len()], self.states[0].clone())];
        let mut seen: HashSet<Vec<bool>> = HashSet::new();
        if self.hold(q, &self.states[0]) {
            return Ok(Some(cuts.swap_remove(0).0));
        }
        for (k, action) in self.actions.iter().enumerate() {
            for c in 0..cuts.len() {
                let (cut, state) = &cuts[c];
                if !self.before[k].iter().all(|event| cut[*event]) {
                    continue;
                }
                let mut larger = cut.clone();
                larger[k] = true;
                let Ok(after) = action.execute(self.interpreter, state) else {
                    return Err(TooMany);
                };
                if self.hold(q, &after) {
                    return Ok(Some(larger));
                }
                if seen.insert(larger.clone()) {
                    cuts.push((larger, after));
                }
                if cuts.len() > MOST_CUTS {
                    return Err(TooMany);
                }
            }
        }
        Ok(None)
    }

    /// The length of the shortest prefix that contains a cut.
    pub(super) fn size(cut: &[bool]) -> usize {
        cut.iter().rposition(|member| *member).map_or(0, |k| k + 1)
    }

    /// The state after a cut, executed: its members in the order of the execution, then the others up to the last
    /// member, which must lead to the state that the execution has there.
    pub(super) fn executed(&self, cut: &[bool]) -> Result<Option<State>, Failure> {
        let size = Self::size(cut);
        let mut state = self.states[0].clone();
        for k in (0..size).filter(|k| cut[*k]) {
            state = self.actions[k].execute(self.interpreter, &state)?;
        }
        let marked = state.clone();
        for k in (0..size).filter(|k| !cut[*k]) {
            state = self.actions[k].execute(self.interpreter, &state)?;
        }
        Ok((state == self.states[size]).then_some(marked))
    }
}

/// There are more cuts than can be examined.
#[derive(Clone, Copy, Debug)]
pub(super) struct TooMany;
