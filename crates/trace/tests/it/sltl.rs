//! Formulas with snapshots on a run that is over.

use mazurka_core::{Limit, Limits, Verdict};
use mazurka_trace::{Computation, ImportOptions, Input, SltlAnswer, SltlFormula, import};
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

fn run(records: &str) -> Computation {
    let input = Input::Text {
        name: "run.jsonl".into(),
        bytes: records.into(),
    };
    let imported = import(input, &ImportOptions::default());
    let mut imported = imported.unwrap_or_else(|error| panic!("{error}"));
    imported.executions.swap_remove(0).computation
}

fn check(records: &str, formula: &str) -> SltlAnswer {
    let formula = SltlFormula::parse(formula).unwrap_or_else(|error| panic!("{error}"));
    let answer = formula.check(&run(records), Limits::default());
    answer.unwrap_or_else(|error| panic!("{error}"))
}

fn holds(records: &str, formula: &str) -> bool {
    check(records, formula).verdict == Verdict::Holds
}

/// In the observed order, a enters and leaves before b enters. No message orders them.
const APART: &str = r#"{"process":"a","init":true,"vars":{"cs":false}}
{"process":"b","init":true,"vars":{"cs":false}}
{"process":"a","event":"enter","vars":{"cs":true}}
{"process":"a","event":"leave","vars":{"cs":false},"send":["m"]}
{"process":"b","event":"enter","vars":{"cs":true}}
{"process":"b","event":"leave","vars":{"cs":false}}
"#;

#[test]
fn a_snapshot_is_passed_in_another_order() {
    let answer = check(APART, "[] !(a.cs && b.cs)");
    assert_eq!((answer.verdict, answer.settled), (Verdict::Holds, None));
    let answer = check(APART, "[] !snapshot(a.cs && b.cs)");
    assert_eq!(answer.verdict, Verdict::Violated);
    // It is passed when b enters.
    assert_eq!(answer.settled, Some(3));
    let cut = BTreeMap::from([("a".to_string(), 1), ("b".to_string(), 1)]);
    assert_eq!(answer.snapshots[0].passed, Some((3, cut)));
    // A message from a's leaving to b's entering orders them.
    let ordered = APART.replace(
        r#""enter","vars":{"cs":true}}"#,
        r#""enter","vars":{"cs":true},"recv":["m"]}"#,
    );
    let ordered = ordered.replacen(r#","recv":["m"]"#, "", 1);
    let answer = check(&ordered, "[] !snapshot(a.cs && b.cs)");
    assert_eq!(answer.verdict, Verdict::Holds, "{answer:?}");
    assert!(holds(&ordered, "<> snapshot(!a.cs && b.cs) && <> (a.cs && <> b.cs)"));
}

#[test]
fn records_may_come_before_their_causes() {
    let late = r#"{"process":"b","event":"got","vars":{"y":1},"recv":["m"]}
{"process":"a","event":"sent","vars":{"x":1},"send":["m"]}
"#;
    assert!(holds(late, "(!(b.y == 1)) U (a.x == 1)"));
    assert!(holds(late, "[] !snapshot(b.y == 1 && a.x == null)"));
    assert!(!holds(late, "[] !snapshot(processes.exists(p, p.y == 1) && a.x == 1)"));
}

#[test]
fn a_limit_stops_it() {
    let formula = SltlFormula::parse("<> a.cs").unwrap();
    let stop = AtomicBool::new(true);
    let interrupted = Limits {
        interrupt: Some(&stop),
        ..Limits::default()
    };
    let late = Limits {
        time: Some(Duration::ZERO),
        ..Limits::default()
    };
    for (limits, limit) in [(interrupted, Limit::Interrupt), (late, Limit::Time)] {
        let answer = formula.check(&run(APART), limits).unwrap();
        assert_eq!(answer.limit(), Some(limit));
        assert_eq!(answer.verdict, Verdict::Inconclusive(limit.into()));
    }
}

#[test]
fn a_snapshot_may_relate_processes() {
    let answer = check(APART, "[] !snapshot(a.cs && a.cs == b.cs)");
    assert_eq!((answer.verdict, answer.settled), (Verdict::Violated, Some(3)));
    let cut = BTreeMap::from([("a".to_string(), 1), ("b".to_string(), 1)]);
    assert_eq!(answer.snapshots[0].passed, Some((3, cut)));
    assert!(!holds(APART, "<> snapshot(a.cs != b.cs && a.cs == b.cs)"));
    // What has no value counts only where it decides.
    let late = r#"{"process":"a","vars":{"x":1}}
{"process":"b","vars":{"x":2}}
"#;
    assert!(holds(late, "<> snapshot(a.x != null && b.x != null && a.x + b.x == 3)"));
    let undefined = SltlFormula::parse("<> snapshot(a.x + b.x == 3)").unwrap();
    assert!(undefined.check(&run(late), Limits::default()).is_err());
    let misspelt = SltlFormula::parse("<> c.cs").unwrap();
    let misspelt = misspelt.check(&run(APART), Limits::default()).unwrap_err();
    assert_eq!(misspelt.span.start, 3);
}

/// Two accounts and what is under way between them: in every state that could have been, it is the same amount.
#[test]
fn money_is_constant_in_all_states_that_could_have_been() {
    let mut records = String::new();
    for (name, balance) in [("a", 10), ("b", 5)] {
        records += &format!(
            "{{\"process\":\"{name}\",\"init\":true,\"vars\":{{\"balance\":{balance},\"out\":0,\"got\":0}}}}\n"
        );
    }
    // Each pays the other one coin, five times, and is paid later.
    for k in 1..=5 {
        for (name, balance) in [("a", 10), ("b", 5)] {
            records += &format!(
                "{{\"process\":\"{name}\",\"vars\":{{\"balance\":{},\"out\":{k}}},\"send\":[\"{name}{k}\"]}}\n",
                balance - k
            );
        }
    }
    for k in 1..=5 {
        for (name, other, balance) in [("a", "b", 10), ("b", "a", 5)] {
            records += &format!(
                "{{\"process\":\"{name}\",\"vars\":{{\"balance\":{},\"got\":{k}}},\"recv\":[\"{other}{k}\"]}}\n",
                balance - 5 + k
            );
        }
    }
    let under_way = "(a.out - b.got) + (b.out - a.got)";
    assert!(holds(
        &records,
        &format!("[] !snapshot(a.balance + b.balance + {under_way} != 15)")
    ));
    assert!(!holds(&records, "[] !snapshot(a.balance + b.balance != 15)"));
    assert!(!holds(&records, "[] !snapshot(a.balance + b.balance == 5)"));
    assert!(holds(&records, "[] !snapshot(a.balance + b.balance == 4)"));
}

/// Three counters that nobody synchronises: each sum of three of their values is passed, and no other.
#[test]
fn sums_of_several_processes_are_kept_apart() {
    let mut records = String::new();
    for (name, step) in [("a", 1), ("b", 10), ("c", 100)] {
        records += &format!("{{\"process\":\"{name}\",\"init\":true,\"vars\":{{\"x\":0}}}}\n");
        for k in 1..=2 {
            records += &format!("{{\"process\":\"{name}\",\"vars\":{{\"x\":{}}}}}\n", k * step);
        }
    }
    for sum in 0..=230 {
        let passed = [sum % 10, sum / 10 % 10, sum / 100].iter().all(|digit| *digit <= 2);
        let formula = format!("<> snapshot(a.x + b.x + c.x == {sum})");
        assert_eq!(holds(&records, &formula), passed, "{sum}");
    }
}
