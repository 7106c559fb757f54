//! Real programs: mazurka beside loom, shuttle and TraceForge, on the reference programs.
//!
//! The peers are in a package of their own (`benches/programs`), which this builds and runs, so that nothing else
//! needs them. Counts are exact; for times, read the ratios.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};

const TOOLS: [&str; 4] = ["mazurka", "loom", "shuttle", "traceforge"];

/// What a tool did with a program.
struct Run {
    executions: u64,
    seconds: f64,
    complete: bool,
}

/// Runs the benchmark; each tool may take so many seconds for each program.
pub fn run(seconds: u64) {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs/Cargo.toml");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["run", "--release", "--quiet", "--locked", "--manifest-path"])
        .arg(manifest)
        .args(["--", &seconds.to_string()])
        .stderr(Stdio::null())
        .output();
    let output = match output {
        Ok(output) if output.status.success() => output.stdout,
        _ => {
            println!("the package benches/programs does not build or run here (it needs the peers from crates.io)");
            return;
        }
    };
    let mut rows: Vec<(String, Vec<Option<Run>>)> = Vec::new();
    for line in String::from_utf8_lossy(&output).lines() {
        // TraceForge prints its own progress in between.
        let Ok(value) = serde_json::from_str::<Value>(line) else {
            continue;
        };
        let name = format!("{}, {}", value["program"].as_str().unwrap_or("?"), value["n"]);
        if rows.last().is_none_or(|(n, _)| *n != name) {
            rows.push((name, Vec::new()));
        }
        let run = value["executions"].as_u64().map(|executions| Run {
            executions,
            seconds: value["seconds"].as_f64().unwrap_or(f64::NAN),
            complete: value["complete"].as_bool().unwrap_or(false),
        });
        if let Some((_, runs)) = rows.last_mut() {
            runs.push(run);
        }
    }
    println!("executions, and executions per second; > means not finished after {seconds} s, - not possible there");
    println!();
    print!("{:<22}", "");
    for tool in TOOLS {
        print!("  {tool:>24}");
    }
    println!();
    for (name, runs) in &rows {
        print!("{name:<22}");
        for run in runs {
            let cell = run.as_ref().map_or("-".to_owned(), |run| {
                let more = if run.complete { "" } else { "> " };
                format!(
                    "{more}{} ({:.0}/s)",
                    run.executions,
                    run.executions as f64 / run.seconds
                )
            });
            print!("  {cell:>24}");
        }
        println!();
    }
    println!();
    for (i, tool) in TOOLS.iter().enumerate().skip(1) {
        let ratios: Vec<f64> = rows
            .iter()
            .filter_map(|(_, runs)| {
                let rate = |r: &Run| r.executions as f64 / r.seconds;
                // A few executions say nothing about a rate.
                let ours = runs.first()?.as_ref().filter(|r| r.executions >= 20)?;
                let theirs = runs.get(i)?.as_ref().filter(|r| r.executions >= 20)?;
                Some(rate(ours) / rate(theirs))
            })
            .collect();
        if !ratios.is_empty() {
            let mean = (ratios.iter().map(|r| r.ln()).sum::<f64>() / ratios.len() as f64).exp();
            let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
            println!(
                "mazurka runs {mean:.1} times as many executions per second as {tool} (geometric mean; at least {least:.1})"
            );
        }
    }
}
