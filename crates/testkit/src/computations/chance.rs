//! Percentages.

use fastrand::Rng;

/// True in this many cases out of a hundred.
pub(crate) fn chance(rng: &mut Rng, percent: u32) -> bool {
    rng.u32(0..100) < percent
}
