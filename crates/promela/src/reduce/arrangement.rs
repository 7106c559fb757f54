//! The order in which processes are looked at, and what is known of them without a look at data.
//!
//! If nothing that a process of some proctype does to objects depends on its number, processes of the proctype that are at the
//! same location, with the same edges executable, are the same to the rules of [stubborn sets](super::stubborn). So processes are
//! arranged by proctype and location, and only then by number. All rules are about places in this arrangement (*ranks*), which makes them the
//! same for states that differ only in which of these processes is where. The steps that are executable are listed in the same order.

use super::instance::Instances;
use crate::ir::{COUNT, Program};
use crate::model::ProctypeId;
use crate::run::{ProcessRef, Processes, Step};

/// The processes of a state and the executable steps, arranged.
#[derive(Clone, Debug, Default)]
pub(super) struct Arrangement {
    pub(super) places: Vec<Place>,
    /// The state.
    state: Vec<u8>,
    /// The processes by their numbers, and what they are arranged by.
    by_pid: Vec<Place>,
    orders: Vec<u64>,
    /// For each process, its rank.
    ranks: Vec<u8>,
    /// The steps in the order of ranks.
    pub(super) steps: Vec<Step>,
    /// For each of them, its position among the executable steps as they were given.
    pub(super) positions: Vec<u32>,
}

/// A process at a rank.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) pid: u8,
    /// The offset of its first byte.
    pub(super) at: usize,
    /// The number of its proctype.
    pub(super) proctype: usize,
    /// Its executable steps, among all of them as they were given.
    from: u32,
    to: u32,
}

impl Place {
    /// The process.
    pub(super) fn process<'p>(&self, program: &'p Program) -> ProcessRef<'p> {
        ProcessRef {
            pid: self.pid,
            proctype: ProctypeId(crate::narrow::index(self.proctype)),
            automaton: &program.automata[self.proctype],
            at: self.at,
        }
    }
}

/// What a set is for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Purpose {
    /// To be explored.
    Explore,
    /// To be a single step.
    Single,
    /// To be a single step of the process with this rank; whether it may be a last choice.
    SingleOf(u8, bool),
}

impl Arrangement {
    /// Arranges the processes and steps of a state, unless that was done last. With `by_number`, processes stay in the order of their numbers.
    pub(super) fn make(
        &mut self,
        program: &Program,
        instances: &Instances<'_>,
        state: &[u8],
        enabled: &[Step],
        by_number: bool,
    ) {
        if self.state == state && self.positions.len() == enabled.len() {
            return;
        }
        self.state.clear();
        self.state.extend_from_slice(state);
        self.by_pid.clear();
        self.orders.clear();
        let mut next = 0;
        let mut is_sorted = true;
        let mut last = 0;
        for process in Processes::new(program, state) {
            let from = next;
            let first = process.location(state).edges().start;
            let mut own = 0;
            while let Some(step) = enabled.get(next).filter(|step| step.pid == process.pid) {
                own |= 1_u64 << (step.edge as usize - first).min(7);
                next += 1;
            }
            let proctype = process.proctype.0;
            let order = match by_number {
                true => u64::from(process.pid),
                false => {
                    let place = match instances.is_anonymous[proctype as usize] {
                        true => u64::from(process.location_id(state).0) << 8 | own,
                        false => 0,
                    };
                    u64::from(proctype) << 40 | place << 8 | u64::from(process.pid)
                }
            };
            is_sorted &= last <= order;
            last = order;
            self.orders.push(order);
            self.by_pid.push(Place {
                pid: process.pid,
                at: process.at,
                proctype: proctype as usize,
                from: crate::narrow::index(from),
                to: crate::narrow::index(next),
            });
        }
        debug_assert_eq!(next, enabled.len(), "steps come in the order of processes");
        if !is_sorted {
            self.orders.sort_unstable();
        }
        self.places.clear();
        self.ranks.clear();
        self.ranks.resize(self.by_pid.len(), 0);
        self.steps.clear();
        self.positions.clear();
        for (rank, order) in self.orders.iter().enumerate() {
            // The last byte is the number of the process.
            let place = self.by_pid[usize::from(order.to_le_bytes()[0])];
            self.places.push(place);
            self.ranks[place.pid as usize] = crate::narrow::pid(rank);
            for k in place.from..place.to {
                self.steps.push(enabled[k as usize]);
                self.positions.push(k);
            }
        }
    }

    /// The rank of a process.
    #[inline]
    pub(super) fn rank(&self, pid: u8) -> usize {
        self.ranks[pid as usize] as usize
    }

    /// Writes down what decides, with the answers to questions, which set is chosen: each process with its location and its
    /// executable edges.
    pub(super) fn write_key(
        &self,
        program: &Program,
        instances: &Instances<'_>,
        state: &[u8],
        purpose: Purpose,
        key: &mut Vec<u8>,
    ) {
        key.clear();
        key.extend_from_slice(&match purpose {
            Purpose::Explore => [0, 0],
            Purpose::Single => [1, 0],
            Purpose::SingleOf(rank, last_choice) => [2 + u8::from(last_choice), rank],
        });
        key.push(state[COUNT]);
        let mut steps = self.steps.iter();
        let mut meets = false;
        for place in &self.places {
            key.extend_from_slice(&state[place.at..place.at + 3]);
            let automaton = &program.automata[place.proctype];
            if !instances.is_anonymous[place.proctype] {
                key.push(place.pid);
                let frame = place.at + automaton.frame;
                for (from, to) in &instances.steering[place.proctype] {
                    key.extend_from_slice(&state[frame + from..frame + to]);
                }
            }
            // One bit for each of its edges that is executable alone, after those that are too many. Rendezvous come at the end.
            let location = u16::from_le_bytes([state[place.at + 1], state[place.at + 2]]);
            let first = automaton.graph.locations[location as usize].first as usize;
            let mut own = 0;
            for step in steps.by_ref().take((place.to - place.from) as usize) {
                match step.edge as usize - first {
                    _ if step.has_partner() => meets = true,
                    k if k < 7 => own |= 1 << k,
                    _ => {
                        let [a, b] = step.edge.to_le_bytes();
                        key.extend_from_slice(&[0x80, a, b]);
                    }
                }
            }
            key.push(own);
        }
        for step in self.steps.iter().filter(|step| meets && step.has_partner()) {
            let ([a, b], [c, d]) = (step.edge.to_le_bytes(), step.partner_edge.to_le_bytes());
            let ranks = [self.ranks[step.pid as usize], self.ranks[step.partner as usize]];
            key.extend_from_slice(&ranks);
            key.extend_from_slice(&[a, b, c, d]);
        }
    }
}
