//! Composed values: the parts in order, after a count or a tag where the type does not determine it.
//!
//! A count takes seven bits to a byte, the low ones first; all bytes but the last have their high bit set. Sets
//! and maps are written in the order of their keys.

use super::{Encode, all_of, take};
use crate::narrow;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Appends a count.
#[inline]
fn put_count(mut count: usize, out: &mut Vec<u8>) {
    while count >= 0x80 {
        out.push(narrow::low_byte(count) | 0x80);
        count >>= 7;
    }
    out.push(narrow::low_byte(count));
}

/// Reads a count that is written in the shortest way.
#[inline]
fn take_count(bytes: &mut &[u8]) -> Option<usize> {
    let (mut count, mut shift) = (0_u64, 0);
    loop {
        let byte = u8::decode(bytes)?;
        let bits = u64::from(byte & 0x7f);
        if bits.checked_shl(shift)? >> shift != bits || (byte == 0 && shift > 0) {
            return None;
        }
        count |= bits << shift;
        if byte & 0x80 == 0 {
            return usize::try_from(count).ok();
        }
        shift += 7;
    }
}

/// Writes how many there are, and each.
#[inline]
fn put_all<'a, T: Encode + 'a>(items: impl ExactSizeIterator<Item = &'a T>, out: &mut Vec<u8>) {
    put_count(items.len(), out);
    items.for_each(|item| item.encode(out));
}

impl<T: Encode> Encode for Vec<T> {
    #[inline]
    fn encode(&self, out: &mut Vec<u8>) {
        put_all(self.iter(), out);
    }

    #[inline]
    fn decode(bytes: &mut &[u8]) -> Option<Self> {
        let count = take_count(bytes)?;
        // A count that is wrong must not be a reason to reserve memory.
        let mut all = Self::with_capacity(count.min(bytes.len()));
        for _ in 0..count {
            all.push(T::decode(bytes)?);
        }
        Some(all)
    }
}

impl<T: Encode> Encode for VecDeque<T> {
    fn encode(&self, out: &mut Vec<u8>) {
        put_all(self.iter(), out);
    }

    fn decode(bytes: &mut &[u8]) -> Option<Self> {
        Vec::decode(bytes).map(Self::from)
    }
}

impl<T: Encode + Ord> Encode for BTreeSet<T> {
    fn encode(&self, out: &mut Vec<u8>) {
        put_all(self.iter(), out);
    }

    fn decode(bytes: &mut &[u8]) -> Option<Self> {
        let items = Vec::<T>::decode(bytes)?;
        items.is_sorted_by(|a, b| a < b).then(|| items.into_iter().collect())
    }
}

impl<K: Encode + Ord, V: Encode> Encode for BTreeMap<K, V> {
    fn encode(&self, out: &mut Vec<u8>) {
        put_count(self.len(), out);
        for (key, value) in self {
            key.encode(out);
            value.encode(out);
        }
    }

    fn decode(bytes: &mut &[u8]) -> Option<Self> {
        let items = Vec::<(K, V)>::decode(bytes)?;
        items
            .is_sorted_by(|(a, _), (b, _)| a < b)
            .then(|| items.into_iter().collect())
    }
}

impl Encode for String {
    fn encode(&self, out: &mut Vec<u8>) {
        put_count(self.len(), out);
        out.extend_from_slice(self.as_bytes());
    }

    fn decode(bytes: &mut &[u8]) -> Option<Self> {
        let count = take_count(bytes)?;
        std::str::from_utf8(take(bytes, count)?).ok().map(Self::from)
    }
}

impl<T: Encode> Encode for Option<T> {
    #[inline]
    fn encode(&self, out: &mut Vec<u8>) {
        self.is_some().encode(out);
        if let Some(value) = self {
            value.encode(out);
        }
    }

    #[inline]
    fn decode(bytes: &mut &[u8]) -> Option<Self> {
        match bool::decode(bytes)? {
            true => T::decode(bytes).map(Some),
            false => Some(None),
        }
    }
}

impl<T: Encode> Encode for Box<T> {
    const LEN: Option<usize> = T::LEN;

