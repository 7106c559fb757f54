//! The bitstate store (Supertrace, Holzmann 1987): a bit array of hashes, not states.
//!
//! A state is known if all the bits that its hashes choose are set. So a new state
//! may be taken for a known one and not be explored: what a search finds is real, but
//! finding nothing proves nothing. The current path is kept exactly, so that a
//! proviso can ask whether a state is on it.

use super::trail::Trail;
use super::{Store, Stored, hash};
use crate::ids::StateId;
use crate::narrow;
use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

/// A store of fixed size for any number of states.
#[derive(Debug)]
pub(crate) struct BitstateStore {
    bits: Vec<u64>,
    /// Which hash functions.
    hasher: FixedState,
    trail: Trail,
    /// The states of the path, by their depths.
    path: HashTable<u32>,
    count: usize,
}

/// How many bits a state sets: as many as in SPIN.
const HASHES: u64 = 3;

impl BitstateStore {
    /// A bit array of this many bytes, at least 8, with hash functions of a seed.
    pub(crate) fn new(bytes: usize, seed: u64) -> Self {
        Self {
            bits: vec![0; (bytes / 8).max(1)],
            hasher: FixedState::with_seed(seed),
            trail: Trail::default(),
            path: HashTable::new(),
            count: 0,
        }
    }

    /// The bits of a state with this hash, by double hashing: word and mask.
    #[inline]
    fn chosen(&self, hash: u64) -> impl Iterator<Item = (usize, u64)> + use<> {
        let bits = self.bits.len() as u128 * 64;
        let step = hash.rotate_left(32).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        (0..HASHES).map(move |k| {
            let hash = hash.wrapping_add(k.wrapping_mul(step));
            #[expect(
                clippy::cast_possible_truncation,
                reason = "the high half of the product is below `bits`"
            )]
            let bit = ((u128::from(hash) * bits) >> 64) as usize;
            (bit / 64, 1 << (bit % 64))
        })
    }
}

impl Store for BitstateStore {
    fn reuses_ids(&self) -> bool {
        true
    }

    fn is_partial(&self) -> bool {
        true
    }

    fn insert(&mut self, state: &[u8]) -> Stored {
        let mut new = false;
        for (word, mask) in self.chosen(self.hasher.hash_one(state)) {
            new |= self.bits[word] & mask == 0;
            self.bits[word] |= mask;
        }
        if !new {
            return Stored::Seen;
        }
        self.count += 1;
        Stored::New(StateId::new(self.trail.len()))
    }

    /// Finds a state of the path: no other has an id, which is its depth.
    fn find(&self, state: &[u8]) -> Option<StateId> {
        let found = self
            .path
            .find(hash(state), |depth| self.trail.get(*depth as usize) == state);
        found.map(|depth| StateId::new(*depth as usize))
    }

    fn contains(&mut self, state: &[u8]) -> bool {
        let mut bits = self.chosen(self.hasher.hash_one(state));
        bits.all(|(word, mask)| self.bits[word] & mask != 0)
    }

    fn push(&mut self, id: StateId, state: &[u8]) {
        self.trail.push(state);
        let trail = &self.trail;
        let rehash = |depth: &u32| hash(trail.get(*depth as usize));
        self.path.insert_unique(hash(state), narrow::short(id.index()), rehash);
    }

    fn pop(&mut self) {
        let depth = narrow::short(self.trail.len() - 1);
        let entry = self.path.find_entry(hash(self.trail.top()), |d| *d == depth);
        entry.expect("the path is in the table").remove();
        self.trail.pop();
    }

    #[inline]
    fn top(&self, _: StateId) -> &[u8] {
        self.trail.top()
    }

    fn len(&self) -> usize {
        self.count
    }

    fn bytes(&self) -> usize {
        self.bits.len() * 8 + self.trail.memory() + self.path.allocation_size()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_array_forgets_no_state_but_takes_new_ones_for_known() {
        let mut large = BitstateStore::new(1 << 16, 1);
        let mut small = BitstateStore::new(64, 1);
        for store in [&mut large, &mut small] {
            for k in 0..1000_u32 {
                store.insert(&k.to_le_bytes());
                assert_eq!(store.insert(&k.to_le_bytes()), Stored::Seen);
            }
        }
        assert!(large.len() > 990, "{}", large.len());
        assert!((100..512).contains(&small.len()), "{}", small.len());
    }

    #[test]
    fn states_of_the_path_are_found_by_their_bytes() {
        let mut store = BitstateStore::new(1, 1);
        let Stored::New(a) = store.insert(b"a") else { panic!() };
        store.push(a, b"a");
        assert_eq!((store.find(b"a"), store.find(b"b")), (Some(a), None));
        assert_eq!(store.top(a), b"a");
        store.pop();
        assert_eq!((store.find(b"a"), store.contains(b"a")), (None, true));
    }
}
