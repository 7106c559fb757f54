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
use crate::narrow;
use crate::system::Dependency;

/// The sleep sets stored with states.
///
/// A word per state: the set itself if there are at most 63 enabled transitions,
/// else [`LARGE`] and a slot of a pool.
#[derive(Debug, Default)]
pub(crate) struct SleepSets {
    words: Vec<u64>,
    large: SetPool,
}

const LARGE: u64 = 1 << 63;

impl SleepSets {
    /// The set stored with a state; empty if none was.
    #[inline]
    pub(crate) fn get(&self, id: StateId) -> &[u64] {
        match self.words.get(id.index()) {
            None => &[],
            Some(word) if word & LARGE != 0 => self.large.get(Slot(narrow::halves(*word & !LARGE).1)),
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
            self.large.release(Slot(narrow::halves(word & !LARGE).1));
        }
        self.words[id.index()] = match *sleep {
            _ if bitset::is_empty(sleep) => 0,
            [word] if word & LARGE == 0 => word,
            _ => LARGE | u64::from(self.large.put(sleep).0),
        };
    }

    /// Bytes of memory held.
    pub(crate) fn bytes(&self) -> usize {
        self.words.capacity() * 8 + self.large.bytes()
    }
}

/// Bit sets that come and go, without an allocation for each.
///
/// A slot is a word with the length, then the words of the set. Slots that are
/// given back are used again for sets of the same length.
#[derive(Debug, Default)]
pub(crate) struct SetPool {
    words: Vec<u64>,
    /// Per length: slots that were given back.
    free: Vec<Vec<Slot>>,
}

/// A set in a pool.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot(u32);

impl SetPool {
    /// Keeps a set.
    pub(crate) fn put(&mut self, set: &[u64]) -> Slot {
        if let Some(slot) = self.free.get_mut(set.len()).and_then(Vec::pop) {
            let at = slot.0 as usize + 1;
            self.words[at..at + set.len()].copy_from_slice(set);
            return slot;
        }
        let slot = Slot(u32::try_from(self.words.len()).expect("fewer than 2^32 words of sleep sets"));
        self.words.push(set.len() as u64);
        self.words.extend_from_slice(set);
        slot
    }

    /// A set that is kept.
    #[inline]
    pub(crate) fn get(&self, slot: Slot) -> &[u64] {
        let at = slot.0 as usize;
        &self.words[at + 1..at + 1 + narrow::index(self.words[at])]
    }

    /// Forgets a set.
    pub(crate) fn release(&mut self, slot: Slot) {
        let len = narrow::index(self.words[slot.0 as usize]);
        if self.free.len() <= len {
            self.free.resize_with(len + 1, Vec::new);
        }
        self.free[len].push(slot);
    }

    /// Bytes of memory held.
    pub(crate) fn bytes(&self) -> usize {
        let free: usize = self.free.iter().map(Vec::capacity).sum();
        self.words.capacity() * 8 + free * size_of::<Slot>()
    }
}

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
    fn large_sets_are_kept_aside_and_their_room_is_used_again() {
        let mut sets = SleepSets::default();
        let id = StateId::new(3);
        assert!(!sets.any(id));
        sets.set(id, &[0, 5]);
        assert_eq!(sets.get(id), &[0, 5]);
        sets.set(id, &[1 << 63]);
        assert_eq!(sets.get(id), &[1 << 63]);
        assert_eq!(sets.large.words.len(), 3 + 2);
        sets.set(id, &[6]);
        assert_eq!(sets.get(id), &[6]);
        sets.set(StateId::new(0), &[3 << 62]);
        assert_eq!(sets.get(StateId::new(0)), &[3 << 62]);
        assert_eq!(
            sets.large.words.len(),
            3 + 2,
            "the room of the last large set is used again"
        );
    }

    #[test]
    fn positions_in_any_order() {
        let mut out = [0];
        positions(&['c', 'a'], &['a', 'b', 'c'], &mut out);
        assert_eq!(out, [0b101]);
    }
}
