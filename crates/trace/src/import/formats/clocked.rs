//! JSON Lines with vector timestamps, as logging libraries write them.
//!
//! Each line is an object with the vector timestamp of its event, under a name
//! such as `VectorClock`, `vclock` or `clock`, and the name of the process, under a
//! name such as `host`, `process`, `node` or `pid`. `event`, `msg` or `message` is
//! what the event is called. Every other scalar field is a variable, and so is
//! each entry of an object `vars`. Case, `_`, `-` and `.` in names do not matter. If
//! there are several candidates, the one listed first counts, and the others are
//! variables.

use crate::import::importer::{Importer, LineParser, Reads};
use crate::import::json::{self, Variables, offset_in, wrong_kind};
use crate::import::lines::line_text;
use crate::import::recognise::Beginning;
use crate::import::seen::Seen;
use crate::import::sink::Sink;
use crate::import::{Format, text_variables};
use crate::problem::{Part, Place, Problem, Rule};
use crate::stamp;
use serde::de::DeserializeSeed;
use serde_json::value::RawValue;
use std::borrow::Cow;

impl Format {
    /// JSON Lines with vector timestamps.
    pub const CLOCKS: Self = Self::of(&Importer {
        name: "clocks",
        aliases: &["clocked"],
        description: "JSON Lines with vector clocks",
        lacks,
        reads: Reads::Lines(LineParser {
            record: record_or_rest,
            follow: record_or_rest,
            locate,
        }),
        takes_expressions: false,
    });
}

fn lacks(beginning: &Beginning<'_>) -> Option<String> {
    let lacks: Vec<_> = beginning.objects().map(|entries| lacks_in(&entries)).collect();
    match lacks.first() {
        None => Some("none of its first lines is a JSON object".to_owned()),
        Some(_) if lacks.contains(&None) => None,
        Some(first) => first.map(str::to_owned),
    }
}

const CLOCKS: [&str; 5] = ["vectorclock", "vclock", "clock", "vectortimestamp", "vc"];
const PROCESSES: [&str; 9] = [
    "process",
    "host",
    "node",
    "pid",
    "processid",
    "processname",
    "hostname",
    "nodeid",
    "proc",
];
/// When the event happened, if that is asked for.
const TIMES: [&str; 3] = ["time", "timestamp", "ts"];
const LABELS: [&str; 3] = ["event", "msg", "message"];

type Entries<'a> = [(Cow<'a, str>, &'a RawValue)];

/// Which entry of a record is which.
struct Roles {
    clock: Option<usize>,
    process: Option<usize>,
    label: Option<usize>,
}

impl Roles {
    fn of(entries: &Entries<'_>) -> Self {
        let best = |names: &[&str]| {
            let find = |name: &&str| entries.iter().position(|(key, _)| is_named(key, name));
            names.iter().find_map(find)
        };
        Self {
            clock: best(&CLOCKS),
            process: best(&PROCESSES),
            label: best(&LABELS),
        }
    }
}

/// Whether a key is this name, without regard to case and punctuation.
fn is_named(key: &str, name: &str) -> bool {
    let letters = key.bytes().filter(|b| !matches!(b, b'_' | b'-' | b'.'));
    letters.map(|b| b.to_ascii_lowercase()).eq(name.bytes())
}

/// Reads one record, the line at `place`, and tells `sink` what it says. An empty
/// line has no effect; what is wrong becomes a [`Problem`] of the sink.
///
/// ```
/// use mazurka_trace::{Place, Recorder, Recording, clocked};
/// let mut recorder = Recorder::new(Recording::default());
/// let line = br#"{"host":"a","VectorClock":{"a":1},"msg":"up","load":0.5}"#;
/// clocked::record(line, Place { file: 0, offset: 0, length: line.len() as u32 }, &mut recorder);
/// let computation = recorder.finish().unwrap();
/// let a = computation.process("a").unwrap();
/// assert_eq!(computation.local_state(a, 1)["load"].to_string(), "0.5");
/// ```
pub fn record(line: &[u8], place: Place, sink: &mut impl Sink) {
    record_or_rest(line, place, false, sink);
}

/// As [`record`]; `rest` says that the input ends with this line, without an end of line.
pub fn record_or_rest(line: &[u8], place: Place, rest: bool, sink: &mut impl Sink) {
    let Some(line) = line_text(line, place, sink) else {
        return;
    };
    let entries = match json::entries(line) {
        Ok(entries) => entries,
        Err(error) => return sink.problem(json::syntax(&error, line, place, 0, rest)),
    };
    let roles = Roles::of(&entries);
    let record = Record {
        line,
        place,
        entries: &entries,
        roles,
    };
    record.tell(sink);
}

/// A record whose entries are known.
struct Record<'a> {
    line: &'a str,
    place: Place,
    entries: &'a Entries<'a>,
    roles: Roles,
}

