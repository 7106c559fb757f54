//! The states of a search that has ended, with their ids.

use super::Store;
use crate::ids::StateId;
use std::fmt;

/// The states that a search has stored, with the ids that it reported to its observer.
pub struct KnownStates(Box<dyn Lookup + Send + Sync>);

trait Lookup {
    fn id(&self, state: &[u8]) -> Option<StateId>;
    fn memory(&self) -> usize;
}

impl<H: Store> Lookup for H {
    fn id(&self, state: &[u8]) -> Option<StateId> {
        self.find(state)
    }

    fn memory(&self) -> usize {
        self.bytes()
    }
}

impl KnownStates {
    pub(crate) fn of(store: impl Store + Send + Sync + 'static) -> Self {
        Self(Box::new(store))
    }

    /// The id of a state, if it was stored.
    pub fn find(&self, state: &[u8]) -> Option<StateId> {
        self.0.id(state)
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        self.0.memory()
    }
}

impl fmt::Debug for KnownStates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KnownStates").finish_non_exhaustive()
    }
}
