//! Channels with many senders and one receiver, as in `std::sync::mpsc`.

mod channel;
pub(super) mod queue;

pub(crate) use channel::{Channel, controlled};

use crate::runtime;
use crate::thread::{Declared, Uses};
use std::fmt;
use std::sync::Arc;
use std::sync::mpsc as std_mpsc;
pub use std::sync::mpsc::{RecvError, RecvTimeoutError, SendError, TryRecvError, TrySendError};
use std::time::Duration;

enum SenderInner<S, T> {
    Std(S),
    Controlled(Arc<Channel<T>>),
}

enum ReceiverInner<T> {
    Std(std_mpsc::Receiver<T>),
    Controlled(Arc<Channel<T>>),
}

/// The sending half of an unbounded channel, as `std::sync::mpsc::Sender`.
pub struct Sender<T> {
    inner: SenderInner<std_mpsc::Sender<T>, T>,
}

/// The sending half of a bounded channel, as `std::sync::mpsc::SyncSender`.
pub struct SyncSender<T> {
    inner: SenderInner<std_mpsc::SyncSender<T>, T>,
}

/// The receiving half of a channel, as `std::sync::mpsc::Receiver`.
pub struct Receiver<T> {
    inner: ReceiverInner<T>,
}

/// Makes an unbounded channel.
///
/// ```
/// use mazurka::{sync::mpsc, thread};
///
/// mazurka::check(|| {
///     let (sender, receiver) = mpsc::channel();
///     let other = sender.clone();
///     thread::spawn(move || other.send(1).unwrap());
///     thread::spawn(move || sender.send(2).unwrap());
///     assert_eq!(receiver.iter().sum::<i32>(), 3);
/// });
/// ```
#[track_caller]
pub fn channel<T>() -> (Sender<T>, Receiver<T>) {
    let (sender, receiver) = match controlled(None) {
        Some(channel) => (
            SenderInner::Controlled(Arc::clone(&channel)),
            ReceiverInner::Controlled(channel),
        ),
        None => {
            let (sender, receiver) = std_mpsc::channel();
            (SenderInner::Std(sender), ReceiverInner::Std(receiver))
        }
    };
    (Sender { inner: sender }, Receiver { inner: receiver })
}

/// Makes a channel that holds at most `bound` messages. If it is 0, sending waits until the message is received.
#[track_caller]
pub fn sync_channel<T>(bound: usize) -> (SyncSender<T>, Receiver<T>) {
    let (sender, receiver) = match controlled(Some(bound)) {
        Some(channel) => (
            SenderInner::Controlled(Arc::clone(&channel)),
            ReceiverInner::Controlled(channel),
        ),
        None => {
            let (sender, receiver) = std_mpsc::sync_channel(bound);
            (SenderInner::Std(sender), ReceiverInner::Std(receiver))
        }
    };
    (SyncSender { inner: sender }, Receiver { inner: receiver })
}

impl<T> Sender<T> {
    /// Sends a message. Fails if the receiver is gone.
    #[track_caller]
    pub fn send(&self, value: T) -> Result<(), SendError<T>> {
        match &self.inner {
            SenderInner::Std(sender) => sender.send(value),
            SenderInner::Controlled(channel) => channel.send(value),
        }
    }
}

impl<T> SyncSender<T> {
    /// Waits for room and sends a message. Fails if the receiver is gone.
    #[track_caller]
    pub fn send(&self, value: T) -> Result<(), SendError<T>> {
        match &self.inner {
            SenderInner::Std(sender) => sender.send(value),
            SenderInner::Controlled(channel) => channel.send(value),
        }
    }

    /// Sends a message if there is room.
    #[track_caller]
    #[inline(always)]
    pub fn try_send(&self, value: T) -> Result<(), TrySendError<T>> {
        if runtime::possible() {
            crate::fiber::watched!(self.try_send_here(value))
        } else {
            self.try_send_here(value)
        }
    }

    #[inline(never)]
    #[track_caller]
    fn try_send_here(&self, value: T) -> Result<(), TrySendError<T>> {
        match &self.inner {
            SenderInner::Std(sender) => sender.try_send(value),
            SenderInner::Controlled(channel) => channel.try_send(value),
        }
    }
}

macro_rules! sender {
    ($name:ident) => {
        impl<T> Clone for $name<T> {
            fn clone(&self) -> Self {
                let inner = match &self.inner {
                    SenderInner::Std(sender) => SenderInner::Std(sender.clone()),
                    SenderInner::Controlled(channel) => {
                        channel.add_sender();
                        SenderInner::Controlled(Arc::clone(channel))
                    }
                };
                $name { inner }
            }
        }

        impl<T> Drop for $name<T> {
            #[track_caller]
            fn drop(&mut self) {
                if let SenderInner::Controlled(channel) = &self.inner {
                    channel.drop_sender();
                }
            }
        }

        impl<T> fmt::Debug for $name<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        }
    };
}

