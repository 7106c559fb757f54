//! How much of the state space a search leaves out: one setting for all front ends.

use std::fmt;
use std::str::FromStr;

/// What a search leaves out.
///
/// ```
/// # use mazurka_core::Reduction;
/// let reduction: Reduction = "sleep".parse()?;
/// assert!(reduction.sleep() && !reduction.persistent());
/// assert_eq!(Reduction::default(), Reduction::Full);
/// # Ok::<(), mazurka_core::UnknownReduction>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reduction {
    /// Nothing: every interleaving.
    None,
    /// What sleep sets show to be redundant.
    Sleep,
    /// What is outside persistent sets.
    Persistent,
    /// Both, as far as the question allows.
    #[default]
    Full,
}

impl Reduction {
    /// All of them, weakest first.
    pub const ALL: [Self; 4] = [Self::None, Self::Sleep, Self::Persistent, Self::Full];

    /// Whether sleep sets are used.
    pub fn sleep(self) -> bool {
        matches!(self, Self::Sleep | Self::Full)
    }

    /// Whether persistent sets are used.
    pub fn persistent(self) -> bool {
        matches!(self, Self::Persistent | Self::Full)
    }

    /// Its name on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Sleep => "sleep",
            Self::Persistent => "persistent",
            Self::Full => "full",
        }
    }

    /// What it leaves out, in a few words.
    pub fn description(self) -> &'static str {
        match self {
            Self::None => "Nothing",
            Self::Sleep => "What sleep sets show to be redundant",
            Self::Persistent => "What is outside persistent sets",
            Self::Full => "Both, as far as the question allows",
        }
    }
}

impl fmt::Display for Reduction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Reduction {
    type Err = UnknownReduction;

    fn from_str(name: &str) -> Result<Self, UnknownReduction> {
        let known = Self::ALL.into_iter().find(|reduction| reduction.name() == name);
        known.ok_or(UnknownReduction)
    }
}

/// There is no reduction of this name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected none, sleep, persistent or full")]
pub struct UnknownReduction;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for reduction in Reduction::ALL {
            assert_eq!(reduction.to_string().parse(), Ok(reduction));
        }
        assert_eq!("Full".parse::<Reduction>(), Err(UnknownReduction));
    }
}
