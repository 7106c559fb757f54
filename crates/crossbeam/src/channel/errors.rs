//! Why an operation on a channel failed.

use std::error::Error;
use std::fmt;

/// All receivers are gone. The message comes back.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct SendError<T>(pub T);

/// An attempt to send has failed. The message comes back.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum TrySendError<T> {
    /// There is no room.
    Full(T),
    /// All receivers are gone.
    Disconnected(T),
}

/// Sending has failed or taken too long. The message comes back.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum SendTimeoutError<T> {
    /// There was no room.
    Timeout(T),
    /// All receivers are gone.
    Disconnected(T),
}

/// There is no message, and all senders are gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecvError;

/// An attempt to receive has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TryRecvError {
    /// There is no message.
    Empty,
    /// There is no message, and all senders are gone.
    Disconnected,
}

/// Receiving has failed or taken too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecvTimeoutError {
    /// There was no message.
    Timeout,
    /// There is no message, and all senders are gone.
    Disconnected,
}

/// No operation is possible now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrySelectError;

/// No operation was possible before the time was up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SelectTimeoutError;

/// No operation is possible now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TryReadyError;

/// No operation was possible before the time was up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadyTimeoutError;

impl<T> SendError<T> {
    /// The message.
    pub fn into_inner(self) -> T {
        self.0
    }
}

impl<T> TrySendError<T> {
    /// The message.
    pub fn into_inner(self) -> T {
        match self {
            TrySendError::Full(message) | TrySendError::Disconnected(message) => message,
        }
    }

    /// True if there is no room.
    pub fn is_full(&self) -> bool {
        matches!(self, TrySendError::Full(_))
    }

    /// True if all receivers are gone.
    pub fn is_disconnected(&self) -> bool {
        matches!(self, TrySendError::Disconnected(_))
    }
}

impl<T> SendTimeoutError<T> {
    /// The message.
    pub fn into_inner(self) -> T {
        match self {
            SendTimeoutError::Timeout(message) | SendTimeoutError::Disconnected(message) => message,
        }
    }

    /// True if there was no room.
    pub fn is_timeout(&self) -> bool {
        matches!(self, SendTimeoutError::Timeout(_))
    }

    /// True if all receivers are gone.
    pub fn is_disconnected(&self) -> bool {
        matches!(self, SendTimeoutError::Disconnected(_))
    }
}

impl TryRecvError {
    /// True if there is no message.
    pub fn is_empty(&self) -> bool {
        *self == TryRecvError::Empty
    }

    /// True if all senders are gone.
    pub fn is_disconnected(&self) -> bool {
        *self == TryRecvError::Disconnected
    }
}

impl RecvTimeoutError {
    /// True if there was no message.
    pub fn is_timeout(&self) -> bool {
        *self == RecvTimeoutError::Timeout
    }

    /// True if all senders are gone.
    pub fn is_disconnected(&self) -> bool {
        *self == RecvTimeoutError::Disconnected
    }
}

impl<T> fmt::Debug for SendError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SendError(..)")
    }
}

impl<T> fmt::Debug for TrySendError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_full() { "Full(..)" } else { "Disconnected(..)" })
    }
}

impl<T> fmt::Debug for SendTimeoutError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_timeout() {
            "Timeout(..)"
        } else {
            "Disconnected(..)"
        })
    }
}

/// What errors say.
macro_rules! says {
    ($([$($parameter:tt)*] $error:ty: $text:literal),+ $(,)?) => {
        $(
            impl<$($parameter)*> fmt::Display for $error {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str($text)
                }
            }

            impl<$($parameter)*> Error for $error {}
        )+
    };
}

says!(
    [T] SendError<T>: "sending on a disconnected channel",
    [T] TrySendError<T>: "sending on a channel that is full or disconnected",
    [T] SendTimeoutError<T>: "sending on a channel timed out, or the channel is disconnected",
    [] RecvError: "receiving on an empty and disconnected channel",
    [] TryRecvError: "receiving on a channel that is empty or disconnected",
    [] RecvTimeoutError: "receiving on a channel timed out, or the channel is disconnected",
    [] TrySelectError: "no operation is possible",
    [] SelectTimeoutError: "no operation was possible in time",
    [] TryReadyError: "no operation is possible",
    [] ReadyTimeoutError: "no operation was possible in time",
);
