//! Real programs: mazurka beside loom, shuttle and TraceForge, on the reference programs.
//!
//! The peers are in a package of their own (`benches/programs`), which this builds and runs, so that nothing else
//! needs them. Counts are exact; of times, compare the ratios.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};

const TOOLS: [&str; 4] = ["mazurka", "loom", "shuttle", "traceforge"];

/// The result of a tool on a program.
struct Run {
    executions: u64,
    seconds: f64,
    complete: bool,
}

impl Run {
    fn rate(&self) -> f64 {
        self.executions as f64 / self.seconds
    }
}

/// A program, and the result of each of [`TOOLS`]; `None` if the tool cannot run it.
struct Row {
    program: String,
    runs: Vec<Option<Run>>,
}

/// Runs the benchmark; each tool may take this many seconds for each program.
pub fn run(seconds: u64) {
    let Some(output) = run_package(seconds) else {
        println!("the package benches/programs does not build or run here (it needs the peers from crates.io)");
        return;
    };
    let rows = read(&output);
    print_table(&rows, seconds);
    let (weak, strict): (Vec<Row>, Vec<Row>) = rows.into_iter().partition(|row| row.program.starts_with("w"));
    for (i, tool) in TOOLS.iter().enumerate().skip(1) {
        compare(&strict, i, tool);
    }
    println!("with weak memory:");
    compare(&weak, 1, TOOLS[1]);
}

/// The output of the package of the peers, if it builds and runs.
fn run_package(seconds: u64) -> Option<String> {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs/Cargo.toml");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["run", "--release", "--quiet", "--locked", "--manifest-path"])
        .arg(manifest)
        .args(["--", &seconds.to_string()])
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let succeeded = output.status.success();
    succeeded.then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Reads the output: one JSON object per line, the tools of a program one after the other.
fn read(output: &str) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for line in output.lines() {
        // TraceForge prints its own progress in between.
        let Ok(value) = serde_json::from_str::<Value>(line) else {
            continue;
        };
        let program = format!("{}, {}", value["program"].as_str().unwrap_or("?"), value["n"]);
        let run = value["executions"].as_u64().map(|executions| Run {
            executions,
            seconds: value["seconds"].as_f64().unwrap_or(f64::NAN),
            complete: value["complete"].as_bool().unwrap_or(false),
        });
        match rows.last_mut() {
            Some(row) if row.program == program => row.runs.push(run),
            _ => rows.push(Row {
                program,
                runs: vec![run],
            }),
        }
    }
    rows
}

fn print_table(rows: &[Row], seconds: u64) {
    println!("executions, and executions per second; > means not finished after {seconds} s, - not possible there");
    println!();
    print!("{:<22}", "");
    for tool in TOOLS {
        print!("  {tool:>24}");
    }
    println!();
    for Row { program, runs } in rows {
        print!("{program:<22}");
        for run in runs {
            let cell = run.as_ref().map_or("-".to_owned(), |run| {
                let more = if run.complete { "" } else { "> " };
                format!("{more}{} ({:.0}/s)", run.executions, run.rate())
            });
            print!("  {cell:>24}");
        }
        println!();
    }
    println!();
}

/// How mazurka's rate compares with that of the tool in this column, if both were measured.
fn compare(rows: &[Row], column: usize, tool: &str) {
    // A few executions say nothing about a rate.
    let rate = |run: Option<&Option<Run>>| run?.as_ref().filter(|r| r.executions >= 20).map(Run::rate);
    let ratio = |Row { runs, .. }: &Row| Some(rate(runs.first())? / rate(runs.get(column))?);
    let ratios: Vec<f64> = rows.iter().filter_map(ratio).collect();
    if ratios.is_empty() {
        return;
    }
    let mean = (ratios.iter().map(|r| r.ln()).sum::<f64>() / ratios.len() as f64).exp();
    let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
    println!(
        "mazurka runs {mean:.1} times as many executions per second as {tool} (geometric mean; at least {least:.1})"
    );
}
