//! Poisoning: the mark that a thread panicked while it held a lock.
//!
//! It is std's own mark, which std's guards set. In a check there is more to it: an abandoned execution unwinds stacks, and that
//! must not poison anything; and a panic that follows from another one is not reported again.

use crate::runtime::{self, Runtime};
use std::sync::{LockResult, PoisonError};

/// Somebody asks whether a lock is poisoned, and need not hold it. That is not a step of the search. But releases
/// are steps from then on, and the search is not complete if a destructor released a lock during a panic.
pub(super) fn ask() {
    if let Some(rt) = runtime::current().filter(|rt| !rt.abandoning()) {
        rt.execution.borrow_mut().notices_releases = true;
    }
}

/// A controlled thread has acquired a lock that is poisoned, or not.
pub(super) fn result<G>(poisoned: bool, guard: G) -> LockResult<G> {
    if !poisoned {
        return Ok(guard);
    }
    if let Some(rt) = runtime::current() {
        // A panic that follows from another one is not reported again.
        let id = rt.thread();
        rt.execution.borrow_mut().threads[id.index()].tainted = true;
    }
    Err(PoisonError::new(guard))
}

/// Whether the thread poisons a lock if it releases it now. `panicking` says whether it was panicking when it acquired the lock.
pub(super) fn poisons(rt: &Runtime, panicking: bool) -> bool {
    !panicking && std::thread::panicking() && !rt.abandoning()
}

/// The guard of std's lock, even if it is poisoned.
#[inline]
pub(super) fn unpoisoned<G>(result: LockResult<G>) -> G {
    result.unwrap_or_else(PoisonError::into_inner)
}

/// The same result with another guard.
#[inline]
pub(super) fn map<G, H>(result: LockResult<G>, f: impl FnOnce(G) -> H) -> LockResult<H> {
    match result {
        Ok(guard) => Ok(f(guard)),
        Err(error) => Err(PoisonError::new(f(error.into_inner()))),
    }
}
