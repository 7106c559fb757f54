//! A place for one waker.

use super::awaitable::Cell;
use std::fmt;
use std::task::Waker;

/// Keeps the waker of one task, for others to wake it, as `futures::task::AtomicWaker`.
///
/// The task must register before it looks whether it must wait: if it looks first, a wake in between is lost.
///
/// ```should_panic
/// use mazurka::future::{AtomicWaker, block_on};
/// use mazurka::sync::atomic::{AtomicBool, Ordering::SeqCst};
/// use std::{future::poll_fn, sync::Arc, task::Poll};
///
/// mazurka::check(|| {
///     let shared = Arc::new((AtomicWaker::new(), AtomicBool::new(false)));
///     let other = Arc::clone(&shared);
///     mazurka::thread::spawn(move || {
///         other.1.store(true, SeqCst);
///         other.0.wake();
///     });
///     block_on(poll_fn(|context| {
///         if shared.1.load(SeqCst) {
///             return Poll::Ready(());
///         }
///         shared.0.register(context.waker()); // too late
///         Poll::Pending
///     }));
/// });
/// ```
pub struct AtomicWaker {
    waker: Cell<Option<Waker>>,
}

impl AtomicWaker {
    /// Makes a place without a waker.
    #[track_caller]
    pub const fn new() -> AtomicWaker {
        AtomicWaker {
            waker: Cell::polled("AtomicWaker", None),
        }
    }

    /// Keeps a waker instead of the one before.
    #[track_caller]
    pub fn register(&self, waker: &Waker) {
        let old = self.waker.change(|kept| kept.replace(waker.clone()));
        drop(old);
    }

    /// Wakes the task that registered last, unless that has happened before.
    #[track_caller]
    pub fn wake(&self) {
        if let Some(waker) = self.take() {
            super::wake(waker);
        }
    }

    /// Takes the waker.
    #[track_caller]
    pub fn take(&self) -> Option<Waker> {
        self.waker.change(Option::take)
    }
}

impl Default for AtomicWaker {
    #[track_caller]
    fn default() -> AtomicWaker {
        AtomicWaker::new()
    }
}

impl fmt::Debug for AtomicWaker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AtomicWaker").finish_non_exhaustive()
    }
}
