//! Thread-local values: of controlled threads in a check, of OS threads outside.

use crate::execution::thread::Local;
use crate::runtime::{self, Runtime};
use std::cell::{Cell, RefCell};
use std::error::Error;
use std::fmt;
use std::rc::Rc;

/// A key of [`thread_local!`](crate::thread::thread_local), as `std::thread::LocalKey`.
pub struct LocalKey<T: 'static> {
    #[doc(hidden)]
    pub std: &'static std::thread::LocalKey<T>,
    #[doc(hidden)]
    pub init: fn() -> T,
}

/// The value was already dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccessError;

impl fmt::Display for AccessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("already destroyed")
    }
}

impl Error for AccessError {}

impl<T: 'static> LocalKey<T> {
    /// Calls `f` with the thread's value.
    #[inline]
    pub fn with<R>(&'static self, f: impl FnOnce(&T) -> R) -> R {
        self.try_with(f).expect("a thread-local value that exists")
    }

    /// Calls `f` with the thread's value, unless it was dropped.
    #[inline]
    pub fn try_with<R>(&'static self, f: impl FnOnce(&T) -> R) -> Result<R, AccessError> {
        if !runtime::possible() {
            return self.std.try_with(f).map_err(|_| AccessError);
        }
        match runtime::current() {
            None => self.std.try_with(f).map_err(|_| AccessError),
            Some(rt) => self.try_with_in_check(&rt, self.init, f),
        }
    }

    /// Calls `f` with the value of the current controlled thread, which `init` makes if there is none.
    #[cold]
    #[inline(never)]
    fn try_with_in_check<R>(
        &'static self,
        rt: &Runtime,
        init: impl FnOnce() -> T,
        f: impl FnOnce(&T) -> R,
    ) -> Result<R, AccessError> {
        let id = rt.thread();
        let key = std::ptr::from_ref(self).addr();
        let there = {
            let execution = rt.execution.borrow();
            let locals = &execution.threads[id.index()].locals;
            locals.iter().find(|l| l.key == key).map(|l| l.value.clone())
        };
        let value = match there {
            Some(value) => value.ok_or(AccessError)?,
            None => {
                let value: Rc<dyn std::any::Any> = Rc::new(init());
                let mut execution = rt.execution.borrow_mut();
                execution.threads[id.index()].locals.push(Local {
                    key,
                    value: Some(Rc::clone(&value)),
                    needs_drop: std::mem::needs_drop::<T>(),
                });
                value
            }
        };
        Ok(f(value.downcast_ref::<T>().expect("the key's own type")))
    }

    /// Makes the thread's value, or else calls `change` with it and the new one.
    #[inline]
    fn put<V>(&'static self, value: V, make: impl FnOnce(V) -> T, change: impl FnOnce(&T, V)) {
        if !runtime::possible() {
            self.std.with(|old| change(old, value));
            return;
        }
        let Some(rt) = runtime::current() else {
            self.std.with(|old| change(old, value));
            return;
        };
        let value = Cell::new(Some(value));
        let init = || make(value.take().expect("it is made once"));
        let done = self.try_with_in_check(&rt, init, |old| {
            if let Some(value) = value.take() {
                change(old, value);
            }
        });
        done.expect("a thread-local value that exists");
    }
}

impl<T: 'static> LocalKey<Cell<T>> {
    /// Writes the thread's value. In a check, a value that was not there is not initialised first, as with std.
    #[inline]
    pub fn set(&'static self, value: T) {
        self.put(value, Cell::new, Cell::set);
    }

    /// Reads the thread's value.
    #[inline]
    pub fn get(&'static self) -> T
    where
        T: Copy,
    {
        self.with(Cell::get)
    }

    /// Takes the thread's value out and leaves the default.
    #[inline]
    pub fn take(&'static self) -> T
    where
        T: Default,
    {
        self.with(Cell::take)
    }

    /// Writes the thread's value, and returns the old one.
    #[inline]
    pub fn replace(&'static self, value: T) -> T {
        self.with(|cell| cell.replace(value))
    }
}

impl<T: 'static> LocalKey<RefCell<T>> {
    /// Calls `f` with the thread's value.
    #[inline]
    pub fn with_borrow<R>(&'static self, f: impl FnOnce(&T) -> R) -> R {
        self.with(|cell| f(&cell.borrow()))
    }

    /// Calls `f` with the thread's value.
    #[inline]
    pub fn with_borrow_mut<R>(&'static self, f: impl FnOnce(&mut T) -> R) -> R {
        self.with(|cell| f(&mut cell.borrow_mut()))
    }

    /// Writes the thread's value. In a check, a value that was not there is not initialised first, as with std.
    #[inline]
    pub fn set(&'static self, value: T) {
        self.put(value, RefCell::new, |cell, value| drop(cell.replace(value)));
    }

    /// Takes the thread's value out and leaves the default.
    #[inline]
    pub fn take(&'static self) -> T
    where
        T: Default,
    {
        self.with(RefCell::take)
    }

    /// Writes the thread's value, and returns the old one.
    #[inline]
    pub fn replace(&'static self, value: T) -> T {
        self.with(|cell| cell.replace(value))
    }
}

impl<T: 'static> fmt::Debug for LocalKey<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalKey").finish_non_exhaustive()
    }
}

/// Declares thread-local values, as `std::thread_local!`.
#[doc(hidden)]
#[macro_export]
macro_rules! __thread_local {
    () => {};
    ($(#[$attribute:meta])* $visibility:vis static $name:ident: $type:ty = const $init:block $(; $($rest:tt)*)?) => {
        $crate::__thread_local!($(#[$attribute])* $visibility static $name: $type = $init $(; $($rest)*)?);
    };
    ($(#[$attribute:meta])* $visibility:vis static $name:ident: $type:ty = $init:expr $(; $($rest:tt)*)?) => {
        $(#[$attribute])*
        $visibility static $name: $crate::thread::LocalKey<$type> = {
            ::std::thread_local! {
                static VALUE: $type = $init;
            }
            $crate::thread::LocalKey { std: &VALUE, init: || $init }
        };
        $($crate::__thread_local!($($rest)*);)?
    };
}
