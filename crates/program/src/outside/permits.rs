//! Counting semaphores, which std does not have.

use std::sync::{Condvar, Mutex, PoisonError};

/// A counting semaphore.
#[derive(Debug)]
pub struct Semaphore {
    permits: Mutex<u32>,
    changed: Condvar,
}

impl Semaphore {
    /// Makes a semaphore with this many permits.
    #[inline]
    pub const fn new(permits: u32) -> Semaphore {
        Semaphore {
            permits: Mutex::new(permits),
            changed: Condvar::new(),
        }
    }

    /// Waits for a permit and takes it.
    #[inline]
    pub fn acquire(&self) {
        let permits = self.permits.lock().unwrap_or_else(PoisonError::into_inner);
        let there = self.changed.wait_while(permits, |permits| *permits == 0);
        *there.unwrap_or_else(PoisonError::into_inner) -= 1;
    }

    /// Takes a permit if there is one.
    #[inline]
    pub fn try_acquire(&self) -> bool {
        let mut permits = self.permits.lock().unwrap_or_else(PoisonError::into_inner);
        let there = *permits > 0;
        *permits -= u32::from(there);
        there
    }

    /// Adds a permit.
    #[inline]
    pub fn release(&self) {
        let mut permits = self.permits.lock().unwrap_or_else(PoisonError::into_inner);
        *permits = permits.saturating_add(1);
        drop(permits);
        self.changed.notify_one();
    }
}
