//! The value of a predicate on a cut: true, false, or an error.
//!
//! The connectives are Kleene's, as in the Common Expression Language: an operand
//! that determines the result does so even if the other one is an error, on either
//! side.

use std::ops::Not;

/// The value of a predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Truth {
    /// It does not hold.
    False,
    /// It holds.
    True,
    /// It has no value, for instance because it adds something to null.
    Error,
}

impl Truth {
    /// Conjunction: false if one is false, else an error if one is an error.
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::False, _) | (_, Self::False) => Self::False,
            (Self::Error, _) | (_, Self::Error) => Self::Error,
            (Self::True, Self::True) => Self::True,
        }
    }

    /// Disjunction: true if one is true, else an error if one is an error.
    pub fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::True, _) | (_, Self::True) => Self::True,
            (Self::Error, _) | (_, Self::Error) => Self::Error,
            (Self::False, Self::False) => Self::False,
        }
    }
}

impl Not for Truth {
    type Output = Self;

    fn not(self) -> Self {
        match self {
            Self::False => Self::True,
            Self::True => Self::False,
            Self::Error => Self::Error,
        }
    }
}

impl From<bool> for Truth {
    fn from(holds: bool) -> Self {
        match holds {
            true => Self::True,
            false => Self::False,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Truth::{Error, False, True};

    #[test]
    fn an_operand_that_settles_the_result_hides_an_error() {
        assert_eq!(
            [False.and(Error), Error.and(False), True.and(Error)],
            [False, False, Error]
        );
        assert_eq!([True.or(Error), Error.or(True), False.or(Error)], [True, True, Error]);
    }

    #[test]
    fn de_morgan_holds_with_errors() {
        for a in [False, True, Error] {
            for b in [False, True, Error] {
                assert_eq!(!a.and(b), (!a).or(!b));
            }
        }
    }
}
