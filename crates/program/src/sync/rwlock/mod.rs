//! Reader-writer locks.

pub(super) mod object;
mod second_read;

use super::poison::{self, map};
use crate::handle::Handle;
use crate::ids::ObjectId;
use crate::runtime::{self, Runtime};
use object::{Op, State};
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::{self, LockResult, PoisonError, TryLockError, TryLockResult};

/// A lock for many readers or one writer, as `std::sync::RwLock`.
///
/// Readers do not wait for a waiting writer here; std promises no policy. If a thread reads the lock again while it reads
/// it, and a writer can wait at that moment, a deadlock is reported, because std's lock may let the writer go first.
pub struct RwLock<T: ?Sized> {
    handle: Handle,
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
    controlled: Option<ObjectId>,
}

impl<T> RwLock<T> {
    /// Makes a free lock.
    #[track_caller]
    #[inline]
    pub const fn new(value: T) -> RwLock<T> {
        RwLock {
            handle: Handle::new(),
            inner: sync::RwLock::new(value),
        }
    }

    /// The value.
    pub fn into_inner(self) -> LockResult<T> {
        self.inner.into_inner()
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

    /// The scheduler has given the lock to this thread for reading.
    #[cold]
    #[inline(never)]
    fn reader(&self, rt: &Runtime, object: ObjectId) -> LockResult<RwLockReadGuard<'_, T>> {
        let inner = rt.retry_while_unwinding(|| attempt(self.inner.try_read()));
        let guard = RwLockReadGuard {
            inner: Some(inner),
            controlled: Some(object),
        };
        poison::result(self.inner.is_poisoned(), guard)
    }

    /// The scheduler has given the lock to this thread for writing.
    #[cold]
    #[inline(never)]
    fn writer(&self, rt: &Runtime, object: ObjectId) -> LockResult<RwLockWriteGuard<'_, T>> {
        let inner = rt.retry_while_unwinding(|| attempt(self.inner.try_write()));
        let guard = RwLockWriteGuard {
            lock: self,
            inner: Some(inner),
            controlled: Some(object),
        };
        poison::result(self.inner.is_poisoned(), guard)
    }

    /// A guard outside a check.
    #[inline]
    fn free_reader<'a>(&'a self, inner: sync::RwLockReadGuard<'a, T>) -> RwLockReadGuard<'a, T> {
        RwLockReadGuard {
            inner: Some(inner),
            controlled: None,
        }
    }

    /// The same for a writer.
    #[inline]
    fn free_writer<'a>(&'a self, inner: sync::RwLockWriteGuard<'a, T>) -> RwLockWriteGuard<'a, T> {
        RwLockWriteGuard {
            lock: self,
            inner: Some(inner),
            controlled: None,
        }
    }

    /// Waits until there is no writer, and acquires the lock for reading.
    #[track_caller]
    #[inline(always)]
    pub fn read(&self) -> LockResult<RwLockReadGuard<'_, T>> {
        if runtime::possible() {
            crate::fiber::watched!(self.read_in_check())
        } else {
            map(self.inner.read(), |inner| self.free_reader(inner))
        }
    }

    #[cold]
    #[inline(never)]
    #[track_caller]
    fn read_in_check(&self) -> LockResult<RwLockReadGuard<'_, T>> {
        let Some(rt) = runtime::current_for(&self.handle) else {
            return map(self.inner.read(), |inner| self.free_reader(inner));
        };
        let object = self.object(&rt);
        rt.visible(Op::Read, object, 0);
        self.reader(&rt, object)
    }

    /// Waits until there is no reader or writer, and acquires the lock for writing.
    #[track_caller]
    #[inline(always)]
    pub fn write(&self) -> LockResult<RwLockWriteGuard<'_, T>> {
        if runtime::possible() {
            crate::fiber::watched!(self.write_in_check())
        } else {
            map(self.inner.write(), |inner| self.free_writer(inner))
        }
    }

    #[cold]
    #[inline(never)]
    #[track_caller]
    fn write_in_check(&self) -> LockResult<RwLockWriteGuard<'_, T>> {
        let Some(rt) = runtime::current_for(&self.handle) else {
            return map(self.inner.write(), |inner| self.free_writer(inner));
        };
        let object = self.object(&rt);
        rt.visible(Op::Write, object, 0);
        self.writer(&rt, object)
    }

    /// Acquires the lock for reading, if there is no writer.
    #[track_caller]
    #[inline(always)]
    pub fn try_read(&self) -> TryLockResult<RwLockReadGuard<'_, T>> {
        if runtime::possible() {
            crate::fiber::watched!(self.try_read_in_check())
        } else {
            self.try_read_outside()
        }
    }

    #[inline]
    fn try_read_outside(&self) -> TryLockResult<RwLockReadGuard<'_, T>> {
        match self.inner.try_read() {
            Ok(inner) => Ok(self.free_reader(inner)),
            Err(TryLockError::Poisoned(error)) => Err(PoisonError::new(self.free_reader(error.into_inner())).into()),
            Err(TryLockError::WouldBlock) => Err(TryLockError::WouldBlock),
        }
    }

    #[cold]
    #[inline(never)]
    #[track_caller]
    fn try_read_in_check(&self) -> TryLockResult<RwLockReadGuard<'_, T>> {
        let Some(rt) = runtime::current_for(&self.handle) else {
            return self.try_read_outside();
        };
        let object = self.object(&rt);
        if rt.visible(Op::TryRead, object, 0) != 1 {
            return Err(TryLockError::WouldBlock);
        }
        Ok(self.reader(&rt, object)?)
    }

    /// Acquires the lock for writing, if there is no reader or writer.
    #[track_caller]
    #[inline(always)]
    pub fn try_write(&self) -> TryLockResult<RwLockWriteGuard<'_, T>> {
        if runtime::possible() {
            crate::fiber::watched!(self.try_write_in_check())
        } else {
            self.try_write_outside()
        }
    }

    #[inline]
    fn try_write_outside(&self) -> TryLockResult<RwLockWriteGuard<'_, T>> {
        match self.inner.try_write() {
            Ok(inner) => Ok(self.free_writer(inner)),
            Err(TryLockError::Poisoned(error)) => Err(PoisonError::new(self.free_writer(error.into_inner())).into()),
            Err(TryLockError::WouldBlock) => Err(TryLockError::WouldBlock),
        }
    }

    #[cold]
    #[inline(never)]
    #[track_caller]
    fn try_write_in_check(&self) -> TryLockResult<RwLockWriteGuard<'_, T>> {
        let Some(rt) = runtime::current_for(&self.handle) else {
            return self.try_write_outside();
        };
        let object = self.object(&rt);
        if rt.visible(Op::TryWrite, object, 0) != 1 {
            return Err(TryLockError::WouldBlock);
        }
        Ok(self.writer(&rt, object)?)
    }

    /// True if a thread panicked while it wrote.
    pub fn is_poisoned(&self) -> bool {
        poison::ask();
        self.inner.is_poisoned()
    }

    /// Clears the mark that a thread panicked.
    pub fn clear_poison(&self) {
        self.inner.clear_poison();
    }

    /// The value, by a reference that excludes all others.
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        self.inner.get_mut()
    }
}

