//! What a search reports while it runs.

use crate::ids::StateId;
use crate::system::{Fault, System};
use std::fmt;
use std::ops::ControlFlow;

/// Watches a search, and can stop it by returning [`ControlFlow::Break`].
///
/// A deadlock is a state without enabled transitions. All methods do nothing by
/// default, so a search with `()` as its observer only counts.
///
/// ```
/// use mazurka_core::{Builder, Model, Observer, Path, Search, StateId, TransitionId};
/// use std::ops::ControlFlow;
///
/// /// Stops at the first state in which nothing is enabled.
/// struct FirstFinal(Option<Vec<TransitionId>>);
///
/// impl Observer<Model> for FirstFinal {
///     fn state(
///         &mut self,
///         _: StateId,
///         _: &[u8],
///         enabled: &[TransitionId],
///         path: &dyn Path<TransitionId>,
///     ) -> ControlFlow<()> {
///         if enabled.is_empty() {
///             self.0 = Some(path.transitions());
///             return ControlFlow::Break(());
///         }
///         ControlFlow::Continue(())
///     }
/// }
///
/// # let mut m = Builder::new("m");
/// let [a0, a1] = m.process("A", ["a0", "a1"]);
/// m.transition("a", a0, a1);
/// let model = m.build()?;
/// let mut first = FirstFinal(None);
/// Search::full(&model).observe(&mut first)?;
/// assert_eq!(first.0.map(|path| path.len()), Some(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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

    /// The last transition of the path failed; `scratch` is as it left it. By default the search ends. If this
    /// returns [`ControlFlow::Continue`], the search goes on: the transition leads nowhere, and everything else that
    /// is enabled where it failed is explored.
    fn fault(&mut self, _fault: Fault, _scratch: &S::Scratch, _path: &dyn Path<S::Transition>) -> ControlFlow<()> {
        ControlFlow::Break(())
    }
}

impl<S: System> Observer<S> for () {}

/// A transition that was explored, between two states.
pub struct Edge<'a, S: System> {
    /// The state before it.
    pub from: StateId,
    /// Its bytes.
    pub before: &'a [u8],
    /// The transition.
    pub transition: S::Transition,
    /// Its position in the list of transitions enabled there.
    pub position: usize,
    /// The state after it. `None` if that has no id: a bitstate store has no ids for known states, and a state that is
    /// too deep or for which there is no room is not stored.
    pub to: Option<StateId>,
    /// Its bytes, or those of a state on the way there: see [`PersistentSets::makes_chains`](crate::persistent::PersistentSets::makes_chains).
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

/// The path from the initial state to the current one.
pub trait Path<T> {
    /// Its transitions.
    fn transitions(&self) -> Vec<T>;
}
