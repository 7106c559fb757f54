//! The product of a model and a claim, which move in turns (thesis 7.2).
//!
//! A state of the product is a state of the model followed by the claim's. If the model
//! cannot move, its state is repeated for ever, as in SPIN. Inside `atomic` the claim does
//! not move.

use super::claim::Claim;
use super::reduced::ReducedGraph;
use crate::ir::{COUNT, EXCLUSIVE, Program};
use crate::run::{Processes, Step};
use crate::system::{ModelSystem, Scratch};
use mazurka_core::{Acceptance, Fault, System};

/// A transition of the product: the claim moves, and the model takes a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Joint {
    /// The step. `None` if the model stays where it is.
    pub(super) step: Option<Step>,
    /// The move, or [`Joint::WAITS`].
    pub(super) claim: u16,
}

impl Joint {
    /// The claim does not move.
    pub(super) const WAITS: u16 = u16::MAX;

    /// Whether the claim reads the state before.
    pub(super) fn claim_moves(self) -> bool {
        self.claim != Self::WAITS
    }
}

/// The product.
#[derive(Debug)]
pub(super) struct Product<'a, 'p, C> {
    pub(super) system: &'a ModelSystem<'p>,
    pub(super) claim: &'a C,
    /// The steps to take in each state, if the model is reduced.
    pub(super) reduced: Option<&'a ReducedGraph>,
    /// Whether accept labels of processes make a state accepting.
    pub(super) labels: bool,
    /// Whether the model stays where it is when it cannot move.
    pub(super) stutters: bool,
    /// Whether only fair executions count: one more acceptance set for each of this many processes.
    pub(super) fair: usize,
}

impl<C: Claim> Product<'_, '_, C> {
    pub(super) fn split<'s>(&self, state: &'s [u8]) -> (&'s [u8], &'s [u8]) {
        state.split_at(state.len() - self.claim.len())
    }
}

impl<'p, C: Claim> System for Product<'_, 'p, C> {
    type Transition = Joint;
    type Scratch = Scratch<'p>;

    fn scratch(&self) -> Scratch<'p> {
        self.system.scratch()
    }

    fn initial(&self, state: &mut Vec<u8>) {
        self.system.initial(state);
        self.claim.initial(state);
    }

    fn enabled(&self, state: &[u8], out: &mut Vec<Joint>) {
        let (model, claim) = self.split(state);
        let mut moves = Vec::new();
        if model[EXCLUSIVE] == 0 {
            self.claim.moves(model, claim, &mut moves);
            if moves.is_empty() {
                return;
            }
        } else {
            moves.push(Joint::WAITS);
        }
        joint_moves(self.system, self.reduced, model, &moves, self.stutters, out);
    }

    fn fire(&self, scratch: &mut Scratch<'p>, state: &[u8], joint: Joint, next: &mut Vec<u8>) -> Result<(), Fault> {
        let (model, claim) = self.split(state);
        match joint.step {
            Some(step) => self.system.fire(scratch, model, step, next)?,
            None => {
                next.clear();
                next.extend_from_slice(model);
            }
        }
        let at = next.len();
        next.extend_from_slice(claim);
        if joint.claim != Joint::WAITS {
            self.claim.make(model, joint.claim, &mut next[at..]);
        }
        Ok(())
    }
}

impl<C: Claim> Acceptance<Joint> for Product<'_, '_, C> {
    fn sets(&self) -> usize {
        1 + self.fair
    }

    fn state_marks(&self, state: &[u8]) -> u64 {
        let (model, claim) = self.split(state);
        let at_label = || {
            let mut processes = Processes::new(self.system.program, model);
            processes.any(|p| p.location(model).is_accept)
        };
        u64::from(self.claim.is_accepting(claim) || (self.labels && at_label()))
    }

    /// Weak fairness: process `i` moves, or it cannot.
    fn transition_marks(&self, from: &[u8], joint: Joint, _: &[u8]) -> u64 {
        let (model, _) = self.split(from);
        fair_marks(self.system.program, self.fair, model, joint.step)
    }
}

/// Appends each move of a claim with each step of the model, or with none where it cannot move and `stutters`.
pub(super) fn joint_moves(
    system: &ModelSystem<'_>,
    reduced: Option<&ReducedGraph>,
    model: &[u8],
    moves: &[u16],
    stutters: bool,
    out: &mut Vec<Joint>,
) {
    let mut steps = Vec::new();
    system.enabled(model, &mut steps);
    if let Some(reduced) = reduced {
        reduced.select(model, &mut steps);
    }
    for &claim in moves {
        if steps.is_empty() && stutters {
            out.push(Joint { step: None, claim });
        }
        out.extend(steps.iter().map(|step| Joint {
            step: Some(*step),
            claim,
        }));
    }
}

/// The acceptance sets of weak fairness for this many processes, from the second on: process `i` moves, or it cannot.
pub(super) fn fair_marks(program: &Program, processes: usize, model: &[u8], taken: Option<Step>) -> u64 {
    if processes == 0 {
        return 0;
    }
    let mut steps = Vec::new();
    program.steps(model, &mut steps);
    let moves = |step: &Step, pid: usize| {
        usize::from(step.pid) == pid || (step.has_partner() && usize::from(step.partner) == pid)
    };
    let mut marks = 0;
    for pid in 0..processes {
        let exists = pid < usize::from(model[COUNT]);
        let can = exists && steps.iter().any(|step| moves(step, pid));
        let does = taken.is_some_and(|step| moves(&step, pid));
        if !can || does {
            marks |= 2 << pid;
        }
    }
    marks
}
