//! The tree store: every state, folded into pairs (Laarman, van de Pol, Weber 2011).
//!
//! A state is cut into words of four bytes. Neighbours are paired, each pair is
//! looked up in a table and replaced by its place there, and so on until two words
//! are left: the root, which is the state. Neighbouring states of a system differ in
//! few bytes, so nearly all pairs below the root are there already, and a state
//! costs its root: eight bytes and a place in a table.
//!
//! Two states of one length are equal iff their roots are: which words are paired
//! depends on the length alone, and a table has a pair once. All levels share a
//! table, since the shape says what a word means. If lengths vary, the root pairs
//! the length with the top of the tree.

use super::chunked::Chunked;
use super::{Readable, Store, Stored};
use crate::ids::StateId;
use crate::narrow;
use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::cell::Cell;
use std::hash::BuildHasher;

/// A store that forgets nothing and shares what states have in common.
pub(crate) struct TreeStore {
    /// The length of all states, if it is one.
    fixed: Option<usize>,
    inner: Pairs,
    roots: Pairs,
    /// The state on top of the path, if it was asked for: unfolding it again is
    /// cheaper than keeping the path.
    current: Vec<u8>,
}

thread_local! {
    /// Working space for folding.
    static WORDS: Cell<Vec<u32>> = const { Cell::new(Vec::new()) };
}

/// A set of pairs, each with a place.
#[derive(Debug, Default)]
struct Pairs {
    table: HashTable<u32>,
    pairs: Chunked<u64>,
}

/// The result of offering a pair.
enum Place {
    Known(u32),
    New(u32),
    Full,
}

#[inline]
fn hash(pair: u64) -> u64 {
    FixedState::with_seed(0x0074_7265_6500_0000).hash_one(pair)
}

#[inline]
fn pair(left: u32, right: u32) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}

impl Pairs {
    #[inline]
    fn find(&self, pair: u64) -> Option<u32> {
        let found = self.table.find(hash(pair), |k| self.pairs.get(*k as usize) == pair);
        found.copied()
    }

    #[inline]
    fn insert(&mut self, pair: u64) -> Place {
        if let Some(place) = self.find(pair) {
            return Place::Known(place);
        }
        let Ok(place) = u32::try_from(self.pairs.len()) else {
            return Place::Full;
        };
        self.pairs.push(pair);
        let pairs = &self.pairs;
        self.table
            .insert_unique(hash(pair), place, |k| hash(pairs.get(*k as usize)));
        Place::New(place)
    }

    fn bytes(&self) -> usize {
        self.pairs.bytes() + self.table.allocation_size()
    }
}

impl TreeStore {
    /// An empty store for states of this length, or of varying length.
    pub(crate) fn new(state_len: Option<usize>) -> Self {
        Self {
            fixed: state_len,
            inner: Pairs::default(),
            roots: Pairs::default(),
            current: Vec::new(),
        }
    }

    /// How many words are left to be the root, besides the length.
    #[inline]
    fn top(&self) -> usize {
        if self.fixed.is_some() { 2 } else { 1 }
    }

    /// The root of a state, each inner pair of which `place` finds a place for.
    #[inline]
    fn fold(&self, words: &mut Vec<u32>, state: &[u8], mut place: impl FnMut(u64) -> Option<u32>) -> Option<u64> {
        debug_assert!(
            self.fixed.is_none_or(|len| len == state.len()),
            "all states have one length"
        );
        words.clear();
        let (whole, rest) = state.as_chunks::<4>();
        words.extend(whole.iter().map(|word| u32::from_le_bytes(*word)));
        if !rest.is_empty() {
            let mut last = [0; 4];
            last[..rest.len()].copy_from_slice(rest);
            words.push(u32::from_le_bytes(last));
        }
        while words.len() > self.top() {
            let pairs = words.len() / 2;
            for k in 0..pairs {
                words[k] = place(pair(words[2 * k], words[2 * k + 1]))?;
            }
            if words.len() % 2 == 1 {
                words[pairs] = words[2 * pairs];
            }
            words.truncate(words.len().div_ceil(2));
        }
        let first = words.first().copied().unwrap_or(0);
        match self.fixed {
            Some(_) => Some(pair(first, words.get(1).copied().unwrap_or(0))),
            None => Some(pair(u32::try_from(state.len()).ok()?, first)),
        }
    }
}

