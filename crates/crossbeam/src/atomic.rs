//! A cell that threads share.

use crate::unpoisoned;
use mazurka::sync::{Mutex, MutexGuard};
use std::fmt;

/// A value that threads read and write as a whole, as `crossbeam::atomic::AtomicCell`. Every operation orders what the threads do,
/// as the locks do of which it is made.
#[derive(Default)]
pub struct AtomicCell<T> {
    value: Mutex<T>,
}

impl<T> AtomicCell<T> {
    /// Makes a cell with this value.
    #[track_caller]
    pub const fn new(value: T) -> AtomicCell<T> {
        AtomicCell {
            value: Mutex::new(value),
        }
    }

    #[track_caller]
    fn lock(&self) -> MutexGuard<'_, T> {
        unpoisoned(self.value.lock())
    }

    /// False: it is made of a lock.
    pub const fn is_lock_free() -> bool {
        false
    }

    /// The value.
    pub fn into_inner(self) -> T {
        unpoisoned(self.value.into_inner())
    }

    /// Writes a value.
    #[track_caller]
    pub fn store(&self, value: T) {
        let old = self.swap(value);
        drop(old);
    }

    /// Writes a value, and returns the old one.
    #[track_caller]
    pub fn swap(&self, value: T) -> T {
        std::mem::replace(&mut *self.lock(), value)
    }

    /// Takes the value out and leaves the default.
    #[track_caller]
    pub fn take(&self) -> T
    where
        T: Default,
    {
        self.swap(T::default())
    }

    /// Reads the value.
    #[track_caller]
    pub fn load(&self) -> T
    where
        T: Copy,
    {
        *self.lock()
    }

    /// Writes `new` if the value is `current`; returns the old value.
    #[track_caller]
    pub fn compare_exchange(&self, current: T, new: T) -> Result<T, T>
    where
        T: Copy + Eq,
    {
        let mut value = self.lock();
        if *value == current {
            *value = new;
            Ok(current)
        } else {
            Err(*value)
        }
    }

    /// Applies `f` to the value, and tries again if another thread has changed it meanwhile.
    #[track_caller]
    pub fn fetch_update(&self, mut f: impl FnMut(T) -> Option<T>) -> Result<T, T>
    where
        T: Copy + Eq,
    {
        let mut before = self.load();
        while let Some(next) = f(before) {
            match self.compare_exchange(before, next) {
                Ok(value) => return Ok(value),
                Err(value) => before = value,
            }
        }
        Err(before)
    }
}

macro_rules! numbers {
    ($($type:ty),+) => {
        $(
            impl AtomicCell<$type> {
                /// Adds, wrapping around; gives what was there.
                #[track_caller]
                pub fn fetch_add(&self, value: $type) -> $type {
                    let mut cell = self.lock();
                    let before = *cell;
                    *cell = before.wrapping_add(value);
                    before
                }

                /// Subtracts, wrapping around; gives what was there.
                #[track_caller]
                pub fn fetch_sub(&self, value: $type) -> $type {
                    let mut cell = self.lock();
                    let before = *cell;
                    *cell = before.wrapping_sub(value);
                    before
                }

                /// The greater of both; gives what was there.
                #[track_caller]
                pub fn fetch_max(&self, value: $type) -> $type {
                    let mut cell = self.lock();
                    let before = *cell;
                    *cell = before.max(value);
                    before
                }

                /// The smaller of both; gives what was there.
                #[track_caller]
                pub fn fetch_min(&self, value: $type) -> $type {
                    let mut cell = self.lock();
                    let before = *cell;
                    *cell = before.min(value);
                    before
                }
            }
        )+
    };
}

numbers!(u8, u16, u32, u64, usize, i8, i16, i32, i64, isize, u128, i128);

macro_rules! bits {
    ($($type:ty),+) => {
        $(
            impl AtomicCell<$type> {
                /// And; gives what was there.
                #[track_caller]
                pub fn fetch_and(&self, value: $type) -> $type {
                    let mut cell = self.lock();
                    let before = *cell;
                    *cell = before & value;
                    before
                }

                /// Or; gives what was there.
                #[track_caller]
                pub fn fetch_or(&self, value: $type) -> $type {
                    let mut cell = self.lock();
                    let before = *cell;
                    *cell = before | value;
                    before
                }

                /// Exclusive or; gives what was there.
                #[track_caller]
                pub fn fetch_xor(&self, value: $type) -> $type {
                    let mut cell = self.lock();
                    let before = *cell;
                    *cell = before ^ value;
                    before
                }
            }
        )+
    };
}

bits!(bool, u8, u16, u32, u64, usize, i8, i16, i32, i64, isize, u128, i128);

impl<T: Copy + fmt::Debug> fmt::Debug for AtomicCell<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AtomicCell").field("value", &self.load()).finish()
    }
}

impl<T> From<T> for AtomicCell<T> {
    #[track_caller]
    fn from(value: T) -> AtomicCell<T> {
        AtomicCell::new(value)
    }
}
