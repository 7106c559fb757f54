//! Persistent sets of a typed model, from its footprints.
//!
//! The algorithms of ch. 4 work on [`TransitionId`]s, here the classes of the [table](super::table). [`Selection`] translates
//! actions to classes and back, and respects the properties: a set with fewer than all enabled actions has none
//! that changes what a property reads.
//!
//! Why that is enough for properties of states, together with a proviso. Let `w` be a shortest way from an explored state to
//! one where the property has the wrong value, and `T` the set explored first. If `T` is everything, or an action of `w`
//! is in `T`, the first such can be moved to the front of `w`, and a shorter way is left. Otherwise all of `T` is
//! independent of `w` and changes nothing that the property reads, so after any member of `T` the way `w` still leads to the wrong value. A proviso
//! ensures that this does not go on for ever: with Def. 6.2 some member leads to a state that the search leaves
//! before this one; with Def. 6.15 the first action of `w`, which stays enabled, is explored at the root of the
//! terminal component at last.

use super::Model;
use super::encode::Encode;
use super::footprint::Footprint;
use super::table::Footprints;
use crate::bitset::{self, BitSet};
use crate::ids::{LocalId, ProcessId, TransitionId};
use crate::persistent::{Algorithm, Enabling, PersistentSets};
use crate::structure::{Precision, Structure};
use std::cell::RefCell;

/// The footprints, and what they say about the current state.
pub(super) struct Present<'a, M: Footprint> {
    footprints: &'a Footprints<'a, M>,
    /// The state as a value, and the necessary enabling sets that were asked for there.
    seen: RefCell<Seen<M::State>>,
}

struct Seen<S> {
    state: Option<S>,
    /// Per class: where its sets are, from and to.
    places: Vec<Option<(usize, usize)>>,
    sets: Vec<u64>,
}

impl<'a, M: Footprint> Present<'a, M> {
    pub(super) fn new(footprints: &'a Footprints<'a, M>) -> Self {
        let seen = RefCell::new(Seen {
            state: None,
            places: Vec::new(),
            sets: Vec::new(),
        });
        Self { footprints, seen }
    }

    fn set_state(&self, mut bytes: &[u8]) {
        let seen = &mut *self.seen.borrow_mut();
        seen.state = M::State::decode(&mut bytes);
        seen.places.clear();
        seen.places.resize(self.footprints.len(), None);
        seen.sets.clear();
    }
}

impl<M: Footprint> Structure for Present<'_, M> {
    fn transitions(&self) -> usize {
        self.footprints.len()
    }

    fn processes(&self) -> usize {
        self.footprints.len()
    }

    fn local(&self, _: &[u8], process: ProcessId) -> LocalId {
        LocalId::new(process.index())
    }

    fn active(&self, t: TransitionId) -> &[u64] {
        self.footprints.itself(t)
    }

    fn in_conflict(&self, t: TransitionId) -> &[u64] {
        self.footprints.itself(t)
    }

    fn can_be_dependent(&self, t: TransitionId) -> &[u64] {
        self.footprints.dependent(t)
    }

    fn processes_added(&self, local: LocalId) -> &[u64] {
        self.footprints.dependent(TransitionId::new(local.index()))
    }

    fn interfering(&self, _: &[u8], t: TransitionId, _: Precision, out: &mut [u64]) {
        bitset::union(out, self.footprints.dependent(t));
    }

    fn not_left_commuting(&self, t: TransitionId) -> &[u64] {
        self.footprints.dependent(t)
    }

    fn enabling_sets(
        &self,
        _: &[u8],
        t: TransitionId,
        _: Precision,
        scratch: &mut [u64],
        mut each: impl FnMut(&[u64]),
    ) {
        let Seen { state, places, sets } = &mut *self.seen.borrow_mut();
        let (from, to) = *places[t.index()].get_or_insert_with(|| {
            let from = sets.len();
            let state = state.as_ref().expect("a state was announced");
            self.footprints
                .enabling_sets(state, t, |set| sets.extend_from_slice(set));
            (from, sets.len())
        });
        sets[from..to].chunks(scratch.len()).for_each(&mut each);
    }
}

/// Persistent sets over actions.
pub(super) struct Selection<'a, M: Footprint> {
    present: &'a Present<'a, M>,
    algorithm: Box<dyn PersistentSets<TransitionId> + 'a>,
    /// The classes that change what a property reads.
    visible: &'a BitSet,
    /// The classes of the enabled actions. Empty if one has none.
    classes: Vec<TransitionId>,
}

impl<'a, M: Footprint> Selection<'a, M> {
    /// Sets by this algorithm, which reduces.
    pub(super) fn new(present: &'a Present<'a, M>, algorithm: Algorithm, visible: &'a BitSet) -> Self {
        let algorithm = algorithm.without_conditions().open(present, Enabling::Fewest);
        Self {
            present,
            algorithm,
            visible,
            classes: Vec::new(),
        }
    }
}

impl<M: Footprint> PersistentSets<<M as Model>::Action> for Selection<'_, M> {
    fn prepare(&mut self, state: &[u8], enabled: &[M::Action]) {
        self.classes.clear();
        for action in enabled {
            match self.present.footprints.class(*action) {
                Some(class) => self.classes.push(class),
                // The search ends with an error soon.
                None => return self.classes.clear(),
            }
        }
        self.present.set_state(state);
        self.algorithm.prepare(state, &self.classes);
    }

    fn avoid(&mut self, action: M::Action) {
        if let Some(class) = self.present.footprints.class(action) {
            self.algorithm.avoid(class);
        }
    }

    fn containing(&mut self, state: &[u8], enabled: &[M::Action], start: usize, most: usize, out: &mut BitSet) -> bool {
        if self.classes.len() != enabled.len() || !self.algorithm.containing(state, &self.classes, start, most, out) {
            return false;
        }
        let visible = |k: usize| bitset::contains(self.visible, self.classes[k].index());
        bitset::len(out) == enabled.len() || !bitset::iter(out).any(visible)
    }
}
