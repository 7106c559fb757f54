//! Channels for many senders and one receiver.

mod channel;
pub mod error;

use channel::{Channel, UNBOUNDED};
use error::{SendError, TryRecvError, TrySendError};
use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::task::{Context, Poll};

/// Makes a channel with room for so many messages.
///
/// # Panics
/// If that is none.
#[track_caller]
pub fn channel<T>(buffer: usize) -> (Sender<T>, Receiver<T>) {
    assert!(buffer > 0, "mpsc bounded channel requires buffer > 0");
    let channel = Channel::new(buffer);
    let sender = Sender {
        channel: Arc::clone(&channel),
    };
    (sender, Receiver { channel })
}

/// Makes a channel without a bound.
#[track_caller]
pub fn unbounded_channel<T>() -> (UnboundedSender<T>, UnboundedReceiver<T>) {
    let channel = Channel::new(UNBOUNDED);
    let sender = UnboundedSender {
        channel: Arc::clone(&channel),
    };
    (sender, UnboundedReceiver { channel })
}

macro_rules! senders {
    ($($sender:ident)+) => {
        $(
            impl<T> $sender<T> {
                /// Waits for the end of the receiver.
                #[track_caller]
                pub fn closed(&self) -> impl Future<Output = ()> {
                    self.channel.closed()
                }

                /// True if the receiver is gone, or was closed.
                #[track_caller]
                pub fn is_closed(&self) -> bool {
                    self.channel.is_closed()
                }

                /// True if both belong to one channel.
                pub fn same_channel(&self, other: &Self) -> bool {
                    Arc::ptr_eq(&self.channel, &other.channel)
                }
            }

            impl<T> Clone for $sender<T> {
                fn clone(&self) -> Self {
                    self.channel.add_sender();
                    $sender {
                        channel: Arc::clone(&self.channel),
                    }
                }
            }

            impl<T> Drop for $sender<T> {
                fn drop(&mut self) {
                    self.channel.drop_sender();
                }
            }

            impl<T> fmt::Debug for $sender<T> {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.debug_struct(stringify!($sender)).finish_non_exhaustive()
                }
            }
        )+
    };
}

/// Sends into a channel with a bound.
pub struct Sender<T> {
    channel: Arc<Channel<T>>,
}

/// Sends into a channel without a bound.
pub struct UnboundedSender<T> {
    channel: Arc<Channel<T>>,
}

senders!(Sender UnboundedSender);

impl<T> Sender<T> {
    /// Sends a message when there is room.
    #[track_caller]
    pub fn send(&self, value: T) -> impl Future<Output = Result<(), SendError<T>>> {
        let sent = self.channel.send(value);
        async move { sent.await.map_err(SendError) }
    }

    /// Sends a message when there is room, as a thread.
    #[track_caller]
    pub fn blocking_send(&self, value: T) -> Result<(), SendError<T>> {
        mazurka::future::block_on(self.send(value))
    }

    /// Sends a message if there is room.
    #[track_caller]
    pub fn try_send(&self, value: T) -> Result<(), TrySendError<T>> {
        self.channel.try_send(value)
    }

    /// Waits for room for one message, and keeps it.
    #[track_caller]
    pub fn reserve(&self) -> impl Future<Output = Result<Permit<'_, T>, SendError<()>>> {
        let reserved = self.channel.reserve();
        async move {
            reserved.await.map_err(SendError)?;
            Ok(Permit {
                channel: Some(&self.channel),
            })
        }
    }

    /// Keeps room for one message, if there is any.
    #[track_caller]
    pub fn try_reserve(&self) -> Result<Permit<'_, T>, TrySendError<()>> {
        self.channel.try_reserve()?;
        Ok(Permit {
            channel: Some(&self.channel),
        })
    }

    /// The same as [`Sender::reserve`], and the room keeps the sender.
    pub async fn reserve_owned(self) -> Result<OwnedPermit<T>, SendError<()>> {
        self.channel.reserve().await.map_err(SendError)?;
        Ok(OwnedPermit { sender: Some(self) })
    }

    /// For how many messages there is room now.
    #[track_caller]
    pub fn capacity(&self) -> usize {
        self.channel.capacity().0
    }

    /// For how many messages there is room at most.
    #[track_caller]
    pub fn max_capacity(&self) -> usize {
        self.channel.capacity().1
    }
}

