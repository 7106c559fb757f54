//! Why a search that found nothing proves nothing.

use crate::Limit;
use std::error::Error;
use std::fmt;

/// Why a search that found nothing proves nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Doubt {
    /// The search met a bound.
    Limit(Limit),
    /// Persistent sets without a proviso find all deadlocks, but the model also
    /// states properties, or has transitions that might fail, which may have been
    /// ignored (thesis 6.1).
    NoProviso,
    /// Some executions were not explored, or not far enough: they end in a fault too early, for example.
    Unexplored,
    /// There was no search: this cannot be checked.
    Refused,
    /// The strategy runs a sample of the executions, chosen at random.
    Sample,
    /// One execution was run again, from its token.
    Replay,
    /// Part of the program is not under control: it keeps a value from one execution to the next, for example.
    Uncontrolled,
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Limit(limit) => return limit.fmt(f),
            Self::NoProviso => "the reduction finds all deadlocks, but without a proviso it may miss violations",
            Self::Unexplored => "not every execution was explored",
            Self::Refused => "it cannot be checked",
            Self::Sample => "only a random sample of the executions was run",
            Self::Replay => "only one execution was run again",
            Self::Uncontrolled => "part of the program is not under control",
        })
    }
}

impl Error for Doubt {}

impl From<Limit> for Doubt {
    fn from(limit: Limit) -> Self {
        Self::Limit(limit)
    }
}
