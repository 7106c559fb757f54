//! Small tools.

use mazurka::{hint, thread};
use std::cell::Cell;
use std::fmt;
use std::ops::{Deref, DerefMut};

/// A value with a cache line of its own.
#[derive(Clone, Copy, Default, Hash, PartialEq, Eq)]
#[repr(align(128))]
pub struct CachePadded<T> {
    value: T,
}

impl<T> CachePadded<T> {
    /// Pads a value.
    pub const fn new(value: T) -> CachePadded<T> {
        CachePadded { value }
    }

    /// The value.
    pub fn into_inner(self) -> T {
        self.value
    }
}

impl<T> Deref for CachePadded<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> DerefMut for CachePadded<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.value
    }
}

impl<T: fmt::Debug> fmt::Debug for CachePadded<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CachePadded").field("value", &self.value).finish()
    }
}

impl<T> From<T> for CachePadded<T> {
    fn from(value: T) -> CachePadded<T> {
        CachePadded::new(value)
    }
}

/// Waiting a little longer each time. In a check each wait is a `yield_now`, and the number of turns is not counted, so that a
/// loop that waits is seen to wait.
#[derive(Default)]
pub struct Backoff {
    step: Cell<u32>,
}

/// From this step on, [`Backoff::snooze`] yields.
const SPINS: u32 = 6;
/// From this step on, it is better to park.
const YIELDS: u32 = 10;

impl Backoff {
    /// At the beginning.
    pub fn new() -> Backoff {
        Backoff::default()
    }

    /// Begins anew.
    pub fn reset(&self) {
        self.step.set(0);
    }

    /// Waits a little, for a loop without locks.
    // Inlined: a frame of its own would have leftovers in it, and be part of the state of a loop that waits.
    #[inline(always)]
    pub fn spin(&self) {
        if mazurka::is_checking() {
            hint::spin_loop();
        } else {
            self.spin_outside();
        }
    }

    #[inline(never)]
    fn spin_outside(&self) {
        for _ in 0..1 << self.step.get().min(SPINS) {
            hint::spin_loop();
        }
        self.step.set(self.step.get().saturating_add(1).min(SPINS + 1));
    }

    /// Waits a little, for another thread.
    #[inline(always)]
    pub fn snooze(&self) {
        if mazurka::is_checking() {
            thread::yield_now();
        } else {
            self.snooze_outside();
        }
    }

    #[inline(never)]
    fn snooze_outside(&self) {
        if self.step.get() <= SPINS {
            for _ in 0..1 << self.step.get() {
                hint::spin_loop();
            }
        } else {
            thread::yield_now();
        }
        self.step.set(self.step.get().saturating_add(1).min(YIELDS + 1));
    }

    /// True if it is better to park. In a check it never is.
    pub fn is_completed(&self) -> bool {
        self.step.get() > YIELDS
    }
}

impl fmt::Debug for Backoff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Backoff").finish_non_exhaustive()
    }
}
