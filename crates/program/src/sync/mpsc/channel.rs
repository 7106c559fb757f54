//! Channels in a check: the scheduler decides when messages are sent and received.

use super::queue::{self, Op, State};
use super::{RecvError, RecvTimeoutError, SendError, TryRecvError, TrySendError};
use crate::handle::Handle;
use crate::ids::ObjectId;
use crate::narrow::limit;
use crate::runtime::{self, ABANDONED, Runtime};
use std::collections::VecDeque;
use std::panic::Location;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A channel made in a check. The scheduler counts the messages; the messages themselves are here.
pub(crate) struct Channel<T> {
    handle: Handle,
    messages: Mutex<VecDeque<(u32, T)>>,
    capacity: Option<usize>,
}

impl<T> Channel<T> {
    fn object(&self, rt: &Runtime) -> ObjectId {
        rt.object(&self.handle, || {
            // A message of a rendezvous is put in at once. Its sender waits until it is taken.
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
        self.send_at(&rt, value, Location::caller())
    }

    /// Sends at a place in the program.
    pub(crate) fn send_at(&self, rt: &Runtime, value: T, at: &'static Location<'static>) -> Result<(), SendError<T>> {
        let object = self.object(rt);
        if rt.visible_at(Op::Send, object, at) != 1 {
            return Err(SendError(value));
        }
        let number = rt.message_number();
        self.messages().push_back((number, value));
        if self.capacity == Some(0) && rt.visible_with(Op::Taken, object, number, at) != 1 {
            // The receiver went away. If the message is still there, the sender gets it back.
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
    pub(super) fn try_send(&self, value: T) -> Result<(), TrySendError<T>> {
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

    /// Announces that the receiver is ready for a message, if a sender can notice that.
    #[track_caller]
    fn listen(&self, rt: &Runtime, object: ObjectId) {
        if self.capacity == Some(0) && !rt.abandoning() && rt.releases_are_visible() {
            rt.visible(Op::Listen, object, 0);
        }
    }

    /// Receives, or gives up at any moment.
    #[track_caller]
    pub(crate) fn recv_timeout(&self, timeout: Duration) -> Result<T, RecvTimeoutError> {
        let rt = runtime::current();
        if let Some(rt) = &rt {
            self.listen(rt, self.object(rt));
        }
        self.try_recv().map_err(|error| match error {
            TryRecvError::Empty => {
                if let Some(rt) = &rt {
                    crate::time::pass(rt, timeout);
                }
                RecvTimeoutError::Timeout
            }
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

/// A channel with this bound; none outside a check.
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

crate::thread::uses!([T] Channel<T>);
