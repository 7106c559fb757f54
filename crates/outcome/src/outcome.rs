//! The result of a search: the verdict, how the search ended, what it cost, and what was found.

use crate::{Doubt, End, Limit, Statistics, Verdict};
use std::ops::{Deref, DerefMut};

/// The result of a search. It dereferences to what was found.
///
/// ```
/// use mazurka_outcome::{End, Outcome, Statistics, Verdict};
///
/// let outcome = Outcome {
///     verdict: Verdict::Violated,
///     end: End::Stopped,
///     statistics: Statistics::default(),
///     found: vec!["a deadlock"],
/// };
/// assert_eq!(outcome.len(), 1);
/// assert!(!outcome.is_complete());
/// ```
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

impl<T> Outcome<T> {
    /// The result of a search that was never begun, or got nowhere.
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

    /// The same outcome with the bound that really stopped the search, if one did. Interrupted work does not know why it
    /// was interrupted.
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
    fn a_search_that_was_not_begun_says_why() {
        let outcome = Outcome::unanswered(Limit::Memory.into(), ());
        assert_eq!(outcome.limit(), Some(Limit::Memory));
        assert!(!outcome.verdict.is_conclusive() && !outcome.is_complete());
        assert_eq!(Outcome::unanswered(Doubt::Refused, ()).limit(), None);
    }
}
