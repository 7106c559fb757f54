//! Shared ownership that is checked for leaks.

mod convert;
mod count;
mod owned;
pub(super) mod owners;
mod raw;

pub(crate) use owned::Owned;

use crate::runtime;
use count::{Counter, count, disown, made, own, taken};
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
/// It is as small as std's. Two things are not possible for a type outside std: to become an `Arc<dyn Trait>` by itself (write
/// `Arc::from_std(std::sync::Arc::new(value))`), and to be the type of `self`.
///
/// ```
/// use mazurka::{Checker, ViolationKind, sync::Arc};
///
/// let report = Checker::new().run(|| std::mem::forget(Arc::new(7)));
/// assert_eq!(report.violations[0].kind, ViolationKind::Leak);
/// ```
#[repr(transparent)]
pub struct Arc<T: ?Sized> {
    inner: sync::Arc<T>,
}

/// A reference that does not keep the value alive, as `std::sync::Weak`.
#[repr(transparent)]
pub struct Weak<T: ?Sized> {
    inner: sync::Weak<T>,
}

/// What a value with shared owners is for people.
const VALUE: &str = "an Arc";

/// Identifies a value as long as somebody refers to it.
#[inline]
fn address<T: ?Sized>(inner: &sync::Arc<T>) -> usize {
    sync::Arc::as_ptr(inner).addr()
}

/// The same; none if the reference never referred to anything.
#[inline]
fn weak_address<T: ?Sized>(inner: &sync::Weak<T>) -> Option<usize> {
    let address = inner.as_ptr().addr();
    (address != usize::MAX).then_some(address)
}

impl<T> Arc<T> {
    /// Makes a value shared.
    #[track_caller]
    #[inline]
    pub fn new(value: T) -> Arc<T> {
        Arc::from_std(sync::Arc::new(value))
    }

    /// Makes a shared value that has weak references to itself.
    #[track_caller]
    pub fn new_cyclic(value: impl FnOnce(&Weak<T>) -> T) -> Arc<T> {
        let at = Location::caller();
        let inner = sync::Arc::new_cyclic(|weak| {
            if let Some(address) = weak_address(weak) {
                made(address, at);
            }
            value(raw::as_weak(weak))
        });
        Arc { inner }
    }

    /// Takes the value out, if this is the only owner.
    #[track_caller]
    pub fn try_unwrap(this: Arc<T>) -> Result<T, Arc<T>> {
        let address = address(&this.inner);
        let result = count(address, || match sync::Arc::try_unwrap(raw::std_arc(this)) {
            Ok(value) => (Ok(value), Counter::Settle),
            Err(inner) => (Err(Arc { inner }), Counter::Relaxed),
        });
        if result.is_ok() {
            taken(address);
        }
        result
    }

    /// Takes the value out of the last owner. If several threads do this, one of them gets it.
    #[track_caller]
    pub fn into_inner(this: Arc<T>) -> Option<T> {
        let address = address(&this.inner);
        let value = count(address, || {
            let value = sync::Arc::into_inner(raw::std_arc(this));
            let last = value.is_some();
            (value, Counter::Leave(last))
        });
        if value.is_some() {
            taken(address);
        }
        value
    }

    /// Takes the value out if this is the only owner, and otherwise clones it.
    #[track_caller]
    pub fn unwrap_or_clone(this: Arc<T>) -> T
    where
        T: Clone,
    {
        Arc::try_unwrap(this).unwrap_or_else(|this| T::clone(&this))
    }

    /// The value, which is cloned first if there are other owners.
    #[track_caller]
    pub fn make_mut(this: &mut Arc<T>) -> &mut T
    where
        T: Clone,
    {
        let alone = count(address(&this.inner), || {
            let alone = sync::Arc::strong_count(&this.inner) == 1;
            (alone, if alone { Counter::Settle } else { Counter::Relaxed })
        });
        if !alone {
            *this = Arc::new(T::clone(this));
        } else if sync::Arc::get_mut(&mut this.inner).is_none() {
            // It moves away from the weak references.
            let before = address(&this.inner);
            sync::Arc::make_mut(&mut this.inner);
            taken(before);
            if runtime::possible() {
                made(address(&this.inner), Location::caller());
            }
        }
        sync::Arc::make_mut(&mut this.inner)
    }
}

impl<T> Arc<[T]> {
    /// Makes room for shared values.
    #[track_caller]
    pub fn new_uninit_slice(len: usize) -> Arc<[std::mem::MaybeUninit<T>]> {
        Arc::from_std(sync::Arc::new_uninit_slice(len))
    }
}

