//! Reader-writer locks.

pub(super) mod object;
mod second_read;

use super::poison::{Poison, unpoisoned};
use crate::ids::{Handle, ObjectId};
use crate::runtime::{self, Runtime};
use object::{Op, State};
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::{self, LockResult, TryLockError, TryLockResult};

/// A lock for many readers or one writer, as `std::sync::RwLock`.
///
/// Readers do not wait for a waiting writer here; std promises no policy. If a thread reads the lock again while it reads
/// it, and a writer can wait at that moment, a deadlock is reported, because std's lock may let the writer go first.
pub struct RwLock<T: ?Sized> {
    handle: Handle,
    poison: Poison,
    inner: sync::RwLock<T>,
}

/// The lock of a reader; dropping it releases.
#[must_use = "a lock that is not kept is released at once"]
pub struct RwLockReadGuard<'a, T: ?Sized> {
    inner: Option<sync::RwLockReadGuard<'a, T>>,
    controlled: Option<ObjectId>,
}

/// The lock of a writer; dropping it releases.
#[must_use = "a lock that is not kept is released at once"]
pub struct RwLockWriteGuard<'a, T: ?Sized> {
    lock: &'a RwLock<T>,
    inner: Option<sync::RwLockWriteGuard<'a, T>>,
    panicking: bool,
    controlled: Option<ObjectId>,
}

impl<T> RwLock<T> {
    /// Makes a free lock.
    #[track_caller]
    pub const fn new(value: T) -> RwLock<T> {
        RwLock {
            handle: Handle::new(),
            poison: Poison::new(),
            inner: sync::RwLock::new(value),
        }
    }

    /// The value.
    pub fn into_inner(self) -> LockResult<T> {
        self.poison.result(unpoisoned(self.inner.into_inner()))
    }
}

/// std's guard, even if the lock is poisoned, or none if the lock is held.
fn attempt<G>(result: TryLockResult<G>) -> Option<G> {
    match result {
        Ok(guard) => Some(guard),
        Err(TryLockError::Poisoned(error)) => Some(error.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

impl<T: ?Sized> RwLock<T> {
    pub(crate) fn object(&self, rt: &Runtime) -> ObjectId {
        let plain = || !std::mem::needs_drop::<T>();
        rt.object_of(self, plain, &self.handle, State::default)
    }

    fn reader<'a>(
        &'a self,
        inner: sync::RwLockReadGuard<'a, T>,
        controlled: Option<ObjectId>,
    ) -> LockResult<RwLockReadGuard<'a, T>> {
        self.poison.result(RwLockReadGuard {
            inner: Some(inner),
            controlled,
        })
    }

    fn writer<'a>(
        &'a self,
        inner: sync::RwLockWriteGuard<'a, T>,
        controlled: Option<ObjectId>,
    ) -> LockResult<RwLockWriteGuard<'a, T>> {
        self.poison.result(RwLockWriteGuard {
            lock: self,
            inner: Some(inner),
            panicking: std::thread::panicking(),
            controlled,
        })
    }

    /// Waits until there is no writer, and acquires the lock for reading.
    #[track_caller]
    pub fn read(&self) -> LockResult<RwLockReadGuard<'_, T>> {
        let Some(rt) = runtime::current_for(&self.handle) else {
            return self.reader(unpoisoned(self.inner.read()), None);
        };
        let object = self.object(&rt);
        rt.visible(Op::Read, object, 0);
        self.reader(
            rt.retry_while_unwinding(|| attempt(self.inner.try_read())),
            Some(object),
        )
    }

    /// Waits until there is no reader or writer, and acquires the lock for writing.
    #[track_caller]
    pub fn write(&self) -> LockResult<RwLockWriteGuard<'_, T>> {
        let Some(rt) = runtime::current_for(&self.handle) else {
            return self.writer(unpoisoned(self.inner.write()), None);
        };
        let object = self.object(&rt);
        rt.visible(Op::Write, object, 0);
        self.writer(
            rt.retry_while_unwinding(|| attempt(self.inner.try_write())),
            Some(object),
        )
    }

    /// Acquires the lock for reading, if there is no writer.
    #[track_caller]
    pub fn try_read(&self) -> TryLockResult<RwLockReadGuard<'_, T>> {
        let Some(rt) = runtime::current_for(&self.handle) else {
            let inner = attempt(self.inner.try_read()).ok_or(TryLockError::WouldBlock)?;
            return Ok(self.reader(inner, None)?);
        };
        let object = self.object(&rt);
        if rt.visible(Op::TryRead, object, 0) != 1 {
            return Err(TryLockError::WouldBlock);
        }
        Ok(self.reader(
            rt.retry_while_unwinding(|| attempt(self.inner.try_read())),
            Some(object),
        )?)
    }

    /// Acquires the lock for writing, if there is no reader or writer.
    #[track_caller]
    pub fn try_write(&self) -> TryLockResult<RwLockWriteGuard<'_, T>> {
        let Some(rt) = runtime::current_for(&self.handle) else {
            let inner = attempt(self.inner.try_write()).ok_or(TryLockError::WouldBlock)?;
            return Ok(self.writer(inner, None)?);
        };
        let object = self.object(&rt);
        if rt.visible(Op::TryWrite, object, 0) != 1 {
            return Err(TryLockError::WouldBlock);
        }
        Ok(self.writer(
            rt.retry_while_unwinding(|| attempt(self.inner.try_write())),
            Some(object),
        )?)
    }

    /// True if a thread panicked while it wrote.
    pub fn is_poisoned(&self) -> bool {
        self.poison.ask()
    }

    /// Clears the mark that a thread panicked.
    pub fn clear_poison(&self) {
        self.poison.clear();
    }

    /// The value, by a reference that excludes all others.
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        self.poison.result(unpoisoned(self.inner.get_mut()))
    }
}

impl<T: ?Sized> Deref for RwLockReadGuard<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        self.inner.as_ref().expect("a guard that was not given back")
    }
}

impl<T: ?Sized> Deref for RwLockWriteGuard<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        self.inner.as_ref().expect("a guard that was not given back")
    }
}

impl<T: ?Sized> DerefMut for RwLockWriteGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.inner.as_mut().expect("a guard that was not given back")
    }
}

impl<T: ?Sized> Drop for RwLockReadGuard<'_, T> {
    #[track_caller]
    fn drop(&mut self) {
        if let (Some(object), Some(rt)) = (self.controlled, runtime::current()) {
            rt.release(Op::UnlockRead, object);
        }
        self.inner = None;
    }
}

impl<T: ?Sized> Drop for RwLockWriteGuard<'_, T> {
    #[track_caller]
    fn drop(&mut self) {
        self.lock.poison.leave(self.panicking);
        if let (Some(object), Some(rt)) = (self.controlled, runtime::current()) {
            rt.release(Op::UnlockWrite, object);
        }
        self.inner = None;
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLockReadGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLockWriteGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized> fmt::Debug for RwLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RwLock").finish_non_exhaustive()
    }
}

impl<T: Default> Default for RwLock<T> {
    #[track_caller]
    fn default() -> RwLock<T> {
        RwLock::new(T::default())
    }
}

impl<T> From<T> for RwLock<T> {
    #[track_caller]
    fn from(value: T) -> RwLock<T> {
        RwLock::new(value)
    }
}

crate::thread::uses!([T: ?Sized] RwLock<T>);
