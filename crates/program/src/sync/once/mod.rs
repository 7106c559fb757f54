//! One-time initialisation.

pub(super) mod object;

use crate::fiber::statics::Statics;
use crate::handle::Handle;
use crate::ids::ObjectId;
use crate::runtime::{self, Runtime};
use object::{Op, State};
use std::cell::Cell;
use std::fmt;
use std::ops::Deref;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// What is initialised once, together with the primitive that it is part of, which can be a static.
struct Place<'a, P: ?Sized, T> {
    whole: &'a P,
    /// Whether `whole` owns nothing but the value.
    plain: bool,
    handle: &'a Handle,
    inner: &'a sync::OnceLock<T>,
}

impl<P: ?Sized, T> Place<'_, P, T> {
    fn object(&self, rt: &Runtime) -> ObjectId {
        let done = self.inner.get().is_some();
        let plain = || self.plain && !done;
        rt.object_of(self.whole, plain, self.handle, || State::new(done))
    }

    fn declared(&self) -> crate::thread::Declared {
        crate::thread::Declared(runtime::current().map(|rt| self.object(&rt)).into_iter().collect())
    }
}

/// A call that happens once, as `std::sync::Once`.
pub struct Once {
    handle: Handle,
    /// Whether the call is over.
    inner: sync::OnceLock<()>,
    /// In a check, whether the last attempt has panicked.
    poisoned: AtomicBool,
    /// Calls, outside a check.
    outside: sync::Once,
}

/// What the closure of `call_once_force` gets.
#[derive(Debug)]
pub struct OnceState(bool);

impl OnceState {
    /// True if an earlier attempt has panicked.
    pub fn is_poisoned(&self) -> bool {
        self.0
    }
}

impl Once {
    /// Makes one that was not called yet.
    #[track_caller]
    #[inline]
    pub const fn new() -> Once {
        Once {
            handle: Handle::new(),
            inner: sync::OnceLock::new(),
            poisoned: AtomicBool::new(false),
            outside: sync::Once::new(),
        }
    }

    /// Calls `f` if this is the first call, or waits until the first call is over.
    ///
    /// # Panics
    /// If the first call has panicked.
    #[track_caller]
    #[inline]
    pub fn call_once(&self, f: impl FnOnce()) {
        if runtime::possible() && runtime::current_for(&self.handle).is_some() {
            self.call(|poisoned| {
                assert!(!poisoned, "Once instance has previously been poisoned");
                f();
            });
        } else if self.inner.get().is_none() {
            self.outside.call_once(|| {
                f();
                self.inner.get_or_init(|| ());
            });
        }
    }

    /// The same, even if an earlier call has panicked.
    #[track_caller]
    pub fn call_once_force(&self, f: impl FnOnce(&OnceState)) {
        if runtime::current_for(&self.handle).is_some() {
            self.call(|poisoned| f(&OnceState(poisoned)));
        } else if self.inner.get().is_none() {
            self.outside.call_once_force(|state| {
                f(&OnceState(state.is_poisoned()));
                self.inner.get_or_init(|| ());
            });
        }
    }

    #[cold]
    #[inline(never)]
    #[track_caller]
    fn call(&self, f: impl FnOnce(bool)) {
        self.place().initialise(|| {
            let result = catch_unwind(AssertUnwindSafe(|| f(self.poisoned.load(Relaxed))));
            self.poisoned.store(result.is_err(), Relaxed);
            result.unwrap_or_else(|panic| resume_unwind(panic));
        });
    }

    /// True if the call is over.
    #[track_caller]
    #[inline(always)]
    pub fn is_completed(&self) -> bool {
        if runtime::possible() {
            crate::fiber::watched!(self.is_completed_in_check())
        } else {
            self.inner.get().is_some()
        }
    }

    #[cold]
    #[inline(never)]
    #[track_caller]
    fn is_completed_in_check(&self) -> bool {
        self.place().look().is_some()
    }

    /// Waits until the call is over.
    ///
    /// # Panics
    /// If it has panicked.
    #[track_caller]
    pub fn wait(&self) {
        match self.place().wait(object::OR_FAILED) {
            Some(over) => assert!(over, "Once instance has previously been poisoned"),
            None if self.inner.get().is_none() => self.outside.wait(),
            None => {}
        }
    }

    /// Waits until a call is over that has not panicked.
    #[track_caller]
    pub fn wait_force(&self) {
        if self.place().wait(0).is_none() && self.inner.get().is_none() {
            self.outside.wait_force();
        }
    }

