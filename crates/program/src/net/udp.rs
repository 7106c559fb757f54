//! UDP datagrams.

use super::patience::Patience;
use super::{
    Bound, Exit, Network, Other, SocketAddr, ToSocketAddrs, address, may_crash, node_of, partition, place, place_at,
    port, queue,
};
use crate::ids::ThreadId;
use crate::runtime::{self, Runtime};
use crate::sync::mpsc::Channel;
use crate::thread;
use std::fmt;
use std::io;
use std::panic::Location;
use std::rc::Rc;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A socket for datagrams, as `std::net::UdpSocket`.
///
/// ```
/// use mazurka::net::UdpSocket;
/// mazurka::check(|| {
///     let a = UdpSocket::bind("10.0.0.1:1").unwrap();
///     let b = UdpSocket::bind("10.0.0.2:1").unwrap();
///     a.send_to(b"hello", "10.0.0.2:1").unwrap();
///     let mut buffer = [0; 16];
///     let (n, from) = b.recv_from(&mut buffer).unwrap();
///     assert_eq!((&buffer[..n], from), (&b"hello"[..], a.local_addr().unwrap()));
/// });
/// ```
pub struct UdpSocket {
    inner: Inner,
}

enum Inner {
    Std(std::net::UdpSocket),
    Controlled {
        address: SocketAddr,
        mailbox: Exit<Datagram>,
        peer: Mutex<Option<SocketAddr>>,
        patience: Patience,
    },
}

impl UdpSocket {
    /// Makes a socket with this address.
    #[track_caller]
    pub fn bind(at: impl ToSocketAddrs) -> io::Result<UdpSocket> {
        let Some(rt) = runtime::current() else {
            let inner = Inner::Std(std::net::UdpSocket::bind(at)?);
            return Ok(UdpSocket { inner });
        };
        may_crash(&rt);
        let address = port(&rt, address(at)?);
        place(&rt, address, true);
        if rt.network.borrow().mailboxes.contains_key(&address)
            || rt.network.borrow().others.contains_key(&(address, false))
        {
            return Err(io::Error::from(io::ErrorKind::AddrInUse));
        }
        let (entrance, mailbox) = queue().ok_or_else(|| io::Error::from(io::ErrorKind::Interrupted))?;
        opened(&mailbox, address);
        let node = node_of(&rt);
        rt.network
            .borrow_mut()
            .mailboxes
            .insert(address, Bound { entrance, node });
        Ok(UdpSocket {
            inner: Inner::Controlled {
                address,
                mailbox,
                peer: Mutex::new(None),
                patience: Patience::default(),
            },
        })
    }

