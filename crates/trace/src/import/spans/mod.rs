//! Traces that are made of spans: OpenTelemetry, Jaeger, Zipkin.
//!
//! A span is an interval of work with a parent, perhaps links to other spans, and
//! moments in between. Each format is parsed into [`Span`]s (`otlp.rs`,
//! `jaeger.rs`, `zipkin.rs`); `order.rs` turns those of one trace into events: the
//! start, each moment, the end. What a span says about order is little, and
//! nothing else is taken for granted:
//!
//! - the start of a parent, and of a linked span, comes before the start of the span;
//! - the end of a server's span comes before the end of the client's that is its
//!   parent, because the client waits for the answer.
//!
//! Each span is a process of its own by default. On request each service or instance
//! is one and its events are ordered by timestamp. Clocks of different machines
//! disagree, and those of one machine jump, so this may contradict what the spans
//! say; the cycle is then reported. Timestamps are never corrected.

mod jaeger;
mod order;
mod otlp;
mod zipkin;

use super::document::Document;
use super::json::{error_at, offset_in};
use super::sink::Sink;
use super::{Context, Format, ImportError, Reading};
use crate::problem::{Place, Problem, Rule};
use crate::value::Value;
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
    pub(crate) start: Option<u64>,
    pub(crate) end: Option<u64>,
    /// Assigned by the start.
    pub(crate) attributes: Vec<(String, Value)>,
    pub(crate) moments: Vec<Moment>,
    /// Assigned by the end.
    pub(crate) outcome: Vec<(String, Value)>,
}

/// Something that happens within a span.
#[derive(Debug, Default)]
pub(crate) struct Moment {
    pub(crate) time: Option<u64>,
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
    /// By the names of all formats.
    fn named(name: &str) -> Self {
        match name
            .strip_prefix("SPAN_KIND_")
            .unwrap_or(name)
            .to_ascii_lowercase()
            .as_str()
        {
            "client" => Self::Client,
            "server" => Self::Server,
            _ => Self::Other,
        }
    }
}

/// Where pieces of a document go: spans on the one hand, problems on the other.
struct Spans<'d> {
    document: &'d Document,
    all: Vec<Span>,
    problems: Vec<Problem>,
}

impl<'d> Spans<'d> {
    /// Parses a piece of the document; what is wrong with it is noted.
    fn parse<T: Deserialize<'d>>(&mut self, piece: &'d str) -> Option<T> {
        match serde_json::from_str(piece) {
            Ok(parsed) => Some(parsed),
            Err(error) => {
                self.wrong(piece, &error);
                None
            }
        }
    }

    fn wrong(&mut self, piece: &str, error: &serde_json::Error) {
        let at = offset_in(&self.document.text, piece) as usize + error_at(error, piece);
        let (place, at) = self.document.line(at);
        let said = error.to_string();
        let said = said.split(" at line ").next().unwrap_or_default();
        let problem = match error.classify() {
            Category::Data => Problem::new(Rule::Field, place, said).expected("what the format says"),
            Category::Eof => {
                Problem::new(Rule::Syntax, place, format!("the text is cut off ({said})")).expected("valid JSON")
            }
            _ => Problem::new(Rule::Syntax, place, format!("not JSON: {said}")).expected("valid JSON"),
        };
        self.problems.push(problem.at(at));
    }

    /// Takes a span that was parsed from `raw`.
    fn push(&mut self, raw: &RawValue, mut span: Span) {
        let start = offset_in(&self.document.text, raw.get()) as usize;
        let place = self.document.place(start, raw.get().len());
        let missing = match (span.trace.is_empty(), span.id.is_empty()) {
            (true, _) => Some("trace id"),
            (_, true) => Some("id"),
            _ => None,
        };
        if let Some(what) = missing {
            let problem = Problem::new(Rule::Field, place, format!("the span has no {what}"));
            self.problems
                .push(problem.expected("the ids of the trace and of the span").at(0));
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

/// Reads all files: each trace is an execution, in the order of their first spans.
pub(crate) fn read(context: &Context<'_>, format: Format, documents: &[Document]) -> Result<Reading, ImportError> {
    let (mut traces, mut problems): (Vec<(String, Vec<Span>)>, Vec<Problem>) = Default::default();
    let mut numbers: HashMap<String, usize> = HashMap::new();
    for document in documents {
        context.check_interrupt()?;
        let mut spans = Spans {
            document,
            all: Vec::new(),
            problems: Vec::new(),
        };
        match format {
            Format::Jaeger => jaeger::parse(&mut spans),
            Format::Zipkin => zipkin::parse(&mut spans),
            _ => otlp::parse(&mut spans),
        }
        problems.extend(spans.problems);
        for span in spans.all {
            let number = *numbers.entry(span.trace.clone()).or_insert_with(|| {
                traces.push((span.trace.clone(), Vec::new()));
                traces.len() - 1
            });
            traces[number].1.push(span);
        }
    }
    let mut executions = Vec::new();
    if traces.is_empty() || !problems.is_empty() {
        let mut recorder = context.recorder();
        problems.into_iter().for_each(|problem| recorder.problem(problem));
        executions.push((None, recorder));
        return Ok(Reading::of(format, context, executions));
    }
    for (name, spans) in traces {
        context.check_interrupt()?;
        let mut recorder = context.recorder();
        order::tell(spans, context.options.process_by, &mut recorder);
        executions.push((Some(name), recorder));
    }
    Ok(Reading::of(format, context, executions))
}

/// A time that may be written as a number or as a text of digits.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Time {
    Number(u64),
    Fraction(f64),
    Text(String),
}

impl Time {
    /// In nanoseconds, given how many of them its unit is.
    fn nanoseconds(self, unit: u64) -> Option<u64> {
        let time = match self {
            Self::Number(n) => n.checked_mul(unit)?,
            Self::Fraction(x) if x >= 0.0 => (x * unit as f64) as u64,
            Self::Fraction(_) => return None,
            Self::Text(text) => text.trim().parse::<u64>().ok()?.checked_mul(unit)?,
        };
        (time > 0).then_some(time)
    }
}
