//! What an importer says about its format, which is all that the rest of the program knows.

use super::document::Document;
use super::recognise::Beginning;
use super::spans::SpanParser;
use super::{Context, ImportError, Reading};
use crate::online::Monitor;
use crate::problem::{Part, Place};
use crate::recorder::Recorder;
use std::fmt;

/// An importer. Each file in `formats/` defines one.
pub(crate) struct Importer {
    /// The name of its format: on the command line, in messages, in JSON.
    pub(crate) name: &'static str,
    /// Older names that are still understood.
    pub(crate) aliases: &'static [&'static str],
    /// What it reads, in a few words, for `--help`.
    pub(crate) description: &'static str,
    /// Why a text is not in this format, judging by its beginning; `None` if it is.
    pub(crate) lacks: fn(&Beginning<'_>) -> Option<String>,
    /// How it reads.
    pub(crate) reads: Reads,
    /// Whether it takes the expressions of `--shiviz-regex` and `--shiviz-delimiter`.
    pub(crate) takes_expressions: bool,
}

/// How an importer reads.
pub(crate) enum Reads {
    /// One record on each line. Such a format can be followed.
    Lines(LineParser),
    /// All files as a whole.
    Documents(fn(&Context<'_>, &[Document]) -> Result<Reading, ImportError>),
    /// Spans, which `spans/` puts in order.
    Spans(SpanParser),
}

/// How to read one line of a line format.
///
/// The parser is compiled for recorders and for monitors, and chosen once for all lines.
#[derive(Clone, Copy)]
pub struct LineParser {
    /// Tells a recorder the record on a line. `true` says that the input ends with it,
    /// without an end of line.
    pub(crate) record: fn(&[u8], Place, bool, &mut Recorder),
    /// As `record`, for a monitor.
    pub(crate) follow: fn(&[u8], Place, bool, &mut Monitor),
    /// Where a part of a record is in its line.
    pub(crate) locate: fn(&str, &Part) -> Option<u32>,
}

impl LineParser {
    /// Reads one record, the line at `place`, and tells `monitor` what it says. An empty
    /// line has no effect; what is wrong becomes a problem of the monitor. `rest` says that
    /// the input ends with this line, without an end of line.
    pub fn follow(&self, line: &[u8], place: Place, rest: bool, monitor: &mut Monitor) {
        (self.follow)(line, place, rest, monitor);
    }

    /// Where a part of a record is in its line.
    pub fn locate(&self, line: &str, part: &Part) -> Option<u32> {
        (self.locate)(line, part)
    }
}

impl fmt::Debug for LineParser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LineParser").finish_non_exhaustive()
    }
}
