//! Bit sets stored with states: which transitions sleep there, which are explored from there.
//!
//! A set is over positions in the list of transitions that are enabled in its state.

use crate::bitset;
use crate::ids::StateId;
use crate::narrow;

/// A bit set for each state.
///
/// ```
/// # use mazurka_core::{StateId, StateSets};
/// let mut sets = StateSets::default();
/// sets.set(StateId::new(3), &[0b101]);
/// assert_eq!(sets.get(StateId::new(3)), [0b101]);
/// assert!(!sets.any(StateId::new(0)));
/// ```
#[derive(Debug, Default)]
pub struct StateSets {
    /// Per state the set itself if its members are below 63, else [`LARGE`] and a slot of the pool.
    words: Vec<u64>,
    large: SetPool,
}

const LARGE: u64 = 1 << 63;

impl StateSets {
    /// The set stored with a state; empty if none is.
    #[inline]
    pub fn get(&self, id: StateId) -> &[u64] {
        match self.words.get(id.index()) {
            None => &[],
            Some(word) if word & LARGE != 0 => self.large.get(Slot(narrow::halves(*word & !LARGE).1)),
            Some(word) => std::slice::from_ref(word),
        }
    }

    /// Whether the stored set has a member.
    #[inline]
    pub fn any(&self, id: StateId) -> bool {
        self.words.get(id.index()).is_some_and(|w| *w != 0)
    }

    /// Stores a set with a state.
    #[inline]
    pub fn set(&mut self, id: StateId, set: &[u64]) {
        if self.words.len() <= id.index() {
            self.words.resize(id.index() + 1, 0);
        }
        let word = self.words[id.index()];
        if word & LARGE != 0 {
            self.large.release(Slot(narrow::halves(word & !LARGE).1));
        }
        self.words[id.index()] = match *set {
            _ if bitset::is_empty(set) => 0,
            [word] if word & LARGE == 0 => word,
            _ => LARGE | u64::from(self.large.put(set).0),
        };
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_sets_are_kept_aside_and_their_room_is_used_again() {
        let mut sets = StateSets::default();
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
}
