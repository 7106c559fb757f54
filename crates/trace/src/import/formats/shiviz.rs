//! Logs for ShiViz (Beschastnikh and others, CACM 2016).
//!
//! A regular expression with groups `host`, `clock` and `event` finds the records.
//! Other named groups are variables, and so are the variables that the text of an event
//! mentions. A file may begin with its expression. Its second line is then an expression
//! that separates executions (empty if there is only one); the group `trace` of that
//! expression names the execution that follows. Text that a given expression does not match
//! is skipped, as in ShiViz. With the default expression every two lines are a
//! record, and anything else is reported as a mistake.

use crate::import::clock_log::{Entry, host_lines, tell};
use crate::import::document::Document;
use crate::import::doubt::Doubt;
use crate::import::expression::compile;
use crate::import::importer::{Importer, Reads};
use crate::import::recognise::Beginning;
use crate::import::{Context, Format, ImportError, Reading, Sink, json};
use crate::problem::{Part, Problem, Rule};
use crate::recorder::Recorder;
use regex::Regex;
use std::ops::Range;

impl Format {
    /// Logs for ShiViz, taken apart by a regular expression.
    pub const SHIVIZ: Self = Self::of(&Importer {
        name: "shiviz",
        aliases: &[],
        description: "Logs for ShiViz",
        lacks,
        reads: Reads::Documents(read),
        takes_expressions: true,
    });
}

fn lacks(beginning: &Beginning<'_>) -> Option<String> {
    let [even, odd] = host_lines(&beginning.lines);
    let matches = has_header(beginning.text) || is_tlc(beginning.text) || (odd > 0 && odd >= even);
    (!matches).then(|| "its second line is not a host and a clock, and its first is not an expression".to_owned())
}

/// ShiViz's own default.
const DEFAULT: &str = r"(?<event>.*)\n(?<host>\S*) (?<clock>{.*})";
/// Error traces of TLC with the operators of its module `ShiViz`.
const TLC: &str =
    r#"^State [0-9]+: <?(?<event>[^>\n]*)>?\n/\\ Host = "?(?<host>[^"\n]*)"?\n/\\ Clock = "(?<clock>.*)""#;

/// Whether the first line of a text is an expression that says how to read the rest.
pub(super) fn has_header(text: &str) -> bool {
    let line = text.lines().next().unwrap_or_default();
    ["host", "clock"]
        .iter()
        .all(|group| line.contains(&format!("(?<{group}>")))
}

/// Whether a text is an error trace of TLC.
fn is_tlc(text: &str) -> bool {
    text.contains("\n/\\ Clock = \"")
}

/// How one file is read.
struct Reader {
    expression: Regex,
    delimiter: Option<Regex>,
    /// Whether text outside of records is an error.
    strict: bool,
    /// Whether the expression was given, by the user or in the file. It is then expected to match every record.
    given: bool,
    /// Where the records begin.
    body: usize,
}

impl Reader {
    fn of(context: &Context<'_>, text: &str) -> Result<Self, ImportError> {
        let mut lines = text.split_inclusive('\n');
        let mut body = 0;
        let (mut expression, mut delimiter) = (None, None);
        if has_header(text) {
            let header: Vec<&str> = lines.by_ref().take(2).collect();
            body = header.iter().map(|line| line.len()).sum();
            expression = header.first().map(|line| line.trim_end_matches(['\r', '\n']));
            delimiter = header.get(1).map(|line| line.trim_end_matches(['\r', '\n']));
        }
        let given = context.options.shiviz_regex.as_deref().or(expression);
        let default = if is_tlc(text) { TLC } else { DEFAULT };
        let delimiter = context.options.shiviz_delimiter.as_deref().or(delimiter);
        let delimiter = delimiter.filter(|d| !d.trim().is_empty());
        let expression = given.unwrap_or(default);
        let strict = expression == DEFAULT;
        // Read literally, a text `put {"x": 1}` right after a record would be an event
        // of a host `put`, with an empty text.
        let anchored = if strict {
            format!(r"^{DEFAULT}[ \t\r]*$")
        } else {
            expression.to_owned()
        };
        Ok(Self {
            expression: compile(&anchored, &["host", "clock"])?,
            delimiter: delimiter.map(|d| compile(d, &[])).transpose()?,
            strict,
            given: given.is_some(),
            body,
        })
    }

    /// The executions of a text, by name.
    fn executions(&self, text: &str) -> Vec<(Option<String>, Range<usize>)> {
        let Some(delimiter) = &self.delimiter else {
            return vec![(None, self.body..text.len())];
        };
        let mut parts = Vec::new();
        let (mut name, mut from) = (None, self.body);
        for found in delimiter.captures_iter(&text[self.body..]) {
            let range = found.get(0).expect("the whole").range();
            parts.push((name.take(), from..self.body + range.start));
            name = found.name("trace").map(|trace| trace.as_str().trim().to_owned());
            from = self.body + range.end;
        }
        parts.push((name, from..text.len()));
        parts.retain(|(_, range)| !text[range.clone()].trim().is_empty());
        parts
    }

