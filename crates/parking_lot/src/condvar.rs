//! Condition variables that leave the guard where it is.

use crate::timeout::until;
use crate::{MutexGuard, unpoisoned};
use mazurka::sync;
use mazurka::time::{Duration, Instant};
use std::fmt;

/// A condition variable, as `parking_lot::Condvar`.
#[derive(Default)]
pub struct Condvar {
    inner: sync::Condvar,
}

/// Whether a wait has timed out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitTimeoutResult(bool);

impl WaitTimeoutResult {
    /// True if the wait has timed out.
    pub fn timed_out(self) -> bool {
        self.0
    }
}

impl Condvar {
    /// Makes a condition variable without waiters.
    #[track_caller]
    pub const fn new() -> Condvar {
        Condvar {
            inner: sync::Condvar::new(),
        }
    }

    /// Wakes one waiter, if there is any. Unlike parking_lot's, it does not say whether there was one.
    #[track_caller]
    pub fn notify_one(&self) {
        self.inner.notify_one();
    }

    /// Wakes all waiters. Unlike parking_lot's, it does not say how many there were.
    #[track_caller]
    pub fn notify_all(&self) {
        self.inner.notify_all();
    }

    /// Releases the mutex, waits to be notified, and acquires the mutex again.
    #[track_caller]
    pub fn wait<T>(&self, guard: &mut MutexGuard<'_, T>) {
        guard.lend(|inner| (unpoisoned(self.inner.wait(inner)), ()));
    }

    /// Waits until `condition` is false.
    #[track_caller]
    pub fn wait_while<T>(&self, guard: &mut MutexGuard<'_, T>, mut condition: impl FnMut(&mut T) -> bool) {
        while condition(guard) {
            self.wait(guard);
        }
    }

    /// Waits to be notified, or until the time is up.
    #[track_caller]
    pub fn wait_for<T>(&self, guard: &mut MutexGuard<'_, T>, timeout: Duration) -> WaitTimeoutResult {
        guard.lend(|inner| {
            let (inner, result) = unpoisoned(self.inner.wait_timeout(inner, timeout));
            (inner, WaitTimeoutResult(result.timed_out()))
        })
    }

    /// Waits to be notified, or until the moment has come.
    #[track_caller]
    pub fn wait_until<T>(&self, guard: &mut MutexGuard<'_, T>, moment: Instant) -> WaitTimeoutResult {
        self.wait_for(guard, until(moment))
    }

    /// Waits until `condition` is false, or until the time is up.
    #[track_caller]
    pub fn wait_while_for<T>(
        &self,
        guard: &mut MutexGuard<'_, T>,
        condition: impl FnMut(&mut T) -> bool,
        timeout: Duration,
    ) -> WaitTimeoutResult {
        guard.lend(|inner| {
            let (inner, result) = unpoisoned(self.inner.wait_timeout_while(inner, timeout, condition));
            (inner, WaitTimeoutResult(result.timed_out()))
        })
    }

    /// Waits until `condition` is false, or until the moment has come.
    #[track_caller]
    pub fn wait_while_until<T>(
        &self,
        guard: &mut MutexGuard<'_, T>,
        condition: impl FnMut(&mut T) -> bool,
        moment: Instant,
    ) -> WaitTimeoutResult {
        self.wait_while_for(guard, condition, until(moment))
    }
}

impl fmt::Debug for Condvar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}
