//! What is wrong with a footprint.

use crate::typed::{Footprint, Run};
use std::fmt;

/// A mistake in a footprint, in an obstacle or in the stated parts of a property. `run` leads to the state where it shows.
#[non_exhaustive]
pub enum Mistake<M: Footprint> {
    /// An action can happen that is not in the alphabet.
    NotInAlphabet {
        /// The action.
        action: M::Action,
        /// An execution to a state where it can happen.
        run: Run<M>,
    },
    /// Two actions are independent by their footprints, but the first enables the second.
    Enables {
        /// Happens first.
        first: M::Action,
        /// Can happen only after it.
        second: M::Action,
        /// An execution to a state where the first can happen.
        run: Run<M>,
    },
    /// Two actions are independent by their footprints, but the first disables the second.
    Disables {
        /// Happens first.
        first: M::Action,
        /// Cannot happen after it.
        second: M::Action,
        /// An execution to a state where both can happen.
        run: Run<M>,
    },
    /// Two actions are independent by their footprints, but their orders lead to different states.
    DoNotCommute {
        /// One of them.
        first: M::Action,
        /// The other.
        second: M::Action,
        /// An execution to a state where both can happen.
        run: Run<M>,
    },
    /// A stated obstacle is none: the action becomes possible although none of the parts was changed.
    NoObstacle {
        /// The action.
        action: M::Action,
        /// An execution to a state where it cannot happen.
        run: Run<M>,
    },
    /// An action changes a property, but none of the parts that the property is stated to read.
    ChangesProperty {
        /// The name of the property.
        property: String,
        /// The action.
        action: M::Action,
        /// An execution to a state where it can happen.
        run: Run<M>,
    },
}

impl<M: Footprint> Mistake<M> {
    /// An execution to the state where the mistake shows.
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
                    "{first:?} enables {second:?}, but their footprints make them independent"
                )
            }
            Self::Disables { first, second, .. } => {
                write!(
                    f,
                    "{first:?} disables {second:?}, but their footprints make them independent"
                )
            }
            Self::DoNotCommute { first, second, .. } => write!(
                f,
                "the two orders of {first:?} and {second:?} lead to different states, but their footprints make them independent"
            ),
            Self::NoObstacle { action, .. } => {
                write!(
                    f,
                    "{action:?} becomes possible although none of the parts of its obstacle was changed"
                )
            }
            Self::ChangesProperty { property, action, .. } => {
                write!(
                    f,
                    "{action:?} changes `{property}`, but none of the parts that it is stated to read"
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
