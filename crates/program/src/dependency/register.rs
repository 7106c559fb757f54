//! Atomics. Two reads commute, and an update that changed nothing was a read.

use crate::operation::Kind::{self, Load};

pub(super) fn dependent(a: Kind, b: Kind) -> bool {
    !(a == Load && b == Load)
}
