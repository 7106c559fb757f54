//! TCP connections.

use super::patience::Patience;
use super::{
    Bound, Entrance, Exit, Shutdown, SocketAddr, ToSocketAddrs, address, fault, may_crash, node_of, partition, place,
    port, queue,
};
use crate::runtime::{self, Runtime};
use std::fmt;
use std::io::{self, Read, Write};
use std::panic::Location;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A socket that waits for connections, as `std::net::TcpListener`.
///
/// ```
/// use mazurka::net::{TcpListener, TcpStream};
/// use mazurka::thread;
/// use std::io::{Read, Write};
///
/// mazurka::check(|| {
///     let listener = TcpListener::bind("10.0.0.1:80").unwrap();
///     let client = thread::spawn(|| TcpStream::connect("10.0.0.1:80").unwrap().write_all(b"hi").unwrap());
///     let (mut stream, _) = listener.accept().unwrap();
///     let mut text = String::new();
///     stream.read_to_string(&mut text).unwrap();
///     assert_eq!(text, "hi");
///     client.join().unwrap();
/// });
/// ```
pub struct TcpListener {
    inner: ListenerInner,
}

enum ListenerInner {
    Std(std::net::TcpListener),
    Controlled {
        address: SocketAddr,
        arrivals: Exit<Connection>,
        patience: Patience,
    },
}

/// What a listener gets for a new connection.
pub(crate) struct Connection {
    peer: SocketAddr,
    out: Entrance<Vec<u8>>,
    into: Exit<Vec<u8>>,
    /// The nodes on this side and on the other one.
    nodes: (u32, u32),
}

/// A stream of bytes in both directions, as `std::net::TcpStream`.
pub struct TcpStream {
    inner: StreamInner,
}

enum StreamInner {
    Std(std::net::TcpStream),
    Controlled(Arc<Stream>),
}

struct Stream {
    local: SocketAddr,
    peer: SocketAddr,
    out: Entrance<Vec<u8>>,
    into: Exit<Vec<u8>>,
    /// Bytes that were received and not yet read.
    rest: Mutex<Vec<u8>>,
    patience: Patience,
    /// The nodes on this side and on the other one.
    nodes: (u32, u32),
    /// It was reset on this side.
    reset: AtomicBool,
}

impl TcpListener {
    /// Makes a listener at this address.
    #[track_caller]
    pub fn bind(at: impl ToSocketAddrs) -> io::Result<TcpListener> {
        let Some(rt) = runtime::current() else {
            let inner = ListenerInner::Std(std::net::TcpListener::bind(at)?);
            return Ok(TcpListener { inner });
        };
        may_crash(&rt);
        let address = port(&rt, address(at)?);
        place(&rt, address, true);
        if rt.network.borrow().listeners.contains_key(&address)
            || rt.network.borrow().others.contains_key(&(address, true))
        {
            return Err(io::Error::from(io::ErrorKind::AddrInUse));
        }
        let (entrance, arrivals) = queue().ok_or_else(|| io::Error::from(io::ErrorKind::Interrupted))?;
        opened(&arrivals, address);
        let node = node_of(&rt);
        rt.network
            .borrow_mut()
            .listeners
            .insert(address, Bound { entrance, node });
        Ok(TcpListener {
            inner: ListenerInner::Controlled {
                address,
                arrivals,
                patience: Patience::default(),
            },
        })
    }

    /// Its address.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        match &self.inner {
            ListenerInner::Std(listener) => listener.local_addr(),
            ListenerInner::Controlled { address, .. } => Ok(*address),
        }
    }

    /// Waits for a connection.
    #[track_caller]
    pub fn accept(&self) -> io::Result<(TcpStream, SocketAddr)> {
        match &self.inner {
            ListenerInner::Std(listener) => {
                let (stream, peer) = listener.accept()?;
                let inner = StreamInner::Std(stream);
                Ok((TcpStream { inner }, peer))
            }
            ListenerInner::Controlled {
                address,
                arrivals,
                patience,
            } => {
                opened(arrivals, *address);
                if let Some(rt) = runtime::current() {
                    may_crash(&rt);
                }
                let arrived = patience.receive(&arrivals.channel)?;
                let connection = arrived.ok_or_else(|| io::Error::from(io::ErrorKind::Interrupted))?;
                let peer = connection.peer;
                Ok((TcpStream::controlled(*address, connection), peer))
            }
        }
    }

    /// Sets whether accepting fails at once instead of waiting.
    pub fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        match &self.inner {
            ListenerInner::Std(listener) => listener.set_nonblocking(nonblocking),
            ListenerInner::Controlled { patience, .. } => {
                patience.set_nonblocking(nonblocking);
                Ok(())
            }
        }
    }

    /// Connections, one after the other.
    pub fn incoming(&self) -> Incoming<'_> {
        Incoming(self)
    }
}

