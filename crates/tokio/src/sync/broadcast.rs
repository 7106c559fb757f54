//! A channel whose receivers each get all messages.

use super::batch::wake_all;
use super::permits::Wakers;
use super::waiters::{Wait, Waiters};
use mazurka::future::__private::{Cell, Need};
use std::collections::VecDeque;
use std::fmt;
use std::future::{Future, poll_fn};
use std::sync::Arc;

/// Errors.
pub mod error {
    use std::fmt;

    /// There are no receivers. It has the message.
    #[derive(Debug, PartialEq, Eq)]
    pub struct SendError<T>(pub T);

    impl<T> fmt::Display for SendError<T> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("channel closed")
        }
    }

    impl<T: fmt::Debug> std::error::Error for SendError<T> {}

    /// Why nothing was received.
    #[derive(Debug, PartialEq, Eq, Clone)]
    pub enum RecvError {
        /// There are no senders, and no more messages.
        Closed,
        /// The receiver was too slow: so many messages are gone.
        Lagged(u64),
    }

    impl fmt::Display for RecvError {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            match self {
                RecvError::Closed => f.write_str("channel closed"),
                RecvError::Lagged(n) => write!(f, "channel lagged by {n}"),
            }
        }
    }

    impl std::error::Error for RecvError {}

    /// Why nothing can be received now.
    #[derive(Debug, PartialEq, Eq, Clone)]
    pub enum TryRecvError {
        /// There is no message.
        Empty,
        /// There are no senders, and no more messages.
        Closed,
        /// The receiver was too slow: so many messages are gone.
        Lagged(u64),
    }

    impl fmt::Display for TryRecvError {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            match self {
                TryRecvError::Empty => f.write_str("channel empty"),
                TryRecvError::Closed => f.write_str("channel closed"),
                TryRecvError::Lagged(n) => write!(f, "channel lagged by {n}"),
            }
        }
    }

    impl std::error::Error for TryRecvError {}
}

use error::{RecvError, SendError, TryRecvError};

struct State<T> {
    /// The last messages, each with how many receivers still want it. The first is the oldest.
    slots: VecDeque<(Option<T>, usize)>,
    /// How many messages were sent.
    tail: u64,
    capacity: usize,
    senders: usize,
    receivers: usize,
    waiters: Waiters,
}

impl<T: Clone> State<T> {
    /// The next message for a receiver that has got all before `next`.
    fn receive(&mut self, next: &mut u64) -> Result<T, TryRecvError> {
        if *next == self.tail {
            let closed = self.senders == 0;
            return Err(if closed {
                TryRecvError::Closed
            } else {
                TryRecvError::Empty
            });
        }
        let oldest = self.tail - self.slots.len() as u64;
        if *next < oldest {
            let missed = oldest - *next;
            *next = oldest;
            return Err(TryRecvError::Lagged(missed));
        }
        let at = usize::try_from(*next - oldest).expect("a number of a slot");
        *next += 1;
        let (value, wanted) = &mut self.slots[at];
        *wanted -= 1;
        let received = if *wanted == 0 { value.take() } else { value.clone() };
        Ok(received.expect("a message that is wanted"))
    }
}

type Shared<T> = Arc<Cell<State<T>>>;

fn gauge<T>(state: &State<T>) -> [u32; 2] {
    let sent = u32::try_from(state.tail).unwrap_or(u32::MAX);
    [if state.senders == 0 { u32::MAX } else { sent }, 0]
}

/// Makes a channel that keeps so many messages, rounded up to a power of two as tokio does.
///
/// # Panics
/// If the capacity is 0.
#[track_caller]
pub fn channel<T: Clone>(capacity: usize) -> (Sender<T>, Receiver<T>) {
    let sender = Sender::new(capacity);
    let receiver = sender.subscribe();
    (sender, receiver)
}

/// Sends to all receivers.
pub struct Sender<T> {
    shared: Shared<T>,
}

impl<T> Sender<T> {
    /// Makes a channel without receivers.
    #[track_caller]
    pub fn new(capacity: usize) -> Sender<T> {
        assert!(capacity > 0, "broadcast channel capacity cannot be zero");
        let state = State {
            slots: VecDeque::new(),
            tail: 0,
            capacity: capacity.next_power_of_two(),
            senders: 1,
            receivers: 0,
            waiters: Waiters::new(),
        };
        Sender {
            shared: Arc::new(Cell::new("broadcast channel", state, gauge)),
        }
    }

