//! JSON as importers need it: borrowed, with positions.
//!
//! First a record is split into fields of raw text, which checks its syntax. Each
//! field is parsed when its turn comes. A raw field is a slice of the record, so its
//! position is the difference of two addresses, and every problem can point at the value
//! that is wrong.

use super::seen::Seen;
use super::sink::Sink;
use crate::narrow::short;
use crate::problem::{Place, Problem, Rule};
use crate::stamp::Stamp;
use crate::value::Value;
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::error::Category;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;
use std::sync::Arc;

/// Where `part` begins in `whole`. It must be a slice of it.
pub(crate) fn offset_in(whole: &str, part: &str) -> u32 {
    let offset = (part.as_ptr() as usize).wrapping_sub(whole.as_ptr() as usize);
    u32::try_from(offset).unwrap_or(0)
}

/// The content of a JSON string; `None` if `raw` is not a string.
pub(crate) fn text(raw: &RawValue) -> Option<Cow<'_, str>> {
    let inner = raw.get().strip_prefix('"')?.strip_suffix('"')?;
    if !inner.contains('\\') {
        return Some(Cow::Borrowed(inner));
    }
    serde_json::from_str(raw.get()).ok().map(Cow::Owned)
}

/// What kind of value this is, for messages.
pub(crate) fn kind(raw: &RawValue) -> &'static str {
    match raw.get().as_bytes().first() {
        Some(b'"') => "a text",
        Some(b'{') => "an object",
        Some(b'[') => "a list",
        Some(b't' | b'f') => "a truth value",
        Some(b'n') => "null",
        _ => "a number",
    }
}

/// A time, as a number of seconds or a text.
pub(crate) fn stamp(raw: &RawValue) -> Option<Stamp> {
    match raw.get().as_bytes()[0] {
        b'"' => Stamp::parse(&text(raw)?),
        b'0'..=b'9' => Stamp::parse(raw.get()),
        _ => None,
    }
}

/// A field has the wrong kind of value.
pub(crate) fn wrong_kind(place: Place, record: &str, field: &str, raw: &RawValue, expected: &str) -> Problem {
    let (rule, message) = match raw.get().starts_with('"') && text(raw).is_none() {
        true => (
            Rule::Syntax,
            format!("`{field}` has an escape that stands for no character"),
        ),
        false => (Rule::Field, format!("`{field}` is {}", kind(raw))),
    };
    Problem::new(rule, place, message)
        .expected(expected)
        .at(offset_in(record, raw.get()))
}

/// What serde_json says about a text that begins `base` bytes into its record.
/// `cut` says that the input ends with this text, without an end of line.
pub(crate) fn syntax(error: &serde_json::Error, text: &str, place: Place, base: u32, cut: bool) -> Problem {
    let at = error_at(error, text);
    let at = base.saturating_add(u32::try_from(at).unwrap_or(u32::MAX));
    let said = error.to_string();
    let said = said.split(" at line ").next().unwrap_or_default();
    let (rule, message, expected) = match error.classify() {
        Category::Eof if cut => (
            Rule::Syntax,
            format!("the last line is cut off ({said})"),
            "the rest of the record and an end of line",
        ),
        Category::Eof => (
            Rule::Syntax,
            format!("the text ends too early ({said})"),
            "the rest of the record on the same line",
        ),
        Category::Data => match said.split_once(", expected ").or(said.split_once("; expected ")) {
            Some((said, expected)) => (Rule::Field, said.to_owned(), expected),
            None => (Rule::Field, said.to_owned(), "a record of this format"),
        },
        _ => (Rule::Syntax, format!("not JSON: {said}"), "valid JSON"),
    };
    Problem::new(rule, place, message).expected(expected).at(at)
}

/// The path of the value that a JSON parser is in after this many bytes, such as `a.b[0]`; empty for the whole text.
pub(crate) fn path_after(text: &str, read: usize) -> String {
    enum Step<'a> {
        Field(&'a str),
        Item(usize),
    }
    let mut path: Vec<Step<'_>> = Vec::new();
    let mut here = 0;
    while let Some(byte) = text.as_bytes().get(here).filter(|_| here < read) {
        match byte {
            b'{' => path.push(Step::Field("")),
            b'[' => path.push(Step::Item(0)),
            b'}' | b']' => drop(path.pop()),
            b',' => {
                if let Some(Step::Item(number)) = path.last_mut() {
                    *number += 1;
                }
            }
            b'"' => {
                let inner = &text[here + 1..];
                let mut escaped = false;
                let end = inner.bytes().position(|b| {
                    let ends = b == b'"' && !escaped;
                    escaped = b == b'\\' && !escaped;
                    ends
                });
                let end = end.unwrap_or(inner.len());
                here += end + 1;
                let is_key = inner
                    .get(end + 1..)
                    .is_some_and(|rest| rest.trim_start().starts_with(':'));
                if let Some(Step::Field(name)) = path.last_mut()
                    && is_key
                {
                    *name = &inner[..end];
                }
            }
            _ => {}
        }
        here += 1;
    }
    let mut named = String::new();
    for step in path {
        match step {
            Step::Field("") => {}
            Step::Field(name) if named.is_empty() => named.push_str(name),
            Step::Field(name) => named.extend([".", name]),
            Step::Item(number) => named.push_str(&format!("[{number}]")),
        }
    }
    named
}