impl<T: ?Sized> Arc<T> {
    /// Makes a value of std's `Arc` one of ours, which has this owner only.
    #[track_caller]
    #[inline]
    pub fn from_std(inner: sync::Arc<T>) -> Arc<T> {
        if runtime::possible() {
            made(address(&inner), Location::caller());
        }
        Arc { inner }
    }

    /// True if both are the same value.
    pub fn ptr_eq(this: &Arc<T>, other: &Arc<T>) -> bool {
        sync::Arc::ptr_eq(&this.inner, &other.inner)
    }

    /// A pointer to the value.
    pub fn as_ptr(this: &Arc<T>) -> *const T {
        sync::Arc::as_ptr(&this.inner)
    }

    /// The number of owners.
    #[track_caller]
    pub fn strong_count(this: &Arc<T>) -> usize {
        count(address(&this.inner), || {
            (sync::Arc::strong_count(&this.inner), Counter::Relaxed)
        })
    }

    /// The number of weak references.
    #[track_caller]
    pub fn weak_count(this: &Arc<T>) -> usize {
        count(address(&this.inner), || {
            (sync::Arc::weak_count(&this.inner), Counter::Nothing)
        })
    }

    /// A reference that does not keep the value alive.
    #[track_caller]
    pub fn downgrade(this: &Arc<T>) -> Weak<T> {
        if runtime::possible() {
            own(address(&this.inner), &Counter::Nothing);
        }
        Weak {
            inner: sync::Arc::downgrade(&this.inner),
        }
    }

    /// The value, if this is the only reference.
    #[track_caller]
    pub fn get_mut(this: &mut Arc<T>) -> Option<&mut T> {
        count(address(&this.inner), || match sync::Arc::get_mut(&mut this.inner) {
            Some(value) => (Some(value), Counter::SettleAll),
            None => (None, Counter::Relaxed),
        })
    }
}

impl<T: ?Sized> Clone for Arc<T> {
    #[track_caller]
    #[inline]
    fn clone(&self) -> Arc<T> {
        if runtime::possible() {
            own(address(&self.inner), &Counter::Join);
        }
        Arc {
            inner: sync::Arc::clone(&self.inner),
        }
    }
}

impl<T: ?Sized> Drop for Arc<T> {
    #[track_caller]
    #[inline]
    fn drop(&mut self) {
        if runtime::possible() {
            disown::<T>(address(&self.inner), || sync::Arc::strong_count(&self.inner) - 1);
        }
    }
}

impl<T: ?Sized> Deref for Arc<T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        &self.inner
    }
}

impl<T> Weak<T> {
    /// Makes a reference to nothing.
    pub const fn new() -> Weak<T> {
        Weak {
            inner: sync::Weak::new(),
        }
    }
}

impl<T: ?Sized> Weak<T> {
    /// The value as an owner, if it is alive.
    #[track_caller]
    pub fn upgrade(&self) -> Option<Arc<T>> {
        let inner = count(weak_address(&self.inner)?, || match self.inner.upgrade() {
            Some(inner) => (Some(inner), Counter::Settle),
            None => (None, Counter::Relaxed),
        });
        inner.map(|inner| Arc { inner })
    }

    /// The number of owners.
    #[track_caller]
    pub fn strong_count(&self) -> usize {
        weak_address(&self.inner).map_or(0, |address| {
            count(address, || (self.inner.strong_count(), Counter::Relaxed))
        })
    }

    /// The number of weak references, or 0 if there is no owner.
    #[track_caller]
    pub fn weak_count(&self) -> usize {
        weak_address(&self.inner).map_or(0, |address| {
            count(address, || (self.inner.weak_count(), Counter::Nothing))
        })
    }

    /// True if both refer to the same value, or to nothing.
    pub fn ptr_eq(&self, other: &Weak<T>) -> bool {
        self.inner.ptr_eq(&other.inner)
    }

    /// A pointer to the value, which is valid while there are owners.
    pub fn as_ptr(&self) -> *const T {
        self.inner.as_ptr()
    }
}

impl<T: ?Sized> Clone for Weak<T> {
    #[track_caller]
    #[inline]
    fn clone(&self) -> Weak<T> {
        self.told(&Counter::Nothing);
        Weak {
            inner: self.inner.clone(),
        }
    }
}

impl<T: ?Sized> Drop for Weak<T> {
    #[track_caller]
    #[inline]
    fn drop(&mut self) {
        self.told(&Counter::LeaveWeak);
    }
}

impl<T: ?Sized> Weak<T> {
    /// Tells the search of another weak reference, or of the end of one.
    #[track_caller]
    #[inline]
    fn told(&self, counter: &Counter) {
        if runtime::possible()
            && let Some(address) = weak_address(&self.inner)
        {
            own(address, counter);
        }
    }
}
