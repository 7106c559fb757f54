//! A lock for one writer or many readers, in the order in which they ask.

use super::batch::{Acquisition, Batch};
use super::mutex::TryLockError;
use std::fmt;
use std::future::Future;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex as Slot, PoisonError};

/// A writer takes all of them.
const ALL: usize = (u32::MAX >> 3) as usize;

/// A lock for one writer or many readers, as `tokio::sync::RwLock`. A reader that comes after a writer waits behind it, so
/// reading twice in one task can be a deadlock.
pub struct RwLock<T> {
    batch: Batch,
    /// The value. Readers share it; a writer has it.
    value: Slot<Option<Arc<T>>>,
}

impl<T> RwLock<T> {
    /// Makes a free lock.
    #[track_caller]
    pub fn new(value: T) -> RwLock<T> {
        RwLock {
            batch: Batch::new("RwLock", ALL),
            value: Slot::new(Some(Arc::new(value))),
        }
    }

    fn slot(&self) -> std::sync::MutexGuard<'_, Option<Arc<T>>> {
        self.value.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until it can be read.
    #[track_caller]
    pub fn read(&self) -> impl Future<Output = RwLockReadGuard<'_, T>> {
        let acquire = self.batch.acquire("an RwLock to read", 1);
        async move {
            acquire.await.expect("an RwLock is never closed");
            RwLockReadGuard {
                value: self.slot().clone(),
                lock: self,
            }
        }
    }

    /// Waits until it can be written.
    #[track_caller]
    pub fn write(&self) -> impl Future<Output = RwLockWriteGuard<'_, T>> {
        let acquire = self.batch.acquire("an RwLock to write", ALL);
        async move {
            acquire.await.expect("an RwLock is never closed");
            RwLockWriteGuard {
                value: self.slot().take(),
                lock: self,
            }
        }
    }

    /// The same as [`RwLock::read`] with a guard that keeps the lock alive.
    #[track_caller]
    pub fn read_owned(self: Arc<Self>) -> impl Future<Output = OwnedRwLockReadGuard<T>> {
        let mut acquire = OwnedAcquire(self.batch.acquisition("an RwLock to read", 1), self);
        async move {
            let lock = acquire.wait().await;
            let value = lock.slot().clone();
            OwnedRwLockReadGuard { value, lock }
        }
    }

    /// The same as [`RwLock::write`] with a guard that keeps the lock alive.
    #[track_caller]
    pub fn write_owned(self: Arc<Self>) -> impl Future<Output = OwnedRwLockWriteGuard<T>> {
        let mut acquire = OwnedAcquire(self.batch.acquisition("an RwLock to write", ALL), self);
        async move {
            let lock = acquire.wait().await;
            let value = lock.slot().take();
            OwnedRwLockWriteGuard { value, lock }
        }
    }

    /// Reads if that is possible now.
    #[track_caller]
    pub fn try_read(&self) -> Result<RwLockReadGuard<'_, T>, TryLockError> {
        match self.batch.try_acquire(1) {
            Ok(true) => Ok(RwLockReadGuard {
                value: self.slot().clone(),
                lock: self,
            }),
            _ => Err(TryLockError(())),
        }
    }

    /// Writes if that is possible now.
    #[track_caller]
    pub fn try_write(&self) -> Result<RwLockWriteGuard<'_, T>, TryLockError> {
        match self.batch.try_acquire(ALL) {
            Ok(true) => Ok(RwLockWriteGuard {
                value: self.slot().take(),
                lock: self,
            }),
            _ => Err(TryLockError(())),
        }
    }

    /// The value, of a lock that is not shared.
    pub fn get_mut(&mut self) -> &mut T {
        let value = self.value.get_mut().unwrap_or_else(PoisonError::into_inner);
        value.as_mut().and_then(Arc::get_mut).expect("no guard borrows it")
    }

    /// The value.
    pub fn into_inner(self) -> T {
        let value = self.value.into_inner().unwrap_or_else(PoisonError::into_inner);
        value.and_then(Arc::into_inner).expect("no guard borrows it")
    }
}

