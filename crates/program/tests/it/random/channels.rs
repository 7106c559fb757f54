//! Statements about channels: without a bound, with room for one message, and those that hand over.

use super::Statement::{self, *};
use super::run::{Ends, GONE};
use mazurka::sync::mpsc;
use std::time::Duration;

pub(super) fn perform(statement: Statement, ends: &mut Ends, me: u32) -> Option<u32> {
    let Ends { senders, receivers, .. } = ends;
    let tried = |error: mpsc::TryRecvError| match error {
        mpsc::TryRecvError::Empty => 999,
        mpsc::TryRecvError::Disconnected => 998,
    };
    let timed = |error: mpsc::RecvTimeoutError| match error {
        mpsc::RecvTimeoutError::Timeout => 999,
        mpsc::RecvTimeoutError::Disconnected => 998,
    };
    let sent = |error: mpsc::TrySendError<u32>| match error {
        mpsc::TrySendError::Full(_) => 999,
        mpsc::TrySendError::Disconnected(_) => 998,
    };
    Some(match statement {
        Send => senders
            .as_ref()
            .map_or(GONE, |s| u32::from(s.unbounded.send(me).is_ok())),
        Receive => receivers.as_ref().map_or(GONE, |r| r.unbounded.recv().unwrap_or(998)),
        TryReceive => receivers
            .as_ref()
            .map_or(GONE, |r| r.unbounded.try_recv().unwrap_or_else(tried)),
        ReceiveTimeout => receivers.as_ref().map_or(GONE, |r| {
            r.unbounded.recv_timeout(Duration::from_secs(1)).unwrap_or_else(timed)
        }),
        SendBounded => senders.as_ref().map_or(GONE, |s| u32::from(s.bounded.send(me).is_ok())),
        TrySendBounded => senders
            .as_ref()
            .map_or(GONE, |s| s.bounded.try_send(me).map(|()| 1).unwrap_or_else(sent)),
        ReceiveBounded => receivers.as_ref().map_or(GONE, |r| r.bounded.recv().unwrap_or(998)),
        HandOver => senders
            .as_ref()
            .map_or(GONE, |s| u32::from(s.rendezvous.send(me).is_ok())),
        TryHandOver => senders
            .as_ref()
            .map_or(GONE, |s| s.rendezvous.try_send(me).map(|()| 1).unwrap_or_else(sent)),
        TakeOver => receivers.as_ref().map_or(GONE, |r| r.rendezvous.recv().unwrap_or(998)),
        TakeOverTimeout => receivers.as_ref().map_or(GONE, |r| {
            r.rendezvous.recv_timeout(Duration::from_secs(1)).unwrap_or_else(timed)
        }),
        HangUp => {
            *senders = None;
            0
        }
        HangUpReceivers => {
            *receivers = None;
            0
        }
        TryTakeOver => receivers
            .as_ref()
            .map_or(GONE, |r| r.rendezvous.try_recv().unwrap_or_else(tried)),
        TryReceiveBounded => receivers
            .as_ref()
            .map_or(GONE, |r| r.bounded.try_recv().unwrap_or_else(tried)),
        ReceiveBoundedTimeout => receivers.as_ref().map_or(GONE, |r| {
            r.bounded.recv_timeout(Duration::from_secs(1)).unwrap_or_else(timed)
        }),
        ReceiveAll => receivers
            .as_ref()
            .map_or(GONE, |r| r.bounded.iter().take(2).fold(0, |all, m| all * 10 + m + 1)),
        Drain => receivers
            .as_ref()
            .map_or(GONE, |r| r.unbounded.try_iter().fold(0, |all, m| all * 10 + m + 1)),
        CloneSenders => {
            drop(senders.clone());
            0
        }
        _ => return None,
    })
}
