//! Cells whose accesses are checked for data races and for the locking discipline.
//!
//! They are for unsafe code. A data structure that shares an [`UnsafeCell`] between threads relies on some
//! accesses being exclusive, and a check tells whether they are, in every interleaving. Outside a check they
//! are std's.

use crate::detect::Breach;
use crate::execution::Execution;
use crate::handle::Handle;
use crate::ids::ObjectId;
use crate::report::ViolationKind;
use crate::runtime::{self, Runtime};
use crate::sync::atomic::register;
use std::fmt;
use std::panic::Location;

/// A cell for unsafe code, as `std::cell::UnsafeCell`, whose accesses are tracked.
///
/// ```
/// use mazurka::{Checker, ViolationKind, cell::UnsafeCell, thread};
/// use std::sync::Arc;
///
/// struct Unprotected(UnsafeCell<u32>);
/// // SAFETY: the pointers are never dereferenced.
/// unsafe impl Sync for Unprotected {}
///
/// let report = Checker::new().run(|| {
///     let cell = Arc::new(Unprotected(UnsafeCell::new(0)));
///     let other = Arc::clone(&cell);
///     thread::spawn(move || other.0.with_mut(|_| ()));
///     cell.0.with(|_| ());
/// });
/// assert_eq!(report.violations[0].kind, ViolationKind::DataRace);
/// ```
pub struct UnsafeCell<T: ?Sized> {
    handle: Handle,
    inner: std::cell::UnsafeCell<T>,
}

impl<T> UnsafeCell<T> {
    /// Makes a cell with this value.
    #[track_caller]
    pub const fn new(value: T) -> UnsafeCell<T> {
        UnsafeCell {
            handle: Handle::new(),
            inner: std::cell::UnsafeCell::new(value),
        }
    }

    /// The value.
    pub fn into_inner(self) -> T {
        self.inner.into_inner()
    }
}

impl<T: ?Sized> UnsafeCell<T> {
    pub(crate) fn object(&self, rt: &Runtime) -> ObjectId {
        let plain = || !std::mem::needs_drop::<T>();
        rt.object_of(self, plain, &self.handle, || register::State)
    }

    fn access(&self, write: bool, at: &'static Location<'static>) {
        if let Some(rt) = runtime::current() {
            let object = self.object(&rt);
            access(&rt, object, write, at);
        }
    }

    /// Calls `f` with a pointer to read through.
    #[track_caller]
    pub fn with<R>(&self, f: impl FnOnce(*const T) -> R) -> R {
        self.access(false, Location::caller());
        f(self.inner.get())
    }

    /// Calls `f` with a pointer to write through.
    #[track_caller]
    pub fn with_mut<R>(&self, f: impl FnOnce(*mut T) -> R) -> R {
        self.access(true, Location::caller());
        f(self.inner.get())
    }

    /// Returns a pointer to the value. The call counts as a write; accesses through the pointer later are not seen, so
    /// [`UnsafeCell::with`] and [`UnsafeCell::with_mut`] are better.
    #[track_caller]
    pub fn get(&self) -> *mut T {
        self.access(true, Location::caller());
        self.inner.get()
    }

    /// The value, by a reference that excludes all others.
    pub fn get_mut(&mut self) -> &mut T {
        self.inner.get_mut()
    }

    /// Declares that the current thread initialises the cell, for [`Discipline::MldPrime`](crate::Discipline::MldPrime): its first
    /// access needs no lock.
    pub fn initialised_here(&self) {
        if let Some(rt) = runtime::current().filter(|rt| !rt.abandoning()) {
            let object = self.object(&rt);
            let mut execution = rt.execution.borrow_mut();
            let id = execution.current;
            execution.detectors.initialises(id, object);
        }
    }
}

/// The current thread accesses a tracked cell.
fn access(rt: &Runtime, cell: ObjectId, write: bool, at: &'static Location<'static>) {
    if rt.abandoning() {
        return;
    }
    if rt.execution.borrow().settings.visible_cells {
        rt.visible_at(register::Op::access(write), cell, at);
        let mut execution = rt.execution.borrow_mut();
        let id = execution.current;
        // It is an access, and no operation that ends an initialisation.
        let steps = &mut execution.threads[id.index()].steps;
        *steps = steps.saturating_sub(1);
    }
    let breach = {
        let mut execution = rt.execution.borrow_mut();
        execution.accesses_cell(cell, write);
        if write {
            execution.disturbs();
            execution.changed_survivor |= execution.survivors.contains(&cell);
        }
        let Execution {
            threads,
            detectors,
            current,
            ..
        } = &mut *execution;
        let held = threads[current.index()].held.iter().map(|h| (h.object, h.reader));
        let steps = threads[current.index()].steps;
        detectors.access((*current, steps), cell, write, at, held)
    };
    match breach {
        Some(Breach::Race(message)) => rt.report(ViolationKind::DataRace, message),
        Some(Breach::Discipline(message)) => rt.report(ViolationKind::LockingDiscipline, message),
        None => {}
    }
}

crate::thread::uses!([T: ?Sized] UnsafeCell<T>);

impl<T: Default> Default for UnsafeCell<T> {
    #[track_caller]
    fn default() -> UnsafeCell<T> {
        UnsafeCell::new(T::default())
    }
}

impl<T: ?Sized> fmt::Debug for UnsafeCell<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UnsafeCell").finish_non_exhaustive()
    }
}

/// A cell for values that are copied in and out, as `std::cell::Cell`, whose accesses are tracked.
///
/// It is not `Sync`, as std's is not; a type that shares it must implement `Sync` itself.
pub struct Cell<T> {
    tracked: UnsafeCell<()>,
    inner: std::cell::Cell<T>,
}

impl<T> Cell<T> {
    /// Makes a cell with this value.
    #[track_caller]
    pub const fn new(value: T) -> Cell<T> {
        Cell {
            tracked: UnsafeCell::new(()),
            inner: std::cell::Cell::new(value),
        }
    }

    /// Writes the value.
    #[track_caller]
    pub fn set(&self, value: T) {
        self.tracked.with_mut(|_| self.inner.set(value));
    }

    /// Writes, and returns the old value.
    #[track_caller]
    pub fn replace(&self, value: T) -> T {
        self.tracked.with_mut(|_| self.inner.replace(value))
    }

    /// Reads the value.
    #[track_caller]
    pub fn get(&self) -> T
    where
        T: Copy,
    {
        self.tracked.with(|_| self.inner.get())
    }

    /// Takes the value out and leaves the default.
    #[track_caller]
    pub fn take(&self) -> T
    where
        T: Default,
    {
        self.replace(T::default())
    }

    /// The value, by a reference that excludes all others.
    pub fn get_mut(&mut self) -> &mut T {
        self.inner.get_mut()
    }

    /// The value.
    pub fn into_inner(self) -> T {
        self.inner.into_inner()
    }

    /// See [`UnsafeCell::initialised_here`].
    pub fn initialised_here(&self) {
        self.tracked.initialised_here();
    }
}

impl<T: Default> Default for Cell<T> {
    #[track_caller]
    fn default() -> Cell<T> {
        Cell::new(T::default())
    }
}

impl<T> fmt::Debug for Cell<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cell").finish_non_exhaustive()
    }
}

impl<T> crate::thread::Uses for Cell<T> {
    fn declared(&self) -> crate::thread::Declared {
        self.tracked.declared()
    }
}
