//! How a search ended.

use crate::Limit;

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Everything that the reduction selects was explored.
    Complete,
    /// It ended early, but not at a bound: the observer had seen enough, a transition failed, or the strategy selects
    /// some executions only.
    Stopped,
    /// It met a bound.
    Limit(Limit),
}

impl End {
    /// The bound that the search met, if it met one.
    pub fn limit(self) -> Option<Limit> {
        match self {
            Self::Limit(limit) => Some(limit),
            Self::Complete | Self::Stopped => None,
        }
    }
}
