//! Answers about formulas with snapshots.

use super::verdict;
use crate::amounts::{counted, duration};
use crate::limits::{limit_name, unanswered_query};
use crate::line::one_line;
use crate::space_time::AnswerView;
use crate::style::{FAINT, of_verdict, styled};
use mazurka_core::Limit;
use mazurka_trace::{Modality, PassedSnapshot, SltlAnswer, SltlFormula};
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Duration;

/// A formula, and whether it holds of a run.
#[derive(Clone, Debug)]
pub struct FormulaAnswer {
    /// The formula.
    pub formula: SltlFormula,
    /// The answer, if there is one.
    pub answer: Option<SltlAnswer>,
    /// The limit that was reached before there was one.
    pub limit: Option<Limit>,
    /// How long it took.
    pub time: Duration,
}

impl FormulaAnswer {
    /// A formula without an answer because of a limit.
    pub fn unanswered(formula: SltlFormula, limit: Limit) -> Self {
        Self {
            formula,
            answer: None,
            limit: Some(limit),
            time: Duration::ZERO,
        }
    }
}

/// The answer as text.
pub fn formula_text(formula: &FormulaAnswer) -> String {
    // A formula is a requirement, as `always` is.
    let verdict = verdict(Modality::Always, formula.answer.as_ref().map(|answer| answer.holds));
    let mut text = format!(
        "{}: sltl {}\n",
        styled(of_verdict(verdict), verdict),
        one_line(formula.formula.text())
    );
    if let Some(limit) = formula.limit {
        text += &format!("  {}\n", unanswered_query(limit));
    }
    let Some(answer) = &formula.answer else { return text };
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
        styled(FAINT, &format!("method freeze, {}", duration(formula.time)))
    )
}

/// What settles an answer, in a sentence.
fn settled(answer: &SltlAnswer) -> String {
    match answer.settled {
        Some(0) => "It is so from the beginning.".to_owned(),
        Some(events) => {
            let events = counted(events, "event", "events");
            format!("It is settled after {events}, whatever comes later.")
        }
        None => "It is so if the last global state lasts.".to_owned(),
    }
}

/// The answers for the page of a run with these processes: the formula, and each of its snapshots with the cut in which
/// it is passed. A formula with one snapshot has the cut itself.
pub fn formula_views(formula: &FormulaAnswer, processes: &[String]) -> Vec<AnswerView> {
    let Some(answer) = &formula.answer else {
        return Vec::new();
    };
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
    let verdict = verdict(Modality::Always, Some(answer.holds));
    let mut first = view("sltl", formula.formula.text(), verdict, settled(answer));
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
    /// After how many events it was settled.
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
    pub(super) fn new(formula: &'a FormulaAnswer) -> Self {
        let answer = formula.answer.as_ref();
        let snapshot = |seen: &'a PassedSnapshot| SnapshotView {
            formula: &seen.text,
            passed: seen.passed.as_ref().map(|(events, _)| *events),
            cut: seen.passed.as_ref().map(|(_, cut)| cut),
        };
        Self {
            modality: "sltl",
            predicate: formula.formula.text(),
            answer: answer.map(|answer| answer.holds),
            verdict: verdict(Modality::Always, answer.map(|answer| answer.holds)),
            method: "freeze",
            seconds: formula.time.as_secs_f64(),
            settled: answer.and_then(|answer| answer.settled),
            limit: formula.limit.map(limit_name),
            snapshots: answer
                .iter()
                .flat_map(|answer| answer.snapshots.iter().map(snapshot))
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::style::plain;

    #[test]
    fn the_verdict_then_the_snapshots() {
        let answer = FormulaAnswer {
            formula: SltlFormula::parse("[] !snapshot(a.cs && b.cs)").unwrap(),
            answer: Some(SltlAnswer {
                holds: false,
                settled: Some(3),
                snapshots: vec![PassedSnapshot {
                    text: "snapshot(a.cs && b.cs)".to_owned(),
                    passed: Some((3, BTreeMap::from([("a".to_owned(), 1), ("b".to_owned(), 1)]))),
                }],
            }),
            limit: None,
            time: Duration::from_millis(2),
        };
        let expected = "
violated: sltl [] !snapshot(a.cs && b.cs)
  It is settled after 3 events, whatever comes later.
  snapshot(a.cs && b.cs): after 3 events, in the cut a: 1, b: 1
  method freeze, 2.0 ms
";
        assert_eq!(plain(&formula_text(&answer)), expected[1..]);
        let json = serde_json::to_value(FormulaView::new(&answer)).unwrap();
        assert_eq!((&json["verdict"], &json["settled"]), (&"violated".into(), &3.into()));
        assert_eq!(json["snapshots"][0]["cut"]["b"], 1);
    }

    #[test]
    fn the_page_has_the_cut_of_each_snapshot() {
        let seen = |text: &str, passed: Option<u64>| PassedSnapshot {
            text: text.to_owned(),
            passed: passed.map(|events| (events, BTreeMap::from([("b".to_owned(), 1), ("a".to_owned(), 2)]))),
        };
        let mut answer = FormulaAnswer {
            formula: SltlFormula::parse("(!snapshot(a.x)) U snapshot(b.x)").unwrap(),
            answer: Some(SltlAnswer {
                holds: true,
                settled: Some(3),
                snapshots: vec![seen("snapshot(a.x)", None), seen("snapshot(b.x)", Some(3))],
            }),
            limit: None,
            time: Duration::ZERO,
        };
        let names = ["b".to_owned(), "a".to_owned()];
        let views = formula_views(&answer, &names);
        let verdicts: Vec<_> = views.iter().map(|v| (&*v.verdict, v.cut.clone())).collect();
        assert_eq!(verdicts, [("holds", None), ("false", None), ("true", Some(vec![1, 2]))]);
        assert_eq!(views[2].summary, "snapshot(b.x) holds after 3 events.");
        // One snapshot stands with the formula.
        answer.answer.as_mut().unwrap().snapshots.remove(0);
        let views = formula_views(&answer, &names);
        assert_eq!((views.len(), views[0].cut.clone()), (1, Some(vec![1, 2])));
        assert!(
            views[0]
                .summary
                .contains("whatever comes later. snapshot(b.x) holds after 3")
        );
    }
}
