//! The levels of optimisation of a search for bad global states.

use mazurka_trace::{MemberOrder, Method, Reduction, Settings};

/// What a search leaves out. The paper measures the first four (CAV 2000, section 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Nothing.
    None,
    /// What sleep sets show to be redundant.
    Sleep,
    /// What is outside the persistent sets.
    Persistent,
    /// Both, with the members of a persistent set in the order in which the paper's algorithm inserts them.
    Inserted,
    /// Both.
    Both,
    /// What `mazurka detect` leaves out by default: both, with sequences of events as single
    /// steps (long version, section 5), on the events that can change the predicate (section 8).
    Sequences,
}

impl Level {
    /// All of them, weakest first.
    pub const ALL: [Self; 6] = [
        Self::None,
        Self::Sleep,
        Self::Persistent,
        Self::Inserted,
        Self::Both,
        Self::Sequences,
    ];

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Sleep => "sleep",
            Self::Persistent => "persistent",
            Self::Inserted => "persistent+sleep (insertion order)",
            Self::Both => "persistent+sleep",
            Self::Sequences => "sequences",
        }
    }

    /// The setting of the search.
    fn reduction(self) -> Option<Reduction> {
        match self {
            Self::None => Some(Reduction::None),
            Self::Sleep => Some(Reduction::Sleep),
            Self::Persistent => Some(Reduction::Persistent),
            Self::Inserted | Self::Both => Some(Reduction::Full),
            Self::Sequences => None,
        }
    }

    /// How such a search goes about it.
    pub(crate) fn search(self) -> Settings<'static> {
        Settings {
            method: Method::Search,
            reduction: self.reduction(),
            order: match self {
                Self::Inserted => MemberOrder::Insertion,
                _ => MemberOrder::default(),
            },
            ..Settings::default()
        }
    }
}
