//! A network between the nodes of a check, with the names of `std::net`.
//!
//! A check has its own network: any address can be bound, and nothing leaves the process. Outside a check, sockets are
//! std's. Datagrams from one thread to one socket arrive in order, those of different threads in any order, even if one was
//! sent because of the other. A datagram finds its socket when it arrives: it is lost if nobody has the address then, and it reaches
//! a node that has restarted since it was sent. What is written to a stream is there at once. A read returns at most what one write
//! sent.
//!
//! If [`Checker::faults`](crate::Checker::faults) allows them, the search also tries lost, duplicated and overtaken datagrams, crashes of
//! nodes, partitions, connections that are reset, and reads that return fewer bytes than there are.
//!
//! Everything is made of queues and choices (Stoller, section 2: communication objects), so the
//! searches need not know about the network.

mod other;
pub(crate) mod partition;
mod patience;
pub(crate) mod place;
mod tcp;
mod udp;

/// What sockets of another kind are made of. It may change at any time.
#[doc(hidden)]
pub mod __private {
    pub use super::other::{Accept, Deliver, Port, Sides, at_crash, breaks, connect, cut_short, first};
}

pub use partition::{heal, partition};
pub use std::net::{Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr, ToSocketAddrs};
pub use tcp::{Incoming, TcpListener, TcpStream};
pub use udp::UdpSocket;

use crate::faults::Faults;
use crate::ids::ThreadId;
use crate::narrow::short;
use crate::node::{Member, may_crash};
use crate::runtime::{self, Runtime};
use crate::sync::mpsc::Channel;
use place::Place;
use std::collections::HashMap;
use std::io;
use std::panic::Location;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// The network of an execution, and the nodes that it connects.
#[derive(Default)]
pub(crate) struct Network {
    mailboxes: HashMap<SocketAddr, Bound<udp::Datagram>>,
    listeners: HashMap<SocketAddr, Bound<tcp::Connection>>,
    /// The same for sockets of another kind. Connections and datagrams have addresses of their own.
    others: HashMap<(SocketAddr, bool), (Other, u32)>,
    /// An object for each address, because threads see and change whether something is bound to it.
    places: HashMap<SocketAddr, Rc<Place>>,
    next_port: u16,
    /// The last datagram of a thread to an address.
    on_the_way: HashMap<(ThreadId, SocketAddr), ThreadId>,
    /// What the threads of each node have open, as functions that close it when the node crashes.
    open: Vec<(u32, Rc<dyn Fn()>)>,
    members: Vec<Member>,
    partitions: partition::Partitions,
    pub(crate) disks: HashMap<Rc<str>, crate::fs::Disk>,
}

/// What is bound to an address.
struct Bound<T: 'static> {
    entrance: Entrance<T>,
    /// The node that has bound it; 0 outside all nodes.
    node: u32,
}

/// What a socket of another kind does with what arrives, see `other.rs`.
enum Other {
    Datagrams(other::Deliver),
    Connections(other::Accept),
}

impl Network {
    /// Adds a node. Returns its number, from 1.
    pub(crate) fn add(&mut self, member: Member) -> u32 {
        self.members.push(member);
        short(self.members.len())
    }

    /// The node with this number.
    pub(crate) fn member(&self, node: u32) -> &Member {
        &self.members[node as usize - 1]
    }
}

/// The node of the current thread; 0 outside all nodes.
pub(crate) fn node_of(rt: &Runtime) -> u32 {
    let execution = rt.execution.borrow();
    execution.threads[execution.current.index()].node
}

/// What both ends of a queue have in common.
#[derive(Default)]
struct End {
    closed: AtomicBool,
    /// The node of the thread that last used it.
    node: AtomicU32,
}

/// True once a queue was closed because its connection was reset.
type IsReset = Arc<AtomicBool>;

impl End {
    /// Closes it; true if it was open.
    fn close(&self) -> bool {
        !self.closed.swap(true, Ordering::Relaxed)
    }

    /// Records that the current thread uses it. If the thread's node is a new one, a crash of that node will close it.
    fn used(self: &Arc<Self>, close: impl Fn() + 'static) {
        let Some(rt) = runtime::current() else { return };
        let node = node_of(&rt);
        if self.node.swap(node, Ordering::Relaxed) == node {
            return;
        }
        let end = Arc::clone(self);
        let close_if_here = move || {
            if end.node.load(Ordering::Relaxed) == node && end.close() {
                close();
            }
        };
        rt.network.borrow_mut().open.push((node, Rc::new(close_if_here)));
    }
}

/// The sending end of a queue.
pub(crate) struct Entrance<T: 'static> {
    channel: Arc<Channel<T>>,
    end: Arc<End>,
    reset: IsReset,
}

/// The receiving end.
pub(crate) struct Exit<T: 'static> {
    channel: Arc<Channel<T>>,
    end: Arc<End>,
    reset: IsReset,
}

