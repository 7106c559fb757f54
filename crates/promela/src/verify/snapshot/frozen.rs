//! Freeze sets in their basis form, as bytes of the product.
//!
//! A snapshot is a disjunction of conjunctions, each with a basis of its own. The bytes are the number of processes
//! that have ever existed, the snapshots that were passed, and the bases of the conjunctions of the others.
//!
//! Processes start and end, so the number of components is not known beforehand. A process that has never
//! existed has taken part in nothing, and no conjunct is about it. Such components are
//! added when their first process starts.

use super::memory::Memory;
use super::propositions::Propositions;
use crate::ir::COUNT;
use crate::reduce::Participants;
use mazurka_core::bitset;
use mazurka_logic::Formula;
use mazurka_logic::snapshot::{ComponentId, Conjunction, FreezeBasis, SnapshotAutomaton};

/// Bases of freeze sets.
#[derive(Debug)]
pub(super) struct Frozen<'a> {
    propositions: Propositions<'a>,
    /// For each snapshot, its conjunctions.
    snapshots: Vec<Vec<Vec<(ComponentId, Formula)>>>,
    /// The number of the first process.
    objects: usize,
    /// The number of processes at first, or more if a proposition is about a later one.
    processes: usize,
}

/// Scratch space.
#[derive(Debug)]
pub(super) struct Scratch {
    basis: FreezeBasis,
    satisfied: Vec<u64>,
}

impl Default for Scratch {
    fn default() -> Self {
        Self {
            basis: FreezeBasis::new(0, &[]),
            satisfied: Vec::new(),
        }
    }
}

impl<'a> Frozen<'a> {
    /// `processes` are there in the first state.
    pub(super) fn new(
        propositions: Propositions<'a>,
        snapshots: &[Vec<Conjunction>],
        objects: usize,
        processes: usize,
    ) -> Self {
        let list = |conjunction: &Conjunction| conjunction.clone().into_iter().collect::<Vec<_>>();
        let mentioned = snapshots.iter().flatten().filter_map(|c| c.keys().last()).max();
        let mentioned = mentioned.map_or(0, |last| (last.index() + 1).saturating_sub(objects));
        Self {
            propositions,
            snapshots: snapshots.iter().map(|all| all.iter().map(list).collect()).collect(),
            objects,
            processes: processes.max(mentioned),
        }
    }

    /// Which conjuncts hold in a state; of those that are not participants it does not matter.
    fn satisfied(
        &self,
        conjunction: &[(ComponentId, Formula)],
        participants: Option<&[u64]>,
        model: &[u8],
        components: usize,
        out: &mut Vec<u64>,
    ) {
        out.clear();
        out.resize(bitset::words_for(components), u64::MAX);
        for (component, conjunct) in conjunction {
            let matters = participants.is_none_or(|p| bitset::contains(p, component.index()));
            if matters && !self.propositions.hold(conjunct, model) {
                bitset::remove(out, component.index());
            }
        }
    }

    /// Fills in the header that begins at `header`.
    fn finish(&self, out: &mut [u8], header: usize, processes: usize, passed: u64) {
        let end = header + self.header();
        // If nothing is left to remember, it does not matter who was there.
        out[header] = if out.len() == end {
            0
        } else {
            crate::narrow::pid(processes)
        };
        out[header + 1..end].copy_from_slice(&passed.to_le_bytes()[..end - header - 1]);
    }

    /// The bytes before the bases.
    fn header(&self) -> usize {
        1 + self.snapshots.len().div_ceil(8)
    }

    /// The bases of a memory, of the snapshots that were not passed: number, conjunction, basis.
    pub(super) fn bases(&self, memory: &[u8]) -> Vec<(usize, usize, FreezeBasis)> {
        let components = self.objects + usize::from(memory[0]);
        let passed = self.passed(memory);
        let mut at = self.header();
        let mut bases = Vec::new();
        for (k, conjunctions) in self.snapshots.iter().enumerate() {
            for number in 0..conjunctions.len() {
                if passed >> k & 1 == 0 {
                    let mut basis = FreezeBasis::new(components, &[]);
                    at += basis.decode(&memory[at..]);
                    bases.push((k, number, basis));
                }
            }
        }
        bases
    }
}

/// The number of processes that have existed after a step, given that of before it, and who takes part, without those that
/// never existed.
pub(super) fn taking_part(objects: usize, old: usize, participants: &[u64], after: &[u8]) -> (usize, Vec<u64>) {
    let last = bitset::iter(participants).last().map_or(0, |last| last + 1);
    let processes = match Participants::is_everybody(objects, participants) {
        // It may have been started by an `atomic` that asked for a timeout, too.
        true => old.max(usize::from(after[COUNT])),
        // The last participant may be a process that has just been started.
        false => old.max(last.saturating_sub(objects)),
    };
    let components = objects + processes;
    let mut taking_part = participants[..bitset::words_for(components)].to_vec();
    if let Some(word) = taking_part.last_mut()
        && !components.is_multiple_of(64)
    {
        *word &= (1 << (components % 64)) - 1;
    }
    (processes, taking_part)
}

impl Memory for Frozen<'_> {
    type Scratch = Scratch;

    fn initial(&self, model: &[u8], out: &mut Vec<u8>) {
        let components = self.objects + self.processes;
        let (header, mut passed, mut satisfied) = (out.len(), 0, Vec::new());
        out.resize(header + self.header(), 0);
        for (k, conjunctions) in self.snapshots.iter().enumerate() {
            let before = out.len();
            for conjunction in conjunctions {
                self.satisfied(conjunction, None, model, components, &mut satisfied);
                let basis = FreezeBasis::new(components, &satisfied);
                basis.encode(out);
                if basis.is_passed() {
                    passed |= 1 << k;
                    out.truncate(before);
                    break;
                }
            }
        }
        self.finish(out, header, self.processes, passed);
    }

    fn step(&self, scratch: &mut Scratch, memory: &[u8], participants: &[u64], after: &[u8], out: &mut Vec<u8>) {
        let old = usize::from(memory[0]);
        let (processes, taking_part) = taking_part(self.objects, old, participants, after);
        let components = self.objects + processes;
        let Scratch { basis, satisfied } = scratch;
        let (header, mut passed, mut at) = (out.len(), self.passed(memory), self.header());
        out.resize(header + self.header(), 0);
        for (k, conjunctions) in self.snapshots.iter().enumerate() {
            if passed >> k & 1 == 1 {
                continue;
            }
            let before = out.len();
            for conjunction in conjunctions {
                if basis.components() != self.objects + old {
                    *basis = FreezeBasis::new(self.objects + old, &[]);
                }
                at += basis.decode(&memory[at..]);
                if passed >> k & 1 == 1 {
                    continue;
                }
                basis.grow(components);
                self.satisfied(conjunction, Some(participants), after, components, satisfied);
                basis.step(&taking_part, satisfied);
                basis.encode(out);
                if basis.is_passed() {
                    passed |= 1 << k;
                    out.truncate(before);
                }
            }
        }
        self.finish(out, header, processes, passed);
    }

    fn passed(&self, memory: &[u8]) -> u64 {
        let bytes = memory[1..self.header()].iter().enumerate();
        bytes.fold(0, |passed, (k, byte)| passed | u64::from(*byte) << (8 * k))
    }
}
