//! Reading and writing bytes, as `tokio::io`.

use std::future::{Future, poll_fn};
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

pub use std::io::{Error, ErrorKind, Result};

/// A buffer that is filled step by step, as `tokio::io::ReadBuf`.
#[derive(Debug)]
pub struct ReadBuf<'a> {
    buffer: &'a mut [u8],
    filled: usize,
}

impl<'a> ReadBuf<'a> {
    /// A buffer with nothing in it.
    pub fn new(buffer: &'a mut [u8]) -> ReadBuf<'a> {
        ReadBuf { buffer, filled: 0 }
    }

    /// How much can be in it.
    pub fn capacity(&self) -> usize {
        self.buffer.len()
    }

    /// How much can still be added.
    pub fn remaining(&self) -> usize {
        self.buffer.len() - self.filled
    }

    /// What is in it.
    pub fn filled(&self) -> &[u8] {
        &self.buffer[..self.filled]
    }

    /// Adds bytes.
    ///
    /// # Panics
    /// If there are more than it can take.
    pub fn put_slice(&mut self, bytes: &[u8]) {
        self.buffer[self.filled..][..bytes.len()].copy_from_slice(bytes);
        self.filled += bytes.len();
    }
}

/// Bytes can be read from it.
pub trait AsyncRead {
    /// Reads what is there. If nothing was added to the buffer, it is the end.
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>>;
}

/// Bytes can be written to it.
pub trait AsyncWrite {
    /// Writes some of the bytes; returns how many.
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>>;
    /// Waits until what was written is on its way.
    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>>;
    /// Ends it.
    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>>;
}

/// What one can do with everything that can be read, as `tokio::io::AsyncReadExt`.
pub trait AsyncReadExt: AsyncRead + Unpin {
    /// Reads what is there; returns how many bytes. 0 is the end.
    fn read<'a>(&'a mut self, buffer: &'a mut [u8]) -> impl Future<Output = io::Result<usize>> + use<'a, Self> {
        poll_fn(move |context| {
            let mut buffer = ReadBuf::new(buffer);
            ready!(Pin::new(&mut *self).poll_read(context, &mut buffer))?;
            Poll::Ready(Ok(buffer.filled().len()))
        })
    }

    /// Fills the buffer. Fails at the end.
    fn read_exact<'a>(&'a mut self, buffer: &'a mut [u8]) -> impl Future<Output = io::Result<usize>> + use<'a, Self> {
        async move {
            let mut filled = 0;
            while filled < buffer.len() {
                match self.read(&mut buffer[filled..]).await? {
                    0 => return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "early eof")),
                    n => filled += n,
                }
            }
            Ok(filled)
        }
    }

    /// Reads until the end; returns how many bytes.
    fn read_to_end<'a>(&'a mut self, all: &'a mut Vec<u8>) -> impl Future<Output = io::Result<usize>> + use<'a, Self> {
        async move {
            let before = all.len();
            let mut buffer = [0; 1024];
            loop {
                match self.read(&mut buffer).await? {
                    0 => return Ok(all.len() - before),
                    n => all.extend_from_slice(&buffer[..n]),
                }
            }
        }
    }

    /// Reads text until the end; returns how many bytes.
    fn read_to_string<'a>(
        &'a mut self,
        all: &'a mut String,
    ) -> impl Future<Output = io::Result<usize>> + use<'a, Self> {
        async move {
            let mut bytes = Vec::new();
            let n = self.read_to_end(&mut bytes).await?;
            let text = String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
            all.push_str(&text);
            Ok(n)
        }
    }
}

impl<R: AsyncRead + Unpin + ?Sized> AsyncReadExt for R {}

/// What one can do with everything that can be written, as `tokio::io::AsyncWriteExt`.
pub trait AsyncWriteExt: AsyncWrite + Unpin {
    /// Writes some of the bytes; returns how many.
    fn write<'a>(&'a mut self, bytes: &'a [u8]) -> impl Future<Output = io::Result<usize>> + use<'a, Self> {
        poll_fn(move |context| Pin::new(&mut *self).poll_write(context, bytes))
    }

    /// Writes all of them.
    fn write_all<'a>(&'a mut self, mut bytes: &'a [u8]) -> impl Future<Output = io::Result<()>> + use<'a, Self> {
        async move {
            while !bytes.is_empty() {
                match self.write(bytes).await? {
                    0 => return Err(io::Error::from(io::ErrorKind::WriteZero)),
                    n => bytes = &bytes[n..],
                }
            }
            Ok(())
        }
    }

    /// Waits until what was written is on its way.
    fn flush(&mut self) -> impl Future<Output = io::Result<()>> + use<'_, Self> {
        poll_fn(move |context| Pin::new(&mut *self).poll_flush(context))
    }

    /// Ends it.
    fn shutdown(&mut self) -> impl Future<Output = io::Result<()>> + use<'_, Self> {
        poll_fn(move |context| Pin::new(&mut *self).poll_shutdown(context))
    }
}

impl<W: AsyncWrite + Unpin + ?Sized> AsyncWriteExt for W {}
