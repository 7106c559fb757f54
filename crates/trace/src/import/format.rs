//! What an input is written in: a handle to one of the importers.

use super::Rejected;
use super::formats::FORMATS;
use super::importer::{Importer, LineParser, Reads};
use super::recognise::{Beginning, format_of};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

/// What an input is written in.
///
/// The file of each importer defines a constant here. Formats are compared by name. The
/// constants cannot be patterns, so a `match` on formats does not compile: it would have
/// to be extended for each new format.
///
/// ```compile_fail
/// use mazurka_trace::Format;
/// fn is_shiviz(format: Format) -> bool {
///     matches!(format, Format::SHIVIZ)
/// }
/// ```
#[derive(Clone, Copy)]
pub struct Format(&'static Importer);

impl Format {
    /// All formats, in the order in which an input is compared with them.
    pub const ALL: &'static [Self] = FORMATS;

    /// The format that an importer reads.
    pub(super) const fn of(importer: &'static Importer) -> Self {
        Self(importer)
    }

    /// The importer, which knows everything about it.
    pub(super) fn importer(self) -> &'static Importer {
        self.0
    }

    /// The format of this name, or of an older name that is still understood.
    ///
    /// ```
    /// use mazurka_trace::Format;
    /// assert_eq!(Format::named("clocks"), Some(Format::CLOCKS));
    /// assert_eq!(Format::named("clocked"), Some(Format::CLOCKS));
    /// assert_eq!(Format::named("xml"), None);
    /// ```
    pub fn named(name: &str) -> Option<Self> {
        let is_named = |format: &Self| format.name() == name || format.aliases().contains(&name);
        Self::ALL.iter().copied().find(is_named)
    }

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// Older names that are still understood.
    pub fn aliases(self) -> &'static [&'static str] {
        self.0.aliases
    }

    /// What it is, in a few words.
    pub fn description(self) -> &'static str {
        self.0.description
    }

    /// Whether its records are spans, so that [`ProcessBy`](crate::ProcessBy) applies.
    pub fn is_spans(self) -> bool {
        matches!(self.0.reads, Reads::Spans(_))
    }

    /// How to read it line by line, while it is being written; `None` if records may be
    /// incomplete until the input ends.
    pub fn line_parser(self) -> Option<LineParser> {
        match self.0.reads {
            Reads::Lines(parser) => Some(parser),
            Reads::Documents(_) | Reads::Spans(_) => None,
        }
    }

    /// The format of an input that begins with this text.
    ///
    /// ```
    /// use mazurka_trace::Format;
    /// let line = r#"{"process":"p1","init":true,"vars":{"x":0}}"#;
    /// assert_eq!(Format::of_beginning(line), Ok(Format::MAZURKA));
    /// ```
    ///
    /// # Errors
    /// If it begins like no format: what it lacks for each.
    pub fn of_beginning(text: &str) -> Result<Self, Vec<Rejected>> {
        format_of(&Beginning::of(text, true))
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Format").field(&self.name()).finish()
    }
}

impl PartialEq for Format {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Format {}

impl PartialOrd for Format {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Format {
    fn cmp(&self, other: &Self) -> Ordering {
        self.name().cmp(other.name())
    }
}

impl Hash for Format {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name().hash(state);
    }
}
