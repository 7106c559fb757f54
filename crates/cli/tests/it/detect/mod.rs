//! `mazurka detect`, as an engineer with logs would use it.

mod inputs;
mod limits;
mod predicates;
mod warnings;

use crate::scenario::Scenario;
use serde_json::{Value, json};

/// Node 2 leads, steps down, and node 1 becomes leader meanwhile: in the recorded order
/// after node 2 has stepped down, but nothing makes it so.
const TWO_LEADERS: &str = r#"{"process":"node-1","init":true,"vars":{"leader":false,"term":1}}
{"process":"node-2","init":true,"vars":{"leader":true,"term":1}}
{"process":"node-3","init":true,"vars":{"leader":false,"term":1}}
{"process":"node-1","event":"timeout","vars":{"term":2},"send":["v1"]}
{"process":"node-3","event":"vote","vars":{"term":2},"recv":["v1"],"send":["y1"]}
{"process":"node-2","event":"step down","vars":{"leader":false}}
{"process":"node-1","event":"win","vars":{"leader":true},"recv":["y1"]}
"#;

const TWO: &str = "processes.exists(p, processes.exists(q, p.name != q.name && p.leader && q.leader))";

/// p1 and p2 count to two, without a message.
const COUNTERS: &str = r#"{"process":"p1","init":true,"vars":{"x":0}}
{"process":"p2","init":true,"vars":{"y":0}}
{"process":"p1","event":"one","vars":{"x":1}}
{"process":"p1","event":"two","vars":{"x":2}}
{"process":"p2","event":"one","vars":{"y":1}}
{"process":"p2","event":"two","vars":{"y":2}}
"#;

/// Processes that do a lot without a message: more global states than anybody looks at.
fn many_states() -> String {
    let mut text = String::new();
    for k in 0..100 {
        for p in 0..8 {
            text += &format!("{{\"process\":\"p{p}\",\"vars\":{{\"x\":{k}}}}}\n");
        }
    }
    text
}

fn query(trace: &str, arguments: &[&str]) -> Value {
    let arguments = [&["detect", "run.log", "--format", "json"], arguments].concat();
    let ended = Scenario::with("run.log", trace).run(&arguments);
    assert!(matches!(ended.code, Some(0 | 1)), "{}", ended.stderr);
    ended.json()["queries"][0].clone()
}

