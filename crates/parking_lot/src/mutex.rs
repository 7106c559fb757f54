//! Mutexes without poison.

use crate::map::MappedMutexGuard;
use crate::timeout::{until, within};
use crate::{attempt, unpoisoned};
use mazurka::sync;
use mazurka::time::{Duration, Instant};
use std::fmt;
use std::ops::{Deref, DerefMut};

/// A lock with a value, as `parking_lot::Mutex`.
#[derive(Default)]
pub struct Mutex<T: ?Sized> {
    inner: sync::Mutex<T>,
}

/// The lock of a [`Mutex`]; dropping it releases.
#[must_use = "a lock that is not kept is released at once"]
pub struct MutexGuard<'a, T: ?Sized> {
    mutex: &'a Mutex<T>,
    /// None only while it waits, or is released for a while.
    inner: Option<sync::MutexGuard<'a, T>>,
}

/// A mutex. mazurka tries every thread that may get it next, so there is nothing fairer.
pub type FairMutex<T> = Mutex<T>;

/// The lock of a [`FairMutex`].
pub type FairMutexGuard<'a, T> = MutexGuard<'a, T>;

/// Makes a free mutex.
#[track_caller]
pub const fn const_mutex<T>(value: T) -> Mutex<T> {
    Mutex::new(value)
}

/// Makes a free mutex.
#[track_caller]
pub const fn const_fair_mutex<T>(value: T) -> FairMutex<T> {
    Mutex::new(value)
}

impl<T> Mutex<T> {
    /// Makes a free mutex.
    #[track_caller]
    pub const fn new(value: T) -> Mutex<T> {
        Mutex {
            inner: sync::Mutex::new(value),
        }
    }

    /// The value.
    pub fn into_inner(self) -> T {
        unpoisoned(self.inner.into_inner())
    }
}

impl<T: ?Sized> Mutex<T> {
    fn guard<'a>(&'a self, inner: sync::MutexGuard<'a, T>) -> MutexGuard<'a, T> {
        MutexGuard {
            mutex: self,
            inner: Some(inner),
        }
    }

    /// Waits until the mutex is free, and acquires it.
    #[track_caller]
    pub fn lock(&self) -> MutexGuard<'_, T> {
        self.guard(unpoisoned(self.inner.lock()))
    }

    /// Acquires the mutex if it is free.
    #[track_caller]
    pub fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        attempt(self.inner.try_lock()).map(|inner| self.guard(inner))
    }

    /// Waits until the mutex is free, or the time is up.
    #[track_caller]
    pub fn try_lock_for(&self, timeout: Duration) -> Option<MutexGuard<'_, T>> {
        within(timeout, || self.try_lock())
    }

    /// Waits until the mutex is free, or the moment has come.
    #[track_caller]
    pub fn try_lock_until(&self, moment: Instant) -> Option<MutexGuard<'_, T>> {
        self.try_lock_for(until(moment))
    }

    /// True if a thread holds the mutex.
    #[track_caller]
    pub fn is_locked(&self) -> bool {
        self.try_lock().is_none()
    }

    /// The value, by a reference that excludes all others.
    pub fn get_mut(&mut self) -> &mut T {
        unpoisoned(self.inner.get_mut())
    }
}

impl<'a, T: ?Sized> MutexGuard<'a, T> {
    fn inner(&self) -> &sync::MutexGuard<'a, T> {
        self.inner.as_ref().expect("a guard that was not given back")
    }

    fn inner_mut(&mut self) -> &mut sync::MutexGuard<'a, T> {
        self.inner.as_mut().expect("a guard that was not given back")
    }

    /// Calls `f` while the mutex is free.
    #[track_caller]
    pub fn unlocked<R>(guard: &mut MutexGuard<'a, T>, f: impl FnOnce() -> R) -> R {
        guard.inner = None;
        let result = f();
        guard.inner = Some(unpoisoned(guard.mutex.inner.lock()));
        result
    }

    /// Lets other threads have the mutex, if they wait for it.
    #[track_caller]
    pub fn bump(guard: &mut MutexGuard<'a, T>) {
        MutexGuard::unlocked(guard, || ());
    }

    /// Releases the mutex. Every thread that waits may get it, as always here.
    #[track_caller]
    pub fn unlock_fair(guard: MutexGuard<'a, T>) {
        drop(guard);
    }

    /// The mutex.
    pub fn mutex(guard: &MutexGuard<'a, T>) -> &'a Mutex<T> {
        guard.mutex
    }

    /// A guard of a part of the value.
    pub fn map<U: ?Sized>(guard: MutexGuard<'a, T>, f: impl FnOnce(&mut T) -> &mut U) -> MappedMutexGuard<'a, U>
    where
        T: 'a,
    {
        MappedMutexGuard::of(guard, f)
    }

    /// A guard of a part of the value, if there is one.
    pub fn try_map<U: ?Sized>(
        guard: MutexGuard<'a, T>,
        f: impl FnOnce(&mut T) -> Option<&mut U>,
    ) -> Result<MappedMutexGuard<'a, U>, MutexGuard<'a, T>>
    where
        T: 'a,
    {
        MappedMutexGuard::try_of(guard, f)
    }

    /// Calls `f` with the guard of mazurka, which it gives back.
    pub(crate) fn lend<R>(&mut self, f: impl FnOnce(sync::MutexGuard<'a, T>) -> (sync::MutexGuard<'a, T>, R)) -> R {
        let inner = self.inner.take().expect("a guard that was not given back");
        let (inner, result) = f(inner);
        self.inner = Some(inner);
        result
    }
}

impl<T: ?Sized> Deref for MutexGuard<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        self.inner()
    }
}

impl<T: ?Sized> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.inner_mut()
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for Mutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}

impl<T> From<T> for Mutex<T> {
    #[track_caller]
    fn from(value: T) -> Mutex<T> {
        Mutex::new(value)
    }
}
