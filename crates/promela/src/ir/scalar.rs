//! The representation of scalars in a state.

use crate::model::Type;

/// The representation of a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Scalar {
    /// A byte that is 0 or 1.
    Bit,
    /// A byte.
    Byte,
    /// Two bytes, signed.
    Short,
    /// Four bytes, signed.
    Int,
    /// This many bits, unsigned, in 1, 2 or 4 bytes.
    Unsigned(u8),
}

impl Scalar {
    /// The representation of a type that is not a record.
    pub(crate) fn of(kind: Type) -> Self {
        match kind {
            Type::Bit | Type::Bool => Self::Bit,
            Type::Byte | Type::Pid | Type::Mtype(_) | Type::Chan => Self::Byte,
            Type::Short => Self::Short,
            Type::Int => Self::Int,
            Type::Unsigned(bits) => Self::Unsigned(bits),
            Type::Record(_) => unreachable!("a record is not a scalar"),
        }
    }

    /// Its size in bytes.
    #[inline]
    pub(crate) fn size(self) -> usize {
        match self {
            Self::Bit | Self::Byte => 1,
            Self::Short => 2,
            Self::Int => 4,
            Self::Unsigned(bits) => match bits {
                0..=8 => 1,
                9..=16 => 2,
                _ => 4,
            },
        }
    }

    /// The value at `at`.
    #[inline(always)]
    pub(crate) fn load(self, bytes: &[u8], at: usize) -> i32 {
        match self {
            Self::Bit | Self::Byte => i32::from(bytes[at]),
            Self::Short => i32::from(i16::from_le_bytes([bytes[at], bytes[at + 1]])),
            Self::Int => i32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes")),
            Self::Unsigned(_) => match self.size() {
                1 => i32::from(bytes[at]),
                2 => i32::from(u16::from_le_bytes([bytes[at], bytes[at + 1]])),
                _ => i32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes")),
            },
        }
    }

    /// A value truncated to this representation.
    #[inline]
    pub(crate) fn truncate(self, value: i32) -> i32 {
        match self {
            Self::Bit => value & 1,
            Self::Byte => value & 0xff,
            Self::Short => {
                let [lowest, second, ..] = value.to_le_bytes();
                i32::from(i16::from_le_bytes([lowest, second]))
            }
            Self::Int | Self::Unsigned(32..) => value,
            Self::Unsigned(bits) => value & (i32::MAX >> (31 - bits)),
        }
    }

    /// Stores a value, truncated to this representation.
    #[inline]
    pub(crate) fn store(self, bytes: &mut [u8], at: usize, value: i32) {
        let value = self.truncate(value);
        let value = value.to_le_bytes();
        match self.size() {
            1 => bytes[at] = value[0],
            2 => bytes[at..at + 2].copy_from_slice(&value[..2]),
            _ => bytes[at..at + 4].copy_from_slice(&value),
        }
    }
}
