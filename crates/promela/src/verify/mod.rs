//! Verification: which properties, how to search, what came of it.
//!
//! [`check`] answers about one property; [`Checked`] is plain data, which reports show.

mod checked;
mod exchange;
mod options;
mod replay;
mod safety;

pub use crate::reduce::PersistentAlgorithm;
pub use checked::{
    Checked, Exchange, ExchangeKind, Kind, PropertyResult, ReductionUsed, ShownStep, Unreached, Verdict, Violation,
    ViolationKind,
};
pub use options::{Options, Reduction};

use crate::ir::Program;
use crate::model::Model;
use crate::run::RuntimeError;
use mazurka_core::Unsupported;
use safety::Wanted;

/// What is to be checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Property {
    /// Assertions, runtime errors, invalid end states.
    Safety,
    /// Assertions and runtime errors.
    Assertions,
    /// Invalid end states.
    Deadlock,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CheckError {
    /// The first state cannot be made.
    #[error("the initial state cannot be made: {0}")]
    Start(RuntimeError),
    /// The parts of the search do not fit together.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// A counterexample could not be replayed: a defect of this library. Please report it.
    #[error("internal error: the plain interpreter cannot replay a counterexample")]
    Replay,
}

/// Checks a property of a model.
///
/// # Errors
/// If the model cannot start, or the options do not fit together.
pub fn check(model: &Model, property: &Property, options: &Options<'_>) -> Result<PropertyResult, CheckError> {
    let wanted = |errors, deadlocks| Wanted { errors, deadlocks };
    match property {
        Property::Safety => safety::check(model, "safety", wanted(true, true), options),
        Property::Assertions => safety::check(model, "assertions", wanted(true, false), options),
        Property::Deadlock => safety::check(model, "deadlock", wanted(false, true), options),
    }
}

/// Why a model cannot be reduced, if it cannot.
fn why_unreduced(program: &Program) -> Option<String> {
    let features = program.features;
    let reasons = [
        (features.priority, "priorities"),
        (features.provided, "`provided`"),
        (features.introspection, "`enabled` or `pc_value`"),
        (features.last, "`_last`"),
        (features.non_progress, "`np_`"),
    ];
    let reason = reasons.iter().find(|(used, _)| *used)?.1;
    Some(format!(
        "no reduction: the model uses {reason}, where every step may matter to every process"
    ))
}
