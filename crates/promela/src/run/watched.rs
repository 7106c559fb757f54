//! A step, watched statement by statement.
//!
//! The same as [`Program::fire`], for those who need to know the state before each single step of an
//! `atomic`, and when it has to wait.

use super::fire::CHAIN;
use super::{Processes, RuntimeError, Step};
use crate::ir::{EXCLUSIVE, Program};

/// What is about to happen in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Watched {
    /// A single step.
    Takes(Step),
    /// A process inside `atomic` cannot go on, and gives up exclusive control.
    Waits(u8),
}

impl Program {
    /// Makes `state` the successor by `step`, as [`Program::fire`] does; `watch` is told before each part.
    pub(crate) fn fire_watched(
        &self,
        state: &mut Vec<u8>,
        step: Step,
        watch: &mut impl FnMut(&[u8], Watched),
    ) -> Result<(), RuntimeError> {
        let mut step = step;
        let mut ways = Vec::new();
        for _ in 0..CHAIN {
            watch(state, Watched::Takes(step));
            let Some(pid) = self.take(state, step, &mut |_, _| {})? else {
                state[EXCLUSIVE] = 0;
                return Ok(());
            };
            state[EXCLUSIVE] = pid + 1;
            let process = Processes::new(self, state).nth(pid as usize).expect("it is alive");
            ways.clear();
            self.steps_of(state, process, false, &mut ways);
            match ways[..] {
                [] => {
                    watch(state, Watched::Waits(pid));
                    state[EXCLUSIVE] = 0;
                    return Ok(());
                }
                [only] => step = only,
                _ => return Ok(()),
            }
        }
        Ok(())
    }
}
