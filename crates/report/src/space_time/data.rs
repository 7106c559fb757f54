//! The data for the scripts of the page, as compact JSON.
//!
//! Texts that recur (labels, values, names of variables) are kept once and
//! referred to by number. An execution is kept as the changes of each step.

use super::layout;
use super::window::Window;
use super::{AnswerView, SpaceTime};
use crate::page::{embedded, visible};
use mazurka_trace::{Computation, ProcessId, ValueId};
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};

#[derive(Serialize)]
struct Data {
    processes: Vec<Process>,
    /// The number of ranks.
    ranks: u32,
    variables: Vec<String>,
    values: Vec<String>,
    labels: Vec<String>,
    answers: Vec<Answer>,
    selected: usize,
}

#[derive(Serialize)]
struct Process {
    name: String,
    /// The number of all its events.
    events: u32,
    /// The events that the page holds: the first and the last of each stretch.
    ranges: Vec<(u32, u32)>,
    /// For each event that the page holds: its rank, its label, the text of its record.
    ranks: Vec<u32>,
    labels: Vec<u32>,
    records: Vec<Option<String>>,
    /// The record of the initial state.
    initial: Option<String>,
    /// For each cause in turn: the event, then the process and the event of the cause.
    causes: Vec<u32>,
    /// For each variable: the variable, then event and value in turn.
    columns: Vec<(u32, Vec<u32>)>,
    /// Events that the input lacks.
    holes: Vec<u32>,
}

#[derive(Serialize)]
struct Answer {
    cut: Option<Vec<u32>>,
    /// The execution: its first cut, and for each step the processes that move and their new positions.
    start: Option<Vec<u32>>,
    steps: Vec<Vec<u32>>,
}

/// Texts, each once.
#[derive(Default)]
struct Texts {
    texts: Vec<String>,
    numbers: HashMap<String, u32>,
}

impl Texts {
    fn number(&mut self, text: &str) -> u32 {
        if let Some(&number) = self.numbers.get(text) {
            return number;
        }
        let number = number(self.texts.len());
        self.texts.push(visible(text));
        self.numbers.insert(text.to_owned(), number);
        number
    }
}

/// The data of a page that holds the events of a window.
pub(super) fn json(view: &SpaceTime, window: &Window, selected: usize) -> String {
    let computation = view.computation;
    let order = computation.causality();
    let all_ranks = layout::ranks(order);
    let mut ranks: Vec<Vec<u32>> = computation
        .process_ids()
        .map(|p| window.events(p).map(|k| all_ranks[p.index()][k as usize]).collect())
        .collect();
    let highest = layout::renumber(&mut ranks);

    let (mut labels, mut values) = (Texts::default(), Texts::default());
    let mut value_numbers: HashMap<ValueId, u32> = HashMap::new();
    let mut holes: BTreeMap<ProcessId, Vec<u32>> = BTreeMap::new();
    for hole in computation.holes() {
        holes.entry(hole.process).or_default().push(hole.index);
    }
    let record = |p, k| computation.place(p, k).and_then(view.record_text).map(|t| visible(&t));
    let process = |(p, ranks): (ProcessId, Vec<u32>)| Process {
        name: visible(computation.name(p)),
        events: order.events(p),
        ranges: window.ranges[p.index()].clone(),
        ranks,
        labels: window
            .events(p)
            .map(|k| labels.number(computation.label(p, k)))
            .collect(),
        records: window.events(p).map(|k| record(p, k)).collect(),
        initial: record(p, 0),
        causes: window
            .events(p)
            .flat_map(|k| {
                order
                    .causes(p, k)
                    .iter()
                    .map(move |c| [k, number(c.process.index()), c.index])
            })
            .flatten()
            .collect(),
        columns: columns(computation, window, p, |id| {
            *value_numbers
                .entry(id)
                .or_insert_with(|| values.number(&computation.value_of(id).to_string()))
        }),
        holes: holes.remove(&p).unwrap_or_default(),
    };
    let processes = computation.process_ids().zip(ranks).map(process).collect();
    let data = Data {
        processes,
        ranks: highest,
        variables: computation.variables().iter().map(|v| visible(v)).collect(),
        values: values.texts,
        labels: labels.texts,
        answers: view.answers.iter().map(|a| answer(computation, window, a)).collect(),
        selected,
    };
    embedded(&data)
}

