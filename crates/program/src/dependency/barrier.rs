//! Barriers. Arrivals are ordered, because the last one is the leader.

use super::Order;
use crate::operation::Effect;
use crate::operation::Kind::{self, *};

pub(super) fn order(first: Effect, second: Effect) -> Order {
    match (first.kind, second.kind) {
        (Arrive, Arrive) => Order::Races,
        (Arrive, Pass) if first.arg == second.arg => Order::Enables,
        _ => Order::Unordered,
    }
}

pub(super) fn dependent(a: Kind, b: Kind) -> bool {
    a == Arrive && b == Arrive
}
