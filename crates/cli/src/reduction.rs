//! What a search leaves out, on the command line.

use clap::ValueEnum;
use mazurka_promela::verify;

/// What a search leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Reduction {
    /// Nothing
    None,
    /// What sleep sets show to be redundant
    Sleep,
    /// What is outside persistent sets
    Persistent,
    /// Both, as far as the question allows
    Full,
}

impl From<Reduction> for mazurka_trace::Reduction {
    fn from(reduction: Reduction) -> Self {
        match reduction {
            Reduction::None => Self::None,
            Reduction::Sleep => Self::Sleep,
            Reduction::Persistent => Self::Persistent,
            Reduction::Full => Self::Full,
        }
    }
}

impl From<Reduction> for verify::Reduction {
    fn from(reduction: Reduction) -> Self {
        match mazurka_trace::Reduction::from(reduction) {
            mazurka_trace::Reduction::None => Self::None,
            mazurka_trace::Reduction::Sleep => Self::Sleep,
            mazurka_trace::Reduction::Persistent => Self::Persistent,
            mazurka_trace::Reduction::Full => Self::Full,
        }
    }
}
