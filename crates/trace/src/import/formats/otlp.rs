//! OpenTelemetry's OTLP in JSON: `resourceSpans`, either one document or, as the
//! file exporter writes, one on each line.

use crate::import::Format;
use crate::import::importer::{Importer, Reads};
use crate::import::recognise::Beginning;
use crate::import::spans::{Kind, Moment, Span, SpanParser, Spans, Time};
use crate::value::Value;
use serde::Deserialize;
use serde_json::value::RawValue;

impl Format {
    /// Spans of OpenTelemetry, OTLP in JSON.
    pub const OTLP: Self = Self::of(&Importer {
        name: "otlp",
        aliases: &[],
        description: "OpenTelemetry spans, OTLP in JSON",
        lacks,
        reads: Reads::Spans(SpanParser {
            parse,
            ids: ["traceId", "spanId"],
            expected: "`{\"resourceSpans\": [{\"scopeSpans\": [{\"spans\": [ … ]}]}]}` with a span in it",
        }),
        takes_expressions: false,
    });
}

fn lacks(beginning: &Beginning<'_>) -> Option<String> {
    let matches = beginning.is_document('{', &["resourceSpans"]);
    (!matches).then(|| "there is no object with a field `resourceSpans`".to_owned())
}

#[derive(Deserialize)]
struct Export<'a> {
    #[serde(borrow, rename = "resourceSpans")]
    resources: Option<Vec<ResourceSpans<'a>>>,
}

#[derive(Deserialize)]
struct ResourceSpans<'a> {
    #[serde(default)]
    resource: Resource,
    #[serde(borrow, rename = "scopeSpans", alias = "instrumentationLibrarySpans", default)]
    scopes: Vec<ScopeSpans<'a>>,
}

#[derive(Default, Deserialize)]
struct Resource {
    #[serde(default)]
    attributes: Vec<Attribute>,
}

#[derive(Deserialize)]
struct ScopeSpans<'a> {
    #[serde(borrow, default)]
    spans: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawSpan {
    #[serde(default)]
    trace_id: String,
    #[serde(default)]
    span_id: String,
    #[serde(default)]
    parent_span_id: String,
    #[serde(default)]
    name: String,
    /// The name of a kind, or its number in the protocol.
    #[serde(default)]
    kind: serde_json::Value,
    start_time_unix_nano: Option<Time>,
    end_time_unix_nano: Option<Time>,
    #[serde(default)]
    attributes: Vec<Attribute>,
    #[serde(default)]
    events: Vec<RawEvent>,
    #[serde(default)]
    links: Vec<Link>,
    #[serde(default)]
    status: Status,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawEvent {
    time_unix_nano: Option<Time>,
    #[serde(default)]
    name: String,
    #[serde(default)]
    attributes: Vec<Attribute>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Link {
    #[serde(default)]
    trace_id: String,
    #[serde(default)]
    span_id: String,
}

#[derive(Default, Deserialize)]
struct Status {
    code: Option<serde_json::Value>,
}

#[derive(Deserialize)]
struct Attribute {
    key: String,
    #[serde(default)]
    value: AnyValue,
}

/// A value with its type.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct AnyValue {
    string_value: Option<String>,
    bool_value: Option<bool>,
    int_value: Option<serde_json::Value>,
    double_value: Option<serde_json::Value>,
    array_value: Option<ArrayValue>,
    kvlist_value: Option<KeyValues>,
    bytes_value: Option<String>,
}

#[derive(Deserialize)]
struct ArrayValue {
    #[serde(default)]
    values: Vec<AnyValue>,
}

#[derive(Deserialize)]
struct KeyValues {
    #[serde(default)]
    values: Vec<Attribute>,
}

impl AnyValue {
    fn value(self) -> Value {
        if let Some(text) = self.string_value.or(self.bytes_value) {
            return Value::string(&text);
        }
        if let Some(b) = self.bool_value {
            return Value::Bool(b);
        }
        // In OTLP's JSON, 64-bit integers are strings.
        if let Some(number) = self.int_value.or(self.double_value) {
            return match number.as_str() {
                Some(text) => text
                    .parse()
                    .map(Value::Int)
                    .or_else(|_| text.parse().map(Value::Double))
                    .unwrap_or_else(|_| Value::string(text)),
                None => number.into(),
            };
        }
        if let Some(array) = self.array_value {
            return Value::List(array.values.into_iter().map(Self::value).collect());
        }
        match self.kvlist_value {
            Some(entries) => Value::Map(std::sync::Arc::new(pairs(entries.values).into_iter().collect())),
            None => Value::Null,
        }
    }
}

fn pairs(attributes: Vec<Attribute>) -> Vec<(String, Value)> {
    attributes.into_iter().map(|a| (a.key, a.value.value())).collect()
}

fn parse(spans: &mut Spans<'_>) {
    let text = spans.document.text.as_str();
    let documents = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>();
    for next in documents {
        match next {
            Ok(document) => parse_export(spans, document),
            Err(error) => {
                spans.wrong(text, &error);
                break;
            }
        }
    }
}

fn parse_export<'d>(spans: &mut Spans<'d>, document: &'d RawValue) {
    let Some(export) = spans.parse::<Export>(document.get()) else {
        return;
    };
    let Some(resources) = export.resources else {
        // The same file may contain metrics and logs.
        spans.no_span(document);
        return;
    };
    for resource in resources {
        let source = Source::of(resource.resource);
        for raw in resource.scopes.iter().flat_map(|scope| &scope.spans) {
            if let Some(span) = spans.parse::<RawSpan>(raw.get()) {
                let span = read_span(spans, raw, span, &source);
                spans.push(raw, span);
            }
        }
    }
}

