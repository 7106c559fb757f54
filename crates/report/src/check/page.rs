//! The page of a model: verdicts, the charts of the counterexamples, the source.
//!
//! Verdicts, charts and source are made here, so they are visible without scripts and
//! on paper. The scripts beside this file step through a counterexample, and show the
//! values of the variables after each step and its line in the source.

use super::chart::Chart;
use super::snapshots::{ShownSnapshot, shown_snapshots};
use super::text::reduction;
use super::{CheckedModel, place, process_name, steps};
use crate::amounts::{bytes, counted, duration, grouped};
use crate::limits::unanswered;
use crate::page::{self, embedded, visible};
use askama::Template;
use mazurka_core::End;
use mazurka_promela::verify::{PropertyResult, StepId, Verdict, Violation};
use mazurka_promela::{FileId, Span};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// The greatest number of charts.
const CHARTS: usize = 12;

const STYLE: [&str; 2] = [page::THEME, include_str!("page.css")];

/// The scripts, in the order in which they build on each other. They share one scope.
const SCRIPTS: [&str; 4] = [
    page::ELEMENTS,
    include_str!("steps.js"),
    include_str!("view.js"),
    include_str!("input.js"),
];

#[derive(Template)]
#[template(path = "check/page.html")]
struct Page<'a> {
    title: String,
    counts: Vec<String>,
    answers: Vec<Answer>,
    violated: Vec<Violated>,
    files: Vec<SourceFile>,
    /// The number of counterexamples, if not all have a chart.
    more: Option<String>,
    style: String,
    errors: &'a str,
    scripts: String,
    data: String,
}

/// A verdict, or one of the violations of a property.
struct Answer {
    /// The chart that shows it.
    chart: Option<usize>,
    verdict: &'static str,
    /// The class that gives the verdict its colours and its sign.
    tone: &'static str,
    sign: &'static str,
    name: String,
    kind: &'static str,
    summary: String,
    effort: String,
}

/// A counterexample.
struct Violated {
    number: usize,
    name: String,
    chart: Chart,
    snapshots: Vec<ShownSnapshot>,
}

struct SourceFile {
    number: u32,
    name: String,
    lines: Vec<SourceLine>,
}

struct SourceLine {
    number: usize,
    text: String,
    hit: bool,
    unreached: bool,
}

/// The data for the scripts.
#[derive(Serialize)]
struct Data {
    /// The values of the variables in the first state.
    initial: Vec<(String, String)>,
    violations: Vec<Steps>,
}

#[derive(Serialize)]
struct Steps {
    total: usize,
    cycle: Option<usize>,
    steps: Vec<Step>,
}

#[derive(Serialize)]
struct Step {
    number: usize,
    process: String,
    place: String,
    file: u32,
    line: u32,
    statement: String,
    effects: String,
    printed: String,
    /// The assignments of the omitted steps before this one.
    before: Vec<(String, String)>,
    changes: Vec<(String, String)>,
}

/// The page.
pub fn checked_html(view: &CheckedModel<'_>) -> String {
    let properties = &view.checked.properties;
    let all = || (properties.iter()).flat_map(|p| p.violations.iter().map(move |v| (p, v)));
    let violated: Vec<Violated> = all()
        .take(CHARTS)
        .enumerate()
        .map(|(number, (property, violation))| Violated {
            number,
            name: visible(&property.name),
            chart: Chart::of(view, violation),
            snapshots: shown_snapshots(violation),
        })
        .collect();
    let shown = |(name, value): &(String, String)| (visible(name), visible(value));
    let data = Data {
        initial: view.initial.iter().map(shown).collect(),
        violations: (all().zip(&violated))
            .map(|((_, violation), shown)| steps_of(view, violation, &shown.chart))
            .collect(),
    };
    let page = Page {
        title: visible(view.model),
        counts: counts(properties),
        answers: answers(view),
        files: files(view, all().next().map(|(_, violation)| violation)),
        more: (all().count() > CHARTS).then(|| grouped(all().count() as u64)),
        violated,
        style: STYLE.concat(),
        errors: page::ERRORS,
        scripts: SCRIPTS.concat(),
        data: embedded(&data),
    };
    page.render().expect("a string takes every page")
}

