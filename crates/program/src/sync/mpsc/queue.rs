//! Queues for the engine: the `i`-th receipt needs the `i`-th send and no other.
//!
//! Sends are ordered among each other, and so are receipts. A send and a receipt that are
//! possible in the same state commute (Godefroid's thesis, Example 3.19): the queue is neither
//! empty nor full. In a queue of capacity `c`, send `i + c` needs receipt `i`. What does not
//! block notices more: an attempt to receive depends on the send that it only just finds or misses.

use crate::execution::thread::Thread;
use crate::execution::{Event, Execution};
use crate::ids::ObjectId;
use crate::object_type::{ObjectType, Order, Step};
use crate::operation::Effect;
use crate::user::Operations;
use Op::*;

/// Operations on a queue.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Op {
    /// Puts a message in; the argument is refined to its number.
    Send,
    /// Takes a message out; the argument is refined to its number.
    Recv,
    /// Refined: the senders are gone.
    RecvClosed,
    /// Tries to put a message in.
    TrySend,
    /// Refined: tried and succeeded.
    TrySendOk,
    /// Refined: tried and found no room.
    TrySendFull,
    /// Tries to take a message out.
    TryRecv,
    /// Refined: tried and succeeded.
    TryRecvOk,
    /// Refined: tried and found nothing.
    TryRecvEmpty,
    /// Refined: tried, and the senders are gone.
    TryRecvClosed,
    /// The receiver of a rendezvous is ready, where an attempt to send can notice that.
    Listen,
    /// Waits until the message with the argument's number was taken: the second half of a rendezvous.
    Taken,
    /// Refined: the receiver went away before it took the message.
    Refused,
    /// The receiver goes away.
    CloseReceiver,
    /// A sender goes away, where visible.
    CloseSender,
}

/// The state of a queue.
#[derive(Clone, Debug)]
pub(crate) struct State {
    sent: u32,
    received: u32,
    capacity: u32,
    senders: u32,
    receiver: bool,
    /// Whether messages are handed over: an attempt to send then succeeds only if the receiver is ready.
    rendezvous: bool,
    /// Whether the receiver is ready.
    listening: bool,
}

impl State {
    /// An empty queue with one sender, for at most `capacity` messages; `u32::MAX` is no bound.
    pub(super) fn new(capacity: u32, rendezvous: bool) -> State {
        State {
            sent: 0,
            received: 0,
            capacity,
            senders: 1,
            receiver: true,
            rendezvous,
            listening: false,
        }
    }

    /// True if an attempt to send finds no room.
    fn full(&self) -> bool {
        if self.rendezvous {
            !self.listening || self.sent > self.received
        } else {
            self.sent - self.received >= self.capacity
        }
    }

    /// Sends. Returns what the operation was, the number of the message, and what the sender gets.
    fn send(&mut self, tries: bool) -> (Op, u32, u32) {
        let number = self.sent;
        if !self.receiver {
            return (Send, number, 2);
        }
        if tries && self.full() {
            return (TrySendFull, 0, 0);
        }
        self.sent += 1;
        (if tries { TrySendOk } else { Send }, number, 1)
    }

    /// Receives, likewise.
    fn receive(&mut self, tries: bool) -> (Op, u32, u32) {
        self.listening = false;
        if self.sent > self.received {
            let number = self.received;
            self.received += 1;
            return (if tries { TryRecvOk } else { Recv }, number, 1);
        }
        match (tries, self.senders) {
            (false, _) => (RecvClosed, 0, 2),
            (true, 0) => (TryRecvClosed, 0, 2),
            (true, _) => (TryRecvEmpty, 0, 0),
        }
    }

    /// Whether a message that was handed over was taken.
    fn settle(&self, number: u32) -> (Op, u32, u32) {
        if self.received > number {
            (Taken, number, 1)
        } else {
            (Refused, number, 2)
        }
    }
}

/// Sends or receives, and tells the detectors of data races.
fn transfer(execution: &mut Execution, step: Step, operation: Op) -> u32 {
    let state = execution.state::<State>(step.object);
    let (kind, arg, outcome) = match operation {
        Send | TrySend => state.send(operation == TrySend),
        Recv | TryRecv => state.receive(operation == TryRecv),
        _ => state.settle(step.arg),
    };
    if operation == TryRecv || operation == TrySend && state.rendezvous {
        execution.notices_releases = true;
    }
    execution.refine(kind, arg);
    let (id, object) = (step.thread, step.object);
    match kind {
        Send | TrySendOk => execution.detectors.sent(id, object, arg),
        Recv | TryRecvOk => execution.detectors.received(id, object, arg),
        RecvClosed | TryRecvClosed => execution.detectors.synchronised(id, object),
        _ => {}
    }
    outcome
}

