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
use crate::ids::StateId;

/// The sleep sets stored with states.
///
/// A word per state: the set itself if there are at most 63 enabled transitions,
/// else [`LARGE`] and an index into a side table.
#[derive(Debug, Default)]
pub(crate) struct SleepSets {
    words: Vec<u64>,
    large: Vec<Vec<u64>>,
    free: Vec<usize>,
}

const LARGE: u64 = 1 << 63;

impl SleepSets {
    /// The set stored with a state; empty if none was.
    #[inline]
    pub(crate) fn get(&self, id: StateId) -> &[u64] {
        match self.words.get(id.index()) {
            None => &[],
            Some(word) if word & LARGE != 0 => &self.large[(word & !LARGE) as usize],
            Some(word) => std::slice::from_ref(word),
        }
    }

    /// Whether the stored set has a member.
    #[inline]
    pub(crate) fn any(&self, id: StateId) -> bool {
        self.words.get(id.index()).is_some_and(|w| *w != 0)
    }

    /// Stores a set with a state.
    #[inline]
    pub(crate) fn set(&mut self, id: StateId, sleep: &[u64]) {
        if self.words.len() <= id.index() {
            self.words.resize(id.index() + 1, 0);
        }
        let word = self.words[id.index()];
        if word & LARGE != 0 {
            self.free.push((word & !LARGE) as usize);
        }
        self.words[id.index()] = match *sleep {
            _ if bitset::is_empty(sleep) => 0,
            [word] if word & LARGE == 0 => word,
            _ => {
                let slot = self.free.pop().unwrap_or_else(|| {
                    self.large.push(Vec::new());
                    self.large.len() - 1
                });
                self.large[slot].clear();
                self.large[slot].extend_from_slice(sleep);
                LARGE | slot as u64
            }
        };
    }

    /// Bytes of memory held.
    pub(crate) fn bytes(&self) -> usize {
        let large: usize = self.large.iter().map(|l| l.capacity() * 8).sum();
        self.words.capacity() * 8 + large
    }
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
    fn large_sets_are_kept_aside_and_their_room_is_used_again() {
        let mut sets = SleepSets::default();
        let id = StateId::new(3);
        assert!(!sets.any(id));
        sets.set(id, &[0, 5]);
        assert_eq!(sets.get(id), &[0, 5]);
        sets.set(id, &[1 << 63]);
        assert_eq!(sets.get(id), &[1 << 63]);
        assert_eq!(sets.large.len(), 1);
        sets.set(id, &[6]);
        assert_eq!(sets.get(id), &[6]);
    }

    #[test]
    fn positions_in_any_order() {
        let mut out = [0];
        positions(&['c', 'a'], &['a', 'b', 'c'], &mut out);
        assert_eq!(out, [0b101]);
    }
}
