//! Monitors outside a check.

use std::error::Error;
use std::fmt;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

/// A reentrant lock with a condition, as every Java object has one.
#[derive(Debug, Default)]
pub struct Monitor {
    owner: Mutex<Owner>,
    free: Condvar,
    notified: Condvar,
}

/// Which thread owns a monitor, and how often it has acquired it.
#[derive(Debug, Default)]
struct Owner {
    thread: Option<ThreadId>,
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
    /// Makes a free monitor.
    pub const fn new() -> Monitor {
        Monitor {
            owner: Mutex::new(Owner { thread: None, depth: 0 }),
            free: Condvar::new(),
            notified: Condvar::new(),
        }
    }

    /// Acquires the monitor once more. Waits first if another thread owns it.
    pub fn acquire(&self) {
        let mut owner = self.owner();
        let me = Some(thread::current().id());
        if owner.thread != me {
            owner = self.wait_until_free(owner);
            owner.thread = me;
        }
        owner.depth += 1;
    }

    /// Releases the monitor once.
    pub fn release(&self) -> Result<(), IllegalMonitorState> {
        let mut owner = self.owned()?;
        owner.depth -= 1;
        if owner.depth == 0 {
            owner.thread = None;
            self.free.notify_one();
        }
        Ok(())
    }

    /// Releases the monitor entirely, waits to be notified, and acquires it as often as before.
    pub fn wait(&self) -> Result<(), IllegalMonitorState> {
        let mut owner = self.owned()?;
        let mine = std::mem::take(&mut *owner);
        self.free.notify_one();
        owner = unpoisoned(self.notified.wait(owner));
        owner = self.wait_until_free(owner);
        *owner = mine;
        Ok(())
    }

    /// Wakes one thread that waits.
    pub fn notify(&self) -> Result<(), IllegalMonitorState> {
        let _owner = self.owned()?;
        self.notified.notify_one();
        Ok(())
    }

    /// Wakes all threads that wait.
    pub fn notify_all(&self) -> Result<(), IllegalMonitorState> {
        let _owner = self.owned()?;
        self.notified.notify_all();
        Ok(())
    }

    fn owner(&self) -> MutexGuard<'_, Owner> {
        unpoisoned(self.owner.lock())
    }

    fn owned(&self) -> Result<MutexGuard<'_, Owner>, IllegalMonitorState> {
        let owner = self.owner();
        if owner.thread == Some(thread::current().id()) {
            Ok(owner)
        } else {
            Err(IllegalMonitorState)
        }
    }

    fn wait_until_free<'a>(&'a self, owner: MutexGuard<'a, Owner>) -> MutexGuard<'a, Owner> {
        unpoisoned(self.free.wait_while(owner, |owner| owner.thread.is_some()))
    }
}

fn unpoisoned<T>(result: Result<T, PoisonError<T>>) -> T {
    result.unwrap_or_else(PoisonError::into_inner)
}
