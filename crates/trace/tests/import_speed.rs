//! How fast mazurka's own format is read. Not asserted: run it by hand,
//! `cargo test --release -p mazurka-trace --test import_speed -- --ignored --nocapture`.

use mazurka_trace::{ImportOptions, Input, Keep, Recording, import};
use std::fmt::Write;
use std::time::Instant;

/// A trace of 16 processes; each message is sent once and received by the next process.
fn trace(records: usize) -> String {
    let mut text = String::with_capacity(records * 80);
    for k in 0..records {
        let (p, x) = (k % 16 + 1, k / 16 % 100);
        match k {
            0..16 => writeln!(
                text,
                r#"{{"process":"p{p}","event":"send","vars":{{"x":{x}}},"send":["m{k}"]}}"#
            ),
            _ => writeln!(
                text,
                r#"{{"process":"p{p}","event":"send","vars":{{"x":{x}}},"send":["m{k}"],"recv":["m{}"]}}"#,
                k - 15
            ),
        }
        .unwrap();
    }
    text
}

#[test]
#[ignore = "prints a speed, asserts none"]
fn records_a_second() {
    let records = 2_000_000;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace.jsonl");
    std::fs::write(&path, trace(records)).unwrap();
    for keep in [Keep::All, Keep::Only(["y".to_owned()].into())] {
        let options = ImportOptions {
            recording: Recording {
                keep: keep.clone(),
                ..Recording::default()
            },
            ..ImportOptions::default()
        };
        let begin = Instant::now();
        let imported = import(Input::Paths(vec![path.clone()]), &options).unwrap();
        let seconds = begin.elapsed().as_secs_f64();
        assert_eq!(imported.executions[0].computation.causality().total(), records as u64);
        println!(
            "{keep:?}: {:.2} million records a second",
            records as f64 / seconds / 1e6
        );
    }
}
