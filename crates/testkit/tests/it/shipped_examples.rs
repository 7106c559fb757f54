//! The models that Debian's package of SPIN installs: every reduction gives SPIN's verdicts.
//!
//! The models are not part of this repository. If SPIN is not installed, the tests say so
//! and pass. Each model has a budget of states. A model that exceeds it is not compared.

use mazurka_core::{Doubt, End, Limits};
use mazurka_promela::verify::{self, Property, PropertyResult, Reduction, Verdict};
use mazurka_promela::{Model, load_path};
use mazurka_testkit::spin::{ALL_STATES, ErrorKind, Options, Run, Spin, installed_examples};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// The number of states that each search may store. `MAZURKA_TIMES` multiplies it.
fn states() -> u64 {
    mazurka_seeds::range(5_000).end
}

const REDUCTIONS: [Reduction; 4] = [
    Reduction::None,
    Reduction::Sleep,
    Reduction::Persistent,
    Reduction::Full,
];

fn check(model: &Model, property: &Property, reduction: Reduction) -> Result<PropertyResult, String> {
    let options = verify::Options {
        reduction,
        limits: Limits {
            states: Some(states()),
            ..Limits::default()
        },
        ..verify::Options::default()
    };
    let result = verify::check(model, property, &options);
    result.map_err(|error| format!("{property:?}, {reduction:?}: {error}"))
}

/// The verdict that all reductions agree on, if one of them finishes.
fn ours(model: &Model, property: &Property) -> Result<Verdict, String> {
    let results: Result<Vec<_>, _> = REDUCTIONS.iter().map(|r| check(model, property, *r)).collect();
    let results = results?;
    let conclusive = || results.iter().filter(|r| r.verdict.is_conclusive());
    let verdict = conclusive()
        .next()
        .map_or(Verdict::Inconclusive(Doubt::Unexplored), |r| r.verdict);
    if conclusive().any(|r| r.verdict != verdict) {
        let verdicts: Vec<_> = results.iter().map(|r| r.verdict).collect();
        return Err(format!("{property:?}: {verdicts:?}"));
    }
    let (none, full) = (&results[0], &results[3]);
    let complete = |r: &PropertyResult| r.end == End::Complete && r.verdict == Verdict::Holds;
    if complete(none) && complete(full) && full.statistics.states > none.statistics.states {
        let (full, none) = (full.statistics.states, none.statistics.states);
        return Err(format!("{property:?}: {full} states reduced, {none} in all"));
    }
    Ok(verdict)
}

/// SPIN's verdict without reduction, if it finishes.
fn spins(spin: Spin, text: &str, property: &Property) -> Option<Verdict> {
    let (compile, arguments): (&[&str], Vec<&str>) = match property {
        Property::Safety => (&["-DSAFETY", "-DNOCLAIM", "-DVECTORSZ=4096", "-DMEMLIM=500"], vec![]),
        Property::Ltl(ltl) => (&["-DVECTORSZ=4096", "-DMEMLIM=500"], vec!["-a", "-N", &ltl.name]),
        _ => return None,
    };
    let options = Options {
        generate: ALL_STATES,
        compile,
    };
    let run = spin
        .verifier(text, &options)
        .ok()?
        .run(&arguments, Duration::from_secs(5));
    verdict(&run, property)
}

fn verdict(run: &Run, property: &Property) -> Option<Verdict> {
    // For a formula, other errors of the model do not matter.
    let is_safety = matches!(property, Property::Safety);
    let found = run
        .found
        .iter()
        .any(|f| is_safety || matches!(f.kind, ErrorKind::AcceptanceCycle | ErrorKind::ClaimCompleted));
    let killed = run.found.iter().any(|f| f.message.starts_with("killed"));
    match (found, run.found.is_empty() && !run.truncated && run.states > 0) {
        _ if killed => None,
        (true, _) => Some(Verdict::Violated),
        (false, true) => Some(Verdict::Holds),
        (false, false) => None,
    }
}

/// Compares the verdicts of a model, and returns the number of properties that were compared.
fn compare(spin: Spin, path: &Path) -> Result<usize, String> {
    let Ok(loaded) = load_path(path, &mazurka_promela::Options::default()).expect("a file") else {
        // Another test is about models that are refused.
        return Ok(0);
    };
    let text = std::fs::read_to_string(path).expect("a file");
    let mut compared = 0;
    for property in Property::all(&loaded.model) {
        let ours = ours(&loaded.model, &property)?;
        if !ours.is_conclusive() {
            continue;
        }
        match spins(spin, &text, &property) {
            None => {}
            Some(theirs) if theirs == ours => compared += 1,
            Some(theirs) => return Err(format!("{property:?}: {ours:?}, SPIN {theirs:?}")),
        }
    }
    Ok(compared)
}

#[test]
fn every_reduction_gives_the_verdicts_of_spin() {
    let Some(spin) = Spin::find() else { return };
    // Some of them. `MAZURKA_TIMES=8` compares all.
    let all = installed_examples();
    let some = usize::try_from(mazurka_seeds::range(10).end).unwrap_or(usize::MAX);
    let examples: Vec<_> = all.iter().step_by((all.len() / some).max(1)).collect();
    let (next, compared) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let wrong: Mutex<Vec<String>> = Mutex::default();
    let work = || {
        while let Some(path) = examples.get(next.fetch_add(1, Ordering::Relaxed)) {
            match compare(spin, path) {
                Ok(properties) => drop(compared.fetch_add(properties, Ordering::Relaxed)),
                Err(how) => wrong.lock().unwrap().push(format!("{}: {how}", path.display())),
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    let (wrong, compared) = (wrong.into_inner().unwrap(), compared.into_inner());
    println!("{compared} properties of {} models compared", examples.len());
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    assert!(2 * compared >= examples.len(), "only {compared}");
}
