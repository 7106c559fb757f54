//! States of any type as bytes.
//!
//! The engine stores, compares and hashes bytes. [`Encode`] writes a value as bytes that determine
//! it, and reads it back. Two values are the same state iff their bytes are equal, so nothing
//! depends on a hash, and a state can be sent to another process as it is.
//!
//! **Why a trait of our own.** Types whose values have several forms have no implementation here: a `HashMap`, which has no
//! order, and floating-point numbers, which have two zeros. With `serde` they would compile, and one state would be
//! counted as several. Ids of interned states would be as exact, but need a table that all threads share, and mean
//! nothing to another process.
//!
//! **Why it is right.** Every implementation is self-delimiting: `decode` takes as many bytes as `encode` wrote.
//! So the bytes of a composed value are read back in one way only, and different values have different
//! bytes. `decode` accepts nothing but what `encode` writes.

mod collections;
mod derive;
mod numbers;

/// A type whose values can be written as bytes and read back.
///
/// Numbers, `bool`, `char`, `String`, `Option`, `Box`, tuples, arrays, `Vec`, `VecDeque`, `BTreeSet` and `BTreeMap` have it.
/// Your own types get it from [`encode!`](crate::encode).
///
/// ```
/// use mazurka_core::typed::Encode;
///
/// let mut bytes = Vec::new();
/// (7_u8, vec![true, false]).encode(&mut bytes);
/// assert_eq!(bytes, [7, 2, 1, 0]); // the number, how many there are, each of them
/// let read = <(u8, Vec<bool>)>::decode(&mut &bytes[..]);
/// assert_eq!(read, Some((7, vec![true, false])));
/// ```
///
/// A type with a more compact form implements it by hand. `decode` must take what `encode` wrote, no more and no less,
/// and the bytes must depend on nothing but the value:
///
/// ```
/// use mazurka_core::typed::Encode;
///
/// /// Two numbers below 16.
/// #[derive(Debug, PartialEq)]
/// struct Pair(u8, u8);
///
/// impl Encode for Pair {
///     const LEN: Option<usize> = Some(1);
///
///     fn encode(&self, out: &mut Vec<u8>) {
///         out.push(self.0 << 4 | self.1);
///     }
///
///     fn decode(bytes: &mut &[u8]) -> Option<Self> {
///         let byte = u8::decode(bytes)?;
///         Some(Self(byte >> 4, byte & 15))
///     }
/// }
/// # let mut bytes = Vec::new();
/// # Pair(3, 15).encode(&mut bytes);
/// # assert_eq!((Pair::decode(&mut &bytes[..]), bytes.len()), (Some(Pair(3, 15)), Pair::LEN.unwrap()));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be part of a state",
    note = "wrap the definition of your own type in `mazurka_core::encode! {{ … }}`",
    note = "a `HashMap` or `HashSet` has no order of its own: use a `BTreeMap` or `BTreeSet`"
)]
pub trait Encode: Sized {
    /// How many bytes every value takes, if all take the same. A state of one length costs less memory.
    const LEN: Option<usize> = None;

    /// Appends the bytes of this value.
    fn encode(&self, out: &mut Vec<u8>);

    /// Reads a value from the beginning of `bytes` and removes its bytes from there. `None` if no value begins like that.
    fn decode(bytes: &mut &[u8]) -> Option<Self>;
}

/// The length of several values one after the other.
#[doc(hidden)]
pub const fn all_of(lens: &[Option<usize>]) -> Option<usize> {
    let (mut sum, mut k) = (0, 0);
    while k < lens.len() {
        match lens[k] {
            Some(len) => sum += len,
            None => return None,
        }
        k += 1;
    }
    Some(sum)
}

/// The length of a tag and one of several values.
#[doc(hidden)]
pub const fn one_of(lens: &[Option<usize>]) -> Option<usize> {
    let mut k = 1;
    while k < lens.len() {
        match (lens[0], lens[k]) {
            (Some(a), Some(b)) if a == b => {}
            _ => return None,
        }
        k += 1;
    }
    match lens {
        [Some(len), ..] => Some(1 + *len),
        _ => None,
    }
}

/// The first `count` bytes, which are removed.
#[inline]
fn take<'b>(bytes: &mut &'b [u8], count: usize) -> Option<&'b [u8]> {
    let (first, rest) = bytes.split_at_checked(count)?;
    *bytes = rest;
    Some(first)
}
