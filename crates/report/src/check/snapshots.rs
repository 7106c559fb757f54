//! The snapshots of a formula in a counterexample.
//!
//! A snapshot that is passed is shown by an equivalent order of the steps, in which the state where it holds is
//! marked. A snapshot that is missing is shown by the conjuncts that held together, and those that never did.

use super::{CheckedModel, line, process_name};
use crate::TextOptions;
use crate::amounts::{counted, grouped};
use crate::line::{one_line, padding, shortened, width};
use crate::page::visible;
use crate::style::{FAINT, NAME, styled};
use mazurka_promela::verify::{MissingSnapshot, SnapshotFinding, SnapshotOutcome, StepId, Violation};
use serde::Serialize;

/// The number of steps that are shown before and after the state, unless all are requested.
const AROUND: usize = 8;

/// The snapshots as text.
pub(super) fn snapshots_text(view: &CheckedModel<'_>, violation: &Violation, options: &TextOptions) -> String {
    let mut text = String::new();
    for finding in &violation.snapshots {
        text += &format!("  {}\n", heading(finding));
        match &finding.outcome {
            SnapshotOutcome::Passed {
                order, marked, state, ..
            } => text += &order_text(view, violation, (order, *marked), state, options),
            SnapshotOutcome::PassedSomehow => {}
            SnapshotOutcome::Missing(missing) => {
                for conjunction in missing {
                    text += &format!("    {}\n", missing_text(conjunction));
                }
            }
        }
    }
    text
}

/// Whether a snapshot is passed.
fn heading(finding: &SnapshotFinding) -> String {
    let name = one_line(&finding.text);
    match &finding.outcome {
        SnapshotOutcome::Passed { at: 0, .. } => format!("{name} holds from the beginning."),
        SnapshotOutcome::Passed { at, order, .. } if is_in_order(order) => {
            let steps = counted(*at as u64, "step", "steps");
            format!("{name} holds after {steps}, where the execution is in such a state.")
        }
        SnapshotOutcome::Passed { at, .. } => {
            let steps = counted(*at as u64, "step", "steps");
            format!("{name} holds after {steps}: they are equivalent to this order, in which the state is marked:")
        }
        SnapshotOutcome::PassedSomehow => format!("{name} holds, but showing how would take too long."),
        SnapshotOutcome::Missing(_) => format!("{name} never holds:"),
    }
}

fn is_in_order(order: &[StepId]) -> bool {
    order.iter().enumerate().all(|(k, step)| k == step.index())
}

/// The state, on one line.
fn state_text(state: &[(String, String)]) -> String {
    match state.is_empty() {
        true => "all as in the beginning".to_owned(),
        false => {
            let values: Vec<String> = state.iter().map(|(name, value)| format!("{name} = {value}")).collect();
            values.join(", ")
        }
    }
}

/// What is missing, in a sentence.
fn missing_text(missing: &MissingSnapshot) -> String {
    let conjuncts: Vec<String> = missing
        .conjuncts
        .iter()
        .map(|(name, f)| format!("{name}: {f}"))
        .collect();
    let sets: Vec<String> = missing
        .frozen
        .iter()
        .map(|set| format!("{{{}}}", set.join(", ")))
        .collect();
    let mut text = format!("of {}", conjuncts.join("; "));
    match sets.is_empty() {
        true => text += ", nothing can still be completed",
        false => text += &format!(", frozen in the end: {}", sets.join(", ")),
    }
    if !missing.open.is_empty() {
        text += &format!("; not: {}", missing.open.join(", "));
    }
    one_line(&text)
}

fn order_text(
    view: &CheckedModel<'_>,
    violation: &Violation,
    (order, marked): (&[StepId], usize),
    state: &[(String, String)],
    options: &TextOptions,
) -> String {
    let mut text = String::new();
    let mark = |text: &mut String| {
        let state = shortened(&one_line(&state_text(state)), options.width.saturating_sub(10));
        *text += &format!("    {} {}\n", styled(NAME, "==>"), state);
    };
    if is_in_order(order) {
        mark(&mut text);
        return text;
    }
    let shown = match options.verbose || order.len() <= 2 * AROUND {
        true => 0..order.len(),
        false => marked.saturating_sub(AROUND)..(marked + AROUND).min(order.len()),
    };
    let left_out = |n: usize| match n {
        0 => String::new(),
        n => format!(
            "    {}\n",
            styled(FAINT, &format!("⋮  {} more (-v lists them)", grouped(n as u64)))
        ),
    };
    text += &left_out(shown.start);
    let names = order[shown.clone()]
        .iter()
        .map(|step| width(&process_name(violation.step(*step))));
    let names = names.max().unwrap_or(0);
    for k in shown.clone() {
        if k == marked {
            mark(&mut text);
        }
        let step = violation.step(order[k]);
        let name = process_name(step);
        let statement = shortened(&one_line(&step.statement), options.width.saturating_sub(names + 30));
        text += &format!(
            "    step {:<4} {name}{}  {}  {statement}\n",
            order[k].number(),
            padding(&name, names),
            styled(FAINT, &line(view.sources, step.span)),
        );
    }
    if marked == order.len() {
        mark(&mut text);
    }
    text + &left_out(order.len() - shown.end)
}

/// A snapshot for the page.
pub(super) struct ShownSnapshot {
    pub(super) heading: String,
    /// The steps in their order, with the state among them.
    pub(super) rows: Vec<ShownRow>,
    /// Sentences about what is missing.
    pub(super) missing: Vec<String>,
}

