//! What a search leaves out, on the command line.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use mazurka_core::Reduction;

/// Reads a reduction by its name.
pub(crate) fn reduction() -> impl TypedValueParser<Value = Reduction> {
    let known = Reduction::ALL.map(|reduction| PossibleValue::new(reduction.name()).help(reduction.description()));
    PossibleValuesParser::new(known).map(|name| name.parse().expect("one of the names"))
}
