//! Connections.

use super::pipe::{End, Pipe};
use super::{Arrivals, ToSocketAddrs, arrive, next, retry};
use crate::io::{AsyncRead, AsyncWrite, ReadBuf};
use crate::sync::Wait;
use mazurka::future::__private::{Cell, Leaf};
use mazurka::net::__private::{self as net, Port, Sides, first};
use std::fmt;
use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr};
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};

/// A socket that waits for connections, as `tokio::net::TcpListener`.
pub struct TcpListener {
    inner: ListenerInner,
}

enum ListenerInner {
    Std(std::net::TcpListener),
    Check {
        port: Port,
        arrivals: Arc<Cell<Arrivals<Call>>>,
    },
}

/// What a listener gets for a new connection.
struct Call {
    peer: SocketAddr,
    ends: Ends,
}

/// A stream of bytes in both directions, as `tokio::net::TcpStream`.
#[derive(Debug)]
pub struct TcpStream {
    read: OwnedReadHalf,
    write: OwnedWriteHalf,
}

/// Half of a stream, as `tokio::net::tcp::OwnedReadHalf`.
pub struct OwnedReadHalf {
    side: Arc<Side>,
    leaf: Leaf,
    ticket: Option<u64>,
    /// Received and not yet read.
    rest: Vec<u8>,
}

/// Half of a stream, as `tokio::net::tcp::OwnedWriteHalf`.
pub struct OwnedWriteHalf {
    side: Arc<Side>,
}

/// One side of a connection.
struct Side {
    local: SocketAddr,
    peer: SocketAddr,
    inner: SideInner,
}

enum SideInner {
    Std(std::net::TcpStream),
    Check(Ends),
}

/// Both directions, as one side has them.
struct Ends {
    into: Arc<Pipe>,
    out: Arc<Pipe>,
    /// The nodes on this side and on the other one.
    sides: Sides,
    /// It was reset on this side.
    reset: AtomicBool,
}

impl TcpListener {
    /// Makes a listener at this address.
    #[track_caller]
    pub fn bind(at: impl ToSocketAddrs) -> impl Future<Output = io::Result<TcpListener>> {
        let listener = TcpListener::bound(at);
        async move { listener }
    }

    #[track_caller]
    fn bound(at: impl ToSocketAddrs) -> io::Result<TcpListener> {
        let at = first(at)?;
        let arrivals = Arc::new(Arrivals::cell("TcpListener"));
        let mine = Arc::clone(&arrivals);
        let accept = Rc::new(move |peer, ends: Box<dyn std::any::Any>| {
            if let Ok(ends) = ends.downcast::<Ends>()
                && let Some(refused) = arrive(&mine, Call { peer, ends: *ends })
            {
                refused.ends.close();
            }
        });
        let inner = match Port::for_connections(at, accept) {
            Some(port) => {
                let (port, crashed) = (port?, Arc::clone(&arrivals));
                net::at_crash(move || refuse_all(&crashed));
                ListenerInner::Check { port, arrivals }
            }
            None => {
                let listener = std::net::TcpListener::bind(at)?;
                listener.set_nonblocking(true)?;
                ListenerInner::Std(listener)
            }
        };
        Ok(TcpListener { inner })
    }

    /// Its address.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        match &self.inner {
            ListenerInner::Std(listener) => listener.local_addr(),
            ListenerInner::Check { port, .. } => Ok(port.address()),
        }
    }

    /// Waits for a connection.
    pub async fn accept(&self) -> io::Result<(TcpStream, SocketAddr)> {
        match &self.inner {
            ListenerInner::Std(listener) => {
                let (stream, peer) = retry(|| listener.accept()).await?;
                Ok((TcpStream::of_std(stream)?, peer))
            }
            ListenerInner::Check { port, arrivals } => {
                let wait = Wait::new(arrivals, "a connection", |arrivals| &mut arrivals.waiters);
                let Call { peer, ends } = next(wait).await;
                Ok((TcpStream::of_check(port.address(), peer, ends), peer))
            }
        }
    }
}

/// Nobody will accept what has arrived, or what still arrives.
#[track_caller]
fn refuse_all(arrivals: &Cell<Arrivals<Call>>) {
    let refused = arrivals.change(|arrivals| {
        arrivals.closed = true;
        std::mem::take(&mut arrivals.queue)
    });
    for call in refused {
        call.ends.close();
    }
}

impl Drop for TcpListener {
    fn drop(&mut self) {
        if let ListenerInner::Check { arrivals, .. } = &self.inner {
            refuse_all(arrivals);
        }
    }
}

impl TcpStream {
    /// Connects to an address. Fails if there is no listener, or if a partition is in between.
    #[track_caller]
    pub fn connect(to: impl ToSocketAddrs) -> impl Future<Output = io::Result<TcpStream>> {
        let stream = TcpStream::connected(to);
        async move { stream }
    }

    #[track_caller]
    fn connected(to: impl ToSocketAddrs) -> io::Result<TcpStream> {
        let to = first(to)?;
        let (into, out) = (Arc::new(Pipe::new()), Arc::new(Pipe::new()));
        let bring = |sides| -> Box<dyn std::any::Any> {
            Box::new(Ends {
                into: Arc::clone(&out),
                out: Arc::clone(&into),
                sides,
                reset: AtomicBool::new(false),
            })
        };
        match net::connect(to, bring) {
            None => TcpStream::of_std(std::net::TcpStream::connect(to)?),
            Some(connected) => {
                let (local, sides) = connected?;
                let reset = AtomicBool::new(false);
                let ends = Ends {
                    into,
                    out,
                    sides,
                    reset,
                };
                Ok(TcpStream::of_check(local, to, ends))
            }
        }
    }

