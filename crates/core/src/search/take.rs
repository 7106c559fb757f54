//! Taking a transition: what every search does alike.
//!
//! The transition is fired, the state that it leads to is looked up or stored, and the observer is told. What the state
//! means to the search, new or known, is the search's own business.

use super::observer::{Edge, Observer, Path};
use crate::ids::StateId;
use crate::store::{Store, Stored};
use crate::system::System;
use std::ops::ControlFlow;

/// What came of taking a transition.
#[derive(Clone, Copy, Debug)]
pub(super) enum Taken {
    /// It failed, and the observer wants to go on.
    Failed,
    /// It leads to a new state that is too deep to be stored.
    TooDeep,
    /// It leads to a state that was offered to the store.
    Offered(Stored),
}

/// A transition that is about to be taken.
#[derive(Debug)]
pub(super) struct Step<T> {
    /// Where it is enabled.
    pub(super) from: StateId,
    /// Its position among what is enabled there.
    pub(super) position: usize,
    pub(super) transition: T,
    /// Whether it leads beyond the limit on the depth, so that no new state is stored.
    pub(super) too_deep: bool,
}

/// Who searches: a system, room to compute in, and the states that were seen.
#[derive(Debug)]
pub(super) struct Worker<'a, S: System, H> {
    pub(super) system: &'a S,
    pub(super) scratch: S::Scratch,
    pub(super) store: H,
}

impl<'a, S: System, H: Store> Worker<'a, S, H> {
    pub(super) fn new(system: &'a S, store: H) -> Self {
        Self {
            system,
            scratch: system.scratch(),
            store,
        }
    }

    /// Takes a transition from the state with these bytes, or from that on top of the store's path; `path` ends with it.
    /// Makes `after` the state that it leads to. Breaks if the observer has seen enough.
    #[inline]
    pub(super) fn take<O: Observer<S> + ?Sized>(
        &mut self,
        step: &Step<S::Transition>,
        before: Option<&[u8]>,
        after: &mut Vec<u8>,
        observer: &mut O,
        path: &dyn Path<S::Transition>,
    ) -> ControlFlow<(), Taken> {
        let Self { system, scratch, store } = self;
        let here = before.unwrap_or_else(|| store.top(step.from));
        if let Err(fault) = system.fire(scratch, here, step.transition, after) {
            observer.fault(fault, scratch, path)?;
            return ControlFlow::Continue(Taken::Failed);
        }
        let taken = if step.too_deep && !store.contains(after) {
            Taken::TooDeep
        } else {
            Taken::Offered(store.insert(after))
        };
        let edge = Edge {
            from: step.from,
            before: before.unwrap_or_else(|| store.top(step.from)),
            transition: step.transition,
            position: step.position,
            to: match taken {
                Taken::Offered(Stored::New(id) | Stored::Known(id)) => Some(id),
                _ => None,
            },
            after,
            scratch,
        };
        observer.transition(&edge, path)?;
        ControlFlow::Continue(taken)
    }
}
