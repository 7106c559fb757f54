//! Running a check for many seeds, and saying which one failed.

use std::env;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Calls `check` with the seeds `0..cases`, on as many threads as there are cores.
///
/// `MAZURKA_SEED=<n>` in the environment runs that seed alone, `MAZURKA_CASES=<n>`
/// replaces `cases`. The panic of a failing check passes on, after its seed was
/// printed.
pub fn seeds(cases: u64, check: impl Fn(u64) + Sync) {
    let number = |name: &str| {
        env::var(name).ok().map(|text| {
            text.parse::<u64>()
                .unwrap_or_else(|_| panic!("{name} is not a number: {text}"))
        })
    };
    if let Some(seed) = number("MAZURKA_SEED") {
        check(seed);
        return;
    }
    let cases = number("MAZURKA_CASES").unwrap_or(cases);
    let next = AtomicU64::new(0);
    let failed = AtomicBool::new(false);
    let work = || {
        while !failed.load(Ordering::Relaxed) {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= cases {
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