#[test]
fn two_leaders_could_have_coexisted() {
    let ended = Scenario::with("run.log", TWO_LEADERS).run(&["detect", "run.log", "--never", TWO]);
    let method = ended.stdout.lines().last().unwrap_or_default().to_owned();
    assert!(method.starts_with("  method conjunctive, "), "{method}");
    let expected = format!(
        "\
run.log: 3 processes, 4 events  [mazurka]

violated: never {TWO}
  The run could have been in this global state (no smaller one will do):
    node-1  after event 2  line 7: {{\"process\":\"node-1\",\"event\":\"win\",\"vars\":{{\"leader\":true}},\"recv\":[\"y1\"]}}
            leader=true  term=2
    node-2  initially      line 2: {{\"process\":\"node-2\",\"init\":true,\"vars\":{{\"leader\":true,\"term\":1}}}}
            leader=true  term=1
    others: node-3 after event 1
  The recorded order did not pass through such a state; another order of the same events does.
  3 events lead to this one:
    1  node-1  line 4  timeout
    2  node-3  line 5  vote
    3  node-1  line 7  win
{method}
"
    );
    assert_eq!(ended.stdout, expected);
    ended.code(1);
}

#[test]
fn the_same_for_a_script() {
    let scenario = Scenario::with("run.log", TWO_LEADERS);
    let ended = scenario
        .run(&["detect", "run.log", "--never", TWO, "--format", "json"])
        .code(1);
    let all = ended.json();
    assert_eq!(all["trace"], "run.log");
    assert_eq!((&all["processes"], &all["events"]), (&json!(3), &json!(4)));
    let query = &all["queries"][0];
    assert_eq!(query["modality"], "never");
    assert_eq!(query["predicate"], TWO);
    assert_eq!(query["answer"], false);
    assert_eq!(query["verdict"], "violated");
    assert_eq!(query["method"], "conjunctive");
    assert!(query["states"].is_u64() && query["transitions"].is_u64() && query["seconds"].is_f64());
    assert_eq!(query["limit"], Value::Null);
    let witness = &query["witness"];
    assert_eq!(witness["cut"], json!({"node-1": 2, "node-2": 0, "node-3": 1}));
    assert_eq!(witness["variables"]["node-2"], json!({"leader": true, "term": 1}));
    assert_eq!(witness["minimal"], true);
    assert_eq!(witness["observed"], false);
    assert_eq!(witness["run"], json!(["node-1", "node-3", "node-1"]));
    let record = &witness["records"]["node-1"];
    assert_eq!(
        (&record["event"], &record["file"], &record["line"]),
        (&json!(2), &json!("run.log"), &json!(7))
    );
    assert!(record["text"].as_str().is_some_and(|text| text.contains("\"win\"")));
}

#[test]
fn queries_are_answered_in_the_order_of_the_command_line() {
    let scenario = Scenario::with("run.log", COUNTERS);
    let arguments = [
        "detect",
        "run.log",
        "--format",
        "json",
        "--inevitably",
        "p1.x == 1",
        "--possibly",
        "p1.x == 1 && p2.y == 1",
        "--always",
        "p1.x >= 0",
        "--possibly",
        "p1.x == 3",
        "--definitely",
        "p1.x == 1 && p2.y == 1",
    ];
    let all = scenario.run(&arguments).code(0).json();
    let told: Vec<Value> = (all["queries"].as_array().expect("a list").iter())
        .map(|q| json!([q["modality"], q["answer"], q["verdict"]]))
        .collect();
    let expected = [
        json!(["inevitably", true, "holds"]),
        json!(["possibly", true, null]),
        json!(["always", true, "holds"]),
        json!(["possibly", false, null]),
        json!(["definitely", false, null]),
    ];
    assert_eq!(told, expected);
    assert_eq!(all["queries"][3]["witness"], Value::Null);
}

#[test]
fn the_recorded_order_may_have_passed_through_the_state_itself() {
    let seen = query(COUNTERS, &["--possibly", "p1.x == 2 && p2.y == 1"]);
    assert_eq!(seen["witness"]["observed"], true);
    let unseen = query(COUNTERS, &["--possibly", "p1.x == 1 && p2.y == 1"]);
    assert_eq!(unseen["witness"]["observed"], false);
    let scenario = Scenario::with("run.log", COUNTERS);
    scenario
        .run(&["detect", "run.log", "--possibly", "p1.x == 2 && p2.y == 1"])
        .code(0)
        .says("yes: possibly p1.x == 2 && p2.y == 1\n")
        .says("The recorded order itself passed through such a state.\n");
}

#[test]
fn what_could_have_been_avoided_is_shown_as_an_order_of_all_events() {
    let scenario = Scenario::with("run.log", COUNTERS);
    let arguments = ["detect", "run.log", "--inevitably", "p1.x == 1 && p2.y == 1"];
    let ended = scenario.run(&arguments).code(1);
    ended
        .says("violated: inevitably p1.x == 1 && p2.y == 1\n")
        .says("  The run could have avoided it: in this order of 4 events it never holds.\n");
    let path = query(COUNTERS, &arguments[2..])["witness"]["path"].clone();
    let path = path.as_array().expect("a history").clone();
    assert_eq!(path.len(), 5);
    assert_eq!(path[0], json!({"p1": 0, "p2": 0}));
    assert_eq!(path[4], json!({"p1": 2, "p2": 2}));
    assert!(!path.contains(&json!({"p1": 1, "p2": 1})));
}

#[test]
fn a_long_order_is_shortened_unless_v_asks_for_all() {
    let mut trace = String::new();
    for k in 0..50 {
        trace += &format!("{{\"process\":\"p\",\"event\":\"step {k}\",\"vars\":{{\"x\":{k}}}}}\n");
    }
    let scenario = Scenario::with("run.log", trace);
    let short = scenario.run(&["detect", "run.log", "--possibly", "p.x == 49"]).code(0);
    let short = short
        .says("⋮  46 more (-v lists them)\n")
        .says("    50  p  line 50  step 49\n");
    assert!(!short.stdout.contains("step 45\n"), "{}", short.stdout);
    let long = scenario
        .run(&["detect", "run.log", "-v", "--possibly", "p.x == 49"])
        .code(0);
    long.says("     1  p  line 1   step 0\n")
        .says("  1 conjunct\n")
        .says("reads p: p.x == 49");
}

#[test]
fn every_method_agrees() {
    for method in ["auto", "search", "enumerate", "conjunctive", "decompose", "stubborn"] {
        let possible = query(COUNTERS, &["--method", method, "--possibly", "p1.x == 1 && p2.y == 1"]);
        assert_eq!(possible["answer"], true, "{method}");
        assert_eq!(possible["witness"]["cut"], json!({"p1": 1, "p2": 1}), "{method}");
        let chosen = if method == "auto" { "conjunctive" } else { method };
        assert_eq!(possible["method"], chosen);
        if !["decompose", "stubborn"].contains(&method) {
            let must = query(COUNTERS, &["--method", method, "--inevitably", "p1.x == 1"]);
            assert_eq!(
                (&must["answer"], &must["verdict"]),
                (&json!(true), &json!("holds")),
                "{method}"
            );
        }
    }
    for reduction in ["none", "sleep", "persistent", "full"] {
        let possible = query(COUNTERS, &["--reduction", reduction, "--never", "p1.x + p2.y == 4"]);
        assert_eq!(
            (&possible["answer"], &possible["method"]),
            (&json!(false), &json!("search")),
            "{reduction}"
        );
        for (method, asked, answer) in [("stubborn", "--never", false), ("conference", "--inevitably", true)] {
            let by = query(
                COUNTERS,
                &["--method", method, "--reduction", reduction, asked, "p1.x == 1"],
            );
            assert_eq!(
                (&by["answer"], &by["method"]),
                (&json!(answer), &json!(method)),
                "{reduction}"
            );
        }
    }
}

#[test]
fn a_method_that_cannot_answer_says_why() {
    let scenario = Scenario::with("run.log", COUNTERS);
    let run = |arguments: &[&str]| {
        scenario
            .run(&[&["detect", "run.log"], arguments].concat())
            .code(2)
            .prints_nothing()
    };
    run(&["--method", "conjunctive", "--never", "p1.x + p2.y == 4"])
        .complains("method `conjunctive` cannot answer `never p1.x + p2.y == 4`: ")
        .complains("try `search`");
    run(&["--method", "decompose", "--definitely", "p1.x == 1"]).complains("it is for Possibly only");
    run(&["--method", "enumerate", "--reduction", "sleep", "--never", "p1.x == 1"])
        .complains("--reduction is for --method search, stubborn and conference only");
    run(&["--method", "stubborn", "--definitely", "p1.x == 1"]).complains("it is for Possibly only");
    run(&["--method", "conference", "--possibly", "p1.x == 1"]).complains("it is for Definitely only");
    run(&["--method", "conference", "--definitely", "p1.x + p2.y == 4"])
        .complains("a conjunct reads more than one process; try `search`");
}

#[test]
fn global_states_are_counted() {
    let scenario = Scenario::with("run.log", COUNTERS);
    scenario
        .run(&["detect", "run.log", "--method", "enumerate"])
        .code(0)
        .says("run.log: 2 processes, 4 events  [mazurka]\n\n9 consistent cuts (");
    let arguments = [
        "detect",
        "run.log",
        "--method",
        "enumerate",
        "--threads",
        "2",
        "--format",
        "json",
    ];
    let all = scenario.run(&arguments).code(0).json();
    assert_eq!((&all["cuts"], &all["queries"]), (&json!(9), &json!([])));
}

#[test]
fn a_limit_makes_it_inconclusive() {
    let scenario = Scenario::with("run.log", many_states());
    let never = [
        "detect",
        "run.log",
        "--method",
        "enumerate",
        "--never",
        "p0.x + p1.x < 0",
    ];
    let ended = scenario.run(&[&never[..], &["--max-states", "1000"]].concat()).code(3);
    ended
        .says("inconclusive: never p0.x + p1.x < 0\n")
        .says("--max-states sets it.\n");
    let ended = scenario
        .run(&[&never[..], &["--timeout", "100ms", "--format", "json"]].concat())
        .code(3);
    let query = &ended.json()["queries"][0];
    assert_eq!(query["answer"], Value::Null);
    assert_eq!(query["verdict"], "inconclusive");
    assert_eq!(query["limit"], "time");
    // A violation is one, whatever else is not known.
    let both = ["--max-states", "1000", "--always", "p7.x == null"];
    scenario
        .run(&[&never[..], &both].concat())
        .code(1)
        .says("violated: always");
    // Counting has limits as well.
    // Long enough for a busy machine to count some.
    let count = ["detect", "run.log", "--method", "enumerate", "--timeout", "1s"];
    scenario
        .run(&count)
        .code(3)
        .says("inconclusive: the number of consistent cuts\n  at least ")
        .says(" consistent cuts (");
    let ended = scenario.run(&[&count[..], &["--format", "json"]].concat()).code(3);
    let all: Value = serde_json::from_str(&ended.stdout).expect("JSON");
    assert_eq!((&all["cuts"], &all["limit"]), (&Value::Null, &json!("time")));
    assert!(all["counted"].as_u64().is_some_and(|cuts| cuts > 0), "{all}");
    scenario
        .run(&["detect", "run.log", "--timeout", "7", "--never", "true"])
        .code(2)
        .complains("--timeout");
}

#[test]
fn a_report_is_a_page_of_its_own() {
    let scenario = Scenario::with("run.log", TWO_LEADERS);
    let arguments = ["detect", "run.log", "--never", TWO, "--report", "out.html"];
    let ended = scenario.run(&arguments).code(1).complains("wrote out.html");
    assert!(ended.stdout.contains("violated"));
    let page = std::fs::read_to_string(scenario.path("out.html")).expect("a page");
    assert!(page.starts_with("<!DOCTYPE html>") || page.starts_with("<!doctype html>"));
    assert!(page.contains("violated") && page.contains("node-3"));
    assert_eq!(scenario.files(), ["out.html", "run.log"]);
    let ended = scenario.run(&[&arguments[..], &["--quiet"]].concat()).code(1);
    assert_eq!(ended.stderr, "");
}

#[test]
fn a_report_that_cannot_be_written_is_refused_before_the_search() {
    let scenario = Scenario::with("run.log", many_states());
    let never = [
        "detect",
        "run.log",
        "--method",
        "enumerate",
        "--never",
        "p0.x + p1.x < 0",
        "--report",
    ];
    for path in ["no/such/folder/out.html", "."] {
        let ended = scenario.run(&[&never[..], &[path]].concat()).code(2).prints_nothing();
        ended.complains("cannot write").complains(path);
    }
    assert_eq!(scenario.files(), ["run.log"]);
}

#[test]
fn nothing_is_asked() {
    let ended = Scenario::with("run.log", COUNTERS).run(&["detect", "run.log"]).code(2);
    ended
        .prints_nothing()
        .complains("error: nothing is asked")
        .complains("--never");
}

#[cfg(unix)]
#[test]
fn ctrl_c_prints_the_answers_so_far() {
    use std::io::Read;
    use std::process::{Command, Stdio};
    let scenario = Scenario::with("run.log", many_states());
    let arguments = [
        "detect",
        "run.log",
        "--method",
        "enumerate",
        "--possibly",
        "p0.x == null",
        "--never",
        "p0.x + p1.x < 0",
        "--always",
        "p0.x == null",
    ];
    let mut child = (scenario.command(&arguments))
        .stdout(Stdio::piped())
        .spawn()
        .expect("mazurka runs");
    std::thread::sleep(std::time::Duration::from_millis(1500));
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.expect("kill runs").success());
    let mut text = String::new();
    child
        .stdout
        .take()
        .expect("piped")
        .read_to_string(&mut text)
        .expect("UTF-8");
    assert_eq!(child.wait().expect("mazurka ends").code(), Some(130));
    assert!(text.contains("yes: possibly p0.x == null\n"), "{text}");
    assert!(
        text.contains("inconclusive: never p0.x + p1.x < 0\n  Not answered: interrupted.\n"),
        "{text}"
    );
    assert!(text.contains("inconclusive: always"), "{text}");
}
