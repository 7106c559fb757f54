//! Mutexes. Two acquisitions race; a release enables the next one.
//!
//! The history of a mutex has one entry for an acquisition, which knows where it was released; an
//! acquisition that follows happens after that release, and races with the acquisition. Two
//! critical sections that only read and are one transition each ([`Kind::Peek`]) commute: the
//! composed transitions of Stoller's section 5.
//!
//! With `try_lock` in the program, releases are transitions of their own: a failed attempt
//! depends on the acquisition before it and the release after it.

use super::Order;
use crate::operation::Kind::{self, *};

pub(super) fn order(first: Kind, second: Kind) -> Order {
    match (first, second) {
        (Peek, Peek) => Order::Unordered,
        (Lock | TryLockOk | Peek, Lock | Peek | TryLock | TryLockOk | TryLockFail) => Order::Races,
        (Unlock, TryLock | TryLockOk) | (TryLockFail, Unlock) => Order::Races,
        _ => Order::Unordered,
    }
}

pub(super) fn dependent(a: Kind, b: Kind) -> bool {
    match (a, b) {
        (Peek, Peek) | (TryLockFail, TryLockFail) | (Unlock, Unlock) => false,
        // Both are possible: the mutex is held, and the attempt fails in either order only if
        // the other does not release.
        (TryLockFail, Lock | Peek | TryLockOk) | (Lock | Peek | TryLockOk, TryLockFail) => true,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_that_only_read_commute() {
        assert_eq!(order(Peek, Peek), Order::Unordered);
        assert_eq!(order(Lock, Peek), Order::Races);
        assert!(!dependent(Peek, Peek));
        assert!(dependent(Lock, Peek));
    }
}
