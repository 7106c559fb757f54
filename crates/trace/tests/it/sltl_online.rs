//! Formulas with snapshots have the same answers on-line and off-line.

use fastrand::Rng;
use mazurka_core::{Limits, Verdict};
use mazurka_trace::{ImportOptions, Input, Monitor, Place, SltlAnswer, SltlFormula, Watching, import, native};

/// A random run of two to four processes as lines, in which a receive may come before its send.
fn random_run(random: &mut Rng) -> Vec<String> {
    let n = random.usize(2..=4);
    let mut lanes: Vec<Vec<String>> = (0..n)
        .map(|p| {
            vec![format!(
                r#"{{"process":"p{p}","init":true,"vars":{{"x":{}}}}}"#,
                random.u8(..2)
            )]
        })
        .collect();
    let mut sent: Vec<(usize, String)> = vec![];
    for k in 0..random.usize(3..14) {
        let p = random.usize(..n);
        let mut fields = format!(r#""process":"p{p}","event":"e","vars":{{"x":{}}}"#, random.u8(..2));
        // Only messages that were sent before can be received, so there is no cycle.
        let others: Vec<&String> = sent.iter().filter(|(q, _)| *q != p).map(|(_, m)| m).collect();
        if !others.is_empty() && random.bool() {
            fields += &format!(r#","recv":["{}"]"#, others[random.usize(..others.len())]);
        }
        if random.bool() {
            fields += &format!(r#","send":["m{k}"]"#);
            sent.push((p, format!("m{k}")));
        }
        lanes[p].push(format!("{{{fields}}}"));
    }
    let mut lines = vec![];
    while lanes.iter().any(|lane| !lane.is_empty()) {
        let p = random.usize(..n);
        if !lanes[p].is_empty() {
            lines.push(lanes[p].remove(0));
        }
    }
    lines
}

fn offline(lines: &[String], formula: &SltlFormula) -> SltlAnswer {
    let input = Input::Text {
        name: "run".into(),
        bytes: lines.join("\n").into(),
    };
    let imported = import(input, &ImportOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    formula
        .check(&imported.executions[0].computation, Limits::default())
        .unwrap_or_else(|error| panic!("{error}"))
}

fn online(lines: &[String], formula: &SltlFormula) -> SltlAnswer {
    let mut monitor = Monitor::with_formulas(&[], std::slice::from_ref(formula), &Watching::default()).unwrap();
    let mut answers = vec![];
    let mut offset = 0;
    for line in lines {
        let place = Place {
            file: 0,
            offset,
            length: line.len() as u32,
        };
        offset += line.len() as u64 + 1;
        native::record_or_rest(line.as_bytes(), place, false, &mut monitor);
        monitor.advance().unwrap();
        answers.extend(monitor.settled());
    }
    answers.extend(monitor.ended().unwrap());
    assert_eq!(answers.len(), 1, "one answer");
    answers.remove(0).1
}

#[test]
fn answers_are_the_same() {
    let formulas = [
        "[] !snapshot(p0.x == 1 && p1.x == 1)",
        "<> snapshot(p0.x == 0 && p1.x == 1)",
        "(!snapshot(p0.x == 1 && p1.x == 0)) U snapshot(p0.x == p0.x && p1.x == 1)",
        "<> snapshot(p0.x == 1 <-> p1.x == 0)",
        "[] (snapshot(p0.x == 1) -> <> snapshot(p1.x == 1 || p0.x == 0))",
    ];
    let (mut holds, mut settled) = (0, 0);
    for seed in 0..1_500 {
        let mut random = Rng::with_seed(seed);
        let lines = random_run(&mut random);
        let text = formulas[random.usize(..formulas.len())];
        let formula = SltlFormula::parse(text).unwrap();
        let (off, on) = (offline(&lines, &formula), online(&lines, &formula));
        assert_eq!(off.verdict, on.verdict, "seed {seed}: {text}\n{}", lines.join("\n"));
        for (a, b) in off.snapshots.iter().zip(&on.snapshots) {
            // On-line, the formula may be settled before the last snapshot is passed.
            let known = on.settled.is_none() || b.passed.is_some();
            assert!(
                !known || a.passed.is_some() == b.passed.is_some(),
                "seed {seed}: {text}"
            );
        }
        holds += u32::from(off.verdict == Verdict::Holds);
        settled += u32::from(on.settled.is_some());
    }
    assert!((300..1_200).contains(&holds) && settled > 300, "{holds} {settled}");
}

#[test]
fn a_formula_about_all_processes_needs_to_know_them() {
    let formula = SltlFormula::parse("[] !snapshot(processes.all(p, p.x == 1))").unwrap();
    assert!(Monitor::with_formulas(&[], std::slice::from_ref(&formula), &Watching::default()).is_err());
    let watching = Watching {
        processes: Some(vec!["p0".into(), "p1".into()]),
        ..Watching::default()
    };
    assert!(Monitor::with_formulas(&[], &[formula], &watching).is_ok());
}
