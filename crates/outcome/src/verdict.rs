//! The answer to a question, with its strength.

use crate::{Doubt, End};
use std::fmt;

/// An answer with its strength. Verdicts are ordered from best to worst.
///
/// ```
/// use mazurka_outcome::{Doubt, End, Limit, Verdict};
///
/// assert_eq!(Verdict::of_no_findings(End::Complete), Verdict::Holds);
/// let bounded = Verdict::of_no_findings(End::Limit(Limit::Time));
/// assert_eq!(bounded, Verdict::Inconclusive(Doubt::Limit(Limit::Time)));
/// assert_eq!(bounded.max(Verdict::Holds).name(), "inconclusive");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// What was asked is true, in every execution that counts.
    Holds,
    /// Nothing was found, but that proves nothing; the doubt says why.
    Inconclusive(Doubt),
    /// What was asked is not true, and something shows it.
    Violated,
}

impl Verdict {
    /// The verdict in one word, as in reports and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Inconclusive(_) => "inconclusive",
            Self::Violated => "violated",
        }
    }

    /// The verdict of a search that found nothing and ended like this.
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

    /// The verdict on the negated question.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limit;

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
}
