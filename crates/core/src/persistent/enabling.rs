//! Which necessary enabling set to take for a disabled transition.
//!
//! Step 2.a of Algorithms 3 and 4 leaves the choice open, "a priori, it is not
//! possible to predict what choice will yield the smallest persistent set"
//! (thesis 4.5.2). [`Fewest`] takes the one that costs least now, [`First`] the first.
//! Any choice is sound, so tests use others to cover all executions of the algorithms.

use crate::ids::TransitionId;

/// The necessary enabling sets of a transition.
#[derive(Clone, Copy, Debug)]
pub struct Candidates<'a> {
    pub(super) words: usize,
    pub(super) sets: &'a [u64],
}

impl<'a> Candidates<'a> {
    /// The sets; there is at least one.
    pub fn iter(self) -> impl Iterator<Item = &'a [u64]> {
        self.sets.chunks(self.words)
    }

    /// The set at this position.
    pub(super) fn nth(self, k: usize) -> &'a [u64] {
        &self.sets[k * self.words..(k + 1) * self.words]
    }

    fn count(self) -> usize {
        self.sets.len() / self.words
    }
}

/// A way to choose a necessary enabling set.
pub trait EnablingChoice {
    /// The position of the set to take for `t`, given the stubborn set so far
    /// and the enabled transitions.
    fn choose(&mut self, t: TransitionId, candidates: Candidates<'_>, stubborn: &[u64], enabled: &[u64]) -> usize;
}

/// Takes the set with the fewest new enabled transitions, then the fewest new transitions.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fewest;

impl EnablingChoice for Fewest {
    #[inline]
    fn choose(&mut self, _: TransitionId, candidates: Candidates<'_>, stubborn: &[u64], enabled: &[u64]) -> usize {
        let cost = |set: &[u64]| {
            let mut cost = (0, 0);
            for ((new, have), enabled) in set.iter().zip(stubborn).zip(enabled) {
                cost.0 += (new & !have & enabled).count_ones();
                cost.1 += (new & !have).count_ones();
            }
            cost
        };
        if candidates.count() == 1 {
            return 0;
        }
        let mut best = (0, cost(candidates.nth(0)));
        for (k, set) in candidates.iter().enumerate().skip(1) {
            let cost = cost(set);
            if cost < best.1 {
                best = (k, cost);
            }
        }
        best.0
    }
}

/// Takes the first set: that of a process that is not ready, if any, else of an
/// operation that is not defined or a condition that is false, in the model's order.
#[derive(Clone, Copy, Debug, Default)]
pub struct First;

impl EnablingChoice for First {
    #[inline]
    fn choose(&mut self, _: TransitionId, _: Candidates<'_>, _: &[u64], _: &[u64]) -> usize {
        0
    }
}

/// A function of the transition and the number of sets. The tests of the inclusions
/// use it to take the same set for a transition whatever the algorithm.
impl<F: FnMut(TransitionId, usize) -> usize> EnablingChoice for F {
    fn choose(&mut self, t: TransitionId, candidates: Candidates<'_>, _: &[u64], _: &[u64]) -> usize {
        self(t, candidates.count())
    }
}

/// The candidates of one transition.
#[derive(Debug, Default)]
pub(super) struct Gathered(pub(super) Vec<u64>);

impl Gathered {
    pub(super) fn of(&self, words: usize) -> Candidates<'_> {
        debug_assert!(!self.0.is_empty(), "a disabled transition has an obstacle");
        debug_assert_eq!(self.0.len() % words, 0);
        Candidates { words, sets: &self.0 }
    }
}
