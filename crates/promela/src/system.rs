//! A compiled model as a concurrent system of the engine.

use crate::ir::Program;
use crate::run::Step;
use mazurka_core::{Fault, System};
use std::sync::atomic::{AtomicU64, Ordering};

/// A model, to be searched.
#[derive(Debug)]
pub(crate) struct ModelSystem<'p> {
    pub(crate) program: &'p Program,
    /// Per statement: whether it was ever executed.
    executed: Vec<AtomicU64>,
}

impl<'p> ModelSystem<'p> {
    pub(crate) fn new(program: &'p Program) -> Self {
        let words = (program.statements as usize).div_ceil(64);
        Self {
            program,
            executed: (0..words).map(|_| AtomicU64::new(0)).collect(),
        }
    }

    /// Whether a statement was executed.
    pub(crate) fn was_executed(&self, statement: u32) -> bool {
        let word = self.executed[statement as usize / 64].load(Ordering::Relaxed);
        word & (1 << (statement % 64)) != 0
    }

    #[inline]
    fn executed(&self, statement: u32) {
        let word = &self.executed[statement as usize / 64];
        let bit = 1 << (statement % 64);
        // Most of the time it is there already, and writing costs more than reading.
        if word.load(Ordering::Relaxed) & bit == 0 {
            word.fetch_or(bit, Ordering::Relaxed);
        }
    }

    /// Replaces a state by its successor.
    #[inline]
    pub(crate) fn advance(&self, state: &mut Vec<u8>, step: Step) -> Result<(), crate::run::RuntimeError> {
        self.program.fire(state, step, |_, edge| self.executed(edge.statement))
    }
}

impl System for ModelSystem<'_> {
    type Transition = Step;

    fn initial(&self, state: &mut Vec<u8>) {
        state.extend(&self.program.initial);
    }

    #[inline]
    fn enabled(&self, state: &[u8], out: &mut Vec<Step>) {
        self.program.steps(state, out);
    }

    #[inline]
    fn fire(&self, state: &[u8], step: Step, next: &mut Vec<u8>) -> Result<(), Fault> {
        next.clear();
        next.extend_from_slice(state);
        self.advance(next, step).map_err(|error| Fault(error.to_string()))
    }
}
