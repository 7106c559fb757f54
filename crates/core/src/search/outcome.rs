//! Results, the same at every door: a verdict with its strength, what was found, how the search ended, what it cost.
//!
//! What is found differs from door to door: paths of transitions for models in Rust, shown steps for Promela, cuts for
//! recorded runs. That is the parameter of [`Outcome`]; reports, JSON and exit codes read the rest, and need not know
//! the door.

use super::limits::{End, Limit};
use super::statistics::Statistics;
use std::fmt;
use std::ops::{Deref, DerefMut};

/// What came of a question. It can be used as what was found.
#[derive(Clone, Debug)]
pub struct Outcome<T> {
    /// The answer in one word.
    pub verdict: Verdict,
    /// How the search ended.
    pub end: End,
    /// What it cost.
    pub statistics: Statistics,
    /// What was found, and what shows the answer.
    pub found: T,
}

/// An answer, with its strength; from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// What was asked is true, in every execution that counts.
    Holds,
    /// Nothing was found, and here is why that proves nothing.
    Inconclusive(Doubt),
    /// It is not true, and something shows it.
    Violated,
}

/// Why nothing found proves nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum Doubt {
    /// The search ended early.
    #[error(transparent)]
    Limit(#[from] Limit),
    /// Persistent sets without a proviso find all deadlocks, but the model also
    /// states properties, or has transitions that might fail, which may have been
    /// ignored (thesis 6.1).
    #[error("the reduction finds all deadlocks, but without a proviso it may miss violations")]
    NoProviso,
    /// Some executions end in a fault before they could be followed to where it matters.
    #[error("not every execution was explored")]
    Unexplored,
    /// There was no search: this cannot be checked.
    #[error("it cannot be checked")]
    Refused,
}

impl Verdict {
    /// In one word, as reports and JSON say it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Inconclusive(_) => "inconclusive",
            Self::Violated => "violated",
        }
    }

    /// What a search proves that ended like this and found nothing.
    pub fn of_no_findings(end: End) -> Self {
        match end {
            End::Complete => Self::Holds,
            End::Limit(limit) => Self::Inconclusive(limit.into()),
            End::Stopped => Self::Inconclusive(Doubt::Unexplored),
        }
    }

    /// Whether there is an answer.
    pub fn is_conclusive(self) -> bool {
        !matches!(self, Self::Inconclusive(_))
    }

    /// Whether what was asked is true, if that is known.
    pub fn truth(self) -> Option<bool> {
        match self {
            Self::Holds => Some(true),
            Self::Violated => Some(false),
            Self::Inconclusive(_) => None,
        }
    }

    /// The verdict on the contrary.
    #[must_use]
    pub fn negated(self) -> Self {
        match self {
            Self::Holds => Self::Violated,
            Self::Violated => Self::Holds,
            doubtful => doubtful,
        }
    }
}

impl From<bool> for Verdict {
    fn from(holds: bool) -> Self {
        match holds {
            true => Self::Holds,
            false => Self::Violated,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl<T> Outcome<T> {
    /// A search that was never begun, or did not get anywhere.
    pub fn unanswered(doubt: Doubt, found: T) -> Self {
        Self {
            verdict: Verdict::Inconclusive(doubt),
            end: match doubt {
                Doubt::Limit(limit) => End::Limit(limit),
                _ => End::Stopped,
            },
            statistics: Statistics::default(),
            found,
        }
    }

    /// The same, if this is the bound that really stopped it: work that was interrupted knows only that.
    #[must_use]
    pub fn stopped_by(mut self, limit: Limit) -> Self {
        if self.end.limit().is_some() {
            self.end = End::Limit(limit);
        }
        if matches!(self.verdict, Verdict::Inconclusive(Doubt::Limit(_))) {
            self.verdict = Verdict::Inconclusive(limit.into());
        }
        self
    }

    /// Whether everything that the reduction selects was explored.
    pub fn is_complete(&self) -> bool {
        self.end == End::Complete
    }

    /// The bound that the search met, if it met one.
    pub fn limit(&self) -> Option<Limit> {
        self.end.limit()
    }
}

impl<T> Deref for Outcome<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.found
    }
}

impl<T> DerefMut for Outcome<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_of_several_verdicts_is_the_greatest() {
        let doubtful = Verdict::Inconclusive(Doubt::Limit(Limit::Time));
        assert!(Verdict::Holds < doubtful && doubtful < Verdict::Violated);
        assert_eq!(doubtful.negated(), doubtful);
        assert_eq!(Verdict::from(true).negated(), Verdict::Violated);
        for verdict in [Verdict::Holds, Verdict::Violated] {
            assert_eq!(verdict.truth().map(Verdict::from), Some(verdict));
        }
        assert_eq!(doubtful.truth(), None);
    }

    #[test]
    fn a_search_that_was_not_begun_says_why() {
        let outcome = Outcome::unanswered(Limit::Memory.into(), ());
        assert_eq!(outcome.limit(), Some(Limit::Memory));
        assert!(!outcome.verdict.is_conclusive() && !outcome.is_complete());
        assert_eq!(Outcome::unanswered(Doubt::Refused, ()).limit(), None);
    }
}
