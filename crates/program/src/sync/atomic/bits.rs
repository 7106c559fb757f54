//! Values of atomics as bits, for the execution graph, and as what reports show.

use crate::execution::values::Value;

/// A value that an atomic can have.
pub(super) trait Bits: Copy {
    fn bits(self) -> u64;
    fn of(bits: u64) -> Self;
    /// The value for people.
    fn value(self) -> Value;
}

macro_rules! integers {
    ($value:ident: $wide:ty; $($integer:ty),+) => {
        $(impl Bits for $integer {
            fn bits(self) -> u64 {
                self as u64
            }

            #[allow(clippy::cast_possible_truncation, reason = "they come from such a value")]
            fn of(bits: u64) -> Self {
                bits as Self
            }

            fn value(self) -> Value {
                Value::$value(self as $wide)
            }
        })+
    };
}

integers!(Unsigned: u64; u8, u16, u32, u64, usize);
integers!(Signed: i64; i8, i16, i32, i64, isize);

impl Bits for bool {
    fn bits(self) -> u64 {
        u64::from(self)
    }

    fn of(bits: u64) -> bool {
        bits != 0
    }

    fn value(self) -> Value {
        Value::Bool(self)
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

    fn value(self) -> Value {
        Value::Pointer(self.addr() as u64)
    }
}
