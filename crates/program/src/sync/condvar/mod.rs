//! Condition variables.

pub(super) mod object;

use super::mutex::{Mutex, MutexGuard};
use super::poison::map;
use crate::handle::Handle;
use crate::ids::ObjectId;
use crate::runtime::{self, Runtime};
use object::{Op, State};
use std::fmt;
use std::sync::{self, LockResult, PoisonError};
use std::time::Duration;

/// A condition variable, as `std::sync::Condvar`.
///
/// The search tries every waiter that `notify_one` may wake. A wait with a timeout may always time out. A wait
/// without one may end for no reason if [`Checker::spurious_wakeups`](crate::Checker::spurious_wakeups) allows that.
pub struct Condvar {
    handle: Handle,
    inner: sync::Condvar,
}

/// Whether a wait has timed out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitTimeoutResult(bool);

impl WaitTimeoutResult {
    /// True if the wait has timed out.
    pub fn timed_out(&self) -> bool {
        self.0
    }
}

impl Condvar {
    /// Makes a condition variable without waiters.
    #[track_caller]
    pub const fn new() -> Condvar {
        Condvar {
            handle: Handle::new(),
            inner: sync::Condvar::new(),
        }
    }

    pub(crate) fn object(&self, rt: &Runtime) -> ObjectId {
        rt.object(&self.handle, State::default)
    }

    /// Releases the mutex, waits to be notified, and acquires the mutex again.
    #[track_caller]
    pub fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
        let mutex = guard.mutex();
        match self.controlled_wait(guard, false) {
            Ok((guard, _)) => guard,
            Err(guard) => MutexGuard::from_std(mutex, self.inner.wait(guard.into_std())),
        }
    }

    /// Waits until `condition` is false.
    #[track_caller]
    pub fn wait_while<'a, T>(
        &self,
        mut guard: MutexGuard<'a, T>,
        mut condition: impl FnMut(&mut T) -> bool,
    ) -> LockResult<MutexGuard<'a, T>> {
        while condition(&mut *guard) {
            guard = self.wait(guard)?;
        }
        Ok(guard)
    }

    /// Waits to be notified, or until the time is up. In a check, that can be at any moment.
    #[track_caller]
    #[inline(always)]
    pub fn wait_timeout<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        timeout: Duration,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)> {
        if runtime::possible() {
            crate::fiber::watched!(self.wait_timeout_here(guard, timeout))
        } else {
            self.wait_timeout_here(guard, timeout)
        }
    }

    #[inline(never)]
    #[track_caller]
    fn wait_timeout_here<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        timeout: Duration,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)> {
        let mutex = guard.mutex();
        let (guard, timed_out) = match self.controlled_wait(guard, true) {
            Ok((guard, timed_out)) => {
                if let Some(rt) = runtime::current().filter(|_| timed_out) {
                    crate::time::pass(&rt, timeout);
                }
                (guard, timed_out)
            }
            Err(guard) => {
                let result = self.inner.wait_timeout(guard.into_std(), timeout);
                let timed_out = result
                    .as_ref()
                    .map_or_else(|error| error.get_ref().1, |ok| ok.1)
                    .timed_out();
                (MutexGuard::from_std(mutex, map(result, |(inner, _)| inner)), timed_out)
            }
        };
        match guard {
            Ok(guard) => Ok((guard, WaitTimeoutResult(timed_out))),
            Err(error) => Err(PoisonError::new((error.into_inner(), WaitTimeoutResult(timed_out)))),
        }
    }

    /// Waits until `condition` is false, or until the time is up.
    #[track_caller]
    pub fn wait_timeout_while<'a, T>(
        &self,
        mut guard: MutexGuard<'a, T>,
        timeout: Duration,
        mut condition: impl FnMut(&mut T) -> bool,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)> {
        let start = std::time::Instant::now();
        loop {
            if !condition(&mut *guard) {
                return Ok((guard, WaitTimeoutResult(false)));
            }
            let left = match guard.controlled() {
                Some(_) => timeout,
                None => match timeout.checked_sub(start.elapsed()) {
                    Some(left) => left,
                    None => return Ok((guard, WaitTimeoutResult(true))),
                },
            };
            let (again, result) = self.wait_timeout(guard, left)?;
            guard = again;
            if result.timed_out() {
                let still = condition(&mut *guard);
                return Ok((guard, WaitTimeoutResult(still)));
            }
        }
    }

    /// Waits in a check; returns the guard if this is not controlled code.
    #[track_caller]
    #[allow(clippy::type_complexity)]
    fn controlled_wait<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        timeout: bool,
    ) -> Result<(LockResult<MutexGuard<'a, T>>, bool), MutexGuard<'a, T>> {
        let (Some(object), Some(rt)) = (guard.controlled(), runtime::current()) else {
            return Err(guard);
        };
        let mutex = guard.mutex();
        let choice = self.release_and_wait(&rt, object, timeout);
        // The scheduler has released the mutex, and no other thread has run since.
        drop(guard.into_std());
        Mutex::<T>::acquire(&rt, object);
        Ok((mutex.enter(&rt, object), timeout && choice != 0))
    }

    /// Releases the mutex with this number and waits. Returns 0 if it is to be notified; otherwise it returns at once.
    #[track_caller]
    pub(super) fn release_and_wait(&self, rt: &Runtime, mutex: ObjectId, timeout: bool) -> u32 {
        let condvar = self.object(rt);
        rt.set_timeout(timeout);
        rt.visible(Op::Wait, condvar, mutex.0)
    }

    /// Wakes one waiter, if there is any.
    #[track_caller]
    pub fn notify_one(&self) {
        match runtime::current_for(&self.handle) {
            None => self.inner.notify_one(),
            Some(rt) => {
                rt.visible(Op::NotifyOne, self.object(&rt), 0);
            }
        }
    }

    /// Wakes all waiters.
    #[track_caller]
    pub fn notify_all(&self) {
        match runtime::current_for(&self.handle) {
            None => self.inner.notify_all(),
            Some(rt) => {
                rt.visible(Op::NotifyAll, self.object(&rt), 0);
            }
        }
    }
}

impl Default for Condvar {
    #[track_caller]
    fn default() -> Condvar {
        Condvar::new()
    }
}

impl fmt::Debug for Condvar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Condvar").finish_non_exhaustive()
    }
}

crate::thread::uses!([] Condvar);
