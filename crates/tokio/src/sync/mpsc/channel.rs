//! The state of a channel: messages, and permits to send one.
//!
//! A message has a permit until it is received, and so has who has reserved a place. A channel without a bound has more
//! permits than messages fit into memory.

use super::super::batch::wake_all;
use super::super::permits::{Closed, Permits, Ticket, Wakers};
use super::super::waiters::{Wait, Waiters};
use super::error::{TryRecvError, TrySendError};
use mazurka::future::__private::{Cell, Leaf, Need};
use std::collections::VecDeque;
use std::future::{Future, poll_fn};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

/// The permits of a channel without a bound.
pub(super) const UNBOUNDED: usize = usize::MAX >> 3;

pub(super) struct State<T> {
    messages: VecDeque<T>,
    capacity: usize,
    permits: Permits,
    senders: usize,
    /// The receiver, if it waits.
    receiver: Option<Waker>,
    /// Senders that wait for the end of the receiver.
    abandoned: Waiters,
}

pub(super) struct Channel<T> {
    pub(super) cell: Cell<State<T>>,
}

/// What can be awaited: a message or the end of all senders, and a permit or the end of the receiver.
fn gauge<T>(state: &State<T>) -> [u32; 2] {
    let arrives = !state.messages.is_empty() || state.is_done();
    [u32::from(arrives), state.permits.gauge()]
}

impl<T> State<T> {
    /// True if there will be no more messages.
    fn is_done(&self) -> bool {
        let idle = self.permits.free() == self.capacity;
        self.messages.is_empty() && (self.senders == 0 || self.permits.is_closed() && idle)
    }

    fn receive(&mut self) -> Result<(T, Wakers), TryRecvError> {
        match self.messages.pop_front() {
            Some(message) => Ok((message, self.permits.release(1))),
            None if self.is_done() => Err(TryRecvError::Disconnected),
            None => Err(TryRecvError::Empty),
        }
    }

    fn push(&mut self, message: T) -> Wakers {
        self.messages.push_back(message);
        self.receiver.take().into_iter().collect()
    }
}

impl<T> Channel<T> {
    #[track_caller]
    pub(super) fn new(capacity: usize) -> Arc<Channel<T>> {
        let state = State {
            messages: VecDeque::new(),
            capacity,
            permits: Permits::new(capacity),
            senders: 1,
            receiver: None,
            abandoned: Waiters::new(),
        };
        Arc::new(Channel {
            cell: Cell::new("mpsc channel", state, gauge),
        })
    }

    /// Sends when there is a permit.
    #[track_caller]
    pub(super) fn send(&self, message: T) -> impl Future<Output = Result<(), T>> {
        let mut message = Some(message);
        self.acquire(1, move |state: &mut State<T>, closed| {
            let message = message.take().expect("a message is sent once");
            if closed {
                (Err(message), Wakers::new())
            } else {
                (Ok(()), state.push(message))
            }
        })
    }

    /// Waits for a permit for a message that comes later.
    #[track_caller]
    pub(super) fn reserve(&self) -> impl Future<Output = Result<(), ()>> {
        self.acquire(1, |_, closed| (if closed { Err(()) } else { Ok(()) }, Wakers::new()))
    }

    /// Waits for a permit, and does something with it in the same step.
    #[track_caller]
    fn acquire<R>(
        &self,
        n: usize,
        mut then: impl FnMut(&mut State<T>, bool) -> (R, Wakers),
    ) -> impl Future<Output = R> {
        let mut acquire = Acquire {
            channel: self,
            n,
            ticket: Ticket::default(),
            leaf: Leaf::new("room in an mpsc channel"),
        };
        poll_fn(move |context| {
            let done = std::task::ready!(acquire.poll(context, &mut then));
            wake_all(done.1);
            Poll::Ready(done.0)
        })
    }

    #[track_caller]
    pub(super) fn try_send(&self, message: T) -> Result<(), TrySendError<T>> {
        let wakers = self.cell.change(|state| match state.permits.try_acquire(1) {
            Ok(true) => Ok(state.push(message)),
            Ok(false) => Err(TrySendError::Full(message)),
            Err(Closed) => Err(TrySendError::Closed(message)),
        })?;
        wake_all(wakers);
        Ok(())
    }

    #[track_caller]
    pub(super) fn try_reserve(&self) -> Result<(), TrySendError<()>> {
        self.cell.change(|state| match state.permits.try_acquire(1) {
            Ok(true) => Ok(()),
            Ok(false) => Err(TrySendError::Full(())),
            Err(Closed) => Err(TrySendError::Closed(())),
        })
    }

    /// Sends with a permit.
    #[track_caller]
    pub(super) fn push(&self, message: T) {
        wake_all(self.cell.change(|state| state.push(message)));
    }

    /// Gives a permit back.
    #[track_caller]
    pub(super) fn release(&self) {
        let wakers = self.cell.change(|state| {
            let mut wakers = state.permits.release(1);
            if state.is_done() {
                wakers.extend(state.receiver.take());
            }
            wakers
        });
        wake_all(wakers);
    }