/// The current thread drops a sender of a queue.
pub(super) fn hang_up(execution: &mut Execution, object: ObjectId) {
    execution.state::<State>(object).senders -= 1;
    let id = execution.current;
    execution.detectors.released(id, object, false);
    execution.leave_behind(object);
}

/// Adds a sender of a queue.
pub(super) fn add_sender(execution: &mut Execution, object: ObjectId) {
    execution.state::<State>(object).senders += 1;
    execution.disturbs();
}

fn sends(kind: Op) -> bool {
    matches!(kind, Send | TrySend | TrySendOk)
}

fn receives(kind: Op) -> bool {
    matches!(kind, Recv | TryRecvOk)
}

/// Receipts that found nothing.
fn misses(kind: Op) -> bool {
    matches!(kind, TryRecvEmpty)
}

impl ObjectType for State {
    type Operation = Op;
    const NAME: &'static str = "channel";

    fn verb(operation: Op) -> &'static str {
        match operation {
            Send => "send",
            Recv => "recv",
            RecvClosed => "recv: disconnected",
            TrySend => "try_send",
            TrySendOk => "try_send: sent",
            TrySendFull => "try_send: full",
            TryRecv => "try_recv",
            TryRecvOk => "try_recv: received",
            TryRecvEmpty => "try_recv: empty",
            TryRecvClosed => "try_recv: disconnected",
            Listen => "recv: ready",
            Taken => "send: wait until received",
            Refused => "send: never received",
            CloseReceiver => "drop receiver",
            CloseSender => "drop sender",
        }
    }

    fn possible(execution: &Execution, thread: &Thread, operation: Op) -> bool {
        let state = || execution.look::<State>(thread.pending.object);
        match operation {
            Send => !state().receiver || state().sent - state().received < state().capacity,
            Recv => state().sent > state().received || state().senders == 0,
            Taken => state().received > thread.pending.arg || !state().receiver,
            _ => true,
        }
    }

    fn perform(execution: &mut Execution, step: Step, operation: Op) -> u32 {
        match operation {
            Send | TrySend | Recv | TryRecv | Taken => return transfer(execution, step, operation),
            Listen => execution.state::<State>(step.object).listening = true,
            CloseReceiver => execution.state::<State>(step.object).receiver = false,
            CloseSender => hang_up(execution, step.object),
            _ => return step.choice,
        }
        0
    }

    fn order(&self, first: Effect<Op>, second: Effect<Op>, _: &Operations) -> Order {
        let makes_room =
            |receipt: u32, send: u32| self.capacity != u32::MAX && send == receipt.wrapping_add(self.capacity);
        let races = match second.kind {
            Send | TrySend | TrySendOk | TrySendFull => {
                if receives(first.kind) {
                    return match second.kind {
                        Send if makes_room(first.arg, second.arg) => Order::Enables,
                        TrySendOk if makes_room(first.arg, second.arg) => Order::Races,
                        _ => Order::Unordered,
                    };
                }
                // An attempt to hand over notices whether the receiver is ready. The receiver is ready until it gives up.
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
            // The operation that took the message settles what became of it, or else the receiver that went away.
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
        };
        Order::races_if(races)
    }

    fn idle(_: &Execution, _: &Event, operation: Op) -> bool {
        matches!(operation, RecvClosed | TryRecvEmpty | TryRecvClosed | TrySendFull)
    }

    fn dependent(a: Effect<Op>, b: Effect<Op>, _: &Operations) -> bool {
        let (a, b) = (a.kind, b.kind);
        // Once it is possible, it stays so, with the same outcome.
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

    /// An operation that finds that the senders are gone comes after all of them.
    fn also_after(execution: &Execution, object: ObjectId, effect: Effect<Op>, clock: &mut Vec<u32>) {
        if matches!(effect.kind, RecvClosed | TryRecvClosed) {
            execution.find_left_behind(object, clock);
        }
    }

    /// A blocked send or receipt would be the next one.
    fn blocked_arg(&self, effect: Effect<Op>) -> u32 {
        match effect.kind {
            Send => self.sent,
            Recv => self.received,
            _ => effect.arg,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn effect(kind: Op, arg: u32) -> Effect<Op> {
        Effect { kind, arg }
    }

    fn order(first: Effect<Op>, second: Effect<Op>, capacity: u32) -> Order {
        State::new(capacity, false).order(first, second, &Operations::default())
    }

    fn dependent(a: Op, b: Op) -> bool {
        State::dependent(effect(a, 0), effect(b, 0), &Operations::default())
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
