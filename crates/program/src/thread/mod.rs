//! Threads, with the names and signatures of `std::thread`.

mod builder;
pub(crate) mod end;
mod handle;
mod local;
pub(crate) mod parker;
mod scope;

pub use crate::fiber::Scope;
#[doc(hidden)]
pub use builder::Declared;
pub(crate) use builder::uses;
pub use builder::{Builder, Uses};
pub use handle::{JoinHandle, Thread, ThreadId};
pub(crate) use handle::{wait_for, wait_for_at};
pub use local::{AccessError, LocalKey};
pub use parker::{park, park_timeout};
pub use scope::{ScopedJoinHandle, scope};
pub use std::thread::{Result, available_parallelism, panicking};

use crate::runtime;
use std::time::Duration;

#[doc(inline)]
pub use crate::__thread_local as thread_local;

/// Starts a thread.
///
/// ```
/// mazurka::check(|| {
///     let thread = mazurka::thread::spawn(|| 1 + 1);
///     assert_eq!(thread.join().unwrap(), 2);
/// });
/// ```
#[track_caller]
pub fn spawn<F, T>(f: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    Builder::new().spawn(f).expect("a thread can be started")
}

/// The current thread.
pub fn current() -> Thread {
    match runtime::current() {
        Some(rt) => Thread::controlled(&rt, rt.thread()),
        None => Thread::os(std::thread::current()),
    }
}

/// Yields to other threads. In a check the search decides which thread runs. But a thread that calls this again in the same
/// state, and has only loaded from one atomic meanwhile, goes on only after another thread has written to that atomic.
pub fn yield_now() {
    if runtime::inside() {
        crate::fiber::with_local_state(runtime::comes_round);
    } else {
        std::thread::yield_now();
    }
}

/// Sleeps. In a check it does nothing, because other threads may always be faster or slower.
pub fn sleep(duration: Duration) {
    if !runtime::inside() {
        std::thread::sleep(duration);
    }
}
