//! Running a check for many seeds, and saying which one failed.

use std::env;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Calls `check` with the seeds `0..cases`, on as many threads as there are cores.
///
/// `MAZURKA_SEED=<n>` in the environment runs that seed alone, `MAZURKA_SEED=<m>..<n>`
/// those from `m` to before `n`, `MAZURKA_CASES=<n>` replaces `cases`. The panic of a
/// failing check passes on, after its seed was printed.
pub fn seeds(cases: u64, check: impl Fn(u64) + Sync) {
    let number = |name: &str, text: &str| {
        text.parse::<u64>()
            .unwrap_or_else(|_| panic!("{name} is not a number: {text}"))
    };
    let range = match (env::var("MAZURKA_SEED"), env::var("MAZURKA_CASES")) {
        (Ok(seeds), _) => match seeds.split_once("..") {
            Some((first, end)) => number("MAZURKA_SEED", first)..number("MAZURKA_SEED", end),
            None => return check(number("MAZURKA_SEED", &seeds)),
        },
        (_, Ok(cases)) => 0..number("MAZURKA_CASES", &cases),
        _ => 0..cases,
    };
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
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        for thread in threads {
            if let Err(panic) = thread.join() {
                resume_unwind(panic);
            }
        }
    });
}
