//! Reader-writer locks without poison, with readers that can become the writer.
//!
//! A lock is mazurka's lock behind a gate. Writers and upgradable readers pass the gate and hold it; readers need not.
//! So there is at most one upgradable reader, readers can be there besides, and no writer comes while the upgradable reader gives
//! its lock back to acquire it for writing. Nobody can acquire the lock for writing without the gate, which is why that
//! moment changes nothing.

use crate::map::{MappedRwLockReadGuard, MappedRwLockWriteGuard};
use crate::timeout::{until, within};
use crate::{attempt, unpoisoned};
use mazurka::sync;
use mazurka::time::{Duration, Instant};
use std::fmt;
use std::ops::{Deref, DerefMut};

/// A lock for many readers or one writer, as `parking_lot::RwLock`.
#[derive(Default)]
pub struct RwLock<T: ?Sized> {
    gate: sync::Mutex<()>,
    inner: sync::RwLock<T>,
}

/// The lock of a reader; dropping it releases.
#[must_use = "a lock that is not kept is released at once"]
pub struct RwLockReadGuard<'a, T: ?Sized> {
    inner: sync::RwLockReadGuard<'a, T>,
}

/// The lock of a writer; dropping it releases.
#[must_use = "a lock that is not kept is released at once"]
pub struct RwLockWriteGuard<'a, T: ?Sized> {
    lock: &'a RwLock<T>,
    inner: sync::RwLockWriteGuard<'a, T>,
    gate: sync::MutexGuard<'a, ()>,
}

/// The lock of a reader that can become the writer; dropping it releases.
#[must_use = "a lock that is not kept is released at once"]
pub struct RwLockUpgradableReadGuard<'a, T: ?Sized> {
    lock: &'a RwLock<T>,
    inner: sync::RwLockReadGuard<'a, T>,
    gate: sync::MutexGuard<'a, ()>,
}

/// Makes a free lock.
#[track_caller]
pub const fn const_rwlock<T>(value: T) -> RwLock<T> {
    RwLock::new(value)
}

impl<T> RwLock<T> {
    /// Makes a free lock.
    #[track_caller]
    pub const fn new(value: T) -> RwLock<T> {
        RwLock {
            gate: sync::Mutex::new(()),
            inner: sync::RwLock::new(value),
        }
    }

    /// The value.
    pub fn into_inner(self) -> T {
        unpoisoned(self.inner.into_inner())
    }
}

impl<T: ?Sized> RwLock<T> {
    /// Waits until there is no writer, and acquires the lock for reading.
    #[track_caller]
    pub fn read(&self) -> RwLockReadGuard<'_, T> {
        RwLockReadGuard {
            inner: unpoisoned(self.inner.read()),
        }
    }

    /// The same: readers never wait for a waiting writer here.
    #[track_caller]
    pub fn read_recursive(&self) -> RwLockReadGuard<'_, T> {
        self.read()
    }

    /// Acquires the lock for reading, if there is no writer.
    #[track_caller]
    pub fn try_read(&self) -> Option<RwLockReadGuard<'_, T>> {
        attempt(self.inner.try_read()).map(|inner| RwLockReadGuard { inner })
    }

    /// Waits until there is no writer, or the time is up.
    #[track_caller]
    pub fn try_read_for(&self, timeout: Duration) -> Option<RwLockReadGuard<'_, T>> {
        within(timeout, || self.try_read())
    }

    /// Waits until there is no writer, or the moment has come.
    #[track_caller]
    pub fn try_read_until(&self, moment: Instant) -> Option<RwLockReadGuard<'_, T>> {
        self.try_read_for(until(moment))
    }

    /// Waits until there is no reader or writer, and acquires the lock for writing.
    #[track_caller]
    pub fn write(&self) -> RwLockWriteGuard<'_, T> {
        let gate = unpoisoned(self.gate.lock());
        RwLockWriteGuard {
            lock: self,
            inner: unpoisoned(self.inner.write()),
            gate,
        }
    }

    /// Acquires the lock for writing, if there is no reader or writer.
    #[track_caller]
    pub fn try_write(&self) -> Option<RwLockWriteGuard<'_, T>> {
        let gate = attempt(self.gate.try_lock())?;
        let inner = attempt(self.inner.try_write())?;
        Some(RwLockWriteGuard {
            lock: self,
            inner,
            gate,
        })
    }

    /// Waits until there is no reader or writer, or the time is up.
    #[track_caller]
    pub fn try_write_for(&self, timeout: Duration) -> Option<RwLockWriteGuard<'_, T>> {
        within(timeout, || self.try_write())
    }

    /// Waits until there is no reader or writer, or the moment has come.
    #[track_caller]
    pub fn try_write_until(&self, moment: Instant) -> Option<RwLockWriteGuard<'_, T>> {
        self.try_write_for(until(moment))
    }

    /// Waits until there is no writer and no other upgradable reader, and acquires the lock for reading.
    #[track_caller]
    pub fn upgradable_read(&self) -> RwLockUpgradableReadGuard<'_, T> {
        let gate = unpoisoned(self.gate.lock());
        RwLockUpgradableReadGuard {
            lock: self,
            inner: unpoisoned(self.inner.read()),
            gate,
        }
    }

    /// The same, if it need not wait.
    #[track_caller]
    pub fn try_upgradable_read(&self) -> Option<RwLockUpgradableReadGuard<'_, T>> {
        let gate = attempt(self.gate.try_lock())?;
        let inner = attempt(self.inner.try_read())?;
        Some(RwLockUpgradableReadGuard {
            lock: self,
            inner,
            gate,
        })
    }

    /// True if there is a reader or a writer.
    #[track_caller]
    pub fn is_locked(&self) -> bool {
        attempt(self.inner.try_write()).is_none()
    }

    /// True if there is a writer.
    #[track_caller]
    pub fn is_locked_exclusive(&self) -> bool {
        attempt(self.inner.try_read()).is_none()
    }

    /// The value, by a reference that excludes all others.
    pub fn get_mut(&mut self) -> &mut T {
        unpoisoned(self.inner.get_mut())
    }
}

