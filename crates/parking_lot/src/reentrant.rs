//! Mutexes that their owner can acquire again.
#![allow(unsafe_code)]

use mazurka::sync::Monitor;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

/// A mutex that its owner can acquire again, as `parking_lot::ReentrantMutex`. It gives shared references only.
#[derive(Default)]
pub struct ReentrantMutex<T: ?Sized> {
    monitor: Monitor,
    value: T,
}

// SAFETY: only the owner of the monitor gets at the value, and passing the ownership on orders what the owners do. So the value is
// used by one thread at a time, as if it were sent from one to the next.
unsafe impl<T: ?Sized + Send> Sync for ReentrantMutex<T> {}

/// The lock of a [`ReentrantMutex`]; dropping it releases once.
#[must_use = "a lock that is not kept is released at once"]
pub struct ReentrantMutexGuard<'a, T: ?Sized> {
    mutex: &'a ReentrantMutex<T>,
    /// It stays with its thread, as that thread owns the monitor.
    _stays: PhantomData<*const ()>,
}

/// Makes a free mutex.
#[track_caller]
pub const fn const_reentrant_mutex<T>(value: T) -> ReentrantMutex<T> {
    ReentrantMutex::new(value)
}

impl<T> ReentrantMutex<T> {
    /// Makes a free mutex.
    #[track_caller]
    pub const fn new(value: T) -> ReentrantMutex<T> {
        ReentrantMutex {
            monitor: Monitor::new(),
            value,
        }
    }

    /// The value.
    pub fn into_inner(self) -> T {
        self.value
    }
}

impl<T: ?Sized> ReentrantMutex<T> {
    /// Waits until no other thread owns the mutex, and acquires it once more.
    #[track_caller]
    pub fn lock(&self) -> ReentrantMutexGuard<'_, T> {
        self.monitor.acquire();
        ReentrantMutexGuard {
            mutex: self,
            _stays: PhantomData,
        }
    }

    /// The value, by a reference that excludes all others.
    pub fn get_mut(&mut self) -> &mut T {
        &mut self.value
    }
}

impl<T: ?Sized> Deref for ReentrantMutexGuard<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.mutex.value
    }
}

impl<T: ?Sized> Drop for ReentrantMutexGuard<'_, T> {
    #[track_caller]
    fn drop(&mut self) {
        // It fails only if the execution is abandoned, and then nothing is owned.
        let _ = self.mutex.monitor.release();
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for ReentrantMutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized> fmt::Debug for ReentrantMutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReentrantMutex").finish_non_exhaustive()
    }
}
