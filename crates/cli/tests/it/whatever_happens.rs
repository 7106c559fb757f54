//! Verdicts, exit codes, limits and files are right whatever happens around the program: nobody reads its output, a
//! property cannot be checked, a phase takes for ever, a signal arrives, two outputs are the same file.

use crate::scenario::{Ended, Scenario};
use serde_json::Value;
use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const VIOLATED: &str = "byte x;\nactive proctype P() { x = 1; assert(x == 2) }\n";
const HOLDS: &str = "byte x;\nactive proctype P() { x = 1; assert(x == 1) }\n";
/// An assertion that fails, and a formula that some stores do not support.
const WITH_FORMULA: &str = "byte x;\nactive proctype P() { x = 1; assert(x == 2) }\nltl p { [] (x < 2) }\n";

/// A standard output that accepts nothing.
fn full() -> Stdio {
    OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .expect("a device")
        .into()
}

/// A standard output whose reader is gone.
fn closed() -> Stdio {
    let mut reader = Command::new("true").stdin(Stdio::piped()).spawn().expect("true runs");
    let pipe = reader.stdin.take().expect("piped");
    reader.wait().expect("it ends");
    pipe.into()
}

#[test]
fn who_reads_the_output_changes_nothing() {
    let scenario = Scenario::with("bad.pml", VIOLATED)
        .and("good.pml", HOLDS)
        .and("run.jsonl", "{\"process\":\"p\",\"vars\":{\"x\":1}}\n");
    let bad: [&[&str]; 5] = [
        &["check", "bad.pml", "--report", "page.html"],
        &["check", "bad.pml", "--format", "json", "--report", "page.html"],
        &["simulate", "bad.pml"],
        &["detect", "run.jsonl", "--never", "p.x == 1", "--report", "page.html"],
        &[
            "detect",
            "run.jsonl",
            "--never",
            "p.x == 1",
            "--format",
            "json",
            "--report",
            "page.html",
        ],
    ];
    let good: [&[&str]; 3] = [
        &["check", "good.pml", "--report", "page.html"],
        &["detect", "run.jsonl", "--never", "p.x == 2", "--report", "page.html"],
        &["trace", "lint", "run.jsonl"],
    ];
    let all = bad.iter().map(|c| (1, *c)).chain(good.iter().map(|c| (0, *c)));
    for (code, arguments) in all {
        for (what, stdout, stderr) in [
            ("full stdout", full(), Stdio::piped()),
            ("closed stdout", closed(), Stdio::piped()),
            ("full stderr", Stdio::null(), full()),
            ("closed stderr", Stdio::null(), closed()),
            ("both full", full(), full()),
        ] {
            let _ = fs::remove_file(scenario.path("page.html"));
            let ended = scenario.command(arguments).stdout(stdout).stderr(stderr).output();
            let ended = ended.expect("mazurka runs");
            assert_eq!(ended.status.code(), Some(code), "{arguments:?}, {what}");
            let is_written = fs::metadata(scenario.path("page.html")).is_ok_and(|page| page.len() > 1000);
            assert_eq!(is_written, arguments.contains(&"--report"), "{arguments:?}, {what}");
            let said = String::from_utf8(ended.stderr).expect("UTF-8");
            assert_eq!(
                said.contains("cannot write to standard output"),
                what == "full stdout",
                "{said}"
            );
        }
    }
}

#[test]
fn an_input_that_is_wrong_is_wrong_without_stderr() {
    let scenario = Scenario::with("m.pml", "active proctype P() { x = 1 }\n");
    for stderr in [full(), closed()] {
        let ended = scenario.command(&["check", "m.pml"]).stderr(stderr).output();
        assert_eq!(ended.expect("mazurka runs").status.code(), Some(2));
    }
}

