//! Running SPIN and running mazurka.

use super::models::Subject;
use crate::peers::tools::is_about_reduction;
use mazurka_core::{End, Limits};
use mazurka_promela::verify::{self, Property, Reduction};
use mazurka_promela::{Model, load_path};
use mazurka_testkit::spin::{Refused, Run, Spin, Verifier};
use std::time::{Duration, Instant};

/// The limits of a search.
#[derive(Clone, Copy)]
pub struct Bounds {
    pub time: Duration,
    pub megabytes: usize,
}

/// What a search says about assertions and end states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Holds,
    Violated,
    Stopped,
    /// SPIN found that its reduction does not apply to the model, which says nothing about it.
    Unreduced,
}

/// The result of a search.
#[derive(Clone, Copy, Debug)]
pub struct Searched {
    pub verdict: Verdict,
    /// Whether it is complete.
    pub complete: bool,
    /// The number of stored states.
    pub states: u64,
    pub seconds: f64,
    /// For the states alone, where the tool says so, otherwise for everything.
    pub bytes_per_state: f64,
    /// For everything.
    pub megabytes: f64,
}

/// What a tool says about a model.
#[derive(Clone, Copy, Debug)]
pub struct Answer {
    pub reduced: Searched,
    pub full: Searched,
    /// From the file to the answer of the reduced search, with everything that is generated
    /// and compiled on the way.
    pub seconds: f64,
}

/// SPIN's answers, or why there are none.
pub fn spin(spin: Spin, model: &Subject, bounds: Bounds) -> Result<Answer, String> {
    let start = Instant::now();
    let verifier = verifier(spin, model, bounds, true)?;
    let reduced = searched(&measure(&verifier, bounds))?;
    let seconds = start.elapsed().as_secs_f64();
    let full = searched(&measure(&self::verifier(spin, model, bounds, false)?, bounds))?;
    Ok(Answer { reduced, full, seconds })
}

fn verifier(spin: Spin, model: &Subject, bounds: Bounds, reduce: bool) -> Result<Verifier, String> {
    let defines: Vec<String> = model
        .defines
        .iter()
        .map(|(name, value)| format!("-D{name}={value}"))
        .collect();
    let defines: Vec<&str> = defines.iter().map(String::as_str).collect();
    let memory = format!("-DMEMLIM={}", bounds.megabytes);
    let mut compile = vec![memory.as_str(), "-DVECTORSZ=16384"];
    if !reduce {
        compile.push("-DNOREDUCE");
    }
    spin.optimised(&model.path, &defines, &compile).map_err(|refused| {
        let (Refused::Model(said) | Refused::Verifier(said)) = refused;
        let is_error = |line: &&str| line.to_lowercase().contains("error");
        let line = said.lines().find(is_error).or(said.lines().next());
        line.unwrap_or("it does not say why").trim().to_string()
    })
}

/// All errors; a stack for two million steps; a hash table of 32 MB to begin with.
fn measure(verifier: &Verifier, bounds: Bounds) -> Run {
    verifier.measure(&["-c0", "-m2000000", "-w22"], bounds.time)
}

/// Reads what SPIN's verifier says about its costs.
fn searched(run: &Run) -> Result<Searched, String> {
    let before = |what: &str| -> Option<f64> {
        let line = run.text.lines().find(|line| line.contains(what))?;
        line.split(what).next()?.split_whitespace().last()?.parse().ok()
    };
    let seconds = run.text.lines().find_map(|line| {
        let rest = line.strip_prefix("pan: elapsed time ")?;
        rest.split_whitespace().next()?.parse::<f64>().ok()
    });
    let (Some(seconds), true) = (seconds, run.states > 0) else {
        let fault = run.found.first().map(|found| found.message.as_str());
        return Err(format!("no statistics: {}", fault.unwrap_or("its output has changed")));
    };
    let states = before("\tactual memory usage for states").or_else(|| before("\tequivalent memory usage for states"));
    Ok(Searched {
        verdict: match (run.errors, run.truncated) {
            (1.., _) if run.found.iter().all(|found| is_about_reduction(&found.message)) => Verdict::Unreduced,
            (1.., _) => Verdict::Violated,
            (0, true) => Verdict::Stopped,
            (0, false) => Verdict::Holds,
        },
        complete: !run.truncated && !run.found.iter().any(|found| is_about_reduction(&found.message)),
        states: run.states,
        seconds,
        bytes_per_state: states.unwrap_or_default() * 1_048_576.0 / run.states as f64,
        megabytes: before("\ttotal actual memory usage").unwrap_or_default(),
    })
}