/// Where in a text serde_json found an error, in bytes.
pub(crate) fn error_at(error: &serde_json::Error, text: &str) -> usize {
    if error.classify() == Category::Eof {
        return text.len();
    }
    // Positions count from 1 and are those of the last byte that was read, except that
    // control characters are reported one byte early.
    let lines = text.split_inclusive('\n').take(error.line().saturating_sub(1));
    let before: usize = lines.map(str::len).sum();
    let at = (before + error.column().saturating_sub(1)).min(text.len());
    let early = text.as_bytes()[at..].iter().take(2).position(|b| *b < b' ');
    match error.to_string().starts_with("control character") {
        true => at + early.unwrap_or(0),
        false => at,
    }
}

/// A string, borrowed from the input if it has no escapes.
pub(crate) struct Text;

impl<'de> DeserializeSeed<'de> for Text {
    type Value = Cow<'de, str>;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Text {
    type Value = Cow<'de, str>;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text")
    }
    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(text))
    }
    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(text.to_owned()))
    }
}

/// Tells a sink the variables of an object. Each may occur once.
pub(crate) struct Variables<'s, S>(pub(crate) &'s mut S);

impl<'de, S: Sink> DeserializeSeed<'de> for Variables<'_, S> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, S: Sink> Visitor<'de> for Variables<'_, S> {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of variables")
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut seen = Seen::default();
        while let Some(name) = map.next_key_seed(Text)? {
            if self.0.wants(&name) {
                map.next_value_seed(Assign(self.0, &name))?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
            seen.once(name).map_err(|name| {
                A::Error::custom(format!(
                    "the record assigns `{name}` twice; expected one value for each variable"
                ))
            })?;
        }
        Ok(())
    }
}

/// Tells a sink the value of a variable, without copying strings.
struct Assign<'s, 'n, S>(&'s mut S, &'n str);

impl<'de, S: Sink> DeserializeSeed<'de> for Assign<'_, '_, S> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, S: Sink> Visitor<'de> for Assign<'_, '_, S> {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }
    fn visit_unit<E>(self) -> Result<(), E> {
        self.0.set(self.1, Value::Null);
        Ok(())
    }
    fn visit_bool<E>(self, b: bool) -> Result<(), E> {
        self.0.set(self.1, Value::Bool(b));
        Ok(())
    }
    fn visit_i64<E>(self, n: i64) -> Result<(), E> {
        self.0.set(self.1, Value::Int(n));
        Ok(())
    }
    fn visit_u64<E>(self, n: u64) -> Result<(), E> {
        self.0.set(self.1, whole(n));
        Ok(())
    }
    fn visit_f64<E>(self, x: f64) -> Result<(), E> {
        self.0.set(self.1, Value::Double(x));
        Ok(())
    }
    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        self.0.set_str(self.1, text);
        Ok(())
    }
    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<(), A::Error> {
        let value = AnyValue.visit_seq(seq)?;
        self.0.set(self.1, value);
        Ok(())
    }
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        let value = AnyValue.visit_map(map)?;
        self.0.set(self.1, value);
        Ok(())
    }
}

/// Tells a sink the value of one variable.
///
/// # Errors
/// If the text is not JSON after all, such as a number that no double can represent.
pub(crate) fn assign(name: &str, raw: &RawValue, sink: &mut impl Sink) -> serde_json::Result<()> {
    if !sink.wants(name) {
        return Ok(());
    }
    Assign(sink, name).deserialize(&mut serde_json::Deserializer::from_str(raw.get()))
}

/// Numbers that do not fit into a signed 64-bit integer become doubles.
fn whole(n: u64) -> Value {
    i64::try_from(n).map_or(Value::Double(n as f64), Value::Int)
}

/// Any JSON as a value.
struct AnyValue;

