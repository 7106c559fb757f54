//! Which properties to check.

use super::Options;
use crate::diagnostic::Diagnostic;
use crate::exit::Error;
use mazurka_promela::Model;
use mazurka_promela::verify::Property;

/// Properties that every model has.
const GENERAL: [(&str, Property); 3] = [
    ("safety", Property::Safety),
    ("assertions", Property::Assertions),
    ("deadlock", Property::Deadlock),
];

/// What is to be checked.
pub(super) struct Asked {
    pub(super) properties: Vec<(String, Property)>,
    /// What the model states besides and the verification does not know yet. While
    /// there is any, the answer about the model is not complete.
    pub(super) unanswered: Vec<String>,
}

/// The properties of the command line, or all that the model states.
///
/// # Errors
/// If there is no such property.
pub(super) fn asked(model: &Model, options: &Options) -> Result<Asked, Error> {
    let stated = stated(model);
    if options.properties.is_empty() && options.formulas.is_empty() {
        return Ok(Asked {
            properties: vec![general(&GENERAL[0])],
            unanswered: stated,
        });
    }
    let (mut wrong, mut properties) = (Diagnostic::new(), Vec::new());
    for name in &options.properties {
        match GENERAL.iter().find(|(known, _)| known == name) {
            Some(found) => properties.push(general(found)),
            None if stated.contains(name) => {
                wrong.heading(format!("`{name}` cannot be checked yet"));
            }
            None => {
                let known: Vec<&str> = (GENERAL.iter().map(|(name, _)| *name))
                    .chain(stated.iter().map(String::as_str))
                    .collect();
                wrong.heading(format!("there is no property `{name}`"));
                wrong.note(format!("expected one of: {}", known.join(", ")));
            }
        }
    }
    for formula in &options.formulas {
        wrong.heading(format!("the formula `{formula}` cannot be checked yet"));
    }
    match wrong.is_empty() {
        true => Ok(Asked {
            properties,
            unanswered: Vec::new(),
        }),
        false => Err(wrong.into()),
    }
}

fn general((name, property): &(&str, Property)) -> (String, Property) {
    ((*name).to_owned(), property.clone())
}

/// What the model states besides: formulas, the `never` claim, the `trace` assertion.
fn stated(model: &Model) -> Vec<String> {
    let formulas = model.ltl.iter().map(|formula| formula.name.clone());
    let never = model.never.iter().map(|_| "never".to_owned());
    let trace = model.trace.iter().map(|_| "trace".to_owned());
    formulas.chain(never).chain(trace).collect()
}
