//! What is wrong with an input, and where.
//!
//! The code that finds a problem may not know where in the record its cause is: the
//! recorder is told about messages and clocks, not about bytes. It names the
//! [`Part`] of the record instead, and the importer, which knows the
//! format, finds that part in the text when the problem is reported.

use std::fmt;

/// Where a record is in the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Which file of the input, from 0.
    pub file: u16,
    /// Its first byte there.
    pub offset: u64,
    /// Its length in bytes.
    pub length: u32,
}

impl Place {
    /// No place: for a record that was made up to fill a hole.
    pub const NOWHERE: Self = Self {
        file: u16::MAX,
        offset: u64::MAX,
        length: 0,
    };
}

/// A rule of the input formats that a record breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Rule {
    /// The text is not what the format says.
    Syntax,
    /// A field has a value of the wrong kind.
    Field,
    /// A process's initial state comes first and only once.
    InitFirst,
    /// A message is sent once.
    SentOnce,
    /// What is received was sent.
    SentBeforeReceived,
    /// A clock counts its own event: the entry of its process is the event's number.
    OwnEntry,
    /// A clock never goes back.
    Monotone,
    /// A clock knows only events that exist.
    KnownEvents,
    /// A clock knows everything that was known to the events it knows.
    Transitive,
    /// Nothing happens before itself.
    Acyclic,
    /// Times do not contradict the order by more than clocks may differ.
    Skew,
}

impl Rule {
    /// A short name for scripts.
    pub fn id(self) -> &'static str {
        match self {
            Self::Syntax => "syntax",
            Self::Field => "field",
            Self::InitFirst => "init-first",
            Self::SentOnce => "sent-once",
            Self::SentBeforeReceived => "receive-without-send",
            Self::OwnEntry => "own-entry",
            Self::Monotone => "clock-goes-back",
            Self::KnownEvents => "unknown-event",
            Self::Transitive => "not-transitive",
            Self::Acyclic => "cycle",
            Self::Skew => "clock-skew",
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

/// How many problems an input has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProblemCount {
    /// How many were found.
    pub found: usize,
    /// Whether reading was given up because of them, so that there may be more.
    pub gave_up: bool,
}

impl fmt::Display for ProblemCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.found, self.gave_up) {
            (1, false) => f.write_str("an error"),
            (n, false) => write!(f, "{n} errors"),
            (n, true) => write!(f, "at least {n} errors; reading was given up"),
        }
    }
}

/// A part of a record, by its meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Part {
    /// The message of this name, where it is sent.
    Send(String),
    /// The message of this name, where it is received.
    Receive(String),
    /// The entry of a vector timestamp for this process.
    Clock(String),
    /// The time.
    Time,
}

/// A record that breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// Which rule.
    pub rule: Rule,
    /// The record.
    pub place: Place,
    /// Where in the record, in bytes from its beginning, if it is known.
    pub at: Option<u32>,
    /// What part of the record, if it is known.
    pub part: Option<Part>,
    /// What is wrong.
    pub message: String,
    /// What was expected instead.
    pub expected: Option<String>,
    /// Other records that are involved, each with its role.
    pub related: Vec<(Place, String)>,
}

impl Problem {
    /// A problem with a record.
    pub fn new(rule: Rule, place: Place, message: impl Into<String>) -> Self {
        Self {
            rule,
            place,
            at: None,
            part: None,
            message: message.into(),
            expected: None,
            related: Vec::new(),
        }
    }

    /// Says what was expected.
    pub fn expected(mut self, what: impl Into<String>) -> Self {
        self.expected = Some(what.into());
        self
    }

    /// Says where in the record.
    pub fn at(mut self, byte: u32) -> Self {
        self.at = Some(byte);
        self
    }

    /// Says what part of the record.
    pub fn part(mut self, part: Part) -> Self {
        self.part = Some(part);
        self
    }

    /// Points at another record.
    pub fn related(mut self, place: Place, what: impl Into<String>) -> Self {
        self.related.push((place, what.into()));
        self
    }
}
