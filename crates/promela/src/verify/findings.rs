//! What a search for violations of safety finds.
//!
//! A violation is found as a path of transitions. A transition may be many statements, which depends on how the model was
//! searched, so the path is then taken apart into single statements. That form is the same for all searches.

use super::safety::Wanted;
use crate::ir::Program;
use crate::run::{Broken, Processes, Step};
use crate::system::{ModelSystem, Scratch};
use mazurka_core::bitset::{self, BitSet};
use mazurka_core::{Edge, Fault, Observer, Path, StateId, System};
use std::collections::{BTreeSet, HashSet};
use std::ops::ControlFlow;

/// A violation that a search found, before it is replayed.
#[derive(Clone, Debug)]
pub(super) struct Finding {
    pub(super) is_deadlock: bool,
    /// Says which violation it is: see [`stuck_key`] and [`failure_key`].
    pub(super) key: Vec<u8>,
    pub(super) path: Vec<Step>,
}

impl Finding {
    /// The same with one step for each statement. `system` is the one that it was found in.
    pub(super) fn in_statements(self, system: &ModelSystem<'_>) -> Self {
        let mut state = system.program.initial.clone();
        let mut scratch = system.scratch();
        let mut path = Vec::new();
        for step in &self.path {
            // The two halves of a rendezvous are told one after the other.
            let mut is_second = false;
            let fired = system.advance(&mut scratch, &mut state, *step, |step, _| {
                if !is_second {
                    path.push(step);
                }
                is_second = step.has_partner() && !is_second;
            });
            if fired.is_err() {
                break;
            }
        }
        Self { path, ..self }
    }
}

/// An invalid end state is identified by the locations of the processes.
pub(super) fn stuck_key(program: &Program, state: &[u8]) -> Vec<u8> {
    let places = Processes::new(program, state);
    places
        .flat_map(|p| [state[p.at], state[p.at + 1], state[p.at + 2]])
        .collect()
}

/// A failure is identified by the statement and its processes.
pub(super) fn failure_key(fault: &Fault, last: Option<Step>) -> Vec<u8> {
    let who = last.map_or([0; 2], |step| [step.pid, step.partner]);
    let mut key = fault.place.to_le_bytes().to_vec();
    key.extend(who);
    key
}

/// When a search has found enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Until {
    /// At the first violation.
    First,
    /// At the first failure. Invalid end states are recorded.
    Failure,
    /// In a breadth-first search, when no shorter violation can come. A failure is found one transition early: when the
    /// state before it is explored, while an end state is found when it is visited itself. So after a failure there may be
    /// end states that are nearer by one transition.
    Shortest,
    /// Never.
    Nothing,
}

/// Collects violations.
pub(super) struct Findings<'p> {
    program: &'p Program,
    wanted: Wanted,
    until: Until,
    pub(super) found: Vec<Finding>,
    /// The keys of the violations found so far.
    seen: HashSet<Vec<u8>>,
    /// The length of the way to a failure, in a search for the shortest.
    bound: Option<usize>,
    /// The number of steps of the explored transitions, not counting the first of each.
    pub(super) passed: u64,
    /// The statements that were executed.
    pub(super) executed: BitSet,
    /// The promises that were broken.
    pub(super) broken: BTreeSet<Broken>,
}

impl<'p> Findings<'p> {
    pub(super) fn new(program: &'p Program, wanted: Wanted, until: Until) -> Self {
        Self {
            program,
            wanted,
            until,
            found: Vec::new(),
            seen: HashSet::new(),
            bound: None,
            passed: 0,
            executed: BitSet::new(program.statements as usize),
            broken: BTreeSet::new(),
        }
    }

    /// Forgets all violations but one with the fewest transitions.
    pub(super) fn keep_shortest(&mut self) {
        self.found.sort_by_key(|finding| finding.path.len());
        self.found.truncate(1);
    }

    /// Records the statements and broken promises of a transition.
    #[inline]
    fn did(&mut self, scratch: &Scratch<'_>) {
        self.passed += scratch.passed;
        for statement in &scratch.statements {
            bitset::insert(&mut self.executed, *statement as usize);
        }
        self.broken.extend(scratch.broken.iter().copied());
    }

    fn report(&mut self, is_deadlock: bool, key: Vec<u8>, path: &dyn Path<Step>) -> ControlFlow<()> {
        if !self.seen.contains(&key) {
            self.seen.insert(key.clone());
            let path = path.transitions();
            if self.until == Until::Shortest {
                self.bound.get_or_insert(path.len());
            }
            self.found.push(Finding { is_deadlock, key, path });
        }
        match self.until {
            Until::First => ControlFlow::Break(()),
            Until::Failure if !is_deadlock => ControlFlow::Break(()),
            Until::Shortest if is_deadlock || !self.wanted.deadlocks => ControlFlow::Break(()),
            Until::Failure | Until::Shortest | Until::Nothing => ControlFlow::Continue(()),
        }
    }
}

impl<'p> Observer<ModelSystem<'p>> for Findings<'p> {
    fn transition(&mut self, edge: &Edge<'_, ModelSystem<'p>>, _: &dyn Path<Step>) -> ControlFlow<()> {
        self.did(edge.scratch);
        ControlFlow::Continue(())
    }

    fn state(&mut self, _: StateId, state: &[u8], enabled: &[Step], path: &dyn Path<Step>) -> ControlFlow<()> {
        if self.bound.is_some_and(|bound| path.transitions().len() >= bound) {
            return ControlFlow::Break(());
        }
        let program = self.program;
        if !enabled.is_empty() || !self.wanted.deadlocks || program.is_valid_end(state) {
            return ControlFlow::Continue(());
        }
        self.report(true, stuck_key(program, state), path)
    }

    fn fault(&mut self, fault: Fault, scratch: &Scratch<'p>, path: &dyn Path<Step>) -> ControlFlow<()> {
        self.did(scratch);
        if !self.wanted.errors {
            return ControlFlow::Continue(());
        }
        self.report(false, failure_key(&fault, scratch.last), path)
    }
}