    fn encode(&self, out: &mut Vec<u8>) {
        T::encode(self, out);
    }

    fn decode(bytes: &mut &[u8]) -> Option<Self> {
        T::decode(bytes).map(Self::new)
    }
}

impl<T: Encode, const N: usize> Encode for [T; N] {
    const LEN: Option<usize> = match T::LEN {
        Some(len) => Some(len * N),
        None => None,
    };

    #[inline]
    fn encode(&self, out: &mut Vec<u8>) {
        self.iter().for_each(|item| item.encode(out));
    }

    #[inline]
    fn decode(bytes: &mut &[u8]) -> Option<Self> {
        let items: [Option<T>; N] = std::array::from_fn(|_| T::decode(bytes));
        if items.iter().any(Option::is_none) {
            return None;
        }
        Some(items.map(|item| item.expect("just made sure")))
    }
}

macro_rules! tuple {
    ($($name:ident)*) => {
        #[allow(non_snake_case, reason = "values are named after their types")]
        impl<$($name: Encode),*> Encode for ($($name,)*) {
            const LEN: Option<usize> = all_of(&[$($name::LEN),*]);

            #[inline]
            fn encode(&self, _out: &mut Vec<u8>) {
                let ($($name,)*) = self;
                $($name.encode(_out);)*
            }

            #[inline]
            fn decode(_bytes: &mut &[u8]) -> Option<Self> {
                Some(($($name::decode(_bytes)?,)*))
            }
        }
    };
}

tuple!();
tuple!(A);
tuple!(A B);
tuple!(A B C);
tuple!(A B C D);
tuple!(A B C D E);
tuple!(A B C D E F);
tuple!(A B C D E F G);
tuple!(A B C D E F G H);

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Debug;

    /// It reads back, takes its bytes and no others, and no shorter beginning of them is a value.
    fn round_trip<T: Encode + PartialEq + Debug>(value: T) {
        let mut bytes = Vec::new();
        value.encode(&mut bytes);
        assert!(T::LEN.is_none_or(|len| len == bytes.len()), "{value:?}");
        for len in 0..bytes.len() {
            assert_eq!(T::decode(&mut &bytes[..len]), None, "{value:?}");
        }
        bytes.push(7);
        let mut rest = &bytes[..];
        assert_eq!(T::decode(&mut rest), Some(value));
        assert_eq!(rest, [7]);
    }

    #[test]
    fn values_read_back() {
        round_trip((
            u8::MAX,
            i16::MIN,
            u32::MAX,
            i64::MIN,
            u128::MAX,
            usize::MAX,
            isize::MIN,
            'ß',
        ));
        round_trip([Some(true), None, Some(false)]);
        round_trip((String::from("fünf"), Box::new(5_u8), [[1_u16; 3]; 2]));
        for count in [0, 1, 127, 128, 16_383, 16_384] {
            round_trip(vec![count as u8; count]);
        }
        round_trip(VecDeque::from([vec![1_u8], vec![], vec![2, 3]]));
        round_trip(BTreeSet::from([3_u8, 1, 2]));
        round_trip(BTreeMap::from([(2_u8, vec![()]), (1, vec![])]));
    }

    #[test]
    fn only_what_is_written_is_read() {
        let set = |bytes: &[u8]| BTreeSet::<u8>::decode(&mut &bytes[..]);
        assert_eq!(set(&[2, 1, 2]), Some(BTreeSet::from([1, 2])));
        assert_eq!((set(&[2, 2, 1]), set(&[2, 1, 1])), (None, None), "not in order");
        assert_eq!(Vec::<u8>::decode(&mut &[0x81, 0x00, 5][..]), None, "a longer form of 1");
        let huge = [0xff; 12];
        assert_eq!(Vec::<()>::decode(&mut &huge[..]), None);
        assert_eq!(bool::decode(&mut &[2][..]), None);
        assert_eq!(char::decode(&mut &[0, 0xd8, 0, 0][..]), None);
        assert_eq!(String::decode(&mut &[1, 0xff][..]), None);
    }
}
