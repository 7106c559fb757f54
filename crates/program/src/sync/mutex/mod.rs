//! Mutexes.

pub(super) mod object;

pub(super) use object::effect_of_wait;

use super::poison::{Poison, unpoisoned};
use crate::frozen::is_frozen;
use crate::ids::{Handle, ObjectId};
use crate::runtime::{self, Runtime};
use object::{Op, State};
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::rc::Rc;
use std::sync::{self, LockResult, TryLockError, TryLockResult};

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
    poison: Poison,
    inner: sync::Mutex<T>,
}

/// The lock of a [`Mutex`]; dropping it releases.
#[must_use = "a lock that is not kept is released at once"]
pub struct MutexGuard<'a, T: ?Sized> {
    mutex: &'a Mutex<T>,
    /// None only while it is being released.
    inner: Option<sync::MutexGuard<'a, T>>,
    panicking: bool,
    controlled: Option<ObjectId>,
}

impl<T> Mutex<T> {
    /// Makes a free mutex.
    #[track_caller]
    pub const fn new(value: T) -> Mutex<T> {
        Mutex {
            handle: Handle::new(),
            poison: Poison::new(),
            inner: sync::Mutex::new(value),
        }
    }

    /// The value.
    pub fn into_inner(self) -> LockResult<T> {
        self.poison.result(unpoisoned(self.inner.into_inner()))
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
    pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        match runtime::current_for(&self.handle) {
            None => self.guard(unpoisoned(self.inner.lock()), None),
            Some(rt) => {
                let object = self.object(&rt);
                Self::acquire(&rt, object);
                self.enter(&rt, object)
            }
        }
    }

    /// Announces an acquisition of the mutex with this number, and waits for it.
    #[track_caller]
    pub(super) fn acquire(rt: &Runtime, object: ObjectId) -> u32 {
        rt.visible(Op::Lock, object, u32::from(is_frozen::<T>()))
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
    pub fn try_lock(&self) -> TryLockResult<MutexGuard<'_, T>> {
        let Some(rt) = runtime::current_for(&self.handle) else {
            return match self.inner.try_lock() {
                Ok(inner) => Ok(self.guard(inner, None)?),
                Err(TryLockError::Poisoned(error)) => Ok(self.guard(error.into_inner(), None)?),
                Err(TryLockError::WouldBlock) => Err(TryLockError::WouldBlock),
            };
        };
        let object = self.object(&rt);
        if rt.visible(Op::TryLock, object, 0) != 1 {
            return Err(TryLockError::WouldBlock);
        }
        Ok(self.enter(&rt, object)?)
    }

    /// The scheduler has given the mutex to this thread.
    pub(crate) fn enter(&self, rt: &Rc<Runtime>, object: ObjectId) -> LockResult<MutexGuard<'_, T>> {
        let inner = rt.retry_while_unwinding(|| match self.inner.try_lock() {
            Ok(inner) => Some(inner),
            Err(TryLockError::Poisoned(error)) => Some(error.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        });
        self.guard(inner, Some(object))
    }

    fn guard<'a>(
        &'a self,
        inner: sync::MutexGuard<'a, T>,
        controlled: Option<ObjectId>,
    ) -> LockResult<MutexGuard<'a, T>> {
        let guard = MutexGuard {
            mutex: self,
            inner: Some(inner),
            panicking: std::thread::panicking(),
            controlled,
        };
        self.poison.result(guard)
    }

    /// True if a thread panicked while it held the mutex.
    #[track_caller]
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

impl<'a, T: ?Sized> MutexGuard<'a, T> {
    pub(crate) fn mutex(&self) -> &'a Mutex<T> {
        self.mutex
    }

    pub(crate) fn controlled(&self) -> Option<ObjectId> {
        self.controlled
    }

    /// Takes std's guard out, without telling the scheduler.
    pub(crate) fn into_std(mut self) -> sync::MutexGuard<'a, T> {
        self.controlled = None;
        let inner = self.inner.take().expect("a guard that was not given back");
        std::mem::forget(self);
        inner
    }

    pub(crate) fn from_std(mutex: &'a Mutex<T>, inner: sync::MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
        mutex.guard(inner, None)
    }
}

impl<T: ?Sized> Deref for MutexGuard<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        self.inner.as_ref().expect("a guard that was not given back")
    }
}

impl<T: ?Sized> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        if let Some(object) = self.controlled
            && let Some(rt) = runtime::current()
        {
            rt.execution.borrow_mut().wrote_under(object);
        }
        self.inner.as_mut().expect("a guard that was not given back")
    }
}

impl<T: ?Sized> Drop for MutexGuard<'_, T> {
    #[track_caller]
    fn drop(&mut self) {
        let poisons = self.mutex.poison.leave(self.panicking);
        if let (Some(object), Some(rt)) = (self.controlled, runtime::current()) {
            if poisons {
                rt.execution.borrow_mut().wrote_under(object);
            }
            rt.release(Op::Unlock, object);
        }
        self.inner = None;
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

impl<T: ?Sized> fmt::Debug for Mutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mutex").finish_non_exhaustive()
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
