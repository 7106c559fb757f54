//! Answers as JSON.
//!
//! The shape is a contract. `states` and `transitions` of the model are the sums
//! over its properties. `memory_bytes` is the maximum, since properties are checked one after the other.

use super::snapshots::SnapshotView;
use super::value::Assignments;
use super::{CheckedModel, words};
use crate::json::pretty;
use crate::limits::limit_name;
use mazurka_core::End;
use mazurka_promela::verify::{Exchange, PropertyResult, ReductionUsed, ShownStep, StepId, Unreached, Violation};
use mazurka_promela::{Sources, Span};
use serde::Serialize;

/// The answers as one JSON object.
pub fn checked_json(view: &CheckedModel<'_>) -> String {
    let properties = &view.checked.properties;
    let seconds = |p: &PropertyResult| p.statistics.time.as_secs_f64();
    pretty(&View {
        model: view.model,
        verdict: view.checked.verdict().name(),
        states: properties.iter().map(|p| p.statistics.states).sum(),
        transitions: properties.iter().map(|p| p.statistics.transitions).sum(),
        seconds: properties.iter().map(seconds).sum(),
        memory_bytes: properties.iter().map(|p| p.statistics.bytes).max().unwrap_or(0),
        properties: properties.iter().map(|p| PropertyView::new(view, p)).collect(),
    })
}

#[derive(Serialize)]
struct View<'a> {
    model: &'a str,
    verdict: &'static str,
    states: u64,
    transitions: u64,
    seconds: f64,
    memory_bytes: usize,
    properties: Vec<PropertyView<'a>>,
}

#[derive(Serialize)]
struct PropertyView<'a> {
    name: &'a str,
    kind: &'static str,
    verdict: &'static str,
    limit: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    states: u64,
    transitions: u64,
    matched: u64,
    depth: usize,
    seconds: f64,
    memory_bytes: usize,
    reduction: ReductionView<'a>,
    violations: Vec<ViolationView<'a>>,
    unreached: Vec<UnreachedView<'a>>,
    untrue: Vec<UntrueView<'a>>,
}

/// A broken `xr` or `xs` promise.
#[derive(Serialize)]
struct UntrueView<'a> {
    process: &'a str,
    assertion: &'static str,
    #[serde(flatten)]
    location: Location<'a>,
    by: &'a str,
}

#[derive(Serialize)]
struct ReductionView<'a> {
    persistent: Option<&'static str>,
    sleep: bool,
    proviso: Option<&'static str>,
    note: Option<&'a str>,
}

#[derive(Serialize)]
struct ViolationView<'a> {
    kind: &'static str,
    message: &'a str,
    location: Option<Location<'a>>,
    cycle_start: Option<usize>,
    steps: Vec<StepView<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    snapshots: Vec<SnapshotView<'a>>,
}

#[derive(Serialize)]
pub(super) struct Location<'a> {
    file: &'a str,
    line: u32,
    column: u32,
}

#[derive(Serialize)]
pub(super) struct StepView<'a> {
    pid: u8,
    process: &'a str,
    #[serde(flatten)]
    location: Location<'a>,
    statement: &'a str,
    changes: Assignments<'a>,
    #[serde(skip_serializing_if = "str::is_empty")]
    printed: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    exchange: Option<ExchangeView<'a>>,
}

#[derive(Serialize)]
struct ExchangeView<'a> {
    kind: &'static str,
    channel: &'a str,
    number: u32,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    partner: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sent_by: Option<usize>,
}

#[derive(Serialize)]
struct UnreachedView<'a> {
    process: &'a str,
    #[serde(flatten)]
    location: Location<'a>,
    statement: &'a str,
}

impl<'a> Location<'a> {
    pub(super) fn new(sources: &'a Sources, span: Span) -> Self {
        let place = sources.place(span);
        Self {
            file: sources.name(span.file),
            line: place.line,
            column: place.column,
        }
    }
}

impl<'a> PropertyView<'a> {
    fn new(view: &CheckedModel<'a>, property: &'a PropertyResult) -> Self {
        let statistics = &property.statistics;
        Self {
            name: &property.name,
            kind: property.kind.name(),
            verdict: property.verdict.name(),
            error: property.refusal.as_deref(),
            limit: match property.end {
                _ if property.refusal.is_some() => None,
                End::Limit(limit) => Some(limit_name(limit)),
                End::Complete | End::Stopped => None,
            },
            states: statistics.states,
            transitions: statistics.transitions,
            matched: statistics.matched,
            depth: statistics.depth,
            seconds: statistics.time.as_secs_f64(),
            memory_bytes: statistics.bytes,
            reduction: ReductionView::new(&property.reduction),
            violations: (property.violations.iter())
                .map(|v| ViolationView::new(view, v))
                .collect(),
            unreached: (property.unreached.iter())
                .map(|u| UnreachedView::new(view, u))
                .collect(),
            untrue: (property.untrue.iter())
                .map(|u| UntrueView {
                    process: &u.process,
                    assertion: words::promise(u),
                    location: Location::new(view.sources, u.span),
                    by: &u.by,
                })
                .collect(),
        }
    }
}

