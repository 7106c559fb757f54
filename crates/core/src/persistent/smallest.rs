//! The smallest persistent set over all transitions to start from.
//!
//! Small is only a heuristic (thesis 4.2, 4.8), but a good one. What counts is
//! the number of transitions that will be explored, so members that are asleep
//! are free: a persistent set of sleeping transitions ends the exploration of a
//! state at once, which Thm 5.2 allows since the set is not empty.

use super::PersistentSets;
use crate::bitset::{self, BitSet};

/// Makes `best` (positions in `enabled`) the smallest persistent set that `sets`
/// finds and `accept` accepts, or all enabled transitions if there is none.
///
/// `accept` is the proviso's question; it is asked only about sets that would be
/// an improvement.
pub fn smallest<T>(
    sets: &mut (impl PersistentSets<T> + ?Sized),
    state: &[u8],
    enabled: &[T],
    asleep: &[u64],
    mut accept: impl FnMut(&BitSet) -> bool,
    candidate: &mut BitSet,
    best: &mut BitSet,
) {
    best.set_all(enabled.len());
    if enabled.len() <= 1 || !sets.reduces() {
        return;
    }
    let awake = |set: &BitSet| -> usize {
        let words = set.iter().zip(asleep);
        words.map(|(w, a)| (w & !a).count_ones() as usize).sum()
    };
    let mut size = awake(best);
    sets.prepare(state, enabled, asleep);
    for start in 0..enabled.len() {
        if size == 0 {
            return;
        }
        if sets.containing(state, enabled, start, size - 1, candidate) {
            let found = awake(candidate);
            if found < size && accept(candidate) {
                size = found;
                std::mem::swap(best, candidate);
            }
        }
    }
    debug_assert!(!bitset::is_empty(best));
}
