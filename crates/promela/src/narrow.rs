//! Numbers of things in a model, in fewer bits than `usize`, and never cut.
//!
//! The preprocessor reads at most 16 MiB of text and makes at most a million tokens, and the checker bounds how many
//! scalars there are, so that what is counted in a text fits in 32 bits with room to spare. Should a count be larger all the same,
//! it is better to stop than to go on with another number.

/// The number of something that is listed, or how many there are.
#[inline]
pub(crate) fn index(number: usize) -> u32 {
    u32::try_from(number).expect("a text has fewer than 2^32 parts")
}

/// The same as a value of the language: lengths, numbers of processes and channels.
#[inline]
pub(crate) fn value(number: usize) -> i32 {
    i32::try_from(number).expect("a text has fewer than 2^31 parts")
}

/// The number of a process.
#[inline]
pub(crate) fn pid(number: usize) -> u8 {
    u8::try_from(number).expect("there are at most 255 processes")
}

/// The number of a place in an automaton, or of a step in it. Larger automata are refused before they are used.
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
