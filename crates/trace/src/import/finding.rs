//! Findings: errors and oddities of an input, with their places, as text.

use crate::problem::Place;
use crate::sources::{Excerpt, Sources, shown};
use std::fmt;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// A rule is broken; the input cannot be used.
    Error,
    /// It is allowed, but seldom meant.
    Warning,
}

/// One thing that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// The id of the rule (see [`crate::Rule::id`]) or of the warning.
    pub rule: &'static str,
    /// What it is about.
    pub message: String,
    /// What was expected instead.
    pub expected: Option<String>,
    /// Where, if it is about one record.
    pub spot: Option<Spot>,
    /// Other records that are involved, each with its role.
    pub related: Vec<(Spot, String)>,
}

/// A place in the input with its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// The name of the file.
    pub file: String,
    /// The line, from 1.
    pub line: u64,
    /// The column in characters, from 1.
    pub column: u64,
    /// The line, shortened if it is long.
    pub text: String,
    /// How many characters of `text` come before the place.
    pub before: usize,
}

impl Finding {
    /// A warning that is not about a particular record.
    pub fn warning(rule: &'static str, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            rule,
            message: message.into(),
            expected: None,
            spot: None,
            related: Vec::new(),
        }
    }
}

impl Spot {
    pub(super) fn of(sources: &Sources, place: Place, at: u32) -> Option<Self> {
        Some(Self::at(sources.name(place.file), sources.excerpt(place, at)?))
    }

    /// The spots of several places; every file is read once.
    pub(super) fn of_all(sources: &Sources, places: &[(Place, u32)]) -> Vec<Option<Self>> {
        let excerpts = sources.excerpts(places).into_iter().zip(places);
        excerpts
            .map(|(excerpt, (place, _))| Some(Self::at(sources.name(place.file), excerpt?)))
            .collect()
    }

    /// Byte `at` of a line that was read already, given the number of the line.
    pub fn in_line(file: String, line: u64, text: &[u8], at: usize) -> Self {
        let (before, after) = text.split_at(at.min(text.len()));
        let text = String::from_utf8_lossy;
        Self::at(file, Excerpt::of(line, &text(before), &text(after), false))
    }

    fn at(file: String, excerpt: Excerpt) -> Self {
        Self {
            file,
            line: excerpt.line,
            column: excerpt.column,
            text: excerpt.text,
            before: excerpt.before,
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        writeln!(f, "{severity}[{}]: {}", self.rule, shown(&self.message))?;
        let spots = self.spot.iter().chain(self.related.iter().map(|(spot, _)| spot));
        let width = spots.map(|spot| spot.line.to_string().len()).max().unwrap_or(0);
        if let Some(spot) = &self.spot {
            spot.draw(
                f,
                "-->",
                width,
                "^",
                self.expected.as_deref().map(|e| format!("expected {}", shown(e))),
            )?;
        } else if let Some(expected) = &self.expected {
            writeln!(f, "{:width$} = expected {}", "", shown(expected))?;
        }
        for (spot, what) in &self.related {
            spot.draw(f, ":::", width, "-", Some(shown(what)))?;
        }
        Ok(())
    }
}

impl Spot {
    /// Draws the place, the line and a mark below it.
    fn draw(
        &self,
        f: &mut fmt::Formatter<'_>,
        arrow: &str,
        width: usize,
        mark: &str,
        note: Option<String>,
    ) -> fmt::Result {
        let file = shown(&self.file);
        writeln!(f, "{:width$}{arrow} {file}:{}:{}", "", self.line, self.column)?;
        writeln!(f, "{:width$} |", "")?;
        writeln!(f, "{:width$} | {}", self.line, self.text)?;
        let note = note.map_or(String::new(), |note| format!(" {note}"));
        writeln!(f, "{:width$} | {:before$}{mark}{note}", "", "", before = self.before)
    }
}
