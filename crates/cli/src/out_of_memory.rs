//! Treats a failed allocation as a limit that was reached.
//!
//! The standard library aborts the process when the system gives no memory, and all verdicts are lost. Here the
//! thread that asked for memory waits, and the [watchdog](crate::watchdog) says what is known and ends the process. Mostly it is
//! one large allocation of a growing table that fails, so there is memory left for that.
//!
//! This is the one place outside `crates/program/src/fiber` with unsafe code: replacing the allocator requires it, and no
//! library does just this. Each function hands its arguments to the system's allocator as they are, so that
//! the caller's side of the contract is the system's too, and gives back what that gives back. Nothing is
//! allocated on the way.

#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

#[global_allocator]
static ALLOCATOR: Reporting = Reporting;

/// Whether a watchdog is running.
static WATCHED: AtomicBool = AtomicBool::new(false);
static EXHAUSTED: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// Whether this thread reports what is known: it must not wait for itself.
    static SPEAKS: Cell<bool> = const { Cell::new(false) };
}

/// The system's allocator, which tells when there is nothing left.
struct Reporting;

// SAFETY: see above; `heard` touches neither the pointer nor the layout.
unsafe impl GlobalAlloc for Reporting {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise about `layout` is the one that is asked for.
        heard(unsafe { System.alloc(layout) })
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        heard(unsafe { System.alloc_zeroed(layout) })
    }

    #[inline]
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above; `pointer` came from `System`, since all pointers do.
        heard(unsafe { System.realloc(pointer, layout, size) })
    }

    #[inline]
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[inline]
fn heard(pointer: *mut u8) -> *mut u8 {
    if pointer.is_null() {
        wait();
    }
    pointer
}

/// Notes that there is no memory left, and, if a watchdog is running, waits for it to end the process.
#[cold]
fn wait() {
    EXHAUSTED.store(true, Ordering::Relaxed);
    // In a thread that is about to end, this cannot be looked up.
    let speaks = SPEAKS.try_with(Cell::get).unwrap_or(true);
    while WATCHED.load(Ordering::Relaxed) && !speaks {
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// From now on a watchdog looks at [`is_exhausted`].
pub(crate) fn watch() {
    WATCHED.store(true, Ordering::Relaxed);
    SPEAKS.set(true);
}

/// This thread says what is known.
pub(crate) fn speak() {
    SPEAKS.set(true);
}

/// The watchdog does not look any more.
pub(crate) fn unwatch() {
    WATCHED.store(false, Ordering::Relaxed);
}

/// Whether a thread got no memory and waits.
pub(crate) fn is_exhausted() -> bool {
    EXHAUSTED.load(Ordering::Relaxed)
}
