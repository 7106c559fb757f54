//! Warnings about what an importer skips or cannot place. This is allowed, but an order or a
//! value may be lost.
//!
//! There is one warning for each kind of doubt. It says how many records are affected, and
//! where the first one is.

use super::finding::{Finding, Spot};
use super::{Format, ImportOptions, ProcessBy};
use crate::problem::Place;
use crate::sources::Sources;

/// A doubt: what it is about, how often it occurred, and where first.
#[derive(Debug)]
pub(crate) struct Doubt {
    rule: &'static str,
    /// The message for one record, and for several.
    one: &'static str,
    several: &'static str,
    /// What to do about it.
    expected: &'static str,
    count: u64,
    first: Option<(Place, u32)>,
}

impl Doubt {
    /// A doubt that has not occurred yet. In the message, `several` comes after the number.
    pub(crate) fn new(rule: &'static str, one: &'static str, several: &'static str, expected: &'static str) -> Self {
        Self {
            rule,
            one,
            several,
            expected,
            count: 0,
            first: None,
        }
    }

    /// Notes an occurrence in a record, this many bytes into it.
    pub(crate) fn note(&mut self, place: Place, at: u32) {
        self.count += 1;
        self.first.get_or_insert((place, at));
    }

    /// How often it occurred.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// The warning.
    pub(crate) fn finding(&self, sources: &Sources) -> Finding {
        let message = match self.count {
            1 => self.one.to_owned(),
            n => format!("{n} {}; this is the first", self.several),
        };
        Finding {
            expected: Some(self.expected.to_owned()),
            spot: self.first.and_then(|(place, at)| Spot::of(sources, place, at)),
            ..Finding::warning(self.rule, message)
        }
    }
}

/// Warns that a skew was given where no event has a time.
pub(crate) fn skew_without_times() -> Finding {
    Finding {
        expected: Some(
            "records with a `time`, spans with times, or a ShiViz expression with a group `time`".to_owned(),
        ),
        ..Finding::warning("no-effect", "no event has a time, so `--skew` has no effect".to_owned())
    }
}

/// Warns about options that have no effect on an input of this format.
pub(crate) fn without_effect(format: Format, options: &ImportOptions) -> Vec<Finding> {
    let is_spans = format.is_spans();
    let takes_expressions = format.importer().takes_expressions;
    let given = [
        (
            "--process-by",
            "spans",
            options.process_by != ProcessBy::Span && !is_spans,
        ),
        (
            "--shiviz-regex",
            "ShiViz logs",
            options.shiviz_regex.is_some() && !takes_expressions,
        ),
        (
            "--shiviz-delimiter",
            "ShiViz logs",
            options.shiviz_delimiter.is_some() && !takes_expressions,
        ),
    ];
    let without = given.into_iter().filter(|(.., without)| *without);
    without
        .map(|(option, what, _)| Finding {
            expected: Some("an input of that kind, or no such option".to_owned()),
            ..Finding::warning(
                "option-without-effect",
                format!("`{option}` is for {what}; it has no effect on an input that is read as {format}"),
            )
        })
        .collect()
}
