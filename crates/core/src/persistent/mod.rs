//! Persistent sets: which enabled transitions are enough (thesis, ch. 4).
//!
//! A set T of transitions enabled in s is persistent if whatever one does from
//! s while staying outside T is independent of T (Def. 4.1). Each algorithm
//! computes, for a transition to start from, a persistent set that contains it;
//! [`smallest`] tries every start. All of them only ever err towards larger
//! sets, and all of them return sets that the testkit checks against Def. 4.1.

mod conflicting;
mod enabling;
mod overman;
mod smallest;
mod stubborn;

pub use conflicting::Conflicting;
pub use enabling::{Candidates, EnablingChoice, Fewest, First};
pub use overman::Overman;
pub use smallest::smallest;
pub use stubborn::{Strength, Stubborn};

use crate::bitset::BitSet;

/// An algorithm that computes persistent sets.
pub trait PersistentSets<T> {
    /// Announces the state that the next calls of `containing` are about, and
    /// what is enabled there.
    fn prepare(&mut self, _state: &[u8], _enabled: &[T]) {}

    /// Whether it may select fewer than all enabled transitions.
    fn reduces(&self) -> bool {
        true
    }

    /// Whether to start from `t` only when all others were tried.
    fn is_last_choice(&self, _t: T) -> bool {
        false
    }

    /// Until the next `prepare`: sets that contain `t` are of no interest, since
    /// they are hardly smaller than the set that starts from `t`.
    fn avoid(&mut self, _t: T) {}

    /// Makes `out` the positions (in `enabled`) of the set to explore, for an
    /// algorithm that chooses by itself, without a transition to start from. It
    /// answers `false` if it leaves the choice to [`smallest`].
    fn chosen(&mut self, _state: &[u8], _enabled: &[T], _out: &mut BitSet) -> bool {
        false
    }

    /// Makes `out` the positions (in `enabled`) of a persistent set that
    /// contains `enabled[start]`. May answer `false`, with `out` meaningless, if
    /// it would have more than `most` members or one that is to be avoided.
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