    /// Sends to all receivers; returns how many there are.
    #[track_caller]
    pub fn send(&self, value: T) -> Result<usize, SendError<T>> {
        let (result, old, wakers) = self.shared.change(|state| {
            let receivers = state.receivers;
            if receivers == 0 {
                return (Err(SendError(value)), None, Wakers::new());
            }
            let full = state.slots.len() == state.capacity;
            let old = if full { state.slots.pop_front() } else { None };
            state.slots.push_back((Some(value), receivers));
            state.tail += 1;
            (Ok(receivers), old, state.waiters.take())
        });
        drop(old);
        wake_all(wakers);
        result
    }

    /// A receiver of all messages from now on.
    #[track_caller]
    pub fn subscribe(&self) -> Receiver<T> {
        subscribe(&self.shared)
    }

    /// How many receivers there are.
    #[track_caller]
    pub fn receiver_count(&self) -> usize {
        self.shared.look(|state| state.receivers)
    }

    /// True if both belong to one channel.
    pub fn same_channel(&self, other: &Sender<T>) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }
}

#[track_caller]
fn subscribe<T>(shared: &Shared<T>) -> Receiver<T> {
    let next = shared.change(|state| {
        state.receivers += 1;
        state.tail
    });
    Receiver {
        shared: Arc::clone(shared),
        next,
    }
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Sender<T> {
        // Nobody can tell how many there are, as long as there is one.
        self.shared.quietly(|state| state.senders += 1);
        Sender {
            shared: Arc::clone(&self.shared),
        }
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        let wakers = self.shared.change(|state| {
            state.senders -= 1;
            if state.senders == 0 {
                state.waiters.take()
            } else {
                Wakers::new()
            }
        });
        wake_all(wakers);
    }
}

impl<T> fmt::Debug for Sender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("broadcast::Sender").finish_non_exhaustive()
    }
}

/// Receives all messages that are sent while it exists.
pub struct Receiver<T> {
    shared: Shared<T>,
    /// How many messages were sent before its next one.
    next: u64,
}

impl<T: Clone> Receiver<T> {
    /// Waits for the next message.
    #[track_caller]
    pub fn recv(&mut self) -> impl Future<Output = Result<T, RecvError>> {
        let Receiver { shared, next } = self;
        let mut wait = Wait::new(shared, "a broadcast message", |state| &mut state.waiters);
        poll_fn(move |context| {
            let need = Need {
                index: 0,
                least: u32::try_from(*next + 1).unwrap_or(u32::MAX),
                reads: false,
            };
            wait.poll(need, context, |state| match state.receive(next) {
                Ok(value) => Some(Ok(value)),
                Err(TryRecvError::Closed) => Some(Err(RecvError::Closed)),
                Err(TryRecvError::Lagged(n)) => Some(Err(RecvError::Lagged(n))),
                Err(TryRecvError::Empty) => None,
            })
        })
    }

    /// Waits for the next message, as a thread.
    #[track_caller]
    pub fn blocking_recv(&mut self) -> Result<T, RecvError> {
        mazurka::future::block_on(self.recv())
    }

    /// The next message, if there is one.
    #[track_caller]
    pub fn try_recv(&mut self) -> Result<T, TryRecvError> {
        self.shared.change(|state| state.receive(&mut self.next))
    }
}

impl<T> Receiver<T> {
    /// How many messages were sent that it has not received.
    #[track_caller]
    pub fn len(&self) -> usize {
        let tail = self.shared.look(|state| state.tail);
        usize::try_from(tail - self.next).unwrap_or(usize::MAX)
    }

    /// True if it has received all messages.
    #[track_caller]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Another receiver of all messages from now on.
    #[track_caller]
    pub fn resubscribe(&self) -> Receiver<T> {
        subscribe(&self.shared)
    }

    /// True if both belong to one channel.
    pub fn same_channel(&self, other: &Receiver<T>) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        let unwanted = self.shared.change(|state| {
            state.receivers -= 1;
            let oldest = state.tail - state.slots.len() as u64;
            let first = usize::try_from(self.next.max(oldest) - oldest).expect("a number of a slot");
            let mut unwanted = Vec::new();
            for (value, wanted) in state.slots.iter_mut().skip(first) {
                *wanted -= 1;
                if *wanted == 0 {
                    unwanted.extend(value.take());
                }
            }
            unwanted
        });
        drop(unwanted);
    }
}

impl<T> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("broadcast::Receiver").finish_non_exhaustive()
    }
}
