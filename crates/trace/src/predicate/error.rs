//! What is wrong with a predicate, and where in its text.

use crate::narrow::short;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Range;

/// Something wrong with a predicate.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PredicateError {
    /// Where, in bytes of the text.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What may have been meant.
    pub hint: Option<String>,
}

impl PredicateError {
    pub(super) fn new(span: impl Into<Range<usize>>, message: impl Into<String>) -> Self {
        Self {
            span: span.into(),
            message: message.into(),
            hint: None,
        }
    }

    pub(super) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds a hint if there is one.
    pub(super) fn perhaps(mut self, hint: Option<String>) -> Self {
        self.hint = hint.or(self.hint);
        self
    }
}

impl fmt::Display for PredicateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.message)?;
        match &self.hint {
            Some(hint) => write!(f, " ({hint})"),
            None => Ok(()),
        }
    }
}

/// Everything that is wrong with a predicate, in the order of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PredicateErrors {
    /// At least one error.
    pub errors: Vec<PredicateError>,
}

impl PredicateErrors {
    pub(super) fn new(mut errors: Vec<PredicateError>) -> Self {
        errors.sort_by(|a, b| (a.span.start, a.span.end, &a.message).cmp(&(b.span.start, b.span.end, &b.message)));
        errors.dedup();
        Self { errors }
    }
}

impl From<PredicateError> for PredicateErrors {
    fn from(error: PredicateError) -> Self {
        Self { errors: vec![error] }
    }
}

impl fmt::Display for PredicateErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, error) in self.errors.iter().enumerate() {
            let separator = if k == 0 { "" } else { "; " };
            write!(f, "{separator}{error}")?;
        }
        Ok(())
    }
}

impl std::error::Error for PredicateErrors {}

/// A predicate that has no truth value in some global state.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
#[non_exhaustive]
pub struct EvaluationError {
    /// Where, in bytes of the predicate's text.
    pub span: Range<usize>,
    /// What is wrong; it names the process and the variable.
    pub message: String,
    /// Which read is null or has the wrong type, if that is known: its position among
    /// the atom's reads.
    pub read: Option<usize>,
}

/// A piece of the predicate's text, in bytes.
///
/// All spans are equal. The place of an expression is not part of its meaning, so equal
/// atoms from different places are one atom.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Span {
    pub(super) start: u32,
    pub(super) end: u32,
}

impl PartialEq for Span {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Span {}

impl Hash for Span {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

impl From<Span> for Range<usize> {
    fn from(span: Span) -> Self {
        span.start as usize..span.end as usize
    }
}

impl From<Range<usize>> for Span {
    fn from(range: Range<usize>) -> Self {
        // Texts are limited to far less than 4 GiB before spans are made.
        Self {
            start: short(range.start),
            end: short(range.end),
        }
    }
}

/// "did you mean `x`?" for the most similar name, if one is similar.
pub(crate) fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let similar = known
        .into_iter()
        .map(|known| (strsim::jaro_winkler(&name.to_lowercase(), &known.to_lowercase()), known));
    // The first of equally similar names wins, so that the result is always the same.
    let best = similar.fold(None, |best: Option<(f64, &str)>, (score, known)| match best {
        Some((top, _)) if top >= score => best,
        _ => Some((score, known)),
    });
    best.filter(|(score, _)| *score > 0.75)
        .map(|(_, known)| format!("did you mean `{known}`?"))
}
