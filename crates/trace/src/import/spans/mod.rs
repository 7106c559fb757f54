//! Traces that are made of spans: OpenTelemetry, Jaeger, Zipkin.
//!
//! A span is an interval of work. It may have a parent, links to other spans, and
//! moments in between. Each format has a parser that turns a document into [`Span`]s
//! ([`SpanParser`]). `order.rs` turns the spans of one trace into events: the start, each
//! moment, the end. Spans imply little about order, and nothing else is assumed:
//!
//! - the start of a parent, and of a linked span, comes before the start of the span;
//! - the end of a server's span comes before the end of the client's that is its
//!   parent, because the client waits for the answer.
//!
//! By default each span is a process of its own. On request each service or instance
//! is one, and its events are ordered by their timestamps. Clocks of different machines
//! disagree, and the clock of one machine may jump, so this order may contradict what the
//! spans say. The cycle is then reported. Timestamps are never corrected.

mod gaps;
mod order;
mod time;

pub(crate) use time::Time;

use super::document::Document;
use super::json::{error_at, offset_in, path_after, shorten};
use super::sink::Sink;
use super::{Context, Format, ImportError, Reading};
use crate::problem::{Place, Problem, Rule};
use crate::value::Value;
use gaps::Gaps;
use serde::Deserialize;
use serde_json::error::Category;
use serde_json::value::RawValue;
use std::collections::HashMap;

/// A span of any format.
#[derive(Debug, Default)]
pub(crate) struct Span {
    pub(crate) place: Option<Place>,
    pub(crate) trace: String,
    pub(crate) id: String,
    pub(crate) parent: Option<String>,
    /// Spans of the same trace that it is linked to.
    pub(crate) links: Vec<String>,
    pub(crate) kind: Kind,
    /// Whether it is the server's half of a span that the client began.
    pub(crate) shared: bool,
    pub(crate) service: String,
    pub(crate) instance: String,
    pub(crate) name: String,
    /// In nanoseconds.
    pub(crate) start: Option<u128>,
    pub(crate) end: Option<u128>,
    /// Assigned by the start.
    pub(crate) attributes: Vec<(String, Value)>,
    pub(crate) moments: Vec<Moment>,
    /// Assigned by the end.
    pub(crate) outcome: Vec<(String, Value)>,
}

/// Something that happens within a span.
#[derive(Debug, Default)]
pub(crate) struct Moment {
    pub(crate) time: Option<u128>,
    pub(crate) name: String,
    pub(crate) attributes: Vec<(String, Value)>,
}

/// Which side of a call a span is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Kind {
    Client,
    Server,
    #[default]
    Other,
}

impl Kind {
    /// The kind of this name in any of the formats.
    fn named(name: &str) -> Option<Self> {
        let name = name.strip_prefix("SPAN_KIND_").unwrap_or(name).to_ascii_lowercase();
        Some(match name.as_str() {
            "client" => Self::Client,
            "server" => Self::Server,
            "" | "unspecified" | "internal" | "producer" | "consumer" => Self::Other,
            _ => return None,
        })
    }
}

