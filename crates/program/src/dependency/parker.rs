//! The token of a thread that parks. Leaving it twice is the same in either order.

use crate::operation::Kind::{self, Unpark};

pub(super) fn dependent(a: Kind, b: Kind) -> bool {
    !(a == Unpark && b == Unpark)
}
