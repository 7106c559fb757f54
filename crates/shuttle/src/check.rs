//! Checks with one line.

use crate::scheduler::{
    DfsScheduler, PctScheduler, RandomScheduler, ReplayScheduler, Scheduler, UncontrolledNondeterminismCheckScheduler,
    UrwRandomScheduler,
};
use crate::{Config, Runner};
use std::path::Path;

#[track_caller]
fn run<S: Scheduler, F: Fn()>(scheduler: S, test: F) {
    Runner::new(scheduler, Config::default()).run(test);
}

/// Runs every inequivalent execution. shuttle runs one.
#[track_caller]
pub fn check<F: Fn()>(test: F) {
    run(DfsScheduler::new(None, false), test);
}

/// Runs every inequivalent execution, or at most `max_executions`.
///
/// ```
/// # use mazurka_shuttle as shuttle;
/// use shuttle::sync::{Arc, Mutex};
/// shuttle::check_dfs(|| {
///     let n = Arc::new(Mutex::new(0));
///     let m = Arc::clone(&n);
///     let thread = shuttle::thread::spawn(move || *m.lock().unwrap() += 1);
///     *n.lock().unwrap() += 1;
///     thread.join().unwrap();
///     assert_eq!(*n.lock().unwrap(), 2);
/// }, None);
/// ```
#[track_caller]
pub fn check_dfs<F: Fn()>(test: F, max_executions: Option<usize>) {
    run(DfsScheduler::new(max_executions, false), test);
}

/// Runs random executions.
#[track_caller]
pub fn check_random<F: Fn()>(test: F, executions: usize) {
    run(RandomScheduler::new(executions), test);
}

/// Runs random executions with this seed.
#[track_caller]
pub fn check_random_with_seed<F: Fn()>(test: F, seed: u64, executions: usize) {
    run(RandomScheduler::new_from_seed(seed, executions), test);
}

/// Runs random executions.
#[track_caller]
pub fn check_urw<F: Fn()>(test: F, executions: usize) {
    run(UrwRandomScheduler::new(executions), test);
}

/// Runs executions with random priorities, for bugs of this depth.
#[track_caller]
pub fn check_pct<F: Fn()>(test: F, executions: usize, depth: usize) {
    run(PctScheduler::new(depth, executions), test);
}

/// Runs random executions. Nondeterminism that is not under control is always looked for.
#[track_caller]
pub fn check_uncontrolled_nondeterminism<F: Fn()>(test: F, max_executions: usize) {
    let scheduler = UncontrolledNondeterminismCheckScheduler::new(RandomScheduler::new(max_executions));
    run(scheduler, test);
}

/// Runs the execution of the token at the end of a report.
#[track_caller]
pub fn replay<F: Fn()>(test: F, token: &str) {
    run(ReplayScheduler::new_from_encoded(token), test);
}

/// Runs the execution of the token in a file.
///
/// # Panics
/// If the file cannot be read.
#[track_caller]
pub fn replay_from_file<F: Fn()>(test: F, path: impl AsRef<Path>) {
    run(
        ReplayScheduler::new_from_file(path).expect("could not load schedule from file"),
        test,
    );
}
