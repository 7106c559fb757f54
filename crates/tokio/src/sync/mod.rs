//! Locks, channels and other things that tasks await, as `tokio::sync`.

mod barrier;
mod batch;
pub mod broadcast;
pub mod mpsc;
mod mutex;
mod notify;
mod once_cell;
pub mod oneshot;
mod permits;
mod rwlock;
mod semaphore;
mod waiters;
pub mod watch;

pub use barrier::{Barrier, BarrierWaitResult};
pub(crate) use batch::wake_all;
pub use mutex::{Mutex, MutexGuard, OwnedMutexGuard, TryLockError};
pub use notify::Notify;
pub use once_cell::{OnceCell, SetError};
pub use rwlock::{OwnedRwLockReadGuard, OwnedRwLockWriteGuard, RwLock, RwLockReadGuard, RwLockWriteGuard};
pub use semaphore::{AcquireError, OwnedSemaphorePermit, Semaphore, SemaphorePermit, TryAcquireError};

pub(crate) use waiters::{Wait, Waiters};

/// Futures with names.
pub mod futures {
    pub use super::notify::Notified;
}
