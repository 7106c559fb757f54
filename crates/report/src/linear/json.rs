//! Whether a history is linearizable, as JSON.

use super::{LinearRun, Lines};
use crate::json::pretty;
use crate::limits::limit_name;
use mazurka_linear::formats::{Ended, Judged};
use mazurka_linear::{OperationId, Violation};
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Serialize)]
struct View<'a> {
    trace: &'a str,
    specification: &'static str,
    verdict: &'static str,
    limit: Option<&'static str>,
    format: Option<&'static str>,
    operations: u64,
    unknown: u64,
    failed: u64,
    skipped: usize,
    unread: BTreeMap<&'a str, usize>,
    parts: Vec<PartView<'a>>,
}

#[derive(Serialize)]
struct PartView<'a> {
    key: Option<&'a str>,
    verdict: &'static str,
    limit: Option<&'static str>,
    operations: usize,
    configurations: u64,
    transitions: u64,
    seconds: f64,
    /// Lines of invocations.
    linearization: Option<Vec<usize>>,
    violation: Option<ViolationView>,
}

#[derive(Serialize)]
struct ViolationView {
    operation: OperationView,
    before: Vec<usize>,
    reason: Option<ReasonView>,
    shown: Vec<OperationView>,
}

#[derive(Serialize)]
struct ReasonView {
    text: String,
    operations: Vec<OperationView>,
}

#[derive(Serialize)]
struct OperationView {
    process: String,
    function: String,
    value: String,
    outcome: &'static str,
    returned: Option<String>,
    line: usize,
    end_line: Option<usize>,
}

/// The answers as one JSON object. Operations in orders are the lines of their invocations.
pub fn linear_json(run: &LinearRun<'_>) -> String {
    let lines = Lines::new(run.text);
    pretty(&View {
        trace: run.trace,
        specification: run.object.name(),
        verdict: run.verdict().name(),
        limit: run.limit.map(limit_name),
        format: run.recorded.map(|recorded| recorded.format),
        operations: run.count(|_| true),
        unknown: run.count(|ended| matches!(ended, Ended::Unknown | Ended::Never)),
        failed: run.count(|ended| *ended == Ended::Failed),
        skipped: run.recorded.map_or(0, |recorded| recorded.skipped),
        unread: (run.recorded.iter())
            .flat_map(|recorded| recorded.unread.iter().map(|(name, count)| (name.as_str(), *count)))
            .collect(),
        parts: run.judged.iter().map(|part| PartView::new(run, &lines, part)).collect(),
    })
}

impl<'a> PartView<'a> {
    fn new(run: &LinearRun<'_>, lines: &Lines, part: &'a Judged) -> Self {
        let outcome = &part.outcome;
        let order = |ids: &Vec<OperationId>| ids.iter().map(|id| line(run, lines, *id)).collect();
        Self {
            key: part.key.as_deref(),
            verdict: outcome.verdict.name(),
            limit: outcome.limit().map(limit_name),
            operations: part.operations.len(),
            configurations: outcome.statistics.states,
            transitions: outcome.statistics.transitions,
            seconds: outcome.statistics.time.as_secs_f64(),
            linearization: outcome.linearization.as_ref().map(order),
            violation: (outcome.violation.as_ref()).map(|violation| ViolationView::new(run, lines, part, violation)),
        }
    }
}

impl ViolationView {
    fn new(run: &LinearRun<'_>, lines: &Lines, part: &Judged, violation: &Violation) -> Self {
        let all = |ids: &[OperationId]| ids.iter().map(|id| OperationView::new(run, lines, *id)).collect();
        Self {
            operation: OperationView::new(run, lines, violation.operation),
            before: violation.before.iter().map(|id| line(run, lines, *id)).collect(),
            reason: violation.reason.as_ref().map(|reason| ReasonView {
                text: reason.text.clone(),
                operations: all(&reason.operations),
            }),
            shown: all(&run.relevant(part, violation)),
        }
    }
}

fn line(run: &LinearRun<'_>, lines: &Lines, id: OperationId) -> usize {
    lines.of(run.operation(id).offsets.0)
}

impl OperationView {
    fn new(run: &LinearRun<'_>, lines: &Lines, id: OperationId) -> Self {
        let operation = run.operation(id);
        let (outcome, returned) = match &operation.ended {
            Ended::Never => ("never", None),
            Ended::Unknown => ("unknown", None),
            Ended::Failed => ("failed", None),
            Ended::Returned(value) => ("returned", Some(value.to_string())),
        };
        Self {
            process: operation.process.to_string(),
            function: operation.function.clone(),
            value: operation.value.to_string(),
            outcome,
            returned,
            line: lines.of(operation.offsets.0),
            end_line: operation.offsets.1.map(|offset| lines.of(offset)),
        }
    }
}
