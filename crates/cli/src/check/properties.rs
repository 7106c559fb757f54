//! Which properties to check.

use super::Options;
use crate::diagnostic::Diagnostic;
use crate::exit::Error;
use crate::model::refused;
use mazurka_promela::verify::Property;
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
    let known = Property::named(model);
    for wanted in &options.properties {
        match known.iter().find(|property| property.name() == wanted) {
            Some(property) => properties.push(property.clone()),
            None => {
                let names: Vec<&str> = known.iter().map(Property::name).collect();
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
