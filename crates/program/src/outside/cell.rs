//! Cells for unsafe code: std's, with the methods by which a check sees accesses.

use std::cell;
use std::fmt;

/// A cell for unsafe code, as `std::cell::UnsafeCell`.
#[repr(transparent)]
#[derive(Default)]
pub struct UnsafeCell<T: ?Sized> {
    inner: cell::UnsafeCell<T>,
}

impl<T> UnsafeCell<T> {
    /// Makes a cell with this value.
    #[inline]
    pub const fn new(value: T) -> UnsafeCell<T> {
        UnsafeCell {
            inner: cell::UnsafeCell::new(value),
        }
    }

    /// The value.
    #[inline]
    pub fn into_inner(self) -> T {
        self.inner.into_inner()
    }
}

impl<T: ?Sized> UnsafeCell<T> {
    /// Calls `f` with a pointer to read through.
    #[inline]
    pub fn with<R>(&self, f: impl FnOnce(*const T) -> R) -> R {
        f(self.inner.get())
    }

    /// Calls `f` with a pointer to write through.
    #[inline]
    pub fn with_mut<R>(&self, f: impl FnOnce(*mut T) -> R) -> R {
        f(self.inner.get())
    }

    /// Returns a pointer to the value.
    #[inline]
    pub const fn get(&self) -> *mut T {
        self.inner.get()
    }

    /// The value, by a reference that excludes all others.
    #[inline]
    pub const fn get_mut(&mut self) -> &mut T {
        self.inner.get_mut()
    }

    /// Does nothing: what it declares is for checks.
    #[inline(always)]
    pub const fn initialised_here(&self) {}
}

impl<T: ?Sized> fmt::Debug for UnsafeCell<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UnsafeCell").finish_non_exhaustive()
    }
}

/// A cell for values that are copied in and out, as `std::cell::Cell`.
#[repr(transparent)]
#[derive(Default)]
pub struct Cell<T> {
    inner: cell::Cell<T>,
}

impl<T> Cell<T> {
    /// Makes a cell with this value.
    #[inline]
    pub const fn new(value: T) -> Cell<T> {
        Cell {
            inner: cell::Cell::new(value),
        }
    }

    /// Writes the value.
    #[inline]
    pub fn set(&self, value: T) {
        self.inner.set(value);
    }

    /// Writes, and returns the old value.
    #[inline]
    pub fn replace(&self, value: T) -> T {
        self.inner.replace(value)
    }

    /// Reads the value.
    #[inline]
    pub fn get(&self) -> T
    where
        T: Copy,
    {
        self.inner.get()
    }

    /// Takes the value out and leaves the default.
    #[inline]
    pub fn take(&self) -> T
    where
        T: Default,
    {
        self.inner.take()
    }

    /// The value, by a reference that excludes all others.
    #[inline]
    pub fn get_mut(&mut self) -> &mut T {
        self.inner.get_mut()
    }

    /// The value.
    #[inline]
    pub fn into_inner(self) -> T {
        self.inner.into_inner()
    }

    /// Does nothing: what it declares is for checks.
    #[inline(always)]
    pub const fn initialised_here(&self) {}
}

impl<T> fmt::Debug for Cell<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cell").finish_non_exhaustive()
    }
}
