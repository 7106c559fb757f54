//! Asynchronous programs: tasks, wakers, timers, and what combines futures.
//!
//! In a check each task has a controlled thread of its own, and the search tries all interleavings of polls and wakes. A
//! task that nobody will wake is a deadlock, and the report says where it was spawned and what it awaits. Outside a check tasks
//! are threads of the system.
//!
//! The crate `mazurka-tokio` has the names of tokio, made of this.
//!
//! ```
//! use mazurka::future::{block_on, join, spawn, yield_now};
//!
//! mazurka::check(|| {
//!     let sum = block_on(async {
//!         let a = spawn(async { yield_now().await; 1 });
//!         let b = spawn(async { 2 });
//!         let (a, b) = join!(a, b);
//!         a.unwrap() + b.unwrap()
//!     });
//!     assert_eq!(sum, 3);
//! });
//! ```

mod alone;
mod atomic_waker;
pub(crate) mod awaitable;
mod clock;
mod combine;
mod handle;
mod task;
mod timer;
pub(crate) mod wakeup;

pub(crate) use alone::breaks_promise;
pub use atomic_waker::AtomicWaker;
pub(crate) use clock::Clock;
pub use combine::{join, pin, select, try_join};
pub use handle::{AbortHandle, JoinError, JoinHandle, block_on, spawn};
pub(crate) use task::Running;
pub use timer::Instant;

use crate::runtime;
use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

/// What asynchronous primitives are made of. It may change at any time.
#[doc(hidden)]
pub mod __private {
    pub use super::awaitable::{Cell, Gauge, Leaf, Need};
    pub use super::combine::{Joined, Selected, start};
    pub use super::handle::{Setting, block_on_with, spawn_thread, spawn_with};
    pub use super::task::Together;
    pub use super::timer::Timer;
    pub use super::wake;
}

/// Wakes a task. Steps in reports have the place of the caller.
#[doc(hidden)]
#[track_caller]
pub fn wake(waker: Waker) {
    if let Some(rt) = runtime::current() {
        rt.waking.set(Some(Location::caller()));
    }
    waker.wake();
    if let Some(rt) = runtime::current() {
        rt.waking.set(None);
    }
}

/// Lets other tasks run: a future that is ready when it is polled for the second time.
pub fn yield_now() -> YieldNow {
    YieldNow { yielded: false }
}

/// The future of [`yield_now`].
#[derive(Debug)]
#[must_use = "futures do nothing unless they are awaited"]
pub struct YieldNow {
    yielded: bool,
}

impl Future for YieldNow {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if std::mem::replace(&mut self.yielded, true) {
            return Poll::Ready(());
        }
        if !task::yields(context) {
            context.waker().wake_by_ref();
        }
        Poll::Pending
    }
}

/// A future that is ready after this time: virtual time in a check, where it passes only when nothing else can happen.
///
/// ```
/// use mazurka::future::{Instant, block_on, sleep};
/// use std::time::Duration;
///
/// mazurka::check(|| {
///     let start = Instant::now();
///     block_on(sleep(Duration::from_secs(3600)));
///     assert_eq!(start.elapsed().as_secs(), 3600);
/// });
/// ```
pub fn sleep(duration: Duration) -> impl Future<Output = ()> + Send + Sync + Unpin {
    timer::Timer::after(duration)
}
