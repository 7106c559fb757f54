//! mazurka's own trace format: JSON Lines, one record a line.
//!
//! `{"process":"p1","init":true,"vars":{"x":0}}` is an initial state. Any other line is
//! an event: `{"process":"p1","event":"enter","vars":{"x":1},"send":["m1"],"recv":["m0"]}`.
//! If the system kept vector timestamps, `"clock":{"p1":3,"p2":1}` takes the place of the
//! messages. `"time":1714564800.25` is when the event happened by the clock of its process
//! (`stamp.rs`), which orders events if a skew is given. A record has no other fields, and each field occurs at most once. A field
//! that is `null` counts as absent.

mod fields;
mod write;

pub use write::write;

use super::clocked;
use crate::import::Format;
use crate::import::importer::{Importer, LineParser, Reads};
use crate::import::json::{self, Variables, offset_in, wrong_kind};
use crate::import::lines::line_text;
use crate::import::recognise::{Beginning, has_field};
use crate::import::sink::Sink;
use crate::problem::{Part, Place, Problem, Rule};
use crate::stamp;
use fields::Fields;
use mazurka_core::ProcessId;
use serde::de::{DeserializeSeed, Deserializer as _, SeqAccess, Visitor};
use serde_json::Deserializer;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

impl Format {
    /// mazurka's own JSON Lines.
    pub const MAZURKA: Self = Self::of(&Importer {
        name: "mazurka",
        aliases: &[],
        description: "mazurka's own JSON Lines",
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
    let other_clock = |entries: &[(Cow<'_, str>, &RawValue)]| {
        !entries.iter().any(|(key, _)| key == "clock") && clocked::lacks_in(entries).is_none()
    };
    let process = |entries: &[(Cow<'_, str>, &RawValue)]| {
        entries
            .iter()
            .any(|(key, raw)| key == "process" && json::text(raw).is_some())
    };
    if beginning
        .objects()
        .any(|entries| process(&entries) && !other_clock(&entries))
    {
        return None;
    }
    let Some(first) = beginning.lines.first() else {
        return Some("it is empty".to_owned());
    };
    if beginning.objects().next().is_none() {
        // A file whose only record is broken still begins like its format.
        let begins = first.trim_start().starts_with('{') && has_field(first, "process");
        return (!begins).then(|| "none of its first lines is a JSON object".to_owned());
    }
    Some("none of its first lines has a field `process` with a text, and no vector clock of another name".to_owned())
}

/// Reads one record, the line at `place`, and tells `sink` what it says. An empty
/// line has no effect; what is wrong becomes a [`Problem`] of the sink.
///
/// ```
/// use mazurka_trace::{Place, Recorder, Recording, native};
/// let mut recorder = Recorder::new(Recording::default());
/// let line = br#"{"process":"p1","event":"enter","vars":{"x":1},"send":["m1"]}"#;
/// let place = Place { file: 0, offset: 0, length: line.len() as u32 };
/// native::record(line, place, &mut recorder);
/// let computation = recorder.finish().unwrap();
/// let p1 = computation.process("p1").unwrap();
/// assert_eq!(computation.label(p1, 1), "enter");
/// ```
pub fn record(line: &[u8], place: Place, sink: &mut impl Sink) {
    record_or_rest(line, place, false, sink);
}

/// As [`record`]; `rest` says that the input ends with this line, without an end of line.
pub fn record_or_rest(line: &[u8], place: Place, rest: bool, sink: &mut impl Sink) {
    let Some(line) = line_text(line, place, sink) else {
        return;
    };
    let fields = match Fields::of(line) {
        Ok(fields) => fields,
        Err(error) => return sink.problem(json::syntax(&error, line, place, 0, rest)),
    };
    fields.problems(line, place).for_each(|problem| sink.problem(problem));
    Record {
        line,
        place,
        fields: &fields,
    }
    .tell(sink);
}

/// A record whose fields are known.
struct Record<'a> {
    line: &'a str,
    place: Place,
    fields: &'a Fields<'a>,
}

impl Record<'_> {
    /// Tells what it says, once it is clear whose record it is.
    fn tell(&self, sink: &mut impl Sink) {
        let Self { line, place, fields } = self;
        let Some(raw) = fields.get("process") else {
            let problem = Problem::new(Rule::Field, *place, "the record has no `process`")
                .expected("the name of a process, such as `\"process\": \"p1\"`");
            return sink.problem(problem.at(offset_in(line, line.trim_start())));
        };
        let Some(name) = json::text(raw) else {
            return self.refuse(sink, "process", raw, "the name of a process, a text");
        };
        let is_init = match fields.get("init").map(|raw| (raw, raw.get())) {
            None | Some((_, "false")) => false,
            Some((_, "true")) => true,
            Some((raw, _)) => return self.refuse(sink, "init", raw, "`true` or `false`"),
        };
        let process = sink.process(&name);
        if is_init {
            self.begin_state(process, sink);
        } else {
            self.begin_event(process, sink);
        }
        self.variables(sink);
        self.messages(sink);
        if let Some(raw) = fields.get("clock") {
            match raw.get().starts_with('{') {
                true => json::clock(raw.get(), offset_in(line, raw.get()), *place, &name, sink),
                false => self.refuse(sink, "clock", raw, "an object of processes and numbers of events"),
            }
        }
        if let Some(raw) = fields.get("time") {
            match json::stamp(raw) {
                Some(time) => sink.time(time),
                None => {
                    let problem = Problem::new(Rule::Field, *place, "`time` is not a time").expected(stamp::EXPECTED);
                    sink.problem(problem.at(offset_in(line, raw.get())));
                }
            }
        }
    }

    fn refuse(&self, sink: &mut impl Sink, field: &str, raw: &RawValue, expected: &'static str) {
        sink.problem(wrong_kind(self.place, self.line, field, raw, expected));
    }

    fn begin_state(&self, process: ProcessId, sink: &mut impl Sink) {
        sink.init(process, self.place);
        if let Some(raw) = self.fields.get("event") {
            let problem = Problem::new(Rule::Field, self.place, "an initial state is not an event")
                .expected("either `init` or `event`")
                .at(offset_in(self.line, raw.get()));
            sink.problem(problem);
        }
    }

    fn begin_event(&self, process: ProcessId, sink: &mut impl Sink) {
        sink.event(process, self.place);
        if let Some(raw) = self.fields.get("event") {
            match json::text(raw) {
                Some(text) => sink.label(&text),
                None => self.refuse(sink, "event", raw, "what the event is called, a text"),
            }
        }
    }

    fn variables(&self, sink: &mut impl Sink) {
        let Some(raw) = self.fields.get("vars") else { return };
        let mut deserializer = Deserializer::from_str(raw.get());
        if !raw.get().starts_with('{') {
            self.refuse(sink, "vars", raw, "an object of variables and their values");
        } else if let Err(error) = Variables(sink).deserialize(&mut deserializer) {
            self.not_json(raw, &error, sink);
        }
    }

    fn messages(&self, sink: &mut impl Sink) {
        let (line, place) = (self.line, self.place);
        for (field, raw, way) in [
            ("send", self.fields.get("send"), Way::Out),
            ("recv", self.fields.get("recv"), Way::In),
        ] {
            let Some(raw) = raw else { continue };
            if !raw.get().starts_with('[') {
                self.refuse(sink, field, raw, "a list of names of messages");
                continue;
            }
            let names = MessageNames { line, place, way, sink };
            if let Err(error) = Deserializer::from_str(raw.get()).deserialize_seq(names) {
                self.not_json(raw, &error, sink);
            }
        }
    }

    fn not_json(&self, raw: &RawValue, error: &serde_json::Error, sink: &mut impl Sink) {
        let at = offset_in(self.line, raw.get());
        sink.problem(json::syntax(error, raw.get(), self.place, at, false));
    }
}

/// The direction of messages.
#[derive(Clone, Copy)]
enum Way {
    Out,
    In,
}

/// Tells a sink the messages of a list.
struct MessageNames<'a, S> {
    line: &'a str,
    place: Place,
    way: Way,
    sink: &'a mut S,
}

impl<'de, S: Sink> Visitor<'de> for MessageNames<'_, S> {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of names of messages")
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut names: A) -> Result<(), A::Error> {
        while let Some(raw) = names.next_element::<&RawValue>()? {
            match (json::text(raw), self.way) {
                (Some(name), Way::Out) => self.sink.send(&name),
                (Some(name), Way::In) => self.sink.receive(&name),
                (None, _) => {
                    let problem = wrong_kind(self.place, self.line, "the message", raw, "its name, a text");
                    self.sink.problem(problem);
                }
            }
        }
        Ok(())
    }
}

/// Where a part of a record is in it.
pub fn locate(line: &str, part: &Part) -> Option<u32> {
    let fields = Fields::of(line).ok()?;
    let in_list = |raw: Option<&RawValue>, name: &str| {
        let items: Vec<&RawValue> = serde_json::from_str(raw?.get()).ok()?;
        let item = items
            .iter()
            .rfind(|raw| json::text(raw).is_some_and(|text| text == name))?;
        // The items were parsed from a piece of the line, so they are pieces of it.
        Some(offset_in(line, item.get()))
    };
    match part {
        Part::Send(message) => in_list(fields.get("send"), message),
        Part::Receive(message) => in_list(fields.get("recv"), message),
        Part::Time => Some(offset_in(line, fields.get("time")?.get())),
        Part::Clock(process) => {
            let clock = fields.get("clock")?.get();
            Some(offset_in(line, clock) + json::entry_in(clock, process))
        }
    }
}
