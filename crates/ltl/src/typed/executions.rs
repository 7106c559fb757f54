//! The executions of a typed model as words.

use crate::outcome::LtlError;
use crate::product::Writes;
use crate::replay::is_false;
use mazurka_core::bitset::BitSet;
use mazurka_core::typed::{Model, Run, Typed};
use mazurka_core::{Fault, ReplayError, System};
use mazurka_logic::Formula;

/// A condition on states.
pub(super) type StateTest<'a, M> = dyn Fn(&<M as Model>::State) -> bool + Sync + 'a;
/// A condition on actions.
pub(super) type ActionTest<'a, M> = dyn Fn(<M as Model>::Action) -> bool + Sync + 'a;

/// The executions of a model, as a formula sees them.
pub(super) struct Executions<'s, 'a, M: Model> {
    pub(super) system: Typed<'a, M>,
    /// The atoms about states: their bits, and what can change them.
    pub(super) states: Vec<(usize, &'s StateTest<'a, M>, Option<&'s BitSet>)>,
    /// The atoms about actions.
    pub(super) actions: Vec<(usize, &'s ActionTest<'a, M>)>,
    pub(super) fair: &'s [Box<ActionTest<'a, M>>],
}

impl<M: Model> Executions<'_, '_, M> {
    fn letter_of(&self, state: &M::State, happened: u64) -> u64 {
        let events = self.actions.iter().enumerate();
        let letter = events.fold(0, |letter, (k, (bit, _))| letter | (happened >> k & 1) << bit);
        let true_ones = self.states.iter().filter(|(_, holds, _)| holds(state));
        true_ones.fold(letter, |letter, (bit, ..)| letter | 1 << bit)
    }

    /// Executes a counterexample on values, and evaluates the formula and the fairness on it by definition.
    pub(super) fn confirmed(
        &self,
        formula: &Formula,
        prefix: &[M::Action],
        cycle: &[M::Action],
    ) -> Result<Run<M>, LtlError> {
        let run = self.system.run(&[prefix, cycle].concat())?;
        let states: Vec<&M::State> = run.states().collect();
        let mut letters = vec![self.letter_of(&run.first, 0)];
        let positions = run.steps.iter();
        letters.extend(positions.map(|(action, state)| self.letter_of(state, self.happens(*action))));
        if cycle.is_empty() {
            letters.push(self.letter_of(run.last(), 0));
        }
        let (mut start, mut end) = (Vec::new(), Vec::new());
        self.system.encode(states[prefix.len()], &mut start);
        self.system.encode(run.last(), &mut end);
        let can_end = !cycle.is_empty() || self.actions_in(run.last()).is_empty();
        let just = |k: usize| {
            let cannot = |state: &&M::State| !self.actions_in(state).into_iter().any(|a| self.fair[k](a));
            cycle.iter().any(|action| self.fair[k](*action)) || states[prefix.len()..].iter().any(cannot)
        };
        let is_one = start == end && can_end && is_false(formula, &letters, prefix.len());
        if !is_one || !(0..self.fair.len()).all(just) {
            return Err(LtlError::Replay(ReplayError::OtherState));
        }
        let back_to = (!cycle.is_empty()).then_some(prefix.len());
        Ok(Run { back_to, ..run })
    }

    fn actions_in(&self, state: &M::State) -> Vec<M::Action> {
        let mut actions = Vec::new();
        self.system.model().actions(state, &mut actions);
        actions
    }
}

impl<M: Model> System for Executions<'_, '_, M> {
    type Transition = M::Action;
    type Scratch = ();

    fn scratch(&self) {}

    fn initial(&self, state: &mut Vec<u8>) {
        self.system.initial(state);
    }

    fn enabled(&self, state: &[u8], out: &mut Vec<M::Action>) {
        self.system.enabled(state, out);
    }

    fn fire(&self, scratch: &mut (), state: &[u8], t: M::Action, next: &mut Vec<u8>) -> Result<(), Fault> {
        self.system.fire(scratch, state, t, next)
    }

    fn state_len(&self) -> Option<usize> {
        self.system.state_len()
    }
}

impl<M: Model> Writes for Executions<'_, '_, M> {
    fn events(&self) -> usize {
        self.actions.len()
    }

    fn happens(&self, action: M::Action) -> u64 {
        let events = self.actions.iter().enumerate();
        events.fold(0, |events, (k, (_, holds))| events | u64::from(holds(action)) << k)
    }

    fn letter(&self, state: &[u8], happened: u64) -> u64 {
        self.letter_of(&self.system.decode(state), happened)
    }

    fn fair(&self) -> usize {
        self.fair.len()
    }

    fn just(&self, state: &[u8], taken: Option<M::Action>) -> u64 {
        let can = self.actions_in(&self.system.decode(state));
        let is_just = |fair: &ActionTest<'_, M>| taken.is_some_and(fair) || !can.iter().any(|action| fair(*action));
        let fair = self.fair.iter().enumerate();
        fair.fold(0, |just, (k, fair)| just | u64::from(is_just(fair)) << k)
    }
}
