//! Shared ownership that is checked for leaks.

use crate::execution::object::State;
use crate::ids::Handle;
use crate::operation::Kind;
use crate::runtime;
use std::fmt;
use std::ops::Deref;
use std::panic::Location;
use std::sync;

/// Shared ownership, as `std::sync::Arc`.
///
/// One that is made in a check and is alive when all threads have ended is reported as a leak. If a program counts owners
/// (`strong_count`, `try_unwrap`, `get_mut`, `upgrade`), cloning and dropping are steps of their own. Who is the last owner, and drops the
/// value, is not explored. std's `Arc` works in checks as well, where the search notices none of this.
pub struct Arc<T> {
    /// None when it was taken out.
    inner: Option<sync::Arc<Tracked<T>>>,
    owners: sync::Arc<Handle>,
}

/// A reference that does not keep the value alive.
pub struct Weak<T> {
    inner: sync::Weak<Tracked<T>>,
    /// None if it never referred to anything.
    owners: Option<sync::Arc<Handle>>,
}

struct Tracked<T> {
    value: T,
    _witness: Witness,
}

/// Somebody becomes an owner or ceases to be one.
#[track_caller]
fn own(owners: &Handle) {
    if let Some(rt) = runtime::current().filter(|rt| !rt.abandoning())
        && rt.releases_are_visible()
    {
        rt.visible(Kind::Own, rt.object(owners, || State::Owners), 0);
    }
}

/// Somebody counts.
#[track_caller]
fn count(owners: &Handle) {
    if let Some(rt) = runtime::current().filter(|rt| !rt.abandoning()) {
        rt.visible(Kind::Count, rt.object(owners, || State::Owners), 0);
    }
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
    /// Shares a value.
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

    /// How many there are.
    #[track_caller]
    pub fn strong_count(this: &Arc<T>) -> usize {
        count(&this.owners);
        sync::Arc::strong_count(this.inner())
    }

    /// How many weak references there are.
    #[track_caller]
    pub fn weak_count(this: &Arc<T>) -> usize {
        count(&this.owners);
        sync::Arc::weak_count(this.inner())
    }

    /// A reference that does not keep the value alive.
    #[track_caller]
    pub fn downgrade(this: &Arc<T>) -> Weak<T> {
        own(&this.owners);
        Weak {
            inner: sync::Arc::downgrade(this.inner()),
            owners: Some(sync::Arc::clone(&this.owners)),
        }
    }

    /// The value, if this is the only one.
    #[track_caller]
    pub fn get_mut(this: &mut Arc<T>) -> Option<&mut T> {
        count(&this.owners);
        let inner = this.inner.as_mut().expect("it was not taken out");
        sync::Arc::get_mut(inner).map(|tracked| &mut tracked.value)
    }

    /// Takes the value out, if this is the only one.
    #[track_caller]
    pub fn try_unwrap(mut this: Arc<T>) -> Result<T, Arc<T>> {
        count(&this.owners);
        let inner = this.inner.take().expect("it was not taken out");
        match sync::Arc::try_unwrap(inner) {
            Ok(tracked) => Ok(tracked.value),
            Err(inner) => {
                this.inner = Some(inner);
                Err(this)
            }
        }
    }

    /// Takes the value out of the last one; of several threads that do this, one gets it.
    #[track_caller]
    pub fn into_inner(mut this: Arc<T>) -> Option<T> {
        count(&this.owners);
        sync::Arc::into_inner(this.inner.take()?).map(|tracked| tracked.value)
    }
}

impl<T> Clone for Arc<T> {
    #[track_caller]
    fn clone(&self) -> Arc<T> {
        own(&self.owners);
        Arc {
            inner: self.inner.clone(),
            owners: sync::Arc::clone(&self.owners),
        }
    }
}

impl<T> Drop for Arc<T> {
    #[track_caller]
    fn drop(&mut self) {
        if self.inner.is_some() {
            own(&self.owners);
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
    /// Refers to nothing.
    pub const fn new() -> Weak<T> {
        Weak {
            inner: sync::Weak::new(),
            owners: None,
        }
    }

    /// The value, if it is alive.
    #[track_caller]
    pub fn upgrade(&self) -> Option<Arc<T>> {
        let owners = self.owners.as_ref()?;
        count(owners);
        Some(Arc {
            inner: Some(self.inner.upgrade()?),
            owners: sync::Arc::clone(owners),
        })
    }
}

impl<T> Clone for Weak<T> {
    #[track_caller]
    fn clone(&self) -> Weak<T> {
        if let Some(owners) = &self.owners {
            own(owners);
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
            own(owners);
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
