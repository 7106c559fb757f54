//! What std's `Arc` does with pointers: the only `unsafe` code of this folder.
//!
//! [`Arc`] and [`Weak`] are std's with other destructors. A pointer that `into_raw` gives is that of std's, and the promises that
//! callers of the `unsafe` functions make are the ones that std asks for.
#![allow(unsafe_code)]

use super::{Arc, Weak};
use std::mem::{ManuallyDrop, MaybeUninit};
use std::pin::Pin;
use std::ptr;
use std::sync;

/// std's `Arc`, without telling the search.
pub(super) fn std_arc<T: ?Sized>(this: Arc<T>) -> sync::Arc<T> {
    let this = ManuallyDrop::new(this);
    // SAFETY: `this` is neither used nor dropped any more, so this moves out of it.
    unsafe { ptr::read(&raw const this.inner) }
}

/// The same for a weak reference.
fn std_weak<T: ?Sized>(this: Weak<T>) -> sync::Weak<T> {
    let this = ManuallyDrop::new(this);
    // SAFETY: as above.
    unsafe { ptr::read(&raw const this.inner) }
}

/// std's weak reference as ours.
pub(super) fn as_weak<T>(weak: &sync::Weak<T>) -> &Weak<T> {
    // SAFETY: the type is transparent, and a reference drops nothing.
    unsafe { &*ptr::from_ref(weak).cast() }
}

impl<T> Arc<T> {
    /// Makes a value shared, which then stays where it is.
    #[track_caller]
    pub fn pin(value: T) -> Pin<Arc<T>> {
        // SAFETY: the value is on the heap, and does not move when the `Arc` does.
        unsafe { Pin::new_unchecked(Arc::new(value)) }
    }

    /// Makes room for a shared value.
    #[track_caller]
    pub fn new_uninit() -> Arc<MaybeUninit<T>> {
        Arc::new(MaybeUninit::uninit())
    }
}

impl<T> Arc<MaybeUninit<T>> {
    /// The value, which was initialised.
    ///
    /// # Safety
    /// It was.
    #[track_caller]
    pub unsafe fn assume_init(self) -> Arc<T> {
        // SAFETY: the caller says so.
        Arc {
            inner: unsafe { std_arc(self).assume_init() },
        }
    }
}

impl<T> Arc<[MaybeUninit<T>]> {
    /// The values, which were initialised.
    ///
    /// # Safety
    /// All of them were.
    #[track_caller]
    pub unsafe fn assume_init(self) -> Arc<[T]> {
        // SAFETY: the caller says so.
        Arc {
            inner: unsafe { std_arc(self).assume_init() },
        }
    }
}

impl<T: ?Sized> Arc<T> {
    /// A pointer to the value, which keeps its owner.
    #[must_use = "losing the pointer leaks the value"]
    pub fn into_raw(this: Arc<T>) -> *const T {
        sync::Arc::into_raw(std_arc(this))
    }

    /// The owner that [`Arc::into_raw`] has made a pointer.
    ///
    /// # Safety
    /// As for `std::sync::Arc::from_raw`.
    pub unsafe fn from_raw(pointer: *const T) -> Arc<T> {
        // SAFETY: the caller says so.
        Arc {
            inner: unsafe { sync::Arc::from_raw(pointer) },
        }
    }

    /// Adds an owner.
    ///
    /// # Safety
    /// As for `std::sync::Arc::increment_strong_count`.
    #[track_caller]
    pub unsafe fn increment_strong_count(pointer: *const T) {
        // SAFETY: the caller says so. The owner behind the pointer is only looked at.
        let this = ManuallyDrop::new(unsafe { Arc::from_raw(pointer) });
        std::mem::forget(Arc::clone(&this));
    }

    /// Removes an owner.
    ///
    /// # Safety
    /// As for `std::sync::Arc::decrement_strong_count`.
    #[track_caller]
    pub unsafe fn decrement_strong_count(pointer: *const T) {
        // SAFETY: the caller says so.
        drop(unsafe { Arc::from_raw(pointer) });
    }
}

impl<T: ?Sized> Weak<T> {
    /// A pointer to the value, which keeps the reference.
    #[must_use = "losing the pointer leaks the room of the value"]
    pub fn into_raw(self) -> *const T {
        std_weak(self).into_raw()
    }

    /// The reference that [`Weak::into_raw`] has made a pointer.
    ///
    /// # Safety
    /// As for `std::sync::Weak::from_raw`.
    pub unsafe fn from_raw(pointer: *const T) -> Weak<T>
    where
        T: Sized,
    {
        // SAFETY: the caller says so.
        Weak {
            inner: unsafe { sync::Weak::from_raw(pointer) },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{address, weak_address};
    use super::*;

    #[test]
    fn the_sizes_are_those_of_std() {
        assert_eq!(size_of::<Arc<u8>>(), size_of::<sync::Arc<u8>>());
        assert_eq!(size_of::<Option<Weak<str>>>(), size_of::<Option<sync::Weak<str>>>());
    }

    #[test]
    fn pointers_are_those_of_std() {
        let weak = Arc::downgrade(&Arc::new(7));
        assert!(as_weak(&weak.inner).upgrade().is_none());
        let arc = Arc::new(7);
        let here = address(&arc.inner);
        assert_eq!(weak_address(&sync::Arc::downgrade(&arc.inner)), Some(here));
        let pointer = Arc::into_raw(arc);
        // SAFETY: the pointer owns the value.
        let again = unsafe {
            Arc::increment_strong_count(pointer);
            Arc::decrement_strong_count(pointer);
            Arc::from_raw(pointer)
        };
        assert_eq!((*again, Arc::strong_count(&again)), (7, 1));
    }
}
