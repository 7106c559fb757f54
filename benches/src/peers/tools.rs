//! Running SPIN's verifier and running `mazurka check`, each as a process of its own.

use super::instances::Instance;
use super::measured::{self, Ended};
use mazurka_testkit::spin::{ErrorKind, Run};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The limits of a search.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Of the processor.
    pub time: Duration,
    pub megabytes: u64,
}

/// What is asked of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// All failed assertions and invalid end states.
    Safety,
    /// The same, by a search without reduction.
    Unreduced,
    /// The formula of this name, until the first counterexample.
    Formula(&'static str),
}

/// What a search says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Holds,
    Violated,
    /// It hit a limit first.
    Stopped,
    /// SPIN found that its reduction does not apply to the model, which says nothing about it.
    Unreduced,
}

/// What a search found, and what it cost.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    pub verdict: Verdict,
    /// Whether it saw all that was asked for.
    pub complete: bool,
    /// Whether an assertion fails: SPIN goes on after that, and mazurka does not.
    pub failed_assertion: bool,
    pub states: u64,
    pub transitions: u64,
    /// Processor time of the search alone, in seconds.
    pub cpu: f64,
    /// The same, with all that is generated and compiled before it.
    pub cpu_with_compilation: f64,
    pub wall: f64,
    /// As the tool says: SPIN for its states alone, mazurka for everything.
    pub bytes_per_state: f64,
    /// The most memory that the process had, in MB of 2^20 bytes.
    pub megabytes: f64,
}

/// The `mazurka` that was built with this program, or how to build it.
pub fn find_ours() -> Result<PathBuf, String> {
    let exe = std::env::current_exe().map_err(|e| e.to_string())?;
    let folder = exe.parent().unwrap_or(Path::new("."));
    // Tests are in a folder below.
    let folder = match folder.ends_with("deps") {
        true => folder.parent().unwrap_or(folder),
        false => folder,
    };
    let path = folder.join("mazurka");
    let profile = if folder.ends_with("release") { " --release" } else { "" };
    match path.exists() {
        true => Ok(path),
        false => Err(format!(
            "there is no `mazurka` beside this program;\n\
             `cargo build{profile} -p mazurka-cli -p mazurka-bench` builds both"
        )),
    }
}

/// SPIN's answer, or why there is none.
pub fn spin(instance: &Instance, question: Question, bounds: Bounds) -> Result<Cost, String> {
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    let made = make_verifier(folder.path(), instance, question, bounds)?;
    let mut depth = instance.depth;
    loop {
        let arguments = verifier_arguments(question, depth);
        let mut command = Command::new(folder.path().join("pan"));
        let ended = started(command.args(arguments).current_dir(&folder), bounds.time)?;
        // A stack that is too short is the measurer's mistake, not SPIN's.
        if ended.text.contains("max search depth too small") && depth < 100_000_000 {
            depth *= 2;
            continue;
        }
        return read_spin(&ended, made);
    }
}

/// Generates and compiles SPIN's verifier; returns the processor time that it takes.
fn make_verifier(folder: &Path, instance: &Instance, question: Question, bounds: Bounds) -> Result<f64, String> {
    let path = std::path::absolute(&instance.path).map_err(|e| e.to_string())?;
    let mut generate = Command::new("spin");
    generate.args(instance.definitions()).arg("-a").arg(path);
    let generated = started(generate.current_dir(folder), Duration::from_secs(120))?;
    if generated.code != Some(0) || !folder.join("pan.c").exists() {
        return Err(first_error(&(generated.text + &generated.errors)));
    }
    let mut compile = Command::new("gcc");
    compile
        .args(["-O2", "-w", "-DVECTORSZ=16384"])
        .arg(format!("-DMEMLIM={}", bounds.megabytes));
    compile.args(match question {
        Question::Safety => &["-DSAFETY", "-DNOCLAIM"] as &[&str],
        Question::Unreduced => &["-DSAFETY", "-DNOCLAIM", "-DNOREDUCE"],
        Question::Formula(_) => &[],
    });
    compile.args(["-o", "pan", "pan.c"]);
    let compiled = started(compile.current_dir(folder), Duration::from_secs(120))?;
    match compiled.code {
        Some(0) => Ok(generated.cpu + compiled.cpu),
        _ => Err(first_error(&compiled.errors)),
    }
}

fn verifier_arguments(question: Question, depth: u32) -> Vec<String> {
    let mut arguments = vec![format!("-m{depth}")];
    match question {
        Question::Safety | Question::Unreduced => arguments.push("-c0".to_string()),
        Question::Formula(name) => arguments.extend(["-a", "-N", name].map(String::from)),
    }
    arguments
}

