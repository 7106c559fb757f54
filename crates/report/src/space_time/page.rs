//! The page around the diagram: verdicts, the tables of the cuts, style and scripts.

use super::window::Window;
use super::{AnswerView, SpaceTime, data};
use crate::amounts::{counted, grouped};
use crate::page::{self, visible};
use askama::Template;
use mazurka_trace::{Computation, ProcessId};

/// The number of steps of an execution that are listed. The slider has more.
const LISTED: usize = 500;

const STYLE: [&str; 2] = [page::THEME, include_str!("page.css")];

/// The scripts, in the order in which they build on each other. They share one scope.
const SCRIPTS: [&str; 13] = [
    page::ELEMENTS,
    include_str!("run.js"),
    include_str!("view.js"),
    include_str!("places.js"),
    include_str!("draw.js"),
    include_str!("arrows.js"),
    include_str!("events.js"),
    include_str!("labels.js"),
    include_str!("overview.js"),
    include_str!("panel.js"),
    include_str!("cut.js"),
    include_str!("input.js"),
    include_str!("start.js"),
];

#[derive(Template)]
#[template(path = "space_time/page.html")]
struct Page<'a> {
    title: String,
    processes: String,
    events: String,
    messages: String,
    /// The number of events that the page holds, if not all.
    held: Option<String>,
    warnings: Vec<String>,
    answers: Vec<Answer>,
    style: String,
    errors: &'a str,
    scripts: String,
    data: String,
}

struct Answer {
    number: usize,
    selected: bool,
    modality: String,
    predicate: String,
    verdict: String,
    /// The class that gives the verdict its colours and its sign.
    tone: &'static str,
    sign: &'static str,
    summary: String,
    effort: String,
    /// Whether the observed order passed through the witness, as a sentence.
    observed: Option<&'static str>,
    cut: Option<Vec<Row>>,
    path: bool,
    steps: Vec<String>,
    more_steps: Option<String>,
    /// The number of steps of the slider, and of the execution if the slider does not have all.
    slider: Option<(String, String)>,
}

/// A local state of a cut.
struct Row {
    process: String,
    state: u32,
    label: String,
    record: Option<String>,
    variables: Vec<Variable>,
}

struct Variable {
    name: String,
    value: String,
    changed: bool,
}

/// The page with about `limit` events.
pub(super) fn render(view: &SpaceTime, limit: u64) -> String {
    let computation = view.computation;
    let order = computation.causality();
    let window = Window::of(computation, view.answers, limit);
    let selected = selected(computation, view.answers);
    let messages = order
        .process_ids()
        .flat_map(|p| (1..=order.events(p)).map(move |k| (p, k)));
    let messages: usize = messages.map(|(p, k)| order.causes(p, k).len()).sum();
    let answers = view.answers.iter().enumerate();
    let page = Page {
        title: visible(view.title),
        processes: counted(computation.processes() as u64, "process", "processes"),
        events: counted(order.total(), "event", "events"),
        messages: counted(messages as u64, "message", "messages"),
        held: (window.total() < order.total()).then(|| grouped(window.total())),
        warnings: view.warnings.iter().map(|finding| visible(&finding.message)).collect(),
        answers: answers
            .map(|(k, a)| answer(view, &window, k, a, k == selected))
            .collect(),
        style: STYLE.concat(),
        errors: page::ERRORS,
        scripts: SCRIPTS.concat(),
        data: data::json(view, &window, selected),
    };
    page.render().expect("a string takes every page")
}

/// The answer to show first: a violation, or else one with something to see.
fn selected(computation: &Computation, answers: &[AnswerView]) -> usize {
    let shown = |a: &AnswerView| a.witness(computation).is_some() || a.execution(computation).is_some();
    let violated = answers.iter().position(|a| a.verdict == "violated" && shown(a));
    violated.or_else(|| answers.iter().position(shown)).unwrap_or(0)
}

fn answer(view: &SpaceTime, window: &Window, number: usize, answer: &AnswerView, selected: bool) -> Answer {
    let computation = view.computation;
    let (tone, sign) = match answer.verdict.as_str() {
        "holds" => ("good", "✓"),
        "violated" => ("bad", "✗"),
        "true" => ("yes", "●"),
        "false" => ("no", "○"),
        _ => ("open", "?"),
    };
    let mut effort = vec![visible(&answer.method)];
    if answer.states > 0 || answer.transitions > 0 {
        effort.push(counted(answer.states, "state", "states"));
        effort.push(counted(answer.transitions, "transition", "transitions"));
    }
    effort.retain(|text| !text.is_empty());
    let path = answer.execution(computation);
    let cut = answer.witness(computation).or(path.map(|path| path[0].as_slice()));
    let steps = path.unwrap_or_default();
    let held = window.part(computation, steps).len();
    let listed = steps
        .windows(2)
        .take(LISTED)
        .map(|pair| step(computation, &pair[0], &pair[1]));
    Answer {
        number,
        selected,
        modality: visible(&answer.modality),
        predicate: visible(&answer.predicate),
        verdict: visible(&answer.verdict),
        tone,
        sign,
        summary: visible(&answer.summary),
        effort: effort.join(" · "),
        observed: answer.observed.map(|passed| match passed {
            true => "The order in which the records were written passed through this cut.",
            false => {
                "The order in which the records were written did not pass through this cut; \
                 another order of the same events does."
            }
        }),
        cut: cut.map(|cut| {
            computation
                .process_ids()
                .zip(cut)
                .map(|(p, &k)| row(view, p, k))
                .collect()
        }),
        path: path.is_some(),
        steps: listed.collect(),
        slider: (held < steps.len()).then(|| (grouped(held.saturating_sub(1) as u64), grouped(steps.len() as u64 - 1))),
        more_steps: steps.len().checked_sub(LISTED + 2).map(|more| grouped(more as u64 + 1)),
    }
}

