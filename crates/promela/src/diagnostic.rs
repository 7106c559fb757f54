//! Errors and warnings about a model, with their places.
//!
//! Each [`Diagnostic`] has an id that stays the same from release to release, so
//! tests and scripts can refer to it. The text may be improved at any time. The `Display` of a [`Diagnostic`] is one
//! line without a place; [`render`] draws the source line with a caret.

use crate::source::{Sources, Span};
use std::fmt;

/// Whether a diagnostic is an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The model is legal, but probably not what was meant.
    Warning,
    /// The model cannot be used.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

/// Another place that a diagnostic refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Note {
    /// Where.
    pub span: Span,
    /// What the place has to do with it, such as `declared here`.
    pub message: String,
}

/// An error or a warning.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Diagnostic {
    /// A stable name, such as `promela::undeclared`.
    pub id: &'static str,
    /// Whether a diagnostic is an error.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// Where.
    pub span: Span,
    /// The text beside the caret. It may be empty.
    pub label: String,
    /// Other places, such as a declaration, or the macro that was expanded.
    pub notes: Vec<Note>,
    /// Advice on how to fix it.
    pub help: Option<String>,
}

impl Diagnostic {
    /// Creates an error.
    pub(crate) fn error(id: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self {
            id,
            severity: Severity::Error,
            message: message.into(),
            span,
            label: String::new(),
            notes: Vec::new(),
            help: None,
        }
    }

    /// Creates a warning.
    pub(crate) fn warning(id: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            ..Self::error(id, span, message)
        }
    }

    /// Adds text beside the caret.
    pub(crate) fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Adds another place.
    pub(crate) fn note(mut self, span: Span, message: impl Into<String>) -> Self {
        let message = message.into();
        self.notes.push(Note { span, message });
        self
    }

    /// Adds advice.
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.severity, self.message)
    }
}

/// The diagnostics of a model that cannot be used, with its text.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Errors {
    /// The files that were read.
    pub sources: Sources,
    /// At least one error, and perhaps warnings, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

impl Errors {
    /// Diagnostics about a text, at least one of which is an error.
    pub fn new(sources: Sources, diagnostics: Vec<Diagnostic>) -> Self {
        Self { sources, diagnostics }
    }
}

impl std::error::Error for Errors {}

impl fmt::Display for Errors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, diagnostic) in self.diagnostics.iter().enumerate() {
            let separator = if k > 0 { "\n" } else { "" };
            write!(f, "{separator}{}", render(&self.sources, diagnostic))?;
        }
        Ok(())
    }
}

/// Renders a diagnostic as plain text: heading, places with their lines and carets, advice.
///
/// ```text
/// error: there is no variable `conut`
///  --> counter.pml:4:5
///   |
/// 4 |     conut++
///   |     ^^^^^ did you mean `count`?
/// ```
///
/// ```
/// use mazurka_promela::{Options, load, render};
///
/// let loaded = load("m.pml", "bit x; active proctype P() { x = 2 }", &Options::default())?;
/// let text = render(&loaded.model.sources, &loaded.warnings[0]);
/// assert!(text.starts_with("warning: 2 does not fit in a bit: it is stored as 0\n --> m.pml:1:"));
/// # Ok::<(), mazurka_promela::Errors>(())
/// ```
pub fn render(sources: &Sources, diagnostic: &Diagnostic) -> String {
    let mut text = format!("{diagnostic}\n");
    let places = std::iter::once((diagnostic.span, diagnostic.label.as_str(), '^')).chain(
        diagnostic
            .notes
            .iter()
            .map(|note| (note.span, note.message.as_str(), '-')),
    );
    let places: Vec<_> = places.collect();
    let widest = places
        .iter()
        .map(|(span, ..)| sources.place(*span).line)
        .max()
        .unwrap_or(1);
    let width = widest.to_string().len();
    for (k, (span, label, mark)) in places.into_iter().enumerate() {
        let at = sources.place(span);
        let arrow = if k == 0 { "-->" } else { ":::" };
        let line = sources.line(span);
        let column = at.column as usize - 1;
        let before: String = line
            .chars()
            .take(column)
            .map(|c| if c == '\t' { '\t' } else { ' ' })
            .collect();
        let length = (span.end - span.start) as usize;
        let rest: String = line.chars().skip(column).collect();
        let marks = rest
            .char_indices()
            .take_while(|(k, _)| *k < length.max(1))
            .count()
            .max(1);
        let label = if label.is_empty() {
            String::new()
        } else {
            format!(" {label}")
        };
        text += &format!("{:width$}{arrow} {}:{at}\n", "", sources.name(span.file));
        text += &format!("{:width$} |\n{:width$} | {line}\n", "", at.line);
        text += &format!("{:width$} | {before}{}{label}\n", "", mark.to_string().repeat(marks));
    }
    if let Some(help) = &diagnostic.help {
        text += &format!("{:width$} = help: {help}\n", "");
    }
    text
}
