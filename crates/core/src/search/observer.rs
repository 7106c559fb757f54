//! What a search tells while it goes.

use crate::ids::StateId;
use crate::system::Fault;
use std::ops::ControlFlow;

/// Looks on, and says when it has seen enough.
///
/// A deadlock is a state without enabled transitions. All methods do nothing by
/// default, so a search with `()` as its observer only counts.
pub trait Observer<T> {
    /// A state that was not stored before, with what is enabled there.
    fn state(&mut self, _id: StateId, _state: &[u8], _enabled: &[T], _path: &dyn Path<T>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// A transition was explored; it is the last of the path.
    fn transition(&mut self, _from: &[u8], _t: T, _to: &[u8], _path: &dyn Path<T>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// The last transition of the path failed. The search ends, unless this says
    /// that it goes on: then the transition leads nowhere, and what else is enabled
    /// where it failed is explored.
    fn fault(&mut self, _fault: Fault, _path: &dyn Path<T>) -> ControlFlow<()> {
        ControlFlow::Break(())
    }
}

impl<T> Observer<T> for () {}

/// The way from the initial state to where the search is.
pub trait Path<T> {
    /// Its transitions.
    fn transitions(&self) -> Vec<T>;
}
