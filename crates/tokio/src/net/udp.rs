//! Datagrams.

use super::{Arrivals, ToSocketAddrs, arrive, next, retry};
use crate::sync::Wait;
use mazurka::future::__private::Cell;
use mazurka::net::__private::{Port, first};
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

/// A socket for datagrams, as `tokio::net::UdpSocket`.
pub struct UdpSocket {
    inner: Inner,
}

type Datagram = (SocketAddr, Vec<u8>);

enum Inner {
    Std(std::net::UdpSocket),
    Check {
        port: Port,
        arrivals: Arc<Cell<Arrivals<Datagram>>>,
        peer: Mutex<Option<SocketAddr>>,
    },
}

impl UdpSocket {
    /// Makes a socket with this address.
    #[track_caller]
    pub fn bind(at: impl ToSocketAddrs) -> impl Future<Output = io::Result<UdpSocket>> {
        let socket = UdpSocket::bound(at);
        async move { socket }
    }

    #[track_caller]
    fn bound(at: impl ToSocketAddrs) -> io::Result<UdpSocket> {
        let at = first(at)?;
        let arrivals = Arc::new(Arrivals::cell("UdpSocket"));
        let mine = Arc::clone(&arrivals);
        let deliver = Rc::new(move |from, bytes| drop(arrive(&mine, (from, bytes))));
        let inner = match Port::for_datagrams(at, deliver) {
            Some(port) => Inner::Check {
                port: port?,
                arrivals,
                peer: Mutex::new(None),
            },
            None => {
                let socket = std::net::UdpSocket::bind(at)?;
                socket.set_nonblocking(true)?;
                Inner::Std(socket)
            }
        };
        Ok(UdpSocket { inner })
    }

    /// Its address.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        match &self.inner {
            Inner::Std(socket) => socket.local_addr(),
            Inner::Check { port, .. } => Ok(port.address()),
        }
    }

    /// Sets the address that `send` sends to. From now on the socket receives from there only.
    pub async fn connect(&self, to: impl ToSocketAddrs) -> io::Result<()> {
        match &self.inner {
            Inner::Std(socket) => socket.connect(to),
            Inner::Check { peer, .. } => {
                *peer.lock().unwrap_or_else(PoisonError::into_inner) = Some(first(to)?);
                Ok(())
            }
        }
    }

    /// The address that it is connected to.
    pub fn peer_addr(&self) -> io::Result<SocketAddr> {
        match &self.inner {
            Inner::Std(socket) => socket.peer_addr(),
            Inner::Check { peer, .. } => {
                let peer = *peer.lock().unwrap_or_else(PoisonError::into_inner);
                peer.ok_or_else(|| io::Error::from(io::ErrorKind::NotConnected))
            }
        }
    }

    /// Sends a datagram.
    pub async fn send_to(&self, bytes: &[u8], to: impl ToSocketAddrs) -> io::Result<usize> {
        let to = first(to)?;
        match &self.inner {
            Inner::Std(socket) => retry(|| socket.send_to(bytes, to)).await,
            Inner::Check { port, .. } => {
                port.send(bytes, to);
                Ok(bytes.len())
            }
        }
    }

    /// Sends to the address that it is connected to.
    pub async fn send(&self, bytes: &[u8]) -> io::Result<usize> {
        match &self.inner {
            Inner::Std(socket) => retry(|| socket.send(bytes)).await,
            Inner::Check { .. } => self.send_to(bytes, self.peer_addr()?).await,
        }
    }

    /// Waits for a datagram.
    pub async fn recv_from(&self, buffer: &mut [u8]) -> io::Result<(usize, SocketAddr)> {
        let arrivals = match &self.inner {
            Inner::Std(socket) => return retry(|| socket.recv_from(buffer)).await,
            Inner::Check { arrivals, .. } => arrivals,
        };
        loop {
            let wait = Wait::new(arrivals, "a datagram", |arrivals| &mut arrivals.waiters);
            let (from, bytes) = next(wait).await;
            if self.peer_addr().is_ok_and(|peer| peer != from) {
                continue;
            }
            let n = bytes.len().min(buffer.len());
            buffer[..n].copy_from_slice(&bytes[..n]);
            return Ok((n, from));
        }
    }

    /// Receives from the address that it is connected to.
    pub async fn recv(&self, buffer: &mut [u8]) -> io::Result<usize> {
        match &self.inner {
            Inner::Std(socket) => retry(|| socket.recv(buffer)).await,
            Inner::Check { .. } => self.recv_from(buffer).await.map(|(n, _)| n),
        }
    }
}

impl fmt::Debug for UdpSocket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UdpSocket").finish_non_exhaustive()
    }
}
