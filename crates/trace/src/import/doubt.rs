//! Warnings about what an importer skips or cannot place: that is allowed, but an order or a
//! value may be lost.
//!
//! Each kind of doubt is one warning for all records that give reason for it: how many
//! there are, and where the first is.

use super::finding::{Finding, Spot};
use super::{Format, ImportOptions, ProcessBy};
use crate::problem::Place;
use crate::sources::Sources;

/// Something that was found, how often, and where first.
#[derive(Debug)]
pub(crate) struct Doubt {
    rule: &'static str,
    /// What is said of one, and of several.
    one: &'static str,
    several: &'static str,
    /// What to do about it.
    expected: &'static str,
    count: u64,
    first: Option<(Place, u32)>,
}

impl Doubt {
    /// A doubt that was not found yet. `several` is said after the number.
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

    /// Notes that it was found in a record, this many bytes into it.
    pub(crate) fn note(&mut self, place: Place, at: u32) {
        self.count += 1;
        self.first.get_or_insert((place, at));
    }

    /// How often it was found.
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