impl Store for TreeStore {
    fn insert(&mut self, state: &[u8]) -> Stored {
        let mut words = WORDS.take();
        let mut inner = std::mem::take(&mut self.inner);
        let root = self.fold(&mut words, state, |pair| match inner.insert(pair) {
            Place::Known(place) | Place::New(place) => Some(place),
            Place::Full => None,
        });
        self.inner = inner;
        WORDS.set(words);
        match root.map(|root| self.roots.insert(root)) {
            Some(Place::Known(place)) => Stored::Known(StateId::new(place as usize)),
            Some(Place::New(place)) => Stored::New(StateId::new(place as usize)),
            Some(Place::Full) | None => Stored::Full,
        }
    }

    fn find(&self, state: &[u8]) -> Option<StateId> {
        let mut words = WORDS.take();
        let root = self.fold(&mut words, state, |pair| self.inner.find(pair));
        WORDS.set(words);
        Some(StateId::new(self.roots.find(root?)? as usize))
    }

    #[inline]
    fn push(&mut self, _: StateId, state: &[u8]) {
        self.current.clear();
        self.current.extend_from_slice(state);
    }

    fn back_at(&mut self, id: StateId) {
        let mut current = std::mem::take(&mut self.current);
        self.read(id, &mut current);
        self.current = current;
    }

    #[inline]
    fn top(&self, _: StateId) -> &[u8] {
        &self.current
    }

    fn len(&self) -> usize {
        self.roots.pairs.len()
    }

    fn bytes(&self) -> usize {
        self.inner.bytes() + self.roots.bytes()
    }
}

impl Readable for TreeStore {
    fn read(&self, id: StateId, state: &mut Vec<u8>) {
        let root = self.roots.pairs.get(id.index());
        let (left, right) = narrow::halves(root);
        let mut words = WORDS.take();
        words.clear();
        let len = match self.fixed {
            Some(len) => {
                words.extend([left, right]);
                len
            }
            None => {
                words.push(right);
                left as usize
            }
        };
        let count = len.div_ceil(4);
        words.truncate(count);
        // How often a list of this length was halved is how often it is unfolded.
        let mut halvings = 0;
        while count.div_ceil(1 << halvings) > self.top() {
            halvings += 1;
        }
        for level in (0..halvings).rev() {
            let below = count.div_ceil(1 << level);
            words.resize(below, 0);
            if below % 2 == 1 {
                words[below - 1] = words[below / 2];
            }
            for k in (0..below / 2).rev() {
                let pair = self.inner.pairs.get(words[k] as usize);
                (words[2 * k], words[2 * k + 1]) = narrow::halves(pair);
            }
        }
        state.clear();
        state.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        state.truncate(len);
        WORDS.set(words);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    /// States of this length, or of any, that differ in few bytes.
    fn walk(fixed: Option<usize>, rng: &mut fastrand::Rng) {
        let mut store = TreeStore::new(fixed);
        let mut naive: HashMap<Vec<u8>, usize> = HashMap::new();
        let mut state = vec![0; fixed.unwrap_or(3)];
        let mut read = Vec::new();
        for _ in 0..500 {
            if fixed.is_none() && rng.u8(0..4) == 0 {
                state.resize(rng.usize(0..40), 0);
            }
            if !state.is_empty() {
                let k = rng.usize(0..state.len());
                state[k] = rng.u8(0..3);
            }
            assert_eq!(store.find(&state).map(StateId::index), naive.get(&state).copied());
            let expected = match naive.get(&state) {
                Some(id) => Stored::Known(StateId::new(*id)),
                None => Stored::New(StateId::new(naive.len())),
            };
            assert_eq!(store.insert(&state), expected);
            let new = naive.len();
            naive.entry(state.clone()).or_insert(new);
        }
        assert_eq!(store.len(), naive.len());
        for (state, id) in naive {
            store.read(StateId::new(id), &mut read);
            assert_eq!(read, state);
        }
    }

    #[test]
    fn states_have_one_id_each_and_can_be_read_again() {
        let mut rng = fastrand::Rng::with_seed(17);
        for len in 0..40 {
            walk(Some(len), &mut rng);
            walk(None, &mut rng);
        }
    }

    #[test]
    fn states_with_much_in_common_cost_little() {
        let mut store = TreeStore::new(Some(200));
        for k in 0..100_000_u32 {
            let mut state = [7; 200];
            state[(k % 50) as usize * 4] = (k / 50 % 256) as u8;
            state[100] = (k / 12_800) as u8;
            store.insert(&state);
        }
        let each = store.bytes() / store.len();
        assert!(each < 40, "{each} bytes for each of {} states", store.len());
    }
}
