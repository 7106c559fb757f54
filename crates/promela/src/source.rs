//! The files of a model, and places in them.
//!
//! A [`Span`] is two offsets in one file. Text that a macro expands to has the span where it was
//! written, in the macro's body or in its arguments.

use crate::narrow::index;
use std::fmt;

/// One of the files of a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub u32);

/// A piece of a file: bytes `start..end`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

impl Span {
    /// The span from the beginning of `self` to the end of `other` if both are in one file,
    /// and `self` otherwise.
    pub fn to(self, other: Self) -> Self {
        if self.file == other.file && other.end >= self.start {
            Self { end: other.end, ..self }
        } else {
            self
        }
    }
}

/// A line and a column, both from 1. Columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineColumn {
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

impl fmt::Display for LineColumn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// All files of a model.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    files: Vec<File>,
}

#[derive(Clone, Debug)]
struct File {
    name: String,
    text: String,
    /// The offset of each line.
    lines: Vec<u32>,
}

impl Sources {
    /// The names of the files. The model is the first.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|file| file.name.as_str())
    }

    /// Adds a file.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        let text = text.into();
        let begins = text
            .bytes()
            .enumerate()
            .filter(|(_, b)| *b == b'\n')
            .map(|(k, _)| index(k + 1));
        let lines = std::iter::once(0).chain(begins).collect();
        self.files.push(File {
            name: name.into(),
            text,
            lines,
        });
        FileId(index(self.files.len() - 1))
    }

    /// The name of a file, as it was given.
    pub fn name(&self, file: FileId) -> &str {
        &self.files[file.0 as usize].name
    }

    /// The text of a file.
    pub fn text(&self, file: FileId) -> &str {
        &self.files[file.0 as usize].text
    }

    /// The text of a span.
    pub fn slice(&self, span: Span) -> &str {
        &self.text(span.file)[span.start as usize..span.end as usize]
    }

    /// The line and column where a span begins.
    pub fn place(&self, span: Span) -> LineColumn {
        let file = &self.files[span.file.0 as usize];
        let line = file.lines.partition_point(|begin| *begin <= span.start) - 1;
        let before = &file.text[file.lines[line] as usize..span.start as usize];
        LineColumn {
            line: index(line + 1),
            column: index(before.chars().count() + 1),
        }
    }

    /// The line where a span begins, without the line break.
    pub fn line(&self, span: Span) -> &str {
        let file = &self.files[span.file.0 as usize];
        let line = file.lines.partition_point(|begin| *begin <= span.start) - 1;
        let rest = &file.text[file.lines[line] as usize..];
        rest.split('\n').next().unwrap_or_default().trim_end_matches('\r')
    }

    /// The text of a span on one line. Each run of blanks, line breaks and comments becomes
    /// one space.
    pub fn one_line(&self, span: Span) -> String {
        let mut shown = String::new();
        let mut rest = self.slice(span).trim_start();
        while let Some(next) = rest.chars().next() {
            let skipped = if let Some(comment) = rest.strip_prefix("/*") {
                comment.find("*/").map_or(rest.len(), |end| end + 4)
            } else if rest.starts_with("//") {
                rest.find('\n').unwrap_or(rest.len())
            } else if rest.starts_with("\\\n") {
                2
            } else if next.is_whitespace() {
                next.len_utf8()
            } else {
                shown.push(next);
                rest = &rest[next.len_utf8()..];
                continue;
            };
            rest = &rest[skipped..];
            if !shown.ends_with(' ') && !rest.is_empty() {
                shown.push(' ');
            }
        }
        shown.truncate(shown.trim_end().len());
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_on_one_line() {
        let mut sources = Sources::default();
        let file = sources.add("m.pml", "x =\t1 /* why */\n  + // and\n 2; y");
        let span = |start, end| Span { file, start, end };
        assert_eq!(sources.one_line(span(0, 31)), "x = 1 + 2;");
        assert_eq!(sources.line(span(18, 19)), "  + // and");
        assert_eq!(sources.place(span(18, 19)).to_string(), "2:3");
    }
}
