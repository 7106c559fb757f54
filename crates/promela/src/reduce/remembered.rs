//! Sets that were chosen before.
//!
//! Where the processes are, what is executable, and the answers to the [questions](super::inquiry) that were asked on the way decide which set
//! is chosen. The first two are the key of a table, and the questions a tree of [decisions](super::decisions) for each key. In most models there are a
//! hundred times as many states as leaves of these trees.
//!
//! In others, nearly every state has a key of its own. So the table is left alone for a while whenever it was of little use lately, and it
//! takes no more than a few bytes for each time that it was asked.

use super::decisions::Decisions;
use super::inquiry::Answer;
use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

/// The table.
#[derive(Clone, Debug, Default)]
pub(super) struct Remembered {
    table: HashTable<Entry>,
    keys: Vec<u8>,
    decisions: Decisions,
    /// The key that is being looked up.
    pub(super) key: Vec<u8>,
    root: Option<u32>,
    asked: u64,
    /// In the current window of [`WINDOW`] times.
    tried: u32,
    found: u32,
    /// How many times it is not asked.
    rests: u32,
    hits: u64,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    /// Where its key begins.
    key: u32,
    len: u32,
    root: u32,
}

const WINDOW: u32 = 1 << 13;

/// Bytes that may be used at any rate, for each time it was asked, and in all.
const FREE: usize = 4 << 20;
const EACH: usize = 24;
const MOST: usize = 256 << 20;

fn hash(key: &[u8]) -> u64 {
    FixedState::with_seed(0x7365_7473).hash_one(key)
}

impl Remembered {
    /// Whether to ask now.
    #[inline]
    pub(super) fn is_worth_asking(&mut self) -> bool {
        self.asked += 1;
        if self.rests > 0 {
            self.rests -= 1;
            return false;
        }
        true
    }

    /// The result for the key, if the answers lead to one.
    #[inline]
    pub(super) fn find(&mut self, answer: impl FnMut(u32) -> Answer) -> Option<u32> {
        self.tried += 1;
        if self.tried == WINDOW {
            if self.found < WINDOW / 4 {
                self.rests = 4 * WINDOW;
            }
            (self.tried, self.found) = (0, 0);
        }
        let Self { table, keys, key, .. } = self;
        let of = |entry: &Entry| &keys[entry.key as usize..][..entry.len as usize];
        let entry = table.find(hash(key), |entry| of(entry) == key);
        self.root = entry.map(|entry| entry.root);
        let found = self.decisions.find(self.root?, answer);
        self.found += u32::from(found.is_some());
        self.hits += u64::from(found.is_some());
        found
    }

    /// How often a result was found.
    pub(super) fn hits(&self) -> u64 {
        self.hits
    }

    /// Keeps a result for the key that was looked up last, and the answers that lead to it.
    pub(super) fn learn(&mut self, asked: &[(u32, Answer)], result: u32) {
        let most = FREE + usize::try_from(self.asked).map_or(usize::MAX / 2, |asked| asked * EACH);
        if self.bytes() > most.min(MOST) || self.keys.len() + self.key.len() > u32::MAX as usize {
            return;
        }
        let root = match self.root {
            Some(root) => root,
            None => self.add(),
        };
        self.decisions.learn(root, asked, result);
    }

    /// Adds the key with an empty tree.
    fn add(&mut self) -> u32 {
        let root = self.decisions.plant();
        let Self { table, keys, key, .. } = self;
        let entry = Entry {
            key: crate::narrow::index(keys.len()),
            len: crate::narrow::index(key.len()),
            root,
        };
        keys.extend_from_slice(key);
        table.insert_unique(hash(key), entry, |entry| {
            hash(&keys[entry.key as usize..][..entry.len as usize])
        });
        root
    }

    /// Bytes of memory held.
    pub(super) fn bytes(&self) -> usize {
        self.table.allocation_size() + self.keys.capacity() + self.decisions.bytes()
    }
}
