//! Resetting statics before each execution.
//!
//! A program starts once, but a search runs it many times in one process. A primitive in a `static` would keep its
//! value from one execution to the next. So its bytes are saved when a search first meets it, and are put back before every
//! execution and at the end of the search.
//!
//! Why that is right: only memory of the program's own data segment is touched, which lives as long as the process. Only
//! values that own nothing are saved: values without a destructor, and cells that were not initialised. So the
//! bytes are a valid value whatever has become of the primitive meanwhile; what it owns by then is leaked, as everything
//! in a static is at the end of a process. No controlled thread runs when the bytes are put back, so there is no lock or
//! reference to them, unless it was hidden in a static of std's. The search reports whatever cannot be saved.

use std::collections::HashMap;
use std::mem::MaybeUninit;
use std::ops::Range;
use std::ptr;
use std::sync::OnceLock;

/// The address of a static, and its bytes.
type Kept = (*mut MaybeUninit<u8>, Box<[MaybeUninit<u8>]>);

/// The statics that a search has met.
#[derive(Default)]
pub(crate) struct Statics {
    kept: HashMap<usize, Kept>,
    /// Their addresses in the order in which they were met, so that parts come after the whole.
    order: Vec<usize>,
}

impl Statics {
    /// Saves a primitive if it is a static. `plain` says that it owns nothing now, and that no caller can have a reference
    /// into it. True if it is saved, now or before.
    pub(crate) fn keep<T: ?Sized>(&mut self, primitive: &T, plain: bool) -> bool {
        let address = ptr::from_ref(primitive).cast::<MaybeUninit<u8>>().cast_mut();
        let size = size_of_val(primitive);
        if !data_segment().contains(&address.addr()) {
            return false;
        }
        if self
            .kept
            .get(&address.addr())
            .is_some_and(|(_, bytes)| bytes.len() >= size)
        {
            return true;
        }
        if plain {
            let mut bytes = vec![MaybeUninit::uninit(); size].into_boxed_slice();
            // SAFETY: `primitive` has that many bytes, and bytes that need not be initialised can be copied. The OS thread of the
            // search is the only one that uses the primitive now, or the check is not under control, which is reported.
            unsafe { ptr::copy_nonoverlapping(address.cast_const(), bytes.as_mut_ptr(), size) };
            self.kept.insert(address.addr(), (address, bytes));
            self.order.push(address.addr());
        }
        plain
    }

    /// True for a static.
    pub(crate) fn is_one<T: ?Sized>(primitive: &T) -> bool {
        data_segment().contains(&ptr::from_ref(primitive).cast::<u8>().addr())
    }

    /// Puts everything back. No controlled thread exists, or none of them will ever run again.
    pub(crate) fn restore(&mut self) {
        for (address, bytes) in self.order.iter().filter_map(|a| self.kept.get(a)) {
            // SAFETY: the address is that of a static, so it can be written: primitives have interior mutability, and the
            // data segment is writable. The bytes are a value of its type (see above).
            unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), *address, bytes.len()) };
        }
    }
}

/// The address range of the program's writable statics; empty if it is unknown.
fn data_segment() -> &'static Range<usize> {
    static SEGMENT: OnceLock<Range<usize>> = OnceLock::new();
    SEGMENT.get_or_init(|| {
        let here = ptr::from_ref(&SEGMENT).addr();
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
        let mut segment = 0..0;
        for line in maps.lines() {
            let Some((range, rest)) = line.split_once(' ') else {
                continue;
            };
            let number = |text: &str| usize::from_str_radix(text, 16).ok();
            let Some((start, end)) = range.split_once('-').and_then(|(a, b)| Some((number(a)?, number(b)?))) else {
                continue;
            };
            let writable = rest.starts_with("rw-p") && !rest.ends_with(']');
            if writable && segment.end == start {
                // What is not in the file follows what is.
                segment.end = end;
            } else if segment.contains(&here) {
                break;
            } else if writable {
                segment = start..end;
            }
        }
        if segment.contains(&here) { segment } else { 0..0 }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

    #[test]
    #[cfg(target_os = "linux")]
    fn a_static_is_put_back_and_nothing_else() {
        static NUMBER: AtomicU32 = AtomicU32::new(7);
        let mut statics = Statics::default();
        assert!(!statics.keep(&NUMBER, false));
        assert!(statics.keep(&NUMBER, true));
        NUMBER.store(8, Relaxed);
        assert!(statics.keep(&NUMBER, false), "it was kept before");
        statics.restore();
        assert_eq!(NUMBER.load(Relaxed), 7);
        let local = AtomicU32::new(7);
        let boxed = Box::new(AtomicU32::new(7));
        assert!(!statics.keep(&local, true));
        assert!(!statics.keep(&*boxed, true));
    }
}
