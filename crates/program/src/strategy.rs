//! The searches that a user can choose from.

/// Which executions of a program are run.
///
/// ```
/// use mazurka::{Checker, Doubt, Strategy, Verdict, choose};
///
/// let random = Strategy::Random { seed: 7, executions: 20 };
/// let report = Checker::new().strategy(random).quiet(true).run(|| assert!(choose(3) < 3));
/// assert_eq!(report.executions, 20);
/// assert_eq!(report.verdict, Verdict::Inconclusive(Doubt::Sample));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Strategy {
    /// Every inequivalent execution exactly once: dynamic partial-order reduction with wakeup trees
    /// (Abdulla et al. 2017). The default.
    Optimal,
    /// Dynamic partial-order reduction with source sets. It is complete, but may start executions in vain.
    SourceSets,
    /// Selective search with sleep sets, and with persistent sets from the objects that threads declare to use
    /// ([`thread::Builder::uses`](crate::thread::Builder::uses)). Depending on the granularity, this is SSS, IF-SSS
    /// or SSS on composed transitions (Stoller 2000).
    Selective,
    /// Every interleaving. For comparison, and for very small programs.
    Exhaustive,
    /// Every interleaving with at most this many preemptions.
    PreemptionBound(u32),
    /// Random executions.
    Random {
        /// The seed of the random generator.
        seed: u64,
        /// The number of executions.
        executions: u64,
    },
    /// Executions with random priorities (Burckhardt et al. 2010).
    Pct {
        /// The seed of the random generator.
        seed: u64,
        /// The number of executions.
        executions: u64,
        /// The depth of the bugs to look for: one more than the number of priority changes.
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
    /// As [`Granularity::InvisibleFirst`], and critical sections that only read commute (Stoller, section 5).
    Composed,
}
