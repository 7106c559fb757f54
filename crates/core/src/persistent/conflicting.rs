//! Algorithm 1 (conflicting transitions): thesis 4.3, Fig. 4.2.
//!
//! Starting from an enabled transition, add what is in conflict with it and what
//! is parallel and can-be-dependent with it. As soon as a disabled transition
//! would have to be added, give up and return all enabled ones. Persistent by
//! Thm 4.7. The relation is symmetric, so the result is the same whichever of its
//! members one starts from.

use super::PersistentSets;
use crate::bitset::{self, BitSet};
use crate::ids::TransitionId;
use crate::structure::Structure;

/// Algorithm 1.
#[derive(Debug)]
pub struct Conflicting<'a, S> {
    system: &'a S,
    enabled: BitSet,
    set: BitSet,
    work: BitSet,
}

impl<'a, S: Structure> Conflicting<'a, S> {
    /// The algorithm, for this system.
    pub fn new(system: &'a S) -> Self {
        Self {
            system,
            enabled: BitSet::default(),
            set: BitSet::default(),
            work: BitSet::default(),
        }
    }

    /// Adds `more` to the set; `false` if that brings in a disabled transition.
    fn add(&mut self, more: &[u64]) -> bool {
        for (k, word) in more.iter().enumerate() {
            if word & !self.enabled[k] != 0 {
                return false;
            }
            self.work[k] |= word & !self.set[k];
            self.set[k] |= word;
        }
        true
    }
}

impl<S: Structure> PersistentSets<TransitionId> for Conflicting<'_, S> {
    fn prepare(&mut self, _: &[u8], enabled: &[TransitionId]) {
        self.enabled.reset(self.system.transitions());
        for t in enabled {
            bitset::insert(&mut self.enabled, t.index());
        }
    }

    fn is_last_choice(&self, t: TransitionId) -> bool {
        self.system.grows(t)
    }

    fn containing(&mut self, _: &[u8], enabled: &[TransitionId], start: usize, _: usize, out: &mut BitSet) -> bool {
        let system = self.system;
        self.set.reset(system.transitions());
        self.work.reset(system.transitions());
        bitset::insert(&mut self.set, enabled[start].index());
        bitset::insert(&mut self.work, enabled[start].index());
        while let Some(t) = bitset::pop_first(&mut self.work) {
            let t = TransitionId::new(t);
            if !self.add(system.in_conflict(t)) || !self.add(system.can_be_dependent(t)) {
                out.set_all(enabled.len());
                return true;
            }
        }
        out.reset(enabled.len());
        for (k, t) in enabled.iter().enumerate() {
            if bitset::contains(&self.set, t.index()) {
                bitset::insert(out, k);
            }
        }
        true
    }
}
