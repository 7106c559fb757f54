//! A channel for one message.

use super::batch::wake_all;
use super::permits::Wakers;
use mazurka::future::__private::{Cell, Leaf, Need};
use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

/// Errors.
pub mod error {
    use std::fmt;

    /// The sender was dropped.
    #[derive(Debug, PartialEq, Eq, Clone)]
    pub struct RecvError(pub(super) ());

    impl fmt::Display for RecvError {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("channel closed")
        }
    }

    impl std::error::Error for RecvError {}

    /// Why there is no message now.
    #[derive(Debug, PartialEq, Eq, Clone)]
    pub enum TryRecvError {
        /// It was not sent yet.
        Empty,
        /// The sender was dropped.
        Closed,
    }

    impl fmt::Display for TryRecvError {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(match self {
                TryRecvError::Empty => "channel empty",
                TryRecvError::Closed => "channel closed",
            })
        }
    }

    impl std::error::Error for TryRecvError {}
}

use error::{RecvError, TryRecvError};

struct State<T> {
    value: Option<T>,
    /// The sender may still send.
    sender: bool,
    /// The receiver still wants it.
    receiver: bool,
    receiver_waker: Option<Waker>,
    sender_waker: Option<Waker>,
}

type Shared<T> = Arc<Cell<State<T>>>;

/// What can be awaited: the message, or its end; and that the receiver does not want it.
fn gauge<T>(state: &State<T>) -> [u32; 2] {
    let arrives = state.value.is_some() || !state.sender || !state.receiver;
    [u32::from(arrives), u32::from(!state.receiver)]
}

/// Makes a channel for one message.
#[track_caller]
pub fn channel<T>() -> (Sender<T>, Receiver<T>) {
    let state = State {
        value: None,
        sender: true,
        receiver: true,
        receiver_waker: None,
        sender_waker: None,
    };
    let shared = Arc::new(Cell::new("oneshot channel", state, gauge));
    let sender = Sender {
        shared: Some(Arc::clone(&shared)),
    };
    let receiver = Receiver {
        shared: Some(shared),
        leaf: Leaf::new("a oneshot message"),
    };
    (sender, receiver)
}

/// Sends one message.
pub struct Sender<T> {
    /// None once it has sent.
    shared: Option<Shared<T>>,
}

impl<T> Sender<T> {
    /// Sends the message; it is returned if the receiver does not want it.
    #[track_caller]
    pub fn send(mut self, value: T) -> Result<(), T> {
        let shared = self.shared.take().expect("it sends once");
        let sent = shared.change(|state| {
            state.sender = false;
            if !state.receiver {
                return Err(value);
            }
            state.value = Some(value);
            Ok(state.receiver_waker.take())
        });
        wake_all(Wakers::from_iter(sent?));
        Ok(())
    }

    fn shared(&self) -> &Shared<T> {
        self.shared.as_ref().expect("it has not sent")
    }

    /// True if the receiver does not want the message.
    #[track_caller]
    pub fn is_closed(&self) -> bool {
        self.shared().look(|state| !state.receiver)
    }

    /// Waits until the receiver does not want the message.
    #[track_caller]
    pub fn closed(&mut self) -> impl Future<Output = ()> {
        let mut leaf = Leaf::new("the end of a oneshot receiver");
        let need = Need {
            index: 1,
            least: 1,
            reads: true,
        };
        poll_fn(move |context| {
            leaf.poll(self.shared(), Some(need), context, |state, context| {
                if !state.receiver {
                    return Poll::Ready(());
                }
                state.sender_waker = Some(context.waker().clone());
                Poll::Pending
            })
        })
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        if let Some(shared) = self.shared.take() {
            let waker = shared.change(|state| {
                state.sender = false;
                state.receiver_waker.take()
            });
            wake_all(Wakers::from_iter(waker));
        }
    }
}

impl<T> fmt::Debug for Sender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sender").finish_non_exhaustive()
    }
}

/// Receives one message: a future.
pub struct Receiver<T> {
    /// None once it has the message, or knows that there will be none.
    shared: Option<Shared<T>>,
    leaf: Leaf,
}

impl<T> Receiver<T> {
    /// Refuses the message, unless it was sent.
    #[track_caller]
    pub fn close(&mut self) {
        if let Some(shared) = &self.shared {
            close(shared);
        }
    }

    /// The message, if it was sent.
    #[track_caller]
    pub fn try_recv(&mut self) -> Result<T, TryRecvError> {
        let Some(shared) = &self.shared else {
            return Err(TryRecvError::Closed);
        };
        let result = shared.change(|state| match state.value.take() {
            Some(value) => Ok(value),
            None if state.sender && state.receiver => Err(TryRecvError::Empty),
            None => Err(TryRecvError::Closed),
        });
        if !matches!(result, Err(TryRecvError::Empty)) {
            self.shared = None;
        }
        result
    }

    /// Waits for the message, as a thread.
    #[track_caller]
    pub fn blocking_recv(self) -> Result<T, RecvError> {
        mazurka::future::block_on(self)
    }

    /// True if it has given its message, or failed.
    pub fn is_terminated(&self) -> bool {
        self.shared.is_none()
    }
}

#[track_caller]
fn close<T>(shared: &Cell<State<T>>) {
    let waker = shared.change(|state| {
        state.receiver = false;
        state.sender_waker.clone()
    });
    wake_all(Wakers::from_iter(waker));
}

impl<T> Future for Receiver<T> {
    type Output = Result<T, RecvError>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        let shared = this.shared.as_ref().expect("called after complete");
        let need = Need {
            index: 0,
            least: 1,
            reads: false,
        };
        let polled = this.leaf.poll(shared, Some(need), context, |state, context| {
            if let Some(value) = state.value.take() {
                return Poll::Ready(Ok(value));
            }
            if !state.sender || !state.receiver {
                return Poll::Ready(Err(RecvError(())));
            }
            state.receiver_waker = Some(context.waker().clone());
            Poll::Pending
        });
        if polled.is_ready() {
            this.shared = None;
        }
        polled
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        if let Some(shared) = &self.shared {
            close(shared);
            let value = shared.quietly(|state| state.value.take());
            drop(value);
        }
    }
}

impl<T> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receiver").finish_non_exhaustive()
    }
}
