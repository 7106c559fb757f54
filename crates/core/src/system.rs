//! The boundary between systems and searches.
//!
//! A search asks a system four questions only: where it starts, what is enabled,
//! what comes next, and (through [`Dependency`]) which transitions commute.
//! Persistent-set algorithms that look at disabled transitions ask more, through
//! [`crate::Structure`]. States are flat byte strings: equal states have equal
//! bytes, and nothing else about them is known here.

use std::fmt;
use std::hash::Hash;

/// A concurrent system (thesis, ch. 2): deterministic transitions over states.
///
/// Its methods are functions: what they answer depends on their arguments alone, and calling them changes nothing
/// but the scratch space of the caller. So a search may fire a transition to see where it would lead, and
/// several searches may share a system.
///
/// ```
/// use mazurka_core::persistent::AllEnabled;
/// use mazurka_core::{AllDependent, Fault, Strategy, System};
///
/// /// Two counters that go from 0 to 3.
/// struct Counters;
///
/// impl System for Counters {
///     type Transition = usize; // which counter
///     type Scratch = ();
///     fn scratch(&self) {}
///     fn initial(&self, state: &mut Vec<u8>) {
///         state.extend([0, 0]);
///     }
///     fn enabled(&self, state: &[u8], out: &mut Vec<usize>) {
///         out.extend((0..2).filter(|k| state[*k] < 3));
///     }
///     fn fire(&self, (): &mut (), state: &[u8], k: usize, next: &mut Vec<u8>) -> Result<(), Fault> {
///         next.clear();
///         next.extend_from_slice(state);
///         next[k] += 1;
///         Ok(())
///     }
/// }
///
/// let (statistics, _) = Strategy::default().run(&Counters, &AllDependent, &mut AllEnabled, &mut ())?;
/// assert_eq!((statistics.states, statistics.transitions), (16, 24));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait System: Sync {
    /// A transition: two transitions are the same iff they are equal.
    type Transition: Copy + Eq + Hash + fmt::Debug;

    /// Working space for one caller of [`fire`](Self::fire); `()` if none is needed. It may also tell an
    /// [`Observer`](crate::Observer) what the last transition did besides leading to a state.
    type Scratch;

    /// Working space for another caller.
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

    /// Fires `t` and goes on as long as `passing` has a transition to go on with. Returns whether it had to find out what
    /// is enabled in the last state, which is in `enabled` then. A system that does not know how to go on fires `t` alone.
    ///
    /// # Errors
    /// As [`fire`](Self::fire), for `t`. Where another transition fails, the sequence ends before it.
    fn fire_through(
        &self,
        scratch: &mut Self::Scratch,
        state: &[u8],
        t: Self::Transition,
        _passing: &mut dyn Passing<Self::Transition>,
        next: &mut Vec<u8>,
        _enabled: &mut Vec<Self::Transition>,
    ) -> Result<bool, Fault> {
        self.fire(scratch, state, t, next).map(|()| false)
    }

    /// Whether others are suspended in `state`: a process has exclusive control for a while, and what is independent of its
    /// transitions is disabled only until it gives control back. It must do so on every way: no cycle consists of such states.
    fn is_suspended(&self, _state: &[u8]) -> bool {
        false
    }

    /// The length of every state, if all have the same.
    fn state_len(&self) -> Option<usize> {
        None
    }
}

/// Where a sequence of transitions passes on, without a look at alternatives: see [`System::fire_through`].
pub trait Passing<T> {
    /// A transition that is a persistent set in `state`, which `last` led to, if that is seen without a list of what is enabled.
    fn at_once(&mut self, state: &[u8], last: T) -> Option<T>;

    /// Whether the sequence ends in `state`, since the search was there before.
    fn ends(&mut self, state: &[u8]) -> bool;

    /// A transition that is a persistent set in `state`, which `last` led to.
    fn single(&mut self, state: &[u8], enabled: &[T], last: T) -> Option<T>;
}

/// A valid conditional dependency relation (thesis, Def. 3.17).
///
/// ```
/// # use mazurka_core::Dependency;
/// /// Transitions are numbers of counters: different counters do not interfere.
/// struct DifferentCounters;
///
/// impl Dependency<usize> for DifferentCounters {
///     fn independent(&self, _state: &[u8], t: usize, u: usize) -> bool {
///         t != u
///     }
/// }
///
/// assert!(DifferentCounters.independent(&[0, 0], 0, 1));
/// ```
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
    /// Why it failed.
    pub reason: String,
    /// Which part of the transition failed, as the system numbers its parts; 0 if it has only one.
    pub place: u64,
}

impl Fault {
    /// A fault of a transition that has only one part.
    pub fn new(reason: impl Into<String>) -> Self {
        Self {
            reason: reason.into(),
            place: 0,
        }
    }
}

/// The relation for a system about which nothing is known: every pair is dependent.
#[derive(Clone, Copy, Debug, Default)]
pub struct AllDependent;

impl<T> Dependency<T> for AllDependent {
    fn independent(&self, _: &[u8], _: T, _: T) -> bool {
        false
    }
}
