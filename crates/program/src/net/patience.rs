//! How long a socket waits: for ever, until a timeout, or not at all.

use crate::runtime;
use crate::sync::mpsc::Channel;
use std::io;
use std::sync::mpsc::{RecvTimeoutError, TryRecvError};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The settings of a socket in a check. All handles of a socket share them.
#[derive(Debug, Default)]
pub(super) struct Patience(Mutex<Settings>);

#[derive(Debug, Default)]
struct Settings {
    nonblocking: bool,
    read: Option<Duration>,
    write: Option<Duration>,
}

impl Patience {
    fn settings(&self) -> MutexGuard<'_, Settings> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn set_nonblocking(&self, nonblocking: bool) {
        self.settings().nonblocking = nonblocking;
    }

    pub(super) fn set_read(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.settings().read = valid(timeout)?;
        Ok(())
    }

    pub(super) fn read(&self) -> Option<Duration> {
        self.settings().read
    }

    /// Writing never waits here, so it never times out.
    pub(super) fn set_write(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.settings().write = valid(timeout)?;
        Ok(())
    }

    pub(super) fn write(&self) -> Option<Duration> {
        self.settings().write
    }

    /// Receives the next thing; none if the other side is gone.
    #[track_caller]
    pub(super) fn receive<T>(&self, channel: &Channel<T>) -> io::Result<Option<T>> {
        let (nonblocking, timeout) = {
            let settings = self.settings();
            (settings.nonblocking, settings.read)
        };
        let would_block = || io::Error::from(io::ErrorKind::WouldBlock);
        let interrupted = || io::Error::from(io::ErrorKind::Interrupted);
        let gone = || runtime::current().is_none_or(|rt| rt.abandoning());
        if nonblocking {
            return match channel.try_recv() {
                Ok(value) => Ok(Some(value)),
                Err(TryRecvError::Empty) => Err(would_block()),
                Err(TryRecvError::Disconnected) if gone() => Err(interrupted()),
                Err(TryRecvError::Disconnected) => Ok(None),
            };
        }
        if let Some(timeout) = timeout {
            return match channel.recv_timeout(timeout) {
                Ok(value) => Ok(Some(value)),
                Err(RecvTimeoutError::Timeout) => Err(would_block()),
                Err(RecvTimeoutError::Disconnected) if gone() => Err(interrupted()),
                Err(RecvTimeoutError::Disconnected) => Ok(None),
            };
        }
        if let Some(rt) = runtime::current() {
            crate::node::waits(&rt);
        }
        Ok(channel.recv().ok())
    }
}

/// A timeout that sockets accept: none, or more than nothing.
fn valid(timeout: Option<Duration>) -> io::Result<Option<Duration>> {
    if timeout == Some(Duration::ZERO) {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "cannot set a 0 duration timeout",
        ));
    }
    Ok(timeout)
}
