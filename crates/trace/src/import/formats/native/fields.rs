//! The fields of a native record, unparsed, and keys that are not fields.
//!
//! An unknown key may be a value or an order that would be lost silently. So a record is
//! refused unless each of its keys is a field and occurs once. A field that is `null` is absent.

use crate::import::json::{Text, offset_in};
use crate::predicate::did_you_mean;
use crate::problem::{Place, Problem, Rule};
use serde::de::{DeserializeSeed, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// The keys of the fields, in the order of [`Fields::values`].
pub(super) const KEYS: [&str; 8] = ["process", "init", "event", "vars", "send", "recv", "clock", "time"];

/// Other common names of fields.
const OTHER_WORDS: [(&str, &[&str]); 7] = [
    ("process", &["host", "hostname", "node", "pid", "thread", "actor"]),
    ("event", &["label", "name", "msg", "message", "action"]),
    ("vars", &["variables", "state", "values", "fields"]),
    ("send", &["sent", "out"]),
    ("recv", &["receive", "receives", "received", "in"]),
    ("clock", &["vclock", "vectorclock"]),
    ("time", &["timestamp", "ts", "date", "datetime", "when", "hlc"]),
];

/// The fields of a record.
#[derive(Default)]
pub(super) struct Fields<'a> {
    values: [Option<&'a RawValue>; KEYS.len()],
    given: [bool; KEYS.len()],
    /// Keys that are not fields, and fields that occur a second time.
    odd: Vec<(Cow<'a, str>, &'a RawValue)>,
}

impl<'a> Fields<'a> {
    /// Takes a line apart.
    ///
    /// # Errors
    /// If it is not a JSON object.
    pub(super) fn of(line: &'a str) -> serde_json::Result<Self> {
        let mut deserializer = serde_json::Deserializer::from_str(line);
        let fields = Self::default().deserialize(&mut deserializer)?;
        deserializer.end()?;
        Ok(fields)
    }

    /// The value of a field, one of [`KEYS`].
    pub(super) fn get(&self, key: &str) -> Option<&'a RawValue> {
        self.values[KEYS.iter().position(|known| *known == key)?]
    }

    /// What is wrong with the keys.
    pub(super) fn problems(&self, line: &str, place: Place) -> impl Iterator<Item = Problem> {
        let problem = move |(key, raw): &(Cow<'a, str>, &'a RawValue)| {
            let at = match key {
                Cow::Borrowed(key) => offset_in(line, key).saturating_sub(1),
                // The key has escapes, so it is not a piece of the line; its value is.
                Cow::Owned(_) => offset_in(line, raw.get()),
            };
            let problem = match KEYS.contains(&key.as_ref()) {
                true => Problem::new(Rule::Field, place, format!("the record has two fields `{key}`"))
                    .expected("each field once"),
                false => {
                    let hint = suggestion(key).map_or(String::new(), |known| format!("; {known}"));
                    Problem::new(Rule::Field, place, format!("a record has no field `{key}`{hint}")).expected(
                        "`process`, `init`, `event`, `vars`, `send`, `recv`, `clock` or `time`; \
                         other values belong into `vars`",
                    )
                }
            };
            problem.at(at)
        };
        self.odd.iter().map(problem)
    }
}

/// The field that a key may stand for.
fn suggestion(key: &str) -> Option<String> {
    let lower = key.to_lowercase().replace(['_', '-', '.'], "");
    let known = OTHER_WORDS
        .iter()
        .find(|(_, words)| words.contains(&lower.as_str()))
        .map(|(known, _)| *known);
    match known {
        Some(known) => Some(format!("did you mean `{known}`?")),
        None => did_you_mean(key, KEYS),
    }
}

impl<'de> DeserializeSeed<'de> for Fields<'de> {
    type Value = Self;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Fields<'de> {
    type Value = Self;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a record, which is an object")
    }
    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Self, A::Error> {
        while let Some(key) = map.next_key_seed(Text)? {
            let raw: &RawValue = map.next_value()?;
            match KEYS.iter().position(|known| *known == key) {
                Some(at) if !self.given[at] => {
                    self.given[at] = true;
                    self.values[at] = (raw.get() != "null").then_some(raw);
                }
                _ => self.odd.push((key, raw)),
            }
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong_with(line: &str) -> Vec<(String, Option<u32>)> {
        let fields = Fields::of(line).unwrap();
        let problems = fields.problems(line, Place::NOWHERE);
        problems.map(|problem| (problem.message, problem.at)).collect()
    }

    #[test]
    fn every_key_is_a_field_once() {
        assert_eq!(wrong_with(r#"{"process":"p","vars":{},"event":null}"#), []);
        let twice = "the record has two fields `init`".to_owned();
        assert_eq!(wrong_with(r#"{"init":null,"init":true}"#), [(twice, Some(13))]);
        let other = "a record has no field `var`; did you mean `vars`?".to_owned();
        assert_eq!(wrong_with(r#"{"var":{}}"#), [(other, Some(1))]);
    }

    #[test]
    fn what_was_probably_meant_is_said() {
        for (key, meant) in [
            ("Vars", "vars"),
            ("sends", "send"),
            ("recvs", "recv"),
            ("receives", "recv"),
            ("proces", "process"),
            ("Vector_Clock", "clock"),
            ("evnt", "event"),
            ("variables", "vars"),
            ("INIT", "init"),
        ] {
            assert_eq!(suggestion(key), Some(format!("did you mean `{meant}`?")), "{key}");
        }
        assert_eq!(suggestion("zzz"), None);
    }
}
