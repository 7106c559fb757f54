//! The flat store: it keeps the bytes of every state.
//!
//! States lie one after the other in large chunks that are never moved, so that
//! memory grows with the states and not by doubling. An open-addressing table
//! holds their ids. If all states have the same length, an id tells where its state
//! is. Otherwise a list of places does, five bytes each, and the length is stored
//! before the state, seven bits to a byte.
//!
//! Besides its bytes, a state costs 5.7 to 11.4 bytes of the table (which doubles
//! when it is 7/8 full) and, if lengths vary, six.

use super::chunked::Chunked;
use super::{Readable, Store, Stored, hash};
use crate::ids::StateId;
use crate::narrow;
use hashbrown::HashTable;

/// A store that forgets nothing.
#[derive(Debug)]
pub(crate) struct FlatStore {
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
    /// Without `fixed`: where the length of each state lies, before its bytes.
    places: Chunked<Place>,
    count: usize,
}

/// The number of a chunk in three bytes, and the offset in it in two: enough for a
/// terabyte of chunks. A chunk that is larger than that holds a single state.
#[derive(Clone, Copy, Debug)]
struct Place([u8; 5]);

/// How many chunks a place can tell apart.
const CHUNKS: usize = 1 << 24;

impl Place {
    #[inline]
    fn new(chunk: usize, at: usize) -> Self {
        debug_assert!(chunk < CHUNKS && at < CHUNK);
        let [a, b, c, d, e, ..] = ((chunk as u64) << 16 | at as u64).to_le_bytes();
        Self([a, b, c, d, e])
    }

    #[inline]
    fn get(self) -> (usize, usize) {
        let Self([a, b, c, d, e]) = self;
        let place = u64::from_le_bytes([a, b, c, d, e, 0, 0, 0]);
        (narrow::index(place >> 16), narrow::index(place) & (CHUNK - 1))
    }
}

/// A length, seven bits to a byte, the low ones first; all bytes but the last have
/// their high bit set. Returns how many bytes there are.
#[inline]
fn encode(mut len: usize, out: &mut [u8; 10]) -> usize {
    let mut k = 0;
    while len >= 0x80 {
        out[k] = narrow::low_byte(len) | 0x80;
        len >>= 7;
        k += 1;
    }
    out[k] = narrow::low_byte(len);
    k + 1
}

/// The length that begins at `at`, and where it ends.
#[inline]
fn decode(bytes: &[u8], mut at: usize) -> (usize, usize) {
    let (mut len, mut shift) = (0, 0);
    loop {
        let byte = bytes[at];
        len |= usize::from(byte & 0x7f) << shift;
        at += 1;
        shift += 7;
        if byte & 0x80 == 0 {
            return (len, at);
        }
    }
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
                let (chunk, at) = self.places.get(id).get();
                let chunk = &self.chunks[chunk];
                let (len, at) = decode(chunk, at);
                &chunk[at..at + len]
            }
        }
    }

    fn push(&mut self, state: &[u8]) -> usize {
        match self.fixed {
            Some(len) => {
                debug_assert_eq!(len, state.len(), "all states have one length");
                if self.count == self.chunks.len() << self.shift {
                    self.chunks.push(Vec::with_capacity((len << self.shift).max(1)));
                }
            }
            None => {
                let mut length = [0; 10];
                let bytes = encode(state.len(), &mut length);
                let needed = bytes + state.len();
                let fits = |chunk: &Vec<u8>| chunk.len() < CHUNK && chunk.capacity() - chunk.len() >= needed;
                if !self.chunks.last().is_some_and(fits) {
                    self.chunks.push(Vec::with_capacity(CHUNK.max(needed)));
                }
                let number = self.chunks.len() - 1;
                let chunk = &mut self.chunks[number];
                self.places.push(Place::new(number, chunk.len()));
                chunk.extend_from_slice(&length[..bytes]);
            }
        }
        let chunk = self.chunks.last_mut().expect("just made sure");
        chunk.extend_from_slice(state);
        self.count += 1;
        self.count - 1
    }

    /// Whether there is no number for another state.
    #[inline]
    fn is_full(&self) -> bool {
        self.count == u32::MAX as usize || (self.fixed.is_none() && self.chunks.len() == CHUNKS)
    }
}

impl FlatStore {
    /// An empty store for states of this length, or of varying length.
    pub(crate) fn new(state_len: Option<usize>) -> Self {
        Self {
            table: HashTable::new(),
            states: States {
                fixed: state_len,
                shift: (CHUNK / state_len.unwrap_or(1).max(1)).max(1).ilog2(),
                chunks: Vec::new(),
                places: Chunked::default(),
                count: 0,
            },
        }
    }
}

impl Store for FlatStore {
    #[inline]
    fn insert(&mut self, state: &[u8]) -> Stored {
        let Self { table, states } = self;
        let hash_of = hash(state);
        if let Some(id) = table.find(hash_of, |id| states.get(*id as usize) == state) {
            return Stored::Known(StateId::new(*id as usize));
        }
        if states.is_full() {
            return Stored::Full;
        }
        let id = states.push(state);
        table.insert_unique(hash_of, narrow::short(id), |id| hash(states.get(*id as usize)));
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
            + self.states.places.bytes()
            + self.states.chunks.capacity() * size_of::<Vec<u8>>()
            + self.table.allocation_size()
    }
}

impl Readable for FlatStore {
    #[inline]
    fn read(&self, id: StateId, state: &mut Vec<u8>) {
        state.clear();
        state.extend_from_slice(self.states.get(id.index()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_of_any_length_lie_where_they_were_put() {
        let mut rng = fastrand::Rng::with_seed(1);
        let mut store = FlatStore::new(None);
        let mut states: Vec<Vec<u8>> = Vec::new();
        for k in 0..3000_u32 {
            let len = match k {
                0 => 0,
                1 => 2 * CHUNK,
                _ => rng.usize(4..300),
            };
            let mut state = vec![k as u8; len];
            if len >= 4 {
                state[..4].copy_from_slice(&k.to_le_bytes());
            }
            assert_eq!(store.find(&state), None);
            assert_eq!(store.insert(&state), Stored::New(StateId::new(k as usize)));
            states.push(state);
        }
        for (k, state) in states.iter().enumerate() {
            assert_eq!(store.top(StateId::new(k)), state);
            assert_eq!(store.insert(state), Stored::Known(StateId::new(k)));
        }
    }

    #[test]
    fn a_short_state_costs_its_bytes_and_little_more() {
        for (fixed, most) in [(Some(8), 12), (None, 18)] {
            let mut store = FlatStore::new(fixed);
            for k in 0..200_000_u64 {
                store.insert(&k.to_le_bytes());
            }
            let each = store.bytes() / store.len() - 8;
            assert!(each < most, "{each} bytes more for each state");
        }
    }
}
