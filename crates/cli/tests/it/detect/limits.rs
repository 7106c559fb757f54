//! Limits that hold in every phase, and do not cost what was answered before.

use super::*;
use std::time::{Duration, Instant};

/// Twenty-four processes, and a predicate of a few bytes that is a hundred thousand conditions on five of them each.
fn explosive() -> (String, &'static str) {
    let mut text = String::new();
    for k in 0..6 {
        for p in 0..24 {
            text += &format!("{{\"process\":\"p{p}\",\"vars\":{{\"x\":{k}}}}}\n");
        }
    }
    let predicate = "processes.exists(a, processes.exists(b, processes.exists(c, processes.exists(d, \
                     a.x + b.x * 2 + c.x * 3 + d.x * 5 + p0.x * 7 == 1000))))";
    (text, predicate)
}

#[test]
fn a_predicate_that_explodes_keeps_to_the_time_and_leaves_the_others_their_share() {
    let (trace, predicate) = explosive();
    let scenario = Scenario::with("run.jsonl", trace);
    let cheap = "p0.x == 3 && p1.x == 4";
    let ask = [
        "--timeout",
        "2s",
        "--never",
        cheap,
        "--never",
        predicate,
        "--never",
        cheap,
    ];
    let begin = Instant::now();
    let ended = scenario.run(&[&["detect", "run.jsonl", "--format", "json"], &ask[..]].concat());
    // 2 s with a fifth more, and the rest for a busy machine; without the limit it takes hours.
    assert!(begin.elapsed() < Duration::from_secs(60), "{:?}", begin.elapsed());
    let all = ended.code(1).json();
    assert_eq!(all["queries"][0]["verdict"], "violated");
    assert_eq!(all["queries"][1]["verdict"], "inconclusive");
    assert_eq!(all["queries"][1]["limit"], "time");
    assert_eq!(all["queries"][2]["verdict"], "violated");
    let begin = Instant::now();
    scenario
        .run(&["detect", "run.jsonl", "--timeout", "1s", "--never", predicate])
        .code(3)
        .says("inconclusive")
        .says("--timeout sets it");
    assert!(begin.elapsed() < Duration::from_secs(60), "{:?}", begin.elapsed());
    let begin = Instant::now();
    scenario
        .run(&[
            "detect",
            "run.jsonl",
            "--follow",
            "--timeout",
            "1s",
            "--never",
            predicate,
        ])
        .code(3)
        .says("inconclusive");
    assert!(begin.elapsed() < Duration::from_secs(60), "{:?}", begin.elapsed());
}

#[test]
fn counting_has_a_limit_on_states() {
    let scenario = Scenario::with("run.jsonl", COUNTERS);
    let count = ["detect", "run.jsonl", "--method", "enumerate"];
    let all = scenario
        .run(&[&count[..], &["--format", "json"]].concat())
        .code(0)
        .json();
    let cuts = all["cuts"].as_u64().expect("a number").to_string();
    scenario.run(&[&count[..], &["--max-states", &cuts]].concat()).code(0);
    scenario
        .run(&[&count[..], &["--max-states", "1"]].concat())
        .code(3)
        .says("inconclusive: the number of consistent cuts")
        .says("at least 3 consistent cuts")
        .says("--max-states sets it");
}

#[test]
fn memory_has_a_limit_in_every_phase() {
    let (trace, predicate) = explosive();
    let scenario = Scenario::with("run.jsonl", trace).and("large.jsonl", many_states().repeat(200));
    let cheap = ["--never", "p0.x == 3 && p1.x == 4"];
    scenario
        .run(
            &[
                &["detect", "run.jsonl", "--max-memory", "30MB"],
                &cheap[..],
                &["--never", predicate],
            ]
            .concat(),
        )
        .code(1)
        .says("violated: never p0.x == 3")
        .says("--max-memory sets it");
    scenario
        .run(
            &[
                &["detect", "large.jsonl", "--max-memory", "1MB", "--format", "json"],
                &cheap[..],
            ]
            .concat(),
        )
        .code(3)
        .says("\"limit\": \"memory\"");
}

#[test]
fn a_query_without_a_value_does_not_cost_the_others_their_answers() {
    let scenario = Scenario::with("run.jsonl", COUNTERS);
    let ask = [
        "detect",
        "run.jsonl",
        "--never",
        "p1.x + p1.z == 1",
        "--default",
        "z=a",
        "--never",
        "p1.x == 2",
    ];
    scenario
        .run(&ask)
        .code(1)
        .says("violated: never p1.x == 2")
        .complains("error: ");
    let ask = [
        "detect",
        "run.jsonl",
        "--never",
        "p1.x + p1.z == 1",
        "--default",
        "z=a",
        "--never",
        "p1.x == 9",
    ];
    scenario
        .run(&ask)
        .code(2)
        .says("holds: never p1.x == 9")
        .complains("error: ");
    let ask = ["detect", "run.jsonl", "--never", "p1.x + p1.z == 1", "--default", "z=a"];
    scenario.run(&ask).code(2).prints_nothing();
}

#[test]
fn a_formula_without_a_value_does_not_cost_the_others_their_answers() {
    let run = "{\"process\":\"a\",\"init\":true,\"vars\":{\"x\":0}}\n{\"process\":\"a\",\"vars\":{\"x\":2}}\n";
    let scenario = Scenario::with("run.jsonl", run);
    let formula = ["detect", "run.jsonl", "--sltl", "[] (1 / (2 - a.x) >= 0)"];
    scenario
        .run(&[&formula[..], &["--never", "a.x == 9", "--sltl", "<> a.x == 2"]].concat())
        .code(2)
        .says("holds: never a.x == 9")
        .says("holds: sltl <> a.x == 2")
        .complains("error: division by zero");
    scenario
        .run(&[&formula[..], &["--never", "a.x == 2"]].concat())
        .code(1)
        .says("violated: never a.x == 2");
    scenario.run(&formula).code(2).prints_nothing();
}
