//! Persistent sets: which enabled transitions are enough (thesis, ch. 4).
//!
//! A set T of transitions enabled in s is persistent if whatever one does from
//! s while staying outside T is independent of T (Def. 4.1). Each algorithm
//! computes, for a transition to start from, a persistent set that contains it;
//! [`smallest`] tries every start. An algorithm may return a larger set than
//! necessary, but always a persistent one: the testkit checks this against Def. 4.1.
//!
//! This file lists the algorithms. A new one is a file beside it and a few lines here.

mod conflicting;
mod enabling;
mod overman;
mod smallest;
mod stubborn;

pub use conflicting::Conflicting;
pub use enabling::{Candidates, EnablingChoice, Fewest, First};
pub use overman::Overman;
pub use smallest::{smallest, smallest_of_starts};
pub use stubborn::{Strength, Stubborn};

use crate::bitset::BitSet;
use crate::ids::TransitionId;
use crate::structure::{Precision, Structure};

/// An algorithm that computes persistent sets.
///
/// ```
/// use mazurka_core::persistent::{PersistentSets, Stubborn, smallest};
/// use mazurka_core::{Builder, Independence, Precision, Relation, System, bitset};
///
/// # let mut m = Builder::new("m");
/// let [a0, a1] = m.process("A", ["a0", "a1"]);
/// let [b0, b1] = m.process("B", ["b0", "b1"]);
/// m.transition("a", a0, a1);
/// m.transition("b", b0, b1);
/// let model = m.build()?;
/// let independence = Independence::new(&model, Relation::Conditional);
/// let mut algorithm = Stubborn::new(&independence, Precision::Conditional);
///
/// let (mut state, mut enabled) = (Vec::new(), Vec::new());
/// model.initial(&mut state);
/// model.enabled(&state, &mut enabled);
/// let (mut best, mut candidate) = Default::default();
/// smallest(&mut algorithm, &state, &enabled, |_| true, &mut candidate, &mut best);
/// assert_eq!((enabled.len(), bitset::len(&best)), (2, 1)); // they are independent
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait PersistentSets<T> {
    /// Announces the state of the next calls of `containing`, and what is enabled
    /// there.
    fn prepare(&mut self, _state: &[u8], _enabled: &[T]) {}

    /// Whether it may select fewer than all enabled transitions.
    fn reduces(&self) -> bool {
        true
    }

    /// Whether to start from `t` only after all others were tried.
    fn is_last_choice(&self, _t: T) -> bool {
        false
    }

    /// Says that until the next `prepare`, sets that contain `t` are of no interest,
    /// since they are hardly smaller than the set that starts from `t`.
    fn avoid(&mut self, _t: T) {}

    /// Makes `out` the positions (in `enabled`) of the set to explore, for an
    /// algorithm that needs no transition to start from. Returns `false` if it leaves
    /// the choice to [`smallest`].
    fn chosen(&mut self, _state: &[u8], _enabled: &[T], _out: &mut BitSet) -> bool {
        false
    }

    /// Whether a search does not stop in states where a single transition is a persistent set, which
    /// [`at_once`](Self::at_once) and [`single`](Self::single) tell. It then does not go on either where another chain has passed, and it is known
    /// to which stored state that has led.
    fn makes_chains(&self) -> bool {
        false
    }

    /// See [`Passing::at_once`](crate::Passing::at_once).
    fn at_once(&self, _state: &[u8], _last: T) -> Option<T> {
        None
    }

    /// See [`Passing::single`](crate::Passing::single).
    fn single(&mut self, _state: &[u8], _enabled: &[T], _last: T) -> Option<T> {
        None
    }

    /// Makes `out` the positions (in `enabled`) of a persistent set that
    /// contains `enabled[start]`. May return `false`, with `out` meaningless, if
    /// the set would have more than `most` members or one that is to be avoided.
    fn containing(&mut self, state: &[u8], enabled: &[T], start: usize, most: usize, out: &mut BitSet) -> bool;
}

/// No reduction: all enabled transitions, which is always a persistent set.
#[derive(Clone, Copy, Debug, Default)]
pub struct AllEnabled;

impl<T> PersistentSets<T> for AllEnabled {
    fn reduces(&self) -> bool {
        false
    }

    fn containing(&mut self, _: &[u8], enabled: &[T], _: usize, _: usize, out: &mut BitSet) -> bool {
        out.set_all(enabled.len());
        true
    }
}

/// Which enabled transitions to explore.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Algorithm {
    /// All of them: no reduction by persistent sets.
    AllEnabled,
    /// Algorithm 1: conflicting transitions.
    Conflicting,
    /// Algorithm 2: Overman's algorithm.
    Overman,
    /// Algorithm 3: stubborn sets.
    Stubborn,
    /// Algorithm 4: conditional stubborn sets.
    #[default]
    Conditional,
    /// Algorithm 4 with weak stubborn sets (thesis, Note 4.31): deadlocks only,
    /// without sleep sets and without a proviso.
    Weak,
}

/// Which necessary enabling sets Algorithms 3 and 4 take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Enabling {
    /// The first one.
    First,
    /// The one that adds the fewest enabled transitions.
    Fewest,
}

impl Algorithm {
    /// The algorithm, for this system.
    pub fn open<'s, S: Structure>(
        self,
        system: &'s S,
        enabling: Enabling,
    ) -> Box<dyn PersistentSets<TransitionId> + 's> {
        match self {
            Self::AllEnabled => Box::new(AllEnabled),
            Self::Conflicting => Box::new(Conflicting::new(system)),
            Self::Overman => Box::new(Overman::new(system)),
            Self::Stubborn => stubborn(system, enabling, Precision::Static, Strength::Strong),
            Self::Conditional => stubborn(system, enabling, Precision::Conditional, Strength::Strong),
            Self::Weak => stubborn(system, enabling, Precision::Conditional, Strength::Weak),
        }
    }

    /// The same algorithm for a dependency that is the same in every state: Algorithms 3 and 4 and weak sets then
    /// coincide.
    pub(crate) fn without_conditions(self) -> Self {
        match self {
            Self::Conditional | Self::Weak => Self::Stubborn,
            other => other,
        }
    }
}

fn stubborn<'s, S: Structure>(
    system: &'s S,
    enabling: Enabling,
    precision: Precision,
    strength: Strength,
) -> Box<dyn PersistentSets<TransitionId> + 's> {
    match enabling {
        Enabling::First => Box::new(Stubborn::with_choice(system, precision, First).with_strength(strength)),
        Enabling::Fewest => Box::new(Stubborn::with_choice(system, precision, Fewest).with_strength(strength)),
    }
}
