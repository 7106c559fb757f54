//! Counting semaphores, which std does not have.

use crate::execution::object::State;
use crate::ids::{Handle, ObjectId};
use crate::operation::Kind;
use crate::runtime::{self, Runtime};
use std::sync::{Condvar, Mutex, PoisonError};

/// A counting semaphore: `up` and `down` of Stoller's section 9, under their usual names.
///
/// ```
/// use mazurka::sync::Semaphore;
/// static SLOTS: Semaphore = Semaphore::new(2);
/// SLOTS.acquire();
/// assert!(SLOTS.try_acquire());
/// assert!(!SLOTS.try_acquire());
/// SLOTS.release();
/// SLOTS.release();
/// ```
#[derive(Debug)]
pub struct Semaphore {
    handle: Handle,
    initial: u32,
    permits: Mutex<u32>,
    changed: Condvar,
}

impl Semaphore {
    /// A semaphore with this many permits.
    #[track_caller]
    pub const fn new(permits: u32) -> Semaphore {
        Semaphore {
            handle: Handle::new(),
            initial: permits,
            permits: Mutex::new(permits),
            changed: Condvar::new(),
        }
    }

    pub(crate) fn object(&self, rt: &Runtime) -> ObjectId {
        rt.object(&self.handle, || State::Semaphore {
            permits: self.initial,
            initial: self.initial,
        })
    }

    /// Waits for a permit and takes it.
    #[track_caller]
    pub fn acquire(&self) {
        if let Some(rt) = runtime::current_for(&self.handle) {
            rt.visible(Kind::Acquire, self.object(&rt), 1);
            return;
        }
        let mut permits = self.permits.lock().unwrap_or_else(PoisonError::into_inner);
        while *permits == 0 {
            permits = self.changed.wait(permits).unwrap_or_else(PoisonError::into_inner);
        }
        *permits -= 1;
    }

    /// Takes a permit if there is one.
    #[track_caller]
    pub fn try_acquire(&self) -> bool {
        if let Some(rt) = runtime::current_for(&self.handle) {
            return rt.visible(Kind::TryAcquire, self.object(&rt), 1) == 1;
        }
        let mut permits = self.permits.lock().unwrap_or_else(PoisonError::into_inner);
        let there = *permits > 0;
        *permits -= u32::from(there);
        there
    }

    /// Gives a permit back, or a new one.
    #[track_caller]
    pub fn release(&self) {
        if let Some(rt) = runtime::current_for(&self.handle) {
            rt.visible(Kind::Release, self.object(&rt), 1);
            return;
        }
        let mut permits = self.permits.lock().unwrap_or_else(PoisonError::into_inner);
        *permits = permits.saturating_add(1);
        drop(permits);
        self.changed.notify_one();
    }
}