impl<'a, T: ?Sized> RwLockReadGuard<'a, T> {
    /// A guard of a part of the value.
    pub fn map<U: ?Sized>(guard: RwLockReadGuard<'a, T>, f: impl FnOnce(&T) -> &U) -> MappedRwLockReadGuard<'a, U>
    where
        T: 'a,
    {
        MappedRwLockReadGuard::of(guard, f)
    }

    /// A guard of a part of the value, if there is one.
    pub fn try_map<U: ?Sized>(
        guard: RwLockReadGuard<'a, T>,
        f: impl FnOnce(&T) -> Option<&U>,
    ) -> Result<MappedRwLockReadGuard<'a, U>, RwLockReadGuard<'a, T>>
    where
        T: 'a,
    {
        MappedRwLockReadGuard::try_of(guard, f)
    }
}

impl<'a, T: ?Sized> RwLockWriteGuard<'a, T> {
    /// Makes the writer a reader, without letting another writer in between.
    #[track_caller]
    pub fn downgrade(guard: RwLockWriteGuard<'a, T>) -> RwLockReadGuard<'a, T> {
        let RwLockWriteGuard { inner, gate, .. } = guard;
        let inner = sync::RwLockWriteGuard::downgrade(inner);
        drop(gate);
        RwLockReadGuard { inner }
    }

    /// Makes the writer an upgradable reader.
    #[track_caller]
    pub fn downgrade_to_upgradable(guard: RwLockWriteGuard<'a, T>) -> RwLockUpgradableReadGuard<'a, T> {
        let RwLockWriteGuard { lock, inner, gate } = guard;
        let inner = sync::RwLockWriteGuard::downgrade(inner);
        RwLockUpgradableReadGuard { lock, inner, gate }
    }

    /// A guard of a part of the value.
    pub fn map<U: ?Sized>(
        guard: RwLockWriteGuard<'a, T>,
        f: impl FnOnce(&mut T) -> &mut U,
    ) -> MappedRwLockWriteGuard<'a, U>
    where
        T: 'a,
    {
        MappedRwLockWriteGuard::of(guard, f)
    }

    /// A guard of a part of the value, if there is one.
    pub fn try_map<U: ?Sized>(
        guard: RwLockWriteGuard<'a, T>,
        f: impl FnOnce(&mut T) -> Option<&mut U>,
    ) -> Result<MappedRwLockWriteGuard<'a, U>, RwLockWriteGuard<'a, T>>
    where
        T: 'a,
    {
        MappedRwLockWriteGuard::try_of(guard, f)
    }

    /// The lock.
    pub fn rwlock(guard: &RwLockWriteGuard<'a, T>) -> &'a RwLock<T> {
        guard.lock
    }
}

impl<'a, T: ?Sized> RwLockUpgradableReadGuard<'a, T> {
    /// Waits until there is no other reader, and makes this one the writer.
    #[track_caller]
    pub fn upgrade(guard: RwLockUpgradableReadGuard<'a, T>) -> RwLockWriteGuard<'a, T> {
        let RwLockUpgradableReadGuard { lock, inner, gate } = guard;
        drop(inner);
        RwLockWriteGuard {
            lock,
            inner: unpoisoned(lock.inner.write()),
            gate,
        }
    }

    /// Makes this reader the writer, if there is no other reader.
    #[track_caller]
    pub fn try_upgrade(
        guard: RwLockUpgradableReadGuard<'a, T>,
    ) -> Result<RwLockWriteGuard<'a, T>, RwLockUpgradableReadGuard<'a, T>> {
        let RwLockUpgradableReadGuard { lock, inner, gate } = guard;
        drop(inner);
        match attempt(lock.inner.try_write()) {
            Some(inner) => Ok(RwLockWriteGuard { lock, inner, gate }),
            None => Err(RwLockUpgradableReadGuard {
                lock,
                inner: unpoisoned(lock.inner.read()),
                gate,
            }),
        }
    }

    /// Makes this reader an ordinary one.
    #[track_caller]
    pub fn downgrade(guard: RwLockUpgradableReadGuard<'a, T>) -> RwLockReadGuard<'a, T> {
        RwLockReadGuard { inner: guard.inner }
    }
}

/// Implements what guards have in common.
macro_rules! guards {
    ($($guard:ident),+) => {
        $(
            impl<T: ?Sized> Deref for $guard<'_, T> {
                type Target = T;
                fn deref(&self) -> &T {
                    &self.inner
                }
            }

            impl<T: ?Sized + fmt::Debug> fmt::Debug for $guard<'_, T> {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    (**self).fmt(f)
                }
            }
        )+
    };
}

guards!(RwLockReadGuard, RwLockWriteGuard, RwLockUpgradableReadGuard);

impl<T: ?Sized> DerefMut for RwLockWriteGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.inner
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}

impl<T> From<T> for RwLock<T> {
    #[track_caller]
    fn from(value: T) -> RwLock<T> {
        RwLock::new(value)
    }
}
