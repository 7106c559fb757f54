//! Memory that must not leak, as in loom's `alloc`.
#![allow(unsafe_code)]

use crate::runtime;
use crate::sync::Arc;
use std::panic::Location;

pub use std::alloc::Layout;

/// Allocates, as `std::alloc::alloc`. In a check, memory that is not given back is reported as a leak.
///
/// # Safety
/// As for `std::alloc::alloc`.
#[track_caller]
pub unsafe fn alloc(layout: Layout) -> *mut u8 {
    // SAFETY: the caller says so.
    tracked(unsafe { std::alloc::alloc(layout) }, Location::caller())
}

/// The same, filled with zeros.
///
/// # Safety
/// As for `std::alloc::alloc_zeroed`.
#[track_caller]
pub unsafe fn alloc_zeroed(layout: Layout) -> *mut u8 {
    // SAFETY: the caller says so.
    tracked(unsafe { std::alloc::alloc_zeroed(layout) }, Location::caller())
}

fn tracked(pointer: *mut u8, at: &'static Location<'static>) -> *mut u8 {
    if let Some(rt) = runtime::current() {
        rt.owned.borrow_mut().make(rt.thread(), pointer.addr(), "memory", at);
    }
    pointer
}

/// Gives memory back, as `std::alloc::dealloc`.
///
/// # Panics
/// In a check, if [`alloc`] has not allocated it in this execution, or if it was given back before.
///
/// # Safety
/// As for `std::alloc::dealloc`.
#[track_caller]
pub unsafe fn dealloc(pointer: *mut u8, layout: Layout) {
    if let Some(rt) = runtime::current().filter(|rt| !rt.abandoning()) {
        let known = rt.owned.borrow_mut().end(pointer.addr());
        assert!(
            known,
            "memory is given back that was not allocated, or was given back before"
        );
    }
    // SAFETY: the caller says so.
    unsafe { std::alloc::dealloc(pointer, layout) };
}

/// A value that is reported as a leak if it is alive at the end of a check.
///
/// ```
/// use mazurka::{Checker, ViolationKind, alloc::Track};
///
/// let report = Checker::new().run(|| std::mem::forget(Track::new(7)));
/// assert_eq!(report.violations[0].kind, ViolationKind::Leak);
/// ```
#[derive(Debug)]
pub struct Track<T> {
    value: T,
    _alive: Arc<()>,
}

impl<T> Track<T> {
    /// Tracks a value.
    #[track_caller]
    pub fn new(value: T) -> Track<T> {
        Track {
            value,
            _alive: Arc::new(()),
        }
    }

    /// The value.
    pub fn get_ref(&self) -> &T {
        &self.value
    }

    /// The value.
    pub fn get_mut(&mut self) -> &mut T {
        &mut self.value
    }

    /// The value, which is tracked no longer.
    pub fn into_inner(self) -> T {
        self.value
    }
}
