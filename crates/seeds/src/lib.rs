//! Random cases by seed: runs every random test of the workspace, and reports the seed of a case that failed.
//!
//! Each test has a number of cases that takes a few seconds. In the environment, `MAZURKA_TIMES=<n>` multiplies the
//! numbers of all tests, `MAZURKA_CASES=<n>` replaces them, `MAZURKA_SEED=<n>` runs one case, and
//! `MAZURKA_SEED=<m>..<n>` those from `m` to before `n`.

#![cfg_attr(not(test), warn(clippy::cast_possible_truncation))]

use std::env;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The seeds to try: `0..cases`, unless the environment says otherwise.
///
/// ```
/// # if mazurka_seeds::are_chosen() || std::env::var_os("MAZURKA_CASES").is_some() { return }
/// # if std::env::var_os("MAZURKA_TIMES").is_some() { return }
/// assert_eq!(mazurka_seeds::range(10), 0..10);
/// ```
///
/// # Panics
/// If the value in the environment is not a number.
pub fn range(cases: u64) -> Range<u64> {
    let number = |name: &str, text: &str| {
        text.parse::<u64>()
            .unwrap_or_else(|_| panic!("{name} is not a number: {text}"))
    };
    if let Ok(seeds) = env::var("MAZURKA_SEED") {
        return match seeds.split_once("..") {
            Some((first, end)) => number("MAZURKA_SEED", first)..number("MAZURKA_SEED", end),
            None => {
                let seed = number("MAZURKA_SEED", &seeds);
                seed..seed + 1
            }
        };
    }
    if let Ok(cases) = env::var("MAZURKA_CASES") {
        return 0..number("MAZURKA_CASES", &cases);
    }
    let times = env::var("MAZURKA_TIMES").map_or(1, |text| number("MAZURKA_TIMES", &text));
    0..cases.saturating_mul(times)
}

/// Whether seeds were chosen by hand. Then a test cannot expect that something happens in some of many cases.
pub fn are_chosen() -> bool {
    env::var_os("MAZURKA_SEED").is_some()
}

/// Calls `check` with each seed of [`range`], on as many threads as there are cores. If a check panics, its seed is
/// printed, and the panic is passed on.
///
/// ```
/// // What is printed can be read back.
/// mazurka_seeds::seeds(100, |seed| assert_eq!(seed.to_string().parse(), Ok(seed)));
/// ```
pub fn seeds(cases: u64, check: impl Fn(u64) + Sync) {
    let range = range(cases);
    let next = AtomicU64::new(range.start);
    let failed = AtomicBool::new(false);
    let work = || {
        while !failed.load(Ordering::Relaxed) {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= range.end {
                return;
            }
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| check(seed))) {
                failed.store(true, Ordering::Relaxed);
                eprintln!("failed: run it again with MAZURKA_SEED={seed}");
                resume_unwind(panic);
            }
        }
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = usize::try_from(range.end.saturating_sub(range.start)).map_or(cores, |count| count.min(cores));
    if threads <= 1 {
        return work();
    }
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        for thread in threads {
            if let Err(panic) = thread.join() {
                resume_unwind(panic);
            }
        }
    });
}
