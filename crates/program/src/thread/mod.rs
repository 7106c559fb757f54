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

/// Starts a thread in a check, which can then own and return what is not `Send`, as loom's threads can.
///
/// That is sound because the threads of a check take turns on one OS thread, from one operation to the next.
///
/// ```
/// use std::{cell::Cell, rc::Rc};
///
/// mazurka::check(|| {
///     let seen = Rc::new(Cell::new(0));
///     let mine = Rc::clone(&seen);
///     mazurka::thread::spawn_local(move || mine.set(1)).join().unwrap();
///     assert_eq!(seen.get(), 1);
/// });
/// ```
///
/// # Panics
/// Outside a check.
#[track_caller]
pub fn spawn_local<F, T>(f: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + 'static,
    T: 'static,
{
    Builder::new().spawn_local(f).expect("a thread can be started")
}

/// The current thread.
pub fn current() -> Thread {
    match runtime::current() {
        Some(rt) => Thread::controlled(&rt, rt.thread()),
        None => Thread::os(std::thread::current()),
    }
}

/// Yields to other threads. In a check this does nothing, because the search decides which thread runs. It is another place where
/// loops that wait are recognised.
#[inline(always)]
#[track_caller]
pub fn yield_now() {
    if runtime::possible() {
        crate::fiber::watched!(yield_in_check());
    } else {
        std::thread::yield_now();
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn yield_in_check() {
    if runtime::inside() {
        runtime::pauses(std::panic::Location::caller());
    } else {
        std::thread::yield_now();
    }
}

/// Sleeps. In a check, only the virtual [time](crate::time) of the thread passes: other threads may always be faster or slower.
#[track_caller]
pub fn sleep(duration: Duration) {
    match runtime::current() {
        Some(rt) => crate::time::pass(&rt, duration),
        None => std::thread::sleep(duration),
    }
}
