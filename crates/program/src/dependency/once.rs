//! One-time initialisation: a lock that is taken once, and looked at afterwards.
//!
//! `BeginFirst` is an acquisition whose release is `Complete`; those that come later happen after
//! that release and race with the acquisition. `get` depends on `Complete` alone.

use super::Order;
use crate::operation::Kind::{self, *};

pub(super) fn order(first: Kind, second: Kind) -> Order {
    super::races_if(matches!(
        (first, second),
        (BeginFirst, Begin | BeginFirst | BeginDone) | (Complete, Get | GetSome) | (GetNone, Complete)
    ))
}

pub(super) fn dependent(a: Kind, b: Kind) -> bool {
    let looks = |k| matches!(k, BeginDone | Get | GetSome | GetNone);
    let begins = |k| matches!(k, Begin | BeginFirst);
    !(looks(a) && looks(b) || begins(a) && looks(b) && b != BeginDone || looks(a) && a != BeginDone && begins(b))
}
