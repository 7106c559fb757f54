//! Answers as JSON.
//!
//! The shape is a contract. `cut` counts the executed events of each process; a
//! witness is a cut, or a history as the list of its cuts (`path`).

use super::assumption::AssumptionView;
use super::formula::FormulaView;
use super::pattern::PatternView;
use super::place::Records;
use super::{Detection, RecordedRun};
use crate::json::pretty;
use crate::limits::limit_name;
use crate::lint::FindingView;
use mazurka_core::Limit;
use mazurka_trace::{Answer, Computation, Event, Finding, Method, Modality, ProcessId, Question, Witness};
use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::time::Duration;

/// What was found out about the only execution of an input.
pub fn detection_json(detection: &Detection<'_>) -> String {
    pretty(&RunView::new(detection, Some(detection.run.trace)))
}

/// What was found out about the executions of an input.
/// `warnings` are those about the whole input.
pub fn executions_json(trace: &str, detections: &[Detection<'_>], warnings: &[Finding]) -> String {
    #[derive(Serialize)]
    struct View<'a> {
        trace: &'a str,
        warnings: Vec<FindingView<'a>>,
        executions: Vec<RunView<'a>>,
    }
    pretty(&View {
        trace,
        warnings: warnings.iter().map(FindingView::new).collect(),
        executions: detections.iter().map(|d| RunView::new(d, None)).collect(),
    })
}

#[derive(Serialize)]
struct RunView<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    execution: Option<ExecutionView<'a>>,
    format: &'static str,
    processes: usize,
    events: u64,
    #[serde(skip_serializing_if = "is_zero")]
    holes: usize,
    #[serde(flatten)]
    cuts: Option<CutsView>,
    warnings: Vec<FindingView<'a>>,
    queries: Vec<AssumingView<'a>>,
}

/// Anything that is asked.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum AnyView<'a> {
    Query(QueryView<'a>),
    Formula(FormulaView<'a>),
    Pattern(PatternView<'a>),
}

/// A query, and what its answer rests on besides the records.
#[derive(Serialize)]
struct AssumingView<'a> {
    #[serde(flatten)]
    query: AnyView<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    assumes: Option<AssumptionView>,
}

#[derive(Serialize)]
struct ExecutionView<'a> {
    number: usize,
    name: Option<&'a str>,
}

#[derive(Serialize)]
struct CutsView {
    cuts: Option<u64>,
    /// A lower bound on the number.
    #[serde(skip_serializing_if = "Option::is_none")]
    counted: Option<u64>,
    limit: Option<&'static str>,
}

fn is_zero(n: &usize) -> bool {
    *n == 0
}

impl<'a> RunView<'a> {
    fn new(detection: &Detection<'a>, trace: Option<&'a str>) -> Self {
        let run = detection.run;
        Self {
            trace,
            execution: run.execution.map(|(number, name)| ExecutionView { number, name }),
            format: run.format.name(),
            processes: run.computation.processes(),
            events: run.computation.causality().total(),
            holes: run.computation.holes().len(),
            cuts: detection.found.cuts.map(|cuts| CutsView {
                cuts: cuts.limit.is_none().then_some(cuts.counted),
                counted: cuts.limit.map(|_| cuts.counted),
                limit: cuts.limit.map(limit_name),
            }),
            warnings: detection.warnings.iter().map(FindingView::new).collect(),
            queries: (detection.found.answers.iter())
                .map(|(question, answer)| AnyView::Query(QueryView::new(run, question, answer)))
                .chain(
                    (detection.found.formulas.iter())
                        .map(|(formula, answer)| AnyView::Formula(FormulaView::new(formula, answer))),
                )
                .chain(
                    (detection.found.patterns.iter())
                        .map(|(pattern, answer)| AnyView::Pattern(PatternView::new(run, pattern, answer))),
                )
                .map(|query| AssumingView {
                    query,
                    assumes: AssumptionView::of(run.computation),
                })
                .collect(),
        }
    }
}

/// A query and its answer.
#[derive(Serialize)]
pub(super) struct QueryView<'a> {
    pub(super) modality: String,
    pub(super) predicate: &'a str,
    pub(super) answer: Option<bool>,
    pub(super) verdict: Option<&'static str>,
    pub(super) method: String,
    pub(super) states: u64,
    pub(super) transitions: u64,
    pub(super) seconds: f64,
    pub(super) witness: Option<WitnessView<'a>>,
    pub(super) limit: Option<&'static str>,
    pub(super) remarks: &'a [String],
}

