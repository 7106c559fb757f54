//! Where recorded runs come from.

use super::*;

fn detect(scenario: &Scenario, arguments: &[&str]) -> crate::scenario::Ended {
    scenario.run(&[&["detect"], arguments, &["--never", "a.x == 9"]].concat())
}

const A: &str = "{\"process\":\"a\",\"vars\":{\"x\":1},\"send\":[\"m\"]}\n";
const B: &str = "{\"process\":\"b\",\"recv\":[\"m\"]}\n";

#[test]
fn standard_input() {
    let scenario = Scenario::new();
    let arguments = ["detect", "-", "--possibly", "a.x == 1", "--format", "json"];
    let all = scenario.run_with(&arguments, A.as_bytes()).code(0).json();
    assert_eq!((&all["trace"], &all["events"]), (&json!("-"), &json!(1)));
    let text = scenario.run_with(&arguments[..4], A.as_bytes()).code(0);
    text.says("standard input: 1 process, 1 event");
    scenario
        .run_with(&["detect", "-", "other.log", "--possibly", "true"], A.as_bytes())
        .code(2)
        .complains("`-`");
}

#[test]
fn files_and_directories() {
    let scenario = Scenario::new()
        .and("logs/a.log", A)
        .and("logs/b.log", B)
        .and("logs/.hidden", "?");
    let arguments = ["detect", "logs", "--possibly", "a.x == 1", "--format", "json"];
    let all = scenario.run(&arguments).code(0).json();
    assert_eq!((&all["trace"], &all["processes"]), (&json!("logs"), &json!(2)));
    let witness = &all["queries"][0]["witness"];
    assert_eq!(witness["observed"], Value::Null, "nobody knows the order between files");
    assert!(
        witness["records"]["a"]["file"]
            .as_str()
            .is_some_and(|f| f.ends_with("a.log"))
    );
    detect(&scenario, &["logs/b.log", "logs/a.log"])
        .code(0)
        .says("logs/b.log, logs/a.log: 2 processes, 2 events");
    let text = scenario.run(&arguments[..4]).code(0);
    text.says("logs/a.log:1: {")
        .says("Whether the recorded order passed through such a state is not known.");
}

#[test]
fn a_missing_file_and_an_empty_one() {
    let scenario = Scenario::with("empty.log", "\n");
    detect(&scenario, &["missing.log"])
        .code(2)
        .prints_nothing()
        .complains("cannot read missing.log: ");
    detect(&scenario, &["empty.log"])
        .code(2)
        .prints_nothing()
        .complains("error: empty.log is empty");
}

#[test]
fn something_else() {
    let scenario = Scenario::with("hosts", "127.0.0.1 localhost\n");
    detect(&scenario, &["hosts"])
        .code(2)
        .complains("the format of hosts is not known")
        .complains("`--input`");
}

#[test]
fn bytes_that_are_no_text() {
    let scenario = Scenario::with("run.log", [A.as_bytes(), b"{\"process\":\"\xff\"}\n"].concat());
    detect(&scenario, &["run.log"])
        .code(2)
        .prints_nothing()
        .complains("error[syntax]: byte 0xff is not UTF-8")
        .complains("--> run.log:2:13\n")
        .complains("^ expected UTF-8")
        .complains("error: run.log cannot be used (read as mazurka): it has an error");
}

#[test]
fn a_last_line_that_is_cut_off() {
    let scenario = Scenario::with("run.log", format!("{A}{{\"process\":\"b\",\"ev"));
    detect(&scenario, &["run.log"])
        .code(2)
        .complains("the last line is cut off")
        .complains("--> run.log:2:19\n");
}

#[test]
fn a_line_of_a_megabyte() {
    let long = format!(
        "{{\"process\":\"a\",\"vars\":{{\"x\":9,\"text\":\"{}\"}}}}\n",
        "x".repeat(1 << 20)
    );
    let ended = detect(&Scenario::with("run.log", long), &["run.log"]).code(1);
    assert!(
        ended.stdout.len() < 2000 && ended.stdout.contains('…'),
        "{}",
        ended.stdout.len()
    );
}