    fn place(&self) -> Place<'_, Once, ()> {
        Place {
            whole: self,
            plain: true,
            handle: &self.handle,
            inner: &self.inner,
        }
    }
}

impl Default for Once {
    #[track_caller]
    fn default() -> Once {
        Once::new()
    }
}

impl fmt::Debug for Once {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Once").finish_non_exhaustive()
    }
}

impl<'a, P: ?Sized, T> Place<'a, P, T> {
    /// Initialises with `f`, or waits for another thread that does.
    #[cold]
    #[inline(never)]
    #[track_caller]
    fn initialise(self, f: impl FnOnce() -> T) -> &'a T {
        let Some(rt) = runtime::current_for(self.handle).filter(|rt| !rt.abandoning()) else {
            return self.inner.get_or_init(f);
        };
        let object = self.object(&rt);
        if rt.visible(Op::Begin, object, 0) == 1 {
            // No other thread is here. std's lock only holds the value.
            let kept = Statics::is_one(self.whole).then(|| rt.thread());
            if let Some(id) = kept {
                rt.owned.borrow_mut().begin_static(id);
            }
            let made = catch_unwind(AssertUnwindSafe(f));
            if let Some(id) = kept {
                rt.owned.borrow_mut().end_static(id);
            }
            match made {
                Ok(value) => {
                    let _ = self.inner.set(value);
                    rt.visible(Op::Complete, object, 1);
                }
                Err(panic) => {
                    if !rt.abandoning() {
                        rt.visible(Op::Complete, object, 0);
                    }
                    resume_unwind(panic);
                }
            }
        }
        self.inner.get().expect("it was initialised")
    }

    /// In a check, waits until there is a value; false if the attempt to make one has failed, and the wait notices that.
    #[track_caller]
    fn wait(self, notices: u32) -> Option<bool> {
        let rt = runtime::current_for(self.handle).filter(|rt| !rt.abandoning())?;
        let object = self.object(&rt);
        Some(rt.visible(Op::Wait, object, notices) == 1 || rt.abandoning())
    }

    /// The value, if there is one.
    #[track_caller]
    #[cold]
    #[inline(never)]
    fn look(self) -> Option<&'a T> {
        if let Some(rt) = runtime::current_for(self.handle).filter(|rt| !rt.abandoning()) {
            let object = self.object(&rt);
            if rt.visible(Op::Get, object, 0) != 1 {
                return None;
            }
        }
        self.inner.get()
    }
}

/// A value that is written once, as `std::sync::OnceLock`.
pub struct OnceLock<T> {
    handle: Handle,
    inner: sync::OnceLock<T>,
}

impl<T> OnceLock<T> {
    /// Makes a cell without a value.
    #[track_caller]
    pub const fn new() -> OnceLock<T> {
        OnceLock {
            handle: Handle::new(),
            inner: sync::OnceLock::new(),
        }
    }

    /// The value, if there is one.
    #[track_caller]
    #[inline(always)]
    pub fn get(&self) -> Option<&T> {
        if runtime::possible() {
            crate::fiber::watched!(self.get_in_check())
        } else {
            self.inner.get()
        }
    }

    #[cold]
    #[inline(never)]
    #[track_caller]
    fn get_in_check(&self) -> Option<&T> {
        self.place(self, true).look()
    }

    /// `whole` is the cell, or what it is part of.
    #[inline]
    fn place<'a, P>(&'a self, whole: &'a P, plain: bool) -> Place<'a, P, T> {
        Place {
            whole,
            plain,
            handle: &self.handle,
            inner: &self.inner,
        }
    }

    /// The value, by a reference that excludes all others.
    pub fn get_mut(&mut self) -> Option<&mut T> {
        self.inner.get_mut()
    }

    /// Waits until there is a value.
    #[track_caller]
    pub fn wait(&self) -> &T {
        self.place(self, true).wait(0);
        self.inner.wait()
    }

    /// Writes the value, or returns it if there is one already.
    #[track_caller]
    pub fn set(&self, value: T) -> Result<(), T> {
        let mut value = Some(value);
        self.get_or_init(|| value.take().expect("it is taken once"));
        value.map_or(Ok(()), Err)
    }

    /// The value. If there is none, `f` makes it.
    #[track_caller]
    #[inline(always)]
    pub fn get_or_init(&self, f: impl FnOnce() -> T) -> &T {
        if runtime::possible() {
            self.initialise_in_check(f)
        } else {
            self.inner.get_or_init(f)
        }
    }

