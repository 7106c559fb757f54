//! Records of invocations and returns, in the order of real time, paired by process.

use super::datum::Datum;
use super::edn::Reader;
use super::{json, log};
use std::collections::BTreeMap;
use std::collections::HashMap;

/// What is wrong with an input, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The place, in bytes.
    pub offset: usize,
    /// What is wrong.
    pub message: String,
}

impl Fault {
    pub(super) fn new(offset: usize, message: impl Into<String>) -> Self {
        Self {
            offset,
            message: message.into(),
        }
    }
}

/// How an operation ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The input has no record of that.
    Never,
    /// Nobody knows whether it took effect.
    Unknown,
    /// It did not take effect.
    Failed,
    /// It returned this value.
    Returned(Datum),
}

/// An operation of a recorded history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedOperation {
    /// The process.
    pub process: Datum,
    /// What was invoked.
    pub function: String,
    /// The key, if it has a field for that.
    pub key: Option<Datum>,
    /// The value of the invocation.
    pub value: Datum,
    /// How it ended.
    pub ended: Ended,
    /// Where the record of the invocation begins, and that of the end.
    pub offsets: (usize, Option<usize>),
    /// Where these records are among all records of operations.
    pub moments: (u32, Option<u32>),
}

impl RecordedOperation {
    /// Something that is wrong with it.
    pub(super) fn fault(&self, message: impl Into<String>) -> Fault {
        Fault::new(self.offsets.0, message)
    }
}

/// A recorded history.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recorded {
    /// What it is written in.
    pub format: &'static str,
    /// The operations, in the order of their invocations.
    pub operations: Vec<RecordedOperation>,
    /// How many records are about something else than operations: a nemesis, or other lines of a log.
    pub skipped: usize,
    /// Fields that are not read, and how often they occur.
    pub unread: BTreeMap<String, usize>,
}

/// Fields of records that are read, or that say nothing about the order of operations.
const FIELDS: [&str; 5] = ["process", "type", "f", "key", "value"];
const OTHERS: [&str; 4] = ["time", "index", "error", "node"];

/// A record before it is paired.
struct Record {
    fields: [Datum; 4],
    key: Option<Datum>,
    offset: usize,
}

#[derive(Default)]
struct Pairing {
    recorded: Recorded,
    open: HashMap<Datum, usize>,
    moments: u32,
}

/// Reads a history: Jepsen's log, its `history.edn`, or JSON Lines.
///
/// ```
/// use mazurka_linear::formats::read;
///
/// let log = "INFO  jepsen.util - 0 :invoke :write 1\nINFO  jepsen.util - 0 :ok :write 1\n";
/// assert_eq!(read(log).unwrap().operations.len(), 1);
/// assert_eq!(read("{:process 0, :type :ok, :f :read}").unwrap_err().message, "process 0 has invoked nothing");
/// ```
///
/// # Errors
/// The first thing that is wrong.
pub fn read(text: &str) -> Result<Recorded, Fault> {
    let mut pairing = Pairing::default();
    let start = text.len() - text.trim_start().len();
    let first = &text[start..];
    pairing.recorded.format = match first.chars().next() {
        None => return Err(Fault::new(0, "the input is empty; expected the records of a history")),
        Some('{') if first[1..].trim_start().starts_with(['"', '}']) => "json",
        Some('{' | '[' | '(' | '#' | ';') => "edn",
        _ if first.lines().any(|line| line.contains("jepsen.util - ")) => "jepsen-log",
        _ => {
            return Err(Fault::new(
                start,
                "this is no history; expected a line of Jepsen's log, a map in EDN, or an object in JSON",
            ));
        }
    };
    match pairing.recorded.format {
        "edn" => pairing.edn(text)?,
        format => {
            for line in text.split_inclusive('\n') {
                let offset = line.as_ptr().addr() - text.as_ptr().addr();
                pairing.line(format, line.trim_end(), offset)?;
            }
        }
    }
    Ok(pairing.recorded)
}

impl Pairing {
    fn line(&mut self, format: &str, line: &str, offset: usize) -> Result<(), Fault> {
        if line.trim().is_empty() {
            return Ok(());
        }
        if format == "json" {
            return self.map(json::line(line, offset)?, offset, true);
        }
        match log::line(line, offset)? {
            Some(fields) => self.record(Record {
                fields,
                key: None,
                offset,
            }),
            None => {
                self.recorded.skipped += 1;
                Ok(())
            }
        }
    }

