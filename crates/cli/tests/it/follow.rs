//! `mazurka detect --follow`: answers while the run goes on.

use crate::scenario::{Ended, Scenario};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

const BOTH: &str = "p1.cs && p2.cs";
/// Two processes in their critical sections, after four records.
const ENTER: [&str; 4] = [
    r#"{"process":"p1","init":true,"vars":{"cs":false}}"#,
    r#"{"process":"p2","init":true,"vars":{"cs":false}}"#,
    r#"{"process":"p1","event":"enter","vars":{"cs":true}}"#,
    r#"{"process":"p2","event":"enter","vars":{"cs":true}}"#,
];

/// A command that is fed by us.
struct Fed {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Fed {
    fn new(arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_mazurka"))
            .args(["detect", "-", "--follow"])
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("mazurka runs");
        Self {
            input: child.stdin.take(),
            output: BufReader::new(child.stdout.take().expect("piped")),
            child,
        }
    }

    fn write(&mut self, text: &str) {
        let input = self.input.as_mut().expect("open");
        input
            .write_all(text.as_bytes())
            .and_then(|()| input.flush())
            .expect("it reads");
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("UTF-8");
        line
    }

    fn end(mut self) -> Ended {
        drop(self.input.take());
        let (mut stdout, mut stderr) = (String::new(), String::new());
        self.output.read_to_string(&mut stdout).expect("UTF-8");
        let errors = self.child.stderr.as_mut().expect("piped");
        errors.read_to_string(&mut stderr).expect("UTF-8");
        let code = self.child.wait().expect("mazurka ends").code();
        Ended { code, stdout, stderr }
    }
}

#[test]
fn a_violation_is_announced_before_the_end() {
    // A second question keeps it listening.
    let mut fed = Fed::new(&["--never", BOTH, "--never", "p1.x == 7"]);
    for line in ENTER {
        fed.write(&format!("{line}\n"));
    }
    // Standard input is still open.
    assert_eq!(fed.line(), "after 4 records: violated: never p1.cs && p2.cs\n");
    assert_eq!(fed.line(), "  The run could have been in this global state:\n");
    assert_eq!(fed.line(), "    p1  after event 1\n");
    assert_eq!(fed.line(), "        cs=true\n");
    fed.write("{\"process\":\"p1\",\"vars\":{\"x\":1}}\n");
    fed.end()
        .code(1)
        .says("at the end, after 5 records: holds: never p1.x == 7\n")
        .says("standard input: 3 events of 2 processes, 5 records, ");
}

#[test]
fn announcements_are_lines_of_json_and_the_last_line_is_all_of_it() {
    let mut fed = Fed::new(&[
        "--format",
        "json",
        "--possibly",
        BOTH,
        "--never",
        "p1.cs && !p2.cs && p1.x == 1",
    ]);
    for line in ENTER {
        fed.write(&format!("{line}\n"));
    }
    let first: Value = serde_json::from_str(&fed.line()).expect("JSON");
    assert_eq!(first["query"], 0);
    assert_eq!(first["records"], 4);
    assert_eq!((&first["answer"], &first["verdict"]), (&json!(true), &Value::Null));
    assert_eq!(first["witness"]["cut"], json!({"p1": 1, "p2": 1}));
    assert_eq!(first["witness"]["variables"]["p2"], json!({"cs": true}));
    fed.write("{\"process\":\"p1\",\"vars\":{\"x\":2}}\n");
    let ended = fed.end().code(0);
    let lines: Vec<Value> = ended
        .stdout
        .lines()
        .map(|l| serde_json::from_str(l).expect("JSON"))
        .collect();
    assert_eq!(lines.len(), 2);
    assert_eq!((&lines[0]["query"], &lines[0]["verdict"]), (&json!(1), &json!("holds")));
    let all = &lines[1];
    assert_eq!(
        (&all["trace"], &all["processes"], &all["events"]),
        (&json!("-"), &json!(2), &json!(3))
    );
    assert_eq!(all["queries"][0]["predicate"], BOTH);
    assert_eq!(all["queries"][0]["witness"], first["witness"]);
    assert_eq!(all["queries"][1]["answer"], true);
}

#[test]
fn when_all_is_answered_it_reads_on() {
    let mut fed = Fed::new(&["--never", BOTH]);
    for line in ENTER {
        fed.write(&format!("{line}\n"));
    }
    assert_eq!(fed.line(), "after 4 records: violated: never p1.cs && p2.cs\n");
    // The writer is not cut off, and what breaks a rule later is still seen.
    fed.write("{\"process\":\"p1\"}\n");
    fed.write("{\"process\":\"p1\",\"init\":true}\n");
    // The violation counts more.
    fed.end().code(1).complains("error[init-first]");
}

#[test]
fn half_a_line_is_waited_for() {
    let mut fed = Fed::new(&["--never", BOTH]);
    fed.write(&ENTER[..3].join("\n"));
    fed.write("\n");
    let (begin, rest) = ENTER[3].split_at(20);
    fed.write(begin);
    std::thread::sleep(Duration::from_millis(200));
    fed.write(rest);
    fed.write("\n");
    assert_eq!(fed.line(), "after 4 records: violated: never p1.cs && p2.cs\n");
    fed.end().code(1);
}

#[test]
fn the_last_line_needs_no_end_but_must_be_complete() {
    let mut fed = Fed::new(&["--never", BOTH]);
    fed.write(&ENTER.join("\n"));
    fed.end().code(1).says("after 4 records: violated");

    let mut fed = Fed::new(&["--never", BOTH]);
    fed.write(&ENTER.join("\n")[..180]);
    fed.end()
        .code(2)
        .prints_nothing()
        .complains("error[syntax]: the last line is cut off")
        .complains("--> standard input:4:");
}

#[test]
fn vector_clocks_and_declared_processes() {
    let mut fed = Fed::new(&[
        "--processes",
        "a,b,c",
        "--never",
        "processes.filter(p, p.up == true).size() == 2",
    ]);
    fed.write("{\"host\":\"a\",\"VectorClock\":{\"a\":1},\"up\":true}\n");
    fed.write("{\"host\":\"b\",\"VectorClock\":{\"b\":1},\"up\":true}\n");
    fed.write("{\"host\":\"c\",\"VectorClock\":{\"c\":1},\"up\":false}\n");
    assert!(
        fed.line()
            .starts_with("after 3 records: violated: never processes.filter")
    );
    fed.end().code(1);

    let mut fed = Fed::new(&["--processes", "a,b", "--never", "processes.all(p, p.up == true)"]);
    fed.write("{\"host\":\"d\",\"VectorClock\":{\"d\":1},\"up\":true}\n");
    fed.end()
        .code(2)
        .complains("process `d` is not among those that were declared");
}

#[test]
fn names_that_never_occur_are_found_at_the_end() {
    let mut fed = Fed::new(&["--never", "p1.cs && p3.cs"]);
    fed.write(&ENTER.join("\n"));
    fed.end()
        .code(2)
        .complains("error: there is no process `p3`")
        .complains("  | p1.cs && p3.cs\n  |          ^^ processes: p1, p2");
    let mut fed = Fed::new(&["--never", "p1.cs && p2.crit"]);
    fed.write(&ENTER.join("\n"));
    fed.end().code(2).complains("error: `p2` never assigns `crit`");
}

#[test]
fn a_broken_rule_has_a_place() {
    let mut fed = Fed::new(&["--never", "a.x == 1 && b.x == 2"]);
    fed.write("{\"process\":\"a\",\"clock\":{\"a\":1},\"vars\":{\"x\":0}}\n\n");
    fed.write("{\"process\":\"a\",\"clock\":{\"a\":3}}\n");
    fed.end()
        .code(2)
        .complains("error[own-entry]: this is event 2 of `a`, but its clock says `a: 3`")
        .complains("--> standard input:3:29\n")
        .complains("expected `a: 2`");
}

#[test]
fn a_value_that_is_missing_has_no_answer() {
    let mut fed = Fed::new(&["--never", "p1.x + 1 > 5"]);
    fed.write("{\"process\":\"p1\"}\n{\"process\":\"p1\",\"vars\":{\"x\":1}}\n");
    fed.end()
        .code(2)
        .complains("not assigned yet")
        .complains("in the initial state of `p1`")
        .complains("`--default x=VALUE`");
    let mut fed = Fed::new(&["--default", "x=0", "--never", "p1.x + 1 > 5"]);
    fed.write("{\"process\":\"p1\"}\n{\"process\":\"p1\",\"vars\":{\"x\":1}}\n");
    fed.end().code(0).says("holds: never p1.x + 1 > 5");
}

#[test]
fn a_file_is_followed_while_it_grows() {
    let scenario = Scenario::with("run.log", format!("{}\n", ENTER[..2].join("\n")));
    let arguments = ["detect", "run.log", "--follow", "--wait", "10min", "--never", BOTH];
    let mut child = (scenario.command(&arguments))
        .stdout(Stdio::piped())
        .spawn()
        .expect("mazurka runs");
    std::thread::sleep(Duration::from_millis(300));
    let mut file = std::fs::OpenOptions::new()
        .append(true)
        .open(scenario.path("run.log"))
        .expect("it is there");
    writeln!(file, "{}\n{}", ENTER[2], ENTER[3]).expect("it grows");
    let mut line = String::new();
    let mut output = BufReader::new(child.stdout.take().expect("piped"));
    output.read_line(&mut line).expect("UTF-8");
    assert!(line.starts_with("after 4 records: violated"), "{line}");
    child.kill().expect("it waits for more");
    child.wait().expect("mazurka ends");
    // Once nothing is added for that long, the run is over.
    let waiting = ["detect", "run.log", "--follow", "--wait", "1ms", "--never", BOTH];
    scenario.run(&waiting).code(1).says("after 4 records: violated");
    // Without waiting, its end is the end.
    scenario
        .run(&["detect", "run.log", "--follow", "--definitely", BOTH])
        .code(0)
        .says("at the end");
}

#[test]
fn what_cannot_be_followed() {
    let scenario = Scenario::with("run.log", "x=1\na {\"a\":1}\n").and("otlp.json", "{\"resourceSpans\":[]}\n");
    let follow = |arguments: &[&str]| {
        let all = [&["detect"], arguments, &["--follow", "--never", "a.x == 1"]].concat();
        scenario.run(&all).code(2).prints_nothing()
    };
    follow(&["run.log"])
        .complains("the format of run.log is not known")
        .complains("can be followed: `mazurka` (mazurka's own JSON Lines), `clocks` (JSON Lines with vector clocks)");
    follow(&["otlp.json"])
        .complains("otlp input cannot be followed")
        .complains("without --follow");
    follow(&["run.log", "--input", "shiviz"]).complains("shiviz input cannot be followed");
    follow(&["run.log", "--report", "out.html"])
        .complains("--report cannot be used with --follow: it needs the whole run");
    follow(&["run.log", "--method", "search"]).complains("--method cannot be used with --follow");
    follow(&["run.log", "other.log"]).complains("one file or standard input can be followed");
    follow(&["."]).complains("is a directory");
    follow(&["missing.log"]).complains("cannot read missing.log");
    scenario
        .run(&["detect", "-", "--follow", "--never", "a.x == 1"])
        .code(2)
        .complains("standard input is empty");
    scenario
        .run(&["detect", "run.log", "--wait", "1s", "--never", "a.x == 1"])
        .code(2)
        .complains("--follow");
}

#[test]
fn a_time_limit_ends_it() {
    let mut fed = Fed::new(&["--timeout", "300ms", "--never", BOTH]);
    fed.write(&format!("{}\n", ENTER[0]));
    let code = fed.child.wait().expect("mazurka ends").code();
    assert_eq!(code, Some(3));
    assert_eq!(fed.line(), "inconclusive: never p1.cs && p2.cs\n");
    assert_eq!(fed.line(), "  Not answered: the time is over; --timeout sets it.\n");
}

#[cfg(unix)]
#[test]
fn ctrl_c_prints_what_is_known() {
    let mut fed = Fed::new(&["--format", "json", "--possibly", "p1.cs", "--never", BOTH]);
    fed.write(&format!("{}\n", ENTER[..3].join("\n")));
    assert!(fed.line().contains("\"query\":0"));
    let sent = Command::new("kill")
        .args(["-INT", &fed.child.id().to_string()])
        .status();
    assert!(sent.expect("kill runs").success());
    let all: Value = serde_json::from_str(&fed.line()).expect("JSON");
    assert_eq!(all["queries"][0]["answer"], true);
    assert_eq!(
        (&all["queries"][1]["answer"], &all["queries"][1]["limit"]),
        (&Value::Null, &json!("interrupt"))
    );
    assert_eq!(fed.child.wait().expect("mazurka ends").code(), Some(130));
}

#[test]
fn what_only_the_end_shows_is_shown_in_its_line() {
    let lines = [
        r#"{"process":"p1","init":true}"#,
        r#"{"process":"p1","recv":["lost"],"vars":{"cs":true}}"#,
        r#"{"process":"p2","vars":{"cs":true}}"#,
    ];
    let scenario = Scenario::with("run.log", lines.join("\n"));
    scenario
        .run(&["detect", "run.log", "--follow", "--wait", "100ms", "--never", BOTH])
        .code(2)
        .complains("error[receive-without-send]: message `lost` is received, but no event sends it")
        .complains("run.log:2:25");
    // Nothing is left of what came through a pipe but how far it had come.
    let mut fed = Fed::new(&["--never", BOTH]);
    fed.write(&lines.join("\n"));
    fed.end()
        .code(2)
        .complains("no event sends it (in the record at byte 29)");

    let clocks = "{\"process\":\"p1\",\"clock\":{\"p1\":1,\"p2\":3},\"vars\":{\"cs\":true}}\n";
    Scenario::with("run.log", clocks)
        .run(&["detect", "run.log", "--follow", "--wait", "100ms", "--never", "p1.cs"])
        .code(2)
        .complains("error[unknown-event]: the clock knows 3 events of `p2`, of which there is no record")
        .complains("run.log:1:");
}

/// A file that is followed for a minute, until somebody does something to it.
struct Followed {
    scenario: Scenario,
    child: Child,
    output: BufReader<ChildStdout>,
}

impl Followed {
    fn new(arguments: &[&str]) -> Self {
        let scenario = Scenario::with("run.jsonl", ENTER.join("\n") + "\n");
        let mut child = scenario
            .command(&[&["detect", "run.jsonl", "--follow", "--wait", "60s"], arguments].concat())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("mazurka runs");
        let output = BufReader::new(child.stdout.take().expect("piped"));
        Self {
            scenario,
            child,
            output,
        }
    }

