//! `mazurka trace lint`: the clock doctor.

mod scenario;

use scenario::Scenario;
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
