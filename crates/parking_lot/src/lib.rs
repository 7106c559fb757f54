//! The names of parking_lot 0.12, for code that uses its locks and is to be checked by mazurka.
//!
//! ```toml
//! [target.'cfg(mazurka)'.dependencies]
//! parking_lot = { package = "mazurka-parking-lot", version = "0.1" }
//! ```
//!
//! The locks are made of mazurka's and have no poison: a lock is released when a thread panics, and the next thread gets it.
//! Outside a check they work as well, at the price of std's locks. A timeout passes at any moment in a check, and then counts as
//! virtual time.

mod condvar;
mod map;
mod mutex;
mod once;
mod reentrant;
mod rwlock;
mod timeout;

pub use condvar::{Condvar, WaitTimeoutResult};
pub use map::{MappedMutexGuard, MappedRwLockReadGuard, MappedRwLockWriteGuard};
pub use mutex::{FairMutex, FairMutexGuard, Mutex, MutexGuard, const_fair_mutex, const_mutex};
pub use once::{Once, OnceState};
pub use reentrant::{ReentrantMutex, ReentrantMutexGuard, const_reentrant_mutex};
pub use rwlock::{RwLock, RwLockReadGuard, RwLockUpgradableReadGuard, RwLockWriteGuard, const_rwlock};

use mazurka::sync::{LockResult, PoisonError, TryLockError, TryLockResult};

/// The guard, whether a thread has panicked or not.
fn unpoisoned<G>(result: LockResult<G>) -> G {
    result.unwrap_or_else(PoisonError::into_inner)
}

/// The guard, if the lock was free.
fn attempt<G>(result: TryLockResult<G>) -> Option<G> {
    match result {
        Ok(guard) => Some(guard),
        Err(TryLockError::Poisoned(error)) => Some(error.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}