impl<'a> QueryView<'a> {
    /// A query that was not answered within this time.
    pub(super) fn unanswered(question: &'a Question, limit: Option<Limit>, time: Duration) -> Self {
        Self {
            modality: question.modality.to_string(),
            predicate: question.predicate.text(),
            answer: None,
            verdict: verdict(question.modality, None),
            method: Method::Auto.to_string(),
            states: 0,
            transitions: 0,
            seconds: time.as_secs_f64(),
            witness: None,
            limit: limit.map(limit_name),
            remarks: &[],
        }
    }

    fn new(run: RecordedRun<'a>, question: &'a Question, answer: &'a Answer) -> Self {
        Self {
            modality: question.modality.to_string(),
            predicate: question.predicate.text(),
            answer: answer.verdict.truth(),
            verdict: verdict(question.modality, answer.verdict.truth()),
            method: answer.method.to_string(),
            states: answer.statistics.states,
            transitions: answer.statistics.transitions,
            seconds: answer.statistics.time.as_secs_f64(),
            witness: answer.witness.as_ref().map(|witness| WitnessView::new(run, witness)),
            limit: answer.limit().map(limit_name),
            remarks: &answer.remarks,
        }
    }
}

/// The verdict on a requirement. A mere question has none.
pub(super) fn verdict(modality: Modality, answer: Option<bool>) -> Option<&'static str> {
    modality.is_requirement().then(|| super::verdict(modality, answer))
}

/// What shows an answer.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum WitnessView<'a> {
    Cut {
        cut: CutView<'a>,
        variables: BTreeMap<&'a str, BTreeMap<&'a str, serde_json::Value>>,
        records: BTreeMap<&'a str, RecordView>,
        minimal: bool,
        observed: Option<bool>,
        run: Vec<&'a str>,
    },
    /// A cut of a run that goes on.
    Sighting {
        cut: &'a BTreeMap<String, u32>,
        variables: BTreeMap<&'a str, BTreeMap<&'a str, serde_json::Value>>,
    },
    Path {
        path: PathView<'a>,
    },
}

/// The record of the last event of a process in a cut.
#[derive(Serialize)]
pub(super) struct RecordView {
    event: u32,
    file: String,
    line: Option<u64>,
    text: Option<String>,
}

impl<'a> WitnessView<'a> {
    fn new(run: RecordedRun<'a>, witness: &'a Witness) -> Self {
        let computation = run.computation;
        match witness {
            Witness::Path(path) => Self::Path {
                path: PathView { computation, path },
            },
            Witness::Cut {
                cut,
                minimal,
                run: events,
                observed,
            } => {
                let last = |p: ProcessId| Event::new(p, cut[p.index()]);
                let records = Records::of(run, computation.process_ids().map(last));
                let record = |p: ProcessId| {
                    let (file, line) = records.spot(last(p))?;
                    let text = records.text(last(p));
                    let event = cut[p.index()];
                    let view = RecordView {
                        event,
                        file,
                        line,
                        text,
                    };
                    Some((computation.name(p), view))
                };
                let variables = |p: ProcessId| {
                    let state = computation.local_state(p, cut[p.index()]).into_iter();
                    let state = state.map(|(name, value)| (name, value.to_json()));
                    (computation.name(p), state.collect())
                };
                Self::Cut {
                    cut: CutView { computation, cut },
                    variables: computation.process_ids().map(variables).collect(),
                    records: computation.process_ids().filter_map(record).collect(),
                    minimal: *minimal,
                    observed: *observed,
                    run: events.iter().map(|e| computation.name(e.process)).collect(),
                }
            }
        }
    }
}

/// A cut, by the names of the processes. Nothing is copied, because paths are long.
pub(super) struct CutView<'a> {
    computation: &'a Computation,
    cut: &'a [u32],
}

impl Serialize for CutView<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.cut.len()))?;
        for (name, events) in self.computation.names().iter().zip(self.cut) {
            map.serialize_entry(name, events)?;
        }
        map.end()
    }
}

pub(super) struct PathView<'a> {
    computation: &'a Computation,
    path: &'a [Vec<u32>],
}

impl<'a> PathView<'a> {
    pub(super) fn new(computation: &'a Computation, path: &'a [Vec<u32>]) -> Self {
        Self { computation, path }
    }
}

impl Serialize for PathView<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.path.len()))?;
        for cut in self.path {
            list.serialize_element(&CutView {
                computation: self.computation,
                cut,
            })?;
        }
        list.end()
    }
}
