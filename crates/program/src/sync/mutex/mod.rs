//! Mutexes.

pub(super) mod object;

pub(super) use object::effect_of_wait;

use super::poison::{self, map};
use crate::frozen::{is_frozen, is_nothing};
use crate::handle::Handle;
use crate::ids::ObjectId;
use crate::runtime::{self, Runtime};
use object::{Op, State};
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::rc::Rc;
use std::sync::{self, LockResult, PoisonError, TryLockError, TryLockResult};

/// A lock with a value, as `std::sync::Mutex`.
///
/// ```
/// use mazurka::{sync::Mutex, thread};
///
/// mazurka::check(|| {
///     let n = Mutex::new(0);
///     thread::scope(|s| {
///         s.spawn(|| *n.lock().unwrap() += 1);
///         s.spawn(|| *n.lock().unwrap() += 1);
///     });
///     assert_eq!(n.into_inner().unwrap(), 2);
/// });
/// ```
pub struct Mutex<T: ?Sized> {
    handle: Handle,
    inner: sync::Mutex<T>,
}

/// The lock of a [`Mutex`]; dropping it releases.
#[must_use = "a lock that is not kept is released at once"]
pub struct MutexGuard<'a, T: ?Sized> {
    mutex: &'a Mutex<T>,
    /// None only while it is being released.
    inner: Option<sync::MutexGuard<'a, T>>,
    /// In a check, how it was acquired.
    acquired: Option<Acquired>,
}

/// How a thread has acquired a mutex in a check.
#[derive(Clone, Copy)]
struct Acquired {
    object: ObjectId,
    /// Whether the thread was panicking then.
    panicking: bool,
}

/// What a thread has got in a check: std's guard, and how. It is another type than the guard that users get, so that
/// that one need not be in memory.
struct Entered<'a, T: ?Sized> {
    inner: LockResult<sync::MutexGuard<'a, T>>,
    acquired: Option<Acquired>,
}

impl<T> Mutex<T> {
    /// Makes a free mutex.
    #[track_caller]
    #[inline]
    pub const fn new(value: T) -> Mutex<T> {
        Mutex {
            handle: Handle::new(),
            inner: sync::Mutex::new(value),
        }
    }

    /// The value.
    pub fn into_inner(self) -> LockResult<T> {
        self.inner.into_inner()
    }
}

impl<T: ?Sized> Mutex<T> {
    pub(crate) fn object(&self, rt: &Runtime) -> ObjectId {
        let plain = || !std::mem::needs_drop::<T>();
        rt.object_of(self, plain, &self.handle, State::default)
    }

    /// The runtime, if this is controlled code; see [`runtime::current_for`].
    #[track_caller]
    pub(super) fn runtime(&self) -> Option<Rc<Runtime>> {
        runtime::current_for(&self.handle)
    }

