//! Checked conversions of counts and indices to narrower types.
//!
//! The preprocessor reads at most 16 MiB of text and produces at most a million tokens, and the checker bounds the number
//! of scalars, so counts of things in a text fit in 32 bits with room to spare. If a count is larger all the same,
//! these functions panic, since a truncated number could lead to a wrong verdict.

/// An index into a list, or its length.
#[inline]
pub(crate) fn index(number: usize) -> u32 {
    u32::try_from(number).expect("a text has fewer than 2^32 parts")
}

/// A length, or the number of a process or channel, as a value of the language.
#[inline]
pub(crate) fn value(number: usize) -> i32 {
    i32::try_from(number).expect("a text has fewer than 2^31 parts")
}

/// The number of a process.
#[inline]
pub(crate) fn pid(number: usize) -> u8 {
    u8::try_from(number).expect("there are at most 255 processes")
}

/// The number of a location or edge of an automaton. Larger automata are refused before they are used.
#[inline]
pub(crate) fn place(number: usize) -> u16 {
    u16::try_from(number).expect("an automaton has fewer than 2^16 places and steps")
}

#[cfg(test)]
mod tests {
    #[test]
    #[should_panic(expected = "2^31")]
    fn what_does_not_fit_is_not_cut() {
        assert_eq!(super::index(70_000), 70_000);
        super::value(1 << 31);
    }
}
