//! Threads, with the names and signatures of `std::thread`.

mod builder;
mod handle;
mod local;
mod scope;

pub use crate::fiber::Scope;
#[doc(hidden)]
pub use builder::Declared;
pub use builder::{Builder, Uses};
pub use handle::{JoinHandle, Thread, ThreadId};
pub use local::{AccessError, LocalKey};
pub use scope::{ScopedJoinHandle, scope};
pub use std::thread::{Result, available_parallelism, panicking};

use crate::operation::Kind;
use crate::runtime;
use std::time::Duration;

#[doc(inline)]
pub use crate::__thread_local as thread_local;

/// Starts a thread.
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

/// Gives the turn away. Under control the search decides about turns; but a thread that comes here again in the same state, and has
/// only loaded from one atomic meanwhile, goes on when somebody has written to that one.
pub fn yield_now() {
    if runtime::inside() {
        crate::fiber::with_local_state(runtime::comes_round);
    } else {
        std::thread::yield_now();
    }
}

/// Sleeps. Under control, other threads may always be faster or slower, so it means nothing.
pub fn sleep(duration: Duration) {
    if !runtime::inside() {
        std::thread::sleep(duration);
    }
}

/// Waits until somebody unparks the thread. It may also return for no reason, if
/// [`Checker::spurious_wakeups`](crate::Checker::spurious_wakeups) says so.
#[track_caller]
pub fn park() {
    match runtime::current() {
        Some(rt) => controlled_park(&rt, 0),
        None => std::thread::park(),
    }
}

/// Waits until somebody unparks the thread, or until the time is up; under control, that is any moment.
#[track_caller]
pub fn park_timeout(duration: Duration) {
    match runtime::current() {
        Some(rt) => controlled_park(&rt, 1),
        None => std::thread::park_timeout(duration),
    }
}

/// A thread that leaves for no reason leaves at once and leaves the token where it is: nobody can tell whether it left later.
#[track_caller]
fn controlled_park(rt: &runtime::Runtime, timeout: u32) {
    let id = rt.thread();
    let leaves = rt.execution.borrow().threads[id.index()].spurious_left > 0 && crate::choose(2) == 1;
    if leaves {
        rt.execution.borrow_mut().threads[id.index()].spurious_left -= 1;
        return;
    }
    let parker = rt.execution.borrow_mut().parker_of(id);
    rt.visible(Kind::Park, parker, timeout);
}
