//! One word for what a primitive must remember: where it was made, until it gets a number.
//!
//! A primitive is made by a `const fn`, which can number nothing but knows its caller. From the first operation in a
//! check on, it needs a number, and whoever numbers it can note the place elsewhere. So one word is enough: a pointer to the
//! place, or a number with the lowest bit set, which no pointer to a place has. Where pointers have 32 bits, a number does not
//! fit, and there are two words.

use std::panic::Location;

const _: () = assert!(align_of::<Location<'static>>() > 1);

#[cfg(target_pointer_width = "64")]
mod layout {
    use std::panic::Location;
    use std::ptr;
    use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};

    /// Where something was made, or its number.
    pub(crate) struct Word(AtomicPtr<Location<'static>>);

    impl Word {
        #[track_caller]
        pub(crate) const fn new() -> Word {
            Word(AtomicPtr::new(ptr::from_ref(Location::caller()).cast_mut()))
        }

        /// The number, which has at most 63 bits, or the place if there is no number yet.
        #[inline]
        pub(crate) fn get(&self) -> Result<u64, &'static Location<'static>> {
            let word = self.0.load(Relaxed);
            if word.addr() & 1 == 1 {
                return Ok(word.addr() as u64 >> 1);
            }
            // SAFETY: a word is made from a reference to a place, which is static and aligned, and `set` sets the lowest bit.
            // Statics are reset by copying a whole word, as it was.
            Err(unsafe { &*word })
        }

        #[expect(clippy::cast_possible_truncation, reason = "pointers have 64 bits here")]
        pub(crate) fn set(&self, number: u64) {
            self.0
                .store(ptr::without_provenance_mut((number << 1 | 1) as usize), Relaxed);
        }
    }
}

#[cfg(not(target_pointer_width = "64"))]
mod layout {
    use std::panic::Location;
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    /// Where something was made, and its number.
    pub(crate) struct Word {
        number: AtomicU64,
        made: &'static Location<'static>,
    }

    impl Word {
        #[track_caller]
        pub(crate) const fn new() -> Word {
            Word {
                number: AtomicU64::new(0),
                made: Location::caller(),
            }
        }

        /// The number, which has at most 63 bits, or the place if there is no number yet.
        pub(crate) fn get(&self) -> Result<u64, &'static Location<'static>> {
            match self.number.load(Relaxed) {
                0 => Err(self.made),
                number => Ok(number >> 1),
            }
        }

        pub(crate) fn set(&self, number: u64) {
            self.number.store(number << 1 | 1, Relaxed);
        }
    }
}

pub(crate) use layout::Word;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_a_place_and_then_a_number() {
        static WORD: Word = Word::new();
        assert_eq!(WORD.get().unwrap_err().file(), file!());
        WORD.set(0);
        assert_eq!(WORD.get(), Ok(0));
        WORD.set((1 << 63) - 1);
        assert_eq!(WORD.get(), Ok((1 << 63) - 1));
        #[cfg(target_pointer_width = "64")]
        assert_eq!(size_of::<Word>(), 8);
    }
}
