//! What operations have read and written, for the steps of a report.
//!
//! The engine decides nothing by values, except where weak memory needs them. They are noted beside the events, by the primitive, after
//! the operation has happened: an atomic knows its type, so that `-1` is not printed as `18446744073709551615`. Pointers are
//! numbered in the order in which the execution shows them, since addresses change from run to run.

use super::Execution;
use crate::ids::{EventId, ObjectId};
use std::fmt::Write;

/// A value that can be shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Value {
    Unsigned(u64),
    Signed(i64),
    Bool(bool),
    Pointer(u64),
}

/// What an operation has done with values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Done {
    Read(Value),
    Wrote(Value),
    Updated {
        from: Value,
        to: Value,
    },
    /// A compare-exchange that found another value than it expected, or that failed for no reason.
    Failed {
        found: Value,
        expected: Value,
    },
}

/// The values of an execution, by event.
#[derive(Default)]
pub(crate) struct Values {
    done: Vec<(EventId, Done)>,
}

/// The pointers that were shown, in their order.
#[derive(Default)]
pub(crate) struct Pointers(Vec<u64>);

impl Values {
    pub(crate) fn clear(&mut self) {
        self.done.clear();
    }

    /// What an event has done with values, if that was noted.
    pub(crate) fn of(&self, event: EventId) -> Option<Done> {
        let found = self.done.binary_search_by_key(&event, |(e, _)| *e).ok()?;
        Some(self.done[found].1)
    }
}

impl Execution {
    /// The running transition, whose operation concerns this object, has done this. What happens at once, without an event of its own
    /// (in a loop that is on trial, or during a panic), is not noted.
    pub(crate) fn has_done(&mut self, object: ObjectId, done: Done) {
        let event = self.running();
        let known = self.values.done.last().is_some_and(|(last, _)| *last == event);
        let of_event = self.events.last().is_some_and(|e| e.asked.object == object);
        if of_event && !known {
            self.values.done.push((event, done));
        }
    }
}

impl Pointers {
    fn text(&mut self, value: Value) -> String {
        match value {
            Value::Unsigned(n) => n.to_string(),
            Value::Signed(n) => n.to_string(),
            Value::Bool(b) => b.to_string(),
            Value::Pointer(0) => "null".to_owned(),
            Value::Pointer(address) => {
                let known = self.0.iter().position(|a| *a == address);
                let number = known.unwrap_or_else(|| {
                    self.0.push(address);
                    self.0.len() - 1
                });
                format!("pointer {}", number + 1)
            }
        }
    }

    /// A step in words: the operation as it was announced and as it turned out, its object, and the values.
    pub(crate) fn step(&mut self, (asked, verb): (&str, &str), object: &str, done: Option<Done>) -> String {
        let mut out = String::new();
        let _ = match done {
            None => write!(out, "{verb} {object}"),
            Some(Done::Read(value) | Done::Wrote(value)) => write!(out, "{verb} {object} = {}", self.text(value)),
            Some(Done::Updated { from, to }) if from == to => {
                write!(out, "{asked} {object}: {} as before", self.text(from))
            }
            Some(Done::Updated { from, to }) => {
                let (from, to) = (self.text(from), self.text(to));
                write!(out, "{asked} {object}: {from} to {to}")
            }
            Some(Done::Failed { found, expected }) if found == expected => {
                write!(out, "{asked} {object} fails at {}", self.text(found))
            }
            Some(Done::Failed { found, expected }) => {
                let (found, expected) = (self.text(found), self.text(expected));
                write!(out, "{asked} {object} fails: {found}, not {expected}")
            }
        };
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_have_values() {
        let mut pointers = Pointers::default();
        let mut step = |verbs, done| pointers.step(verbs, "Atomic 1", done);
        let signed = |n| Value::Signed(n);
        assert_eq!(step(("lock", "lock"), None), "lock Atomic 1");
        assert_eq!(
            step(("load", "load"), Some(Done::Read(signed(-1)))),
            "load Atomic 1 = -1"
        );
        let set = Done::Wrote(Value::Bool(true));
        assert_eq!(step(("store", "store"), Some(set)), "store Atomic 1 = true");
        let update = |from, to| {
            let (from, to) = (signed(from), signed(to));
            Some(Done::Updated { from, to })
        };
        assert_eq!(step(("update", "update"), update(2, 3)), "update Atomic 1: 2 to 3");
        assert_eq!(step(("update", "update"), update(3, 3)), "update Atomic 1: 3 as before");
        let failed = |found, expected| {
            let (found, expected) = (signed(found), signed(expected));
            Some(Done::Failed { found, expected })
        };
        assert_eq!(
            step(("update", "load"), failed(5, 4)),
            "update Atomic 1 fails: 5, not 4"
        );
        assert_eq!(step(("update", "load"), failed(4, 4)), "update Atomic 1 fails at 4");
        let pointer = |address| Some(Done::Read(Value::Pointer(address)));
        let read: Vec<String> = [0, 0x7000, 0x9000, 0x7000]
            .map(|address| step(("load", "load"), pointer(address)))
            .into();
        let ends = ["null", "pointer 1", "pointer 2", "pointer 1"];
        assert!(
            read.iter()
                .zip(ends)
                .all(|(step, end)| step.ends_with(&format!("= {end}"))),
            "{read:?}"
        );
    }
}
