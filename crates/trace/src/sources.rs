//! The files of an input, by number, and the text of its records.
//!
//! A computation keeps only the place of each event's record. When the text is to be
//! shown, it is read from the file again; only standard input is kept in memory.

use crate::problem::Place;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How many bytes of a line are shown on each side of the place in question.
const SHOWN: usize = 60;

/// Where the text of an input is.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    all: Vec<Source>,
}

#[derive(Clone, Debug)]
enum Source {
    File(PathBuf),
    Text { name: String, bytes: Arc<[u8]> },
}

/// A piece of a line around a place in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Excerpt {
    /// The line, shortened if it is long.
    pub(crate) text: String,
    /// How many characters are before the place.
    pub(crate) before: usize,
    pub(crate) line: u64,
    pub(crate) column: u64,
}

impl Excerpt {
    /// An excerpt of a line that is split at the place in question. If `goes_on`, the line is longer than that.
    pub(crate) fn of(line: u64, before: &str, after: &str, goes_on: bool) -> Self {
        let column = before.chars().count();
        let cut = column.saturating_sub(SHOWN * 2);
        let mut text = String::new();
        if cut > 0 {
            text.push('…');
        }
        text.extend(before.chars().skip(cut).map(visible));
        let shown = text.chars().count();
        text.extend(after.chars().take(SHOWN * 2).map(visible));
        if goes_on || after.chars().count() > SHOWN * 2 {
            text.push('…');
        }
        Self {
            text: text.trim_end().to_owned(),
            before: shown,
            line,
            column: column as u64 + 1,
        }
    }
}

/// A byte of a file: its offset, its line, and where that begins.
#[derive(Clone, Copy)]
struct LineCount {
    offset: u64,
    line: u64,
    start: u64,
}

impl Default for LineCount {
    fn default() -> Self {
        Self {
            offset: 0,
            line: 1,
            start: 0,
        }
    }
}

impl LineCount {
    /// Reads on to a byte, or to the end.
    fn count_to(&mut self, reader: &mut impl BufRead, target: u64) -> io::Result<Self> {
        while self.offset < target {
            let buffer = reader.fill_buf()?;
            let left = usize::try_from(target - self.offset).unwrap_or(usize::MAX);
            let here = buffer.len().min(left);
            if here == 0 {
                break;
            }
            for (k, byte) in buffer[..here].iter().enumerate() {
                if *byte == b'\n' {
                    self.line += 1;
                    self.start = self.offset + k as u64 + 1;
                }
            }
            self.offset += here as u64;
            reader.consume(here);
        }
        Ok(*self)
    }

    /// The text around it.
    fn excerpt(self, reader: &mut (impl BufRead + Seek)) -> io::Result<Excerpt> {
        let mut before = Vec::new();
        reader.seek(SeekFrom::Start(self.start))?;
        reader
            .by_ref()
            .take(self.offset - self.start)
            .read_to_end(&mut before)?;
        let mut after = Vec::new();
        reader.by_ref().take(SHOWN as u64 * 3).read_to_end(&mut after)?;
        let whole = after.len() < SHOWN * 3;
        let end = after.iter().position(|b| *b == b'\n');
        after.truncate(end.unwrap_or(after.len()));
        let (before, after) = (String::from_utf8_lossy(&before), String::from_utf8_lossy(&after));
        Ok(Excerpt::of(self.line, &before, &after, end.is_none() && !whole))
    }
}

/// Text that can be read from any position.
pub(crate) trait Text: Read + Seek {}
impl<T: Read + Seek> Text for T {}

impl Sources {
    pub(crate) fn add_file(&mut self, path: PathBuf) {
        self.all.push(Source::File(path));
    }

    pub(crate) fn add_text(&mut self, name: String, bytes: Vec<u8>) {
        let bytes = bytes.into();
        self.all.push(Source::Text { name, bytes });
    }