    /// Its address.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        match &self.inner {
            Inner::Std(socket) => socket.local_addr(),
            Inner::Controlled { address, .. } => Ok(*address),
        }
    }

    /// Sets the address that `send` sends to. From now on the socket receives from there only.
    pub fn connect(&self, to: impl ToSocketAddrs) -> io::Result<()> {
        match &self.inner {
            Inner::Std(socket) => socket.connect(to),
            Inner::Controlled { peer, .. } => {
                *peer.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(address(to)?);
                Ok(())
            }
        }
    }

    fn peer(&self) -> io::Result<SocketAddr> {
        match &self.inner {
            Inner::Std(socket) => socket.peer_addr(),
            Inner::Controlled { peer, .. } => peer
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner)
                .ok_or_else(|| io::Error::from(io::ErrorKind::NotConnected)),
        }
    }

    /// Sends a datagram. The result does not say whether it arrives.
    #[track_caller]
    pub fn send_to(&self, bytes: &[u8], to: impl ToSocketAddrs) -> io::Result<usize> {
        let from = match &self.inner {
            Inner::Std(socket) => return socket.send_to(bytes, to),
            Inner::Controlled { address, .. } => *address,
        };
        let Some(rt) = runtime::current() else {
            return Ok(bytes.len());
        };
        may_crash(&rt);
        let to = address(to)?;
        send(&rt, from, to, bytes);
        Ok(bytes.len())
    }

    /// Sets how long receiving waits. In a check, only whether there is a timeout matters: it can pass at any moment.
    pub fn set_read_timeout(&self, duration: Option<Duration>) -> io::Result<()> {
        match &self.inner {
            Inner::Std(socket) => socket.set_read_timeout(duration),
            Inner::Controlled { patience, .. } => patience.set_read(duration),
        }
    }

    /// How long receiving waits; for ever if there is no timeout.
    pub fn read_timeout(&self) -> io::Result<Option<Duration>> {
        match &self.inner {
            Inner::Std(socket) => socket.read_timeout(),
            Inner::Controlled { patience, .. } => Ok(patience.read()),
        }
    }

    /// Sets how long sending waits. In a check it never waits.
    pub fn set_write_timeout(&self, duration: Option<Duration>) -> io::Result<()> {
        match &self.inner {
            Inner::Std(socket) => socket.set_write_timeout(duration),
            Inner::Controlled { patience, .. } => patience.set_write(duration),
        }
    }

    /// How long sending waits; for ever if there is no timeout.
    pub fn write_timeout(&self) -> io::Result<Option<Duration>> {
        match &self.inner {
            Inner::Std(socket) => socket.write_timeout(),
            Inner::Controlled { patience, .. } => Ok(patience.write()),
        }
    }

    /// Sets whether receiving fails at once instead of waiting.
    pub fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        match &self.inner {
            Inner::Std(socket) => socket.set_nonblocking(nonblocking),
            Inner::Controlled { patience, .. } => {
                patience.set_nonblocking(nonblocking);
                Ok(())
            }
        }
    }

    /// The address that it is connected to.
    pub fn peer_addr(&self) -> io::Result<SocketAddr> {
        self.peer()
    }

    /// Waits for a datagram.
    #[track_caller]
    pub fn recv_from(&self, buffer: &mut [u8]) -> io::Result<(usize, SocketAddr)> {
        let (mailbox, patience, at) = match &self.inner {
            Inner::Std(socket) => return socket.recv_from(buffer),
            Inner::Controlled {
                mailbox,
                patience,
                address,
                ..
            } => (mailbox, patience, *address),
        };
        opened(mailbox, at);
        loop {
            if let Some(rt) = runtime::current() {
                may_crash(&rt);
            }
            let received = patience.receive(&mailbox.channel)?;
            // The network itself can always send, so nothing comes only if the execution is abandoned.
            let (from, bytes) = received.ok_or_else(|| io::Error::from(io::ErrorKind::Interrupted))?;
            if self.peer().is_ok_and(|peer| peer != from) {
                continue;
            }
            let n = bytes.len().min(buffer.len());
            buffer[..n].copy_from_slice(&bytes[..n]);
            return Ok((n, from));
        }
    }

    /// Sends to the address that it is connected to.
    #[track_caller]
    pub fn send(&self, bytes: &[u8]) -> io::Result<usize> {
        if let Inner::Std(socket) = &self.inner {
            return socket.send(bytes);
        }
        self.send_to(bytes, self.peer()?)
    }

    /// Receives from the address that it is connected to.
    #[track_caller]
    pub fn recv(&self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Inner::Std(socket) = &self.inner {
            return socket.recv(buffer);
        }
        self.recv_from(buffer).map(|(n, _)| n)
    }
}

/// The sender of a datagram, and its bytes.
pub(super) type Datagram = (SocketAddr, Vec<u8>);

/// What becomes of a datagram.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Arrives,
    Lost,
    Twice,
    Delayed,
}

/// Chooses what becomes of a datagram, within the faults that are allowed.
#[track_caller]
fn fate(rt: &Runtime, id: ThreadId) -> Fate {
    let possible = {
        let execution = rt.execution.borrow();
        let (allowed, met) = (execution.settings.faults, execution.threads[id.index()].faults);
        let mut possible = vec![Fate::Arrives];
        for (more, fate) in [
            (met.losses < allowed.losses, Fate::Lost),
            (met.duplications < allowed.duplications, Fate::Twice),
            (met.delays < allowed.delays, Fate::Delayed),
        ] {
            if more {
                possible.push(fate);
            }
        }
        possible
    };
    if possible.len() == 1 {
        return Fate::Arrives;
    }
    let fate = possible[crate::choose(possible.len())];
    let mut execution = rt.execution.borrow_mut();
    let met = &mut execution.threads[id.index()].faults;
    match fate {
        Fate::Arrives => {}
        Fate::Lost => met.losses += 1,
        Fate::Twice => met.duplications += 1,
        Fate::Delayed => met.delays += 1,
    }
    fate
}

