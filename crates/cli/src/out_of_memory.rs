//! An allocation that fails is a limit like others.
//!
//! The standard library aborts the process when the system gives no memory, and with it go all verdicts. Here the
//! thread that asked stays where it is, and the [watchdog](crate::watchdog) says what is known and ends the process: what
//! fails is mostly the one large piece that a growing table wants, and there is memory left for that.
//!
//! This is the one place outside `crates/program/src/fiber` with unsafe code: whoever replaces the allocator has to write it, and no
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

/// Whether somebody waits for the news.
static WATCHED: AtomicBool = AtomicBool::new(false);
static EXHAUSTED: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// Whether this thread is one that says what is known: it must not wait for itself.
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

/// Says that there is nothing left, and waits for the end if somebody brings it.
#[cold]
fn wait() {
    EXHAUSTED.store(true, Ordering::Relaxed);
    // In a thread that is about to end, it cannot be asked.
    let speaks = SPEAKS.try_with(Cell::get).unwrap_or(true);
    while WATCHED.load(Ordering::Relaxed) && !speaks {
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// From now on somebody looks at [`is_exhausted`].
pub(crate) fn watch() {
    WATCHED.store(true, Ordering::Relaxed);
    SPEAKS.set(true);
}

/// This thread says what is known.
pub(crate) fn speak() {
    SPEAKS.set(true);
}

/// Nobody looks any more.
pub(crate) fn unwatch() {
    WATCHED.store(false, Ordering::Relaxed);
}

/// Whether there was no memory for somebody, who waits.
pub(crate) fn is_exhausted() -> bool {
    EXHAUSTED.load(Ordering::Relaxed)
}
