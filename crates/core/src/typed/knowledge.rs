//! What a search knows about the actions of a model: nothing, or their footprints.

use super::Model;
use super::footprint::Footprint;
use super::selection::{Present, Selection};
use super::table::Footprints;
use crate::bitset::{self, BitSet};
use crate::persistent::Algorithm;
use crate::persistent::{AllEnabled, PersistentSets};
use crate::system::Dependency;

/// What is known about the actions of a model: [`Nothing`] or [`Footprints`].
pub trait Knowledge<M: Model>: Dependency<M::Action> + sealed::Sealed {
    /// Whether an action can happen, as far as is known.
    fn expects(&self, action: M::Action) -> bool;

    /// Whether persistent sets may have fewer than all enabled actions.
    fn reduces(&self) -> bool;

    /// Calls `search` with persistent sets by `algorithm`. A set that is not everything has none of the classes
    /// in `visible`.
    fn with_sets(
        &self,
        algorithm: Algorithm,
        visible: &BitSet,
        search: &mut dyn FnMut(&mut dyn PersistentSets<M::Action>),
    );
}

mod sealed {
    pub trait Sealed {}
}

/// Nothing is known: every action depends on every other.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nothing;

impl sealed::Sealed for Nothing {}

impl<T> Dependency<T> for Nothing {
    fn independent(&self, _: &[u8], _: T, _: T) -> bool {
        false
    }
}

impl<M: Model> Knowledge<M> for Nothing {
    fn expects(&self, _: M::Action) -> bool {
        true
    }

    fn reduces(&self) -> bool {
        false
    }

    fn with_sets(&self, _: Algorithm, _: &BitSet, search: &mut dyn FnMut(&mut dyn PersistentSets<M::Action>)) {
        search(&mut AllEnabled);
    }
}

impl<M: Footprint> sealed::Sealed for Footprints<'_, M> {}

impl<M: Footprint> Knowledge<M> for Footprints<'_, M> {
    fn expects(&self, action: M::Action) -> bool {
        self.class(action).is_some()
    }

    fn reduces(&self) -> bool {
        true
    }

    fn with_sets(
        &self,
        algorithm: Algorithm,
        visible: &BitSet,
        search: &mut dyn FnMut(&mut dyn PersistentSets<M::Action>),
    ) {
        if algorithm == Algorithm::AllEnabled {
            return search(&mut AllEnabled);
        }
        let (present, mut classes) = (Present::new(self), BitSet::new(self.len()));
        bitset::union(&mut classes, visible);
        search(&mut Selection::new(&present, algorithm, &classes));
    }
}
