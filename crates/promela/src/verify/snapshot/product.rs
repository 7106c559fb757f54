//! The product of a model, the memory for its snapshots, and the automaton of a formula.
//!
//! A state consists of the model's state, the memory, the participants so far if the model is inside an `atomic`,
//! the lengths of these two, and the automaton's state. An `atomic` is one step for the snapshots,
//! as it is for the automaton: participants are collected until it ends.

use super::memory::Memory;
use super::propositions::Propositions;
use crate::ir::EXCLUSIVE;
use crate::narrow::place;
use crate::reduce::Participants;
use crate::run::{CHAIN, Watched};
use crate::system::ModelSystem;
use crate::verify::claim::number_of;
use crate::verify::product::{Joint, fair_marks, joint_moves};
use crate::verify::reduced::ReducedGraph;
use mazurka_core::{Acceptance, Fault, System, bitset};
use mazurka_logic::{AtomId, Buchi, BuchiState};

/// The product.
pub(super) struct Product<'a, 'p, M> {
    pub(super) system: &'a ModelSystem<'p>,
    pub(super) participants: &'a Participants<'p>,
    pub(super) propositions: Propositions<'a>,
    pub(super) memory: &'a M,
    pub(super) automaton: &'a Buchi,
    /// The atoms of the automaton: propositions, then snapshots.
    pub(super) letters: &'a [AtomId],
    /// The steps to take in each state, if the model is reduced.
    pub(super) reduced: Option<&'a ReducedGraph>,
    /// The number of processes with a fairness condition.
    pub(super) fair: usize,
}

/// A state in its parts.
pub(super) struct Parts<'s> {
    pub(super) model: &'s [u8],
    pub(super) memory: &'s [u8],
    pending: &'s [u8],
    automaton: u16,
}

/// The greatest number of pending components, which take two bytes each.
pub(super) const MOST_PENDING: usize = u16::MAX as usize / 2;

/// The bytes behind the parts: the lengths of memory and what is pending, the state of the automaton.
const TAIL: usize = 8;

fn number(bytes: &[u8]) -> usize {
    bytes.iter().rev().fold(0, |n, byte| n << 8 | usize::from(*byte))
}

impl<M: Memory> Product<'_, '_, M> {
    pub(super) fn split<'s>(&self, state: &'s [u8]) -> Parts<'s> {
        let (rest, tail) = state.split_at(state.len() - TAIL);
        let (rest, pending) = rest.split_at(rest.len() - number(&tail[4..6]));
        let (model, memory) = rest.split_at(rest.len() - number(&tail[..4]));
        Parts {
            model,
            memory,
            pending,
            automaton: u16::from_le_bytes([tail[6], tail[7]]),
        }
    }

    /// Appends the tail to a state that has the rest.
    fn finish(state: &mut Vec<u8>, memory: usize, pending: usize, automaton: u16) {
        let memory = u32::try_from(memory).expect("a state has less than 4 GiB");
        let pending = u16::try_from(pending).expect("models with more components are refused");
        state.extend(memory.to_le_bytes());
        state.extend(pending.to_le_bytes());
        state.extend(automaton.to_le_bytes());
    }

    /// The letter that the automaton reads.
    fn letter(&self, model: &[u8], memory: &[u8]) -> u64 {
        let passed = self.memory.passed(memory);
        let propositions = self.propositions.atoms.len();
        let holds = |atom: &AtomId| match (atom.0 as usize).checked_sub(propositions) {
            Some(snapshot) => passed >> snapshot & 1 == 1,
            None => self.propositions.holds(*atom, model),
        };
        let bits = self.letters.iter().enumerate().filter(|(_, atom)| holds(atom));
        bits.fold(0, |letter, (k, _)| letter | 1 << k)
    }
}

/// Scratch space.
pub(super) struct Scratch<'p, M> {
    participants: Participants<'p>,
    memory: M,
}

impl<'p, M: Memory> System for Product<'_, 'p, M> {
    type Transition = Joint;
    type Scratch = Scratch<'p, M::Scratch>;

    fn scratch(&self) -> Self::Scratch {
        Scratch {
            participants: self.participants.clone(),
            memory: M::Scratch::default(),
        }
    }

    fn initial(&self, state: &mut Vec<u8>) {
        self.system.initial(state);
        let model = state.clone();
        self.memory.initial(&model, state);
        let memory = state.len() - model.len();
        Self::finish(state, memory, 0, number_of(self.automaton.initial()));
    }

    fn enabled(&self, state: &[u8], out: &mut Vec<Joint>) {
        let Parts {
            model,
            memory,
            automaton,
            ..
        } = self.split(state);
        let mut moves = Vec::new();
        if model[EXCLUSIVE] == 0 {
            let letter = self.letter(model, memory);
            let edges = self
                .automaton
                .edges(BuchiState(u32::from(automaton)))
                .iter()
                .enumerate();
            moves.extend(
                edges
                    .filter(|(_, edge)| edge.guard.contains(letter))
                    .map(|(k, _)| place(k)),
            );
            if moves.is_empty() {
                return;
            }
        } else {
            moves.push(Joint::WAITS);
        }
        joint_moves(self.system, self.reduced, model, &moves, true, out);
    }

    fn fire(&self, scratch: &mut Self::Scratch, state: &[u8], joint: Joint, next: &mut Vec<u8>) -> Result<(), Fault> {
        let Parts {
            model,
            memory,
            pending,
            automaton,
        } = self.split(state);
        let automaton = match joint.claim {
            Joint::WAITS => automaton,
            edge => number_of(self.automaton.edges(BuchiState(u32::from(automaton)))[edge as usize].to),
        };
        next.clear();
        next.extend_from_slice(model);
        let Some(step) = joint.step else {
            next.extend_from_slice(memory);
            Self::finish(next, memory.len(), 0, automaton);
            return Ok(());
        };
        let finder = &mut scratch.participants;
        let mut participants = vec![0; bitset::words_for(finder.most())];
        for component in pending.chunks(2) {
            bitset::insert(&mut participants, number(component));
        }
        let program = self.system.program;
        let fired = program.fire_watched(next, step, CHAIN, &mut |_, _| {}, &mut |state, watched| match watched {
            Watched::Takes(step) => finder.add_step(state, step, &mut participants),
            Watched::Waits(pid) => finder.add_wait(state, pid, &mut participants),
        });
        fired.map_err(|error| Fault::new(error.to_string()))?;
        let at = next.len();
        if next[EXCLUSIVE] == 0 {
            let after = next.clone();
            self.memory
                .step(&mut scratch.memory, memory, &participants, &after, next);
            let memory = next.len() - at;
            Self::finish(next, memory, 0, automaton);
        } else {
            next.extend_from_slice(memory);
            let before = next.len();
            next.extend(bitset::iter(&participants).flat_map(|component| place(component).to_le_bytes()));
            let pending = next.len() - before;
            Self::finish(next, memory.len(), pending, automaton);
        }
        Ok(())
    }
}

impl<M: Memory> Acceptance<Joint> for Product<'_, '_, M> {
    fn sets(&self) -> usize {
        1 + self.fair
    }

    fn state_marks(&self, state: &[u8]) -> u64 {
        let Parts { model, automaton, .. } = self.split(state);
        // An `atomic` that goes on for ever leads to no state that the automaton looks at.
        u64::from(model[EXCLUSIVE] == 0 && self.automaton.is_accepting(BuchiState(u32::from(automaton))))
    }

    fn transition_marks(&self, from: &[u8], joint: Joint, _: &[u8]) -> u64 {
        fair_marks(self.system.program, self.fair, self.split(from).model, joint.step)
    }
}
