//! The plain interpreter on every model of the shared corpus: it finds the verdict and the number
//! of states in the model's header, which are those of SPIN.

mod header;
mod spin;

use header::{Expected, models};
use mazurka_promela::RuntimeError;
use mazurka_promela::plain::{Explored, Interpreter, ViolationKind, explore};
use mazurka_promela::{Options, load_path};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

fn explored(path: &Path) -> Explored {
    let loaded = load_path(path, &Options::default()).unwrap();
    let loaded = loaded.unwrap_or_else(|errors| panic!("{}: {errors}", path.display()));
    let explored = explore(&Interpreter::new(&loaded.model), 200_000).unwrap();
    assert!(explored.complete, "{}: too many states", path.display());
    explored
}

/// The kinds of violations, in the words of the headers.
fn kinds(explored: &Explored) -> BTreeSet<&'static str> {
    let kind = |kind: &ViolationKind| match kind {
        ViolationKind::InvalidEnd => "deadlock",
        ViolationKind::Error(error) if error.kind == RuntimeError::Assertion => "assertion",
        ViolationKind::Error(_) => "error",
    };
    explored.violations.iter().map(|v| kind(&v.kind)).collect()
}

#[test]
fn verdicts_and_states_are_those_of_the_headers() {
    let mut wrong = Vec::new();
    for (path, expected) in models() {
        let explored = explored(&path);
        let found = kinds(&explored);
        let Expected { safety, states } = expected;
        if found != safety.iter().map(String::as_str).collect() {
            wrong.push(format!("{}: {found:?}, not {safety:?}", path.display()));
        }
        if states.is_some_and(|states| states != explored.stored) {
            wrong.push(format!(
                "{}: {} states, not {states:?}",
                path.display(),
                explored.stored
            ));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn every_violation_can_be_replayed() {
    for (path, _) in models() {
        let loaded = load_path(&path, &Options::default()).unwrap().unwrap();
        let interpreter = Interpreter::new(&loaded.model);
        for violation in explore(&interpreter, 200_000).unwrap().violations {
            let mut state = interpreter.initial().unwrap();
            let mut failed = None;
            for step in &violation.steps {
                assert!(interpreter.steps(&state).contains(step), "{}", path.display());
                match interpreter.execute(&state, step) {
                    Ok(next) => state = next,
                    Err(error) => failed = Some(error),
                }
            }
            match violation.kind {
                ViolationKind::Error(error) => assert_eq!(failed, Some(error)),
                ViolationKind::InvalidEnd => {
                    assert!(interpreter.steps(&state).is_empty() && !interpreter.is_valid_end(&state));
                }
            }
        }
    }
}

#[test]
fn spin_agrees() {
    if !spin::is_there() {
        return;
    }
    let without = compare_with_spin(&models());
    assert!(without.is_empty(), "no verifier of {without:?}");
}

/// In the small models among SPIN's own examples, the plain interpreter finds what SPIN
/// finds. Models are skipped if SPIN's verifier cannot be built for them, or if the front end refuses them.
#[test]
fn spin_agrees_on_its_examples() {
    if !spin::is_there() {
        return;
    }
    let small = |path: &PathBuf| {
        let loaded = load_path(path, &Options::default()).unwrap().ok()?;
        let explored = explore(&Interpreter::new(&loaded.model), 2_000).ok()?;
        let safety: BTreeSet<String> = kinds(&explored).into_iter().map(str::to_owned).collect();
        // SPIN goes on after an assertion or an error, where we stop.
        let comparable = safety.iter().all(|kind| kind == "deadlock");
        let states = comparable.then_some(explored.stored);
        explored.complete.then(|| (path.clone(), Expected { safety, states }))
    };
    // `MAZURKA_TIMES=10` makes all of them.
    let all = spin::examples();
    let some = usize::try_from(mazurka_seeds::range(10).end).unwrap_or(usize::MAX);
    let examples: Vec<_> = all
        .iter()
        .step_by((all.len() / some).max(1))
        .filter_map(small)
        .collect();
    let without = compare_with_spin(&examples);
    println!(
        "{} examples agree, {} have no verifier",
        examples.len() - without.len(),
        without.len()
    );
}

/// Panics if SPIN disagrees. Returns the models that it has no verifier for.
fn compare_with_spin(models: &[(PathBuf, Expected)]) -> Vec<String> {
    let next = AtomicUsize::new(0);
    let (wrong, without): (Mutex<Vec<String>>, Mutex<Vec<String>>) = Default::default();
    let work = || {
        while let Some((path, expected)) = models.get(next.fetch_add(1, Ordering::Relaxed)) {
            let Some(found) = spin::verify(path) else {
                without.lock().unwrap().push(path.display().to_string());
                continue;
            };
            let same_states = expected.states.is_none() || found.states == expected.states;
            if found.holds != expected.safety.is_empty() || !same_states {
                let message = format!("{}: SPIN says {found:?}, expected was {expected:?}", path.display());
                wrong.lock().unwrap().push(message);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    let wrong: Vec<String> = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    without.into_inner().unwrap()
}

#[test]
fn the_steps_of_each_process_together_are_all_steps() {
    for (path, _) in models() {
        let loaded = load_path(&path, &Options::default()).unwrap().unwrap();
        let interpreter = Interpreter::new(&loaded.model);
        let Ok(initial) = interpreter.initial() else { continue };
        let (mut todo, mut seen) = (vec![initial], 0);
        while let (Some(state), true) = (todo.pop(), seen < 100) {
            seen += 1;
            let all = interpreter.steps(&state);
            let by_process = state.pids().flat_map(|pid| interpreter.steps_by(&state, pid));
            assert_eq!(by_process.collect::<Vec<_>>(), all, "{}", path.display());
            let next = all.iter().filter_map(|step| interpreter.execute(&state, step).ok());
            // One model starts as many processes as possible.
            todo.extend(next.filter(|next| next.processes.len() < 20));
        }
    }
}
