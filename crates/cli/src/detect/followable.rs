//! What can be followed: line formats, and options that need no end of the run.

use super::{Method, Options};
use crate::diagnostic::Diagnostic;
use crate::exit::Error;
use mazurka_trace::{Format, Monitor, Part, Place, clocked, native};

/// What cannot be done while a run goes on, and why.
pub(super) fn check(options: &Options) -> Result<(), Error> {
    let whole = "it needs the whole run";
    let refused = [
        (options.report.is_some(), "--report", whole),
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
            "states are looked at as records arrive; --timeout ends it",
        ),
        (
            options.input.holes,
            "--holes",
            "a record that is missing may still arrive",
        ),
        (
            options.execution.is_some(),
            "--execution",
            "what is followed is one execution",
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
        Some(format) => Reader::of(format).map(drop),
        None => Ok(()),
    }
}

/// How to read a line.
#[derive(Clone, Copy)]
pub(super) struct Reader {
    pub(super) record: fn(&[u8], Place, bool, &mut Monitor),
    pub(super) locate: fn(&str, &Part) -> Option<u32>,
}

impl Reader {
    pub(super) fn of(format: Format) -> Result<Self, Error> {
        match format {
            Format::Mazurka => Ok(Self {
                record: native::record_or_rest,
                locate: native::locate,
            }),
            Format::Clocked => Ok(Self {
                record: clocked::record_or_rest,
                locate: clocked::locate,
            }),
            format => {
                let mut wrong = Diagnostic::error(format!("{format} input cannot be followed"));
                wrong
                    .note("its records are complete only when the whole of it is; without --follow it can be read")
                    .note("JSON Lines can be followed, mazurka's own (`mazurka`) or with vector clocks (`clocks`)");
                Err(wrong.into())
            }
        }
    }
}
