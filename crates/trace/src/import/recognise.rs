//! Recognises what an input is written in by its beginning.
//!
//! Each format says what the text lacks to be in it. A document may be longer than the
//! beginning, so the names of its fields decide, not whether it parses. A
//! line format is recognised by any of the first lines, so that a mistake in one of them
//! is reported as a mistake.

use super::error::Rejected;
use super::json;
use super::{Format, ImportError, ImportOptions};
use crate::sources::Sources;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::io::Read;

/// How many bytes the beginning has.
const BEGINNING: u64 = 1 << 16;
/// How many lines the beginning has.
const LINES: usize = 50;

/// The beginning of an input.
pub(crate) struct Beginning<'a> {
    /// Its text.
    pub(crate) text: &'a str,
    /// The first lines that are not empty.
    pub(crate) lines: Vec<&'a str>,
}

impl<'a> Beginning<'a> {
    /// What an input begins with; `whole` says that there is no more of it.
    pub(crate) fn of(text: &'a str, whole: bool) -> Self {
        let mut lines: Vec<&str> = text
            .lines()
            .filter(|line| !line.trim().is_empty())
            .take(LINES)
            .collect();
        if !whole && lines.len() < LINES && lines.len() > 1 {
            // The last line may be cut off.
            lines.pop();
        }
        Self { text, lines }
    }

    /// Whether the text begins with this character and has these fields.
    pub(crate) fn is_document(&self, begin: char, fields: &[&str]) -> bool {
        self.text.trim_start().starts_with(begin) && fields.iter().all(|field| has_field(self.text, field))
    }

    /// The first lines that are JSON objects, each by its entries.
    pub(crate) fn objects(&self) -> impl Iterator<Item = Vec<(Cow<'a, str>, &'a RawValue)>> {
        self.lines.iter().filter_map(|line| json::entries(line).ok())
    }
}

/// Whether a text, which may be cut off, has a field of this name.
pub(crate) fn has_field(text: &str, name: &str) -> bool {
    text.match_indices(&format!("\"{name}\""))
        .any(|(at, found)| text[at + found.len()..].trim_start().starts_with(':'))
}

/// The format of the first file that has one.
///
/// # Errors
/// If no file is in a known format: what the first file that is not empty lacks.
pub(crate) fn recognise(sources: &Sources, options: &ImportOptions) -> Result<Format, ImportError> {
    let mut error = None;
    for file in sources.files() {
        let failed = |error| sources.failed(file, error);
        let mut bytes = Vec::new();
        let reader = sources.open(file).map_err(failed)?;
        reader.take(BEGINNING).read_to_end(&mut bytes).map_err(failed)?;
        let whole = (bytes.len() as u64) < BEGINNING;
        let text = String::from_utf8_lossy(&bytes);
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let mut formats = Format::ALL.iter().copied();
        if options.shiviz_regex.is_some()
            && let Some(format) = formats.find(|format| format.importer().takes_expressions)
        {
            return Ok(format);
        }
        match format_of(&Beginning::of(text, whole)) {
            Ok(format) => return Ok(format),
            Err(tried) if error.is_none() || !text.trim().is_empty() => {
                let name = sources.name(file);
                error.get_or_insert(ImportError::Unrecognised { name, tried });
            }
            Err(_) => {}
        }
    }
    Err(error.unwrap_or(ImportError::Unrecognised {
        name: "the input".to_owned(),
        tried: Vec::new(),
    }))
}

/// The first format that an input begins like; otherwise what it lacks to be in each.
pub(super) fn format_of(beginning: &Beginning<'_>) -> Result<Format, Vec<Rejected>> {
    let mut tried = Vec::new();
    for format in Format::ALL.iter().copied() {
        match (format.importer().lacks)(beginning) {
            None => return Ok(format),
            Some(why) => tried.push(Rejected { format, why }),
        }
    }
    Err(tried)
}
