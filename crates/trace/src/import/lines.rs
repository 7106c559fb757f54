//! The lines of a file, one at a time, in one buffer.

use std::io::{self, BufRead, BufReader, Read};

/// No record is longer than this; a file without line breaks is not a log.
pub(super) const LONGEST: u64 = 1 << 26;

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
            // A byte order mark says nothing in UTF-8.
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
