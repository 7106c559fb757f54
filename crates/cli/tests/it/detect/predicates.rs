//! Predicates, right and wrong ones.

use super::*;

/// What is on standard error after a wrong predicate.
fn complaint(predicate: &str) -> String {
    let scenario = Scenario::with("run.log", TWO_LEADERS);
    scenario
        .run(&["detect", "run.log", "--never", predicate])
        .code(2)
        .prints_nothing()
        .stderr
}

#[test]
fn a_typo_in_the_name_of_a_process() {
    let expected = r#"error: there is no process `node-4`
 --> --never
  |
  | process("node-4").leader
  |         ^^^^^^^^ did you mean `node-1`? processes: node-1, node-2, node-3
"#;
    assert_eq!(complaint(r#"process("node-4").leader"#), expected);
}

#[test]
fn a_typo_in_the_name_of_a_variable() {
    let expected = "error: no process ever assigns `leadr`
 --> --never
  |
  | processes.exists(p, p.leadr)
  |                     ^^^^^^^ did you mean `leader`?
";
    assert_eq!(complaint("processes.exists(p, p.leadr)"), expected);
}

#[test]
fn a_typo_in_the_expression() {
    let expected = "error: expected a value, found `*`
 --> --never
  |
  | processes.exists(p, p.term + * 2)
  |                              ^
";
    assert_eq!(complaint("processes.exists(p, p.term + * 2)"), expected);
    let expected = "error: expected an operator, `,` or `)`, found `=`
 --> --never
  |
  | processes.exists(p, p.term = 2)
  |                            ^ equality is written `==`
";
    assert_eq!(complaint("processes.exists(p, p.term = 2)"), expected);
}

#[test]
fn all_queries_are_looked_at_before_the_input_is() {
    let scenario = Scenario::new();
    let ended = scenario
        .run(&["detect", "no-such-file", "--never", "p.x +", "--always", "(p.y"])
        .code(2);
    ended.complains("--> --never").complains("--> --always");
}

#[test]
fn a_value_of_the_wrong_type_names_the_record() {
    let message = complaint(r#"processes.exists(p, p.term > "two")"#);
    assert!(
        message.starts_with("error: `>` cannot be applied to an int and a string"),
        "{message}"
    );
    assert!(
        message.contains("\n  |                     ^^^^^^^^^^^^^^\n"),
        "{message}"
    );
    assert!(
        message.contains("--> run.log:1\n  |\n1 | {\"process\":\"node-1\",\"init\":true"),
        "{message}"
    );
}

#[test]
fn a_value_that_is_not_assigned_yet_can_have_a_default() {
    let trace = "{\"process\":\"a\",\"event\":\"go\"}\n{\"process\":\"a\",\"vars\":{\"x\":1}}\n";
    let scenario = Scenario::with("run.log", trace);
    let never = ["detect", "run.log", "--never", "a.x + 1 > 5"];
    let ended = scenario.run(&never).code(2).prints_nothing();
    ended
        .complains("`a.x` is null (not assigned yet), but `+` needs a number")
        .complains("  | a.x + 1 > 5\n  | ^")
        .complains("`--default x=VALUE`");
    scenario
        .run(&[&never[..], &["--default", "x=0"]].concat())
        .code(0)
        .says("holds: never");
    scenario
        .run(&[&never[..], &["--default", "x=7"]].concat())
        .code(1)
        .says("initially");
    scenario
        .run(&[&never[..], &["--default", "x"]].concat())
        .code(2)
        .complains("NAME=VALUE");
}
