//! What is wrong with a footprint.

use crate::typed::{Footprint, Run};
use std::fmt;

/// A footprint, an obstacle or the parts of a property are not as they were said to be. `run` leads to the state where it shows.
#[non_exhaustive]
pub enum Mistake<M: Footprint> {
    /// An action happens that the alphabet does not know.
    NotInAlphabet {
        /// The action.
        action: M::Action,
        /// To where it can happen.
        run: Run<M>,
    },
    /// Two actions are independent by their footprints, but the first enables the second.
    Enables {
        /// Happens first.
        first: M::Action,
        /// Can happen only after it.
        second: M::Action,
        /// To where the first can happen.
        run: Run<M>,
    },
    /// Two actions are independent by their footprints, but the first disables the second.
    Disables {
        /// Happens first.
        first: M::Action,
        /// Cannot happen after it.
        second: M::Action,
        /// To where both can happen.
        run: Run<M>,
    },
    /// Two actions are independent by their footprints, but their orders lead to different states.
    DoNotCommute {
        /// One of them.
        first: M::Action,
        /// The other.
        second: M::Action,
        /// To where both can happen.
        run: Run<M>,
    },
    /// What is said to be in the way of an action is not: it becomes possible though none of the parts was changed.
    NoObstacle {
        /// The action.
        action: M::Action,
        /// To where it cannot happen.
        run: Run<M>,
    },
    /// An action changes a property, but none of the parts that the property is said to read.
    ChangesProperty {
        /// The name of the property.
        property: String,
        /// The action.
        action: M::Action,
        /// To where it can happen.
        run: Run<M>,
    },
}

impl<M: Footprint> Mistake<M> {
    /// The way to the state where it shows.
    pub fn run(&self) -> &Run<M> {
        match self {
            Self::NotInAlphabet { run, .. }
            | Self::Enables { run, .. }
            | Self::Disables { run, .. }
            | Self::DoNotCommute { run, .. }
            | Self::NoObstacle { run, .. }
            | Self::ChangesProperty { run, .. } => run,
        }
    }
}

impl<M: Footprint> fmt::Display for Mistake<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotInAlphabet { action, .. } => write!(f, "{action:?} can happen, but is not in the alphabet"),
            Self::Enables { first, second, .. } => {
                write!(
                    f,
                    "{first:?} enables {second:?}, but by their footprints they are independent"
                )
            }
            Self::Disables { first, second, .. } => {
                write!(
                    f,
                    "{first:?} disables {second:?}, but by their footprints they are independent"
                )
            }
            Self::DoNotCommute { first, second, .. } => write!(
                f,
                "{first:?} and {second:?} lead to another state in the other order, but by their footprints they are independent"
            ),
            Self::NoObstacle { action, .. } => {
                write!(
                    f,
                    "{action:?} becomes possible though nothing that was in its way has changed"
                )
            }
            Self::ChangesProperty { property, action, .. } => {
                write!(
                    f,
                    "{action:?} changes `{property}`, but no part that it is said to read"
                )
            }
        }?;
        write!(f, ", in the last state of\n{}", self.run())
    }
}

impl<M: Footprint> fmt::Debug for Mistake<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl<M: Footprint> std::error::Error for Mistake<M> {}
