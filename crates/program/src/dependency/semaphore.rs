//! Semaphores. Releases commute; whatever takes permits depends on everything.
//!
//! The finest relation (a release and an acquisition commute while there are permits) is not
//! weakly uniform, see `docs/deviations.md`, so this is the constant one.

use crate::operation::Kind::{self, *};

pub(super) fn dependent(a: Kind, b: Kind) -> bool {
    !matches!((a, b), (Release, Release) | (TryAcquireFail, TryAcquireFail))
}
