//! Channels for any number of senders and receivers, as `crossbeam::channel`.

mod errors;
mod flavor;
mod select;
mod timer;

pub use errors::{
    ReadyTimeoutError, RecvError, RecvTimeoutError, SelectTimeoutError, SendError, SendTimeoutError, TryReadyError,
    TryRecvError, TrySelectError, TrySendError,
};
pub use select::{Select, SelectedOperation};
pub use timer::{after, at, never, tick};

#[doc(inline)]
pub use crate::__select as select;

use flavor::Channel;
use mazurka::time::{Duration, Instant};
use std::fmt;
use std::sync::Arc;
use timer::Timer;

/// The sending side of a channel.
pub struct Sender<T> {
    channel: Arc<Channel<T>>,
}

/// The receiving side of a channel.
pub struct Receiver<T> {
    source: Source<T>,
}

/// Where messages come from.
enum Source<T> {
    Channel(Arc<Channel<T>>),
    Timer(Arc<Timer<T>>),
}

/// Makes an unbounded channel.
///
/// ```
/// # use mazurka_crossbeam as crossbeam;
/// use crossbeam::channel::unbounded;
///
/// mazurka::check(|| {
///     let (sender, receiver) = unbounded();
///     mazurka::thread::spawn(move || sender.send(7).unwrap());
///     assert_eq!(receiver.recv(), Ok(7));
///     assert!(receiver.recv().is_err());
/// });
/// ```
#[track_caller]
pub fn unbounded<T>() -> (Sender<T>, Receiver<T>) {
    pair(Channel::new(None))
}

/// Makes a channel that holds at most `capacity` messages. If it is 0, sending waits until the message is received.
#[track_caller]
pub fn bounded<T>(capacity: usize) -> (Sender<T>, Receiver<T>) {
    pair(Channel::new(Some(capacity)))
}

fn pair<T>(channel: Channel<T>) -> (Sender<T>, Receiver<T>) {
    let channel = Arc::new(channel);
    let source = Source::Channel(Arc::clone(&channel));
    (Sender { channel }, Receiver { source })
}

impl<T> Sender<T> {
    /// Sends a message, and waits for room first. Fails if all receivers are gone.
    #[track_caller]
    pub fn send(&self, message: T) -> Result<(), SendError<T>> {
        self.channel
            .send(message, None)
            .map_err(|error| SendError(error.into_inner()))
    }

    /// Sends a message if there is room.
    #[track_caller]
    pub fn try_send(&self, message: T) -> Result<(), TrySendError<T>> {
        self.channel.try_send(message)
    }

    /// Sends a message, and waits for room until the time is up.
    #[track_caller]
    pub fn send_timeout(&self, message: T, timeout: Duration) -> Result<(), SendTimeoutError<T>> {
        self.channel.send(message, Some(timeout))
    }

    /// The same until the moment has come.
    #[track_caller]
    pub fn send_deadline(&self, message: T, deadline: Instant) -> Result<(), SendTimeoutError<T>> {
        self.send_timeout(message, deadline.saturating_duration_since(Instant::now()))
    }

    /// True if both belong to one channel.
    pub fn same_channel(&self, other: &Sender<T>) -> bool {
        Arc::ptr_eq(&self.channel, &other.channel)
    }

    /// True if there is no message.
    #[track_caller]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// True if there is no room.
    #[track_caller]
    pub fn is_full(&self) -> bool {
        self.capacity() == Some(self.len())
    }

    /// How many messages there are.
    #[track_caller]
    pub fn len(&self) -> usize {
        self.channel.len()
    }

    /// How many messages there can be.
    pub fn capacity(&self) -> Option<usize> {
        self.channel.capacity()
    }
}

impl<T> Receiver<T> {
    /// Waits for a message. Fails if there is none and all senders are gone.
    #[track_caller]
    pub fn recv(&self) -> Result<T, RecvError> {
        match &self.source {
            Source::Channel(channel) => channel.recv(None).map_err(|_| RecvError),
            Source::Timer(timer) => Ok(timer.wait()),
        }
    }

    /// Takes a message if there is one.
    #[track_caller]
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        match &self.source {
            Source::Channel(channel) => channel.try_recv(),
            Source::Timer(timer) => timer.look().ok_or(TryRecvError::Empty),
        }
    }

    /// Waits for a message, or until the time is up.
    #[track_caller]
    pub fn recv_timeout(&self, timeout: Duration) -> Result<T, RecvTimeoutError> {
        match &self.source {
            Source::Channel(channel) => channel.recv(Some(timeout)),
            Source::Timer(timer) => timer.wait_for(timeout).ok_or(RecvTimeoutError::Timeout),
        }
    }

    /// The same until the moment has come.
    #[track_caller]
    pub fn recv_deadline(&self, deadline: Instant) -> Result<T, RecvTimeoutError> {
        self.recv_timeout(deadline.saturating_duration_since(Instant::now()))
    }

    /// True if both belong to one channel.
    pub fn same_channel(&self, other: &Receiver<T>) -> bool {
        match (&self.source, &other.source) {
            (Source::Channel(a), Source::Channel(b)) => Arc::ptr_eq(a, b),
            (Source::Timer(a), Source::Timer(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }

    /// True if there is no message.
    #[track_caller]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// True if there is no room.
    #[track_caller]
    pub fn is_full(&self) -> bool {
        self.capacity() == Some(self.len())
    }

    /// How many messages there are. A timer's message is not counted before it is received.
    #[track_caller]
    pub fn len(&self) -> usize {
        match &self.source {
            Source::Channel(channel) => channel.len(),
            Source::Timer(_) => 0,
        }
    }

    /// How many messages there can be.
    pub fn capacity(&self) -> Option<usize> {
        match &self.source {
            Source::Channel(channel) => channel.capacity(),
            Source::Timer(timer) => Some(timer.capacity()),
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

impl<T> Clone for Sender<T> {
    #[track_caller]
    fn clone(&self) -> Sender<T> {
        self.channel.add_sender();
        Sender {
            channel: Arc::clone(&self.channel),
        }
    }
}

impl<T> Clone for Receiver<T> {
    #[track_caller]
    fn clone(&self) -> Receiver<T> {
        let source = match &self.source {
            Source::Channel(channel) => {
                channel.add_receiver();
                Source::Channel(Arc::clone(channel))
            }
            Source::Timer(timer) => Source::Timer(Arc::clone(timer)),
        };
        Receiver { source }
    }
}

impl<T> Drop for Sender<T> {
    #[track_caller]
    fn drop(&mut self) {
        self.channel.drop_sender();
    }
}

impl<T> Drop for Receiver<T> {
    #[track_caller]
    fn drop(&mut self) {
        if let Source::Channel(channel) = &self.source {
            channel.drop_receiver();
        }
    }
}

impl<T> fmt::Debug for Sender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad("Sender { .. }")
    }
}

impl<T> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad("Receiver { .. }")
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
