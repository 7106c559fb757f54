//! The naive tracker, as bytes of the product: for propositions about several components.
//!
//! Section 3.1 of the paper: all pairs of a state that was passed and the components that have taken part since. It is
//! exponential, as published. The bytes are the snapshots that were passed, then the pairs in ascending order, each with the
//! length of its state. To execute a step in a state that was passed, its participants get
//! the local states that they have after it. This is equivalent, since no other component matters.

use super::memory::Memory;
use super::propositions::Propositions;
use crate::ir::{COUNT, EXCLUSIVE};
use crate::model::Snapshot;
use crate::narrow;
use crate::reduce::{Component, Participants};
use crate::run::{Processes, View};
use mazurka_core::bitset;
use std::collections::BTreeSet;

/// All states that were passed.
pub(super) struct Tracked<'a, 'p> {
    pub(super) propositions: Propositions<'a>,
    pub(super) snapshots: &'a [Snapshot],
    pub(super) participants: &'a Participants<'p>,
}

type Pair = (Vec<u8>, Vec<u64>);

/// The bytes that say which snapshots were passed.
const PASSED: usize = 8;

impl Tracked<'_, '_> {
    fn all(&self) -> u64 {
        u64::MAX >> (64 - self.snapshots.len())
    }

    /// Which snapshots a state satisfies.
    fn satisfied(&self, state: &[u8]) -> u64 {
        let holds = |(k, snapshot): (usize, &Snapshot)| u64::from(self.propositions.hold(&snapshot.q, state)) << k;
        self.snapshots
            .iter()
            .enumerate()
            .map(holds)
            .fold(0, |all, one| all | one)
    }

    fn write(&self, passed: u64, pairs: &BTreeSet<Pair>, out: &mut Vec<u8>) {
        out.extend(passed.to_le_bytes());
        if passed == self.all() {
            return;
        }
        for (state, later) in pairs {
            out.extend((narrow::index(state.len())).to_le_bytes());
            out.extend_from_slice(state);
            out.extend(later.iter().flat_map(|word| word.to_le_bytes()));
        }
    }

    fn pairs(&self, memory: &[u8], words: usize) -> Vec<Pair> {
        let mut rest = &memory[PASSED..];
        let mut pairs = Vec::new();
        while let Some((len, after)) = rest.split_first_chunk::<4>() {
            let (state, after) = after.split_at(u32::from_le_bytes(*len) as usize);
            let (later, after) = after.split_at(8 * words);
            let (later, _) = later.as_chunks::<8>();
            pairs.push((
                state.to_vec(),
                later.iter().map(|word| u64::from_le_bytes(*word)).collect(),
            ));
            rest = after;
        }
        pairs
    }

    /// The state after a step of these participants, which led to `after` from another state: theirs are the only parts
    /// that change.
    fn moved(&self, state: &[u8], participants: &[u64], after: &[u8]) -> Vec<u8> {
        let finder = self.participants;
        let program = self.propositions.program;
        if Participants::is_everybody(finder.objects(), participants) {
            return after.to_vec();
        }
        let mut globals = state[..program.processes].to_vec();
        let (mut processes, theirs) = (self.processes(state), self.processes(after));
        for number in bitset::iter(participants) {
            match finder.component(number) {
                Component::Variable(_) => {
                    for range in finder.bytes(number) {
                        globals[range.clone()].copy_from_slice(&after[range.clone()]);
                    }
                }
                Component::Channel(channel) => {
                    if let Some(layout) = program.channels.get(channel - 1) {
                        let range = layout.at..layout.at + layout.size();
                        globals[range.clone()].copy_from_slice(&after[range]);
                    }
                }
                Component::Table => {}
                Component::Process(pid) => self.move_process(&mut processes, pid, theirs.get(pid)),
            }
        }
        globals[EXCLUSIVE] = 0;
        globals[COUNT] = narrow::pid(processes.len());
        globals.extend(processes.concat());
        self.move_channels_of_processes(&mut globals, participants, after);
        globals
    }

    /// The bytes of each process.
    fn processes(&self, state: &[u8]) -> Vec<Vec<u8>> {
        let processes = Processes::new(self.propositions.program, state);
        processes
            .map(|p| state[p.at..p.at + p.automaton.size].to_vec())
            .collect()
    }

    /// Makes process `pid` what it is after a step. Its channels stay as they are, since they are components of their own.
    fn move_process(&self, processes: &mut Vec<Vec<u8>>, pid: usize, after: Option<&Vec<u8>>) {
        match (after, processes.get_mut(pid)) {
            (Some(after), Some(process)) => {
                let before = std::mem::replace(process, after.clone());
                if before[0] == after[0] {
                    for layout in &self.propositions.program.automata[after[0] as usize].channels {
                        let range = layout.at..layout.at + layout.size();
                        process[range.clone()].copy_from_slice(&before[range]);
                    }
                }
            }
            (Some(after), None) => processes.push(after.clone()),
            (None, Some(_)) => processes.truncate(pid),
            (None, None) => {}
        }
    }

    /// Copies the channels of processes that take part from `after`. Their places depend on the processes, so those must
    /// have moved before.
    fn move_channels_of_processes(&self, state: &mut [u8], participants: &[u64], after: &[u8]) {
        let finder = self.participants;
        let program = self.propositions.program;
        let takes_part = |number: usize| {
            let component = finder.channel(number);
            component.is_some_and(|c| c < finder.objects() && bitset::contains(participants, c))
        };
        for number in program.channels.len() + 1..=usize::from(u8::MAX) {
            let channel = |state: &[u8]| {
                let found = View::outside(program, state).numbered(narrow::value(number));
                found.map(|channel| (channel.at, channel.layout.size()))
            };
            if takes_part(number)
                && let (Some((from, size)), Some((to, _))) = (channel(after), channel(state))
            {
                state[to..to + size].copy_from_slice(&after[from..from + size]);
            }
        }
    }
}

impl Memory for Tracked<'_, '_> {
    type Scratch = ();

    fn initial(&self, model: &[u8], out: &mut Vec<u8>) {
        let words = bitset::words_for(self.participants.most());
        let pairs = BTreeSet::from([(model.to_vec(), vec![0; words])]);
        self.write(self.satisfied(model), &pairs, out);
    }

    fn step(&self, (): &mut (), memory: &[u8], participants: &[u64], after: &[u8], out: &mut Vec<u8>) {
        let mut passed = self.passed(memory);
        let mut pairs = BTreeSet::new();
        for (state, mut later) in self.pairs(memory, participants.len()) {
            if !bitset::intersects(&later, participants) {
                let moved = self.moved(&state, participants, after);
                passed |= self.satisfied(&moved);
                pairs.insert((moved, later.clone()));
            }
            bitset::union(&mut later, participants);
            pairs.insert((state, later));
        }
        self.write(passed, &pairs, out);
    }

    fn passed(&self, memory: &[u8]) -> u64 {
        memory
            .first_chunk::<PASSED>()
            .map_or(0, |bytes| u64::from_le_bytes(*bytes))
    }
}
