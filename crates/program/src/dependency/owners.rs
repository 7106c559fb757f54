//! Shared ownership. Who becomes an owner and who ceases to be one does not depend on the order, unless somebody counts.
//!
//! Which thread is the last owner, and so drops the value, is not explored: a program in which that matters depends on what
//! destructors do.

use crate::operation::Kind::{self, Own};

pub(super) fn dependent(a: Kind, b: Kind) -> bool {
    !(a == Own && b == Own)
}
