//! Hints, as in `std::hint`.
#![allow(unsafe_code)]

pub use std::hint::{assert_unchecked, black_box};

/// Tells that the thread spins. In a check it is the same as [`yield_now`](crate::thread::yield_now).
// Not inlined: its frame, which is part of the thread's local state, must be as it is here.
#[inline(never)]
#[track_caller]
pub fn spin_loop() {
    if crate::runtime::inside() {
        crate::runtime::yields(std::panic::Location::caller());
        crate::fiber::with_local_state(crate::runtime::comes_round);
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