impl<T: ?Sized> Deref for RwLockReadGuard<'_, T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        self.inner.as_ref().expect("a guard that was not given back")
    }
}

impl<T: ?Sized> Deref for RwLockWriteGuard<'_, T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        self.inner.as_ref().expect("a guard that was not given back")
    }
}

impl<T: ?Sized> DerefMut for RwLockWriteGuard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        self.inner.as_mut().expect("a guard that was not given back")
    }
}

impl<'a, T: ?Sized> RwLockWriteGuard<'a, T> {
    /// Makes the writer a reader, without letting another writer in between.
    #[track_caller]
    pub fn downgrade(mut guard: RwLockWriteGuard<'a, T>) -> RwLockReadGuard<'a, T> {
        let controlled = guard.controlled.take();
        if let (Some(object), Some(rt)) = (controlled, runtime::current()) {
            rt.visible(Op::Downgrade, object, 0);
        }
        let inner = guard.inner.take().expect("a guard that was not given back");
        RwLockReadGuard {
            inner: Some(sync::RwLockWriteGuard::downgrade(inner)),
            controlled,
        }
    }
}

impl<T: ?Sized> Drop for RwLockReadGuard<'_, T> {
    #[track_caller]
    #[inline]
    fn drop(&mut self) {
        // By value, so that a guard need not be in memory.
        if let Some(object) = self.controlled {
            release_reader(self.inner.take(), object);
        }
    }
}

/// A reader's guard is dropped in a check.
#[cold]
#[inline(never)]
#[track_caller]
fn release_reader<T: ?Sized>(inner: Option<sync::RwLockReadGuard<'_, T>>, object: ObjectId) {
    if let Some(rt) = runtime::current() {
        rt.release(Op::UnlockRead, object);
    }
    drop(inner);
}

impl<T: ?Sized> Drop for RwLockWriteGuard<'_, T> {
    #[track_caller]
    #[inline]
    fn drop(&mut self) {
        if let Some(object) = self.controlled {
            self.lock.release(self.inner.take(), object);
        }
    }
}

impl<T: ?Sized> RwLock<T> {
    /// A writer's guard is dropped in a check.
    #[cold]
    #[inline(never)]
    #[track_caller]
    fn release<'a>(&'a self, inner: Option<sync::RwLockWriteGuard<'a, T>>, object: ObjectId) {
        let Some(rt) = runtime::current() else { return };
        if rt.abandoning() {
            let poisoned = self.inner.is_poisoned();
            drop(inner);
            if !poisoned {
                self.inner.clear_poison();
            }
            return;
        }
        rt.release(Op::UnlockWrite, object);
        drop(inner);
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

impl<T: ?Sized + fmt::Display> fmt::Display for RwLockReadGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for RwLockWriteGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // std shows the value if there is no writer, which would be a step in a check.
        if runtime::possible() {
            return f.debug_struct("RwLock").finish_non_exhaustive();
        }
        self.inner.fmt(f)
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
