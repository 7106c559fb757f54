//! What a search tells while it goes.

use crate::ids::StateId;
use crate::system::{Fault, System};
use std::fmt;
use std::ops::ControlFlow;

/// Looks on, and says when it has seen enough.
///
/// A deadlock is a state without enabled transitions. All methods do nothing by
/// default, so a search with `()` as its observer only counts.
pub trait Observer<S: System> {
    /// A state that was not stored before, with what is enabled there.
    fn state(
        &mut self,
        _id: StateId,
        _state: &[u8],
        _enabled: &[S::Transition],
        _path: &dyn Path<S::Transition>,
    ) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// A transition was explored; it is the last of the path. If it leads to a new state, that is announced next.
    fn transition(&mut self, _edge: &Edge<'_, S>, _path: &dyn Path<S::Transition>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// The last transition of the path failed, and left the scratch space like this. The search ends, unless this says
    /// that it goes on: then the transition leads nowhere, and what else is enabled
    /// where it failed is explored.
    fn fault(&mut self, _fault: Fault, _scratch: &S::Scratch, _path: &dyn Path<S::Transition>) -> ControlFlow<()> {
        ControlFlow::Break(())
    }
}

impl<S: System> Observer<S> for () {}

/// A transition that was explored, between two states.
pub struct Edge<'a, S: System> {
    /// The state that it leaves.
    pub from: StateId,
    /// Its bytes.
    pub before: &'a [u8],
    /// The transition.
    pub transition: S::Transition,
    /// Its position among what is enabled there.
    pub position: usize,
    /// The state that it leads to. `None` if that has no id: a bitstate store has none for a state that it
    /// knows, and there is none for a state that lies too deep or does not fit any more.
    pub to: Option<StateId>,
    /// Its bytes.
    pub after: &'a [u8],
    /// The scratch space as firing the transition left it.
    pub scratch: &'a S::Scratch,
}

impl<S: System> fmt::Debug for Edge<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Edge")
            .field("from", &self.from)
            .field("transition", &self.transition)
            .field("to", &self.to)
            .finish_non_exhaustive()
    }
}

/// The way from the initial state to where the search is.
pub trait Path<T> {
    /// Its transitions.
    fn transitions(&self) -> Vec<T>;
}
