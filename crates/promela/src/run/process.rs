//! The processes of a state.

use crate::ir::{Automaton, COUNT, Location, LocationId, Program};
use crate::model::{LabelId, ProctypeId};

/// A process in a state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProcessRef<'p> {
    pub(crate) pid: u8,
    pub(crate) proctype: ProctypeId,
    pub(crate) automaton: &'p Automaton,
    /// The offset of its first byte.
    pub(crate) at: usize,
}

impl Program {
    /// The process with this number, whose first byte is at `at`.
    #[inline]
    pub(crate) fn process_at(&self, state: &[u8], pid: u8, at: usize) -> ProcessRef<'_> {
        let proctype = state[at];
        ProcessRef {
            pid,
            proctype: ProctypeId(u32::from(proctype)),
            automaton: &self.automata[usize::from(proctype)],
            at,
        }
    }

    /// The number of the first channel of a process, or of the next process to be started. The channels of earlier processes
    /// come first.
    pub(crate) fn first_channel(&self, state: &[u8], pid: u8) -> usize {
        let before = Processes::new(self, state).take(pid as usize);
        self.channels.len() + before.map(|p| p.automaton.channels.len()).sum::<usize>() + 1
    }
}

impl<'p> ProcessRef<'p> {
    /// The offset of its locals.
    #[inline]
    pub(crate) fn frame(&self) -> usize {
        self.at + self.automaton.frame
    }

    /// Whether it is at a label of its proctype.
    pub(crate) fn is_at(&self, label: LabelId, state: &[u8]) -> bool {
        self.automaton.labels[label.0 as usize] == Some(self.location_id(state))
    }

    /// Where it is.
    #[inline]
    pub(crate) fn location_id(&self, state: &[u8]) -> LocationId {
        LocationId(u16::from_le_bytes([state[self.at + 1], state[self.at + 2]]))
    }

    /// Where it is.
    #[inline]
    pub(crate) fn location(&self, state: &[u8]) -> &'p Location {
        &self.automaton.graph.locations[self.location_id(state).index()]
    }

    /// Its priority.
    pub(crate) fn priority(&self, state: &[u8]) -> u8 {
        if self.automaton.frame > 3 {
            state[self.at + 3]
        } else {
            self.automaton.priority
        }
    }
}

/// The processes of a state, in the order of their numbers.
#[derive(Clone, Debug)]
pub(crate) struct Processes<'p, 's> {
    program: &'p Program,
    state: &'s [u8],
    pid: u8,
    at: usize,
}

impl<'p, 's> Processes<'p, 's> {
    #[inline]
    pub(crate) fn new(program: &'p Program, state: &'s [u8]) -> Self {
        Self {
            program,
            state,
            pid: 0,
            at: program.processes,
        }
    }
}

impl<'p> Iterator for Processes<'p, '_> {
    type Item = ProcessRef<'p>;

    #[inline]
    fn next(&mut self) -> Option<ProcessRef<'p>> {
        if self.pid == self.state[COUNT] {
            return None;
        }
        let proctype = self.state[self.at];
        let automaton = &self.program.automata[proctype as usize];
        let process = ProcessRef {
            pid: self.pid,
            proctype: ProctypeId(u32::from(proctype)),
            automaton,
            at: self.at,
        };
        self.pid += 1;
        self.at += automaton.size;
        Some(process)
    }
}
