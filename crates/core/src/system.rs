//! The boundary between systems and searches.
//!
//! A search knows a system by four questions only: where it starts, what is
//! enabled, what comes next, and (through [`Dependency`]) whose order matters.
//! Persistent-set algorithms that look at disabled transitions ask more, through
//! [`crate::Structure`]. States are flat byte strings: equal states have equal
//! bytes, and nothing else about them is known here.

use std::fmt;

/// A concurrent system (thesis, ch. 2): deterministic transitions over states.
///
/// Its methods are functions: what they answer depends on their arguments alone, and calling them changes nothing
/// but the scratch space of the caller. So a search may fire a transition to see where it would lead, and
/// several searches may share a system.
pub trait System: Sync {
    /// A transition: two transitions are the same iff they are equal.
    type Transition: Copy + Eq + fmt::Debug;

    /// Room for one caller of [`fire`](Self::fire) to compute in; `()` if none is needed. It may also
    /// tell what the last transition did beside leading to a state, for an [`Observer`](crate::Observer).
    type Scratch;

    /// Scratch space for another caller.
    fn scratch(&self) -> Self::Scratch;

    /// Writes the initial state into `state`, which is empty.
    fn initial(&self, state: &mut Vec<u8>);

    /// Appends the transitions enabled in `state`, in an order that depends on
    /// the state alone, without repetition.
    fn enabled(&self, state: &[u8], out: &mut Vec<Self::Transition>);

    /// Writes the successor of `state` by the enabled transition `t` into
    /// `next`, replacing what is there.
    ///
    /// # Errors
    /// A [`Fault`] when the transition has no meaning here, such as a value out
    /// of its domain. Whether it does must depend only on what `t` reads.
    fn fire(
        &self,
        scratch: &mut Self::Scratch,
        state: &[u8],
        t: Self::Transition,
        next: &mut Vec<u8>,
    ) -> Result<(), Fault>;

    /// The length of every state, if all have the same.
    fn state_len(&self) -> Option<usize> {
        None
    }
}

/// A valid conditional dependency relation (thesis, Def. 3.17).
pub trait Dependency<T> {
    /// Whether `t` and `u` are independent in `state`: neither enables or
    /// disables the other there, and if both are enabled their two orders lead
    /// to the same state. `false` is always a safe answer.
    fn independent(&self, state: &[u8], t: T, u: T) -> bool;
}

/// The execution of a transition failed: the model is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Fault {
    /// Why.
    pub reason: String,
    /// Which of the things that the transition does failed, as the system counts them; 0 where it does only one.
    pub place: u64,
}

impl Fault {
    /// Of a transition that does one thing.
    pub fn new(reason: impl Into<String>) -> Self {
        Self {
            reason: reason.into(),
            place: 0,
        }
    }
}

/// Every pair is dependent: the relation for a system of which nothing is known.
#[derive(Clone, Copy, Debug, Default)]
pub struct AllDependent;

impl<T> Dependency<T> for AllDependent {
    fn independent(&self, _: &[u8], _: T, _: T) -> bool {
        false
    }
}
