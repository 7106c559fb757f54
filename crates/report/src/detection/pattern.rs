//! Answers about orders of events: sequences of conditions, and formulas over all histories.

use super::RecordedRun;
use super::events::{Ends, events_text};
use super::json::PathView;
use crate::TextOptions;
use crate::amounts::{counted, duration};
use crate::limits::{limit_name, unanswered_query};
use crate::line::one_line;
use crate::space_time::AnswerView;
use crate::style::{FAINT, of_verdict, styled};
use mazurka_core::{Limit, ProcessId};
use mazurka_trace::{Event, Pattern, PatternAnswer, PatternModality, PatternOrder};
use serde::Serialize;
use std::time::Duration;

/// The verdict on a question, in a word.
fn verdict(modality: PatternModality, answer: Option<bool>) -> &'static str {
    match (modality.is_requirement(), answer) {
        (_, None) => "inconclusive",
        (true, Some(true)) => "holds",
        (true, Some(false)) => "violated",
        (false, Some(true)) => "yes",
        (false, Some(false)) => "no",
    }
}

/// What an answer means, in a sentence; `found` says that some order shows it.
fn meaning(modality: PatternModality, found: bool) -> &'static str {
    use PatternModality::{AlwaysLtl, DefinitelyLtl, NeverLtl, NeverSequence, PossiblyLtl, PossiblySequence};
    match (modality, found) {
        (PossiblySequence | NeverSequence, true) => "The run could have passed through these states in turn.",
        (PossiblySequence | NeverSequence, false) => "No order of the events passes through these states in turn.",
        (PossiblyLtl | NeverLtl, true) => "The run could have happened in an order that satisfies it.",
        (PossiblyLtl | NeverLtl, false) => "No order of the events satisfies it.",
        (DefinitelyLtl | AlwaysLtl, true) => "The run could have happened in an order that does not satisfy it.",
        (DefinitelyLtl | AlwaysLtl, false) => "Every order of the events satisfies it.",
    }
}

/// Whether the answer is that there is such an order as was searched for.
fn is_found(modality: PatternModality, answer: bool) -> bool {
    use PatternModality::{PossiblyLtl, PossiblySequence};
    answer == matches!(modality, PossiblySequence | PossiblyLtl)
}

/// The verdict and the question.
pub(super) fn pattern_line(pattern: &Pattern, answer: Option<bool>) -> String {
    let verdict = verdict(pattern.modality(), answer);
    format!(
        "{}: {} {}\n",
        styled(of_verdict(verdict), verdict),
        pattern.modality(),
        one_line(&pattern.text())
    )
}

/// The answer as text.
pub fn pattern_text(run: RecordedRun<'_>, pattern: &Pattern, answer: &PatternAnswer, options: &TextOptions) -> String {
    let truth = answer.verdict.truth();
    let mut text = pattern_line(pattern, truth);
    if let Some(limit) = answer.limit() {
        text += &format!("  {}\n", unanswered_query(limit));
    }
    if let Some(truth) = truth {
        text += &format!(
            "  {}\n",
            meaning(pattern.modality(), is_found(pattern.modality(), truth))
        );
    }
    if let Some(order) = &answer.order {
        text += &order_text(run, pattern, order, options);
    }
    if options.verbose {
        for remark in &answer.remarks {
            text += &format!("  {}\n", styled(FAINT, &one_line(remark)));
        }
    }
    let effort = format!(
        "method {}, {}, {}, {}",
        answer.method,
        counted(answer.statistics.states, "state", "states"),
        counted(answer.statistics.transitions, "transition", "transitions"),
        duration(answer.statistics.time),
    );
    text + &format!("  {}\n", styled(FAINT, &effort))
}

/// The order, and where the parts of a sequence are reached.
fn order_text(run: RecordedRun<'_>, pattern: &Pattern, order: &PatternOrder, options: &TextOptions) -> String {
    let events = events_of(order);
    let mut text = match events.len() {
        0 => "  There is no event.\n".to_owned(),
        n => format!("  One such order of the {}:\n", counted(n as u64, "event", "events")),
    };
    text += &events_text(run, &events, Ends::Both, options);
    for line in reached_lines(pattern, order) {
        text += &format!("  {line}\n");
    }
    text
}

