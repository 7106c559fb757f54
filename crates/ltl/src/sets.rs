//! Persistent sets that a formula does not notice.
//!
//! A set with fewer than all enabled transitions has none that is visible. Together with a state on each cycle where
//! everything is explored, the reduced graph has for each execution ρ one with the same visible transitions in the same
//! order (thesis 7.3; [`ReducedGraph`](mazurka_core::ReducedGraph)): from each state, the first member of the set in
//! what is left of ρ is moved to the front, or if there is none, some member is added there, which is independent of
//! all of it. The states after each visible transition agree on all atoms. So the words of the two differ only in
//! positions that repeat the one before without its events, and a formula that is invariant under these does not tell
//! them apart.
//!
//! **Fairness** (thesis 7.4). A fair execution must lead to one that is fair too.
//!
//! * For each point where a fair process may have to wait, the transitions of others that can change whether it may go
//!   on are [made dependent](mazurka_core::Independence::with_order) among each other, so they keep their order.
//! * Those that move no fair process are visible as well, so that none of them is ever added.
//!
//! That is enough. What is added moves no fair process: it stays enabled along ρ, hence so would the process, which
//! would have to move in ρ since ρ is fair; but transitions of one process are dependent. What is moved to the front is
//! not put off, since everything is explored infinitely often, so who moves infinitely often in ρ does so in the
//! result. Let i be a fair process that moves for the last time, to a point where it waits, and is disabled infinitely
//! often. After finitely many changes to ρ, its last move is done, and ρ has the same states from some time on. From
//! then on, whether i is enabled depends only on how many of the transitions were taken that can change it, since they
//! come in the same order and none is added. Infinitely many of these numbers, or the last one, leave it disabled, and
//! the result passes through each.
//!
//! **Monitors** of invariants do not take part ([`executions`](crate::executions)). A persistent set of the model
//! without their transitions is persistent without them: what stays outside of it then has stayed outside before.

use mazurka_core::bitset::{self, BitSet};
use mazurka_core::persistent::PersistentSets;
use mazurka_core::{Model, ProcessId, System, TransitionId};

/// Persistent sets of a model, without monitors and without visible transitions, or with everything.
pub(crate) struct Unnoticed<'a> {
    pub(crate) model: &'a Model,
    pub(crate) sets: Box<dyn PersistentSets<TransitionId> + 'a>,
    pub(crate) visible: BitSet,
    /// What is enabled, monitors included.
    enabled: Vec<TransitionId>,
    set: BitSet,
}

impl<'a> Unnoticed<'a> {
    pub(crate) fn new(model: &'a Model, sets: Box<dyn PersistentSets<TransitionId> + 'a>, visible: BitSet) -> Self {
        Self {
            model,
            sets,
            visible,
            enabled: Vec::new(),
            set: BitSet::default(),
        }
    }
}

impl PersistentSets<TransitionId> for Unnoticed<'_> {
    fn prepare(&mut self, state: &[u8], _: &[TransitionId]) {
        self.enabled.clear();
        self.model.enabled(state, &mut self.enabled);
        self.sets.prepare(state, &self.enabled);
    }

    fn reduces(&self) -> bool {
        self.sets.reduces()
    }

    fn is_last_choice(&self, t: TransitionId) -> bool {
        self.sets.is_last_choice(t)
    }

    fn avoid(&mut self, t: TransitionId) {
        // A set that contains a visible transition is of no use anyway.
        self.sets.avoid(t);
    }

    fn containing(
        &mut self,
        state: &[u8],
        enabled: &[TransitionId],
        start: usize,
        most: usize,
        out: &mut BitSet,
    ) -> bool {
        let at = self.enabled.iter().position(|t| *t == enabled[start]);
        let at = at.expect("what is enabled without monitors is enabled");
        let most = most + self.enabled.len() - enabled.len();
        if !self.sets.containing(state, &self.enabled, at, most, &mut self.set) {
            return false;
        }
        out.reset(enabled.len());
        let mut noticed = false;
        for t in bitset::iter(&self.set).map(|k| self.enabled[k]) {
            // Monitors are not among them.
            if let Some(k) = enabled.iter().position(|u| *u == t) {
                bitset::insert(out, k);
                noticed |= bitset::contains(&self.visible, t.index());
            }
        }
        !noticed || bitset::len(out) == enabled.len()
    }
}

/// What fairness adds: the sets of transitions that keep their order, and the visible ones.
pub(crate) fn fairness(model: &Model, fair: &[ProcessId], visible: &mut BitSet) -> Vec<BitSet> {
    let ordered: Vec<BitSet> = fair.iter().flat_map(|process| model.waits(*process)).collect();
    for t in ordered.iter().flat_map(|set| bitset::iter(set)) {
        if !model.active(TransitionId::new(t)).iter().any(|p| fair.contains(p)) {
            bitset::insert(visible, t);
        }
    }
    ordered
}
