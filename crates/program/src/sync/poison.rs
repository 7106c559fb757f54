//! Poisoning: that a thread panicked while it held a lock.
//!
//! Our own and not std's, because an execution that is abandoned unwinds stacks, which means nothing.

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

    /// Whether it is set, asked by somebody who need not hold the lock. That is not a step of the search; but releases
    /// are then, and a search is not complete in which a thread panicked before its destructors released something.
    pub(super) fn ask(&self) -> bool {
        if let Some(rt) = runtime::current().filter(|rt| !rt.abandoning()) {
            rt.execution.borrow_mut().notices_releases = true;
        }
        self.is_set()
    }

    pub(super) fn clear(&self) {
        self.0.store(false, Ordering::Relaxed);
    }

    /// A lock is given back that was taken while the thread was `panicking` or not; says whether that poisons.
    pub(super) fn leave(&self, panicking: bool) -> bool {
        let abandoned = || runtime::current().is_some_and(|rt| rt.abandoning());
        let poisons = !panicking && std::thread::panicking() && !abandoned();
        if poisons {
            self.0.store(true, Ordering::Relaxed);
        }
        poisons
    }

    /// What a lock gives.
    pub(super) fn result<G>(&self, guard: G) -> LockResult<G> {
        if !self.is_set() {
            return Ok(guard);
        }
        if let Some(rt) = runtime::current() {
            // What a thread does with another's panic is no news.
            let id = rt.thread();
            rt.execution.borrow_mut().threads[id.index()].tainted = true;
        }
        Err(PoisonError::new(guard))
    }
}

/// What std's lock gives, whoever poisoned it.
pub(super) fn unpoisoned<G>(result: LockResult<G>) -> G {
    result.unwrap_or_else(PoisonError::into_inner)
}
