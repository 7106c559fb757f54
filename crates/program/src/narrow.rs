//! Counts of the parts of an execution in 32 bits, without silent truncation.
//!
//! An execution with more events, threads or objects than 32 bits can number does not fit in memory. Should a count be larger
//! nevertheless, it is better to stop than to confuse two events.

/// A count or a number in 32 bits.
#[inline(always)]
pub(crate) fn short(number: usize) -> u32 {
    u32::try_from(number).expect("an execution has at most 4,294,967,295 parts of a kind")
}

/// A limit that a program sets. What it limits is counted in 32 bits, so the largest number means no limit.
#[inline]
pub(crate) fn limit(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_wraps() {
        assert_eq!(short(7), 7);
        assert!(std::panic::catch_unwind(|| short(1 << 32)).is_err());
        assert_eq!(limit((1 << 32) + 1), u32::MAX);
    }
}
