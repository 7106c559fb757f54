//! The naive tracker: all states that an execution has passed in some order, by definition.
//!
//! Section 3.1 of Niebert and Peled: pairs `(s, A)`, where the execution is equivalent to one that
//! leads to `s` and then takes steps whose participants are exactly `A`. An action without participants in `A` is
//! executed in `s` as well, by the interpreter. Independence means that this is possible; if it
//! is not, the participants are wrong.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use super::error::Failure;
use super::interpreter::{Interpreter, Step};
use super::state::State;
use super::touches::Participants;
use crate::RuntimeError;

/// What happens between two states that a formula observes: a step, or all steps of an `atomic`.
#[derive(Clone, Debug, Default)]
pub struct Action {
    /// The steps, in order.
    pub steps: Vec<Step>,
    /// The participants.
    pub participants: Participants,
}

impl Action {
    /// Adds a step from `before` to `after`.
    pub fn push(&mut self, interpreter: &Interpreter<'_>, before: &State, step: &Step, after: &State) {
        self.participants.join(interpreter.participants(before, step));
        if let Some(pid) = interpreter.gave_up(before, step, after) {
            self.participants.join(interpreter.waits_for(after, pid));
        }
        self.steps.push(step.clone());
    }

    /// The state after the action.
    pub fn execute(&self, interpreter: &Interpreter<'_>, state: &State) -> Result<State, Failure> {
        let mut state = state.clone();
        for step in &self.steps {
            if !interpreter.steps(&state).contains(step) {
                return Err(RuntimeError::NotExecutable.at(step.span));
            }
            state = interpreter.execute(&state, step)?;
        }
        Ok(state)
    }
}

/// The pairs. Many share their state or their participants, so both are numbered, and a step is executed
/// once in each state.
#[derive(Clone, Debug)]
pub struct Tracker {
    states: Vec<State>,
    state_numbers: HashMap<State, usize>,
    groups: Vec<Participants>,
    group_numbers: HashMap<Participants, usize>,
    pairs: HashSet<(usize, usize)>,
}

impl Tracker {
    /// The tracker before the first step.
    pub fn new(initial: State) -> Self {
        let nobody = Participants::default();
        Self {
            states: vec![initial.clone()],
            state_numbers: HashMap::from([(initial, 0)]),
            groups: vec![nobody.clone()],
            group_numbers: HashMap::from([(nobody, 0)]),
            pairs: HashSet::from([(0, 0)]),
        }
    }

    /// Adds an action. The states that it passes and that were not passed before are the last ones of
    /// [`states`](Self::states).
    ///
    /// # Errors
    /// If the action cannot be executed in a state where it should be.
    pub fn advance(&mut self, interpreter: &Interpreter<'_>, action: &Action) -> Result<(), Failure> {
        // For each group of participants: the group with the new participants added, and whether the two are disjoint.
        let mut joined: HashMap<usize, (usize, bool)> = HashMap::new();
        let mut moved: HashMap<usize, usize> = HashMap::new();
        for (state, later) in std::mem::take(&mut self.pairs) {
            let (with, apart) = match joined.get(&later) {
                Some(known) => *known,
                None => {
                    let apart = !self.groups[later].meets(&action.participants);
                    let mut with = self.groups[later].clone();
                    with.join(action.participants.clone());
                    let found = (number(&mut self.groups, &mut self.group_numbers, with), apart);
                    joined.insert(later, found);
                    found
                }
            };
            self.pairs.insert((state, with));
            if apart {
                let after = match moved.get(&state) {
                    Some(known) => *known,
                    None => {
                        let after = action.execute(interpreter, &self.states[state])?;
                        let after = number(&mut self.states, &mut self.state_numbers, after);
                        moved.insert(state, after);
                        after
                    }
                };
                self.pairs.insert((after, later));
            }
        }
        Ok(())
    }

    /// The states that were passed, in the order in which they were found.
    pub fn states(&self) -> &[State] {
        &self.states
    }

    /// The number of pairs.
    pub fn size(&self) -> usize {
        self.pairs.len()
    }
}

/// The number of an item in a list. The item is added if it is not there.
fn number<T: Clone + Eq + Hash>(all: &mut Vec<T>, numbers: &mut HashMap<T, usize>, thing: T) -> usize {
    *numbers.entry(thing).or_insert_with_key(|thing| {
        all.push(thing.clone());
        all.len() - 1
    })
}
