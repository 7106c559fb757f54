//! PS_Poss: persistent sets for Possibly (paper, Fig. 2; long version, Fig. 3).
//!
//! The predicate is a conjunction. While one of its conjuncts is false and no process
//! that it reads moves, the predicate stays false; so it is enough to
//! explore, for each process that the conjunct reads, an event that must happen
//! before that process moves (Theorem 1). Of all false conjuncts the one with the
//! fewest such events is taken. If it reads only processes that have ended, it
//! stays false for ever, and nothing is explored.

use super::histories::Width;
use super::wait_for::follow;
use crate::causality::{Causality, Cut, Event};
use crate::condition::Condition;
use crate::narrow::short;
use mazurka_core::bitset::{self, BitSet};
use mazurka_core::persistent::PersistentSets;

/// The algorithm.
#[derive(Debug)]
pub(crate) struct PsPoss<'a> {
    order: &'a Causality,
    width: Width,
    condition: &'a Condition<'a>,
    cut: Cut,
    /// Per process: where its next event is in the list of enabled transitions.
    position: Vec<u32>,
    candidate: BitSet,
    /// The conjuncts that are false.
    wrong: BitSet,
}

impl<'a> PsPoss<'a> {
    pub(crate) fn new(order: &'a Causality, condition: &'a Condition<'a>) -> Self {
        Self {
            order,
            width: Width::of(order),
            condition,
            cut: Cut::new(),
            position: vec![0; order.processes()],
            candidate: BitSet::default(),
            wrong: BitSet::default(),
        }
    }
}

impl PersistentSets<Event> for PsPoss<'_> {
    fn chosen(&mut self, state: &[u8], enabled: &[Event], out: &mut BitSet) -> bool {
        self.width.decode(state, &mut self.cut);
        for (k, event) in enabled.iter().enumerate() {
            self.position[event.process.index()] = short(k);
        }
        let mut fewest = usize::MAX;
        self.condition.false_conjuncts(&self.cut, &mut self.wrong);
        for c in bitset::iter(&self.wrong) {
            self.candidate.reset(enabled.len());
            for &process in &self.condition.conjuncts()[c].support {
                if let Some(p) = follow(self.order, &self.cut, process) {
                    bitset::insert(&mut self.candidate, self.position[p.index()] as usize);
                }
            }
            let size = bitset::len(&self.candidate);
            if size < fewest {
                fewest = size;
                std::mem::swap(out, &mut self.candidate);
                if size == 0 {
                    break;
                }
            }
        }
        fewest < usize::MAX
    }

    fn containing(&mut self, _: &[u8], enabled: &[Event], _: usize, _: usize, out: &mut BitSet) -> bool {
        // Asked only where the predicate holds, and there all are explored.
        out.set_all(enabled.len());
        true
    }
}
