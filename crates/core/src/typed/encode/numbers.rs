//! Numbers, truth values and characters: as many bytes as the type has, the low ones first.

use super::{Encode, take};

macro_rules! number {
    ($($number:ty),*) => {$(
        impl Encode for $number {
            const LEN: Option<usize> = Some(size_of::<$number>());

            #[inline]
            fn encode(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }

            #[inline]
            fn decode(bytes: &mut &[u8]) -> Option<Self> {
                let (first, rest) = bytes.split_first_chunk()?;
                *bytes = rest;
                Some(Self::from_le_bytes(*first))
            }
        }
    )*};
}

number!(u8, u16, u32, u64, u128, i8, i16, i32, i64, i128);

/// Eight bytes on every machine.
impl Encode for usize {
    const LEN: Option<usize> = u64::LEN;

    #[inline]
    fn encode(&self, out: &mut Vec<u8>) {
        (*self as u64).encode(out);
    }

    #[inline]
    fn decode(bytes: &mut &[u8]) -> Option<Self> {
        u64::decode(bytes)?.try_into().ok()
    }
}

/// Eight bytes on every machine.
impl Encode for isize {
    const LEN: Option<usize> = i64::LEN;

    #[inline]
    fn encode(&self, out: &mut Vec<u8>) {
        (*self as i64).encode(out);
    }

    #[inline]
    fn decode(bytes: &mut &[u8]) -> Option<Self> {
        i64::decode(bytes)?.try_into().ok()
    }
}

impl Encode for bool {
    const LEN: Option<usize> = Some(1);

    #[inline]
    fn encode(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }

    #[inline]
    fn decode(bytes: &mut &[u8]) -> Option<Self> {
        match take(bytes, 1)? {
            [0] => Some(false),
            [1] => Some(true),
            _ => None,
        }
    }
}

impl Encode for char {
    const LEN: Option<usize> = Some(4);

    #[inline]
    fn encode(&self, out: &mut Vec<u8>) {
        u32::from(*self).encode(out);
    }

    #[inline]
    fn decode(bytes: &mut &[u8]) -> Option<Self> {
        char::from_u32(u32::decode(bytes)?)
    }
}
