//! Algorithm 2 (Overman): thesis 4.4, Fig. 4.3.
//!
//! A closure over processes instead of transitions: a process at a control point
//! adds every process that moves with a transition leaving it, or with a parallel
//! one that can-be-dependent. The table of the processes to add is computed
//! beforehand, one row per control point (footnote 2). The enabled
//! transitions that move only processes of the closure are persistent (Thm 4.10).

use super::PersistentSets;
use crate::bitset::{self, BitSet};
use crate::ids::{ProcessId, TransitionId};
use crate::structure::Structure;

/// Algorithm 2.
#[derive(Debug)]
pub struct Overman<'a, S> {
    system: &'a S,
    processes: BitSet,
    work: BitSet,
}

impl<'a, S: Structure> Overman<'a, S> {
    /// The algorithm, for this system.
    pub fn new(system: &'a S) -> Self {
        Self {
            system,
            processes: BitSet::default(),
            work: BitSet::default(),
        }
    }
}

impl<S: Structure> PersistentSets<TransitionId> for Overman<'_, S> {
    fn is_last_choice(&self, t: TransitionId) -> bool {
        self.system.grows(t)
    }

    fn containing(&mut self, state: &[u8], enabled: &[TransitionId], start: usize, _: usize, out: &mut BitSet) -> bool {
        let system = self.system;
        self.processes.copy_from(system.active(enabled[start]));
        self.work.copy_from(&self.processes);
        while let Some(p) = bitset::pop_first(&mut self.work) {
            let added = system.processes_added(system.local(state, ProcessId::new(p)));
            for (k, word) in added.iter().enumerate() {
                self.work[k] |= word & !self.processes[k];
                self.processes[k] |= word;
            }
        }
        out.reset(enabled.len());
        for (k, t) in enabled.iter().enumerate() {
            if bitset::is_subset(system.active(*t), &self.processes) {
                bitset::insert(out, k);
            }
        }
        true
    }
}
