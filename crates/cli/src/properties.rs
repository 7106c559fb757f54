//! Properties that are asked for on the command line, by name or as formulas.

use crate::diagnostic::Diagnostic;
use crate::exit::Error;
use crate::model::refused;
use mazurka_promela::verify::Property;
use mazurka_promela::{Model, parse_ltl};

/// The properties in `known` with these names, then the formulas, which become part of the model's text. `what` says what
/// kind of properties the known ones are.
///
/// # Errors
/// If a name is unknown, or a formula is wrong: everything that is wrong.
pub(crate) fn asked(
    model: &mut Model,
    known: &[Property],
    what: &str,
    names: &[String],
    formulas: &[String],
) -> Result<Vec<Property>, Error> {
    let (mut wrong, mut properties) = (Diagnostic::new(), Vec::new());
    for wanted in names {
        match known.iter().find(|property| property.name() == wanted) {
            Some(property) => properties.push(property.clone()),
            None => {
                let names: Vec<&str> = known.iter().map(Property::name).collect();
                wrong.heading(format!("there is no {what} `{wanted}`"));
                if !names.is_empty() {
                    wrong.note(format!("expected one of: {}", names.join(", ")));
                }
            }
        }
    }
    for formula in formulas {
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
