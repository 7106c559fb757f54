//! Values of atomics as bits, for the execution graph.

/// A value that an atomic can have.
pub(super) trait Bits: Copy {
    fn bits(self) -> u64;
    fn of(bits: u64) -> Self;
}

macro_rules! integers {
    ($($integer:ty),+) => {
        $(impl Bits for $integer {
            fn bits(self) -> u64 {
                self as u64
            }

            #[allow(clippy::cast_possible_truncation, reason = "they come from such a value")]
            fn of(bits: u64) -> Self {
                bits as Self
            }
        })+
    };
}

integers!(u8, u16, u32, u64, usize, i8, i16, i32, i64, isize);

impl Bits for bool {
    fn bits(self) -> u64 {
        u64::from(self)
    }

    fn of(bits: u64) -> bool {
        bits != 0
    }
}

impl<T> Bits for *mut T {
    fn bits(self) -> u64 {
        self.expose_provenance() as u64
    }

    #[expect(clippy::cast_possible_truncation, reason = "it was an address")]
    fn of(bits: u64) -> *mut T {
        std::ptr::with_exposed_provenance_mut(bits as usize)
    }
}