impl Drop for TcpListener {
    fn drop(&mut self) {
        if let ListenerInner::Controlled { address, .. } = &self.inner {
            free(*address);
        }
    }
}

/// The current thread uses the listener with this address. If its node crashes, the address becomes free.
fn opened(arrivals: &Exit<Connection>, address: SocketAddr) {
    let channel = Arc::clone(&arrivals.channel);
    arrivals.end.used(move || {
        free(address);
        channel.drop_receiver();
    });
}

/// Frees an address.
#[track_caller]
fn free(address: SocketAddr) {
    if let Some(rt) = runtime::current().filter(|rt| !rt.abandoning()) {
        place(&rt, address, true);
        let listener = rt.network.borrow_mut().listeners.remove(&address);
        drop(listener);
    }
}

/// Connections, one after the other.
#[derive(Debug)]
pub struct Incoming<'a>(&'a TcpListener);

impl Iterator for Incoming<'_> {
    type Item = io::Result<TcpStream>;
    fn next(&mut self) -> Option<io::Result<TcpStream>> {
        Some(self.0.accept().map(|(stream, _)| stream))
    }
}

impl TcpStream {
    fn controlled(local: SocketAddr, connection: Connection) -> TcpStream {
        let Connection { peer, out, into, nodes } = connection;
        out.used();
        into.used();
        TcpStream {
            inner: StreamInner::Controlled(Arc::new(Stream {
                local,
                peer,
                out,
                into,
                rest: Mutex::new(Vec::new()),
                patience: Patience::default(),
                nodes,
                reset: AtomicBool::new(false),
            })),
        }
    }

    /// Connects to an address. Fails if there is no listener, or if a partition is in between.
    #[track_caller]
    pub fn connect(to: impl ToSocketAddrs) -> io::Result<TcpStream> {
        let Some(rt) = runtime::current() else {
            let inner = StreamInner::Std(std::net::TcpStream::connect(to)?);
            return Ok(TcpStream { inner });
        };
        let refused = || io::Error::from(io::ErrorKind::ConnectionRefused);
        may_crash(&rt);
        let peer = address(to)?;
        let local = port(&rt, SocketAddr::from(([127, 0, 0, 1], 0)));
        place(&rt, peer, false);
        let bound = |l: &Bound<Connection>| (Arc::clone(&l.entrance.channel), l.node);
        let found = rt.network.borrow().listeners.get(&peer).map(bound);
        let nodes = (node_of(&rt), found.as_ref().map_or(0, |(_, node)| *node));
        if partition::separates(&rt, nodes.0, nodes.1, Location::caller()) {
            return Err(io::Error::from(io::ErrorKind::TimedOut));
        }
        let (channel, _) = found.ok_or_else(refused)?;
        let listener = Entrance::to(channel);
        let (out, their_in) = queue().ok_or_else(refused)?;
        let (their_out, into) = queue().ok_or_else(refused)?;
        let theirs = Connection {
            peer: local,
            out: their_out,
            into: their_in,
            nodes: (nodes.1, nodes.0),
        };
        listener.send(theirs).map_err(|_| refused())?;
        Ok(TcpStream::controlled(local, Connection { peer, out, into, nodes }))
    }

    /// The same with a timeout. In a check, an attempt to connect does not wait.
    #[track_caller]
    pub fn connect_timeout(to: &SocketAddr, timeout: Duration) -> io::Result<TcpStream> {
        if runtime::current().is_some() {
            return TcpStream::connect(to);
        }
        let inner = StreamInner::Std(std::net::TcpStream::connect_timeout(to, timeout)?);
        Ok(TcpStream { inner })
    }

    /// Sets how long reading waits. In a check, the time can be up at any moment.
    pub fn set_read_timeout(&self, duration: Option<Duration>) -> io::Result<()> {
        match &self.inner {
            StreamInner::Std(stream) => stream.set_read_timeout(duration),
            StreamInner::Controlled(stream) => stream.patience.set_read(duration),
        }
    }

    /// How long reading waits; for ever if there is no timeout.
    pub fn read_timeout(&self) -> io::Result<Option<Duration>> {
        match &self.inner {
            StreamInner::Std(stream) => stream.read_timeout(),
            StreamInner::Controlled(stream) => Ok(stream.patience.read()),
        }
    }

    /// Sets how long writing waits. In a check it never waits.
    pub fn set_write_timeout(&self, duration: Option<Duration>) -> io::Result<()> {
        match &self.inner {
            StreamInner::Std(stream) => stream.set_write_timeout(duration),
            StreamInner::Controlled(stream) => stream.patience.set_write(duration),
        }
    }

    /// How long writing waits; for ever if there is no timeout.
    pub fn write_timeout(&self) -> io::Result<Option<Duration>> {
        match &self.inner {
            StreamInner::Std(stream) => stream.write_timeout(),
            StreamInner::Controlled(stream) => Ok(stream.patience.write()),
        }
    }

