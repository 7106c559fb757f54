//! Sizes and indices as 32 bits, checked.
//!
//! An index that wraps would stand for another event or variable, so no index is cast.

/// A size or an index as 32 bits, as computations keep it.
///
/// # Panics
/// If it does not fit: events and variables are numbered by 32 bits, and more of them take more memory than there is.
#[inline(always)]
pub(crate) fn short(index: usize) -> u32 {
    u32::try_from(index).expect("at most 4,294,967,295 events, variables or processes")
}
