//! Makes a counterexample to a formula short.
//!
//! The counterexample is a path and a cycle. Steps of the path that no step of the cycle depends on (`causes.rs`) are
//! left out, or, if the formula is about them, only those on which no step depends that changes the value of an
//! atom. What stays is an execution, and the cycle is one of it: its steps find their
//! participants in the same states. Whether the execution is still forbidden is not concluded from that. The plain
//! interpreter executes it, and the formula is evaluated by its definition. If it does not hold, the counterexample stays as it is.
//!
//! With weak fairness, a step that is left out is one that its process may be obliged to take. So this is only for executions
//! that need not be fair.

use super::causes::past;
use super::replay::{Replayed, replay_way};
use super::step_id::StepId;
use crate::ir::Program;
use crate::model::{Expr, Model};
use crate::plain::{Interpreter, State};
use mazurka_logic::{AtomId, Formula, Lasso};
use std::cell::Cell;

/// A forbidden execution.
pub(super) struct Cycle<'a, 'm> {
    pub(super) model: &'a Model,
    pub(super) program: &'a Program,
    /// It knows the atoms.
    pub(super) interpreter: &'a Interpreter<'m>,
    pub(super) formula: &'a Formula,
    pub(super) atoms: &'a [Expr],
    pub(super) replayed: &'a Replayed,
    /// The first step of the cycle.
    pub(super) start: usize,
}

impl Cycle<'_, '_> {
    /// A shorter execution that is forbidden too, with the first step of its cycle.
    pub(super) fn shortened(&self) -> Option<(Replayed, usize)> {
        let count = self.replayed.steps.len();
        let cycle = || (self.start..count).map(StepId::new);
        if self.start >= count || self.replayed.states.get(self.start) != self.replayed.states.get(count) {
            return None;
        }
        let visible = (0..self.start).filter(|k| self.is_visible(*k)).map(StepId::new);
        [Vec::new(), visible.collect()]
            .into_iter()
            .find_map(|others| self.with(&past(&self.replayed.steps, cycle().chain(others))))
    }

    /// Whether a step changes the value of an atom.
    fn is_visible(&self, k: usize) -> bool {
        let states = &self.replayed.states;
        let value = |state: &State, atom: &Expr| self.interpreter.evaluate(state, atom).ok();
        self.atoms
            .iter()
            .any(|atom| value(&states[k], atom) != value(&states[k + 1], atom))
    }

    /// The execution with these steps, if it is shorter and forbidden.
    fn with(&self, kept: &[bool]) -> Option<(Replayed, usize)> {
        if kept.iter().all(|kept| *kept) {
            return None;
        }
        let way = self.replayed.way.iter().zip(kept).filter(|(_, kept)| **kept);
        let way = way.map(|(step, _)| step.clone()).collect();
        let start = kept[..self.start].iter().filter(|kept| **kept).count();
        let replayed = replay_way(self.model, self.program, self.interpreter, way)?;
        self.is_forbidden(&replayed, start).then_some((replayed, start))
    }

    /// Whether the formula holds for an execution by definition. It is not evaluated inside an `atomic`.
    fn is_forbidden(&self, replayed: &Replayed, start: usize) -> bool {
        let Replayed { steps, states, .. } = replayed;
        let is_seen = |k: &usize| *k == 0 || !steps[*k - 1].inside;
        if states.get(start) != states.get(steps.len()) || !is_seen(&start) {
            return false;
        }
        let seen: Vec<&State> = (0..steps.len()).filter(is_seen).map(|k| &states[k]).collect();
        let first = (0..start).filter(is_seen).count();
        let Some(lasso) = Lasso::new(seen.len(), first) else {
            return false;
        };
        let failed = Cell::new(false);
        let holds = |atom: AtomId, at: usize| {
            let value = self.interpreter.evaluate(seen[at], &self.atoms[atom.0 as usize]);
            failed.set(failed.get() || value.is_err());
            value.is_ok_and(|value| value != 0)
        };
        self.formula.holds_on(lasso, holds) && !failed.get()
    }
}
