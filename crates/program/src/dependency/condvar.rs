//! Condition variables. Waiters are a set: a notification may wake any of them.
//!
//! So two waits commute. A wait and a notification do not, in either order: a notification
//! before the wait is lost. Two notifications that find nobody commute; of two that may find
//! somebody, the order decides who is woken by which.

use super::Order;
use crate::operation::Kind::{self, *};

pub(super) fn order(first: Kind, second: Kind) -> Order {
    super::races_if(dependent(first, second))
}

pub(super) fn dependent(a: Kind, b: Kind) -> bool {
    !matches!((a, b), (Wait, Wait) | (NotifyNone, NotifyNone))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lost_notification_is_another_outcome() {
        assert_eq!(order(NotifyNone, Wait), Order::Races);
        assert_eq!(order(Wait, NotifyOne), Order::Races);
        assert_eq!(order(Wait, Wait), Order::Unordered);
    }
}
