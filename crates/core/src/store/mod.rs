//! Where visited states are kept.
//!
//! A store gives states small ids. Ids are dense; a caching store reuses an id when it
//! forgets a state. Not every store can turn an id back into bytes, so a search that
//! needs the bytes of any state asks for [`Readable`]. A depth-first search needs only
//! the bytes of the state on top of its path, and tells the store how the path grows
//! and shrinks: a store that can look them up need not keep them twice.
//!
//! This file lists the stores. A new one is a file beside it and a few lines here: its name, its size, how to open
//! it.

mod bitstate;
mod bucket;
mod cache;
mod chunked;
mod filter;
mod flat;
mod index;
mod known;
mod node;
mod numbering;
mod packed;
mod path;
mod trail;
mod traits;
mod tree;

pub use known::KnownStates;

pub(crate) use flat::FlatStore;
pub(crate) use path::PathStore;
pub(crate) use traits::{Readable, Store, Stored};
pub(crate) use tree::TreeStore;

use crate::search::Unsupported;
use bitstate::BitstateStore;
use cache::CacheStore;
use foldhash::fast::FixedState;
use std::hash::BuildHasher;

/// Which states a search remembers.
///
/// ```
/// use mazurka_core::{Builder, Search, Storage};
/// # let mut m = Builder::new("m");
/// let [a0, a1] = m.process("A", ["a0", "a1"]);
/// m.transition("a", a0, a1);
/// let model = m.build()?;
/// let exact = Search::new(&model).store(Storage::Exact).run()?;
/// let folded = Search::new(&model).store(Storage::Collapse).run()?;
/// assert_eq!(exact.statistics.states, folded.statistics.states);
/// assert!(Storage::Collapse.keeps_every_state() && !Storage::Cache(100).keeps_every_state());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Storage {
    /// Every state, folded so that states share what they have in common: a state
    /// costs some 8 to 16 bytes, however long it is.
    Exact,
    /// The same as [`Exact`](Self::Exact), by the name that SPIN has for a store that folds states.
    Collapse,
    /// Every state with all its bytes. It takes more memory, but not much more time, if states have little in common.
    Flat,
    /// Hashes of states in a fixed number of bytes: for more states than memory can
    /// hold. States are missed, so a search that ends without a limit ends with
    /// [`Limit::Bitstate`](crate::Limit::Bitstate). An observer sees the depth of a
    /// state as its id.
    Bitstate {
        /// The number of bytes.
        bytes: usize,
        /// The choice of hash functions: different ones miss different states.
        seed: u64,
    },
    /// At most this many states (thesis 8.4).
    Cache(usize),
    /// Only the current path. For systems whose states have one length and are never
    /// reached twice by a search with sleep sets, such as the histories of a
    /// computation. For others the answers are right, but the search may take
    /// exponentially longer, and does not end on a cycle.
    Path,
}

/// A store with a name, for command lines.
///
/// ```
/// # use mazurka_core::Storage;
/// let cache = Storage::NAMED.iter().find(|store| store.name == "cache").expect("it is listed");
/// assert_eq!((cache.make)(1000), Storage::Cache(1000));
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct NamedStore {
    /// Its name.
    pub name: &'static str,
    /// The size that it needs.
    pub size: StoreSize,
    /// The store with that size.
    pub make: fn(usize) -> Storage,
}

/// What the size of a store means. The enum is exhaustive, so that a command line has a way to write each size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreSize {
    /// It has no size.
    None,
    /// The number of states that it holds.
    States,
    /// The number of bytes that it takes.
    Bytes,
}

impl Storage {
    /// The stores that a search of any system can use.
    pub const NAMED: &[NamedStore] = &[
        NamedStore {
            name: "exact",
            size: StoreSize::None,
            make: |_| Self::Exact,
        },
        NamedStore {
            name: "collapse",
            size: StoreSize::None,
            make: |_| Self::Collapse,
        },
        NamedStore {
            name: "flat",
            size: StoreSize::None,
            make: |_| Self::Flat,
        },
        NamedStore {
            name: "cache",
            size: StoreSize::States,
            make: Self::Cache,
        },
        NamedStore {
            name: "bitstate",
            size: StoreSize::Bytes,
            make: |bytes| Self::Bitstate { bytes, seed: 1 },
        },
    ];

    /// Whether no state is ever forgotten or taken for another.
    pub fn keeps_every_state(self) -> bool {
        matches!(self, Self::Exact | Self::Collapse | Self::Flat)
    }

    /// Whether a stored state has an id of its own. Sleep sets and the component proviso are kept with ids.
    pub fn identifies_states(self) -> bool {
        !matches!(self, Self::Bitstate { .. })
    }

    /// Whether it is only for systems in which a search reaches no state twice.
    pub fn is_for_trees(self) -> bool {
        self == Self::Path
    }

    /// Why the store could hold nothing, if that is so.
    pub(crate) fn defect(self) -> Option<Unsupported> {
        match self {
            Self::Bitstate { bytes: 0, .. } => Some(Unsupported::EmptyBitstate),
            Self::Cache(0) => Some(Unsupported::EmptyCache),
            _ => None,
        }
    }

    /// The same store with other hash functions, if it can miss states.
    pub fn with_seed(self, seed: u64) -> Self {
        match self {
            Self::Bitstate { bytes, .. } => Self::Bitstate { bytes, seed },
            other => other,
        }
    }

    /// An empty store for states of this length, or of any.
    pub(crate) fn open(self, len: Option<usize>) -> Box<dyn Store> {
        match self {
            Self::Exact | Self::Collapse => Box::new(TreeStore::new()),
            Self::Flat => Box::new(FlatStore::new(len)),
            Self::Bitstate { bytes, seed } => Box::new(BitstateStore::new(bytes, seed)),
            Self::Cache(states) => Box::new(CacheStore::new(states)),
            Self::Path => Box::new(PathStore::new(len.expect("refused before: states of any length"))),
        }
    }

    /// The same, for a store from which states can be read back by their ids.
    pub(crate) fn open_readable(self, len: Option<usize>) -> Option<Box<dyn Readable + Send + Sync>> {
        match self {
            Self::Exact | Self::Collapse => Some(Box::new(TreeStore::new())),
            Self::Flat => Some(Box::new(FlatStore::new(len))),
            Self::Bitstate { .. } | Self::Cache(_) | Self::Path => None,
        }
    }
}

#[inline]
fn hash(state: &[u8]) -> u64 {
    FixedState::with_seed(0x006d_617a_7572_6b61).hash_one(state)
}
