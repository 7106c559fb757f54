//! Partial-order reduction of models: what depends on what.

mod accesses;
mod dangling;
mod independence;
mod instance;
mod obstacles;
mod operations;
mod participants;
mod stubborn;
mod timeout;
mod waits;

pub(crate) use independence::Independence;
pub(crate) use participants::{Component, Participants};
pub(crate) use stubborn::{StubbornSets, observed};

/// Which persistent sets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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

impl PersistentAlgorithm {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Conflicting => "conflicting",
            Self::Overman => "overman",
            Self::Stubborn => "stubborn",
            Self::Conditional => "conditional",
        }
    }
}
