//! Queues: the `i`-th receipt needs the `i`-th send and no other.
//!
//! Sends are ordered among each other, and so are receipts. A send and a receipt that are
//! possible in the same state commute (Godefroid's thesis, Example 3.19): the queue is neither
//! empty nor full. In a queue of capacity `c`, send `i + c` needs receipt `i`. What does not
//! block notices more: an attempt to receive depends on the send that it just finds or misses.

use super::Order;
use crate::operation::Effect;
use crate::operation::Kind::{self, *};

fn sends(kind: Kind) -> bool {
    matches!(kind, Send | TrySend | TrySendOk)
}

fn receives(kind: Kind) -> bool {
    matches!(kind, Recv | TryRecvOk)
}

/// Receipts that found nothing.
fn misses(kind: Kind) -> bool {
    matches!(kind, TryRecvEmpty)
}

pub(super) fn order(first: Effect, second: Effect, capacity: u32) -> Order {
    let makes_room = |receipt: u32, send: u32| capacity != u32::MAX && send == receipt.wrapping_add(capacity);
    let races = match second.kind {
        Send | TrySend | TrySendOk | TrySendFull => {
            if receives(first.kind) {
                return match second.kind {
                    Send if makes_room(first.arg, second.arg) => Order::Enables,
                    TrySendOk if makes_room(first.arg, second.arg) => Order::Races,
                    _ => Order::Unordered,
                };
            }
            // An attempt to hand over notices whether the receiver is ready, which it is until it gives up.
            let notices = second.kind != Send && first.kind == Listen;
            sends(first.kind) || first.kind == CloseReceiver || misses(first.kind) || notices
        }
        Recv if sends(first.kind) => {
            return if first.arg == second.arg {
                Order::Enables
            } else {
                Order::Unordered
            };
        }
        TryRecvOk if sends(first.kind) => first.arg == second.arg,
        Recv | TryRecvOk | TryRecv => receives(first.kind) || misses(first.kind) || first.kind == TrySendFull,
        RecvClosed => return Order::Unordered,
        TryRecvEmpty => receives(first.kind),
        TryRecvClosed => receives(first.kind) || first.kind == CloseSender,
        // What became of the message is settled by whoever took it, or else by the receiver that went away.
        Taken | Refused => {
            let settles = match second.kind {
                Taken => receives(first.kind) && first.arg == second.arg,
                _ => first.kind == CloseReceiver,
            };
            return if settles { Order::Enables } else { Order::Unordered };
        }
        CloseReceiver => sends(first.kind) || first.kind == TrySendFull,
        Listen => first.kind == TrySendFull,
        CloseSender => misses(first.kind),
        _ => false,
    };
    super::races_if(races)
}

pub(super) fn dependent(a: Kind, b: Kind) -> bool {
    // Once that is possible it stays so, with the same outcome.
    let settled = |k| matches!(k, Taken | Refused);
    if settled(a) || settled(b) {
        return false;
    }
    let attempts = |k| matches!(k, TrySend | TrySendOk | TrySendFull);
    if a == Listen || b == Listen {
        return attempts(a) || attempts(b);
    }
    let side = |k| match k {
        Send => 0,
        Recv | RecvClosed => 1,
        CloseSender => 2,
        _ => 3,
    };
    if matches!((a, b), (TrySendFull, TrySendFull) | (TryRecvEmpty, TryRecvEmpty)) {
        return false;
    }
    matches!((side(a), side(b)), (3, _) | (_, 3) | (0, 0) | (1, 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn effect(kind: Kind, arg: u32) -> Effect {
        Effect { kind, arg }
    }

    #[test]
    fn a_receipt_needs_its_own_message_only() {
        assert_eq!(order(effect(Send, 1), effect(Recv, 1), u32::MAX), Order::Enables);
        assert_eq!(order(effect(Send, 2), effect(Recv, 1), u32::MAX), Order::Unordered);
        assert!(!dependent(Send, Recv));
    }

    #[test]
    fn a_send_into_a_full_queue_needs_a_receipt() {
        assert_eq!(order(effect(Recv, 0), effect(Send, 2), 2), Order::Enables);
        assert_eq!(order(effect(Recv, 0), effect(Send, 3), 2), Order::Unordered);
    }

    #[test]
    fn an_attempt_to_hand_over_notices_whether_the_receiver_is_ready() {
        assert_eq!(order(effect(Listen, 0), effect(TrySendOk, 0), u32::MAX), Order::Races);
        assert_eq!(order(effect(TrySendFull, 0), effect(Listen, 0), u32::MAX), Order::Races);
        assert_eq!(order(effect(Listen, 0), effect(Send, 0), u32::MAX), Order::Unordered);
        assert!(dependent(Listen, TrySend));
        assert!(!dependent(Send, Listen));
    }

    #[test]
    fn a_message_that_was_taken_does_not_need_the_receiver_to_go() {
        assert_eq!(order(effect(TryRecvOk, 0), effect(Taken, 0), u32::MAX), Order::Enables);
        assert_eq!(
            order(effect(CloseReceiver, 0), effect(Taken, 0), u32::MAX),
            Order::Unordered
        );
        assert_eq!(
            order(effect(CloseReceiver, 0), effect(Refused, 0), u32::MAX),
            Order::Enables
        );
    }

    #[test]
    fn an_attempt_notices_whether_the_message_was_there() {
        assert_eq!(order(effect(TryRecvEmpty, 0), effect(Send, 0), u32::MAX), Order::Races);
        assert_eq!(order(effect(Send, 0), effect(TryRecvOk, 0), u32::MAX), Order::Races);
    }
}
