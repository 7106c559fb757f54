//! Reads a file line by line into one buffer, and files in which each line is a record.

use super::document::UTF8;
use super::importer::LineParser;
use super::json::offset_in;
use super::sink::Sink;
use super::{Context, ImportError, Reading};
use crate::narrow::short;
use crate::problem::{Place, Problem, Rule};
use std::io::{self, BufRead, BufReader, Read};

/// The most bytes of a record. A file without line breaks is not a log.
const LONGEST: u64 = 1 << 26;

/// Reads lines.
pub(crate) struct Lines<R> {
    reader: BufReader<R>,
    line: Vec<u8>,
    offset: u64,
}

/// A line without its end.
pub(crate) struct Line<'a> {
    pub(crate) bytes: &'a [u8],
    /// Its first byte in the file.
    pub(crate) offset: u64,
    /// Whether the file ends with it, without an end of line.
    pub(crate) rest: bool,
    /// Whether it is longer than what is read of it.
    pub(crate) too_long: bool,
}

impl<R: Read> Lines<R> {
    pub(crate) fn new(reader: R) -> Self {
        Self {
            reader: BufReader::with_capacity(1 << 18, reader),
            line: Vec::new(),
            offset: 0,
        }
    }

    /// The next line.
    pub(crate) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        self.line.clear();
        let read = self.reader.by_ref().take(LONGEST).read_until(b'\n', &mut self.line)?;
        if read == 0 {
            return Ok(None);
        }
        let mut offset = self.offset;
        self.offset += read as u64;
        let ended = self.line.last() == Some(&b'\n');
        let mut bytes = &self.line[..read - usize::from(ended)];
        if offset == 0
            && let Some(rest) = bytes.strip_prefix(b"\xef\xbb\xbf")
        {
            // A byte order mark has no meaning in UTF-8.
            bytes = rest;
            offset = 3;
        }
        Ok(Some(Line {
            bytes: bytes.strip_suffix(b"\r").unwrap_or(bytes),
            offset,
            rest: !ended,
            too_long: !ended && read as u64 == LONGEST,
        }))
    }
}

/// Reads all files line by line.
pub(super) fn read(context: &Context<'_>, parser: LineParser) -> Result<Reading, ImportError> {
    let mut recorder = context.recorder();
    let record = parser.record;
    'files: for file in context.sources.files() {
        let failed = |error| context.failed(file, error);
        let mut lines = Lines::new(context.sources.open(file).map_err(failed)?);
        let mut count = 0_u32;
        while let Some(line) = lines.next().map_err(failed)? {
            count = count.wrapping_add(1);
            if count.is_multiple_of(4096) {
                context.check_interrupt()?;
            }
            let place = Place {
                file,
                offset: line.offset,
                length: short(line.bytes.len()),
            };
            if line.too_long {
                let message = format!("the line is longer than {} MiB", LONGEST >> 20);
                let problem = Problem::new(Rule::Syntax, place, message);
                recorder.problem(problem.expected("one record on each line, and an end after each").at(0));
                break;
            }
            record(line.bytes, place, line.rest, &mut recorder);
            if recorder.problems() >= context.limit {
                break 'files;
            }
        }
    }
    let mut reading = Reading::of(context, vec![(None, recorder)]);
    reading.locate = Box::new(move |_, text, part| parser.locate(text, part));
    Ok(reading)
}

/// The text of a line that should be an object; `None` if it is empty or wrong.
pub(crate) fn line_text<'a>(line: &'a [u8], place: Place, sink: &mut impl Sink) -> Option<&'a str> {
    let text = match std::str::from_utf8(line) {
        Ok(text) => text,
        Err(error) => {
            let byte = line.get(error.valid_up_to()).copied().unwrap_or_default();
            let problem = Problem::new(Rule::Syntax, place, format!("byte 0x{byte:02x} is not UTF-8"))
                .expected(UTF8)
                .at(u32::try_from(error.valid_up_to()).unwrap_or(u32::MAX));
            sink.problem(problem);
            return None;
        }
    };
    let begin = text.trim_start();
    if begin.is_empty() {
        return None;
    }
    if !begin.starts_with('{') {
        let problem = Problem::new(Rule::Syntax, place, "the line is not a JSON object")
            .expected("`{`, the beginning of a record")
            .at(offset_in(text, begin));
        sink.problem(problem);
        return None;
    }
    Some(text)
}
