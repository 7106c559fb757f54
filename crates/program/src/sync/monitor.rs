//! Java's monitors: reentrant locks with one condition.
//!
//! Stoller's section 2.1: acquire, release, wait, notify, notifyAll; all but acquire are errors for a
//! thread that does not own the monitor. To the search a monitor is a [`Mutex`] with a [`Condvar`]: the first acquisition
//! of a thread and its last release are steps; those in between concern no other thread.

pub use crate::outside::IllegalMonitorState;

use super::{Condvar, Mutex};
use crate::outside;
use crate::runtime::{ABANDONED, Runtime};
use crate::thread;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

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
    /// In a check, the scheduler knows which thread owns it, and it is never really locked.
    lock: Mutex<()>,
    notified: Condvar,
    /// How often the owner has acquired it in a check.
    depth: AtomicUsize,
    outside: outside::Monitor,
}

impl Monitor {
    /// Makes a free monitor.
    #[track_caller]
    pub const fn new() -> Monitor {
        Monitor {
            lock: Mutex::new(()),
            notified: Condvar::new(),
            depth: AtomicUsize::new(0),
            outside: outside::Monitor::new(),
        }
    }

    /// Acquires the monitor once more. Waits first if another thread owns it.
    #[track_caller]
    pub fn acquire(&self) {
        match self.lock.runtime() {
            Some(rt) => {
                if self.owned(&rt) {
                    self.depth.fetch_add(1, Relaxed);
                } else if Mutex::<()>::acquire(&rt, self.lock.object(&rt)) != ABANDONED {
                    self.depth.store(1, Relaxed);
                }
            }
            None => self.outside.acquire(),
        }
    }

    /// Releases the monitor once.
    #[track_caller]
    pub fn release(&self) -> Result<(), IllegalMonitorState> {
        match self.lock.runtime() {
            Some(rt) => {
                self.must_be_owned(&rt)?;
                if self.depth.fetch_sub(1, Relaxed) == 1 {
                    Mutex::<()>::give_back(&rt, self.lock.object(&rt));
                }
            }
            None => return self.outside.release(),
        }
        Ok(())
    }

    /// Releases the monitor entirely, waits to be notified, and acquires it as often as before.
    #[track_caller]
    pub fn wait(&self) -> Result<(), IllegalMonitorState> {
        match self.lock.runtime() {
            Some(rt) => {
                self.must_be_owned(&rt)?;
                let (lock, depth) = (self.lock.object(&rt), self.depth.load(Relaxed));
                self.notified.release_and_wait(&rt, lock, false);
                Mutex::<()>::acquire(&rt, lock);
                self.depth.store(depth, Relaxed);
            }
            None => return self.outside.wait(),
        }
        Ok(())
    }

    /// Wakes one thread that waits.
    #[track_caller]
    pub fn notify(&self) -> Result<(), IllegalMonitorState> {
        match self.lock.runtime() {
            Some(rt) => {
                self.must_be_owned(&rt)?;
                self.notified.notify_one();
            }
            None => return self.outside.notify(),
        }
        Ok(())
    }

    /// Wakes all threads that wait.
    #[track_caller]
    pub fn notify_all(&self) -> Result<(), IllegalMonitorState> {
        match self.lock.runtime() {
            Some(rt) => {
                self.must_be_owned(&rt)?;
                self.notified.notify_all();
            }
            None => return self.outside.notify_all(),
        }
        Ok(())
    }

    /// In a check, true if the current thread owns it. No other thread can change that, so it is not a step.
    fn owned(&self, rt: &Runtime) -> bool {
        Mutex::<()>::is_mine(rt, self.lock.object(rt))
    }

    fn must_be_owned(&self, rt: &Runtime) -> Result<(), IllegalMonitorState> {
        if self.owned(rt) || rt.abandoning() {
            Ok(())
        } else {
            Err(IllegalMonitorState)
        }
    }
}

impl thread::Uses for Monitor {
    fn declared(&self) -> thread::Declared {
        let mut declared = self.lock.declared();
        declared.0.append(&mut self.notified.declared().0);
        declared
    }
}