    #[track_caller]
    pub(super) fn recv(&self) -> impl Future<Output = Option<T>> {
        let mut leaf = Leaf::new("a message of an mpsc channel");
        let need = Need {
            index: 0,
            least: 1,
            reads: false,
        };
        poll_fn(move |context| self.poll_with(&mut leaf, Some(need), context))
    }

    /// Polls for a message.
    #[track_caller]
    pub(super) fn poll_recv(&self, context: &mut Context<'_>) -> Poll<Option<T>> {
        self.cell.must_be_polled();
        self.poll_with(&mut Leaf::new("a message of an mpsc channel"), None, context)
    }

    fn poll_with(&self, leaf: &mut Leaf, need: Option<Need>, context: &mut Context<'_>) -> Poll<Option<T>> {
        let received = leaf.poll(&self.cell, need, context, |state, context| match state.receive() {
            Ok((message, wakers)) => Poll::Ready(Some((message, wakers))),
            Err(TryRecvError::Disconnected) => Poll::Ready(None),
            Err(TryRecvError::Empty) => {
                state.receiver = Some(context.waker().clone());
                Poll::Pending
            }
        });
        received.map(|received| {
            let (message, wakers) = received?;
            wake_all(wakers);
            Some(message)
        })
    }

    #[track_caller]
    pub(super) fn try_recv(&self) -> Result<T, TryRecvError> {
        let (message, wakers) = self.cell.change(State::receive)?;
        wake_all(wakers);
        Ok(message)
    }

    /// Lets nobody send any more.
    #[track_caller]
    pub(super) fn close(&self) {
        let wakers = self.cell.change(|state| {
            let mut wakers = state.permits.close();
            wakers.append(&mut state.abandoned.take());
            wakers
        });
        wake_all(wakers);
    }

    /// The receiver goes away, with all messages.
    #[track_caller]
    pub(super) fn abandon(&self) {
        let (wakers, messages) = self.cell.change(|state| {
            let mut wakers = state.permits.close();
            wakers.append(&mut state.abandoned.take());
            state.permits.release(state.messages.len());
            (wakers, std::mem::take(&mut state.messages))
        });
        wake_all(wakers);
        drop(messages);
    }

    /// Another sender. Nobody can tell how many there are, as long as there is one.
    pub(super) fn add_sender(&self) {
        self.cell.quietly(|state| state.senders += 1);
    }

    #[track_caller]
    pub(super) fn drop_sender(&self) {
        let wakers = self.cell.change(|state| {
            state.senders -= 1;
            if state.senders == 0 {
                state.receiver.take().into_iter().collect()
            } else {
                Wakers::new()
            }
        });
        wake_all(wakers);
    }

    /// Waits for the end of the receiver.
    #[track_caller]
    pub(super) fn closed(&self) -> impl Future<Output = ()> {
        let mut wait = Wait::new(&self.cell, "the end of an mpsc receiver", |state| &mut state.abandoned);
        // Room and the end of the receiver are awaited with one gauge; this is not the same.
        self.cell.must_be_polled();
        let need = Need {
            index: 1,
            least: u32::MAX,
            reads: true,
        };
        poll_fn(move |context| wait.poll(need, context, |state| state.permits.is_closed().then_some(())))
    }

    #[track_caller]
    pub(super) fn is_closed(&self) -> bool {
        self.cell.look(|state| state.permits.is_closed())
    }

    #[track_caller]
    pub(super) fn is_done(&self) -> bool {
        self.cell.look(|state| state.permits.is_closed() || state.senders == 0)
    }

    #[track_caller]
    pub(super) fn len(&self) -> usize {
        self.cell.look(|state| state.messages.len())
    }

    /// How many permits are free, and how many there are.
    #[track_caller]
    pub(super) fn capacity(&self) -> (usize, usize) {
        self.cell.look(|state| (state.permits.free(), state.capacity))
    }
}

/// Waits for a permit of a channel. Dropping it gives up.
struct Acquire<'a, T> {
    channel: &'a Channel<T>,
    n: usize,
    ticket: Ticket,
    leaf: Leaf,
}

impl<T> Acquire<'_, T> {
    fn poll<R>(&mut self, context: &mut Context<'_>, then: &mut impl FnMut(&mut State<T>, bool) -> R) -> Poll<R> {
        let need = Need {
            index: 1,
            least: 1,
            reads: false,
        };
        let (ticket, n) = (&mut self.ticket, self.n);
        self.leaf
            .poll(&self.channel.cell, Some(need), context, |state, context| {
                let acquired = std::task::ready!(state.permits.poll(ticket, n, context));
                Poll::Ready(then(state, acquired.is_err()))
            })
    }
}

impl<T> Drop for Acquire<'_, T> {
    fn drop(&mut self) {
        if Permits::waits(&self.ticket) {
            let wakers = self.channel.cell.change(|state| {
                let mut wakers = state.permits.cancel(&mut self.ticket, self.n);
                if state.is_done() {
                    wakers.extend(state.receiver.take());
                }
                wakers
            });
            wake_all(wakers);
        }
    }
}