#[test]
fn a_property_that_cannot_be_checked_leaves_the_others() {
    let model = WITH_FORMULA.replace("[] (x < 2)", "<> (x == 1)");
    let scenario = Scenario::with("m.pml", &model);
    for store in ["bitstate=1MB", "cache=100"] {
        let ended = scenario.run(&["check", "m.pml", "--store", store]).code(1);
        ended
            .says("  safety  violated")
            .says("  p       inconclusive")
            .says("Not checked: the search for acceptance cycles needs a store of every state")
            .complains("error: the search for acceptance cycles needs a store of every state");
        let all = scenario
            .run(&["check", "m.pml", "--store", store, "--format", "json"])
            .code(1)
            .json();
        assert_eq!(all["verdict"], "violated");
        assert_eq!(all["properties"][0]["verdict"], "violated");
        assert_eq!(all["properties"][1]["verdict"], "inconclusive");
        assert!(
            all["properties"][1]["error"]
                .as_str()
                .is_some_and(|error| error.contains("acceptance cycles"))
        );
    }
    // Nothing is violated, but one property cannot be checked.
    let scenario = Scenario::with("m.pml", model.replace("x == 2", "x == 1"));
    let ended = scenario.run(&["check", "m.pml", "--store", "cache=100"]).code(2);
    ended.says("  safety  holds");
    // No property can be checked.
    let ended = scenario
        .run(&["check", "m.pml", "--store", "cache=100", "--property", "p"])
        .code(2);
    ended.prints_nothing().complains("acceptance cycles");
}

/// Runs a command and measures the time.
fn timed(scenario: &Scenario, arguments: &[&str]) -> (Ended, Duration) {
    let start = Instant::now();
    let ended = scenario.run(arguments);
    (ended, start.elapsed())
}

/// A process with this many options in a loop.
fn options(count: usize) -> String {
    let options: String = (0..count).map(|k| format!(":: x == {k} -> y = {}\n", k % 7)).collect();
    format!("int x, y;\nactive [4] proctype P() {{ do\n{options}:: x++\nod }}\n")
}

/// A claim with this many locations that does not notice repeated states.
fn claim(places: usize) -> String {
    let moves: String = (0..places)
        .map(|k| format!(":: x == {} -> goto S{k}\n", k % 10))
        .collect();
    let ends: String = (0..places).map(|k| format!("S{k}: do :: true od;\n")).collect();
    format!("int x;\nactive proctype P() {{ do :: x++ :: x-- od }}\nnever {{\nT: do :: true\n{moves}od;\n{ends}}}\n")
}

/// Formulas, declarations and processes that make phases other than the search long.
fn long_phases() -> Vec<(&'static str, String)> {
    let formula: String = (0..9).map(|k| format!("([]<> (x == {k})) -> ")).collect();
    vec![
        (
            "endless d_step",
            "byte x;\nactive [200] proctype P() { d_step { do :: x = 1 - x od } }\n".to_owned(),
        ),
        ("many options", options(8000)),
        ("a claim", claim(800)),
        (
            "a formula",
            format!("int x;\nactive proctype P() {{ do :: x++ :: x-- od }}\nltl p {{ {formula} <> (x == 20) }}\n"),
        ),
    ]
}

#[test]
fn every_phase_keeps_to_the_time() {
    for (what, model) in long_phases() {
        let scenario = Scenario::with("m.pml", model);
        let arguments = ["check", "m.pml", "--timeout", "1s", "--format", "json"];
        let (ended, took) = timed(&scenario, &arguments);
        let code = ended.code;
        assert!(matches!(code, Some(0 | 1 | 3)), "{what}: {code:?}\n{}", ended.stderr);
        assert!(ended.json()["properties"].is_array(), "{what}");
        // The limit, a fifth of it, and some time for a busy machine.
        assert!(took < Duration::from_millis(1200 + 1800), "{what}: {took:?}");
    }
}

#[test]
fn the_time_is_shared_among_the_properties() {
    let model = "int x, y;\nactive [9] proctype P() { int z; do :: z < 900 -> z++ :: x < 900 -> x++ :: z == 900 -> z = 0 od }\n\
                 active proctype Q() { y = 1 }\n\
                 ltl first { [] (x >= 0 || x < 0) }\nltl second { [] (y < 2) }\n";
    let scenario = Scenario::with("m.pml", model);
    let arguments = [
        "check",
        "m.pml",
        "--timeout",
        "3s",
        "--reduction",
        "none",
        "--format",
        "json",
    ];
    let all = scenario.run(&arguments).code(3).json();
    for property in all["properties"].as_array().expect("a list") {
        assert_eq!(property["limit"], "time", "{property}");
        assert!(
            property["states"].as_u64().is_some_and(|states| states > 100),
            "{property}"
        );
    }
}