/// The assignments by a process that the local states around its events in the window need.
fn columns(
    computation: &Computation,
    window: &Window,
    process: ProcessId,
    mut number: impl FnMut(ValueId) -> u32,
) -> Vec<(u32, Vec<u32>)> {
    let variables = computation.variables().iter().enumerate();
    let columns = variables.filter_map(|(v, name)| {
        let assignments = computation.assignments(process, computation.variable(name)?);
        let mut kept = Vec::new();
        let mut next = 0;
        // A stretch needs what it assigns and the last assignment before it.
        let whole = [(0, 0)];
        let ranges = &window.ranges[process.index()];
        for &(from, to) in if ranges.is_empty() { &whole[..] } else { ranges } {
            let first = assignments.partition_point(|(event, _)| *event < from);
            let end = assignments.partition_point(|(event, _)| *event <= to);
            for &(event, value) in &assignments[first.saturating_sub(1).max(next)..end] {
                kept.extend([event, number(value)]);
            }
            next = end;
        }
        (!kept.is_empty()).then_some((self::number(v), kept))
    });
    columns.collect()
}

fn answer(computation: &Computation, window: &Window, answer: &AnswerView) -> Answer {
    let path = window.part(computation, answer.execution(computation).unwrap_or_default());
    let step = |pair: &[Vec<u32>]| {
        let moves = (0..pair[1].len()).filter(|&p| pair[0][p] != pair[1][p]);
        moves.flat_map(|p| [number(p), pair[1][p]]).collect()
    };
    Answer {
        cut: answer.witness(computation).map(<[u32]>::to_vec),
        start: path.first().cloned(),
        steps: path.windows(2).map(step).collect(),
    }
}

/// A number of a process, a variable or a text as pages have it.
fn number(index: usize) -> u32 {
    u32::try_from(index).expect("a page has at most 4,294,967,295 texts")
}

#[cfg(test)]
mod tests {
    use super::*;
    use mazurka_trace::{Place, Recorder, Recording, Sink, Value};

    fn parsed(limit: u64, answers: &[AnswerView]) -> serde_json::Value {
        let mut recorder = Recorder::new(Recording::default());
        let p = recorder.process("<p>");
        for k in 0..100 {
            recorder.event(p, Place::NOWHERE);
            recorder.label("tick & tock");
            if k % 10 == 0 {
                recorder.set("x", Value::Int(k));
            }
        }
        let q = recorder.process("q");
        recorder.event(q, Place::NOWHERE);
        recorder.after(mazurka_trace::Event::new(p, 50));
        let computation = recorder.finish().unwrap();
        let view = SpaceTime {
            title: "t",
            computation: &computation,
            answers,
            warnings: &[],
            record_text: &|_| None,
        };
        let json = json(&view, &Window::of(&computation, answers, limit), 0);
        assert!(!json.contains(['<', '>', '&']));
        serde_json::from_str(&json).unwrap()
    }

    #[test]
    fn texts_are_kept_once() {
        let data = parsed(1000, &[]);
        assert_eq!(data["processes"][0]["name"], "<p>");
        assert_eq!(data["labels"], serde_json::json!(["tick & tock", ""]));
        assert_eq!(data["ranks"], 100);
        assert_eq!(data["processes"][1]["ranks"], serde_json::json!([51]));
        assert_eq!(data["processes"][1]["causes"], serde_json::json!([1, 0, 50]));
    }

    #[test]
    fn a_window_knows_the_values_that_were_assigned_before_it() {
        let answers = [AnswerView {
            cut: Some(vec![37, 0]),
            ..AnswerView::default()
        }];
        let data = parsed(8, &answers);
        assert_eq!(data["processes"][0]["ranges"], serde_json::json!([[36, 39]]));
        // x is 30 since event 31; no second value is needed.
        assert_eq!(data["values"], serde_json::json!(["30"]));
        assert_eq!(data["processes"][0]["columns"], serde_json::json!([[0, [31, 0]]]));
        // Event 1 of q has rank 51, which becomes 5 when ranks are numbered again.
        assert_eq!(data["processes"][1]["ranks"], serde_json::json!([5]));
    }

    #[test]
    fn an_execution_is_what_its_steps_change() {
        let path = vec![vec![0, 0], vec![1, 0], vec![3, 1]];
        let answers = [AnswerView {
            path: Some(path),
            ..AnswerView::default()
        }];
        let data = parsed(1000, &answers);
        assert_eq!(data["answers"][0]["start"], serde_json::json!([0, 0]));
        assert_eq!(data["answers"][0]["steps"], serde_json::json!([[0, 1], [0, 3, 1, 1]]));
    }
}