    /// Sets whether reading fails at once instead of waiting.
    pub fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        match &self.inner {
            StreamInner::Std(stream) => stream.set_nonblocking(nonblocking),
            StreamInner::Controlled(stream) => {
                stream.patience.set_nonblocking(nonblocking);
                Ok(())
            }
        }
    }

    /// Asks for small packets to be sent at once. In a check, they always are.
    pub fn set_nodelay(&self, nodelay: bool) -> io::Result<()> {
        match &self.inner {
            StreamInner::Std(stream) => stream.set_nodelay(nodelay),
            StreamInner::Controlled(_) => Ok(()),
        }
    }

    /// Its own address.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        match &self.inner {
            StreamInner::Std(stream) => stream.local_addr(),
            StreamInner::Controlled(stream) => Ok(stream.local),
        }
    }

    /// The address of the other side.
    pub fn peer_addr(&self) -> io::Result<SocketAddr> {
        match &self.inner {
            StreamInner::Std(stream) => stream.peer_addr(),
            StreamInner::Controlled(stream) => Ok(stream.peer),
        }
    }

    /// Another handle of the same connection.
    pub fn try_clone(&self) -> io::Result<TcpStream> {
        let inner = match &self.inner {
            StreamInner::Std(stream) => StreamInner::Std(stream.try_clone()?),
            StreamInner::Controlled(stream) => StreamInner::Controlled(Arc::clone(stream)),
        };
        Ok(TcpStream { inner })
    }

    /// Ends the writing half. What the other side writes can still be read.
    pub fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        match &self.inner {
            StreamInner::Std(stream) => stream.shutdown(how),
            StreamInner::Controlled(stream) => {
                if how != Shutdown::Read {
                    stream.out.close();
                }
                Ok(())
            }
        }
    }
}

impl Stream {
    /// The current thread uses it: its node may crash before, or the connection may be reset.
    #[track_caller]
    fn used(&self) -> io::Result<Option<Rc<Runtime>>> {
        self.out.used();
        self.into.used();
        let Some(rt) = runtime::current() else { return Ok(None) };
        may_crash(&rt);
        if self.reset.load(Ordering::Relaxed) {
            return Err(broken());
        }
        if fault(&rt, 1, |f| &mut f.resets) == 1 {
            return Err(self.breaks());
        }
        Ok(Some(rt))
    }

    /// The connection is reset, from this side.
    #[track_caller]
    fn breaks(&self) -> io::Error {
        self.reset.store(true, Ordering::Relaxed);
        self.out.reset();
        self.into.reset();
        broken()
    }

    #[track_caller]
    fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        let rt = self.used()?;
        let rest = || self.rest.lock().unwrap_or_else(PoisonError::into_inner);
        if buffer.is_empty() {
            return Ok(0);
        }
        if rest().is_empty() {
            match self.patience.receive(&self.into.channel)? {
                Some(bytes) => *rest() = bytes,
                None if self.into.reset.load(Ordering::Relaxed) => return Err(broken()),
                // The other side has closed the stream, or is gone.
                None => return Ok(0),
            }
        }
        let most = rest().len().min(buffer.len());
        let missing = rt.map_or(0, |rt| fault(&rt, most - 1, |f| &mut f.short_reads));
        let n = most - missing;
        let mut rest = rest();
        buffer[..n].copy_from_slice(&rest[..n]);
        rest.drain(..n);
        Ok(n)
    }

    #[track_caller]
    fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        let rt = self.used()?;
        if rt.is_some_and(|rt| partition::separates(&rt, self.nodes.0, self.nodes.1, Location::caller())) {
            return Err(self.breaks());
        }
        if !bytes.is_empty() {
            self.out.send(bytes.to_vec())?;
        }
        Ok(bytes.len())
    }
}

/// What an operation on a connection that was reset fails with.
fn broken() -> io::Error {
    io::Error::from(io::ErrorKind::ConnectionReset)
}

impl Read for &TcpStream {
    #[track_caller]
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &self.inner {
            StreamInner::Std(stream) => { stream }.read(buffer),
            StreamInner::Controlled(stream) => stream.read(buffer),
        }
    }
}

impl Write for &TcpStream {
    #[track_caller]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &self.inner {
            StreamInner::Std(stream) => { stream }.write(bytes),
            StreamInner::Controlled(stream) => stream.write(bytes),
        }
    }

    #[track_caller]
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &self.inner {
            StreamInner::Std(stream) => { stream }.write_all(bytes),
            // Nothing is written in parts.
            _ => self.write(bytes).map(drop),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Read for TcpStream {
    #[track_caller]
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        (&*self).read(buffer)
    }
}

impl Write for TcpStream {
    #[track_caller]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        (&*self).write(bytes)
    }

    #[track_caller]
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        (&*self).write_all(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl fmt::Debug for TcpListener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TcpListener").finish_non_exhaustive()
    }
}

impl fmt::Debug for TcpStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TcpStream").finish_non_exhaustive()
    }
}
