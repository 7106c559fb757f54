//! `mazurka trace lint`: the clock doctor.

use crate::scenario::Scenario;
use serde_json::{Value, json};

#[test]
fn a_clean_trace_is_called_so() {
    let trace = "{\"process\":\"a\",\"send\":[\"m\"]}\n{\"process\":\"b\",\"recv\":[\"m\"]}\n";
    let scenario = Scenario::with("run.log", trace);
    let ended = scenario.run(&["trace", "lint", "run.log"]).code(0);
    assert_eq!(
        ended.stdout,
        "run.log: 2 processes, 2 events: nothing is wrong [mazurka]\n"
    );
    let all = scenario
        .run(&["trace", "lint", "run.log", "--format", "json"])
        .code(0)
        .json();
    assert_eq!(all["clean"], true);
    assert_eq!(
        (&all["processes"], &all["events"], &all["findings"]),
        (&json!(2), &json!(2), &json!([]))
    );
}

#[test]
fn every_broken_rule_has_its_line_and_what_was_expected() {
    let trace = "\
{\"process\":\"a\",\"clock\":{\"a\":1}}
{\"process\":\"a\",\"clock\":{\"a\":1}}
{\"process\":\"b\",\"clock\":{\"b\":1,\"a\":7}}
";
    let scenario = Scenario::with("run.log", trace);
    let ended = scenario.run(&["trace", "lint", "run.log"]).code(2);
    ended
        .says("error[own-entry]: ")
        .says("--> run.log:2:29\n")
        .says("^ expected `a: 2`")
        .says("run.log: it cannot be used; ");
    let all = scenario
        .run(&["trace", "lint", "run.log", "--format", "json"])
        .code(2)
        .json();
    assert_eq!(all["clean"], false);
    assert_eq!(all["events"], Value::Null);
    let first = &all["findings"][0];
    assert_eq!(
        (&first["severity"], &first["rule"]),
        (&json!("error"), &json!("own-entry"))
    );
    assert_eq!(
        (&first["file"], &first["line"], &first["column"]),
        (&json!("run.log"), &json!(2), &json!(29))
    );
}

#[test]
fn what_is_odd_is_a_warning() {
    let trace = "{\"process\":\"a\",\"vars\":{\"x\":1}}\n{\"process\":\"a\",\"vars\":{\"x\":\"one\"}}\n";
    let scenario = Scenario::with("run.log", trace);
    scenario
        .run(&["trace", "lint", "run.log"])
        .code(0)
        .says("warning[type-change]: `x` of `a` was a number and becomes a text")
        .says("it can be used; 1 warning [mazurka]\n");
}

#[test]
fn inputs_are_read_as_detect_reads_them() {
    let scenario = Scenario::new()
        .and("logs/a", "{\"process\":\"a\"}\n")
        .and("logs/b", "{\"process\":\"b\"}\n");
    scenario
        .run(&["trace", "lint", "logs"])
        .code(0)
        .says("logs: 2 processes, 2 events");
    scenario
        .run_with(&["trace", "lint", "-"], b"a {\"a\":1}\nup\n")
        .code(0)
        .says("standard input: 1 process");
    let hole = b"a {\"a\":2}\nup\n";
    scenario.run_with(&["trace", "lint", "-"], hole).code(2).says("error[");
    scenario
        .run_with(&["trace", "lint", "-", "--holes"], hole)
        .code(0)
        .says("warning[missing-events]: event 1 of `a` has no record and was put in");
    scenario
        .run(&["trace", "lint", "missing"])
        .code(2)
        .complains("cannot read missing");
    scenario
        .run(&["trace", "lint", "-"])
        .code(2)
        .complains("standard input is empty");
    scenario.run(&["trace", "lint"]).code(2).complains("TRACE");
}

#[test]
fn an_input_without_a_record_is_called_so() {
    for (format, input) in [
        ("mazurka", "\n\n"),
        ("clocks", "\n"),
        ("govector", "=== Execution ===\n"),
        ("otlp", "{}\n"),
        ("jaeger", "{\"data\":[]}"),
        ("zipkin", "[]"),
        ("shiviz", "\n"),
    ] {
        let scenario = Scenario::with("run.log", input);
        let lint = scenario.run(&["trace", "lint", "run.log", "--input", format]).code(2);
        lint.says("there is no ").says("run.log: it cannot be used; 1 error");
        let ask = ["detect", "run.log", "--input", format, "--never", "a.x == 1"];
        scenario.run(&ask).code(2).complains("there is no ");
    }
}

#[test]
fn many_processes_without_an_order_are_one_warning() {
    let records = |n: usize| -> String { (0..n).map(|p| format!("{{\"process\":\"p{p}\"}}\n")).collect() };
    let few = Scenario::with("run.log", records(3));
    let lint = few.run(&["trace", "lint", "run.log"]).code(0);
    lint.says("no event of `p2` is ordered").says("3 warnings");
    let many = Scenario::with("run.log", records(1000));
    let lint = many.run(&["trace", "lint", "run.log"]).code(0);
    lint.says("no event of `p0`, `p1` and 998 other processes is ordered")
        .says("1 warning ");
}

/// Commands that print much of their input, or report errors in it.
const COMMANDS: &[&[&str]] = &[
    &["trace", "lint", "run.log"],
    &["trace", "lint", "broken\u{1b}[31m.log"],
    &["trace", "lint", "lost.log"],
    &["trace", "lint", "lost.log", "--holes"],
    &["trace", "lint", "no\u{1b}[31m.log"],
    &["detect", "run.log", "--never", "processes.exists(p, p.y == 1)"],
    &["detect", "run.log", "--possibly", "processes.exists(p, p.y != null)"],
    &[
        "detect",
        "run.log",
        "--follow",
        "--possibly",
        "processes.exists(p, p.y != null)",
    ],
    &["detect", "run.log", "--never", "processes.exists(p, p.y + 1 == 1)"],
    &["detect", "run.log", "--never", "aa.y == 1"],
    &["detect", "run.log", "--never", "process('\u{1b}[31m').y == 1"],
    &["detect", "run.log", "--never", "a.y == \u{1b}[31m 1"],
    &[
        "detect",
        "broken\u{1b}[31m.log",
        "--never",
        "processes.exists(p, p.y == 1)",
    ],
    &[
        "detect",
        "broken\u{1b}[31m.log",
        "--follow",
        "--never",
        "processes.exists(p, p.y == 1)",
    ],
    &[
        "detect",
        "lost.log",
        "--follow",
        "--never",
        "processes.exists(p, p.y == 1)",
    ],
    &["detect", "no\u{1b}[31m.log", "--never", "a.y == 1"],
    &["detect", "run.log", "--sltl", "[] !(a.y == 1)"],
    &["detect", "run.log", "--sltl", "[] !(\u{1b}[31m == 1)"],
];

#[test]
fn nothing_from_the_input_reaches_the_terminal_as_it_is() {
    let evil = "\\u001b[31m\\u0007\\u009b2J\\nfake";
    let trace = format!(
        "{{\"process\":\"a{evil}\",\"event\":\"{evil}\",\"vars\":{{\"x{evil}\":1,\"y\":\"{evil}\"}},\"send\":[\"m{evil}\"]}}\n\
         {{\"process\":\"a{evil}\",\"vars\":{{\"x{evil}\":\"one\"}}}}\n"
    );
    let broken = format!(
        "{trace}{{\"process\":\"b\",\"recv\":[\"n{evil}\"],\"k{evil}\":1}}\n{{\"process\":\"b\",\"recv\":[\"n{evil}\"]}}\n"
    );
    let lost = format!("{trace}{{\"process\":\"b\",\"recv\":[\"n{evil}\"]}}\n");
    let scenario = Scenario::with("run.log", &trace)
        .and("broken\u{1b}[31m.log", &broken)
        .and("lost.log", &lost);
    for arguments in COMMANDS {
        let ended = scenario.run(arguments);
        for text in [&ended.stdout, &ended.stderr] {
            let harmful = |c: char| c.is_control() && c != '\n';
            assert!(!text.contains(harmful), "{arguments:?}: {text:?}");
            assert!(!text.contains("\nfake"), "{arguments:?}: {text:?}");
        }
    }
}
