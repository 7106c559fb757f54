//! Synchronisation, with the names and signatures of `std::sync`.

mod arc;
pub mod atomic;
mod barrier;
mod condvar;
mod monitor;
pub mod mpsc;
mod mutex;
mod once;
mod poison;
mod rwlock;
mod semaphore;

pub use arc::{Arc, Weak};
pub use barrier::{Barrier, BarrierWaitResult};
pub use condvar::{Condvar, WaitTimeoutResult};
pub use monitor::{IllegalMonitorState, Monitor};
pub use mutex::{Mutex, MutexGuard};
pub use once::{LazyLock, Once, OnceLock, OnceState};
pub use rwlock::{RwLock, RwLockReadGuard, RwLockWriteGuard};
pub use semaphore::Semaphore;
pub use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};