    #[cold]
    #[inline(never)]
    #[track_caller]
    fn initialise_in_check(&self, f: impl FnOnce() -> T) -> &T {
        self.place(self, true).initialise(f)
    }

    /// The value.
    pub fn into_inner(self) -> Option<T> {
        self.inner.into_inner()
    }

    /// Takes the value out.
    pub fn take(&mut self) -> Option<T> {
        self.handle = Handle::new();
        self.inner.take()
    }
}

impl<T> Default for OnceLock<T> {
    #[track_caller]
    fn default() -> OnceLock<T> {
        OnceLock::new()
    }
}

impl<T: fmt::Debug> fmt::Debug for OnceLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OnceLock").field(&self.inner.get()).finish()
    }
}

impl<T: Clone> Clone for OnceLock<T> {
    #[track_caller]
    fn clone(&self) -> OnceLock<T> {
        match self.get() {
            Some(value) => OnceLock::from(value.clone()),
            None => OnceLock::new(),
        }
    }
}

impl<T: PartialEq> PartialEq for OnceLock<T> {
    #[track_caller]
    fn eq(&self, other: &OnceLock<T>) -> bool {
        self.get() == other.get()
    }
}

impl<T: Eq> Eq for OnceLock<T> {}

impl<T> From<T> for OnceLock<T> {
    #[track_caller]
    fn from(value: T) -> OnceLock<T> {
        OnceLock {
            handle: Handle::new(),
            inner: sync::OnceLock::from(value),
        }
    }
}

/// A value that is made when it is first needed, as `std::sync::LazyLock`.
///
/// In a check, a `static` of this type is made anew in each execution that needs it.
pub struct LazyLock<T, F = fn() -> T> {
    value: OnceLock<T>,
    make: sync::Mutex<Cell<Option<F>>>,
}

impl<T, F: FnOnce() -> T> LazyLock<T, F> {
    /// Makes a value that `f` will make when it is needed.
    #[track_caller]
    pub const fn new(f: F) -> LazyLock<T, F> {
        LazyLock {
            value: OnceLock::new(),
            make: sync::Mutex::new(Cell::new(Some(f))),
        }
    }

    /// The value, which is made now if it was not made before.
    #[track_caller]
    #[inline]
    pub fn force(this: &LazyLock<T, F>) -> &T {
        if runtime::possible() {
            this.force_in_check()
        } else {
            this.value.inner.get_or_init(|| this.make())
        }
    }

    #[cold]
    #[inline(never)]
    #[track_caller]
    fn force_in_check(&self) -> &T {
        let plain = !std::mem::needs_drop::<F>();
        self.value.place(self, plain).initialise(|| self.make())
    }

    #[cold]
    fn make(&self) -> T {
        let make = super::poison::unpoisoned(self.make.lock()).take();
        make.expect("LazyLock instance has previously been poisoned")()
    }
}

impl<T, F> LazyLock<T, F> {
    /// The value, if it was made.
    #[track_caller]
    pub fn get(this: &LazyLock<T, F>) -> Option<&T> {
        this.value.get()
    }

    /// The same, by a reference that excludes all others.
    pub fn get_mut(this: &mut LazyLock<T, F>) -> Option<&mut T> {
        this.value.get_mut()
    }
}

impl<T, F: FnOnce() -> T> LazyLock<T, F> {
    /// The value, which is made now if it was not made before, by a reference that excludes all others.
    #[track_caller]
    pub fn force_mut(this: &mut LazyLock<T, F>) -> &mut T {
        LazyLock::force(this);
        this.value.get_mut().expect("it was made")
    }
}

impl<T: Default> Default for LazyLock<T> {
    #[track_caller]
    fn default() -> LazyLock<T> {
        LazyLock::new(T::default)
    }
}

impl<T, F: FnOnce() -> T> Deref for LazyLock<T, F> {
    type Target = T;
    #[track_caller]
    #[inline]
    fn deref(&self) -> &T {
        LazyLock::force(self)
    }
}

impl<T: fmt::Debug, F> fmt::Debug for LazyLock<T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("LazyLock").field(&self.value.inner.get()).finish()
    }
}

impl crate::thread::Uses for Once {
    fn declared(&self) -> crate::thread::Declared {
        self.place().declared()
    }
}

impl<T> crate::thread::Uses for OnceLock<T> {
    fn declared(&self) -> crate::thread::Declared {
        self.place(self, true).declared()
    }
}

impl<T, F> crate::thread::Uses for LazyLock<T, F> {
    fn declared(&self) -> crate::thread::Declared {
        self.value.place(self, false).declared()
    }
}
