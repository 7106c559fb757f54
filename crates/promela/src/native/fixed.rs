//! Global variables that nothing assigns: they keep their first values, so the translation takes those for constants.
//!
//! Channels are the most important of them. `chan c = [2] of { byte }` is a variable with the number of a channel in it.

use crate::ir::{Program, Scope, Target};

/// For each byte before the processes, whether it never changes.
#[derive(Debug)]
pub(super) struct Fixed(Vec<bool>);

impl Fixed {
    pub(super) fn new(program: &Program) -> Self {
        let mut fixed = vec![false; program.processes];
        for cell in &program.cells {
            fixed[cell.bytes()].fill(true);
        }
        if let Some(monitor) = &program.monitor {
            fixed[monitor.at..monitor.at + 2].fill(false);
        }
        let mut fixed = Self(fixed);
        for automaton in &program.automata {
            automaton
                .graph
                .each_assigned(&mut |target| fixed.without(program, target));
        }
        fixed
    }

    /// Whether the bytes from `at` on never change.
    pub(super) fn contains(&self, at: usize, size: usize) -> bool {
        self.0.get(at..at + size).is_some_and(|bytes| bytes.iter().all(|b| *b))
    }

    /// An assignment to one element may be to any of its variable.
    fn without(&mut self, program: &Program, target: &Target) {
        if target.scope == Scope::Global
            && let Some(cell) = program.cell_at(target.at)
        {
            self.0[cell.bytes()].fill(false);
        }
    }
}
