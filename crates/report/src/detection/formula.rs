//! Answers about formulas with snapshots.

use super::verdict;
use crate::amounts::{counted, duration};
use crate::line::one_line;
use crate::style::{FAINT, of_verdict, styled};
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
    /// How long it took.
    pub time: Duration,
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
    let Some(answer) = &formula.answer else { return text };
    text += &match answer.settled {
        Some(0) => "  It is so from the beginning.\n".to_owned(),
        Some(events) => {
            let events = counted(events, "event", "events");
            format!("  It is settled after {events}, whatever comes later.\n")
        }
        None => "  It is so if the last global state lasts.\n".to_owned(),
    };
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
}
