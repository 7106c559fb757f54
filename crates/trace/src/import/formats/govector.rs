//! Logs of GoVector, the logging library for Go.
//!
//! Two lines for each event: host and clock, `server {"server":2, "client":1}`,
//! perhaps with the time in nanoseconds before it, then the text of the event.
//! If a file was appended to, lines `=== … ===` separate its executions. The k-th
//! execution in the file of one node belongs to the k-th in the files of the others.

use super::shiviz;
use crate::import::clock_log::{Entry, host_line, host_lines, tell};
use crate::import::document::Document;
use crate::import::importer::{Importer, Reads};
use crate::import::recognise::Beginning;
use crate::import::{Context, Format, ImportError, Reading, Sink, json};
use crate::problem::{Part, Problem, Rule};
use crate::recorder::Recorder;

impl Format {
    /// Logs of GoVector.
    pub const GOVECTOR: Self = Self::of(&Importer {
        name: "govector",
        aliases: &[],
        description: "Logs of GoVector",
        lacks,
        reads: Reads::Documents(read),
        takes_expressions: false,
    });
}

fn lacks(beginning: &Beginning<'_>) -> Option<String> {
    let [even, odd] = host_lines(&beginning.lines);
    let matches = even > 0 && even > odd && !shiviz::has_header(beginning.text);
    (!matches).then(|| "its first line is not a host and a clock, such as `p1 {\"p1\": 3}`".to_owned())
}

/// A line is not the first one of a record.
fn no_host(document: &Document, at: usize) -> Problem {
    let (place, at) = document.line(at);
    Problem::new(Rule::Syntax, place, "this is not the host and clock of an event")
        .expected("a line such as `p1 {\"p1\": 3}`, then one with the text of the event")
        .at(at)
}

/// A record has no second line.
fn no_text(document: &Document, start: usize) -> Problem {
    let (place, _) = document.line(start);
    Problem::new(Rule::Syntax, place, "the last record is cut off: its event has no text")
        .expected("a line with the text of the event")
        .at(place.length)
}

/// Reads all files.
fn read(context: &Context<'_>, documents: &[Document]) -> Result<Reading, ImportError> {
    let mut executions: Vec<(Option<String>, Recorder)> = vec![(None, context.recorder())];
    for document in documents {
        context.check_interrupt()?;
        let (mut execution, mut begun) = (0, false);
        let mut entries = Vec::new();
        let mut lines = document.text.split_inclusive('\n');
        let mut next = 0;
        while let Some(line) = lines.next() {
            let start = next;
            next += line.len();
            let content = line.trim();
            if content.is_empty() {
                continue;
            }
            if let Some(name) = content.strip_prefix("===").and_then(|rest| rest.strip_suffix("===")) {
                tell(std::mem::take(&mut entries), &mut executions[execution].1);
                // Before the first record, such a line begins the first execution.
                execution += usize::from(std::mem::replace(&mut begun, true));
                if execution == executions.len() {
                    executions.push((None, context.recorder()));
                }
                executions[execution].0 = Some(name.trim().to_owned());
                continue;
            }
            begun = true;
            let Some((host, clock)) = host_line(line) else {
                let at = start + json::offset_in(line, content) as usize;
                executions[execution].1.problem(no_host(document, at));
                continue;
            };
            let Some(event) = lines.next() else {
                executions[execution].1.problem(no_text(document, start));
                break;
            };
            next += event.len();
            let text = event.trim_end();
            entries.push(Entry {
                place: document.place(start, line.len() + text.len()),
                host,
                host_at: json::offset_in(line, host),
                clock,
                clock_at: json::offset_in(line, clock),
                event: text.trim(),
                others: Vec::new(),
            });
        }
        tell(entries, &mut executions[execution].1);
    }
    let mut reading = Reading::of(context, executions);
    reading.locate = Box::new(|_, text, part| {
        let Part::Clock(process) = part else { return None };
        let line = text.lines().next()?;
        let (_, clock) = host_line(line)?;
        Some(json::offset_in(line, clock) + json::entry_in(clock, process))
    });
    Ok(reading)
}
