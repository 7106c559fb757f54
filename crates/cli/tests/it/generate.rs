//! `mazurka generate`: traces of the two protocols, for `mazurka detect`.

use crate::scenario::Scenario;
use serde_json::Value;

fn records(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).expect("a record"))
        .collect()
}

#[test]
fn a_trace_has_the_processes_and_states_that_were_asked_for() {
    let scenario = Scenario::new();
    for protocol in ["database-partition", "primary-secondary"] {
        let arguments = [
            "generate",
            protocol,
            "--processes",
            "4",
            "--states",
            "10",
            "--seed",
            "3",
        ];
        let ended = scenario.run(&arguments).code(0);
        let records = records(&ended.stdout);
        let names: Vec<_> = records[..4]
            .iter()
            .map(|r| r["process"].as_str().expect("a name"))
            .collect();
        assert_eq!(names, ["p1", "p2", "p3", "p4"]);
        assert!(records[..4].iter().all(|r| r["init"] == true));
        let events = |name: &str| records[4..].iter().filter(|r| r["process"] == name).count();
        assert_eq!(
            names.iter().map(|name| events(name)).max(),
            Some(9),
            "and the initial state"
        );
        assert_eq!(ended.stdout, scenario.run(&arguments).stdout, "a seed is a run");
        let other = scenario.run(&[
            "generate",
            protocol,
            "--processes",
            "4",
            "--states",
            "10",
            "--seed",
            "4",
        ]);
        assert_ne!(ended.stdout, other.stdout);
    }
}

#[test]
fn detect_reads_it() {
    let scenario = Scenario::new();
    let trace = scenario.run(&["generate", "primary-secondary"]).code(0).stdout;
    let primary = "processes.exists(p, p.isPrimary)";
    let arguments = [
        "detect",
        "-",
        "--possibly",
        primary,
        "--never",
        "processes.all(p, p.isPrimary && p.isSecondary)",
    ];
    scenario
        .run_with(&arguments, trace.as_bytes())
        .code(0)
        .says("standard input: 5 processes")
        .says("yes: possibly")
        .says("holds: never");
}

#[test]
fn into_a_file_or_not_at_all() {
    let scenario = Scenario::new();
    let to = |path: &str| scenario.run(&["generate", "database-partition", "--states", "5", "--out", path]);
    to("run.jsonl").code(0).prints_nothing().complains("wrote run.jsonl");
    let text = std::fs::read_to_string(scenario.path("run.jsonl")).expect("written");
    assert_eq!(
        text,
        scenario
            .run(&["generate", "database-partition", "--states", "5"])
            .stdout
    );
    to("no/such/folder/run.jsonl")
        .code(2)
        .complains("no/such/folder/run.jsonl");
    assert_eq!(scenario.files(), ["run.jsonl"]);
}

#[test]
fn too_few_processes_and_wrong_names() {
    let scenario = Scenario::new();
    scenario
        .run(&["generate", "primary-secondary", "--processes", "2"])
        .code(2)
        .prints_nothing()
        .complains("primary-secondary needs at least 3 processes, not 2");
    scenario
        .run(&["generate", "database-partition", "--states", "0"])
        .code(2)
        .complains("at least 1");
    scenario
        .run(&["generate", "database-partitions"])
        .code(2)
        .complains("a similar value exists: 'database-partition'");
}