fn counts(properties: &[PropertyResult]) -> Vec<String> {
    let sum = |of: fn(&PropertyResult) -> u64| properties.iter().map(of).sum();
    let most = properties.iter().map(|p| p.statistics.bytes).max().unwrap_or(0);
    vec![
        counted(properties.len() as u64, "property", "properties"),
        counted(sum(|p| p.statistics.states), "state", "states"),
        counted(sum(|p| p.statistics.transitions), "transition", "transitions"),
        duration(properties.iter().map(|p| p.statistics.time).sum()),
        bytes(most),
    ]
}

fn answers(view: &CheckedModel<'_>) -> Vec<Answer> {
    let mut answers = Vec::new();
    let mut charts = 0..CHARTS;
    for property in &view.checked.properties {
        let (tone, sign) = match property.verdict {
            Verdict::Holds => ("good", "✓"),
            Verdict::Violated => ("bad", "✗"),
            Verdict::Inconclusive(_) => ("open", "?"),
        };
        let answer = |chart, summary| Answer {
            chart,
            verdict: property.verdict.name(),
            tone,
            sign,
            name: visible(&property.name),
            kind: property.kind.name(),
            summary,
            effort: effort(property),
        };
        for violation in &property.violations {
            let at = violation
                .location
                .map(|span| format!(" ({})", place(view.sources, span)));
            let summary = format!("{}{}", visible(&violation.message), visible(&at.unwrap_or_default()));
            answers.push(answer(charts.next(), summary));
        }
        if property.violations.is_empty() {
            answers.push(answer(None, summary(property)));
        }
    }
    answers
}

/// Remarks about a property without a violation.
fn summary(property: &PropertyResult) -> String {
    let mut parts = Vec::new();
    if let Some(reason) = &property.refusal {
        parts.push(format!("Not checked: {}.", visible(reason)));
    } else if let End::Limit(limit) = property.end {
        parts.push(unanswered(limit));
    }
    if let Some(note) = &property.reduction.note {
        parts.push(format!("Note: {}.", visible(note)));
    }
    parts.push(
        match property.reduction.persistent.is_some() || property.reduction.sleep {
            true => format!("Reduced by {}.", reduction(&property.reduction)),
            false => "Searched without reduction.".to_owned(),
        },
    );
    parts.join(" ")
}

fn effort(property: &PropertyResult) -> String {
    let statistics = &property.statistics;
    let parts = [
        counted(statistics.states, "state", "states"),
        counted(statistics.transitions, "transition", "transitions"),
        format!("depth {}", grouped(statistics.depth as u64)),
        duration(statistics.time),
    ];
    parts.join(" · ")
}

fn steps_of(view: &CheckedModel<'_>, violation: &Violation, chart: &Chart) -> Steps {
    let mut steps = Vec::new();
    let mut next = 0;
    for range in &chart.held {
        for k in range.clone() {
            steps.push(step_of(view, violation, StepId::new(k), next..k));
            next = k + 1;
        }
    }
    Steps {
        total: violation.steps.len(),
        cycle: violation.cycle_start.map(StepId::index),
        steps,
    }
}

fn step_of(view: &CheckedModel<'_>, violation: &Violation, id: StepId, before: std::ops::Range<usize>) -> Step {
    let step = violation.step(id);
    let shown = |(name, value): (&String, &String)| (visible(name), visible(value));
    let skipped = violation.steps[before].iter().flat_map(|s| &s.changes);
    let skipped: BTreeMap<&String, &String> = skipped.map(|(name, value)| (name, value)).collect();
    Step {
        number: id.number(),
        process: visible(&process_name(step)),
        place: visible(&place(view.sources, step.span)),
        file: step.span.file.0,
        line: view.sources.place(step.span).line,
        statement: visible(&step.statement),
        effects: steps::message(violation, id)
            .map(|text| visible(&text))
            .unwrap_or_default(),
        printed: visible(&step.printed),
        before: skipped.into_iter().map(shown).collect(),
        changes: step.changes.iter().map(|(name, value)| shown((name, value))).collect(),
    }
}

