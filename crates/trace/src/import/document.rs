//! Formats that are read as a whole.

use super::{Context, ImportError, Reading};
use crate::problem::{Place, Problem, Rule};
use std::io::Read;

/// The encoding that a text must have, and how to get it.
pub(super) const UTF8: &str = "UTF-8; convert the file, for instance with `iconv -t UTF-8`";

/// The text of a file.
pub(crate) struct Document {
    pub(crate) file: u16,
    /// Where the text begins in the file, after a byte order mark.
    pub(crate) base: u64,
    pub(crate) text: String,
}

impl Document {
    /// The place of a piece of the text, given by its first byte and its length.
    pub(crate) fn place(&self, start: usize, length: usize) -> Place {
        Place {
            file: self.file,
            offset: self.base + start as u64,
            length: u32::try_from(length).unwrap_or(u32::MAX),
        }
    }

    /// The line around a byte of the text, and how far into it the byte is.
    pub(crate) fn line(&self, at: usize) -> (Place, u32) {
        line_around(self.text.as_bytes(), at, |start, length| self.place(start, length))
    }
}

fn line_around(bytes: &[u8], at: usize, place: impl Fn(usize, usize) -> Place) -> (Place, u32) {
    let at = at.min(bytes.len());
    let start = bytes[..at].iter().rposition(|b| *b == b'\n').map_or(0, |n| n + 1);
    let length = bytes[start..].iter().position(|b| *b == b'\n');
    let length = length.unwrap_or(bytes.len() - start);
    let within = u32::try_from(at - start).unwrap_or(u32::MAX);
    (place(start, length), within)
}

/// Reads the texts of all files, and hands them to `tell`.
pub(crate) fn read(
    context: &Context<'_>,
    tell: impl FnOnce(&[Document]) -> Result<Reading, ImportError>,
) -> Result<Reading, ImportError> {
    let mut documents = Vec::new();
    for file in context.sources.files() {
        context.check_interrupt()?;
        let failed = |error| context.failed(file, error);
        let mut bytes = Vec::new();
        let mut reader = context.sources.open(file).map_err(failed)?;
        reader.read_to_end(&mut bytes).map_err(failed)?;
        let base = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        bytes.drain(..base);
        match String::from_utf8(bytes) {
            Ok(text) => documents.push(Document {
                file,
                base: base as u64,
                text,
            }),
            Err(error) => {
                let at = error.utf8_error().valid_up_to();
                let byte = error.as_bytes().get(at).copied().unwrap_or_default();
                let place = |start: usize, length| Place {
                    file,
                    offset: (base + start) as u64,
                    length: u32::try_from(length).unwrap_or(u32::MAX),
                };
                let (place, at) = line_around(error.as_bytes(), at, place);
                let problem = Problem::new(Rule::Syntax, place, format!("byte 0x{byte:02x} is not UTF-8"));
                return Ok(Reading::failed(context, problem.expected(UTF8).at(at)));
            }
        }
    }
    tell(&documents)
}