sender!(Sender);
sender!(SyncSender);

impl<T> Receiver<T> {
    /// Waits for a message. Fails if there is none and all senders are gone.
    #[track_caller]
    pub fn recv(&self) -> Result<T, RecvError> {
        match &self.inner {
            ReceiverInner::Std(receiver) => receiver.recv(),
            ReceiverInner::Controlled(channel) => channel.recv(),
        }
    }

    /// Takes a message if there is one.
    #[track_caller]
    #[inline(always)]
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        if runtime::possible() {
            crate::fiber::watched!(self.try_recv_here())
        } else {
            self.try_recv_here()
        }
    }

    #[inline(never)]
    #[track_caller]
    fn try_recv_here(&self) -> Result<T, TryRecvError> {
        match &self.inner {
            ReceiverInner::Std(receiver) => receiver.try_recv(),
            ReceiverInner::Controlled(channel) => channel.try_recv(),
        }
    }

    /// Waits for a message, or until the time is up. In a check, that can be at any moment.
    #[track_caller]
    #[inline(always)]
    pub fn recv_timeout(&self, timeout: Duration) -> Result<T, RecvTimeoutError> {
        if runtime::possible() {
            crate::fiber::watched!(self.recv_timeout_here(timeout))
        } else {
            self.recv_timeout_here(timeout)
        }
    }

    #[inline(never)]
    #[track_caller]
    fn recv_timeout_here(&self, timeout: Duration) -> Result<T, RecvTimeoutError> {
        match &self.inner {
            ReceiverInner::Std(receiver) => receiver.recv_timeout(timeout),
            ReceiverInner::Controlled(channel) => channel.recv_timeout(timeout),
        }
    }

    /// An iterator over messages, which ends when all senders are gone.
    pub fn iter(&self) -> Iter<'_, T> {
        Iter(self)
    }

    /// An iterator over the messages that are there.
    pub fn try_iter(&self) -> TryIter<'_, T> {
        TryIter(self)
    }
}

impl<T> Drop for Receiver<T> {
    #[track_caller]
    fn drop(&mut self) {
        if let ReceiverInner::Controlled(channel) = &self.inner {
            channel.drop_receiver();
        }
    }
}

impl<T> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receiver").finish_non_exhaustive()
    }
}

/// Messages, until all senders are gone.
#[derive(Debug)]
pub struct Iter<'a, T>(&'a Receiver<T>);

/// Messages that are there.
#[derive(Debug)]
pub struct TryIter<'a, T>(&'a Receiver<T>);

/// Messages, until all senders are gone.
#[derive(Debug)]
pub struct IntoIter<T>(Receiver<T>);

impl<T> Iterator for Iter<'_, T> {
    type Item = T;
    fn next(&mut self) -> Option<T> {
        self.0.recv().ok()
    }
}

impl<T> Iterator for TryIter<'_, T> {
    type Item = T;
    fn next(&mut self) -> Option<T> {
        self.0.try_recv().ok()
    }
}

impl<T> Iterator for IntoIter<T> {
    type Item = T;
    fn next(&mut self) -> Option<T> {
        self.0.recv().ok()
    }
}

impl<'a, T> IntoIterator for &'a Receiver<T> {
    type Item = T;
    type IntoIter = Iter<'a, T>;
    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}

impl<T> IntoIterator for Receiver<T> {
    type Item = T;
    type IntoIter = IntoIter<T>;
    fn into_iter(self) -> IntoIter<T> {
        IntoIter(self)
    }
}

impl<T> Uses for Sender<T> {
    fn declared(&self) -> Declared {
        match &self.inner {
            SenderInner::Std(_) => Declared::default(),
            SenderInner::Controlled(channel) => channel.declared(),
        }
    }
}

impl<T> Uses for SyncSender<T> {
    fn declared(&self) -> Declared {
        match &self.inner {
            SenderInner::Std(_) => Declared::default(),
            SenderInner::Controlled(channel) => channel.declared(),
        }
    }
}

impl<T> Uses for Receiver<T> {
    fn declared(&self) -> Declared {
        match &self.inner {
            ReceiverInner::Std(_) => Declared::default(),
            ReceiverInner::Controlled(channel) => channel.declared(),
        }
    }
}
