//! All states that an execution has passed in some order, by definition: the naive tracker.
//!
//! Section 3.1 of Niebert and Peled: pairs `(s, A)`, where the execution is equivalent to one that
//! goes to `s` and then takes steps in which just `A` takes part. An action that shares nobody with `A` is
//! executed in `s` as well, by the interpreter. That it can be, is what independence means; if it
//! cannot, the participants are wrong.

use std::collections::HashSet;

use super::error::{RuntimeError, RuntimeErrorKind as Kind};
use super::interpreter::{Interpreter, Step};
use super::state::State;
use super::touches::Participants;

/// What happens between two states that a formula looks at: a step, or all steps of an `atomic`.
#[derive(Clone, Debug, Default)]
pub struct Action {
    /// The steps, in order.
    pub steps: Vec<Step>,
    /// Who takes part.
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

    /// The state that it leads to.
    pub fn execute(&self, interpreter: &Interpreter<'_>, state: &State) -> Result<State, RuntimeError> {
        let mut state = state.clone();
        for step in &self.steps {
            if !interpreter.steps(&state).contains(step) {
                return Err(Kind::NotExecutable.at(step.span));
            }
            state = interpreter.execute(&state, step)?;
        }
        Ok(state)
    }
}

/// The pairs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tracker {
    pairs: HashSet<(State, Participants)>,
}

impl Tracker {
    /// Before the first step.
    pub fn new(initial: State) -> Self {
        Self {
            pairs: HashSet::from([(initial, Participants::default())]),
        }
    }

    /// After an action.
    ///
    /// # Errors
    /// If the action cannot be executed where it should be.
    pub fn advance(&self, interpreter: &Interpreter<'_>, action: &Action) -> Result<Self, RuntimeError> {
        let mut pairs = HashSet::new();
        for (state, later) in &self.pairs {
            if !later.meets(&action.participants) {
                pairs.insert((action.execute(interpreter, state)?, later.clone()));
            }
            let mut later = later.clone();
            later.join(action.participants.clone());
            pairs.insert((state.clone(), later));
        }
        Ok(Self { pairs })
    }

    /// The states that were passed, some of them more than once.
    pub fn states(&self) -> impl Iterator<Item = &State> {
        self.pairs.iter().map(|(state, _)| state)
    }

    /// How many pairs there are.
    pub fn size(&self) -> usize {
        self.pairs.len()
    }

    /// The pairs in an order, to compare and to remember them.
    pub fn pairs(&self) -> impl Iterator<Item = &(State, Participants)> {
        self.pairs.iter()
    }
}
