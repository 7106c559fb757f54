//! Java's monitors: a lock that a thread can take again, with one condition.
//!
//! Stoller's section 2.1: acquire, release, wait, notify, notifyAll; all but acquire are errors for a
//! thread that does not own the monitor. Built on [`Mutex`] and [`Condvar`].

use super::{Condvar, Mutex};
use crate::thread;
use std::error::Error;
use std::fmt;

/// A reentrant lock with a condition, as every Java object has one.
///
/// ```
/// use mazurka::sync::Monitor;
/// let monitor = Monitor::new();
/// monitor.acquire();
/// monitor.acquire();
/// monitor.release().unwrap();
/// monitor.release().unwrap();
/// assert!(monitor.release().is_err());
/// ```
#[derive(Debug, Default)]
pub struct Monitor {
    state: Mutex<State>,
    free: Condvar,
    notified: Condvar,
}

#[derive(Debug, Default)]
struct State {
    owner: Option<thread::ThreadId>,
    depth: usize,
}

/// The thread does not own the monitor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IllegalMonitorState;

impl fmt::Display for IllegalMonitorState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the thread does not own the monitor")
    }
}

impl Error for IllegalMonitorState {}

impl Monitor {
    /// A free monitor.
    #[track_caller]
    pub const fn new() -> Monitor {
        Monitor {
            state: Mutex::new(State { owner: None, depth: 0 }),
            free: Condvar::new(),
            notified: Condvar::new(),
        }
    }

    fn state(&self) -> super::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(super::PoisonError::into_inner)
    }

    /// Waits until the monitor is free or one's own, and takes it once more.
    pub fn acquire(&self) {
        let me = thread::current().id();
        let mut state = self.state();
        while state.owner.is_some_and(|o| o != me) {
            state = self.free.wait(state).unwrap_or_else(super::PoisonError::into_inner);
        }
        state.owner = Some(me);
        state.depth += 1;
    }

    /// Gives it back once.
    pub fn release(&self) -> Result<(), IllegalMonitorState> {
        let mut state = self.owned()?;
        state.depth -= 1;
        if state.depth == 0 {
            state.owner = None;
            self.free.notify_one();
        }
        Ok(())
    }

    fn owned(&self) -> Result<super::MutexGuard<'_, State>, IllegalMonitorState> {
        let state = self.state();
        if state.owner == Some(thread::current().id()) {
            Ok(state)
        } else {
            Err(IllegalMonitorState)
        }
    }

    /// Gives it back entirely, waits to be notified, takes it as often as before.
    pub fn wait(&self) -> Result<(), IllegalMonitorState> {
        let me = thread::current().id();
        let mut state = self.owned()?;
        let depth = std::mem::take(&mut state.depth);
        state.owner = None;
        self.free.notify_one();
        state = self.notified.wait(state).unwrap_or_else(super::PoisonError::into_inner);
        while state.owner.is_some() {
            state = self.free.wait(state).unwrap_or_else(super::PoisonError::into_inner);
        }
        state.owner = Some(me);
        state.depth = depth;
        Ok(())
    }

    /// Wakes one thread that waits.
    pub fn notify(&self) -> Result<(), IllegalMonitorState> {
        let _state = self.owned()?;
        self.notified.notify_one();
        Ok(())
    }

    /// Wakes all threads that wait.
    pub fn notify_all(&self) -> Result<(), IllegalMonitorState> {
        let _state = self.owned()?;
        self.notified.notify_all();
        Ok(())
    }
}