impl<T: 'static> Entrance<T> {
    /// Another sending end of the same queue.
    fn to(channel: Arc<Channel<T>>) -> Entrance<T> {
        channel.add_sender();
        Entrance {
            channel,
            end: Arc::default(),
            reset: IsReset::default(),
        }
    }

    /// Records that the current thread uses it.
    fn used(&self) {
        let channel = Arc::clone(&self.channel);
        self.end.used(move || channel.drop_sender());
    }

    #[track_caller]
    fn send(&self, value: T) -> io::Result<()> {
        self.channel.send(value).map_err(|_| {
            let reset = self.reset.load(Ordering::Relaxed);
            io::Error::from(if reset {
                io::ErrorKind::ConnectionReset
            } else {
                io::ErrorKind::BrokenPipe
            })
        })
    }

    fn close(&self) {
        if self.end.close() {
            self.channel.drop_sender();
        }
    }

    /// Closes it because the connection is reset.
    fn reset(&self) {
        if self.end.close() {
            self.reset.store(true, Ordering::Relaxed);
            self.channel.drop_sender();
        }
    }
}

impl<T: 'static> Exit<T> {
    /// Records that the current thread uses it.
    fn used(&self) {
        let channel = Arc::clone(&self.channel);
        self.end.used(move || channel.drop_receiver());
    }

    fn close(&self) {
        if self.end.close() {
            self.channel.drop_receiver();
        }
    }

    /// Closes it because the connection is reset.
    fn reset(&self) {
        if self.end.close() {
            self.reset.store(true, Ordering::Relaxed);
            self.channel.drop_receiver();
        }
    }
}

impl<T: 'static> Drop for Entrance<T> {
    fn drop(&mut self) {
        self.close();
    }
}

impl<T: 'static> Drop for Exit<T> {
    fn drop(&mut self) {
        self.close();
    }
}

/// A queue; none outside a check.
#[track_caller]
fn queue<T: 'static>() -> Option<(Entrance<T>, Exit<T>)> {
    let channel = crate::sync::mpsc::controlled(None)?;
    let reset = IsReset::default();
    let entrance = Entrance {
        channel: Arc::clone(&channel),
        end: Arc::default(),
        reset: Arc::clone(&reset),
    };
    let exit = Exit {
        channel,
        end: Arc::default(),
        reset,
    };
    Some((entrance, exit))
}

/// The first of the addresses that a caller gives.
fn address(address: impl ToSocketAddrs) -> io::Result<SocketAddr> {
    address
        .to_socket_addrs()?
        .next()
        .ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))
}

/// The address, with a free port if it has none.
fn port(rt: &Runtime, mut address: SocketAddr) -> SocketAddr {
    if address.port() == 0 {
        let mut network = rt.network.borrow_mut();
        network.next_port += 1;
        address.set_port(49151 + network.next_port);
    }
    address
}

/// Looks at what is bound to an address, or changes it. This is a step of the search.
#[track_caller]
fn place(rt: &Runtime, address: SocketAddr, changes: bool) {
    place_at(rt, address, changes, Location::caller());
}

fn place_at(rt: &Runtime, address: SocketAddr, changes: bool, at: &'static Location<'static>) {
    let place = {
        let mut network = rt.network.borrow_mut();
        let place = network.places.entry(address);
        Rc::clone(place.or_insert_with(|| Place::new(&address.to_string())))
    };
    place.access(rt, changes, at);
}

/// Closes everything that a node has open.
pub(crate) fn close_all(rt: &Runtime, node: u32) {
    let open: Vec<Rc<dyn Fn()>> = {
        let mut network = rt.network.borrow_mut();
        let (mine, others) = std::mem::take(&mut network.open)
            .into_iter()
            .partition(|(n, _)| *n == node);
        network.open = others;
        let mine: Vec<(u32, Rc<dyn Fn()>)> = mine;
        mine.into_iter().map(|(_, close)| close).collect()
    };
    for close in open {
        close();
    }
}

/// Whether a fault happens here, of which the current thread may still meet some, and in which of so many ways: 0 for none.
#[track_caller]
pub(crate) fn fault(rt: &Runtime, ways: usize, count: impl Fn(&mut Faults) -> &mut u32) -> usize {
    if ways == 0 || rt.abandoning() {
        return 0;
    }
    let id = rt.thread();
    let (mut allowed, mut met) = {
        let execution = rt.execution.borrow();
        (execution.settings.faults, execution.threads[id.index()].faults)
    };
    if *count(&mut met) >= *count(&mut allowed) {
        return 0;
    }
    let way = crate::choose(ways + 1);
    if way > 0 {
        *count(&mut rt.execution.borrow_mut().threads[id.index()].faults) += 1;
    }
    way
}
