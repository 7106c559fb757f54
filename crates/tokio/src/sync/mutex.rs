//! A lock that is awaited.

use super::batch::Batch;
use std::fmt;
use std::future::Future;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex as Slot, PoisonError};

/// A lock with a value, as `tokio::sync::Mutex`. It is given out in the order in which it is asked for.
///
/// ```
/// use mazurka_tokio as tokio;
/// use std::sync::Arc;
///
/// mazurka::check(|| {
///     tokio::runtime::Runtime::new().unwrap().block_on(async {
///         let n = Arc::new(tokio::sync::Mutex::new(0));
///         let other = Arc::clone(&n);
///         let task = tokio::spawn(async move { *other.lock().await += 1 });
///         *n.lock().await += 1;
///         task.await.unwrap();
///         assert_eq!(*n.lock().await, 2);
///     });
/// });
/// ```
pub struct Mutex<T> {
    batch: Batch,
    /// The value, unless a guard has it.
    value: Slot<Option<T>>,
}

/// The lock is taken.
#[derive(Debug)]
pub struct TryLockError(pub(super) ());

impl fmt::Display for TryLockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("operation would block")
    }
}

impl std::error::Error for TryLockError {}

impl<T> Mutex<T> {
    /// Makes a free lock.
    #[track_caller]
    pub const fn new(value: T) -> Mutex<T> {
        Mutex {
            batch: Batch::new("Mutex", 1),
            value: Slot::new(Some(value)),
        }
    }

    /// Makes a free lock.
    #[track_caller]
    pub const fn const_new(value: T) -> Mutex<T> {
        Mutex::new(value)
    }

    fn take(&self) -> Option<T> {
        self.value.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn put_back(&self, value: Option<T>) {
        *self.value.lock().unwrap_or_else(PoisonError::into_inner) = value;
        self.batch.release(1);
    }

    /// Waits for the lock.
    #[track_caller]
    pub fn lock(&self) -> impl Future<Output = MutexGuard<'_, T>> {
        let acquire = self.batch.acquire("a Mutex", 1);
        async move {
            acquire.await.expect("a Mutex is never closed");
            MutexGuard {
                value: self.take(),
                mutex: self,
            }
        }
    }

    /// Waits for the lock. The guard keeps the mutex alive.
    #[track_caller]
    pub fn lock_owned(self: Arc<Self>) -> impl Future<Output = OwnedMutexGuard<T>> {
        let mut acquire = OwnedAcquire(self.batch.acquisition("a Mutex", 1), self);
        async move {
            std::future::poll_fn(|context| acquire.0.poll(&acquire.1.batch, context))
                .await
                .expect("a Mutex is never closed");
            let mutex = Arc::clone(&acquire.1);
            OwnedMutexGuard {
                value: mutex.take(),
                mutex,
            }
        }
    }

    /// Waits for the lock, as a thread.
    #[track_caller]
    pub fn blocking_lock(&self) -> MutexGuard<'_, T> {
        mazurka::future::block_on(self.lock())
    }

    /// Takes the lock if it is free.
    #[track_caller]
    pub fn try_lock(&self) -> Result<MutexGuard<'_, T>, TryLockError> {
        match self.batch.try_acquire(1) {
            Ok(true) => Ok(MutexGuard {
                value: self.take(),
                mutex: self,
            }),
            _ => Err(TryLockError(())),
        }
    }

    /// Takes the lock if it is free. The guard keeps the mutex alive.
    #[track_caller]
    pub fn try_lock_owned(self: Arc<Self>) -> Result<OwnedMutexGuard<T>, TryLockError> {
        match self.batch.try_acquire(1) {
            Ok(true) => Ok(OwnedMutexGuard {
                value: self.take(),
                mutex: self,
            }),
            _ => Err(TryLockError(())),
        }
    }

    /// The value, of a lock that is not shared.
    pub fn get_mut(&mut self) -> &mut T {
        let value = self.value.get_mut().unwrap_or_else(PoisonError::into_inner);
        value.as_mut().expect("no guard borrows it")
    }

    /// The value.
    pub fn into_inner(self) -> T {
        let value = self.value.into_inner().unwrap_or_else(PoisonError::into_inner);
        value.expect("no guard borrows it")
    }
}

struct OwnedAcquire<T>(super::batch::Acquisition, Arc<Mutex<T>>);

impl<T> Drop for OwnedAcquire<T> {
    fn drop(&mut self) {
        self.0.cancel(&self.1.batch);
    }
}

impl<T: Default> Default for Mutex<T> {
    #[track_caller]
    fn default() -> Mutex<T> {
        Mutex::new(T::default())
    }
}

impl<T> From<T> for Mutex<T> {
    #[track_caller]
    fn from(value: T) -> Mutex<T> {
        Mutex::new(value)
    }
}

impl<T> fmt::Debug for Mutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mutex").finish_non_exhaustive()
    }
}

/// The lock of a [`Mutex`]; dropping it releases.
#[must_use = "a lock that is not kept is released at once"]
pub struct MutexGuard<'a, T> {
    mutex: &'a Mutex<T>,
    value: Option<T>,
}

impl<'a, T> MutexGuard<'a, T> {
    /// Its mutex.
    pub fn mutex(this: &MutexGuard<'a, T>) -> &'a Mutex<T> {
        this.mutex
    }
}

impl<T> Drop for MutexGuard<'_, T> {
    fn drop(&mut self) {
        self.mutex.put_back(self.value.take());
    }
}

/// The lock of a shared [`Mutex`]; dropping it releases.
#[must_use = "a lock that is not kept is released at once"]
pub struct OwnedMutexGuard<T> {
    mutex: Arc<Mutex<T>>,
    value: Option<T>,
}

impl<T> OwnedMutexGuard<T> {
    /// Its mutex.
    pub fn mutex(this: &OwnedMutexGuard<T>) -> &Arc<Mutex<T>> {
        &this.mutex
    }
}

impl<T> Drop for OwnedMutexGuard<T> {
    fn drop(&mut self) {
        self.mutex.put_back(self.value.take());
    }
}

macro_rules! derefs {
    ($($guard:ty),+) => {
        $(
            impl<T> Deref for $guard {
                type Target = T;
                fn deref(&self) -> &T {
                    self.value.as_ref().expect("a guard has the value")
                }
            }

            impl<T> DerefMut for $guard {
                fn deref_mut(&mut self) -> &mut T {
                    self.value.as_mut().expect("a guard has the value")
                }
            }

            impl<T: fmt::Debug> fmt::Debug for $guard {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    fmt::Debug::fmt(&**self, f)
                }
            }

            impl<T: fmt::Display> fmt::Display for $guard {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    fmt::Display::fmt(&**self, f)
                }
            }
        )+
    };
}
derefs!(MutexGuard<'_, T>, OwnedMutexGuard<T>);