/// Our answers, or why there are none.
pub fn ours(model: &Subject, bounds: Bounds) -> Result<Answer, String> {
    let start = Instant::now();
    let define = |(name, value): &(&str, &str)| (name.to_string(), Some(value.to_string()));
    let options = mazurka_promela::Options {
        defines: model.defines.iter().map(define).collect(),
        ..mazurka_promela::Options::default()
    };
    let loaded = load_path(&model.path, &options).map_err(|e| e.to_string())?;
    let loaded = loaded.map_err(|errors| {
        let first = errors.diagnostics.first().map(|found| found.message.clone());
        first.unwrap_or_else(|| "it does not say why".to_string())
    })?;
    let reduced = check(&loaded.model, Reduction::Full, bounds)?;
    let seconds = start.elapsed().as_secs_f64();
    let full = check(&loaded.model, Reduction::None, bounds)?;
    Ok(Answer { reduced, full, seconds })
}

fn check(model: &Model, reduction: Reduction, bounds: Bounds) -> Result<Searched, String> {
    let options = verify::Options {
        reduction,
        all: true,
        limits: Limits {
            time: Some(bounds.time),
            bytes: Some(bounds.megabytes << 20),
            ..Limits::default()
        },
        ..verify::Options::default()
    };
    let result = verify::check(model, &Property::Safety, &options).map_err(|e| e.to_string())?;
    let statistics = result.statistics;
    Ok(Searched {
        verdict: match result.verdict {
            verify::Verdict::Holds => Verdict::Holds,
            verify::Verdict::Violated => Verdict::Violated,
            verify::Verdict::Inconclusive(_) => Verdict::Stopped,
        },
        complete: result.end == End::Complete,
        states: statistics.states,
        seconds: statistics.time.as_secs_f64(),
        bytes_per_state: statistics.bytes as f64 / statistics.states as f64,
        megabytes: statistics.bytes as f64 / 1_048_576.0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::peers::small::models::models;

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

    #[test]
    fn costs_are_read_from_what_spin_says() {
        let found = searched(&Run::parse(SAID)).unwrap();
        assert_eq!(
            (found.verdict, found.complete, found.states),
            (Verdict::Holds, true, 96232)
        );
        assert_eq!((found.seconds, found.megabytes), (0.58, 136.248));
        assert_eq!(found.bytes_per_state.round(), 139.0);
        let stopped = searched(&Run::parse(&format!("Warning: Search not completed\n{SAID}"))).unwrap();
        assert_eq!((stopped.verdict, stopped.complete), (Verdict::Stopped, false));
        assert!(searched(&Run::parse("Segmentation fault")).is_err());
        let said = SAID.replace("errors: 0", "errors: 3");
        let invalid = format!("pan:1: error, partial order reduction invalid (at depth 0)\n{said}");
        let invalid = searched(&Run::parse(&invalid)).unwrap();
        assert_eq!((invalid.verdict, invalid.complete), (Verdict::Unreduced, false));
    }

    #[test]
    fn both_tools_agree_about_the_philosophers() {
        let bounds = Bounds {
            time: Duration::from_secs(60),
            megabytes: 500,
        };
        for model in models().iter().filter(|model| model.name == "philosophers_ordered") {
            let ours = ours(model, bounds).unwrap();
            assert_eq!(ours.reduced.verdict, Verdict::Holds);
            assert!(ours.full.complete && ours.reduced.states <= ours.full.states);
            let Some(peer) = Spin::find() else { return };
            let peer = spin(peer, model, bounds).unwrap();
            assert_eq!(peer.reduced.verdict, Verdict::Holds);
            assert!(peer.full.complete && peer.reduced.states <= peer.full.states);
        }
    }
}