    /// Waits until the mutex is free, and acquires it.
    #[track_caller]
    #[inline(always)]
    pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        let entered = if runtime::possible() {
            crate::fiber::watched!(self.lock_in_check())
        } else {
            self.lock_outside()
        };
        self.guard(entered)
    }

    #[inline(always)]
    fn lock_outside(&self) -> Entered<'_, T> {
        Entered {
            inner: self.inner.lock(),
            acquired: None,
        }
    }

    #[cold]
    #[inline(never)]
    #[track_caller]
    fn lock_in_check(&self) -> Entered<'_, T> {
        let Some(rt) = runtime::current_for(&self.handle) else {
            return self.lock_outside();
        };
        let object = self.object(&rt);
        Self::acquire(&rt, object);
        self.entered(&rt, object)
    }

    /// The guard that users get.
    #[inline(always)]
    fn guard<'a>(&'a self, entered: Entered<'a, T>) -> LockResult<MutexGuard<'a, T>> {
        let acquired = entered.acquired;
        map(entered.inner, |inner| MutexGuard {
            mutex: self,
            inner: Some(inner),
            acquired,
        })
    }

    /// Announces an acquisition of the mutex with this number, and waits for it.
    #[track_caller]
    pub(super) fn acquire(rt: &Runtime, object: ObjectId) -> u32 {
        let value = match () {
            () if is_nothing::<T>() => object::NOTHING,
            () if is_frozen::<T>() => object::FROZEN,
            () => object::CHANGES,
        };
        rt.visible(Op::Lock, object, value)
    }

    /// Releases the mutex with this number, which has no guard.
    #[track_caller]
    pub(super) fn give_back(rt: &Runtime, object: ObjectId) {
        rt.release(Op::Unlock, object);
    }

    /// True if the current thread owns the mutex with this number.
    pub(super) fn is_mine(rt: &Runtime, object: ObjectId) -> bool {
        let execution = rt.execution.borrow();
        execution.look::<State>(object).owner == Some(execution.current)
    }

    /// Acquires the mutex if it is free.
    #[track_caller]
    #[inline(always)]
    pub fn try_lock(&self) -> TryLockResult<MutexGuard<'_, T>> {
        if runtime::possible() {
            crate::fiber::watched!(self.try_lock_in_check())
        } else {
            self.try_lock_outside()
        }
    }

    #[inline]
    fn try_lock_outside(&self) -> TryLockResult<MutexGuard<'_, T>> {
        match self.inner.try_lock() {
            Ok(inner) => Ok(self.free_guard(inner)),
            Err(TryLockError::Poisoned(error)) => Err(PoisonError::new(self.free_guard(error.into_inner())).into()),
            Err(TryLockError::WouldBlock) => Err(TryLockError::WouldBlock),
        }
    }

    #[cold]
    #[inline(never)]
    #[track_caller]
    fn try_lock_in_check(&self) -> TryLockResult<MutexGuard<'_, T>> {
        let Some(rt) = runtime::current_for(&self.handle) else {
            return self.try_lock_outside();
        };
        let object = self.object(&rt);
        if rt.visible(Op::TryLock, object, 0) != 1 {
            return Err(TryLockError::WouldBlock);
        }
        Ok(self.enter(&rt, object)?)
    }

    /// The scheduler has given the mutex to this thread.
    pub(crate) fn enter(&self, rt: &Rc<Runtime>, object: ObjectId) -> LockResult<MutexGuard<'_, T>> {
        self.guard(self.entered(rt, object))
    }

    fn entered(&self, rt: &Rc<Runtime>, object: ObjectId) -> Entered<'_, T> {
        let inner = rt.retry_while_unwinding(|| match self.inner.try_lock() {
            Ok(inner) => Some(inner),
            Err(TryLockError::Poisoned(error)) => Some(error.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        });
        Entered {
            inner: poison::result(self.inner.is_poisoned(), inner),
            acquired: Some(Acquired {
                object,
                panicking: std::thread::panicking(),
            }),
        }
    }

    /// A guard outside a check.
    #[inline]
    fn free_guard<'a>(&'a self, inner: sync::MutexGuard<'a, T>) -> MutexGuard<'a, T> {
        MutexGuard {
            mutex: self,
            inner: Some(inner),
            acquired: None,
        }
    }

    /// True if a thread panicked while it held the mutex.
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

impl<'a, T: ?Sized> MutexGuard<'a, T> {
    pub(crate) fn mutex(&self) -> &'a Mutex<T> {
        self.mutex
    }

    pub(crate) fn controlled(&self) -> Option<ObjectId> {
        self.acquired.map(|acquired| acquired.object)
    }

    /// Takes std's guard out, without telling the scheduler.
    pub(crate) fn into_std(mut self) -> sync::MutexGuard<'a, T> {
        self.acquired = None;
        let inner = self.inner.take().expect("a guard that was not given back");
        std::mem::forget(self);
        inner
    }

    /// A guard outside a check.
    pub(crate) fn from_std(
        mutex: &'a Mutex<T>,
        inner: LockResult<sync::MutexGuard<'a, T>>,
    ) -> LockResult<MutexGuard<'a, T>> {
        map(inner, |inner| mutex.free_guard(inner))
    }
}

impl<T: ?Sized> Deref for MutexGuard<'_, T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        self.inner.as_ref().expect("a guard that was not given back")
    }
}

impl<T: ?Sized> DerefMut for MutexGuard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        if let Some(acquired) = self.acquired {
            wrote_under(acquired.object);
        }
        self.inner.as_mut().expect("a guard that was not given back")
    }
}

#[cold]
#[inline(never)]
fn wrote_under(object: ObjectId) {
    if let Some(rt) = runtime::current() {
        rt.execution.borrow_mut().wrote_under(object);
    }
}

impl<T: ?Sized> Drop for MutexGuard<'_, T> {
    #[track_caller]
    #[inline]
    fn drop(&mut self) {
        // By value, so that a guard need not be in memory.
        if let Some(acquired) = self.acquired {
            self.mutex.release(self.inner.take(), acquired);
        }
    }
}

impl<T: ?Sized> Mutex<T> {
    /// A guard is dropped in a check.
    #[cold]
    #[inline(never)]
    #[track_caller]
    fn release<'a>(&'a self, inner: Option<sync::MutexGuard<'a, T>>, acquired: Acquired) {
        let Acquired { object, panicking } = acquired;
        let Some(rt) = runtime::current() else { return };
        if rt.abandoning() {
            let poisoned = self.inner.is_poisoned();
            drop(inner);
            if !poisoned {
                self.inner.clear_poison();
            }
            return;
        }
        if poison::poisons(&rt, panicking) {
            rt.execution.borrow_mut().wrote_under(object);
        }
        rt.release(Op::Unlock, object);
        drop(inner);
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
        // std shows the value if the mutex is free, which would be a step in a check.
        if runtime::possible() {
            return f.debug_struct("Mutex").finish_non_exhaustive();
        }
        self.inner.fmt(f)
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

crate::thread::uses!([T: ?Sized] Mutex<T>);
