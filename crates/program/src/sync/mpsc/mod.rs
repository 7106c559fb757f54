//! Channels with many senders and one receiver, as in `std::sync::mpsc`.

pub(super) mod queue;

use crate::ids::{Handle, ObjectId};
use crate::narrow::limit;
use crate::runtime::{self, ABANDONED, Runtime};
use queue::{Op, State};
use std::collections::VecDeque;
use std::fmt;
use std::sync::mpsc as std_mpsc;
pub use std::sync::mpsc::{RecvError, RecvTimeoutError, SendError, TryRecvError, TrySendError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A channel made in a check. The scheduler knows how many messages there are; here they are.
pub(crate) struct Channel<T> {
    handle: Handle,
    messages: Mutex<VecDeque<(u32, T)>>,
    capacity: Option<usize>,
}

impl<T> Channel<T> {
    fn object(&self, rt: &Runtime) -> ObjectId {
        rt.object(&self.handle, || {
            // A message of a rendezvous is put in at once; its sender waits until it was taken.
            let capacity = match self.capacity {
                None | Some(0) => u32::MAX,
                Some(n) => limit(n),
            };
            State::new(capacity, self.capacity == Some(0))
        })
    }

    fn messages(&self) -> MutexGuard<'_, VecDeque<(u32, T)>> {
        self.messages.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[track_caller]
    pub(crate) fn send(&self, value: T) -> Result<(), SendError<T>> {
        let Some(rt) = runtime::current_for(&self.handle) else {
            self.messages().push_back((0, value));
            return Ok(());
        };
        let object = self.object(&rt);
        if rt.visible(Op::Send, object, 0) != 1 {
            return Err(SendError(value));
        }
        let number = rt.message_number();
        self.messages().push_back((number, value));
        if self.capacity == Some(0) && rt.visible(Op::Taken, object, number) != 1 {
            // The receiver went away; if the message is still there, it comes back.
            let mut messages = self.messages();
            if let Some(position) = messages.iter().position(|(n, _)| *n == number)
                && let Some((_, value)) = messages.remove(position)
            {
                return Err(SendError(value));
            }
        }
        Ok(())
    }

    #[track_caller]
    fn try_send(&self, value: T) -> Result<(), TrySendError<T>> {
        let Some(rt) = runtime::current_for(&self.handle) else {
            self.messages().push_back((0, value));
            return Ok(());
        };
        let object = self.object(&rt);
        match rt.visible(Op::TrySend, object, 0) {
            1 => {
                self.messages().push_back((rt.message_number(), value));
                Ok(())
            }
            0 => Err(TrySendError::Full(value)),
            _ => Err(TrySendError::Disconnected(value)),
        }
    }

    #[track_caller]
    pub(crate) fn recv(&self) -> Result<T, RecvError> {
        let Some(rt) = runtime::current_for(&self.handle) else {
            return self.messages().pop_front().map(|(_, value)| value).ok_or(RecvError);
        };
        let object = self.object(&rt);
        self.listen(&rt, object);
        match rt.visible(Op::Recv, object, 0) {
            1 => self.messages().pop_front().map(|(_, value)| value).ok_or(RecvError),
            _ => Err(RecvError),
        }
    }

    /// The receiver is ready for a message, if that is something to notice.
    #[track_caller]
    fn listen(&self, rt: &Runtime, object: ObjectId) {
        if self.capacity == Some(0) && !rt.abandoning() && rt.releases_are_visible() {
            rt.visible(Op::Listen, object, 0);
        }
    }

    /// Receives, or gives up at any moment.
    #[track_caller]
    fn recv_timeout(&self) -> Result<T, RecvTimeoutError> {
        if let Some(rt) = runtime::current() {
            self.listen(&rt, self.object(&rt));
        }
        self.try_recv().map_err(|error| match error {
            TryRecvError::Empty => RecvTimeoutError::Timeout,
            TryRecvError::Disconnected => RecvTimeoutError::Disconnected,
        })
    }

    #[track_caller]
    pub(crate) fn try_recv(&self) -> Result<T, TryRecvError> {
        let Some(rt) = runtime::current_for(&self.handle) else {
            return self
                .messages()
                .pop_front()
                .map(|(_, value)| value)
                .ok_or(TryRecvError::Empty);
        };
        let object = self.object(&rt);
        match rt.visible(Op::TryRecv, object, 0) {
            1 => self
                .messages()
                .pop_front()
                .map(|(_, value)| value)
                .ok_or(TryRecvError::Empty),
            2 | ABANDONED => Err(TryRecvError::Disconnected),
            _ => Err(TryRecvError::Empty),
        }
    }

    pub(crate) fn add_sender(&self) {
        if let Some(rt) = runtime::current().filter(|rt| !rt.abandoning()) {
            let object = self.object(&rt);
            queue::add_sender(&mut rt.execution.borrow_mut(), object);
        }
    }

    #[track_caller]
    pub(crate) fn drop_sender(&self) {
        if let Some(rt) = runtime::current().filter(|rt| !rt.abandoning()) {
            let object = self.object(&rt);
            if rt.releases_are_visible() {
                rt.visible(Op::CloseSender, object, 0);
            } else {
                queue::hang_up(&mut rt.execution.borrow_mut(), object);
            }
        }
    }

    #[track_caller]
    pub(crate) fn drop_receiver(&self) {
        if let Some(rt) = runtime::current().filter(|rt| !rt.abandoning()) {
            let object = self.object(&rt);
            rt.visible(Op::CloseReceiver, object, 0);
        }
        if self.capacity != Some(0) {
            let messages = std::mem::take(&mut *self.messages());
            drop(messages);
        }
    }
}

enum SenderInner<S, T> {
    Std(S),
    Controlled(Arc<Channel<T>>),
}

enum ReceiverInner<T> {
    Std(std_mpsc::Receiver<T>),
    Controlled(Arc<Channel<T>>),
}

/// The sending half of an unbounded channel.
pub struct Sender<T> {
    inner: SenderInner<std_mpsc::Sender<T>, T>,
}

/// The sending half of a bounded channel.
pub struct SyncSender<T> {
    inner: SenderInner<std_mpsc::SyncSender<T>, T>,
}

/// The receiving half.
pub struct Receiver<T> {
    inner: ReceiverInner<T>,
}

/// An unbounded channel.
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

/// A channel that holds at most `bound` messages; with 0, sending waits until the message was received.
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

#[track_caller]
pub(crate) fn controlled<T>(capacity: Option<usize>) -> Option<Arc<Channel<T>>> {
    let rt = runtime::current().filter(|rt| !rt.abandoning())?;
    let channel = Arc::new(Channel {
        handle: Handle::new(),
        messages: Mutex::new(VecDeque::new()),
        capacity,
    });
    channel.object(&rt);
    Some(channel)
}

impl<T> Sender<T> {
    /// Sends; fails if the receiver is gone.
    #[track_caller]
    pub fn send(&self, value: T) -> Result<(), SendError<T>> {
        match &self.inner {
            SenderInner::Std(sender) => sender.send(value),
            SenderInner::Controlled(channel) => channel.send(value),
        }
    }
}

impl<T> SyncSender<T> {
    /// Sends, when there is room; fails if the receiver is gone.
    #[track_caller]
    pub fn send(&self, value: T) -> Result<(), SendError<T>> {
        match &self.inner {
            SenderInner::Std(sender) => sender.send(value),
            SenderInner::Controlled(channel) => channel.send(value),
        }
    }

    /// Sends if there is room.
    #[track_caller]
    pub fn try_send(&self, value: T) -> Result<(), TrySendError<T>> {
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
    /// Waits for a message; fails if there is none and all senders are gone.
    #[track_caller]
    pub fn recv(&self) -> Result<T, RecvError> {
        match &self.inner {
            ReceiverInner::Std(receiver) => receiver.recv(),
            ReceiverInner::Controlled(channel) => channel.recv(),
        }
    }

    /// A message, if there is one.
    #[track_caller]
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        match &self.inner {
            ReceiverInner::Std(receiver) => receiver.try_recv(),
            ReceiverInner::Controlled(channel) => channel.try_recv(),
        }
    }

    /// Waits for a message, or until the time is up; under control, that is any moment.
    #[track_caller]
    pub fn recv_timeout(&self, timeout: Duration) -> Result<T, RecvTimeoutError> {
        match &self.inner {
            ReceiverInner::Std(receiver) => receiver.recv_timeout(timeout),
            ReceiverInner::Controlled(channel) => channel.recv_timeout(),
        }
    }

    /// Messages, until all senders are gone.
    pub fn iter(&self) -> Iter<'_, T> {
        Iter(self)
    }

    /// Messages that are there.
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