    fn of_std(stream: std::net::TcpStream) -> io::Result<TcpStream> {
        stream.set_nonblocking(true)?;
        Ok(TcpStream::new(Side {
            local: stream.local_addr()?,
            peer: stream.peer_addr()?,
            inner: SideInner::Std(stream),
        }))
    }

    fn of_check(local: SocketAddr, peer: SocketAddr, ends: Ends) -> TcpStream {
        let (into, out) = (Arc::clone(&ends.into), Arc::clone(&ends.out));
        net::at_crash(move || {
            out.close(End::Closed);
            into.leave(End::Closed);
        });
        TcpStream::new(Side {
            local,
            peer,
            inner: SideInner::Check(ends),
        })
    }

    #[track_caller]
    fn new(side: Side) -> TcpStream {
        let side = Arc::new(side);
        TcpStream {
            read: OwnedReadHalf {
                side: Arc::clone(&side),
                leaf: Leaf::new("a TcpStream"),
                ticket: None,
                rest: Vec::new(),
            },
            write: OwnedWriteHalf { side },
        }
    }

    /// Its own address.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        Ok(self.read.side.local)
    }

    /// The address of the other side.
    pub fn peer_addr(&self) -> io::Result<SocketAddr> {
        Ok(self.read.side.peer)
    }

    /// Asks for small packets to be sent at once. In a check, they always are.
    pub fn set_nodelay(&self, nodelay: bool) -> io::Result<()> {
        match &self.read.side.inner {
            SideInner::Std(stream) => stream.set_nodelay(nodelay),
            SideInner::Check(_) => Ok(()),
        }
    }

    /// Its two halves. The writing half ends its direction when it is dropped.
    pub fn into_split(self) -> (OwnedReadHalf, OwnedWriteHalf) {
        (self.read, self.write)
    }
}

impl Ends {
    /// This side is gone.
    #[track_caller]
    fn close(&self) {
        self.out.close(End::Closed);
        self.into.leave(End::Closed);
    }

    /// The connection is reset, from this side.
    #[track_caller]
    fn breaks(&self) -> io::Error {
        self.reset.store(true, Ordering::Relaxed);
        self.out.close(End::Reset);
        self.into.leave(End::Reset);
        io::Error::from(io::ErrorKind::ConnectionReset)
    }
}

impl AsyncRead for OwnedReadHalf {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let ends = match &this.side.inner {
            SideInner::Std(stream) => {
                let mut bytes = vec![0; buffer.remaining()];
                let n = {
                    let read = std::pin::pin!(retry(|| { stream }.read(&mut bytes)));
                    ready!(read.poll(context))?
                };
                buffer.put_slice(&bytes[..n]);
                return Poll::Ready(Ok(()));
            }
            SideInner::Check(ends) => ends,
        };
        if ends.reset.load(Ordering::Relaxed) {
            return Poll::Ready(Err(io::Error::from(io::ErrorKind::ConnectionReset)));
        }
        if buffer.remaining() == 0 {
            return Poll::Ready(Ok(()));
        }
        if this.rest.is_empty() {
            let chunk = ready!(ends.into.poll(&mut this.leaf, &mut this.ticket, context));
            this.leaf = Leaf::new("a TcpStream");
            this.rest = chunk?.unwrap_or_default();
        }
        if net::breaks(None) {
            return Poll::Ready(Err(ends.breaks()));
        }
        let n = net::cut_short(this.rest.len().min(buffer.remaining()));
        buffer.put_slice(&this.rest[..n]);
        this.rest.drain(..n);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for OwnedWriteHalf {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let ends = match &self.side.inner {
            SideInner::Std(stream) => {
                return std::pin::pin!(retry(|| { stream }.write(bytes))).poll(context);
            }
            SideInner::Check(ends) => ends,
        };
        if ends.reset.load(Ordering::Relaxed) {
            return Poll::Ready(Err(io::Error::from(io::ErrorKind::ConnectionReset)));
        }
        if net::breaks(Some(ends.sides)) {
            return Poll::Ready(Err(ends.breaks()));
        }
        let written = if bytes.is_empty() {
            Ok(())
        } else {
            ends.out.write(bytes)
        };
        Poll::Ready(written.map(|()| bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.side.end_writing();
        Poll::Ready(Ok(()))
    }
}

impl Side {
    fn end_writing(&self) {
        match &self.inner {
            SideInner::Std(stream) => drop(stream.shutdown(Shutdown::Write)),
            SideInner::Check(ends) => ends.out.close(End::Closed),
        }
    }
}

impl Drop for OwnedWriteHalf {
    fn drop(&mut self) {
        self.side.end_writing();
    }
}

impl Drop for OwnedReadHalf {
    fn drop(&mut self) {
        if let SideInner::Check(ends) = &self.side.inner {
            ends.into.leave(End::Closed);
        }
    }
}

impl AsyncRead for TcpStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.read).poll_read(context, buffer)
    }
}

impl AsyncWrite for TcpStream {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.write).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.write).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.write).poll_shutdown(context)
    }
}

/// Makes `Debug` for types of which nothing is shown.
macro_rules! opaque {
    ($($name:ident),+) => {
        $(impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        })+
    };
}

opaque!(TcpListener, OwnedReadHalf, OwnedWriteHalf);
