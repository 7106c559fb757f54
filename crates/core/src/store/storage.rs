//! Which stores there are: the one place that lists them.
//!
//! A new store is a file beside this one, and its lines here: what to call it, what it takes, how to open it.

use super::{BitstateStore, CacheStore, ExactStore, PathStore, Readable, Store, TreeStore};

/// What to remember.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Storage {
    /// Every state.
    Exact,
    /// Every state, folded so that states share what they have in common: a state
    /// costs some 20 to 40 bytes however long it is, and twice the time.
    Collapse,
    /// Hashes of states in a fixed number of bytes: for more states than memory can
    /// hold. States are missed, so a search that ends without a limit ends with
    /// [`Limit::Bitstate`](crate::Limit::Bitstate). An observer sees the depth of a
    /// state as its id.
    Bitstate {
        /// How many bytes.
        bytes: usize,
        /// Which hash functions: other ones miss other states.
        seed: u64,
    },
    /// At most this many states (thesis 8.4).
    Cache(usize),
    /// The current path alone: for systems of states of one length of which a
    /// search with sleep sets reaches none twice, such as the histories of a
    /// computation. Elsewhere it is right, but may take exponentially longer, and
    /// does not end on a cycle.
    Path,
}

/// A store that can be asked for by name.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct NamedStore {
    /// What it is called.
    pub name: &'static str,
    /// What it takes.
    pub size: StoreSize,
    /// It, with that size.
    pub make: fn(usize) -> Storage,
}

/// What a store has to be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreSize {
    /// Nothing.
    None,
    /// How many states it holds.
    States,
    /// How many bytes it has.
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
        matches!(self, Self::Exact | Self::Collapse)
    }

    /// An empty store for states of this length, or of any.
    pub(crate) fn open(self, len: Option<usize>) -> Box<dyn Store> {
        match self {
            Self::Exact => Box::new(ExactStore::new(len)),
            Self::Collapse => Box::new(TreeStore::new(len)),
            Self::Bitstate { bytes, seed } => Box::new(BitstateStore::new(bytes, seed)),
            Self::Cache(states) => Box::new(CacheStore::new(states)),
            Self::Path => Box::new(PathStore::new(len.expect("refused before: states of any length"))),
        }
    }

    /// The same, if states can be read back by their ids.
    pub(crate) fn open_readable(self, len: Option<usize>) -> Option<Box<dyn Readable>> {
        match self {
            Self::Exact => Some(Box::new(ExactStore::new(len))),
            Self::Collapse => Some(Box::new(TreeStore::new(len))),
            Self::Bitstate { .. } | Self::Cache(_) | Self::Path => None,
        }
    }
}
