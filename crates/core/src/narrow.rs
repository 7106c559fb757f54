//! Conversions between widths of numbers that check what they assume.
//!
//! An index that wraps around is another index, and a search would go on with the wrong state. So sizes and indices are
//! never cast: one that does not fit panics with a message that names the limit. On 64-bit targets [`index`] costs
//! nothing.

/// A size or an index as 32 bits, as tables keep it.
///
/// # Panics
/// If it does not fit.
#[inline(always)]
pub(crate) fn short(index: usize) -> u32 {
    u32::try_from(index).expect("a table has at most 4,294,967,295 entries")
}

/// A number that was an index before it was stored.
///
/// # Panics
/// If it does not fit, which can happen on 32-bit targets.
#[inline(always)]
pub(crate) fn index(number: u64) -> usize {
    usize::try_from(number).expect("an index fits the address space")
}

/// The two halves of a word, the high one first.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "each half is meant")]
pub(crate) fn halves(word: u64) -> (u32, u32) {
    ((word >> 32) as u32, word as u32)
}

/// The two halves of a product, the high one first.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "each half is meant")]
pub(crate) fn words(product: u128) -> (u64, u64) {
    ((product >> 64) as u64, product as u64)
}

/// The lowest eight bits.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "the rest is masked away")]
pub(crate) fn low_byte(number: usize) -> u8 {
    (number & 0xff) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_wraps() {
        assert_eq!(short(7), 7);
        assert!(std::panic::catch_unwind(|| short(1 << 32)).is_err());
        assert_eq!(halves(0x1_0000_0002), (1, 2));
        assert_eq!(words(3 << 64 | 4), (3, 4));
        assert_eq!(low_byte(0x1ff), 0xff);
    }
}