    /// Tells the records of a piece of a file; other text becomes a doubt.
    fn tell(&self, document: &Document, range: Range<usize>, recorder: &mut Recorder, passed: &mut Doubt) -> usize {
        let text = &document.text[range.clone()];
        let mut entries = Vec::new();
        let mut end = 0;
        for found in self.expression.captures_iter(text) {
            let whole = found.get(0).expect("the whole");
            let (Some(host), Some(clock)) = (found.name("host"), found.name("clock")) else {
                continue;
            };
            self.between(
                document,
                range.start + end..range.start + whole.start(),
                recorder,
                passed,
            );
            end = whole.end();
            let names = self.expression.capture_names().flatten();
            let others = names.filter(|name| !matches!(*name, "host" | "clock" | "event"));
            entries.push(Entry {
                place: document.place(range.start + whole.start(), whole.len()),
                host: host.as_str(),
                host_at: json::offset_in(whole.as_str(), host.as_str()),
                clock: clock.as_str(),
                clock_at: json::offset_in(whole.as_str(), clock.as_str()),
                event: found.name("event").map_or("", |event| event.as_str().trim()),
                others: others
                    .filter_map(|name| Some((name, found.name(name)?.as_str())))
                    .collect(),
            });
        }
        self.between(document, range.start + end..range.end, recorder, passed);
        let count = entries.len();
        tell(entries, recorder);
        count
    }

    /// Text between records.
    fn between(&self, document: &Document, range: Range<usize>, recorder: &mut Recorder, passed: &mut Doubt) {
        let text = &document.text[range.clone()];
        if self.strict {
            return skipped(document, range.start, text, recorder);
        }
        if !self.given {
            return;
        }
        let mut start = range.start;
        for line in text.split_inclusive('\n') {
            if let Some(at) = line.find(|c: char| !c.is_whitespace()) {
                let (place, at) = document.line(start + at);
                passed.note(place, at);
            }
            start += line.len();
        }
    }

    fn locate(&self, text: &str, part: &Part) -> Option<u32> {
        let Part::Clock(process) = part else { return None };
        let found = self.expression.captures(text)?;
        let clock = found.name("clock")?;
        Some(u32::try_from(clock.start()).unwrap_or(u32::MAX) + json::entry_in(clock.as_str(), process))
    }
}

/// Reports text between records.
fn skipped(document: &Document, start: usize, text: &str, recorder: &mut Recorder) {
    let Some(at) = text.find(|c: char| !c.is_whitespace()) else {
        return;
    };
    let (place, at) = document.line(start + at);
    let problem = Problem::new(Rule::Syntax, place, "this is not part of a record")
        .expected("two lines for each event: its text, then its host and clock, such as `p1 {\"p1\": 3}`")
        .at(at);
    recorder.problem(problem);
}

/// Reports a file in which the expression matches nothing.
fn no_record(document: &Document, reader: &Reader, recorder: &mut Recorder) {
    let body = document.text.get(reader.body..).unwrap_or_default();
    let Some(at) = body.find(|c: char| !c.is_whitespace()) else {
        return;
    };
    let (place, at) = document.line(reader.body + at);
    let message = format!(
        "the regular expression `{}` matches nothing in this file",
        reader.expression
    );
    let problem = Problem::new(Rule::Syntax, place, message)
        .expected("a record from here on; `--shiviz-regex` says what one looks like")
        .at(at);
    recorder.problem(problem);
}

/// Reads all files. Together they are one execution, unless they name several.
fn read(context: &Context<'_>, documents: &[Document]) -> Result<Reading, ImportError> {
    let mut readers = Vec::new();
    let mut parts = Vec::new();
    for document in documents {
        let reader = Reader::of(context, &document.text)?;
        parts.push(reader.executions(&document.text));
        readers.push(reader);
    }
    let one = parts
        .iter()
        .all(|p| p.len() <= 1 && p.iter().all(|(name, _)| name.is_none()));
    let mut executions = Vec::new();
    if one {
        executions.push((None, context.recorder()));
    }
    let mut passed = Doubt::new(
        "passed-over",
        "this line is not part of a record that the regular expression matches, so it was skipped",
        "lines are not part of a record that the regular expression matches, so they were skipped",
        "a record; `--shiviz-regex` says what one looks like",
    );
    let mut records = 0;
    for ((document, reader), parts) in documents.iter().zip(&readers).zip(parts) {
        for (name, range) in parts {
            context.check_interrupt()?;
            if !one {
                executions.push((name, context.recorder()));
            }
            let (_, recorder) = executions.last_mut().expect("one was pushed");
            records += reader.tell(document, range, recorder, &mut passed);
        }
    }
    if let (0, Some((_, recorder))) = (records, executions.first_mut())
        && recorder.problems() == 0
    {
        for (document, reader) in documents.iter().zip(&readers) {
            no_record(document, reader, recorder);
        }
    }
    let mut reading = Reading::of(context, executions);
    reading.doubts.extend((passed.count() > 0).then_some(passed));
    reading.locate = Box::new(move |file, text, part| readers.get(usize::from(file))?.locate(text, part));
    Ok(reading)
}
