//! Shared ownership. Who becomes an owner and who ceases to be one does not depend on the order, unless somebody counts.
//!
//! The one exception is the last owner, which drops the value. It comes after all others that cease to be owners, and
//! races with each of them; these do not race among each other. So `n` owners have `n` orders and not `n!`.
//!
//! Two owners that are about to leave commute if a third one stays (the argument of [`Kind::Disown`] is how many are left). That
//! is not so for ever: when all but two have left, the order of these two matters. So whoever leaves one owner behind
//! depends on all that are about to leave, and wakes those that sleep. An attempt of which nobody knows yet how many it leaves has
//! 0 there, which depends on everything.

use crate::operation::Effect;
use crate::operation::Kind::{Count, Disown};

/// The order in which they happened matters.
pub(super) fn races(first: Effect, second: Effect) -> bool {
    match (first.kind, second.kind) {
        (Count, _) | (_, Count) => true,
        (Disown, Disown) => second.arg == 0,
        _ => false,
    }
}

pub(super) fn dependent(a: Effect, b: Effect) -> bool {
    match (a.kind, b.kind) {
        (Count, _) | (_, Count) => true,
        (Disown, Disown) => a.arg <= 1 || b.arg <= 1,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation::Kind::Own;

    fn leaves(arg: u32) -> Effect {
        Effect { kind: Disown, arg }
    }

    #[test]
    fn only_the_last_owner_races() {
        assert!(races(leaves(2), leaves(0)));
        assert!(!races(leaves(2), leaves(1)));
        let own = Effect { kind: Own, arg: 0 };
        assert!(!races(own, leaves(0)));
    }

    #[test]
    fn two_that_leave_commute_if_a_third_one_stays() {
        assert!(!dependent(leaves(2), leaves(2)));
        assert!(dependent(leaves(1), leaves(1)));
        assert!(dependent(leaves(1), leaves(2)));
    }
}
