//! Poisoning: the mark that a thread panicked while it held a lock.
//!
//! It is our own and not std's, because an abandoned execution unwinds stacks, and that must not poison anything.

use crate::runtime;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LockResult, PoisonError};

/// Whether a lock is poisoned.
#[derive(Debug)]
pub(super) struct Poison(AtomicBool);

impl Poison {
    pub(super) const fn new() -> Poison {
        Poison(AtomicBool::new(false))
    }

    pub(super) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Whether it is set, for a caller that need not hold the lock. The call is not a step of the search. But releases
    /// are steps from then on, and the search is not complete if a destructor released a lock during a panic.
    pub(super) fn ask(&self) -> bool {
        if let Some(rt) = runtime::current().filter(|rt| !rt.abandoning()) {
            rt.execution.borrow_mut().notices_releases = true;
        }
        self.is_set()
    }

    pub(super) fn clear(&self) {
        self.0.store(false, Ordering::Relaxed);
    }

    /// A lock is released. `panicking` says whether its thread was panicking when it acquired the lock. True if that poisons.
    pub(super) fn leave(&self, panicking: bool) -> bool {
        let abandoned = || runtime::current().is_some_and(|rt| rt.abandoning());
        let poisons = !panicking && std::thread::panicking() && !abandoned();
        if poisons {
            self.0.store(true, Ordering::Relaxed);
        }
        poisons
    }

    /// The result of acquiring a lock.
    pub(super) fn result<G>(&self, guard: G) -> LockResult<G> {
        if !self.is_set() {
            return Ok(guard);
        }
        if let Some(rt) = runtime::current() {
            // A panic that follows from another one is not reported again.
            let id = rt.thread();
            rt.execution.borrow_mut().threads[id.index()].tainted = true;
        }
        Err(PoisonError::new(guard))
    }
}

/// The guard of std's lock, even if it is poisoned.
pub(super) fn unpoisoned<G>(result: LockResult<G>) -> G {
    result.unwrap_or_else(PoisonError::into_inner)
}
