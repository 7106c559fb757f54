//! A runtime error with its place.

use crate::RuntimeError;
use crate::source::Span;

/// A runtime error of a model.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[error("{kind}")]
#[non_exhaustive]
pub struct Failure {
    /// What is wrong.
    pub kind: RuntimeError,
    /// The place in the text.
    pub span: Span,
}

impl RuntimeError {
    pub(super) fn at(self, span: Span) -> Failure {
        Failure { kind: self, span }
    }
}
