//! Why a monitor has no answer.

use crate::ids::{FormulaId, QuestionId};
use crate::predicate::{EvaluationError, PredicateErrors};
use crate::problem::Problem;
use crate::sltl::SltlError;

/// Why there is no answer.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MonitorError {
    /// The predicate is wrong.
    #[error("{errors}")]
    Predicate {
        /// Which question.
        question: QuestionId,
        /// What is wrong.
        errors: PredicateErrors,
    },
    /// The records break a rule.
    #[error("the records break a rule of the format")]
    Problems(Vec<Problem>),
    /// The predicate has no value in a global state that decides the answer.
    #[error("{}", error.message)]
    Undefined {
        /// Which question.
        question: QuestionId,
        /// What is wrong, and where in the predicate.
        error: EvaluationError,
        /// The process and the event whose value is to blame.
        record: Option<(String, u32)>,
    },
    /// A formula is wrong, or has no value.
    #[error("{error}")]
    Formula {
        /// Which formula.
        formula: FormulaId,
        /// What is wrong.
        error: SltlError,
    },
    /// The run has ended, and a process that a predicate names has no record.
    #[error("no record of process `{process}`")]
    Unheard {
        /// Which question.
        question: QuestionId,
        /// The process.
        process: String,
    },
}
