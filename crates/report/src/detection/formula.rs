//! Answers about formulas with snapshots.

use crate::amounts::{counted, duration};
use crate::limits::{limit_name, unanswered_query};
use crate::line::one_line;
use crate::space_time::AnswerView;
use crate::style::{FAINT, of_verdict, styled};
use mazurka_core::{Limit, Verdict};
use mazurka_trace::{PassedSnapshot, SltlAnswer, SltlFindings, SltlFormula};
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Duration;

/// The answer as text.
pub fn formula_text(formula: &SltlFormula, answer: &SltlAnswer) -> String {
    let mut text = verdict_line(formula, answer.verdict);
    if let Some(limit) = answer.limit() {
        text += &format!("  {}\n", unanswered_query(limit));
    }
    if !answer.verdict.is_conclusive() {
        return text;
    }
    text += &format!("  {}\n", settled(answer));
    for PassedSnapshot { text: snapshot, passed } in &answer.snapshots {
        text += &match passed {
            None => format!("  {}: never\n", one_line(snapshot)),
            Some((events, cut)) => {
                let places: Vec<String> = cut.iter().map(|(name, k)| format!("{}: {k}", one_line(name))).collect();
                let events = counted(*events, "event", "events");
                format!(
                    "  {}: after {events}, in the cut {}\n",
                    one_line(snapshot),
                    places.join(", ")
                )
            }
        };
    }
    text + &format!(
        "  {}\n",
        styled(FAINT, &format!("method freeze, {}", duration(answer.statistics.time)))
    )
}

/// The verdict and the formula.
pub(super) fn verdict_line(formula: &SltlFormula, verdict: Verdict) -> String {
    let verdict = verdict.name();
    let formula = one_line(formula.text());
    format!("{}: sltl {formula}\n", styled(of_verdict(verdict), verdict))
}

/// What settles an answer, in a sentence.
fn settled(found: &SltlFindings) -> String {
    match found.settled {
        Some(0) => "It is settled from the beginning.".to_owned(),
        Some(events) => {
            let events = counted(events, "event", "events");
            format!("It is settled after {events}, whatever comes later.")
        }
        None => "The last global state is taken to last for ever.".to_owned(),
    }
}

/// The answers for the page of a run with these processes: the formula, and each of its snapshots with the cut in which
/// it is passed. If there is one snapshot, the answer about the formula has the cut.
pub fn formula_views(formula: &SltlFormula, answer: &SltlAnswer, processes: &[String]) -> Vec<AnswerView> {
    if !answer.verdict.is_conclusive() {
        return Vec::new();
    }
    let view = |modality: &str, predicate: &str, verdict: &str, summary: String| AnswerView {
        modality: modality.to_owned(),
        predicate: predicate.to_owned(),
        verdict: verdict.to_owned(),
        summary,
        method: "freeze".to_owned(),
        ..AnswerView::default()
    };
    let cut = |seen: &PassedSnapshot| {
        let (_, cut) = seen.passed.as_ref()?;
        Some(
            processes
                .iter()
                .map(|name| cut.get(name).copied().unwrap_or(0))
                .collect(),
        )
    };
    let passed = |seen: &PassedSnapshot| match seen.passed {
        Some((0, _)) => format!("{} holds from the beginning.", seen.text),
        Some((events, _)) => format!("{} holds after {}.", seen.text, counted(events, "event", "events")),
        None => format!("{} never holds.", seen.text),
    };
    let mut first = view("sltl", formula.text(), answer.verdict.name(), settled(answer));
    if let [only] = &answer.snapshots[..] {
        first.summary += &format!(" {}", passed(only));
        first.cut = cut(only);
        return vec![first];
    }
    let snapshots = answer.snapshots.iter().map(|seen| AnswerView {
        cut: cut(seen),
        ..view(
            "sltl",
            &seen.text,
            if seen.passed.is_some() { "true" } else { "false" },
            passed(seen),
        )
    });
    std::iter::once(first).chain(snapshots).collect()
}

/// The answer for scripts.
#[derive(Serialize)]
pub(super) struct FormulaView<'a> {
    modality: &'static str,
    predicate: &'a str,
    answer: Option<bool>,
    verdict: &'static str,
    method: &'static str,
    seconds: f64,
    /// The number of events after which it was settled.
    settled: Option<u64>,
    limit: Option<&'static str>,
    snapshots: Vec<SnapshotView<'a>>,
}

