//! Jaeger's JSON, as its query service gives it: `data`, a list of traces, each with
//! `spans` and `processes`. A single trace without `data` around it is accepted.

use crate::import::Format;
use crate::import::importer::{Importer, Reads};
use crate::import::recognise::Beginning;
use crate::import::spans::{Moment, Span, SpanParser, Spans, Time};
use crate::value::Value;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::HashMap;

impl Format {
    /// Spans of Jaeger.
    pub const JAEGER: Self = Self::of(&Importer {
        name: "jaeger",
        aliases: &[],
        description: "Jaeger spans in JSON",
        lacks,
        reads: Reads::Spans(SpanParser {
            parse,
            ids: ["traceID", "spanID"],
            expected: "`{\"data\": [{\"spans\": [ … ]}]}` with a span in it",
        }),
        takes_expressions: false,
    });
}

fn lacks(beginning: &Beginning<'_>) -> Option<String> {
    let matches = ["traceID", "processes"]
        .iter()
        .any(|field| beginning.is_document('{', &["spans", field]));
    (!matches).then(|| "there is no object with fields `spans` and `traceID`".to_owned())
}

#[derive(Deserialize)]
struct Answer<'a> {
    #[serde(borrow)]
    data: Option<Vec<&'a RawValue>>,
}

#[derive(Deserialize)]
struct Trace<'a> {
    #[serde(borrow, default)]
    spans: Vec<&'a RawValue>,
    #[serde(default)]
    processes: HashMap<String, Process>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Process {
    #[serde(default)]
    service_name: String,
    #[serde(default)]
    tags: Vec<Tag>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawSpan {
    #[serde(rename = "traceID", default)]
    trace_id: String,
    #[serde(rename = "spanID", default)]
    span_id: String,
    #[serde(rename = "parentSpanID", default)]
    parent_span_id: String,
    #[serde(default)]
    operation_name: String,
    #[serde(default)]
    references: Vec<Reference>,
    start_time: Option<Time>,
    duration: Option<u64>,
    #[serde(default)]
    tags: Vec<Tag>,
    logs: Option<Vec<Log>>,
    #[serde(rename = "processID", default)]
    process_id: String,
    process: Option<Process>,
}

#[derive(Deserialize)]
struct Reference {
    #[serde(rename = "refType", default)]
    kind: String,
    #[serde(rename = "traceID", default)]
    trace_id: String,
    #[serde(rename = "spanID", default)]
    span_id: String,
}

#[derive(Clone, Deserialize)]
struct Tag {
    key: String,
    #[serde(default)]
    value: serde_json::Value,
}

#[derive(Deserialize)]
struct Log {
    timestamp: Option<Time>,
    #[serde(default)]
    fields: Vec<Tag>,
}

fn pairs(tags: impl IntoIterator<Item = Tag>) -> Vec<(String, Value)> {
    tags.into_iter().map(|tag| (tag.key, tag.value.into())).collect()
}

fn text(tags: &[Tag], key: &str) -> String {
    let found = tags.iter().find(|tag| tag.key == key);
    found.map_or(String::new(), |tag| match &tag.value {
        serde_json::Value::String(text) => text.clone(),
        other => other.to_string(),
    })
}

fn parse(spans: &mut Spans<'_>) {
    let text = spans.document.text.as_str();
    let Some(document) = spans.parse::<&RawValue>(text) else {
        return;
    };
    let Some(answer) = spans.parse::<Answer>(document.get()) else {
        return;
    };
    for trace in answer.data.unwrap_or_else(|| vec![document]) {
        parse_trace(spans, trace);
    }
}

fn parse_trace<'d>(spans: &mut Spans<'d>, trace: &'d RawValue) {
    let Some(trace) = spans.parse::<Trace>(trace.get()) else {
        return;
    };
    let nobody = Process::default();
    for raw in trace.spans {
        let Some(span) = spans.parse::<RawSpan>(raw.get()) else {
            continue;
        };
        let process = trace.processes.get(&span.process_id).unwrap_or(&nobody);
        let span = read_span(spans, raw, span, process);
        spans.push(raw, span);
    }
}

/// Reads a span of `process`, unless the span itself names its process.
fn read_span(spans: &mut Spans<'_>, raw: &RawValue, mut span: RawSpan, process: &Process) -> Span {
    let own = span.process.take();
    let process = own.as_ref().unwrap_or(process);
    let start = span.start_time.and_then(|time| time.nanoseconds(1000));
    let (mut parent, mut links) = (Some(span.parent_span_id).filter(|id| !id.is_empty()), Vec::new());
    for reference in span.references {
        if reference.trace_id != span.trace_id && !reference.trace_id.is_empty() {
            spans.foreign_link(raw);
            continue;
        }
        match reference.kind.as_str() {
            "CHILD_OF" if parent.is_none() => parent = Some(reference.span_id),
            _ => links.push(reference.span_id),
        }
    }
    Span {
        kind: spans.kind(raw, &text(&span.tags, "span.kind")),
        service: process.service_name.clone(),
        instance: process.instance(),
        trace: span.trace_id,
        id: span.span_id,
        parent,
        links,
        name: span.operation_name,
        end: start
            .zip(span.duration)
            .map(|(start, duration)| start + u128::from(duration) * 1000),
        start,
        moments: span.logs.unwrap_or_default().into_iter().map(Log::moment).collect(),
        attributes: pairs(process.tags.iter().cloned().chain(span.tags)),
        ..Span::default()
    }
}

impl Process {
    /// Which instance of its service it is; empty if nothing says so.
    fn instance(&self) -> String {
        let mut instance = text(&self.tags, "service.instance.id");
        if instance.is_empty() {
            let parts = [text(&self.tags, "hostname"), text(&self.tags, "pid")];
            instance = parts
                .into_iter()
                .filter(|part| !part.is_empty())
                .collect::<Vec<_>>()
                .join(":");
        }
        match instance.is_empty() {
            true => instance,
            false => format!("{}@{instance}", self.service_name),
        }
    }
}

impl Log {
    fn moment(self) -> Moment {
        let mut names = ["event", "message"].into_iter().map(|key| text(&self.fields, key));
        Moment {
            time: self.timestamp.and_then(|time| time.nanoseconds(1000)),
            name: names.find(|name| !name.is_empty()).unwrap_or_default(),
            attributes: pairs(self.fields),
        }
    }
}
