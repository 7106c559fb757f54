//! Statements about channels: without a bound, with room for one message, and those that hand over.

use super::Statement::{self, *};
use super::run::{Ends, GONE, Receivers, Senders};
use mazurka::sync::mpsc::{RecvTimeoutError, TryRecvError, TrySendError};
use std::time::Duration;

const DISCONNECTED: u32 = 998;
const NOT_NOW: u32 = 999;

pub(super) fn perform(statement: Statement, ends: &mut Ends, me: u32) -> Option<u32> {
    hang_up(statement, ends)
        .or_else(|| send(statement, ends.senders.as_ref(), me))
        .or_else(|| receive(statement, ends.receivers.as_ref()))
}

/// Ends of channels that are dropped.
fn hang_up(statement: Statement, ends: &mut Ends) -> Option<u32> {
    match statement {
        HangUp => ends.senders = None,
        HangUpReceivers => ends.receivers = None,
        CloneSenders => drop(ends.senders.clone()),
        _ => return None,
    }
    Some(0)
}

fn send(statement: Statement, senders: Option<&Senders>, me: u32) -> Option<u32> {
    let to: fn(&Senders, u32) -> u32 = match statement {
        Send => |s, me| u32::from(s.unbounded.send(me).is_ok()),
        SendBounded => |s, me| u32::from(s.bounded.send(me).is_ok()),
        TrySendBounded => |s, me| s.bounded.try_send(me).map_or_else(not_sent, |()| 1),
        HandOver => |s, me| u32::from(s.rendezvous.send(me).is_ok()),
        TryHandOver => |s, me| s.rendezvous.try_send(me).map_or_else(not_sent, |()| 1),
        _ => return None,
    };
    Some(senders.map_or(GONE, |senders| to(senders, me)))
}

fn receive(statement: Statement, receivers: Option<&Receivers>) -> Option<u32> {
    let second = Duration::from_secs(1);
    let from = match receivers {
        Some(receivers) => receivers,
        None => return statement.receives().then_some(GONE),
    };
    Some(match statement {
        Receive => from.unbounded.recv().unwrap_or(DISCONNECTED),
        TryReceive => from.unbounded.try_recv().unwrap_or_else(not_received),
        ReceiveTimeout => from.unbounded.recv_timeout(second).unwrap_or_else(timed_out),
        ReceiveBounded => from.bounded.recv().unwrap_or(DISCONNECTED),
        TryReceiveBounded => from.bounded.try_recv().unwrap_or_else(not_received),
        ReceiveBoundedTimeout => from.bounded.recv_timeout(second).unwrap_or_else(timed_out),
        TakeOver => from.rendezvous.recv().unwrap_or(DISCONNECTED),
        TryTakeOver => from.rendezvous.try_recv().unwrap_or_else(not_received),
        TakeOverTimeout => from.rendezvous.recv_timeout(second).unwrap_or_else(timed_out),
        ReceiveAll => from.bounded.iter().take(2).fold(0, |all, m| all * 10 + m + 1),
        Drain => from.unbounded.try_iter().fold(0, |all, m| all * 10 + m + 1),
        _ => return None,
    })
}

fn not_sent(error: TrySendError<u32>) -> u32 {
    match error {
        TrySendError::Full(_) => NOT_NOW,
        TrySendError::Disconnected(_) => DISCONNECTED,
    }
}

fn not_received(error: TryRecvError) -> u32 {
    match error {
        TryRecvError::Empty => NOT_NOW,
        TryRecvError::Disconnected => DISCONNECTED,
    }
}

fn timed_out(error: RecvTimeoutError) -> u32 {
    match error {
        RecvTimeoutError::Timeout => NOT_NOW,
        RecvTimeoutError::Disconnected => DISCONNECTED,
    }
}