impl<'a> ReductionView<'a> {
    fn new(reduction: &'a ReductionUsed) -> Self {
        Self {
            persistent: reduction.persistent,
            sleep: reduction.sleep,
            proviso: reduction.proviso,
            note: reduction.note.as_deref(),
        }
    }
}

impl<'a> ViolationView<'a> {
    fn new(view: &CheckedModel<'a>, violation: &'a Violation) -> Self {
        Self {
            kind: violation.kind.name(),
            message: &violation.message,
            location: violation.location.map(|span| Location::new(view.sources, span)),
            cycle_start: violation.cycle_start.map(StepId::index),
            steps: (violation.steps.iter())
                .map(|s| StepView::new(view.sources, s))
                .collect(),
            snapshots: violation.snapshots.iter().map(SnapshotView::new).collect(),
        }
    }
}

impl<'a> StepView<'a> {
    pub(super) fn new(sources: &'a Sources, step: &'a ShownStep) -> Self {
        Self {
            pid: step.pid.0,
            process: &step.process,
            location: Location::new(sources, step.span),
            statement: &step.statement,
            changes: Assignments(&step.changes),
            printed: &step.printed,
            exchange: step.exchange.as_ref().map(ExchangeView::new),
        }
    }
}

impl<'a> ExchangeView<'a> {
    fn new(exchange: &'a Exchange) -> Self {
        Self {
            kind: words::exchange(exchange.kind),
            channel: &exchange.channel,
            number: exchange.number,
            message: &exchange.message,
            partner: exchange.partner.map(|pid| pid.0),
            sent_by: exchange.sent_by.map(StepId::index),
        }
    }
}

impl<'a> UnreachedView<'a> {
    fn new(view: &CheckedModel<'a>, unreached: &'a Unreached) -> Self {
        Self {
            process: &unreached.process,
            location: Location::new(view.sources, unreached.span),
            statement: &unreached.statement,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::Sample;
    use super::*;
    use serde_json::{Value, json};

    fn parsed(sample: &Sample) -> Value {
        serde_json::from_str(&checked_json(&sample.view())).unwrap()
    }

    #[test]
    fn a_violation_with_its_place_and_its_steps() {
        let all = parsed(&Sample::handshake());
        assert_eq!(all["model"], "handshake.pml");
        assert_eq!(all["verdict"], "violated");
        assert_eq!((&all["states"], &all["transitions"]), (&json!(1247), &json!(2366)));
        assert_eq!(all["memory_bytes"], 3 << 20);
        assert_eq!(all["properties"].as_array().unwrap().len(), 2);
        let safety = &all["properties"][0];
        assert_eq!((&safety["name"], &safety["kind"]), (&json!("safety"), &json!("safety")));
        assert_eq!((&safety["depth"], &safety["matched"]), (&json!(9), &json!(8)));
        assert_eq!(safety["seconds"], 0.0012);
        let reduction = json!({"persistent": "stubborn", "sleep": true, "proviso": null, "note": null});
        assert_eq!(safety["reduction"], reduction);
        assert_eq!(safety["limit"], Value::Null);
        let violation = &safety["violations"][0];
        assert_eq!(violation["kind"], "assertion");
        assert_eq!(violation["message"], "the assertion `got == 2` fails");
        let location = json!({"file": "handshake.pml", "line": 10, "column": 3});
        assert_eq!(violation["location"], location);
        assert_eq!(violation["cycle_start"], Value::Null);
        let first = &violation["steps"][0];
        assert_eq!((&first["pid"], &first["process"]), (&json!(0), &json!("Sender")));
        assert_eq!((&first["line"], &first["statement"]), (&json!(4), &json!("c!1")));
        assert_eq!(first["changes"], json!({"c": "[1]"}));
        assert_eq!(first["exchange"]["kind"], "send");
        let received = &violation["steps"][2];
        assert_eq!(received["changes"], json!({"c": "[]", "Receiver[1]:got": 1}));
        assert_eq!(received["exchange"]["sent_by"], 0);
        let unreached = json!([{
            "process": "Receiver", "file": "handshake.pml", "line": 11, "column": 3, "statement": "skip"
        }]);
        assert_eq!(all["properties"][1]["unreached"], unreached);
    }

    #[test]
    fn a_limit_is_named() {
        let all = parsed(&Sample::limited());
        assert_eq!(all["verdict"], "inconclusive");
        assert_eq!(all["properties"][0]["limit"], "states");
    }

    #[test]
    fn a_cycle_says_where_it_begins() {
        let all = parsed(&Sample::cycle());
        let violation = &all["properties"][0]["violations"][0];
        assert_eq!(violation["kind"], "acceptance-cycle");
        assert_eq!(violation["cycle_start"], 1);
    }
}
