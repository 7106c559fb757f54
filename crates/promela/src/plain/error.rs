//! Where something went wrong while a model ran.

use crate::RuntimeError;
use crate::source::Span;

/// An error of the model, found while it ran.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[error("{kind}")]
pub struct Failure {
    /// What is wrong.
    pub kind: RuntimeError,
    /// Where in the text.
    pub span: Span,
}

impl RuntimeError {
    pub(super) fn at(self, span: Span) -> Failure {
        Failure { kind: self, span }
    }
}
