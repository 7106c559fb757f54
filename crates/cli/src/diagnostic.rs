//! What is wrong with an input, a predicate or the options, drawn with its place.
//!
//! ```text
//! error: there is no process `nod1`
//!  --> --never
//!   |
//!   | nod1.leader && node2.leader
//!   | ^^^^ did you mean `node1`?
//! ```

use crate::exit::Error;
use anstyle::{AnsiColor, Style};
use mazurka_trace::{Finding, Lint, Modality, PredicateErrors, Severity, Spot};
use std::fmt;
use std::ops::Range;
use unicode_width::UnicodeWidthStr;

const BAD: Style = AnsiColor::Red.on_default().bold();
const ODD: Style = AnsiColor::Yellow.on_default().bold();

/// A complete message: headings, places, hints.
#[derive(Debug, Default)]
pub(crate) struct Diagnostic {
    text: String,
}

/// What to print for an error.
pub(crate) fn shown(error: &Error) -> String {
    match error {
        Error::Diagnostic(diagnostic) => diagnostic.text.clone(),
        Error::Interrupted => format!("{error}\n"),
        error => format!("{BAD}error{BAD:#}: {error}\n"),
    }
}

impl Diagnostic {
    /// Nothing yet.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// An error that has no place.
    pub(crate) fn error(message: impl fmt::Display) -> Self {
        let mut all = Self::new();
        all.heading(message);
        all
    }

    /// Whether nothing is wrong.
    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// What is wrong.
    pub(crate) fn heading(&mut self, message: impl fmt::Display) -> &mut Self {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text += &format!("{BAD}error{BAD:#}: {message}\n");
        self
    }

    /// A piece of the expression of a query.
    pub(crate) fn expression(
        &mut self,
        modality: Modality,
        text: &str,
        span: Range<usize>,
        note: Option<&str>,
    ) -> &mut Self {
        let (start, end) = (boundary(text, span.start), boundary(text, span.end));
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
        let before = text[line_start..start].width();
        let marks = text[start..end.clamp(start, line_end)].width().max(1);
        let line = text[line_start..line_end].replace('\t', " ");
        let note = note.map_or(String::new(), |note| format!(" {note}"));
        self.text += &format!(" --> --{modality}\n  |\n  | {line}\n");
        self.text += &format!("  | {:before$}{BAD}{}{BAD:#}{note}\n", "", "^".repeat(marks));
        self
    }

    /// A record of the input.
    pub(crate) fn record(&mut self, spot: &Spot, note: &str) -> &mut Self {
        let width = spot.line.to_string().len();
        self.text += &format!(
            "{:width$}--> {}:{}\n{:width$} |\n{} | {}\n{:width$} | - {note}\n",
            "", spot.file, spot.line, "", spot.line, spot.text, ""
        );
        self
    }

    /// Something to know.
    pub(crate) fn note(&mut self, note: impl fmt::Display) -> &mut Self {
        self.text += &format!("  = {note}\n");
        self
    }

    /// What is wrong with a predicate.
    pub(crate) fn predicate(&mut self, modality: Modality, text: &str, errors: &PredicateErrors) -> &mut Self {
        for error in &errors.errors {
            self.heading(&error.message);
            self.expression(modality, text, error.span.clone(), error.hint.as_deref());
        }
        self
    }

    /// Something that was found in an input.
    pub(crate) fn finding(&mut self, finding: &Finding) -> &mut Self {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text += &finding_text(finding);
        self
    }

    /// Everything that is wrong with an input.
    pub(crate) fn problems(trace: &str, lint: &Lint) -> Self {
        let mut all = Self::new();
        for finding in &lint.findings {
            all.finding(finding);
        }
        let count = match lint.findings.len() {
            1 => "it has an error".to_owned(),
            n => format!("it has {n} errors"),
        };
        all.heading(format!("{trace} cannot be used (read as {}): {count}", lint.format));
        all
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl From<Diagnostic> for Error {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::Diagnostic(diagnostic)
    }
}

/// A finding with a styled heading.
pub(crate) fn finding_text(finding: &Finding) -> String {
    let text = finding.to_string();
    let (style, word) = match finding.severity {
        Severity::Error => (BAD, "error"),
        Severity::Warning => (ODD, "warning"),
    };
    match text.strip_prefix(word) {
        Some(rest) => format!("{style}{word}{style:#}{rest}"),
        None => text,
    }
}

/// The next place at which a character begins.
fn boundary(text: &str, at: usize) -> usize {
    (at..text.len())
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(text: &str, span: Range<usize>, note: Option<&str>) -> String {
        let mut diagnostic = Diagnostic::new();
        diagnostic.expression(Modality::Never, text, span, note);
        diagnostic
            .text
            .replace(&BAD.to_string(), "")
            .replace(&format!("{BAD:#}"), "")
    }

    #[test]
    fn a_mark_stands_under_what_it_is_about() {
        let expected = " --> --never\n  |\n  | a.x == \"日\" && b.y\n  |                ^^^ here\n";
        let text = "a.x == \"日\" && b.y";
        let at = text.find("b.y").unwrap();
        assert_eq!(drawn(text, at..at + 3, Some("here")), expected);
    }

    #[test]
    fn of_a_long_expression_the_line_in_question() {
        let expected = " --> --never\n  |\n  |   b.y +\n  |       ^\n";
        assert_eq!(drawn("a.x &&\n  b.y +\n", 13..99, None), expected);
    }

    #[test]
    fn places_beyond_the_text_are_at_its_end() {
        assert_eq!(drawn("ä", 1..2, None), " --> --never\n  |\n  | ä\n  |  ^\n");
        assert_eq!(drawn("", 7..9, None), " --> --never\n  |\n  | \n  | ^\n");
    }
}
