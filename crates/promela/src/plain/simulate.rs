//! Simulates a run step by step. The steps are chosen at random from a seed, or by the caller.

use super::changes::Change;
use super::error::Failure;
use super::interpreter::{Interpreter, Step};
use super::state::State;

/// A run in progress.
///
/// ```
/// use mazurka_promela::load;
/// use mazurka_promela::plain::{Interpreter, Simulation};
///
/// let model = load("m.pml", "active proctype P() { printf(\"hello\\n\") }", &Default::default())?.model;
/// let interpreter = Interpreter::new(&model);
/// let events: Vec<_> = Simulation::new(&interpreter, 1)?.collect::<Result<_, _>>()?;
/// assert_eq!(events[0].printed, "hello\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Simulation<'i, 'm> {
    interpreter: &'i Interpreter<'m>,
    state: State,
    random: fastrand::Rng,
    failed: bool,
}

/// A step of a simulation.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Event {
    /// The step.
    pub step: Step,
    /// The text that it printed.
    pub printed: String,
    /// The changes that it made.
    pub changes: Vec<Change>,
}

impl<'i, 'm> Simulation<'i, 'm> {
    /// Begins a run in the initial state. The seed determines what [`Simulation::next_random`]
    /// chooses.
    pub fn new(interpreter: &'i Interpreter<'m>, seed: u64) -> Result<Self, Failure> {
        Ok(Simulation {
            interpreter,
            state: interpreter.initial()?,
            random: fastrand::Rng::with_seed(seed),
            failed: false,
        })
    }

    /// The current state.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The steps to choose from. There are none after an error.
    pub fn steps(&self) -> Vec<Step> {
        if self.failed {
            Vec::new()
        } else {
            self.interpreter.steps(&self.state)
        }
    }

    /// Takes a step. After an error the run is over, and its state is the one before.
    pub fn take(&mut self, step: Step) -> Result<Event, Failure> {
        let (next, printed) = self
            .interpreter
            .execute_and_print(&self.state, &step)
            .inspect_err(|_| self.failed = true)?;
        let changes = self.interpreter.changes(&self.state, &next);
        self.state = next;
        Ok(Event { step, printed, changes })
    }

    /// Takes one of the steps at random. Returns none if there are none.
    pub fn next_random(&mut self) -> Option<Result<Event, Failure>> {
        let mut steps = self.steps();
        if steps.is_empty() {
            return None;
        }
        let step = steps.swap_remove(self.random.usize(..steps.len()));
        Some(self.take(step))
    }
}

impl Iterator for Simulation<'_, '_> {
    type Item = Result<Event, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_random()
    }
}

#[cfg(test)]
mod tests {
    use super::super::builder::*;
    use super::*;
    use crate::model::{Initial, StatementKind, Type};

    #[test]
    fn the_same_seed_gives_the_same_run_and_printed_text_is_collected() {
        let print = |text: &str| {
            statement(StatementKind::Print {
                format: format!("{text} %d\n"),
                arguments: vec![number(7)],
            })
        };
        let body = |text| vec![print(text), assign(0, number(1))];
        let model = model(
            vec![variable("x", Type::Byte, Initial::Zero)],
            vec![active("P", body("p")), active("Q", body("q"))],
        );
        let interpreter = Interpreter::new(&model);
        let run = |seed| {
            let events = Simulation::new(&interpreter, seed).unwrap().map(Result::unwrap);
            events.map(|event| event.printed).collect::<String>()
        };
        assert_eq!(run(1), run(1));
        let texts: std::collections::BTreeSet<String> = (0..20).map(run).collect();
        assert_eq!(texts.into_iter().collect::<Vec<_>>(), ["p 7\nq 7\n", "q 7\np 7\n"]);
    }
}
