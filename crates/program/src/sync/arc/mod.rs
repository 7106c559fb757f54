//! Shared ownership that is checked for leaks.

pub(super) mod owners;

use crate::detect::Access;
use crate::frozen::drops_silently;
use crate::ids::{Handle, ObjectId};
use crate::narrow::limit;
use crate::runtime::{self, Runtime};
use owners::{Op, State};
use std::fmt;
use std::mem::needs_drop;
use std::ops::Deref;
use std::panic::Location;
use std::sync;

/// Shared ownership, as `std::sync::Arc`.
///
/// An `Arc` that is made in a check and is alive when all threads have ended is reported as a leak. If a program counts owners
/// (`strong_count`, `try_unwrap`, `get_mut`, `upgrade`), cloning and dropping are steps of their own. The search tries every
/// owner that can be the last one and so drops the value, provided that the value has a destructor that may do something: any
/// but those of std's containers, of numbers, and of locks and atomics. std's `Arc` works in checks as well, but the search
/// notices none of this.
///
/// ```
/// use mazurka::{Checker, ViolationKind, sync::Arc};
///
/// let report = Checker::new().run(|| std::mem::forget(Arc::new(7)));
/// assert_eq!(report.violations[0].kind, ViolationKind::Leak);
/// ```
pub struct Arc<T> {
    /// None after it was taken out.
    inner: Option<sync::Arc<Tracked<T>>>,
    owners: sync::Arc<Handle>,
}

/// A reference that does not keep the value alive, as `std::sync::Weak`.
pub struct Weak<T> {
    inner: sync::Weak<Tracked<T>>,
    /// None if it never referred to anything.
    owners: Option<sync::Arc<Handle>>,
}

struct Tracked<T> {
    value: T,
    _witness: Witness,
}

/// What an operation does to the counter of owners, as in std, for the detection of data races.
enum Counter {
    /// Reads it.
    Relaxed,
    /// Adds an owner.
    Join,
    /// Removes an owner; true for the last one, which comes after all others.
    Leave(bool),
    /// Makes sure that there is no other owner, or that the value is alive.
    Settle,
    /// Makes sure that there is no weak reference, either.
    SettleAll,
    /// Removes a weak reference.
    LeaveWeak,
    /// Does something to weak references that others cannot tell.
    Nothing,
}

fn note(rt: &Runtime, object: ObjectId, counter: &Counter) {
    let mut execution = rt.execution.borrow_mut();
    let id = execution.current;
    let detectors = &mut execution.detectors;
    match *counter {
        Counter::Relaxed => detectors.atomic(id, object, Access::Read, false, false),
        Counter::Join => detectors.atomic(id, object, Access::Update, false, false),
        Counter::Leave(last) => detectors.atomic(id, object, Access::Update, last, true),
        Counter::Settle => detectors.atomic(id, object, Access::Update, true, false),
        Counter::SettleAll => {
            detectors.atomic(id, object, Access::Update, true, false);
            detectors.wrote_under(id, object);
        }
        Counter::LeaveWeak => detectors.released(id, object, true),
        Counter::Nothing => {}
    }
}

/// An owner is added, or a weak reference is added or removed.
#[track_caller]
fn own(owners: &Handle, counter: &Counter) {
    if let Some(rt) = runtime::current().filter(|rt| !rt.abandoning())
        && rt.releases_are_visible()
    {
        let object = rt.object(owners, || State);
        rt.visible(Op::Own, object, 0);
        note(&rt, object, counter);
    }
}

/// An owner is removed. `others` says how many remain when it happens.
#[track_caller]
fn disown<T>(owners: &Handle, others: impl FnOnce() -> usize) {
    let Some(rt) = runtime::current().filter(|rt| !rt.abandoning()) else {
        return;
    };
    let shows = needs_drop::<T>() && !drops_silently::<T>();
    if !shows && !rt.releases_are_visible() {
        return;
    }
    let object = rt.object(owners, || State);
    rt.visible(if shows { Op::Disown } else { Op::Own }, object, 0);
    let others = others();
    if shows && !std::thread::panicking() {
        rt.execution.borrow_mut().refine(Op::Disown, limit(others));
    }
    // The other order is explored only if the destructor may show it. Otherwise no thread learns that it was the last owner.
    note(&rt, object, &Counter::Leave(shows && others == 0));
}

/// Performs `f`, which counts owners and returns what that means to the counter.
#[track_caller]
fn count<R>(owners: &Handle, f: impl FnOnce() -> (R, Counter)) -> R {
    let Some(rt) = runtime::current().filter(|rt| !rt.abandoning()) else {
        return f().0;
    };
    let object = rt.object(owners, || State);
    rt.visible(Op::Count, object, 0);
    let (result, counter) = f();
    note(&rt, object, &counter);
    result
}

/// Alive as long as the value.
struct Witness(Option<&'static Location<'static>>);

impl Drop for Witness {
    fn drop(&mut self) {
        if let (Some(made), Some(rt)) = (self.0, runtime::current()) {
            let mut alive = rt.alive.borrow_mut();
            if let Some(position) = alive.iter().position(|m| *m == made) {
                alive.remove(position);
            }
        }
    }
}

