//! The list of algorithms for persistent sets.
//!
//! They differ in the rule for a transition that is not enabled ([`StubbornSets`](super::StubbornSets)).

use std::fmt;
use std::str::FromStr;

/// Algorithms for persistent sets (Godefroid's thesis, chapter 4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum PersistentAlgorithm {
    /// Algorithm 1 of the thesis.
    Conflicting,
    /// Algorithm 2.
    Overman,
    /// Algorithm 3.
    Stubborn,
    /// Algorithm 4.
    #[default]
    Conditional,
}

/// The error for a name that no algorithm has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no algorithm for persistent sets has this name")]
pub struct UnknownAlgorithm;

impl PersistentAlgorithm {
    /// All algorithms, with their names on the command line and descriptions.
    pub const NAMED: &[(Self, &'static str, &'static str)] = &[
        (Self::Conflicting, "conflicting", "Algorithm 1, conflicting transitions"),
        (Self::Overman, "overman", "Algorithm 2, after Overman"),
        (Self::Stubborn, "stubborn", "Algorithm 3, stubborn sets"),
        (
            Self::Conditional,
            "conditional",
            "Algorithm 4, stubborn sets with conditional dependency",
        ),
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        let named = Self::NAMED.iter().find(|(algorithm, ..)| *algorithm == self);
        named.expect("every algorithm has a name").1
    }
}

impl fmt::Display for PersistentAlgorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for PersistentAlgorithm {
    type Err = UnknownAlgorithm;

    fn from_str(name: &str) -> Result<Self, UnknownAlgorithm> {
        let named = Self::NAMED.iter().find(|(_, known, _)| *known == name);
        named.map(|(algorithm, ..)| *algorithm).ok_or(UnknownAlgorithm)
    }
}
