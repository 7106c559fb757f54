//! The store of the current path alone.
//!
//! Where no state can be reached twice, remembering states is of no use. This is the
//! case for the histories of a computation under sleep sets: an event that an
//! earlier branch has taken is asleep in the later ones, so the branches of a state
//! lead to disjoint sets of states. The id of a state is its depth.

use super::{Store, Stored};
use crate::ids::StateId;

/// A store that forgets a state as soon as it leaves the path.
#[derive(Debug)]
pub(crate) struct PathStore {
    /// The length of a state.
    length: usize,
    states: Vec<u8>,
    depth: usize,
}

impl PathStore {
    /// An empty store for states of this length.
    pub(crate) fn new(state_len: usize) -> Self {
        Self {
            length: state_len,
            states: Vec::new(),
            depth: 0,
        }
    }
}

impl Store for PathStore {
    fn reuses_ids(&self) -> bool {
        true
    }

    #[inline]
    fn insert(&mut self, state: &[u8]) -> Stored {
        debug_assert_eq!(self.length, state.len(), "all states have one length");
        self.states.extend_from_slice(state);
        self.depth += 1;
        Stored::New(StateId::new(self.depth - 1))
    }

    fn find(&self, _: &[u8]) -> Option<StateId> {
        None
    }

    #[inline]
    fn top(&self, id: StateId) -> &[u8] {
        &self.states[id.index() * self.length..(id.index() + 1) * self.length]
    }

    #[inline]
    fn pop(&mut self) {
        self.depth -= 1;
        self.states.truncate(self.depth * self.length);
    }

    fn len(&self) -> usize {
        self.depth
    }

    fn bytes(&self) -> usize {
        self.states.capacity()
    }
}