struct OwnedAcquire<T>(Acquisition, Arc<RwLock<T>>);

impl<T> OwnedAcquire<T> {
    async fn wait(&mut self) -> Arc<RwLock<T>> {
        let OwnedAcquire(acquisition, lock) = self;
        std::future::poll_fn(|context| acquisition.poll(&lock.batch, context))
            .await
            .expect("an RwLock is never closed");
        Arc::clone(lock)
    }
}

impl<T> Drop for OwnedAcquire<T> {
    fn drop(&mut self) {
        self.0.cancel(&self.1.batch);
    }
}

impl<T: Default> Default for RwLock<T> {
    #[track_caller]
    fn default() -> RwLock<T> {
        RwLock::new(T::default())
    }
}

impl<T> fmt::Debug for RwLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RwLock").finish_non_exhaustive()
    }
}

/// A reader's lock.
#[must_use = "a lock that is not kept is released at once"]
pub struct RwLockReadGuard<'a, T> {
    lock: &'a RwLock<T>,
    value: Option<Arc<T>>,
}

/// A writer's lock.
#[must_use = "a lock that is not kept is released at once"]
pub struct RwLockWriteGuard<'a, T> {
    lock: &'a RwLock<T>,
    value: Option<Arc<T>>,
}

/// A reader's lock of a shared [`RwLock`].
#[must_use = "a lock that is not kept is released at once"]
pub struct OwnedRwLockReadGuard<T> {
    lock: Arc<RwLock<T>>,
    value: Option<Arc<T>>,
}

/// A writer's lock of a shared [`RwLock`].
#[must_use = "a lock that is not kept is released at once"]
pub struct OwnedRwLockWriteGuard<T> {
    lock: Arc<RwLock<T>>,
    value: Option<Arc<T>>,
}

impl<'a, T> RwLockWriteGuard<'a, T> {
    /// Becomes a reader without letting another writer in between.
    pub fn downgrade(mut self) -> RwLockReadGuard<'a, T> {
        let (value, lock) = (self.value.take(), self.lock);
        lock.slot().clone_from(&value);
        drop(self);
        RwLockReadGuard { lock, value }
    }
}

macro_rules! guards {
    ($($guard:ty),+) => {
        $(
            impl<T> Deref for $guard {
                type Target = T;
                fn deref(&self) -> &T {
                    self.value.as_deref().expect("a guard has the value")
                }
            }

            impl<T: fmt::Debug> fmt::Debug for $guard {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    fmt::Debug::fmt(&**self, f)
                }
            }
        )+
    };
}
guards!(
    RwLockReadGuard<'_, T>,
    RwLockWriteGuard<'_, T>,
    OwnedRwLockReadGuard<T>,
    OwnedRwLockWriteGuard<T>
);

macro_rules! readers {
    ($($guard:ty),+) => {
        $(
            impl<T> Drop for $guard {
                fn drop(&mut self) {
                    self.value = None;
                    self.lock.batch.release(1);
                }
            }
        )+
    };
}
readers!(RwLockReadGuard<'_, T>, OwnedRwLockReadGuard<T>);

macro_rules! writers {
    ($($guard:ty),+) => {
        $(
            impl<T> DerefMut for $guard {
                fn deref_mut(&mut self) -> &mut T {
                    self.value.as_mut().and_then(Arc::get_mut).expect("a writer has the value alone")
                }
            }

            impl<T> Drop for $guard {
                fn drop(&mut self) {
                    // Without a value, it has become a reader's.
                    let kept = usize::from(self.value.is_none());
                    if kept == 0 {
                        *self.lock.slot() = self.value.take();
                    }
                    self.lock.batch.release(ALL - kept);
                }
            }
        )+
    };
}
writers!(RwLockWriteGuard<'_, T>, OwnedRwLockWriteGuard<T>);
