//! What can be followed: line formats, and options that need no end of the run.

use super::{Method, Options};
use crate::diagnostic::Diagnostic;
use crate::exit::Error;
use mazurka_trace::{Format, LineParser};

/// What cannot be done while a run goes on, and why.
pub(super) fn check(options: &Options) -> Result<(), Error> {
    let whole = "it needs the whole run";
    let refused = [
        (options.report.is_some(), "--report", whole),
        (!options.patterns.is_empty(), "a question about orders of events", whole),
        (
            options.method != Method::Auto,
            "--method",
            "the method is chosen for each question",
        ),
        (
            options.reduction.is_some(),
            "--reduction",
            "the method is chosen for each question",
        ),
        (
            options.max_states.is_some(),
            "--max-states",
            "states are explored as records arrive; use --timeout instead",
        ),
        (
            options.input.holes,
            "--holes",
            "a record that is missing may still arrive",
        ),
        (
            options.input.skew.is_some(),
            "--skew",
            "an event with an earlier time may still arrive",
        ),
        (
            options.execution.is_some(),
            "--execution",
            "only one execution can be followed",
        ),
        (
            options.input.traces.len() > 1,
            "several files",
            "one file or standard input can be followed",
        ),
    ];
    for (given, what, why) in refused {
        if given {
            return Err(Diagnostic::error(format!("{what} cannot be used with --follow: {why}")).into());
        }
    }
    match options.input.input.format() {
        Some(format) => line_parser(format).map(drop),
        None => Ok(()),
    }
}

/// How to read a line of this format.
pub(super) fn line_parser(format: Format) -> Result<LineParser, Error> {
    format.line_parser().ok_or_else(|| {
        let mut wrong = Diagnostic::error(format!("{format} input cannot be followed"));
        wrong
            .note("its records are complete only at the end of the input; it can be read without --follow")
            .note(followable());
        wrong.into()
    })
}

/// Which formats can be followed.
pub(super) fn followable() -> String {
    let lines = Format::ALL.iter().filter(|format| format.line_parser().is_some());
    let named: Vec<String> = lines
        .map(|format| format!("`{format}` ({})", format.description()))
        .collect();
    format!("formats with one record a line can be followed: {}", named.join(", "))
}