#[derive(Serialize)]
struct SnapshotView<'a> {
    formula: &'a str,
    passed: Option<u64>,
    cut: Option<&'a BTreeMap<String, u32>>,
}

impl<'a> FormulaView<'a> {
    /// A formula that was not answered within this time.
    pub(super) fn unanswered(formula: &'a SltlFormula, limit: Option<Limit>, time: Duration) -> Self {
        Self {
            modality: "sltl",
            predicate: formula.text(),
            answer: None,
            verdict: "inconclusive",
            method: "freeze",
            seconds: time.as_secs_f64(),
            settled: None,
            limit: limit.map(limit_name),
            snapshots: Vec::new(),
        }
    }

    pub(super) fn new(formula: &'a SltlFormula, answer: &'a SltlAnswer) -> Self {
        let snapshot = |seen: &'a PassedSnapshot| SnapshotView {
            formula: &seen.text,
            passed: seen.passed.as_ref().map(|(events, _)| *events),
            cut: seen.passed.as_ref().map(|(_, cut)| cut),
        };
        Self {
            answer: answer.verdict.truth(),
            verdict: answer.verdict.name(),
            settled: answer.settled,
            snapshots: answer.snapshots.iter().map(snapshot).collect(),
            ..Self::unanswered(formula, answer.limit(), answer.statistics.time)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::style::plain;
    use mazurka_core::{End, Statistics};

    /// An answer that was settled after three events.
    fn answer(holds: bool, snapshots: Vec<PassedSnapshot>) -> SltlAnswer {
        let mut found = SltlFindings::default();
        (found.settled, found.snapshots) = (Some(3), snapshots);
        SltlAnswer {
            verdict: holds.into(),
            end: End::Stopped,
            statistics: Statistics {
                time: Duration::from_millis(2),
                ..Statistics::default()
            },
            found,
        }
    }

    #[test]
    fn the_verdict_then_the_snapshots() {
        let formula = SltlFormula::parse("[] !snapshot(a.cs && b.cs)").unwrap();
        let snapshot = PassedSnapshot {
            text: "snapshot(a.cs && b.cs)".to_owned(),
            passed: Some((3, BTreeMap::from([("a".to_owned(), 1), ("b".to_owned(), 1)]))),
        };
        let answer = answer(false, vec![snapshot]);
        let expected = "
violated: sltl [] !snapshot(a.cs && b.cs)
  It is settled after 3 events, whatever comes later.
  snapshot(a.cs && b.cs): after 3 events, in the cut a: 1, b: 1
  method freeze, 2.0 ms
";
        assert_eq!(plain(&formula_text(&formula, &answer)), expected[1..]);
        let json = serde_json::to_value(FormulaView::new(&formula, &answer)).unwrap();
        assert_eq!((&json["verdict"], &json["settled"]), (&"violated".into(), &3.into()));
        assert_eq!(json["snapshots"][0]["cut"]["b"], 1);
    }

    #[test]
    fn the_page_has_the_cut_of_each_snapshot() {
        let seen = |text: &str, passed: Option<u64>| PassedSnapshot {
            text: text.to_owned(),
            passed: passed.map(|events| (events, BTreeMap::from([("b".to_owned(), 1), ("a".to_owned(), 2)]))),
        };
        let formula = SltlFormula::parse("(!snapshot(a.x)) U snapshot(b.x)").unwrap();
        let snapshots = vec![seen("snapshot(a.x)", None), seen("snapshot(b.x)", Some(3))];
        let mut answer = answer(true, snapshots);
        let names = ["b".to_owned(), "a".to_owned()];
        let views = formula_views(&formula, &answer, &names);
        let verdicts: Vec<_> = views.iter().map(|v| (&*v.verdict, v.cut.clone())).collect();
        assert_eq!(verdicts, [("holds", None), ("false", None), ("true", Some(vec![1, 2]))]);
        assert_eq!(views[2].summary, "snapshot(b.x) holds after 3 events.");
        // A single snapshot is shown with the formula.
        answer.snapshots.remove(0);
        let views = formula_views(&formula, &answer, &names);
        assert_eq!((views.len(), views[0].cut.clone()), (1, Some(vec![1, 2])));
        assert!(
            views[0]
                .summary
                .contains("whatever comes later. snapshot(b.x) holds after 3")
        );
    }
}