/// The peak memory of a command in bytes, as the system counts it.
fn most_memory(scenario: &Scenario, arguments: &[&str]) -> (i32, u64, String) {
    let file = scenario.path("stdout");
    let mut child = (scenario.command(arguments))
        .stdout(File::create(&file).expect("a file"))
        .stderr(Stdio::null())
        .spawn()
        .expect("mazurka runs");
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0;
    loop {
        if let Ok(text) = fs::read_to_string(&status) {
            let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok());
            most = most.max(kilobytes.unwrap_or(0) * 1024);
        }
        if let Some(status) = child.try_wait().expect("it can be asked") {
            let code = status.code().expect("no signal ended it");
            return (code, most, fs::read_to_string(file).expect("UTF-8"));
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Processes with more states than any memory has room for.
const WALKS: &str = "active [3] proctype P() { byte k;
    do :: a < 20000 -> a++ :: b < 20000 -> b++ :: c < 20000 -> c++ :: k < 98 && d[k] < 9 -> d[k]++; k++ :: k > 0 -> k-- od }\n";

#[test]
fn every_phase_keeps_to_the_memory() {
    if !fs::exists("/proc/self/status").is_ok_and(|there| there) {
        return;
    }
    let search = format!("int a, b, c, d[99];\n{WALKS}");
    let formula = format!("{search}ltl p {{ [] (a < 2000000000) }}\n");
    for (what, model, more) in [
        ("search", &search, &["--reduction", "none"][..]),
        ("flat", &search, &["--reduction", "none", "--store", "flat"]),
        ("formula", &formula, &["--property", "p"]),
        ("breadth first", &search, &["--shortest", "--reduction", "none"]),
    ] {
        let scenario = Scenario::with("m.pml", model);
        let mut arguments = vec![
            "check",
            "m.pml",
            "--max-memory",
            "40MB",
            "--timeout",
            "60s",
            "--format",
            "json",
        ];
        arguments.extend(more);
        let (code, most, stdout) = most_memory(&scenario, &arguments);
        assert_eq!(code, 3, "{what}");
        let all: Value = serde_json::from_str(&stdout).expect("one JSON value");
        assert_eq!(all["properties"][0]["limit"], "memory", "{what}");
        // The limit, a fifth of it, and the program itself.
        assert!(most < 48_000_000 + 16_000_000, "{what}: {most}");
    }
}

#[test]
fn a_machine_without_memory_is_a_limit_too() {
    let model = format!("int a, b, c, d[99];\n{WALKS}ltl p {{ [] (a >= 0) }}\n");
    let scenario = Scenario::with("m.pml", model);
    let command = format!(
        "ulimit -v 300000; exec {} check m.pml --reduction none --store flat --timeout 100s --format json",
        env!("CARGO_BIN_EXE_mazurka")
    );
    let ended = Command::new("sh")
        .args(["-c", &command])
        .current_dir(scenario.path("."))
        .output();
    let ended = ended.expect("a shell runs");
    let said = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(3), "{said}");
    assert!(
        said.contains("the limit on memory was reached while checking safety"),
        "{said}"
    );
    let all: Value = serde_json::from_slice(&ended.stdout).expect("one JSON value");
    assert_eq!(all["properties"][0]["limit"], "memory");
    assert!(
        all["properties"][0]["states"]
            .as_u64()
            .is_some_and(|states| states > 1000)
    );
}

#[test]
fn signals_ask_for_what_is_known() {
    std::thread::scope(|scope| {
        for signal in ["-INT", "-TERM", "-HUP"] {
            scope.spawn(move || signalled(signal));
        }
    });
}

/// Sends a signal to a search, which notices it, and to an analysis, which does not.
fn signalled(signal: &str) {
    let slow = "active [9] proctype P() { byte x; do :: x < 200 -> x++ :: x > 100 -> x = 0 od }\n";
    for model in [slow.to_owned(), options(8000)] {
        let scenario = Scenario::with("m.pml", model);
        let options = ["--reduction", "none", "--format", "json", "--report", "page.html"];
        let child = (scenario.command(&[&["check", "m.pml"], &options[..]].concat()))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("mazurka runs");
        std::thread::sleep(Duration::from_millis(1500));
        let sent = Command::new("kill").args([signal, &child.id().to_string()]).status();
        assert!(sent.expect("kill runs").success());
        let ended = child.wait_with_output().expect("mazurka ends");
        assert_eq!(ended.status.code(), Some(130), "{signal}");
        let all: Value = serde_json::from_slice(&ended.stdout).expect("one JSON value");
        assert_eq!(all["verdict"], "inconclusive");
        if let Some(first) = all["properties"].get(0) {
            let expected = (&"safety".into(), &"interrupt".into());
            assert_eq!((&first["name"], &first["limit"]), expected);
            assert!(fs::metadata(scenario.path("page.html")).is_ok_and(|page| page.len() > 1000));
        }
    }
}