impl<'de> DeserializeSeed<'de> for AnyValue {
    type Value = Value;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for AnyValue {
    type Value = Value;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }
    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
    fn visit_bool<E>(self, b: bool) -> Result<Value, E> {
        Ok(Value::Bool(b))
    }
    fn visit_i64<E>(self, n: i64) -> Result<Value, E> {
        Ok(Value::Int(n))
    }
    fn visit_u64<E>(self, n: u64) -> Result<Value, E> {
        Ok(whole(n))
    }
    fn visit_f64<E>(self, x: f64) -> Result<Value, E> {
        Ok(Value::Double(x))
    }
    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::string(text))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element_seed(AnyValue)? {
            items.push(item);
        }
        Ok(Value::List(items.into()))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut entries = BTreeMap::new();
        while let Some(key) = map.next_key_seed(Text)? {
            let value = map.next_value_seed(AnyValue)?;
            match entries.entry(key.into_owned()) {
                Entry::Vacant(entry) => entry.insert(value),
                Entry::Occupied(entry) => {
                    let message = format!("an object has two entries `{}`; expected one of them", entry.key());
                    return Err(A::Error::custom(message));
                }
            };
        }
        Ok(Value::Map(Arc::new(entries)))
    }
}

/// The entries of an object in their order, as raw text. A list or a scalar is refused.
pub(crate) struct Entries;

impl<'de> DeserializeSeed<'de> for Entries {
    type Value = Vec<(Cow<'de, str>, &'de RawValue)>;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Entries {
    type Value = Vec<(Cow<'de, str>, &'de RawValue)>;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(key) = map.next_key_seed(Text)? {
            entries.push((key, map.next_value()?));
        }
        Ok(entries)
    }
}

/// The entries of an object.
///
/// # Errors
/// If the text is not an object.
pub(crate) fn entries(text: &str) -> serde_json::Result<Vec<(Cow<'_, str>, &RawValue)>> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let entries = Entries.deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(entries)
}

/// Tells a sink the entries of a vector timestamp, a JSON object that begins
/// `base` bytes into its record. For an empty one, the sink is told that it knows no event.
pub(crate) fn clock(raw: &str, base: u32, place: Place, owner: &str, sink: &mut impl Sink) {
    sink.clock(owner, 0);
    let mut deserializer = serde_json::Deserializer::from_str(raw);
    let told = ClockEntries { raw, base, place, sink }.deserialize(&mut deserializer);
    if let Err(error) = told.and_then(|()| deserializer.end()) {
        let problem = syntax(&error, raw, place, base, false).expected(EXPECTED);
        sink.problem(problem);
    }
}

const EXPECTED: &str = "an object of whole numbers from 0 to 4294967295, such as `{\"p1\": 3, \"p2\": 1}`";

struct ClockEntries<'a, S> {
    raw: &'a str,
    base: u32,
    place: Place,
    sink: &'a mut S,
}

impl<'de, S: Sink> DeserializeSeed<'de> for ClockEntries<'_, S> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, S: Sink> Visitor<'de> for ClockEntries<'_, S> {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key_seed(Text)? {
            let count: &RawValue = map.next_value()?;
            match count.get().parse() {
                Ok(events) => self.sink.clock(&name, events),
                Err(_) => {
                    let message = format!("the clock's entry for `{name}` is `{}`", shorten(count.get()));
                    let problem = Problem::new(Rule::Field, self.place, message)
                        .expected(EXPECTED)
                        .at(self.base + offset_in(self.raw, count.get()));
                    self.sink.problem(problem);
                }
            }
        }
        Ok(())
    }
}

/// A text, shortened to fit into a message.
pub(crate) fn shorten(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(60) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// Where the entry of a process is in a vector timestamp, whose quotes may be escaped;
/// 0 if there is no such entry.
pub(crate) fn entry_in(clock: &str, process: &str) -> u32 {
    if let Ok(entries) = entries(clock) {
        let entry = entries.iter().rfind(|(name, _)| name == process);
        return entry.map_or(0, |(_, raw)| offset_in(clock, raw.get()));
    }
    let name = format!("\\\"{process}\\\"");
    let value = clock.find(&name).map(|at| at + name.len());
    let value = value.and_then(|at| {
        let rest = &clock[at..];
        rest.find(|c: char| c.is_ascii_digit()).map(|skip| at + skip)
    });
    short(value.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_name_the_value_that_was_read_last() {
        // The text before the mark was read.
        for (marked, path) in [
            ("¦[1]", ""),
            ("[¦{}]", "[0]"),
            ("{\"a\":1¦}", "a"),
            ("{\"a\" : {\"b\":[1, [2, 3¦]]}}", "a.b[1][1]"),
            ("{\"a\":[{\"b\":1},{\"c\":\"x¦\"}]}", "a[1].c"),
            ("{\"a\":[{\"b\":1},{\"c\":\"x\"¦}]}", "a[1].c"),
            // That an object lacks a field is only known at its end.
            ("{\"a\":[{\"b\":1}¦]}", "a[0]"),
            ("{\"a\":{\"b\":1}¦,\"c\":2}", "a"),
            ("{\"x\":\"},\\\"[\",\"a\":1¦}", "a"),
        ] {
            let read = marked.find('¦').unwrap();
            let found = path_after(&marked.replace('¦', ""), read);
            assert_eq!(found, path, "{marked}");
        }
    }
}
