//! Hints, as in `std::hint`.
#![allow(unsafe_code)]

pub use std::hint::{assert_unchecked, black_box};

/// Tells that the thread spins. In a check it is the same as [`yield_now`](crate::thread::yield_now).
#[inline(always)]
#[track_caller]
pub fn spin_loop() {
    if crate::runtime::possible() {
        crate::fiber::watched!(spin_in_check());
    } else {
        std::hint::spin_loop();
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn spin_in_check() {
    if crate::runtime::inside() {
        crate::runtime::pauses(std::panic::Location::caller());
    } else {
        std::hint::spin_loop();
    }
}

/// Tells the compiler that this is never reached. In a check, it panics if it is.
///
/// # Safety
/// As for `std::hint::unreachable_unchecked`.
///
/// # Panics
/// In a check.
#[track_caller]
#[inline]
pub unsafe fn unreachable_unchecked() -> ! {
    if crate::runtime::inside() {
        unreachable!("unreachable_unchecked was reached");
    }
    // SAFETY: the caller says so.
    unsafe { std::hint::unreachable_unchecked() }
}
