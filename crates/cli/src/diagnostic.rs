//! What is wrong with an input, a predicate or the options, drawn with its place.
//!
//! A message may quote an input, so all of it goes through [`printable`] before it is styled.
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
use mazurka_report::{Excerpt, one_line, printable};
use mazurka_trace::{Finding, Lint, Modality, PredicateErrors, Spot};
use std::fmt;
use std::ops::Range;

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
        error => format!("{BAD}error{BAD:#}: {}\n", printable(&error.to_string())),
    }
}

/// What is wrong, without styles, on one line: for JSON.
pub(crate) fn plain(error: &Error) -> String {
    let text = anstream::adapter::strip_str(&shown(error)).to_string();
    let first = text.lines().next().unwrap_or_default();
    first.strip_prefix("error: ").unwrap_or(first).to_owned()
}

impl Diagnostic {
    /// A message without text.
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

    /// Adds what is wrong.
    pub(crate) fn heading(&mut self, message: impl fmt::Display) -> &mut Self {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text += &format!("{BAD}error{BAD:#}: {}\n", one_line(&message.to_string()));
        self
    }

    /// Adds a piece of the expression of a query.
    pub(crate) fn expression(
        &mut self,
        modality: impl fmt::Display,
        text: &str,
        span: Range<usize>,
        note: Option<&str>,
    ) -> &mut Self {
        let excerpt = Excerpt {
            place: &format!("--{modality}"),
            text,
            span,
            numbered: false,
            note: note.unwrap_or_default(),
        };
        self.text += &excerpt.drawn();
        self
    }

    /// Adds a record of the input.
    pub(crate) fn record(&mut self, spot: &Spot, note: &str) -> &mut Self {
        let width = spot.line.to_string().len();
        let drawn = format!(
            "{:width$}--> {}:{}\n{:width$} |\n{} | {}\n{:width$} | - {note}\n",
            "", spot.file, spot.line, "", spot.line, spot.text, ""
        );
        self.text += &printable(&drawn);
        self
    }

    /// Adds a note.
    pub(crate) fn note(&mut self, note: impl fmt::Display) -> &mut Self {
        self.text += &format!("  = {}\n", one_line(&note.to_string()));
        self
    }

    /// Adds what is wrong with a predicate.
    pub(crate) fn predicate(&mut self, modality: Modality, text: &str, errors: &PredicateErrors) -> &mut Self {
        for error in &errors.errors {
            self.heading(&error.message);
            self.expression(modality, text, error.span.clone(), error.hint.as_deref());
        }
        self
    }

    /// Adds a finding about an input.
    pub(crate) fn finding(&mut self, finding: &Finding) -> &mut Self {
        self.block(&finding.to_string())
    }

    /// Adds a message that has its form already.
    pub(crate) fn block(&mut self, text: &str) -> &mut Self {
        self.drawn(&coloured(text))
    }

    /// Adds all of another message.
    pub(crate) fn append(&mut self, other: &Self) -> &mut Self {
        self.drawn(&other.text)
    }

    /// Adds the place of what is wrong, without a blank line.
    pub(crate) fn note_below(&mut self, place: &Self) -> &mut Self {
        self.text += &place.text;
        self
    }

    /// Adds a piece of a text.
    pub(crate) fn excerpt(&mut self, excerpt: &Excerpt<'_>) -> &mut Self {
        self.drawn(&excerpt.drawn())
    }

    /// Adds text that is styled and safe to print.
    fn drawn(&mut self, text: &str) -> &mut Self {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text += text;
        self
    }

    /// Everything that is wrong with an input.
    pub(crate) fn problems(trace: &str, lint: &Lint) -> Self {
        let mut all = Self::new();
        for finding in &lint.findings {
            all.finding(finding);
        }
        let shown = match lint.findings.len() {
            n if n < lint.errors.found => format!("; the first {n} are shown, `mazurka trace lint` lists more"),
            _ => String::new(),
        };
        all.heading(format!(
            "{trace} cannot be used (read as {}): it has {}{shown}",
            lint.format, lint.errors
        ));
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
    coloured(&finding.to_string())
}

/// A message whose first word says how bad it is, with that word styled.
pub(crate) fn coloured(text: &str) -> String {
    let text = printable(text);
    let style = |word, style: Style| {
        let rest = text.strip_prefix(word)?;
        Some(format!("{style}{word}{style:#}{rest}"))
    };
    (style("error", BAD).or_else(|| style("warning", ODD))).unwrap_or_else(|| text.to_string())
}