/// Sends a datagram from one address to another, with the faults that are allowed.
#[track_caller]
pub(super) fn send(rt: &Runtime, from: SocketAddr, to: SocketAddr, bytes: &[u8]) {
    let message = (from, bytes.to_vec());
    match fate(rt, rt.thread()) {
        Fate::Lost => {}
        Fate::Arrives => carry(rt, to, vec![message], true),
        Fate::Twice => carry(rt, to, vec![message.clone(), message], true),
        Fate::Delayed => carry(rt, to, vec![message], false),
    }
}

/// Sends datagrams on their way. They are a thread of their own, so that those of other senders can overtake them. If they are
/// `in_order`, they arrive after those that the same thread sent to the same socket earlier.
#[track_caller]
fn carry(rt: &Runtime, to: SocketAddr, datagrams: Vec<Datagram>, in_order: bool) {
    let link = (rt.thread(), to);
    let (from, at) = (node_of(rt), Location::caller());
    let before = in_order
        .then(|| rt.network.borrow().on_the_way.get(&link).copied())
        .flatten();
    let courier = thread::Builder::new().name("datagram".to_owned()).spawn(move || {
        let Some(rt) = runtime::current() else { return };
        if let Some(before) = before {
            thread::end::wait_for_at(&rt, before, at);
        }
        for datagram in datagrams {
            arrive(&rt, from, to, datagram, at);
        }
    });
    if let Some(id) = courier.ok().and_then(|c| c.controlled_id()) {
        let mut execution = rt.execution.borrow_mut();
        // It belongs to the network, whatever becomes of the node, and it cannot be joined.
        execution.threads[id.index()].node = 0;
        execution.threads[id.index()].joined = true;
        if in_order {
            rt.network.borrow_mut().on_the_way.insert(link, id);
        }
    }
}

/// A datagram of a node arrives at an address. It is lost if nobody has the address, or if a partition is between them.
fn arrive(rt: &Runtime, from: u32, to: SocketAddr, datagram: Datagram, at: &'static Location<'static>) {
    place_at(rt, to, false, at);
    let found = |network: &Network| {
        if let Some((Other::Datagrams(deliver), node)) = network.others.get(&(to, false)) {
            return Some((Receiver::Other(Rc::clone(deliver)), *node));
        }
        let bound = network.mailboxes.get(&to)?;
        Some((Receiver::Mailbox(Arc::clone(&bound.entrance.channel)), bound.node))
    };
    let found = found(&rt.network.borrow());
    if let Some((receiver, node)) = found
        && !partition::separates(rt, from, node, at)
    {
        match receiver {
            Receiver::Mailbox(mailbox) => drop(mailbox.send_at(rt, datagram, at)),
            Receiver::Other(deliver) => deliver(datagram.0, datagram.1),
        }
    }
}

/// Who has an address.
enum Receiver {
    Mailbox(Arc<Channel<Datagram>>),
    Other(super::other::Deliver),
}

/// The current thread uses the socket with this address. If its node crashes, the address becomes free.
fn opened(mailbox: &Exit<Datagram>, address: SocketAddr) {
    mailbox.end.used(move || free(address));
}

/// Frees an address. Datagrams look there first, so they need not be told that the mailbox is gone.
#[track_caller]
fn free(address: SocketAddr) {
    if let Some(rt) = runtime::current() {
        place(&rt, address, true);
        let mailbox = rt.network.borrow_mut().mailboxes.remove(&address);
        drop(mailbox);
    }
}

impl Drop for UdpSocket {
    fn drop(&mut self) {
        if let Inner::Controlled { address, mailbox, .. } = &self.inner
            && runtime::current().is_some_and(|rt| !rt.abandoning())
            && mailbox.end.close()
        {
            free(*address);
        }
    }
}

impl fmt::Debug for UdpSocket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UdpSocket").finish_non_exhaustive()
    }
}
