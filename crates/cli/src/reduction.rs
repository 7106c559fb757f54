//! Reductions on the command line.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use mazurka_core::{ProvisoKind, Reduction};
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

/// A proviso; `None` stands for `auto`.
pub(crate) type Proviso = Option<ProvisoKind>;

/// Reads a proviso by its name.
pub(crate) fn proviso() -> impl TypedValueParser<Value = Proviso> {
    let known = [
        ("auto", "The one that suits the property and the store"),
        ("none", "None: enough for deadlocks"),
        (
            "stack",
            "Some step leads off the current path; goes with sleep sets and small caches",
        ),
        (
            "component",
            "Nothing is ignored in a terminal component; needs all states",
        ),
    ];
    let known = known.map(|(name, description)| PossibleValue::new(name).help(description));
    PossibleValuesParser::new(known).map(|name| match name.as_str() {
        "none" => Some(ProvisoKind::None),
        "stack" => Some(ProvisoKind::Stack),
        "component" => Some(ProvisoKind::Component),
        _ => None,
    })
}