/// Where each part of a sequence is reached, in words.
fn reached_lines<'a>(pattern: &'a Pattern, order: &'a PatternOrder) -> impl Iterator<Item = String> + 'a {
    let parts = order.reached.iter().zip(pattern.texts());
    parts.map(|(events, part)| match events {
        0 => format!("in the beginning: {}", one_line(part)),
        n => format!("after {}: {}", counted(*n as u64, "event", "events"), one_line(part)),
    })
}

/// The events of an order.
fn events_of(order: &PatternOrder) -> Vec<Event> {
    let step = |pair: &[Vec<u32>]| {
        let p = pair[0].iter().zip(&pair[1]).position(|(a, b)| a != b)?;
        Some(Event::new(ProcessId::new(p), pair[1][p]))
    };
    order.path.windows(2).filter_map(step).collect()
}

/// The answer for the page of the run.
pub fn pattern_view(pattern: &Pattern, answer: &PatternAnswer) -> AnswerView {
    let truth = answer.verdict.truth();
    let summary = truth.map_or("There is no answer.".to_owned(), |truth| {
        let meaning = meaning(pattern.modality(), is_found(pattern.modality(), truth));
        let reached = answer.order.iter().flat_map(|order| reached_lines(pattern, order));
        let reached: Vec<String> = reached.collect();
        match reached.is_empty() {
            true => meaning.to_owned(),
            false => format!("{meaning} Here: {}.", reached.join("; ")),
        }
    });
    AnswerView {
        modality: pattern.modality().to_string(),
        predicate: pattern.text(),
        verdict: match verdict(pattern.modality(), truth) {
            "yes" => "true",
            "no" => "false",
            other => other,
        }
        .to_owned(),
        summary,
        method: answer.method.to_string(),
        states: answer.statistics.states,
        transitions: answer.statistics.transitions,
        path: answer.order.as_ref().map(|order| order.path.clone()),
        ..AnswerView::default()
    }
}

/// The answer for scripts.
#[derive(Serialize)]
pub(super) struct PatternView<'a> {
    modality: String,
    predicate: String,
    /// The parts of a sequence.
    #[serde(skip_serializing_if = "Option::is_none")]
    sequence: Option<Vec<&'a str>>,
    answer: Option<bool>,
    verdict: Option<&'static str>,
    method: String,
    states: u64,
    transitions: u64,
    seconds: f64,
    witness: Option<OrderView<'a>>,
    limit: Option<&'static str>,
    remarks: &'a [String],
}

#[derive(Serialize)]
struct OrderView<'a> {
    path: PathView<'a>,
    /// Whose the events are, one by one.
    order: Vec<&'a str>,
    /// After how many events each part of a sequence is reached.
    #[serde(skip_serializing_if = "<[usize]>::is_empty")]
    reached: &'a [usize],
}

impl<'a> PatternView<'a> {
    /// A question that was not answered within this time.
    pub(super) fn unanswered(pattern: &'a Pattern, limit: Option<Limit>, time: Duration) -> Self {
        let modality = pattern.modality();
        let is_sequence = matches!(
            modality,
            PatternModality::PossiblySequence | PatternModality::NeverSequence
        );
        Self {
            modality: modality.to_string(),
            predicate: pattern.text(),
            sequence: is_sequence.then(|| pattern.texts()),
            answer: None,
            verdict: modality.is_requirement().then_some("inconclusive"),
            method: mazurka_trace::Method::Auto.to_string(),
            states: 0,
            transitions: 0,
            seconds: time.as_secs_f64(),
            witness: None,
            limit: limit.map(limit_name),
            remarks: &[],
        }
    }

    pub(super) fn new(run: RecordedRun<'a>, pattern: &'a Pattern, answer: &'a PatternAnswer) -> Self {
        let (modality, truth) = (pattern.modality(), answer.verdict.truth());
        let computation = run.computation;
        Self {
            answer: truth,
            verdict: modality.is_requirement().then(|| verdict(modality, truth)),
            method: answer.method.to_string(),
            states: answer.statistics.states,
            transitions: answer.statistics.transitions,
            witness: answer.order.as_ref().map(|order| OrderView {
                path: PathView::new(computation, &order.path),
                order: events_of(order).iter().map(|e| computation.name(e.process)).collect(),
                reached: &order.reached,
            }),
            remarks: &answer.remarks,
            ..Self::unanswered(pattern, answer.limit(), answer.statistics.time)
        }
    }
}
