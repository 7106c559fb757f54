//! `mazurka reproduce`, as a script would use it.

use serde_json::Value;
use std::process::{Command, Output, Stdio};

fn mazurka(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_mazurka"))
        .args(arguments)
        .output()
        .expect("mazurka runs")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("UTF-8")
}

fn json(arguments: &[&str]) -> Value {
    let output = mazurka(arguments);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    serde_json::from_str(&stdout(&output)).expect("one JSON value")
}

/// The points of a series, by name.
fn points<'a>(experiment: &'a Value, name: &str) -> &'a Vec<Value> {
    let series = experiment["series"].as_array().expect("series");
    let found = series.iter().find(|s| s["name"] == name);
    found.unwrap_or_else(|| panic!("no series {name}"))["points"]
        .as_array()
        .expect("points")
}

#[test]
fn without_arguments_it_lists_the_experiments() {
    let output = mazurka(&["reproduce"]);
    assert_eq!(output.status.code(), Some(0));
    for name in [
        "philosophers",
        "producer-consumer",
        "thesis-table",
        "provisos",
        "caching",
        "detection-table",
        "detection-scaling",
        "detection-length",
        "detection-rivals",
    ] {
        assert!(stdout(&output).contains(name));
    }
    let list = json(&["reproduce", "--format", "json"]);
    assert_eq!(list["experiments"][0]["name"], "philosophers");
    assert!(list["experiments"][1]["source"].is_string());
}

#[test]
fn philosophers_from_exponential_to_polynomial() {
    let experiment = json(&["reproduce", "philosophers", "--quick", "--format", "json"]);
    assert_eq!(experiment["experiment"], "philosophers");
    assert!(experiment["published"].is_object());
    let count = |p: &Value, key: &str| p[key].as_u64().unwrap_or_else(|| panic!("{key} of {p}"));
    for point in points(&experiment, "full") {
        assert_eq!(count(point, "states"), 3u64.pow(count(point, "n") as u32) - 1);
    }
    for (name, bound) in [
        ("persistent (locks)", (|n| 3 * n * n - 3 * n + 2) as fn(u64) -> u64),
        ("persistent+sleep (locks)", |n| 3 * n * n + 8 - 6 * n),
    ] {
        let points = points(&experiment, name);
        assert_eq!(points.len(), 8, "n = 2 to 9");
        for point in points {
            let n = count(point, "n");
            assert!(count(point, "transitions") > 0);
            assert!(n < 3 || count(point, "states") <= bound(n), "{name}: {point}");
        }
    }
}

#[test]
fn producer_and_consumer() {
    let experiment = json(&["reproduce", "producer-consumer", "--format", "json"]);
    let full = points(&experiment, "full");
    let at = |n: Value| full.iter().find(|p| p["n"] == n).expect("a point");
    assert_eq!(at(1000.into())["states"], 1001);
    assert!(at("unbounded".into())["states"].is_null());
    assert!(at("unbounded".into())["transitions"].is_null());
    let published = experiment["published"]["series"].as_array().expect("series");
    let reduced = published.iter().find(|s| s["name"] == "persistent").expect("Fig. 8.2");
    assert_eq!(
        &reduced["points"],
        &Value::Array(points(&experiment, "persistent").clone())
    );
    for point in points(&experiment, "persistent") {
        assert_eq!(
            (&point["states"], &point["transitions"]),
            (&2.into(), &2.into()),
            "{point}"
        );
    }
}

#[test]
fn detection_at_each_level_of_optimisation() {
    let experiment = json(&["reproduce", "detection-table", "--quick", "--format", "json"]);
    for (name, published) in [
        ("database-partition (N=5, S=80)", [343_170, 88_280, 640, 443, 443]),
        (
            "primary-secondary (N=9, S=60)",
            [3_878_663, 752_034, 91_874, 53_585, 53_585],
        ),
    ] {
        let measured = points(&experiment, name);
        let levels: Vec<_> = measured.iter().map(|p| p["n"].as_str().expect("a word")).collect();
        let inserted = "persistent+sleep (insertion order)";
        let expected = ["none", "sleep", "persistent", inserted, "persistent+sleep", "sequences"];
        assert_eq!(levels, expected);
        let transitions = |k: usize| measured[k]["transitions"].as_u64().expect("a number");
        assert!(transitions(0) > 70 * transitions(4), "{measured:?}");
        let printed = points(&experiment["published"], name);
        let counts: Vec<_> = printed.iter().map(|p| &p["transitions"]).collect();
        assert_eq!(counts, published);
    }
}

#[test]
fn several_experiments_are_one_object() {
    let both = json(&[
        "reproduce",
        "producer-consumer",
        "philosophers",
        "--quick",
        "--format",
        "json",
    ]);
    let names: Vec<_> = (both["experiments"].as_array().expect("a list").iter())
        .map(|e| e["experiment"].as_str().expect("a name"))
        .collect();
    assert_eq!(names, ["producer-consumer", "philosophers"]);
}

#[test]
fn text_has_the_published_figures_beside_the_measured_ones() {
    let output = mazurka(&["reproduce", "philosophers", "--quick"]);
    let text = stdout(&output);
    assert!(text.contains("published") && text.contains("Fig. 2.2"), "{text}");
    assert!(text.contains("19,682"), "{text}");
    assert_eq!(stderr(&output), "", "no progress line without a terminal");
}

#[test]
fn files_are_written() {
    let dir = tempfile::tempdir().expect("a directory");
    let out = dir.path().join("new/results");
    let output = mazurka(&[
        "reproduce",
        "producer-consumer",
        "--quiet",
        "--out",
        out.to_str().expect("UTF-8"),
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(stderr(&output), "");
    let mut names: Vec<_> = (std::fs::read_dir(&out)
        .expect("made")
        .map(|e| e.expect("an entry").file_name()))
    .collect();
    names.sort();
    assert_eq!(
        names,
        [
            "producer-consumer.csv",
            "producer-consumer.json",
            "producer-consumer.svg"
        ]
    );
    let saved = std::fs::read_to_string(out.join("producer-consumer.json")).expect("readable");
    let saved: Value = serde_json::from_str(&saved).expect("JSON");
    assert_eq!(saved["experiment"], "producer-consumer");
}

#[test]
fn a_typo_is_named_and_corrected() {
    let output = mazurka(&["reproduce", "philosofers"]);
    assert_eq!(output.status.code(), Some(2));
    let message = stderr(&output);
    assert!(message.contains("'philosofers'"), "{message}");
    assert!(message.contains("similar value exists: 'philosophers'"), "{message}");
    assert_eq!(stdout(&output), "");
}

#[test]
fn results_cannot_go_into_a_file() {
    let file = tempfile::NamedTempFile::new().expect("a file");
    let path = file.path().to_str().expect("UTF-8");
    let output = mazurka(&["reproduce", "producer-consumer", "--out", path]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains(path), "{}", stderr(&output));
    assert_eq!(stdout(&output), "");
}

#[test]
fn options_without_an_experiment_are_an_error() {
    for option in [&["--quick"][..], &["--out", "results"]] {
        let output = mazurka(&[&["reproduce"], option].concat());
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains("EXPERIMENT"), "{}", stderr(&output));
    }
}

#[test]
fn a_closed_pipe_is_no_reason_to_complain() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_mazurka"))
        .args(["reproduce", "philosophers", "--quick"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("mazurka runs");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("mazurka ends");
    assert_eq!(stderr(&output), "");
    assert_eq!(output.status.code(), Some(0));
}
