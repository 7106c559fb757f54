//! Where visited states are kept.
//!
//! A store maps states to small ids and back. Ids are dense; a caching store
//! uses an id again when it forgets a state.

mod cache;
mod exact;
mod path;

pub(crate) use cache::CacheStore;
pub(crate) use exact::ExactStore;
pub(crate) use path::PathStore;

use crate::ids::StateId;
use foldhash::fast::FixedState;
use std::hash::BuildHasher;

/// What came of offering a state to a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stored {
    /// It was not there; now it is.
    New(StateId),
    /// It was there already.
    Known(StateId),
    /// It was not there, and there is no room: every stored state is pinned.
    Full,
}

/// A set of states.
pub(crate) trait Store {
    /// Finds a state or adds it.
    fn insert(&mut self, state: &[u8]) -> Stored;

    /// Finds a state.
    fn find(&self, state: &[u8]) -> Option<StateId>;

    /// The bytes of a stored state.
    fn get(&self, id: StateId) -> &[u8];

    /// Keeps this state until it is unpinned.
    fn pin(&mut self, _id: StateId) {}

    /// Allows this state to be forgotten.
    fn unpin(&mut self, _id: StateId) {}

    /// How many states are stored now.
    fn len(&self) -> usize;

    /// How many times a state was forgotten.
    fn cleared(&self) -> u64 {
        0
    }

    /// Bytes of memory held.
    fn bytes(&self) -> usize;
}

#[inline]
fn hash(state: &[u8]) -> u64 {
    FixedState::with_seed(0x006d_617a_7572_6b61).hash_one(state)
}
