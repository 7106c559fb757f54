//! What sockets of another kind are made of, such as those of the crate `mazurka-tokio`. What arrives is given to a function, which is
//! called in a thread of the network, or of whoever connects.

use super::{Other, address, fault, may_crash, node_of, partition, place, port};
use crate::runtime;
use std::any::Any;
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::panic::Location;
use std::rc::Rc;

/// What is done with a datagram, and whom it is from.
pub type Deliver = Rc<dyn Fn(SocketAddr, Vec<u8>)>;

/// What is done with what someone who connects has brought, and who that is.
pub type Accept = Rc<dyn Fn(SocketAddr, Box<dyn Any>)>;

/// An address that is bound. It is free when this is dropped, or when the node crashes.
pub struct Port {
    address: SocketAddr,
    listens: bool,
}

/// The nodes on both sides of a connection.
pub type Sides = (u32, u32);

impl Port {
    /// Binds an address for datagrams. None outside a check.
    #[track_caller]
    pub fn for_datagrams(at: SocketAddr, deliver: Deliver) -> Option<io::Result<Port>> {
        Port::bind(at, Other::Datagrams(deliver))
    }

    /// Binds an address for connections. None outside a check.
    #[track_caller]
    pub fn for_connections(at: SocketAddr, accept: Accept) -> Option<io::Result<Port>> {
        Port::bind(at, Other::Connections(accept))
    }

    #[track_caller]
    fn bind(at: SocketAddr, other: Other) -> Option<io::Result<Port>> {
        let rt = runtime::current()?;
        may_crash(&rt);
        let address = port(&rt, at);
        let listens = matches!(other, Other::Connections(_));
        place(&rt, address, true);
        let node = node_of(&rt);
        {
            let mut network = rt.network.borrow_mut();
            let there = if listens {
                network.listeners.contains_key(&address)
            } else {
                network.mailboxes.contains_key(&address)
            };
            if there || network.others.contains_key(&(address, listens)) {
                return Some(Err(io::Error::from(io::ErrorKind::AddrInUse)));
            }
            network.others.insert((address, listens), (other, node));
            network.open.push((node, Rc::new(move || free(address, listens))));
        }
        Some(Ok(Port { address, listens }))
    }

    /// The address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Sends a datagram from here.
    #[track_caller]
    pub fn send(&self, bytes: &[u8], to: SocketAddr) {
        if let Some(rt) = runtime::current().filter(|rt| !rt.abandoning()) {
            may_crash(&rt);
            super::udp::send(&rt, self.address, to, bytes);
        }
    }
}

#[track_caller]
fn free(address: SocketAddr, listens: bool) {
    if let Some(rt) = runtime::current().filter(|rt| !rt.abandoning()) {
        place(&rt, address, true);
        let other = rt.network.borrow_mut().others.remove(&(address, listens));
        drop(other);
    }
}

impl Drop for Port {
    fn drop(&mut self) {
        free(self.address, self.listens);
    }
}

impl fmt::Debug for Port {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.address.fmt(f)
    }
}

/// Connects to an address, and brings something there. Returns the own address. None outside a check.
#[track_caller]
pub fn connect(to: SocketAddr, bring: impl FnOnce(Sides) -> Box<dyn Any>) -> Option<io::Result<(SocketAddr, Sides)>> {
    let rt = runtime::current()?;
    may_crash(&rt);
    let local = port(&rt, SocketAddr::from(([127, 0, 0, 1], 0)));
    place(&rt, to, false);
    let found = match rt.network.borrow().others.get(&(to, true)) {
        Some((Other::Connections(accept), node)) => Some((Rc::clone(accept), *node)),
        _ => None,
    };
    let sides = (node_of(&rt), found.as_ref().map_or(0, |(_, node)| *node));
    if partition::separates(&rt, sides.0, sides.1, Location::caller()) {
        return Some(Err(io::Error::from(io::ErrorKind::TimedOut)));
    }
    let Some((accept, _)) = found else {
        return Some(Err(io::Error::from(io::ErrorKind::ConnectionRefused)));
    };
    accept(local, bring((sides.1, sides.0)));
    Some(Ok((local, sides)))
}

/// Something that is done if the node of the current thread crashes.
pub fn at_crash(close: impl Fn() + 'static) {
    if let Some(rt) = runtime::current() {
        let node = node_of(&rt);
        rt.network.borrow_mut().open.push((node, Rc::new(close)));
    }
}

/// Whether a connection breaks that the current thread is about to write to or has read from: a fault, or a partition.
#[track_caller]
pub fn breaks(sides: Option<Sides>) -> bool {
    let Some(rt) = runtime::current().filter(|rt| !rt.abandoning()) else {
        return false;
    };
    if sides.is_some() {
        may_crash(&rt);
    }
    let separated = sides.is_some_and(|(a, b)| partition::separates(&rt, a, b, Location::caller()));
    separated || fault(&rt, 1, |f| &mut f.resets) == 1
}

/// How many of so many bytes the current thread reads.
#[track_caller]
pub fn cut_short(most: usize) -> usize {
    match runtime::current() {
        Some(rt) if most > 1 => most - fault(&rt, most - 1, |f| &mut f.short_reads),
        _ => most,
    }
}

/// The first of the addresses that a caller gives.
pub fn first(at: impl std::net::ToSocketAddrs) -> io::Result<SocketAddr> {
    address(at)
}
