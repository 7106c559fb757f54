//! Cells whose accesses are tracked, with loom's names.
//!
//! An access of loom lasts as long as a closure or a guard, and two that overlap are a violation if one of them writes, even
//! in one thread. mazurka's cells know accesses that happen at one moment. So an access that lasts is one at its beginning
//! and one at its end: another thread's access that happens neither before the beginning nor after the end races with one of
//! them. Overlaps in one thread are counted.
#![allow(unsafe_code)]

use mazurka::cell;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicIsize, Ordering::Relaxed};

pub use mazurka::cell::Cell;

/// A cell for unsafe code.
#[derive(Debug)]
pub struct UnsafeCell<T: ?Sized> {
    accesses: Arc<Accesses>,
    value: std::cell::UnsafeCell<T>,
}

/// The accesses to a cell. Guards outlive it, as loom's can.
struct Accesses {
    /// Where they are tracked.
    tracked: cell::UnsafeCell<()>,
    /// The number of readers now, or -1 for a writer. Only threads of one check use it, one after the other.
    now: AtomicIsize,
}

// SAFETY: nothing is read or written through the pointers of `tracked`.
unsafe impl Sync for Accesses {}

impl fmt::Debug for Accesses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("_")
    }
}

/// An access, from when it is made to when it is dropped.
#[derive(Debug)]
struct Access {
    accesses: Arc<Accesses>,
    write: bool,
}

impl Access {
    #[track_caller]
    fn begin(accesses: &Arc<Accesses>, write: bool) -> Access {
        let access = Access {
            accesses: Arc::clone(accesses),
            write,
        };
        access.track();
        let now = accesses.now.load(Relaxed);
        let alone = if write { now == 0 } else { now >= 0 };
        // Whatever happens, the guard counts itself off.
        accesses.now.store(if write { -1 } else { now.max(0) + 1 }, Relaxed);
        assert!(
            alone,
            "Causality violation: accesses to a cell overlap, and one of them writes"
        );
        access
    }

    #[track_caller]
    fn track(&self) {
        if self.write {
            self.accesses.tracked.with_mut(|_| ());
        } else {
            self.accesses.tracked.with(|_| ());
        }
    }
}

impl Drop for Access {
    #[track_caller]
    fn drop(&mut self) {
        let now = self.accesses.now.load(Relaxed);
        self.accesses
            .now
            .store(if self.write { 0 } else { (now - 1).max(0) }, Relaxed);
        if !std::thread::panicking() {
            self.track();
        }
    }
}

/// A pointer to read through. The access lasts as long as it exists.
#[derive(Debug)]
pub struct ConstPtr<T: ?Sized> {
    _access: Access,
    pointer: *const T,
}

/// A pointer to write through. The access lasts as long as it exists.
#[derive(Debug)]
pub struct MutPtr<T: ?Sized> {
    _access: Access,
    pointer: *mut T,
}

impl<T> UnsafeCell<T> {
    /// Makes a cell with this value.
    #[track_caller]
    pub fn new(value: T) -> UnsafeCell<T> {
        UnsafeCell {
            accesses: Arc::new(Accesses {
                tracked: cell::UnsafeCell::new(()),
                now: AtomicIsize::new(0),
            }),
            value: std::cell::UnsafeCell::new(value),
        }
    }

    /// The value.
    pub fn into_inner(self) -> T {
        self.value.into_inner()
    }
}

impl<T: ?Sized> UnsafeCell<T> {
    /// Calls `f` with a pointer to read through.
    #[track_caller]
    pub fn with<R>(&self, f: impl FnOnce(*const T) -> R) -> R {
        let _access = Access::begin(&self.accesses, false);
        f(self.value.get())
    }

    /// Calls `f` with a pointer to write through.
    #[track_caller]
    pub fn with_mut<R>(&self, f: impl FnOnce(*mut T) -> R) -> R {
        let _access = Access::begin(&self.accesses, true);
        f(self.value.get())
    }

    /// A pointer to read through.
    #[track_caller]
    pub fn get(&self) -> ConstPtr<T> {
        ConstPtr {
            _access: Access::begin(&self.accesses, false),
            pointer: self.value.get(),
        }
    }

    /// A pointer to write through.
    #[track_caller]
    pub fn get_mut(&self) -> MutPtr<T> {
        MutPtr {
            _access: Access::begin(&self.accesses, true),
            pointer: self.value.get(),
        }
    }
}

impl<T: Default> Default for UnsafeCell<T> {
    #[track_caller]
    fn default() -> UnsafeCell<T> {
        UnsafeCell::new(T::default())
    }
}

impl<T> From<T> for UnsafeCell<T> {
    #[track_caller]
    fn from(value: T) -> UnsafeCell<T> {
        UnsafeCell::new(value)
    }
}

impl<T: ?Sized> ConstPtr<T> {
    /// The value.
    ///
    /// # Safety
    /// The pointer is valid: the cell exists, and its value is initialised.
    pub unsafe fn deref(&self) -> &T {
        // SAFETY: the caller says so.
        unsafe { &*self.pointer }
    }

    /// Calls `f` with the pointer.
    pub fn with<R>(&self, f: impl FnOnce(*const T) -> R) -> R {
        f(self.pointer)
    }
}

impl<T: ?Sized> MutPtr<T> {
    /// The value.
    ///
    /// # Safety
    /// The pointer is valid, and there is no other reference to the value.
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn deref(&self) -> &mut T {
        // SAFETY: the caller says so.
        unsafe { &mut *self.pointer }
    }

    /// Calls `f` with the pointer.
    pub fn with<R>(&self, f: impl FnOnce(*mut T) -> R) -> R {
        f(self.pointer)
    }
}