/// How documents of one format become spans.
pub(crate) struct SpanParser {
    /// Splits a document into spans.
    pub(crate) parse: fn(&mut Spans<'_>),
    /// What the ids of a trace and of a span are called.
    pub(crate) ids: [&'static str; 2],
    /// What a document with spans looks like, for messages about one without.
    pub(crate) expected: &'static str,
}

/// Collects the spans of a document, the problems with it and the doubts about it.
pub(crate) struct Spans<'d> {
    format: Format,
    ids: [&'static str; 2],
    pub(crate) document: &'d Document,
    all: Vec<Span>,
    problems: Vec<Problem>,
    gaps: &'d mut Gaps,
}

impl<'d> Spans<'d> {
    /// Parses a piece of the document, and notes what is wrong with it.
    pub(crate) fn parse<T: Deserialize<'d>>(&mut self, piece: &'d str) -> Option<T> {
        match serde_json::from_str(piece) {
            Ok(parsed) => Some(parsed),
            Err(error) => {
                self.wrong(piece, &error);
                None
            }
        }
    }

    /// Something is wrong in a piece of the document.
    pub(crate) fn wrong(&mut self, piece: &str, error: &serde_json::Error) {
        let within = error_at(error, piece);
        let (place, at) = self
            .document
            .line(offset_in(&self.document.text, piece) as usize + within);
        let said = error.to_string();
        let said = said.split(" at line ").next().unwrap_or_default();
        // If the column is 0, nothing of the line was read.
        let path = path_after(piece, within + usize::from(error.column() > 0));
        let problem = match error.classify() {
            Category::Data => wrong_data(place, said, &path, self.format),
            Category::Eof => Problem::new(Rule::Syntax, place, format!("the text is cut off ({said})"))
                .expected("the rest of the document, in valid JSON"),
            _ => Problem::new(Rule::Syntax, place, format!("not JSON: {said}")).expected("valid JSON"),
        };
        self.problems.push(problem.at(at));
    }

    /// The kind of a span by its name; an unknown name becomes a doubt.
    pub(crate) fn kind(&mut self, raw: &RawValue, name: &str) -> Kind {
        Kind::named(name).unwrap_or_else(|| {
            self.gaps.kinds.note(self.place(raw), 0);
            Kind::Other
        })
    }

    /// A link leads from a span into another trace.
    pub(crate) fn foreign_link(&mut self, raw: &RawValue) {
        self.gaps.links.note(self.place(raw), 0);
    }

    /// A document contains no span.
    pub(crate) fn no_span(&mut self, raw: &RawValue) {
        self.gaps.documents.note(self.place(raw), 0);
    }

    /// Where a piece of the document is.
    fn place(&self, raw: &RawValue) -> Place {
        let start = offset_in(&self.document.text, raw.get()) as usize;
        self.document.place(start, raw.get().len())
    }

    /// Takes a span that was parsed from `raw`.
    pub(crate) fn push(&mut self, raw: &RawValue, mut span: Span) {
        let place = self.place(raw);
        let [trace, id] = self.ids;
        let missing = match (span.trace.is_empty(), span.id.is_empty()) {
            (true, _) => Some((trace, "trace")),
            (_, true) => Some((id, "span")),
            _ => None,
        };
        if let Some((field, whose)) = missing {
            let problem = Problem::new(Rule::Field, place, format!("the span has no `{field}`"));
            let expected = format!("a field `{field}` with the id of the {whose}, a text");
            self.problems.push(problem.expected(expected).at(0));
            return;
        }
        if span.service.is_empty() {
            span.service = "unknown".to_owned();
        }
        if span.instance.is_empty() {
            span.instance = span.service.clone();
        }
        span.place = Some(place);
        self.all.push(span);
    }
}

/// A field has a wrong value: serde's message in our words, with the path.
fn wrong_data(place: Place, said: &str, path: &str, format: Format) -> Problem {
    let whole = path.is_empty();
    let (said, expected) = match said.split_once(", expected ") {
        Some((said, expected)) => (in_json(said), in_json(expected)),
        None => match said.strip_prefix("missing field ") {
            Some(field) => (format!("it has no field {field}"), format!("a field {field}")),
            None => (said.to_owned(), format!("what spans of {format} have there")),
        },
    };
    let message = match whole {
        true => format!("this is not a {format} document: {said}"),
        false => format!("`{path}` is wrong: {said}"),
    };
    Problem::new(Rule::Field, place, message).expected(expected)
}

/// serde's names of kinds of values, in terms of JSON.
fn in_json(said: &str) -> String {
    match said.strip_prefix("invalid type: ") {
        Some("map") => "it is an object".to_owned(),
        Some("sequence") => "it is a list".to_owned(),
        Some(other) => format!("it is {other}"),
        None => match said {
            "a sequence" => "a list".to_owned(),
            "a string" => "a text".to_owned(),
            "a map" => "an object".to_owned(),
            other => other.to_owned(),
        },
    }
}

/// There is no span in a file.
fn no_spans(format: Format, expected: &str, document: &Document) -> Problem {
    let begin = document.text.len() - document.text.trim_start().len();
    let (place, at) = document.line(begin);
    let message = format!("there is no span in this file, which was read as {format}");
    Problem::new(Rule::Field, place, message).expected(expected).at(at)
}

/// Reads all files. Each trace is an execution; they are ordered by their first spans.
pub(crate) fn read(context: &Context<'_>, parser: &SpanParser, documents: &[Document]) -> Result<Reading, ImportError> {
    let format = context.format;
    let (mut traces, mut problems): (Vec<(String, Vec<Span>)>, Vec<Problem>) = Default::default();
    let mut numbers: HashMap<String, usize> = HashMap::new();
    let mut gaps = Gaps::new();
    for document in documents {
        context.check_interrupt()?;
        let mut spans = Spans {
            format,
            ids: parser.ids,
            document,
            all: Vec::new(),
            problems: Vec::new(),
            gaps: &mut gaps,
        };
        (parser.parse)(&mut spans);
        let (all, wrong) = (spans.all, spans.problems);
        if all.is_empty() && wrong.is_empty() {
            let (place, at) = document.line(0);
            gaps.documents.note(place, at);
        }
        problems.extend(wrong);
        for span in all {
            let number = *numbers.entry(span.trace.clone()).or_insert_with(|| {
                traces.push((span.trace.clone(), Vec::new()));
                traces.len() - 1
            });
            traces[number].1.push(span);
        }
    }
    let mut executions = Vec::new();
    if traces.is_empty() && problems.is_empty() {
        problems.extend(
            documents
                .iter()
                .map(|document| no_spans(format, parser.expected, document)),
        );
    }
    if !problems.is_empty() {
        let mut recorder = context.recorder();
        problems.into_iter().for_each(|problem| recorder.problem(problem));
        executions.push((None, recorder));
        return Ok(Reading::of(context, executions));
    }
    for (name, spans) in traces {
        context.check_interrupt()?;
        let mut recorder = context.recorder();
        order::tell(spans, context.options.process_by, &mut recorder, &mut gaps);
        executions.push((Some(name), recorder));
    }
    let mut reading = Reading::of(context, executions);
    reading.doubts = gaps.doubts();
    Ok(reading)
}