/// Our answer, or why there is none.
pub fn ours(mazurka: &Path, instance: &Instance, question: Question, bounds: Bounds) -> Result<Cost, String> {
    let mut command = Command::new(mazurka);
    command
        .arg("check")
        .args(["--quiet", "--format", "json"])
        .args(instance.definitions());
    command.arg("--max-memory").arg(format!("{}MiB", bounds.megabytes));
    command.args(match question {
        Question::Safety => vec!["--property", "safety", "--all"],
        Question::Unreduced => vec!["--property", "safety", "--all", "--reduction", "none"],
        Question::Formula(name) => vec!["--property", name],
    });
    let ended = started(command.arg(&instance.path), bounds.time)?;
    read_ours(&ended)
}

fn started(command: &mut Command, limit: Duration) -> Result<Ended, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    measured::run(command, limit).map_err(|e| format!("{program}: {e}"))
}

/// The first line that speaks of an error.
fn first_error(said: &str) -> String {
    let is_error = |line: &&str| line.to_lowercase().contains("error");
    let line = said.lines().find(is_error).or(said.lines().next());
    line.unwrap_or("it does not say why").trim().to_string()
}

/// What SPIN's verifier says when an `xr` or `xs` declaration is wrong, or what it inferred as one.
pub fn is_about_reduction(message: &str) -> bool {
    message.contains("partial order reduction invalid")
}

/// Reads what SPIN's verifier says.
fn read_spin(ended: &Ended, made: f64) -> Result<Cost, String> {
    let run = Run::parse(&ended.text);
    if run.states == 0 {
        return Err(format!(
            "no statistics: {}",
            first_error(&(ended.text.clone() + &ended.errors))
        ));
    }
    let before = |what: &str| -> Option<f64> {
        let line = ended.text.lines().find(|line| line.contains(what))?;
        line.split(what).next()?.split_whitespace().last()?.parse().ok()
    };
    let memory = before("\tactual memory usage for states").or_else(|| before("\tequivalent memory usage for states"));
    let stopped_at_error = run.errors > 0 && !ended.late && !run.text.contains("-DMEMLIM");
    let complete = !ended.late && ended.code == Some(0) && (!run.truncated || stopped_at_error);
    Ok(Cost {
        verdict: match (run.errors, complete) {
            (1.., _) if run.found.iter().all(|found| is_about_reduction(&found.message)) => Verdict::Unreduced,
            (1.., _) => Verdict::Violated,
            (0, false) => Verdict::Stopped,
            (0, true) => Verdict::Holds,
        },
        complete,
        failed_assertion: run.has(ErrorKind::Assertion),
        states: run.states,
        transitions: run.transitions,
        cpu: ended.cpu,
        cpu_with_compilation: ended.cpu + made,
        wall: ended.wall,
        bytes_per_state: memory.unwrap_or_default() * 1_048_576.0 / run.states as f64,
        megabytes: ended.peak as f64 / 1_048_576.0,
    })
}

