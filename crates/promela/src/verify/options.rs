//! How to verify.

use crate::reduce::PersistentAlgorithm;
use mazurka_core::{Limits, Reduction, Storage};

/// How snapshots are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SnapshotMethod {
    /// Freeze sets in their basis form: polynomial, for propositions that are about one component each.
    #[default]
    Basis,
    /// All states that were passed: exponential, for any proposition.
    Tracker,
}

/// How to search.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// How much to reduce.
    pub reduction: Reduction,
    /// With which persistent sets.
    pub persistent: PersistentAlgorithm,
    /// What to remember.
    pub storage: Storage,
    /// When to stop, and whom to tell how far it is.
    pub limits: Limits<'a>,
    /// Whether to find all violations rather than the first.
    pub all: bool,
    /// Whether to find a shortest counterexample, which takes a full search, breadth
    /// first.
    pub shortest: bool,
    /// Whether only executions count in which no process that can move for ever waits
    /// for ever.
    pub fair: bool,
    /// How snapshots are found.
    pub snapshots: SnapshotMethod,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self {
            reduction: Reduction::Full,
            persistent: PersistentAlgorithm::Conditional,
            storage: Storage::Exact,
            limits: Limits::default(),
            all: false,
            shortest: false,
            fair: false,
            snapshots: SnapshotMethod::Basis,
        }
    }
}