/// Where spans come from.
struct Source {
    attributes: Vec<(String, Value)>,
    service: String,
    instance: String,
}

impl Source {
    fn of(resource: Resource) -> Self {
        let attributes = pairs(resource.attributes);
        let named = |key: &str| {
            let found = attributes.iter().find(|(name, _)| name == key);
            found.map_or(String::new(), |(_, value)| match value {
                Value::String(text) => text.to_string(),
                other => other.to_string(),
            })
        };
        let service = named("service.name");
        let mut instance = named("service.instance.id");
        if instance.is_empty() {
            let parts = [named("host.name"), named("process.pid")];
            instance = parts
                .into_iter()
                .filter(|part| !part.is_empty())
                .collect::<Vec<_>>()
                .join(":");
        }
        if !instance.is_empty() {
            instance = format!("{service}@{instance}");
        }
        Self {
            attributes,
            service,
            instance,
        }
    }
}

fn read_span(spans: &mut Spans<'_>, raw: &RawValue, span: RawSpan, source: &Source) -> Span {
    let trace = span.trace_id;
    let (links, foreign): (Vec<_>, Vec<_>) = span
        .links
        .into_iter()
        .partition(|link| link.trace_id == trace || link.trace_id.is_empty());
    foreign.iter().for_each(|_| spans.foreign_link(raw));
    let mut attributes = source.attributes.clone();
    attributes.extend(pairs(span.attributes));
    Span {
        parent: Some(span.parent_span_id).filter(|id| !id.is_empty()),
        links: links.into_iter().map(|link| link.span_id).collect(),
        kind: kind(spans, raw, &span.kind),
        service: source.service.clone(),
        instance: source.instance.clone(),
        id: span.span_id,
        trace,
        name: span.name,
        start: span.start_time_unix_nano.and_then(|time| time.nanoseconds(1)),
        end: span.end_time_unix_nano.and_then(|time| time.nanoseconds(1)),
        attributes,
        moments: (span.events.into_iter())
            .map(|event| Moment {
                time: event.time_unix_nano.and_then(|time| time.nanoseconds(1)),
                name: event.name,
                attributes: pairs(event.attributes),
            })
            .collect(),
        outcome: outcome(&span.status)
            .map(|text| ("otel.status_code".to_owned(), Value::string(text)))
            .into_iter()
            .collect(),
        ..Span::default()
    }
}

/// The kind of a span by its name, or its number in the protocol.
fn kind(spans: &mut Spans<'_>, raw: &RawValue, kind: &serde_json::Value) -> Kind {
    match (kind.as_u64(), kind.as_str()) {
        (Some(2), _) => Kind::Server,
        (Some(3), _) => Kind::Client,
        (Some(0 | 1 | 4 | 5), _) => Kind::Other,
        (_, Some(name)) => spans.kind(raw, name),
        _ if kind.is_null() => Kind::Other,
        _ => spans.kind(raw, "?"),
    }
}

/// How a span ended, if that is known.
fn outcome(status: &Status) -> Option<&'static str> {
    match status.code.as_ref().map(|code| (code.as_u64(), code.as_str())) {
        Some((Some(1), _) | (_, Some("STATUS_CODE_OK"))) => Some("OK"),
        Some((Some(2), _) | (_, Some("STATUS_CODE_ERROR"))) => Some("ERROR"),
        _ => None,
    }
}