/// A step, or the state.
pub(super) struct ShownRow {
    pub(super) marked: bool,
    pub(super) text: String,
}

/// The snapshots for the page.
pub(super) fn shown_snapshots(violation: &Violation) -> Vec<ShownSnapshot> {
    let shown = |finding: &SnapshotFinding| {
        let mut shown = ShownSnapshot {
            heading: visible(&heading(finding)),
            rows: Vec::new(),
            missing: Vec::new(),
        };
        match &finding.outcome {
            SnapshotOutcome::Passed {
                order, marked, state, ..
            } => {
                let steps = order.iter().map(|id| {
                    let step = violation.step(*id);
                    let text = format!("{}  {}  {}", id.number(), process_name(step), step.statement);
                    ShownRow {
                        marked: false,
                        text: visible(&text),
                    }
                });
                shown.rows = steps.collect();
                let state = ShownRow {
                    marked: true,
                    text: visible(&state_text(state)),
                };
                shown.rows.insert(*marked, state);
            }
            SnapshotOutcome::PassedSomehow => {}
            SnapshotOutcome::Missing(missing) => {
                shown.missing = missing.iter().map(|m| visible(&missing_text(m))).collect();
            }
        }
        shown
    };
    violation.snapshots.iter().map(shown).collect()
}

/// A snapshot for scripts.
#[derive(Serialize)]
pub(super) struct SnapshotView<'a> {
    formula: &'a str,
    /// The number of steps after which it holds.
    passed: Option<usize>,
    /// The steps in an equivalent order.
    #[serde(skip_serializing_if = "Option::is_none")]
    order: Option<Vec<usize>>,
    /// The number of steps of this order after which the state is reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    marked: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    missing: Option<Vec<MissingView<'a>>>,
}

#[derive(Serialize)]
struct MissingView<'a> {
    conjuncts: Vec<ConjunctView<'a>>,
    frozen: &'a [Vec<String>],
    open: &'a [String],
}

#[derive(Serialize)]
struct ConjunctView<'a> {
    component: &'a str,
    formula: &'a str,
}

impl<'a> SnapshotView<'a> {
    pub(super) fn new(finding: &'a SnapshotFinding) -> Self {
        let mut view = Self {
            formula: &finding.text,
            passed: None,
            order: None,
            marked: None,
            missing: None,
        };
        match &finding.outcome {
            SnapshotOutcome::Passed { at, order, marked, .. } => {
                view.passed = Some(*at);
                view.order = Some(order.iter().map(|step| step.index()).collect());
                view.marked = Some(*marked);
            }
            SnapshotOutcome::PassedSomehow => {}
            SnapshotOutcome::Missing(missing) => {
                let conjunct = |(component, formula): &'a (String, String)| ConjunctView { component, formula };
                let shown = missing.iter().map(|m| MissingView {
                    conjuncts: m.conjuncts.iter().map(conjunct).collect(),
                    frozen: &m.frozen,
                    open: &m.open,
                });
                view.missing = Some(shown.collect());
            }
        }
        view
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::Sample;
    use super::super::{checked_html, checked_json};
    use super::*;
    use crate::style::plain;

    fn sample() -> Sample {
        let mut sample = Sample::handshake();
        let passed = SnapshotOutcome::Passed {
            at: 3,
            order: [1, 0, 2].map(StepId::new).to_vec(),
            marked: 1,
            state: vec![("n".to_owned(), "2".to_owned())],
        };
        let mut missing = MissingSnapshot::default();
        missing.conjuncts = vec![("P[0]".to_owned(), "c".to_owned()), ("x".to_owned(), "d".to_owned())];
        missing.frozen = vec![vec!["P[0]".to_owned()]];
        missing.open = vec!["x".to_owned()];
        let passed = SnapshotFinding::new("snapshot(a && b)", passed);
        let missing = SnapshotFinding::new("snapshot(c && d)", SnapshotOutcome::Missing(vec![missing]));
        sample.checked.properties[0].violations[0].snapshots = vec![passed, missing];
        sample
    }

    #[test]
    fn an_order_with_the_state_and_what_is_missing() {
        let sample = sample();
        let options = TextOptions {
            width: 100,
            verbose: false,
        };
        let text = plain(&snapshots_text(&sample.view(), sample.violation(), &options));
        let expected = "
  snapshot(a && b) holds after 3 steps: they are equivalent to this order, in which the state is marked:
    step 2    Sender[0]    line 5  n++
    ==> n = 2
    step 1    Sender[0]    line 4  c!1
    step 3    Receiver[1]  line 9  c?got
  snapshot(c && d) never holds:
    of P[0]: c; x: d, frozen in the end: {P[0]}; not: x
";
        assert_eq!(text, expected[1..]);
    }

    #[test]
    fn pages_and_scripts_have_it_too() {
        let sample = sample();
        let html = checked_html(&sample.view());
        assert!(html.contains("snapshot(a &#38;&#38; b) holds after 3 steps"), "{html}");
        assert!(html.contains("<li class=\"marked\">n = 2</li>"));
        let json: serde_json::Value = serde_json::from_str(&checked_json(&sample.view())).unwrap();
        let snapshots = &json["properties"][0]["violations"][0]["snapshots"];
        assert_eq!(
            (&snapshots[0]["passed"], &snapshots[0]["marked"]),
            (&3.into(), &1.into())
        );
        assert_eq!(snapshots[1]["missing"][0]["open"][0], "x");
        assert_eq!(snapshots[1]["passed"], serde_json::Value::Null);
    }
}