impl<T> UnboundedSender<T> {
    /// Sends a message.
    #[track_caller]
    pub fn send(&self, value: T) -> Result<(), SendError<T>> {
        let sent = self.channel.try_send(value);
        sent.map_err(|error| SendError(error.into_inner()))
    }
}

/// Room for one message; dropping it gives it back.
#[must_use = "room that is not kept is given back at once"]
pub struct Permit<'a, T> {
    /// None once it was used.
    channel: Option<&'a Channel<T>>,
}

impl<T> Permit<'_, T> {
    /// Sends a message there.
    #[track_caller]
    pub fn send(mut self, value: T) {
        if let Some(channel) = self.channel.take() {
            channel.push(value);
        }
    }
}

impl<T> Drop for Permit<'_, T> {
    fn drop(&mut self) {
        if let Some(channel) = self.channel {
            channel.release();
        }
    }
}

impl<T> fmt::Debug for Permit<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Permit").finish_non_exhaustive()
    }
}

/// Room for one message, with its sender; dropping it gives it back.
#[must_use = "room that is not kept is given back at once"]
pub struct OwnedPermit<T> {
    /// None once it was used.
    sender: Option<Sender<T>>,
}

impl<T> OwnedPermit<T> {
    /// Sends a message there; returns the sender.
    #[track_caller]
    pub fn send(mut self, value: T) -> Sender<T> {
        let sender = self.sender.take().expect("it is used once");
        sender.channel.push(value);
        sender
    }

    /// Gives the room back; returns the sender.
    #[track_caller]
    pub fn release(mut self) -> Sender<T> {
        let sender = self.sender.take().expect("it is used once");
        sender.channel.release();
        sender
    }
}

impl<T> Drop for OwnedPermit<T> {
    fn drop(&mut self) {
        if let Some(sender) = &self.sender {
            sender.channel.release();
        }
    }
}

impl<T> fmt::Debug for OwnedPermit<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OwnedPermit").finish_non_exhaustive()
    }
}

macro_rules! receivers {
    ($($receiver:ident)+) => {
        $(
            impl<T> $receiver<T> {
                /// Waits for a message. None if there will be no more.
                #[track_caller]
                pub fn recv(&mut self) -> impl Future<Output = Option<T>> {
                    self.channel.recv()
                }

                /// Waits for a message, as a thread.
                #[track_caller]
                pub fn blocking_recv(&mut self) -> Option<T> {
                    mazurka::future::block_on(self.recv())
                }

                /// A message, if there is one.
                #[track_caller]
                pub fn try_recv(&mut self) -> Result<T, TryRecvError> {
                    self.channel.try_recv()
                }

                /// Polls for a message.
                #[track_caller]
                pub fn poll_recv(&mut self, context: &mut Context<'_>) -> Poll<Option<T>> {
                    self.channel.poll_recv(context)
                }

                /// Lets nobody send any more. What was sent can still be received.
                #[track_caller]
                pub fn close(&mut self) {
                    self.channel.close();
                }

                /// True if it was closed, or there are no senders.
                #[track_caller]
                pub fn is_closed(&self) -> bool {
                    self.channel.is_done()
                }

                /// True if there is no message.
                #[track_caller]
                pub fn is_empty(&self) -> bool {
                    self.len() == 0
                }

                /// How many messages there are.
                #[track_caller]
                pub fn len(&self) -> usize {
                    self.channel.len()
                }
            }

            impl<T> Drop for $receiver<T> {
                fn drop(&mut self) {
                    self.channel.abandon();
                }
            }

            impl<T> fmt::Debug for $receiver<T> {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.debug_struct(stringify!($receiver)).finish_non_exhaustive()
                }
            }
        )+
    };
}

/// Receives from a channel with a bound.
pub struct Receiver<T> {
    channel: Arc<Channel<T>>,
}

/// Receives from a channel without a bound.
pub struct UnboundedReceiver<T> {
    channel: Arc<Channel<T>>,
}

receivers!(Receiver UnboundedReceiver);

impl<T> Receiver<T> {
    /// For how many messages there is room now.
    #[track_caller]
    pub fn capacity(&self) -> usize {
        self.channel.capacity().0
    }

    /// For how many messages there is room at most.
    #[track_caller]
    pub fn max_capacity(&self) -> usize {
        self.channel.capacity().1
    }
}