    /// How many files there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Their numbers. There are fewer than 65,535, or [`crate::import`] refuses them.
    pub(crate) fn files(&self) -> std::ops::Range<u16> {
        0..u16::try_from(self.all.len()).unwrap_or(u16::MAX)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The name of a file.
    pub fn name(&self, file: u16) -> String {
        match self.all.get(usize::from(file)) {
            Some(Source::File(path)) => path.display().to_string(),
            Some(Source::Text { name, .. }) => name.clone(),
            None => "(nowhere)".to_owned(),
        }
    }

    /// The path of a file, if it has one.
    pub fn path(&self, file: u16) -> Option<&Path> {
        match self.all.get(usize::from(file))? {
            Source::File(path) => Some(path),
            Source::Text { .. } => None,
        }
    }

    /// The text of a record, read again; `None` if it cannot be read any more.
    pub fn text(&self, place: Place) -> Option<String> {
        let mut reader = self.open(place.file).ok()?;
        reader.seek(SeekFrom::Start(place.offset)).ok()?;
        let mut bytes = Vec::new();
        reader.take(u64::from(place.length)).read_to_end(&mut bytes).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The name of the file, the line and the column, both from 1, of the byte
    /// `at` of a record. Columns count characters.
    pub fn line_column(&self, place: Place, at: u32) -> (String, u64, u64) {
        let excerpt = self.excerpt(place, at).unwrap_or_default();
        (self.name(place.file), excerpt.line.max(1), excerpt.column.max(1))
    }

    /// The line, from 1, on which each of some records begins, as far as it can be read.
    /// Every file is read once, however many records are asked for.
    pub fn lines(&self, places: &[Place]) -> Vec<Option<u64>> {
        let mut lines = vec![None; places.len()];
        let mut order: Vec<usize> = (0..places.len()).collect();
        order.sort_by_key(|&k| places[k]);
        for group in order.chunk_by(|&a, &b| places[a].file == places[b].file) {
            let Ok(text) = self.open(places[group[0]].file) else {
                continue;
            };
            let mut reader = BufReader::with_capacity(1 << 18, text);
            let (mut line, mut offset) = (1, 0);
            for &k in group {
                while offset < places[k].offset {
                    let buffer = match reader.fill_buf() {
                        Ok(buffer) if !buffer.is_empty() => buffer,
                        _ => break,
                    };
                    let here = buffer
                        .len()
                        .min(usize::try_from(places[k].offset - offset).unwrap_or(usize::MAX));
                    line += buffer[..here].iter().filter(|b| **b == b'\n').count() as u64;
                    offset += here as u64;
                    reader.consume(here);
                }
                if offset == places[k].offset {
                    lines[k] = Some(line);
                }
            }
        }
        lines
    }

    /// The line around the byte `at` of a record.
    pub(crate) fn excerpt(&self, place: Place, at: u32) -> Option<Excerpt> {
        self.excerpts(&[(place, at)]).swap_remove(0)
    }

    /// The lines around bytes of records, as far as they can be read. Every file is read once
    /// from its beginning, however many there are, because lines have to be counted.
    pub(crate) fn excerpts(&self, spots: &[(Place, u32)]) -> Vec<Option<Excerpt>> {
        let target = |k: usize| spots[k].0.offset.checked_add(u64::from(spots[k].1));
        let mut excerpts = vec![None; spots.len()];
        let mut order: Vec<usize> = (0..spots.len()).filter(|&k| target(k).is_some()).collect();
        order.sort_by_key(|&k| (spots[k].0.file, target(k)));
        for group in order.chunk_by(|&a, &b| spots[a].0.file == spots[b].0.file) {
            let Ok(text) = self.open(spots[group[0]].0.file) else {
                continue;
            };
            let mut reader = BufReader::with_capacity(1 << 18, text);
            let mut lines = LineCount::default();
            // The lines first: showing them moves about in the file.
            let counts: Vec<_> = group
                .iter()
                .map(|&k| lines.count_to(&mut reader, target(k).unwrap_or(u64::MAX)).ok())
                .collect();
            for (&k, count) in group.iter().zip(counts) {
                excerpts[k] = count.and_then(|count| count.excerpt(&mut reader).ok());
            }
        }
        excerpts
    }

    /// A reader of a file from its beginning.
    pub(crate) fn open(&self, file: u16) -> io::Result<Box<dyn Text>> {
        match self.all.get(usize::from(file)) {
            Some(Source::File(path)) => Ok(Box::new(File::open(path)?)),
            Some(Source::Text { bytes, .. }) => Ok(Box::new(Cursor::new(bytes.clone()))),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }
}

/// Text from an input as it may be shown on a terminal, on one line.
pub(crate) fn shown(text: &str) -> String {
    text.chars().map(visible).collect()
}

/// A character that can be shown in place of `c`. Control characters would disturb the display, and some
/// characters reorder or hide the text around them.
fn visible(c: char) -> char {
    match c {
        '\t' => ' ',
        c if c.is_control() => '\u{fffd}',
        '\u{ad}'
        | '\u{61c}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}' => '\u{fffd}',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_has_a_line_a_column_and_a_text() {
        let mut sources = Sources::default();
        sources.add_text("standard input".into(), "first\nzwölf äpfel\nlast".into());
        let place = Place {
            file: 0,
            offset: 6,
            length: 13,
        };
        assert_eq!(sources.text(place).unwrap(), "zwölf äpfel");
        assert_eq!(sources.line_column(place, 7), ("standard input".into(), 2, 7));
        let excerpt = sources.excerpt(place, 7).unwrap();
        assert_eq!((excerpt.text.as_str(), excerpt.before), ("zwölf äpfel", 6));
        assert_eq!(sources.line_column(Place::NOWHERE, 0).0, "(nowhere)");
    }

    #[test]
    fn the_lines_of_many_records_in_any_order() {
        let mut sources = Sources::default();
        sources.add_text("a".into(), "1\n2\n3\n".into());
        sources.add_text("b".into(), "1\n2".into());
        let at = |file, offset| Place {
            file,
            offset,
            length: 1,
        };
        let places = [at(0, 4), at(1, 2), at(0, 0), at(0, 2), at(0, 99), Place::NOWHERE];
        assert_eq!(sources.lines(&places), [Some(3), Some(2), Some(1), Some(2), None, None]);
    }

    #[test]
    fn long_lines_are_shortened_around_the_place() {
        let mut sources = Sources::default();
        sources.add_text("x".into(), vec![b'a'; 100_000]);
        let place = Place {
            file: 0,
            offset: 0,
            length: 100_000,
        };
        let excerpt = sources.excerpt(place, 50_000).unwrap();
        assert_eq!(excerpt.column, 50_001);
        assert!(excerpt.text.chars().count() < 300 && excerpt.text.starts_with('…') && excerpt.text.ends_with('…'));
    }
}
