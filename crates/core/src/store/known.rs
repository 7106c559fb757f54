//! The states of a search that has ended, with their ids.

use super::{Readable, Store};
use crate::ids::StateId;
use std::fmt;

/// The states that a search has stored, with the ids that it reported to its observer.
pub struct KnownStates(Box<dyn Readable + Send + Sync>);

impl KnownStates {
    pub(crate) fn of(store: Box<dyn Readable + Send + Sync>) -> Self {
        Self(store)
    }

    /// The id of a state, if it was stored.
    pub fn find(&self, state: &[u8]) -> Option<StateId> {
        self.0.find(state)
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        self.0.bytes()
    }
}

impl fmt::Debug for KnownStates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KnownStates").finish_non_exhaustive()
    }
}
