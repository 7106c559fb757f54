//! The smallest persistent set over all transitions to start from.
//!
//! Preferring small sets is only a heuristic (thesis 4.2, 4.8), but a good one. The
//! set depends on the state alone, not on what is asleep there, so that every visit
//! of a state chooses the same one. The search for it ends at a set of one.

use super::PersistentSets;
use crate::bitset::{self, BitSet};

/// Makes `best` (positions in `enabled`) the smallest persistent set that `sets`
/// finds and `accept` accepts, or all enabled transitions if there is none.
///
/// `accept` is the proviso's question; it is asked only about sets that would be
/// an improvement. `candidate` is working space.
pub fn smallest<T: Copy>(
    sets: &mut (impl PersistentSets<T> + ?Sized),
    state: &[u8],
    enabled: &[T],
    mut accept: impl FnMut(&BitSet) -> bool,
    candidate: &mut BitSet,
    best: &mut BitSet,
) {
    best.set_all(enabled.len());
    if !sets.reduces() {
        return;
    }
    if sets.chosen(state, enabled, candidate) && accept(candidate) {
        std::mem::swap(best, candidate);
        return;
    }
    smallest_of_starts(sets, state, enabled, accept, candidate, best);
}

/// The same, whatever `sets` would [choose](PersistentSets::chosen) by itself.
pub fn smallest_of_starts<T: Copy>(
    sets: &mut (impl PersistentSets<T> + ?Sized),
    state: &[u8],
    enabled: &[T],
    mut accept: impl FnMut(&BitSet) -> bool,
    candidate: &mut BitSet,
    best: &mut BitSet,
) {
    best.set_all(enabled.len());
    if enabled.len() <= 1 {
        return;
    }
    let mut size = enabled.len();
    sets.prepare(state, enabled);
    let (mut start, mut last_choices) = (0, false);
    while size > 1 {
        if start == enabled.len() {
            if last_choices {
                return;
            }
            (start, last_choices) = (0, true);
        }
        let this_time = sets.is_last_choice(enabled[start]) == last_choices;
        let mut rejected = false;
        if this_time && sets.containing(state, enabled, start, size - 1, candidate) {
            let found = bitset::len(candidate);
            if found < size {
                if accept(candidate) {
                    size = found;
                    std::mem::swap(best, candidate);
                } else {
                    // A larger set that contains it may be accepted.
                    rejected = true;
                }
            }
        }
        if this_time && !rejected {
            // A set that contains this start is no improvement.
            sets.avoid(enabled[start]);
        }
        start += 1;
    }
}