#[test]
fn no_output_overwrites_an_input_or_another_output() {
    let model = format!("#include \"other.h\"\n{VIOLATED}");
    let scenario = Scenario::with("m.pml", &model)
        .and("other.h", "#define N 1\n")
        .and("run.jsonl", "{\"process\":\"p\"}\n");
    symlink(scenario.path("m.pml"), scenario.path("link.html")).expect("a link");
    fs::hard_link(scenario.path("m.pml"), scenario.path("hard.html")).expect("a link");
    let wrong: [&[&str]; 7] = [
        &["check", "m.pml", "--report", "m.pml"],
        &["check", "m.pml", "--report", "./m.pml"],
        &["check", "m.pml", "--report", "link.html"],
        &["check", "m.pml", "--trace-out", "hard.html"],
        &["check", "m.pml", "--report", "other.h"],
        &["check", "m.pml", "--report", "new", "--trace-out", "./new"],
        &["export", "m.pml", "--to", "dot", "--out", "m.pml"],
    ];
    for arguments in wrong {
        let ended = scenario.run(arguments).code(2).prints_nothing();
        assert!(ended.stderr.contains(" of this run"), "{arguments:?}: {}", ended.stderr);
        assert_eq!(fs::read_to_string(scenario.path("m.pml")).expect("still there"), model);
        assert!(!scenario.path("new").exists());
    }
}

#[test]
fn a_report_may_be_read_by_those_who_could_read_the_one_before() {
    let scenario = Scenario::with("m.pml", VIOLATED).and("page.html", "");
    let page = scenario.path("page.html");
    for mode in [0o640, 0o666, 0o600] {
        fs::set_permissions(&page, fs::Permissions::from_mode(mode)).expect("it is ours");
        scenario.run(&["check", "m.pml", "--report", "page.html"]).code(1);
        let found = fs::metadata(&page).expect("written");
        assert_eq!(found.permissions().mode() & 0o777, mode);
        assert!(found.len() > 1000);
    }
}

/// Sequences by which an input could take over a terminal: its title, cursor, colours, and the order of the text.
const HOSTILE: &str = "\x1b]0;title\x07\x1b[2J\x1b[31m\u{9b}8m\u{202e}";

#[test]
fn an_input_does_nothing_to_the_terminal() {
    let hostile_name = "bad\x1b[2Jname.pml";
    let printing =
        format!("byte x;\nactive proctype P() {{ printf(\"{HOSTILE}\"); x = 1; assert(x == 2) /* {HOSTILE} */ }}\n");
    let wrong = format!("active proctype P() {{ y = 1 /* {HOSTILE} */ }}\n");
    let warned = format!("#include \"{HOSTILE}.h\"\nactive proctype P() {{ skip }}\n");
    let trace = format!("{{\"process\":\"p\",\"vars\":{{\"x\":1}}}} {HOSTILE}\n");
    let scenario = Scenario::with("printing.pml", &printing)
        .and("wrong.pml", wrong)
        .and("warned.pml", warned)
        .and(hostile_name, &printing)
        .and("run.jsonl", trace);
    let formula = format!("[] (x < 1) {HOSTILE}");
    let commands: [&[&str]; 11] = [
        &["check", "printing.pml", "-v"],
        &["check", hostile_name],
        &["check", "wrong.pml"],
        &["check", "warned.pml"],
        &["check", "printing.pml", "--ltl", &formula],
        &["check", "printing.pml", "--property", HOSTILE],
        &["check", "printing.pml", "--report", &format!("no/{HOSTILE}")],
        &["check", HOSTILE],
        &["simulate", "printing.pml"],
        &["export", "wrong.pml", "--to", "dot"],
        &["detect", "run.jsonl", "--never", "p.x == 1"],
    ];
    for arguments in commands {
        let ended = scenario.run(arguments);
        for text in [&ended.stdout, &ended.stderr] {
            let is_bad = |c: char| c.is_control() && c != '\n' && c != '\t' || c == '\u{202e}';
            assert!(!text.contains(is_bad), "{arguments:?}: {text:?}");
        }
        assert!(!ended.stdout.is_empty() || !ended.stderr.is_empty(), "{arguments:?}");
    }
}