impl Record<'_> {
    /// Tells what it says, once it is clear whose event it is and that it has a clock.
    fn tell(&self, sink: &mut impl Sink) {
        self.contradictions(sink);
        let begin = offset_in(self.line, self.line.trim_start());
        let Some(process) = self.roles.process else {
            let problem = Problem::new(Rule::Field, self.place, "the record does not say whose event it is");
            return sink.problem(problem.expected("a field `host`, `process`, `node` or `pid`").at(begin));
        };
        let Some(clock) = self.roles.clock else {
            let problem = Problem::new(Rule::Field, self.place, "the record has no vector clock");
            return sink.problem(problem.expected("a field `VectorClock`, `vclock` or `clock`").at(begin));
        };
        let raw = self.entries[process].1;
        let name = match raw.get().as_bytes()[0] {
            b'"' => json::text(raw),
            b'-' | b'0'..=b'9' => Some(Cow::Borrowed(raw.get())),
            _ => None,
        };
        let Some(name) = name else {
            return self.refuse(process, "the name of a process, a text or a number", sink);
        };
        let id = sink.process(&name);
        sink.event(id, self.place);
        self.clock(clock, &name, sink);
        for at in (0..self.entries.len()).filter(|at| *at != process && *at != clock) {
            self.variable(at, sink);
        }
    }

    /// Two fields have the same name. This is an error unless they have the same value.
    fn contradictions(&self, sink: &mut impl Sink) {
        let mut seen = Seen::default();
        for (key, raw) in self.entries {
            let other = |key: &str| self.entries.iter().any(|(k, r)| k == key && r.get() != raw.get());
            if seen.once(Cow::Borrowed(&**key)).is_err() && other(key) {
                let message = format!("the record has two fields `{key}` with different values");
                let problem = Problem::new(Rule::Field, self.place, message).expected("one value for each field");
                sink.problem(problem.at(offset_in(self.line, raw.get())));
            }
        }
    }

    /// An entry has a value of the wrong kind.
    fn refuse(&self, at: usize, expected: &'static str, sink: &mut impl Sink) {
        let (key, raw) = &self.entries[at];
        sink.problem(wrong_kind(self.place, self.line, key, raw, expected));
    }

    fn clock(&self, at: usize, process: &str, sink: &mut impl Sink) {
        let raw = self.entries[at].1;
        let base = offset_in(self.line, raw.get());
        match (raw.get().as_bytes()[0], json::text(raw)) {
            (b'{', _) => json::clock(raw.get(), base, self.place, process, sink),
            // Loggers whose fields are all strings write the clock as a string. Because of
            // escapes, positions in it are inexact.
            (_, Some(text)) if text.starts_with('{') => json::clock(&text, base + 1, self.place, process, sink),
            _ => self.refuse(at, "an object of processes and numbers of events", sink),
        }
    }

    /// An entry that is neither the process nor the clock: what the event is called, or a variable.
    fn variable(&self, at: usize, sink: &mut impl Sink) {
        let (key, raw) = &self.entries[at];
        if Some(at) == self.roles.label
            && let Some(text) = json::text(raw)
        {
            sink.label(&text);
            text_variables::variables(&text, sink);
            return;
        }
        if sink.wants_time() && TIMES.iter().any(|name| is_named(key, name)) {
            match json::stamp(raw) {
                Some(time) => sink.time(time),
                None => {
                    let problem = Problem::new(Rule::Field, self.place, format!("`{key}` is not a time"));
                    sink.problem(problem.expected(stamp::EXPECTED).at(offset_in(self.line, raw.get())));
                }
            }
        }
        let told = match raw.get().as_bytes()[0] {
            b'{' if key == "vars" => Variables(sink).deserialize(&mut serde_json::Deserializer::from_str(raw.get())),
            _ if key == "vars" => return self.refuse(at, "an object of variables and their values", sink),
            b'{' | b'[' => return,
            _ => json::assign(key, raw, sink),
        };
        if let Err(error) = told {
            let within = offset_in(self.line, raw.get());
            sink.problem(json::syntax(&error, raw.get(), self.place, within, false));
        }
    }
}

/// What a line lacks to be a record of this format; `None` if it is one.
pub(super) fn lacks_in(entries: &Entries<'_>) -> Option<&'static str> {
    let roles = Roles::of(entries);
    let clock = roles.clock.map(|at| entries[at].1.get().as_bytes()[0]);
    match (roles.process, clock) {
        (Some(_), Some(b'{' | b'"')) => None,
        (_, None) => Some("its first line has no field `VectorClock`, `vclock` or `clock`"),
        (_, Some(b'{' | b'"')) => Some("its first line has no field `host`, `process`, `node` or `pid`"),
        _ => Some("the clock of its first line is not an object"),
    }
}

/// Where a part of a record is in it.
pub fn locate(line: &str, part: &Part) -> Option<u32> {
    let Part::Clock(process) = part else { return None };
    let entries = json::entries(line).ok()?;
    let clock = entries[Roles::of(&entries).clock?].1.get();
    Some(offset_in(line, clock) + json::entry_in(clock, process))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_by_their_letters() {
        assert!(is_named("Vector_Clock", "vectorclock"));
        assert!(is_named("host.name", "hostname"));
        assert!(!is_named("clocks", "clock"));
    }
}
