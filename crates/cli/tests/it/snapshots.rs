//! `snapshot(q)` in `mazurka check` and `mazurka detect --sltl`.

use crate::scenario::Scenario;

const APART: &str = "byte x;
active proctype A() { x = 1; done: (false) }
active proctype B() { start: skip; done: (false) }
ltl apart { [] !snapshot(x == 1 && B@start) }
ltl missing { <> snapshot(x == 2 && B@done) }
";

#[test]
fn counterexamples_show_an_equivalent_order_or_what_is_missing() {
    let scenario = Scenario::with("apart.pml", APART);
    let ended = scenario.run(&[
        "check",
        "apart.pml",
        "--property",
        "apart",
        "--property",
        "missing",
        "--report",
        "r.html",
    ]);
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    assert!(
        ended.stdout.contains("snapshot((x == 1) && B@start) holds after"),
        "{}",
        ended.stdout
    );
    assert!(ended.stdout.contains("==> x = 1"), "{}", ended.stdout);
    assert!(
        ended.stdout.contains("snapshot((x == 2) && B@done) never holds"),
        "{}",
        ended.stdout
    );
    assert!(ended.stdout.contains("not: x"), "{}", ended.stdout);
    let page = std::fs::read_to_string(scenario.path("r.html")).unwrap();
    assert!(page.contains("class=\"marked\""));
    let ended = scenario.run(&["check", "apart.pml", "--property", "apart", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    let snapshot = &json["properties"][0]["violations"][0]["snapshots"][0];
    assert!(
        snapshot["passed"].is_u64() && snapshot["order"].is_array(),
        "{snapshot}"
    );
}

#[test]
fn a_proposition_may_relate_components_if_it_can_be_taken_apart() {
    let text =
        "byte x; byte y[2]; active proctype A() { x = 1; (false) } active proctype B() { y[0] = 2; y[1] = 2; (false) }";
    let scenario = Scenario::with("sum.pml", text);
    for (formula, code) in [
        ("<> snapshot(x + y[1] == 2 && x == 0)", 0),
        ("<> snapshot(x + y[1] == 4)", 1),
    ] {
        for method in ["basis", "tracker"] {
            let ended = scenario.run(&["check", "sum.pml", "--ltl", formula, "--snapshot-method", method]);
            assert_eq!(
                ended.code,
                Some(code),
                "{formula}, {method}: {}{}",
                ended.stdout,
                ended.stderr
            );
        }
    }
    let formula = "<> snapshot(y[x] == 2)";
    let ended = scenario.run(&["check", "sum.pml", "--ltl", formula]);
    assert_eq!(ended.code, Some(2), "{}", ended.stdout);
    for expected in [
        "y[x] == 2",
        "reads x and y[0] and y[1]",
        "--snapshot-method tracker",
        "--ltl:1:13",
    ] {
        assert!(ended.stderr.contains(expected), "no `{expected}` in {}", ended.stderr);
    }
    let ended = scenario.run(&["check", "sum.pml", "--ltl", formula, "--snapshot-method", "tracker"]);
    assert_eq!(ended.code, Some(0), "{}{}", ended.stdout, ended.stderr);
}

const RUN: &str = r#"{"process":"a","init":true,"vars":{"cs":false}}
{"process":"b","init":true,"vars":{"cs":false}}
{"process":"a","event":"enter","vars":{"cs":true}}
{"process":"a","event":"leave","vars":{"cs":false}}
{"process":"b","event":"enter","vars":{"cs":true}}
{"process":"b","event":"leave","vars":{"cs":false}}
"#;

#[test]
fn recorded_and_followed_runs_are_monitored() {
    let scenario = Scenario::with("run.jsonl", RUN);
    let ended = scenario.run(&["detect", "run.jsonl", "--sltl", "[] !(a.cs && b.cs)"]);
    assert_eq!(ended.code, Some(0), "{}{}", ended.stdout, ended.stderr);
    let formula = "[] !snapshot(a.cs && b.cs)";
    let ended = scenario.run(&["detect", "run.jsonl", "--sltl", formula]);
    assert_eq!(ended.code, Some(1), "{}{}", ended.stdout, ended.stderr);
    assert!(ended.stdout.contains("violated: sltl"), "{}", ended.stdout);
    assert!(ended.stdout.contains("in the cut a: 1, b: 1"), "{}", ended.stdout);
    let ended = scenario.run(&[
        "detect",
        "run.jsonl",
        "--sltl",
        formula,
        "--never",
        "a.cs && b.cs",
        "--format",
        "json",
    ]);
    let json: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(json["queries"][0]["modality"], "never");
    assert_eq!(
        (&json["queries"][1]["modality"], &json["queries"][1]["verdict"]),
        (&"sltl".into(), &"violated".into())
    );
    let ended = scenario.run(&["detect", "run.jsonl", "--follow", "--sltl", formula]);
    assert_eq!(ended.code, Some(1), "{}{}", ended.stdout, ended.stderr);
    assert!(
        ended.stdout.contains("after 5 records: violated: sltl"),
        "{}",
        ended.stdout
    );
    let ended = scenario.run(&["detect", "run.jsonl", "--sltl", "[] !snapshot(a.cs && a.cs == b.cs)"]);
    assert_eq!(ended.code, Some(1), "{}{}", ended.stdout, ended.stderr);
    assert!(ended.stdout.contains("in the cut a: 1, b: 1"), "{}", ended.stdout);
    let ended = scenario.run(&[
        "detect",
        "run.jsonl",
        "--follow",
        "--sltl",
        "<> snapshot(processes.all(p, p.cs))",
    ]);
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("--processes"), "{}", ended.stderr);
}

#[test]
fn a_report_shows_the_cuts_of_snapshots() {
    let scenario = Scenario::with("run.jsonl", RUN);
    let formula = "[] !snapshot(a.cs && b.cs)";
    let ended = scenario.run(&["detect", "run.jsonl", "--sltl", formula, "--report", "r.html"]);
    assert_eq!(ended.code, Some(1), "{}{}", ended.stdout, ended.stderr);
    let page = std::fs::read_to_string(scenario.path("r.html")).unwrap();
    assert!(page.contains("[] !snapshot(a.cs &#38;&#38; b.cs)"), "{page}");
    assert!(page.contains("snapshot(a.cs &#38;&#38; b.cs) holds after 3 events."));
    // Except for the words, the diagram gets the same data as with `--never`.
    let cuts = |page: &str| {
        let at = page.find("\"cut\":").expect("a cut in the data");
        page[at..at + 40].to_owned()
    };
    let ended = scenario.run(&["detect", "run.jsonl", "--never", "a.cs && b.cs", "--report", "n.html"]);
    assert_eq!(ended.code, Some(1), "{}{}", ended.stdout, ended.stderr);
    let never = std::fs::read_to_string(scenario.path("n.html")).unwrap();
    assert_eq!(cuts(&page), cuts(&never));
}

/// An error has its place and advice, and nothing is printed before it.
#[test]
fn mistakes_in_formulas_are_explained() {
    let scenario = Scenario::with("run.jsonl", RUN);
    for (formula, expected) in [
        ("[] !snapshot(", "expected a formula"),
        ("[] !snapshot(aa.cs)", "did you mean `a`?"),
        ("[] !snapshot(a.csx)", "did you mean `cs`?"),
        ("[] !snpshot(a.cs)", "did you mean `snapshot`?"),
        ("[] !snapshot(<> a.cs)", "about one state"),
    ] {
        let ended = scenario.run(&["detect", "run.jsonl", "--sltl", formula]);
        assert_eq!((ended.code, &*ended.stdout), (Some(2), ""), "{formula}");
        assert!(ended.stderr.contains(expected), "{formula}: {}", ended.stderr);
        assert!(
            ended.stderr.contains(formula) && ended.stderr.contains('^'),
            "{}",
            ended.stderr
        );
    }
    let scenario = Scenario::with("apart.pml", APART);
    for (formula, expected) in [
        ("[] snapshot(", "expected a formula"),
        ("[] !snpshot(x == 1)", "did you mean `snapshot`?"),
        ("[] !snapshot(xx == 1)", "did you mean `x`?"),
        ("[] !snapshot(B@strat)", "did you mean `start`?"),
        ("[] !snapshot(BB@start)", "did you mean `B`?"),
        ("[] !snapshot(X x == 1)", "about one state"),
    ] {
        let ended = scenario.run(&["check", "apart.pml", "--ltl", formula]);
        assert_eq!((ended.code, &*ended.stdout), (Some(2), ""), "{formula}");
        assert!(ended.stderr.contains(expected), "{formula}: {}", ended.stderr);
        assert!(ended.stderr.contains("--ltl:1:"), "{}", ended.stderr);
    }
    // Counting steps is allowed, and the answer says so.
    let ended = scenario.run(&["check", "apart.pml", "--ltl", "X snapshot(x == 0)"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(ended.stdout.contains("no reduction"), "{}", ended.stdout);
}

#[test]
fn orders_of_events_are_questions_and_demands() {
    let scenario = Scenario::with("run.jsonl", RUN);
    let run = |arguments: &[&str]| scenario.run(&[&["detect", "run.jsonl"], arguments].concat());
    for (arguments, code) in [
        (&["--possibly-sequence", "b.cs", "a.cs && !b.cs"][..], 0),
        (&["--never-sequence", "b.cs", "a.cs && !b.cs"], 1),
        (&["--never-sequence", "b.cs && !b.cs", "a.cs"], 0),
        (&["--possibly-ltl", "<> (a.cs && b.cs)"], 0),
        (&["--never-ltl", "<> (a.cs && b.cs)"], 1),
        (&["--definitely-ltl", "[] !(a.cs && b.cs)"], 0),
        (&["--always-ltl", "[] !(a.cs && b.cs)"], 1),
        (&["--always-ltl", "<> a.cs && <> b.cs && <> [] !a.cs"], 0),
        (&["--always-ltl", "[] !(a.cs && b.cs)", "--max-states", "1"], 3),
        (&["--always-ltl", "[] !(a.cs && b.cs)", "--method", "conjunctive"], 2),
        (&["--possibly-sequence", "a.css"], 2),
        (&["--possibly-ltl", "<> snapshot(a.cs)"], 2),
        (&["--possibly-ltl", "<> a.cs", "--follow"], 2),
    ] {
        let ended = run(arguments);
        assert_eq!(
            ended.code,
            Some(code),
            "{arguments:?}: {}{}",
            ended.stdout,
            ended.stderr
        );
    }
    let ended = run(&["--always-ltl", "[] !(a.cs && b.cs)", "--report", "r.html"]);
    assert!(
        ended.stdout.contains("One such order of the 4 events"),
        "{}",
        ended.stdout
    );
    let page = std::fs::read_to_string(scenario.path("r.html")).unwrap();
    assert!(
        page.contains("always-ltl") && page.contains("<li data-step="),
        "the order is drawn"
    );
}
