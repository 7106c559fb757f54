//! Reductions on the command line.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use mazurka_core::Reduction;
use mazurka_promela::verify::PersistentAlgorithm;

/// Reads a reduction by its name.
pub(crate) fn reduction() -> impl TypedValueParser<Value = Reduction> {
    let known = Reduction::ALL.map(|reduction| PossibleValue::new(reduction.name()).help(reduction.description()));
    PossibleValuesParser::new(known).map(|name| name.parse().expect("one of the names"))
}

/// Reads an algorithm for persistent sets by its name.
pub(crate) fn persistent() -> impl TypedValueParser<Value = PersistentAlgorithm> {
    let known = PersistentAlgorithm::NAMED.iter();
    let known = known.map(|(_, name, description)| PossibleValue::new(*name).help(*description));
    PossibleValuesParser::new(known).map(|name| name.parse().expect("one of the names"))
}
