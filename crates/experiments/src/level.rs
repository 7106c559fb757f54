//! The levels of optimisation of a search for bad global states.

use mazurka_trace::Reduction;

/// What a search leaves out. The paper measures the first four (CAV 2000, section 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Nothing.
    None,
    /// What sleep sets show to be redundant.
    Sleep,
    /// What is outside the persistent sets.
    Persistent,
    /// Both.
    Both,
    /// What `mazurka detect` leaves out by default: both, with sequences of events as single
    /// steps (long version, section 5), on the events that can change the predicate (section 8).
    Sequences,
}

impl Level {
    /// All of them, weakest first.
    pub const ALL: [Self; 5] = [Self::None, Self::Sleep, Self::Persistent, Self::Both, Self::Sequences];

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Sleep => "sleep",
            Self::Persistent => "persistent",
            Self::Both => "persistent+sleep",
            Self::Sequences => "sequences",
        }
    }

    /// The setting of the search.
    pub(crate) fn reduction(self) -> Option<Reduction> {
        match self {
            Self::None => Some(Reduction::None),
            Self::Sleep => Some(Reduction::Sleep),
            Self::Persistent => Some(Reduction::Persistent),
            Self::Both => Some(Reduction::Full),
            Self::Sequences => None,
        }
    }
}
