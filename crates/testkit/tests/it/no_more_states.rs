//! Without reduction, no more states than SPIN: with its statement merging and without the variables that it considers dead.
//!
//! The models are those of the corpus and of the benchmarks, and some of those that Debian's package of SPIN installs; with
//! `MAZURKA_TIMES=8`, all of them. A model that is too large is not compared, nor is one where SPIN's verifier stops at an
//! error. [`EXCEPTIONS`] says where SPIN stores less, and why.

use mazurka_core::Limits;
use mazurka_promela::verify::{self, Property, Reduction};
use mazurka_promela::{Model, load, load_path};
use mazurka_testkit::promela::{Shape, random_program};
use mazurka_testkit::seeds;
use mazurka_testkit::spin::{ErrorKind, Options, Spin, installed_examples};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// The number of states above which models are not compared. `MAZURKA_TIMES` multiplies it.
fn most() -> u64 {
    mazurka_seeds::range(20_000).end
}

/// Models of which SPIN stores fewer states.
const EXCEPTIONS: [&str; 2] = [
    // States in which an `atomic` has a choice are stored. SPIN stores nothing inside `atomic`, and explores it again instead.
    "atomic.pml",
    // With priorities nothing is merged. SPIN merges all the same.
    "rtos1.pml",
];

/// The number of states that SPIN stores, if its verifier explores everything.
fn spins(spin: Spin, text: &str) -> Option<u64> {
    let options = Options {
        generate: &[],
        compile: &["-DSAFETY", "-DNOCLAIM", "-DMEMLIM=500", "-DVECTORSZ=4096"],
    };
    let run = spin
        .verifier(text, &options)
        .ok()?
        .run(&["-c0"], Duration::from_secs(5));
    let stops = [ErrorKind::Trace, ErrorKind::ClaimCompleted]
        .iter()
        .any(|kind| run.has(*kind));
    // It also stops where a `notrace` matches.
    let explored = !run.truncated && !run.has_fault() && !stops && !text.contains("notrace");
    (explored && run.states > 0 && run.states <= most()).then_some(run.states)
}

/// The number of states that we store, up to one more than `most`.
fn ours(model: &Model, most: u64) -> Result<u64, String> {
    let options = verify::Options {
        reduction: Reduction::None,
        all: true,
        limits: Limits {
            states: Some(most + 1),
            ..Limits::default()
        },
        ..verify::Options::default()
    };
    let result = verify::check(model, &Property::Safety, &options).map_err(|error| error.to_string())?;
    Ok(result.statistics.states)
}

fn models_of(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let files = std::fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("a file").path());
    files
        .filter(|path| path.extension().is_some_and(|e| e == "pml"))
        .collect()
}

/// Compares a model. Returns both numbers, if SPIN has one.
fn compared(spin: Spin, path: &Path) -> Result<Option<(u64, u64)>, String> {
    let Ok(loaded) = load_path(path, &mazurka_promela::Options::default()).expect("a file") else {
        return Ok(None);
    };
    let text = std::fs::read_to_string(path).expect("a file");
    let Some(theirs) = spins(spin, &text) else {
        return Ok(None);
    };
    let ours = ours(&loaded.model, theirs)?;
    let is_exception = EXCEPTIONS.iter().any(|name| path.ends_with(name));
    match (ours > theirs, is_exception) {
        (true, false) => Err(format!("{ours} states or more, SPIN {theirs}")),
        (false, true) => Err(format!("is no exception: {ours} states, SPIN {theirs}")),
        _ => Ok(Some((ours, theirs))),
    }
}

#[test]
fn no_model_has_more_states_than_with_spin() {
    let Some(spin) = Spin::find() else { return };
    let installed = installed_examples();
    let some = usize::try_from(mazurka_seeds::range(10).end).unwrap_or(usize::MAX);
    let mut models: Vec<_> = installed.into_iter().collect();
    let step = (models.len() / some).max(1);
    models = models.into_iter().step_by(step).collect();
    models.extend(models_of("corpus/promela"));
    models.extend(models_of("benches/models"));
    let next = AtomicUsize::new(0);
    let wrong: Mutex<Vec<String>> = Mutex::default();
    let sums: Mutex<(u64, u64, u64)> = Mutex::default();
    let work = || {
        while let Some(path) = models.get(next.fetch_add(1, Ordering::Relaxed)) {
            match compared(spin, path) {
                Ok(None) => {}
                Ok(Some((ours, theirs))) => {
                    let mut sums = sums.lock().unwrap();
                    *sums = (sums.0 + 1, sums.1 + ours, sums.2 + theirs);
                }
                Err(how) => wrong.lock().unwrap().push(format!("{}: {how}", path.display())),
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    let (count, ours, theirs) = sums.into_inner().unwrap();
    let wrong = wrong.into_inner().unwrap();
    println!("{count} of {} models: {ours} states, SPIN {theirs}", models.len());
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    assert!(count > 80, "only {count}");
}

/// Random models without the exceptions: no priorities, and no choices inside `atomic`.
#[test]
fn no_random_model_has_more_states_than_with_spin() {
    let Some(spin) = Spin::find() else { return };
    let wrong: Mutex<Vec<String>> = Mutex::default();
    seeds(10, |seed| {
        let program = random_program(seed, &Shape::counted());
        let differ = |text: &str| {
            let model = load("random.pml", text, &mazurka_promela::Options::default())
                .ok()?
                .model;
            let theirs = spins(spin, text)?;
            let ours = ours(&model, theirs).ok()?;
            (ours > theirs).then_some((ours, theirs))
        };
        if differ(&program.to_string()).is_some() {
            let small = program.shrink(|p| differ(&p.to_string()).is_some());
            let numbers = differ(&small.to_string());
            wrong.lock().unwrap().push(format!("seed {seed}: {numbers:?}\n{small}"));
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