/// The files that the answers mention, beginning with the model. The lines of a violation and the lines that are never
/// reached are marked.
fn files(view: &CheckedModel<'_>, marked: Option<&Violation>) -> Vec<SourceFile> {
    let properties = &view.checked.properties;
    let line = |span: Span| (span.file, view.sources.place(span).line as usize);
    let hits: BTreeSet<_> = (marked.into_iter())
        .flat_map(|v| v.steps.iter().map(|step| line(step.span)).chain(v.location.map(line)))
        .collect();
    let unreached = properties.iter().find(|p| !p.unreached.is_empty());
    let unreached: BTreeSet<_> = (unreached.into_iter())
        .flat_map(|p| p.unreached.iter().map(|u| line(u.span)))
        .collect();
    let violations = || properties.iter().flat_map(|p| &p.violations);
    let spoken_of = violations().flat_map(|v| v.steps.iter().map(|s| s.span).chain(v.location));
    let mut files: BTreeSet<FileId> = spoken_of.map(|span| span.file).collect();
    files.extend(unreached.iter().map(|(file, _)| *file));
    files.insert(FileId(0));
    let file = |file: FileId| SourceFile {
        number: file.0,
        name: visible(view.sources.name(file)),
        lines: (view.sources.text(file).lines().enumerate())
            .map(|(k, text)| SourceLine {
                number: k + 1,
                text: visible(text),
                hit: hits.contains(&(file, k + 1)),
                unreached: unreached.contains(&(file, k + 1)),
            })
            .collect(),
    };
    files.into_iter().map(file).collect()
}

#[cfg(test)]
mod tests {
    use super::super::sample::Sample;
    use super::*;

    fn body(sample: &Sample) -> String {
        let html = checked_html(&sample.view());
        html.split("<script").next().unwrap().to_owned()
    }

    #[test]
    fn verdicts_chart_and_source_are_there_without_scripts() {
        let body = body(&Sample::handshake());
        for expected in [
            "<title>handshake.pml · mazurka check</title>",
            "the assertion `got == 2` fails (handshake.pml:10:3)",
            "1,234 states · 2,345 transitions · depth 56 · 12 ms",
            "Note: the formula is not stutter-invariant",
            ">assert(got == 2)</text>",
            "chan c = [1] of { byte };",
        ] {
            assert!(body.contains(expected), "no `{expected}`");
        }
        assert_eq!(body.matches("<g class=\"step ").count(), 5);
        assert_eq!(body.matches("class=\"line unreached\"").count(), 1);
        assert_eq!(body.matches("class=\"line hit").count(), 5);
    }

    #[test]
    fn a_model_without_violations_has_no_chart() {
        let mut sample = Sample::handshake();
        sample.checked.properties.remove(0);
        let body = body(&sample);
        assert!(!body.contains("<g class=\"step "));
        assert!(body.contains("Receiver()"));
    }

    #[test]
    fn values_of_steps_that_are_left_out_are_known() {
        let sample = Sample::long(100);
        let step = step_of(&sample.view(), sample.violation(), StepId::new(90), 50..90);
        let known: Vec<(&str, &str)> = (step.before.iter()).map(|(n, v)| (n.as_str(), v.as_str())).collect();
        assert_eq!(known, [("Receiver[1]:got", "89"), ("c", "[]")]);
    }

    #[test]
    fn only_so_many_charts() {
        let mut sample = Sample::handshake();
        let violations = &mut sample.checked.properties[0].violations;
        *violations = vec![violations[0].clone(); CHARTS + 3];
        let body = body(&sample);
        assert_eq!(body.matches("<div class=\"chart\"").count(), CHARTS);
        assert!(
            body.contains("The first 12 of 15 counterexamples have a chart"),
            "{body}"
        );
    }
}
