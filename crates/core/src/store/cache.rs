//! State-space caching (thesis 8.4): at most N states, the search still complete.
//!
//! States of the current path are pinned. When the cache is full, it forgets the
//! oldest state that is not pinned and was not met again since the cache last
//! looked at it (the clock, or second chance: nearly the least recently used). A
//! depth-first search that keeps its path terminates whatever else is forgotten.
//! Forgetting costs time, since a state that is met again is explored again, but it
//! never changes an answer.

use super::{Store, Stored, hash};
use crate::ids::StateId;
use crate::narrow;
use crate::search::Limit;
use hashbrown::HashTable;

/// A store of bounded size.
#[derive(Debug)]
pub(crate) struct CacheStore {
    capacity: usize,
    table: HashTable<u32>,
    slots: Vec<Slot>,
    /// The next slot to look at when room is needed.
    hand: usize,
    cleared: u64,
    /// Bytes of the states in the slots.
    held: usize,
}

#[derive(Debug)]
struct Slot {
    state: Vec<u8>,
    pinned: bool,
    /// Met again since the hand went over it.
    met: bool,
}

impl CacheStore {
    /// A store of at most `capacity` states.
    pub(crate) fn new(capacity: usize) -> Self {
        Self {
            capacity: capacity.min(u32::MAX as usize),
            table: HashTable::new(),
            slots: Vec::new(),
            hand: 0,
            cleared: 0,
            held: 0,
        }
    }

    /// The next slot to reuse, after at most two rounds.
    fn victim(&mut self) -> Option<usize> {
        for _ in 0..2 * self.slots.len() {
            let slot = self.hand;
            self.hand = (self.hand + 1) % self.slots.len();
            let Slot { pinned, met, .. } = &mut self.slots[slot];
            if !*pinned && !std::mem::replace(met, false) {
                return Some(slot);
            }
        }
        None
    }
}

impl Store for CacheStore {
    fn reuses_ids(&self) -> bool {
        true
    }

    fn full(&self) -> Limit {
        Limit::Cache
    }

    fn insert(&mut self, state: &[u8]) -> Stored {
        if let Some(id) = self.find(state) {
            self.slots[id.index()].met = true;
            return Stored::Known(id);
        }
        let slot = if self.slots.len() < self.capacity {
            let state = state.to_vec();
            self.held += state.capacity();
            self.slots.push(Slot {
                state,
                pinned: false,
                met: false,
            });
            self.slots.len() - 1
        } else {
            let Some(slot) = self.victim() else {
                return Stored::Full;
            };
            let old = hash(&self.slots[slot].state);
            let entry = self.table.find_entry(old, |id| *id as usize == slot);
            entry.expect("a stored state is in the table").remove();
            self.cleared += 1;
            let place = &mut self.slots[slot].state;
            self.held -= place.capacity();
            place.clear();
            place.extend_from_slice(state);
            self.held += place.capacity();
            slot
        };
        let slots = &self.slots;
        let rehash = |id: &u32| hash(&slots[*id as usize].state);
        self.table.insert_unique(hash(state), narrow::short(slot), rehash);
        Stored::New(StateId::new(slot))
    }

    fn find(&self, state: &[u8]) -> Option<StateId> {
        let found = self
            .table
            .find(hash(state), |id| self.slots[*id as usize].state == state);
        found.map(|id| StateId::new(*id as usize))
    }

    fn top(&self, id: StateId) -> &[u8] {
        &self.slots[id.index()].state
    }

    fn push(&mut self, id: StateId, _: &[u8]) {
        self.slots[id.index()].pinned = true;
    }

    fn unpin(&mut self, id: StateId) {
        self.slots[id.index()].pinned = false;
    }

    fn len(&self) -> usize {
        self.slots.len()
    }

    fn cleared(&self) -> u64 {
        self.cleared
    }

    fn bytes(&self) -> usize {
        self.held + self.slots.capacity() * size_of::<Slot>() + self.table.allocation_size()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_state_makes_room_unless_it_is_pinned_or_was_met() {
        let mut cache = CacheStore::new(2);
        let Stored::New(a) = cache.insert(b"a") else { panic!() };
        cache.push(a, b"a");
        assert!(matches!(cache.insert(b"b"), Stored::New(_)));
        assert!(matches!(cache.insert(b"c"), Stored::New(_)));
        assert_eq!((cache.find(b"a"), cache.find(b"b")), (Some(a), None));
        assert_eq!((cache.len(), cache.cleared()), (2, 1));
        let Stored::Known(c) = cache.insert(b"c") else { panic!() };
        cache.push(c, b"c");
        assert_eq!(cache.insert(b"d"), Stored::Full);
        cache.unpin(a);
        assert_eq!(cache.insert(b"d"), Stored::New(a));
        cache.unpin(c);
        assert_eq!(cache.insert(b"d"), Stored::Known(a));
        assert_eq!(cache.insert(b"e"), Stored::New(c), "d was met again");
    }
}