    fn end(mut self) -> Ended {
        let (mut stdout, mut stderr) = (String::new(), String::new());
        self.output.read_to_string(&mut stdout).expect("UTF-8");
        let errors = self.child.stderr.as_mut().expect("piped");
        errors.read_to_string(&mut stderr).expect("UTF-8");
        let code = self.child.wait().expect("mazurka ends").code();
        Ended { code, stdout, stderr }
    }
}

#[test]
fn a_file_that_is_cut_replaced_or_removed_is_not_said_to_hold() {
    type Change = fn(&std::path::Path);
    let changes: [(Change, &str); 3] = [
        (|path| std::fs::write(path, "").expect("it is ours"), "was made shorter"),
        (|path| std::fs::remove_file(path).expect("it is ours"), "was removed"),
        (
            |path| {
                std::fs::rename(path, path.with_extension("1")).expect("it is ours");
                std::fs::write(path, "{\"process\":\"p1\"}\n").expect("it is ours");
            },
            "was re",
        ),
    ];
    for (change, said) in changes {
        // Nothing was announced: there is nothing to say but what happened.
        let mut followed = Followed::new(&["--never", "p1.cs && p1.x == 7", "--possibly", BOTH]);
        let mut first = String::new();
        followed.output.read_line(&mut first).expect("UTF-8");
        assert_eq!(first, "after 4 records: yes: possibly p1.cs && p2.cs\n");
        change(&followed.scenario.path("run.jsonl"));
        let ended = followed.end().code(2);
        assert!(!ended.stdout.contains("holds"), "{}", ended.stdout);
        ended
            .says("inconclusive: never p1.cs && p1.x == 7")
            .complains(said)
            .complains("while it was followed")
            .complains("tail -F");
    }
}

#[test]
fn what_was_announced_stays_whatever_comes_after_it() {
    let asked = ["--never", BOTH, "--never", "p1.x == 7"];
    for garbage in [
        "garbage\n",
        "{\"process\":\"p1\",\"vars\":{\"x\":",
        "{\"process\":\"p1\",\"recv\":[\"m\"]}\n",
    ] {
        let mut fed = Fed::new(&asked);
        fed.write(&(ENTER.join("\n") + "\n"));
        assert_eq!(fed.line(), "after 4 records: violated: never p1.cs && p2.cs\n");
        fed.write(garbage);
        fed.end()
            .code(1)
            .says("inconclusive: never p1.x == 7")
            .says("standard input: ")
            .complains("error");
        let mut fed = Fed::new(&[&asked[..], &["--format", "json"]].concat());
        fed.write(&(ENTER.join("\n") + "\n"));
        fed.line();
        fed.write(garbage);
        let ended = fed.end().code(1);
        let last = ended.stdout.lines().last().expect("all of it");
        let all: Value = serde_json::from_str(last).expect("JSON");
        assert_eq!(all["queries"][0]["verdict"], "violated");
        assert_eq!(all["queries"][1]["verdict"], "inconclusive");
        assert!(all["error"].is_string(), "{all}");
    }
    // Where nothing was announced there is nothing to keep.
    let mut fed = Fed::new(&["--never", "p1.x == 7"]);
    fed.write(&(ENTER.join("\n") + "\ngarbage\n"));
    fed.end().code(2).prints_nothing();
}
