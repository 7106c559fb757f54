//! Sleep sets: do not take a transition whose runs an earlier branch covers.
//!
//! Invariant: for `t` in the sleep set of `s`, every run from `s` that starts
//! with `t` is trace-equivalent to one covered by a branch taken earlier.
//! Executing `u` keeps only the members that are independent of `u` in `s`
//! (thesis 5.1). Members are enabled in `s`, so a sleep set is a bit set over
//! positions in the list of transitions enabled in `s`.
//!
//! With each state its sleep set is stored (Fig. 5.2). When the state is reached
//! again, transitions that slept then and are awake now are explored, and the
//! stored set shrinks to the intersection.

use crate::bitset;
use crate::system::Dependency;

/// Makes `next` the sleep set after the `k`-th of the transitions enabled in
/// `state`, given what is asleep there; that transition itself then falls asleep.
///
/// Lines 17 and 19 of Fig. 5.2, 20 and 29 of Fig. 6.2. The line that adds it may
/// come at once, since `next` does not change any more.
#[inline]
pub(crate) fn fall_asleep<T: Copy>(
    dependency: &impl Dependency<T>,
    state: &[u8],
    enabled: &[T],
    k: usize,
    asleep: &mut [u64],
    next: &mut Vec<T>,
) {
    next.clear();
    for j in bitset::iter(asleep) {
        if dependency.independent(state, enabled[k], enabled[j]) {
            next.push(enabled[j]);
        }
    }
    bitset::insert(asleep, k);
}

/// The positions in `enabled` of the transitions in `sleep`, which are all there.
///
/// Both lists usually have the same order, so each search starts where the last
/// one ended.
#[inline]
pub(crate) fn positions<T: Copy + Eq>(sleep: &[T], enabled: &[T], out: &mut [u64]) {
    out.fill(0);
    let mut from = 0;
    for t in sleep {
        let later = enabled[from..].iter().position(|u| u == t).map(|k| from + k);
        let found = later.or_else(|| enabled[..from].iter().position(|u| u == t));
        debug_assert!(found.is_some(), "a sleeping transition is enabled");
        if let Some(k) = found {
            bitset::insert(out, k);
            from = k + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_in_any_order() {
        let mut out = [0];
        positions(&['c', 'a'], &['a', 'b', 'c'], &mut out);
        assert_eq!(out, [0b101]);
    }
}