    /// Maps one after the other, or all of them in a vector or a list.
    fn edn(&mut self, text: &str) -> Result<(), Fault> {
        let mut reader = Reader::new(text);
        let mut closing = None;
        while let Some(offset) = reader.next_value()? {
            match closing {
                None if reader.takes('[') => closing = Some(']'),
                None if reader.takes('(') => closing = Some(')'),
                Some(bracket) if reader.takes(bracket) => closing = None,
                _ => {
                    let value = reader.value()?;
                    self.map(value, offset, false)?;
                }
            }
        }
        match closing {
            Some(bracket) => Err(Fault::new(text.len(), format!("`{bracket}` is missing"))),
            None => Ok(()),
        }
    }

    fn map(&mut self, datum: Datum, offset: usize, strict: bool) -> Result<(), Fault> {
        let Datum::Map(pairs) = datum else {
            return Err(Fault::new(
                offset,
                format!("expected a record with its fields, not {datum}"),
            ));
        };
        let mut fields: [Option<Datum>; 5] = Default::default();
        for (key, value) in pairs {
            let name = key.name().unwrap_or_default();
            if let Some(at) = FIELDS.iter().position(|field| *field == name) {
                if fields[at].replace(value).is_some() {
                    return Err(Fault::new(offset, format!("this record has `{name}` twice")));
                }
            } else if !OTHERS.contains(&name) {
                if strict {
                    let near = nearest(name, FIELDS.iter().chain(&OTHERS).copied());
                    return Err(Fault::new(offset, format!("there is no field `{name}`{near}")));
                }
                *self.recorded.unread.entry(name.to_owned()).or_default() += 1;
            }
        }
        let [process, kind, function, key, value] = fields;
        let missing = |name: &str| Fault::new(offset, format!("this record has no `{name}`"));
        self.record(Record {
            fields: [
                process.ok_or_else(|| missing("process"))?,
                kind.ok_or_else(|| missing("type"))?,
                function.ok_or_else(|| missing("f"))?,
                value.unwrap_or(Datum::Nil),
            ],
            key,
            offset,
        })
    }

    fn record(&mut self, record: Record) -> Result<(), Fault> {
        let Record {
            fields: [process, kind, function, value],
            key,
            offset,
        } = record;
        let fault = |message: String| Err(Fault::new(offset, message));
        if process.name() == Some("nemesis") {
            self.recorded.skipped += 1;
            return Ok(());
        }
        let Some(name) = function.name() else {
            return fault(format!("expected the name of a function, not {function}"));
        };
        let moment = self.moments;
        let next = moment.checked_add(1);
        self.moments = next.ok_or_else(|| Fault::new(offset, "a history has at most 4,294,967,295 records"))?;
        let kinds = ["invoke", "ok", "fail", "info"];
        let kind = kind.name().unwrap_or_default().to_owned();
        if kind == "invoke" {
            if let Some(&open) = self.open.get(&process) {
                let earlier = &self.recorded.operations[open].function;
                return fault(format!(
                    "process {process} invokes `{name}`, but its `{earlier}` has not returned"
                ));
            }
            self.open.insert(process.clone(), self.recorded.operations.len());
            self.recorded.operations.push(RecordedOperation {
                process,
                function: name.to_owned(),
                key,
                value,
                ended: Ended::Never,
                offsets: (offset, None),
                moments: (moment, None),
            });
            return Ok(());
        }
        if !kinds.contains(&kind.as_str()) {
            let near = nearest(&kind, kinds.into_iter());
            return fault(format!(
                "there is no type `{kind}`{near}; expected {}",
                kinds.join(", ")
            ));
        }
        let Some(open) = self.open.remove(&process) else {
            return fault(format!("process {process} has invoked nothing"));
        };
        let operation = &mut self.recorded.operations[open];
        if operation.function != name {
            let invoked = &operation.function;
            return fault(format!(
                "process {process} returns from `{name}`, but has invoked `{invoked}`"
            ));
        }
        (operation.offsets.1, operation.moments.1) = (Some(offset), Some(moment));
        operation.ended = match kind.as_str() {
            "ok" => Ended::Returned(value),
            "fail" => Ended::Failed,
            _ => Ended::Unknown,
        };
        Ok(())
    }
}

/// The name that was meant, as a question.
pub(super) fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let scored = known.map(|other| (strsim::damerau_levenshtein(name, other), other));
    match scored.min() {
        Some((distance, other)) if distance <= 1.max(other.len() / 3) => format!("; did you mean `{other}`?"),
        _ => String::new(),
    }
}