/// Reads what `mazurka check --format json` says.
fn read_ours(ended: &Ended) -> Result<Cost, String> {
    let read: serde_json::Value =
        serde_json::from_str(&ended.text).map_err(|_| first_error(&(ended.errors.clone() + &ended.text)))?;
    let property = &read["properties"][0];
    let number = |name: &str| property[name].as_u64().ok_or_else(|| format!("no number `{name}`"));
    let (states, bytes) = (number("states")?, number("memory_bytes")?);
    let violations = property["violations"].as_array().into_iter().flatten();
    let kinds: Vec<&str> = violations.filter_map(|v| v["kind"].as_str()).collect();
    Ok(Cost {
        verdict: match property["verdict"].as_str() {
            Some("holds") => Verdict::Holds,
            Some("violated") => Verdict::Violated,
            Some("inconclusive") => Verdict::Stopped,
            other => return Err(format!("an unknown verdict: {other:?}")),
        },
        complete: property["limit"].is_null() && !ended.late,
        failed_assertion: kinds.contains(&"assertion"),
        states,
        transitions: number("transitions")?,
        cpu: ended.cpu,
        cpu_with_compilation: ended.cpu,
        wall: ended.wall,
        bytes_per_state: bytes as f64 / states.max(1) as f64,
        megabytes: ended.peak as f64 / 1_048_576.0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::peers::instances::safety;

    const SAID: &str = "
State-vector 152 byte, depth reached 2715, errors: 0
    96232 states, stored
   165702 states, matched
   261934 transitions (= stored+matched)

Stats on memory usage (in Megabytes):
   15.785\tequivalent memory usage for states (stored*(State-vector + overhead))
   12.789\tactual memory usage for states (compression: 81.02%)
  136.248\ttotal actual memory usage

pan: elapsed time 0.58 seconds
";

    fn ended(text: &str, code: i32) -> Ended {
        Ended {
            text: text.to_string(),
            cpu: 0.5,
            wall: 0.6,
            peak: 3 << 20,
            code: Some(code),
            ..Ended::default()
        }
    }

    #[test]
    fn what_spin_says_is_read() {
        let cost = read_spin(&ended(SAID, 0), 1.5).unwrap();
        assert_eq!((cost.verdict, cost.complete), (Verdict::Holds, true));
        assert_eq!((cost.states, cost.transitions), (96232, 261_934));
        assert_eq!((cost.cpu, cost.cpu_with_compilation, cost.wall), (0.5, 2.0, 0.6));
        assert_eq!((cost.bytes_per_state.round(), cost.megabytes), (139.0, 3.0));
        assert!(read_spin(&ended("Segmentation fault", 139), 1.0).is_err());
    }

    #[test]
    fn a_limit_of_spin_is_seen() {
        let text = format!("Warning: Search not completed\n{SAID}");
        let cost = read_spin(&ended(&text, 0), 1.5).unwrap();
        assert_eq!((cost.verdict, cost.complete), (Verdict::Stopped, false));
        let late = Ended {
            late: true,
            ..ended(SAID, 0)
        };
        assert_eq!(read_spin(&late, 1.5).unwrap().verdict, Verdict::Stopped);
    }

    #[test]
    fn an_error_of_the_reduction_is_none_of_the_model() {
        let errors = |messages: &str| {
            let text = SAID.replace("errors: 0", "errors: 2");
            read_spin(&ended(&format!("{messages}{text}"), 0), 1.5).unwrap()
        };
        let reduction = "pan: xs assertion violated: access to chan <c> (1)\n\
                         pan:1: error, partial order reduction invalid (at depth 0)\n";
        assert_eq!(errors(reduction).verdict, Verdict::Unreduced);
        let assertion = "pan:2: assertion violated (x==1) (at depth 4)\n";
        let cost = errors(&format!("{reduction}{assertion}"));
        assert_eq!((cost.verdict, cost.failed_assertion), (Verdict::Violated, true));
        let end = errors("pan:1: invalid end state (at depth 8)\n");
        assert_eq!((end.verdict, end.failed_assertion), (Verdict::Violated, false));
    }

    #[test]
    fn what_we_say_is_read() {
        let json = |verdict: &str, limit: &str| {
            format!(
                "{{\"properties\": [{{\"verdict\": \"{verdict}\", \"limit\": {limit}, \"states\": 50, \
                 \"transitions\": 70, \"memory_bytes\": 2000, \"violations\": [{{\"kind\": \"assertion\"}}]}}]}}"
            )
        };
        let cost = read_ours(&ended(&json("violated", "null"), 1)).unwrap();
        assert_eq!(
            (cost.verdict, cost.complete, cost.failed_assertion),
            (Verdict::Violated, true, true)
        );
        assert_eq!((cost.states, cost.transitions, cost.bytes_per_state), (50, 70, 40.0));
        assert_eq!((cost.cpu, cost.cpu_with_compilation), (0.5, 0.5));
        let cost = read_ours(&ended(&json("inconclusive", "\"time\""), 3)).unwrap();
        assert_eq!((cost.verdict, cost.complete), (Verdict::Stopped, false));
        assert!(read_ours(&ended("error: no model", 2)).is_err_and(|why| why == "error: no model"));
    }

    /// At small sizes, where it takes a moment.
    #[test]
    fn both_tools_agree_about_the_philosophers() {
        let bounds = Bounds {
            time: Duration::from_secs(60),
            megabytes: 500,
        };
        let Ok(mazurka) = find_ours() else {
            return println!("skipped: `mazurka` is not built");
        };
        let has_spin = mazurka_testkit::spin::Spin::find().is_some();
        for instance in safety(true).iter().filter(|i| i.name.starts_with("philosophers_")) {
            for question in [Question::Safety, Question::Unreduced] {
                let ours = ours(&mazurka, instance, question, bounds).unwrap();
                assert!(ours.complete && ours.verdict != Verdict::Stopped, "{}", instance.name);
                if has_spin {
                    assert_eq!(
                        spin(instance, question, bounds).unwrap().verdict,
                        ours.verdict,
                        "{}",
                        instance.name
                    );
                }
            }
        }
    }
}
