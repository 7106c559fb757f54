//! Shared ownership that is checked for leaks.

use crate::runtime;
use std::fmt;
use std::ops::Deref;
use std::panic::Location;
use std::sync;

/// Shared ownership, as `std::sync::Arc`.
///
/// One that is made in a check and is alive when all threads have ended is reported as a leak. The counts are not
/// objects of the search: dropping is not a step of its own. std's `Arc` works in checks as well.
pub struct Arc<T> {
    inner: sync::Arc<Tracked<T>>,
}

/// A reference that does not keep the value alive.
pub struct Weak<T> {
    inner: sync::Weak<Tracked<T>>,
}

struct Tracked<T> {
    value: T,
    witness: Witness,
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
            inner: sync::Arc::new(Tracked { value, witness }),
        }
    }

    /// True if both are the same value.
    pub fn ptr_eq(this: &Arc<T>, other: &Arc<T>) -> bool {
        sync::Arc::ptr_eq(&this.inner, &other.inner)
    }

    /// How many there are.
    pub fn strong_count(this: &Arc<T>) -> usize {
        sync::Arc::strong_count(&this.inner)
    }

    /// How many weak references there are.
    pub fn weak_count(this: &Arc<T>) -> usize {
        sync::Arc::weak_count(&this.inner)
    }

    /// A reference that does not keep the value alive.
    pub fn downgrade(this: &Arc<T>) -> Weak<T> {
        Weak {
            inner: sync::Arc::downgrade(&this.inner),
        }
    }

    /// The value, if this is the only one.
    pub fn get_mut(this: &mut Arc<T>) -> Option<&mut T> {
        sync::Arc::get_mut(&mut this.inner).map(|tracked| &mut tracked.value)
    }

    /// Takes the value out, if this is the only one.
    pub fn try_unwrap(this: Arc<T>) -> Result<T, Arc<T>> {
        match sync::Arc::try_unwrap(this.inner) {
            Ok(tracked) => {
                let Tracked { value, witness } = tracked;
                drop(witness);
                Ok(value)
            }
            Err(inner) => Err(Arc { inner }),
        }
    }

    /// Takes the value out, if this is the only one.
    pub fn into_inner(this: Arc<T>) -> Option<T> {
        Arc::try_unwrap(this).ok()
    }
}

impl<T> Clone for Arc<T> {
    fn clone(&self) -> Arc<T> {
        Arc {
            inner: sync::Arc::clone(&self.inner),
        }
    }
}

impl<T> Deref for Arc<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.inner.value
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
        }
    }

    /// The value, if it is alive.
    pub fn upgrade(&self) -> Option<Arc<T>> {
        self.inner.upgrade().map(|inner| Arc { inner })
    }
}

impl<T> Clone for Weak<T> {
    fn clone(&self) -> Weak<T> {
        Weak {
            inner: self.inner.clone(),
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
