//! Which properties to check.

use super::Options;
use crate::diagnostic::Diagnostic;
use crate::exit::Error;
use crate::model::refused;
use mazurka_promela::verify::{Kind, Property};
use mazurka_promela::{Model, parse_ltl};

/// The properties of the command line, or all that the model states. Formulas of the
/// command line become part of the model's text.
///
/// # Errors
/// If there is no such property, or a formula is none: all that is wrong.
pub(super) fn asked(model: &mut Model, options: &Options) -> Result<Vec<Property>, Error> {
    if options.properties.is_empty() && options.formulas.is_empty() {
        return Ok(Property::all(model));
    }
    let (mut wrong, mut properties) = (Diagnostic::new(), Vec::new());
    let known = known(model);
    for wanted in &options.properties {
        match known.iter().find(|property| name(property) == *wanted) {
            Some(property) => properties.push(property.clone()),
            None => {
                let names: Vec<String> = known.iter().map(name).collect();
                wrong.heading(format!("there is no property `{wanted}`"));
                wrong.note(format!("expected one of: {}", names.join(", ")));
            }
        }
    }
    for formula in &options.formulas {
        match parse_ltl(model, formula, formula) {
            Ok(ltl) => properties.push(Property::Ltl(ltl)),
            Err(errors) => {
                wrong.append(&refused(&format!("the formula `{formula}`"), &errors));
            }
        }
    }
    match wrong.is_empty() {
        true => Ok(properties),
        false => Err(wrong.into()),
    }
}

/// The properties that have a name.
fn known(model: &Model) -> Vec<Property> {
    let general = [
        Property::Safety,
        Property::Assertions,
        Property::Deadlock,
        Property::Progress,
        Property::Acceptance,
    ];
    let never = model.never.iter().map(|_| Property::Never);
    let formulas = model.ltl.iter().cloned().map(Property::Ltl);
    general.into_iter().chain(never).chain(formulas).collect()
}

/// What a property is called.
pub(super) fn name(property: &Property) -> String {
    match property {
        Property::Safety => "safety",
        Property::Assertions => "assertions",
        Property::Deadlock => "deadlock",
        Property::Never => "never",
        Property::Progress => "progress",
        Property::Acceptance => "acceptance",
        Property::Ltl(ltl) => &ltl.name,
    }
    .to_owned()
}

/// What kind a property is.
pub(super) fn kind(property: &Property) -> Kind {
    match property {
        Property::Safety | Property::Assertions | Property::Deadlock => Kind::Safety,
        Property::Never => Kind::Never,
        Property::Progress => Kind::Progress,
        Property::Acceptance => Kind::Acceptance,
        Property::Ltl(_) => Kind::Ltl,
    }
}