#[test]
fn rules_that_are_broken() {
    let scenario = Scenario::with(
        "run.log",
        "{\"process\":\"a\",\"vars\":{\"x\":1}}\n{\"process\":\"b\",\"recv\":[\"m\"]}\n",
    );
    detect(&scenario, &["run.log"])
        .code(2)
        .prints_nothing()
        .complains("error[receive-without-send]: ")
        .complains("--> run.log:2:24\n");
}

#[test]
fn holes_are_tolerated_on_request_and_said() {
    let trace = "a {\"a\":1, \"b\":2}\nx=1\nb {\"b\":3}\nx=2\n";
    let scenario = Scenario::with("run.log", trace);
    detect(&scenario, &["run.log"]).code(2).complains("error[own-entry]");
    detect(&scenario, &["run.log", "--holes"])
        .code(0)
        .says("2 events without a record: what they assigned is unknown")
        .says("[govector]");
}

#[test]
fn shiviz_logs_with_several_executions() {
    let trace = "\
(?<event>.*)\\n(?<host>\\S*) (?<clock>{.*})
=== (?<trace>.*) ===
=== first ===
x=1
a {\"a\":1}
=== second ===
x=9
a {\"a\":1}
x=2
b {\"a\":1, \"b\":1}
";
    let scenario = Scenario::with("run.log", trace);
    let text = detect(&scenario, &["run.log"]).code(1);
    text.says("run.log, execution 1 (first): 1 process, 1 event  [shiviz]\n\nholds: never")
        .says("\n\nrun.log, execution 2 (second): 2 processes, 2 events  [shiviz]\n\nviolated: never");
    let all = detect(&scenario, &["run.log", "--format", "json"]).code(1).json();
    assert_eq!(all["trace"], "run.log");
    let executions = all["executions"].as_array().expect("a list");
    assert_eq!(executions.len(), 2);
    assert_eq!(executions[1]["execution"], json!({"number": 2, "name": "second"}));
    assert_eq!(executions[1]["queries"][0]["verdict"], "violated");
    for (execution, code) in [("first", 0), ("1", 0), ("second", 1), ("2", 1)] {
        let one = detect(&scenario, &["run.log", "--format", "json", "--execution", execution]).code(code);
        assert_eq!(one.json()["queries"].as_array().map(Vec::len), Some(1));
    }
    detect(&scenario, &["run.log", "--execution", "third"])
        .code(2)
        .prints_nothing()
        .complains("there is no execution `third`")
        .complains("--execution 2 (second)");
    detect(&scenario, &["run.log", "--report", "out.html"])
        .code(2)
        .complains("has 2 executions, and a report shows one");
}

#[test]
fn the_format_and_the_expression_can_be_given() {
    let trace = "a|{\"a\":1}|x=1\n";
    let scenario = Scenario::with("run.log", trace);
    let regex = r"(?<host>\S*?)\|(?<clock>\{.*\})\|(?<event>.*)";
    detect(&scenario, &["run.log", "--shiviz-regex", regex])
        .code(0)
        .says("1 process, 1 event  [shiviz]");
    detect(&scenario, &["run.log", "--shiviz-regex", "(?<host>"])
        .code(2)
        .complains("the regular expression `(?<host>`");
    let clocks = "{\"host\":\"a\",\"VectorClock\":{\"a\":1},\"x\":1}\n";
    let scenario = Scenario::with("run.log", clocks);
    detect(&scenario, &["run.log", "--input", "clocks"])
        .code(0)
        .says("[clocks]");
    detect(&scenario, &["run.log", "--input", "mazurka"])
        .code(2)
        .complains("no `process`");
}

#[test]
fn a_report_does_not_overwrite_the_trace() {
    let scenario = Scenario::with("run.jsonl", A).and("logs/a.log", A);
    std::os::unix::fs::symlink(scenario.path("run.jsonl"), scenario.path("link.html")).expect("a link");
    for (trace, report) in [
        ("run.jsonl", "run.jsonl"),
        ("run.jsonl", "./run.jsonl"),
        ("run.jsonl", "link.html"),
        ("logs", "logs/a.log"),
    ] {
        detect(&scenario, &[trace, "--report", report])
            .code(2)
            .complains("is an input of this run");
    }
    for file in ["run.jsonl", "logs/a.log"] {
        assert_eq!(std::fs::read_to_string(scenario.path(file)).expect("it is there"), A);
    }
}
