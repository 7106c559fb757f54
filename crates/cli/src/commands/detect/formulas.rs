//! Formulas with snapshots on the command line.

use crate::diagnostic::Diagnostic;
use crate::exit::Error;
use mazurka_report::Excerpt;
use mazurka_trace::{SltlError, SltlFormula};

/// Reads formulas.
///
/// # Errors
/// If one is wrong: what is wrong with all of them.
pub(super) fn parse(texts: &[String]) -> Result<Vec<SltlFormula>, Error> {
    let (mut formulas, mut wrong) = (Vec::new(), Diagnostic::new());
    for text in texts {
        match SltlFormula::parse(text) {
            Ok(formula) => formulas.push(formula),
            Err(error) => describe(&mut wrong, text, &error),
        }
    }
    match wrong.is_empty() {
        true => Ok(formulas),
        false => Err(wrong.into()),
    }
}

/// What is wrong with a formula.
pub(super) fn refused(formula: &str, error: &SltlError) -> Error {
    let mut wrong = Diagnostic::new();
    describe(&mut wrong, formula, error);
    wrong.into()
}

fn describe(wrong: &mut Diagnostic, formula: &str, error: &SltlError) {
    wrong.heading(&error.message);
    let excerpt = Excerpt {
        place: "--sltl",
        text: formula,
        span: error.span.clone(),
        numbered: false,
        note: error.hint.as_deref().unwrap_or_default(),
    };
    wrong.excerpt(&excerpt);
}
