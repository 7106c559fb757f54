//! The searches that a user can ask for.

/// How the executions of a program are gone through.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Strategy {
    /// Every inequivalent execution exactly once: dynamic partial-order reduction with wakeup trees
    /// (Abdulla et al. 2017). The default.
    Optimal,
    /// Dynamic partial-order reduction with source sets: complete, may start executions in vain.
    SourceSets,
    /// Selective search with sleep sets and with persistent sets from what threads declare to use
    /// ([`thread::Builder::uses`](crate::thread::Builder::uses)): SSS and, by the granularity, IF-SSS
    /// and SSS on composed transitions (Stoller 2000).
    Selective,
    /// Every interleaving. For comparison, and for very small programs.
    Exhaustive,
    /// Every interleaving with at most this many preemptions.
    PreemptionBound(u32),
    /// So many random executions.
    Random {
        /// Where the generator starts.
        seed: u64,
        /// How many executions.
        executions: u64,
    },
    /// So many executions with random priorities (Burckhardt et al. 2010).
    Pct {
        /// Where the generator starts.
        seed: u64,
        /// How many executions.
        executions: u64,
        /// The depth of the bugs looked for: one more than the number of priority changes.
        depth: u32,
    },
}

/// What counts as one transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Granularity {
    /// Every operation, releases of locks and accesses to tracked cells included.
    Fine,
    /// A visible operation and the invisible ones that follow it (Stoller, section 4).
    InvisibleFirst,
    /// The same, and critical sections that only read commute (Stoller, section 5).
    Composed,
}
