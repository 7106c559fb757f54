//! How fast mazurka's own format is read. Nothing is asserted. Run it by hand:
//! `cargo test --release -p mazurka-trace --test it import_speed:: -- --ignored --nocapture`.

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

/// User and system time of this process so far, on Linux. Other work on the machine does
/// not count.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<f64> = stat.split_whitespace().map(|n| n.parse().unwrap_or(0.0)).collect();
    fields
        .get(13..15)
        .map_or(f64::NAN, |times| times.iter().sum::<f64>() / 100.0)
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
        let (begin, cpu) = (Instant::now(), cpu_seconds());
        let imported = import(Input::Paths(vec![path.clone()]), &options).unwrap();
        let seconds = begin.elapsed().as_secs_f64();
        assert_eq!(imported.executions[0].computation.causality().total(), records as u64);
        let (millions, cpu) = (records as f64 / 1e6, cpu_seconds() - cpu);
        println!(
            "{keep:?}: {:.2} million records a second, {:.2} a second of processor time",
            millions / seconds,
            millions / cpu
        );
    }
}
