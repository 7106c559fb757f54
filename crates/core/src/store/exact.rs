//! Every state, for ever.
//!
//! States lie one after the other in large chunks that are never moved, so that
//! memory grows with the states and not by doubling. An open-addressing table
//! holds their ids. If all states have one length, an id tells where its state
//! is; otherwise a list of places does.

use super::{Readable, Store, Stored, hash};
use crate::ids::StateId;
use hashbrown::HashTable;

/// A store that forgets nothing.
#[derive(Debug)]
pub(crate) struct ExactStore {
    table: HashTable<u32>,
    states: States,
}

/// Bytes of a chunk, unless a single state is larger.
const CHUNK: usize = 1 << 16;

#[derive(Debug)]
struct States {
    /// The length of all states, if it is one.
    fixed: Option<usize>,
    /// With `fixed`: a chunk holds 2^shift states.
    shift: u32,
    chunks: Vec<Vec<u8>>,
    /// Without `fixed`: chunk, offset and length of each state.
    places: Vec<(u32, u32, u32)>,
    count: usize,
}

impl States {
    #[inline]
    fn get(&self, id: usize) -> &[u8] {
        match self.fixed {
            Some(len) => {
                let at = (id & ((1 << self.shift) - 1)) * len;
                &self.chunks[id >> self.shift][at..at + len]
            }
            None => {
                let (chunk, at, len) = self.places[id];
                &self.chunks[chunk as usize][at as usize..(at + len) as usize]
            }
        }
    }

    fn push(&mut self, state: &[u8]) -> usize {
        let room = |chunk: &Vec<u8>| chunk.capacity() - chunk.len() >= state.len();
        let fits = match self.fixed {
            Some(len) => {
                debug_assert_eq!(len, state.len(), "all states have one length");
                self.count < self.chunks.len() << self.shift
            }
            None => self.chunks.last().is_some_and(room),
        };
        if !fits {
            let capacity = match self.fixed {
                Some(len) => (len << self.shift).max(1),
                None => CHUNK.max(state.len()),
            };
            self.chunks.push(Vec::with_capacity(capacity));
        }
        let number = self.chunks.len() as u32 - 1;
        let chunk = self.chunks.last_mut().expect("just made sure");
        if self.fixed.is_none() {
            self.places.push((number, chunk.len() as u32, state.len() as u32));
        }
        chunk.extend_from_slice(state);
        self.count += 1;
        self.count - 1
    }
}

impl ExactStore {
    /// For states of this length, or of varying length.
    pub(crate) fn new(state_len: Option<usize>) -> Self {
        Self {
            table: HashTable::new(),
            states: States {
                fixed: state_len,
                shift: (CHUNK / state_len.unwrap_or(1).max(1)).max(1).ilog2(),
                chunks: Vec::new(),
                places: Vec::new(),
                count: 0,
            },
        }
    }
}

impl Store for ExactStore {
    #[inline]
    fn insert(&mut self, state: &[u8]) -> Stored {
        let Self { table, states } = self;
        let hash_of = hash(state);
        if let Some(id) = table.find(hash_of, |id| states.get(*id as usize) == state) {
            return Stored::Known(StateId::new(*id as usize));
        }
        if states.count == u32::MAX as usize {
            return Stored::Full;
        }
        let id = states.push(state);
        table.insert_unique(hash_of, id as u32, |id| hash(states.get(*id as usize)));
        Stored::New(StateId::new(id))
    }

    #[inline]
    fn find(&self, state: &[u8]) -> Option<StateId> {
        let found = self
            .table
            .find(hash(state), |id| self.states.get(*id as usize) == state);
        found.map(|id| StateId::new(*id as usize))
    }

    #[inline]
    fn top(&self, id: StateId) -> &[u8] {
        self.states.get(id.index())
    }

    fn len(&self) -> usize {
        self.states.count
    }

    fn bytes(&self) -> usize {
        // What is reserved and not yet used of the last chunk is not touched.
        let chunks: usize = self.states.chunks.iter().map(Vec::len).sum();
        chunks
            + self.states.places.capacity() * size_of::<(u32, u32, u32)>()
            + self.states.chunks.capacity() * size_of::<Vec<u8>>()
            + self.table.allocation_size()
    }
}

impl Readable for ExactStore {
    #[inline]
    fn read(&self, id: StateId, state: &mut Vec<u8>) {
        state.clear();
        state.extend_from_slice(self.states.get(id.index()));
    }
}
