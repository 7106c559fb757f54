//! Zipkin's JSON, version 2: a list of spans, or a list of such lists.
//!
//! Client and server may report the two halves of a call under one id; the server's
//! half says `shared`. The client's half is then the parent of the server's.

use crate::import::Format;
use crate::import::importer::{Importer, Reads};
use crate::import::recognise::Beginning;
use crate::import::spans::{Moment, Span, SpanParser, Spans, Time};
use crate::value::Value;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

impl Format {
    /// Spans of Zipkin, version 2.
    pub const ZIPKIN: Self = Self::of(&Importer {
        name: "zipkin",
        aliases: &[],
        description: "Zipkin spans in JSON, version 2",
        lacks,
        reads: Reads::Spans(SpanParser {
            parse,
            ids: ["traceId", "id"],
            expected: "`[ … ]`, a list with a span in it",
        }),
        takes_expressions: false,
    });
}

fn lacks(beginning: &Beginning<'_>) -> Option<String> {
    let matches = beginning.is_document('[', &["traceId", "id"]);
    (!matches).then(|| "there is no list of spans with `traceId` and `id`".to_owned())
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawSpan {
    #[serde(default)]
    trace_id: String,
    #[serde(default)]
    id: String,
    parent_id: Option<String>,
    name: Option<String>,
    kind: Option<String>,
    timestamp: Option<Time>,
    duration: Option<u64>,
    #[serde(default)]
    local_endpoint: Endpoint,
    #[serde(default)]
    annotations: Vec<Annotation>,
    #[serde(default)]
    tags: BTreeMap<String, String>,
    #[serde(default)]
    shared: bool,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Endpoint {
    service_name: Option<String>,
    ipv4: Option<String>,
    ipv6: Option<String>,
    port: Option<u32>,
}

#[derive(Deserialize)]
struct Annotation {
    timestamp: Option<Time>,
    #[serde(default)]
    value: String,
}

fn parse(spans: &mut Spans<'_>) {
    let text = spans.document.text.as_str();
    let Some(list) = spans.parse::<Vec<&RawValue>>(text) else {
        return;
    };
    for raw in list {
        if raw.get().starts_with('[') {
            let inner = spans.parse::<Vec<&RawValue>>(raw.get());
            inner
                .unwrap_or_default()
                .into_iter()
                .for_each(|raw| parse_span(spans, raw));
        } else {
            parse_span(spans, raw);
        }
    }
}

fn parse_span<'d>(spans: &mut Spans<'d>, raw: &'d RawValue) {
    let Some(span) = spans.parse::<RawSpan>(raw.get()) else {
        return;
    };
    let start = span.timestamp.and_then(|time| time.nanoseconds(1000));
    let endpoint = span.local_endpoint;
    let service = endpoint.service_name.unwrap_or_default();
    let host = endpoint.ipv4.or(endpoint.ipv6);
    let instance = host.map(|host| match endpoint.port {
        Some(port) => format!("{service}@{host}:{port}"),
        None => format!("{service}@{host}"),
    });
    let moments = span.annotations.into_iter().map(|annotation| Moment {
        time: annotation.timestamp.and_then(|time| time.nanoseconds(1000)),
        name: annotation.value,
        attributes: Vec::new(),
    });
    let span = Span {
        kind: spans.kind(raw, &span.kind.unwrap_or_default()),
        trace: span.trace_id,
        id: span.id,
        parent: span.parent_id.filter(|id| !id.is_empty()),
        shared: span.shared,
        instance: instance.unwrap_or_default(),
        service,
        name: span.name.unwrap_or_default(),
        end: start
            .zip(span.duration)
            .map(|(start, duration)| start + u128::from(duration) * 1000),
        start,
        attributes: span
            .tags
            .into_iter()
            .map(|(key, text)| (key, Value::string(&text)))
            .collect(),
        moments: moments.collect(),
        ..Span::default()
    };
    spans.push(raw, span);
}