impl<T> Arc<T> {
    /// Makes a value shared.
    #[track_caller]
    pub fn new(value: T) -> Arc<T> {
        let made = Location::caller();
        let witness = Witness(runtime::current().map(|rt| {
            rt.alive.borrow_mut().push(made);
            made
        }));
        Arc {
            inner: Some(sync::Arc::new(Tracked {
                value,
                _witness: witness,
            })),
            owners: sync::Arc::new(Handle::new()),
        }
    }

    fn inner(&self) -> &sync::Arc<Tracked<T>> {
        self.inner.as_ref().expect("it was not taken out")
    }

    /// True if both are the same value.
    pub fn ptr_eq(this: &Arc<T>, other: &Arc<T>) -> bool {
        sync::Arc::ptr_eq(this.inner(), other.inner())
    }

    /// The number of owners.
    #[track_caller]
    pub fn strong_count(this: &Arc<T>) -> usize {
        count(&this.owners, || {
            (sync::Arc::strong_count(this.inner()), Counter::Relaxed)
        })
    }

    /// The number of weak references.
    #[track_caller]
    pub fn weak_count(this: &Arc<T>) -> usize {
        count(&this.owners, || (sync::Arc::weak_count(this.inner()), Counter::Nothing))
    }

    /// A reference that does not keep the value alive.
    #[track_caller]
    pub fn downgrade(this: &Arc<T>) -> Weak<T> {
        own(&this.owners, &Counter::Nothing);
        Weak {
            inner: sync::Arc::downgrade(this.inner()),
            owners: Some(sync::Arc::clone(&this.owners)),
        }
    }

    /// The value, if this is the only reference.
    #[track_caller]
    pub fn get_mut(this: &mut Arc<T>) -> Option<&mut T> {
        let inner = this.inner.as_mut().expect("it was not taken out");
        let value = count(&this.owners, || match sync::Arc::get_mut(inner) {
            Some(tracked) => (Some(tracked), Counter::SettleAll),
            None => (None, Counter::Relaxed),
        });
        value.map(|tracked| &mut tracked.value)
    }

    /// Takes the value out, if this is the only owner.
    #[track_caller]
    pub fn try_unwrap(mut this: Arc<T>) -> Result<T, Arc<T>> {
        let inner = &mut this.inner;
        let result = count(&this.owners, || {
            let result = sync::Arc::try_unwrap(inner.take().expect("it was not taken out"));
            let counter = match &result {
                Ok(_) => Counter::Settle,
                Err(_) => Counter::Relaxed,
            };
            (result, counter)
        });
        match result {
            Ok(tracked) => Ok(tracked.value),
            Err(inner) => {
                this.inner = Some(inner);
                Err(this)
            }
        }
    }

    /// Takes the value out of the last owner. If several threads do this, one of them gets it.
    #[track_caller]
    pub fn into_inner(mut this: Arc<T>) -> Option<T> {
        let inner = &mut this.inner;
        let tracked = count(&this.owners, || {
            let tracked = inner.take().and_then(sync::Arc::into_inner);
            let last = tracked.is_some();
            (tracked, Counter::Leave(last))
        });
        tracked.map(|tracked| tracked.value)
    }
}

impl<T> Clone for Arc<T> {
    #[track_caller]
    fn clone(&self) -> Arc<T> {
        own(&self.owners, &Counter::Join);
        Arc {
            inner: self.inner.clone(),
            owners: sync::Arc::clone(&self.owners),
        }
    }
}

impl<T> Drop for Arc<T> {
    #[track_caller]
    fn drop(&mut self) {
        if let Some(inner) = &self.inner {
            disown::<T>(&self.owners, || sync::Arc::strong_count(inner) - 1);
        }
    }
}

impl<T> Deref for Arc<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.inner().value
    }
}

impl<T> AsRef<T> for Arc<T> {
    fn as_ref(&self) -> &T {
        self
    }
}

impl<T: fmt::Debug> fmt::Debug for Arc<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: Default> Default for Arc<T> {
    #[track_caller]
    fn default() -> Arc<T> {
        Arc::new(T::default())
    }
}

impl<T> From<T> for Arc<T> {
    #[track_caller]
    fn from(value: T) -> Arc<T> {
        Arc::new(value)
    }
}

impl<T> Weak<T> {
    /// Makes a reference to nothing.
    pub const fn new() -> Weak<T> {
        Weak {
            inner: sync::Weak::new(),
            owners: None,
        }
    }

    /// The value as an owner, if it is alive.
    #[track_caller]
    pub fn upgrade(&self) -> Option<Arc<T>> {
        let owners = self.owners.as_ref()?;
        let inner = count(owners, || match self.inner.upgrade() {
            Some(inner) => (Some(inner), Counter::Settle),
            None => (None, Counter::Relaxed),
        });
        Some(Arc {
            inner: Some(inner?),
            owners: sync::Arc::clone(owners),
        })
    }
}

impl<T> Clone for Weak<T> {
    #[track_caller]
    fn clone(&self) -> Weak<T> {
        if let Some(owners) = &self.owners {
            own(owners, &Counter::Nothing);
        }
        Weak {
            inner: self.inner.clone(),
            owners: self.owners.clone(),
        }
    }
}

impl<T> Drop for Weak<T> {
    #[track_caller]
    fn drop(&mut self) {
        if let Some(owners) = &self.owners {
            own(owners, &Counter::LeaveWeak);
        }
    }
}

impl<T> Default for Weak<T> {
    fn default() -> Weak<T> {
        Weak::new()
    }
}

impl<T> fmt::Debug for Weak<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(Weak)")
    }
}