/// What a step of an execution does.
fn step(computation: &Computation, from: &[u32], to: &[u32]) -> String {
    let moved = |p: &ProcessId| from[p.index()] != to[p.index()];
    let moves = computation.process_ids().filter(moved).map(|p| {
        let (name, event) = (visible(computation.name(p)), to[p.index()]);
        match visible(computation.label(p, event)) {
            label if label.is_empty() => format!("{name}: event {event}"),
            label => format!("{name}: event {event}, {label}"),
        }
    });
    moves.collect::<Vec<_>>().join("; ")
}

fn row(view: &SpaceTime, process: ProcessId, state: u32) -> Row {
    let computation = view.computation;
    let assigned = computation.assigned_by(process, state);
    let variables = computation.local_state(process, state).into_iter();
    Row {
        process: visible(computation.name(process)),
        state,
        label: match state {
            0 => "initial state".to_owned(),
            _ => visible(computation.label(process, state)),
        },
        record: computation
            .place(process, state)
            .and_then(view.record_text)
            .map(|t| visible(&t)),
        variables: variables
            .map(|(name, value)| Variable {
                name: visible(name),
                value: visible(&value.to_string()),
                changed: state > 0 && assigned.contains_key(name),
            })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mazurka_trace::{Place, Recorder, Recording, Sink, Value};

    fn page(answers: &[AnswerView], limit: u64) -> String {
        let mut recorder = Recorder::new(Recording::default());
        for name in ["a", "b"] {
            let p = recorder.process(name);
            for k in 1..=4 {
                recorder.event(p, Place::NOWHERE);
                recorder.label("go");
                recorder.set("x", Value::Int(k));
            }
        }
        let view = SpaceTime {
            title: "run.jsonl",
            computation: &recorder.finish().unwrap(),
            answers,
            warnings: &[],
            record_text: &|_| None,
        };
        render(&view, limit)
    }

    #[test]
    fn verdicts_and_cuts_are_there_without_scripts() {
        let html = page(
            &[AnswerView {
                modality: "never".into(),
                predicate: "a.x == 2 && b.x == 3".into(),
                verdict: "violated".into(),
                cut: Some(vec![2, 3]),
                observed: Some(false),
                ..AnswerView::default()
            }],
            100,
        );
        let body = html.split("<script").next().unwrap();
        assert!(body.contains("<title>run.jsonl"));
        assert!(body.contains("a.x == 2 &#38;&#38; b.x == 3"));
        assert!(body.contains("violated") && body.contains("did not pass through this cut"));
        assert!(body.contains("2 processes") && body.contains("8 events") && body.contains("0 messages"));
        assert_eq!(body.matches("<tr>").count(), 3, "a head and a row for each process");
    }

    #[test]
    fn a_page_that_holds_only_some_events_says_so() {
        assert!(!page(&[], 8).contains("This page holds"));
        assert!(page(&[], 7).contains("This page holds 4 of the 8 events"));
    }

    #[test]
    fn the_first_answer_with_something_to_see_is_shown() {
        let plain = AnswerView::default();
        let shown = AnswerView {
            verdict: "true".into(),
            path: Some(vec![vec![0, 0], vec![0, 1]]),
            ..AnswerView::default()
        };
        let wrong = AnswerView {
            verdict: "violated".into(),
            ..shown.clone()
        };
        let data = |answers: &[AnswerView]| page(answers, 100);
        assert!(data(&[plain.clone(), shown.clone()]).contains("\"selected\":1"));
        assert!(data(&[plain.clone(), shown, wrong]).contains("\"selected\":2"));
        assert!(data(&[plain]).contains("\"selected\":0"));
    }

    #[test]
    fn long_executions_are_listed_in_part() {
        let path: Vec<Vec<u32>> = (0..LISTED + 11).map(|k| vec![k as u32 % 2, 0]).collect();
        let answer = AnswerView {
            path: Some(path),
            ..AnswerView::default()
        };
        let html = page(&[answer], 100);
        assert_eq!(html.matches("<li data-step=").count(), LISTED);
        assert!(html.contains("and 10 more steps"));
    }
}
