//! A network between the nodes of a check, with the names of `std::net`.
//!
//! A check has its own network: any address can be bound, and nothing leaves the process. Outside a check, sockets are
//! std's. Datagrams from one thread to one socket arrive in order, those of different threads in any order, even if one was
//! sent because of the other. If [`Checker::faults`](crate::Checker::faults) allows them, the search also tries lost,
//! duplicated and overtaken datagrams, and crashes of nodes. A read of a stream returns at most what one write sent; other
//! ways to cut the stream of bytes are not tried.
//!
//! Everything is made of queues and choices (Stoller, section 2: communication objects), so the
//! searches need not know about the network.

mod patience;
mod tcp;
mod udp;

pub use std::net::{Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr, ToSocketAddrs};
pub use tcp::{Incoming, TcpListener, TcpStream};
pub use udp::UdpSocket;

use crate::handle::Handle;
use crate::ids::ThreadId;
use crate::runtime::{self, Runtime};
use crate::sync::atomic::register;
use crate::sync::mpsc::Channel;
use std::collections::HashMap;
use std::io;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// The network of an execution.
#[derive(Default)]
pub(crate) struct Network {
    mailboxes: HashMap<SocketAddr, Entrance<(SocketAddr, Vec<u8>)>>,
    listeners: HashMap<SocketAddr, Entrance<tcp::Connection>>,
    /// An object for each address, because threads see and change whether something is bound to it.
    places: HashMap<SocketAddr, Rc<Handle>>,
    next_port: u16,
    /// The last datagram of a thread to an address.
    on_the_way: HashMap<(ThreadId, SocketAddr), ThreadId>,
    /// What the threads of each node have open, as functions that close it when the node crashes.
    open: Vec<(u32, Rc<dyn Fn()>)>,
    pub(crate) doomed: Vec<u32>,
    pub(crate) nodes: u32,
}

/// What both ends of a queue have in common.
#[derive(Default)]
struct End {
    closed: AtomicBool,
    /// The node of the thread that last used it.
    node: AtomicU32,
}

impl End {
    /// Closes it; true if it was open.
    fn close(&self) -> bool {
        !self.closed.swap(true, Ordering::Relaxed)
    }

    /// Records that the current thread uses it. If the thread's node is a new one, a crash of that node will close it.
    fn used(self: &Arc<Self>, close: impl Fn() + 'static) {
        let Some(rt) = runtime::current() else { return };
        let node = rt.execution.borrow().threads[rt.thread().index()].node;
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
pub(crate) struct Entrance<T> {
    channel: Arc<Channel<T>>,
    end: Arc<End>,
}

/// The receiving end.
pub(crate) struct Exit<T> {
    channel: Arc<Channel<T>>,
    end: Arc<End>,
}

impl<T: 'static> Entrance<T> {
    /// Another sending end of the same queue.
    fn to(channel: Arc<Channel<T>>) -> Entrance<T> {
        channel.add_sender();
        Entrance {
            channel,
            end: Arc::default(),
        }
    }

    /// Records that the current thread uses it.
    fn used(&self) {
        let channel = Arc::clone(&self.channel);
        self.end.used(move || channel.drop_sender());
    }

    #[track_caller]
    fn send(&self, value: T) -> io::Result<()> {
        self.channel
            .send(value)
            .map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))
    }

    fn close(&self) {
        if self.end.close() {
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
}

impl<T> Drop for Entrance<T> {
    fn drop(&mut self) {
        if self.end.close() {
            self.channel.drop_sender();
        }
    }
}

impl<T> Drop for Exit<T> {
    fn drop(&mut self) {
        if self.end.close() {
            self.channel.drop_receiver();
        }
    }
}

/// A queue; none outside a check.
#[track_caller]
fn queue<T: 'static>() -> Option<(Entrance<T>, Exit<T>)> {
    let channel = crate::sync::mpsc::controlled(None)?;
    let entrance = Entrance {
        channel: Arc::clone(&channel),
        end: Arc::default(),
    };
    let exit = Exit {
        channel,
        end: Arc::default(),
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
    let handle = {
        let mut network = rt.network.borrow_mut();
        let handle = network.places.entry(address).or_insert_with(|| Rc::new(Handle::new()));
        Rc::clone(handle)
    };
    let object = rt.object(&handle, || register::State);
    rt.visible(register::Op::access(changes), object, 0);
}

/// Lets the node of the current thread crash before a network operation, if it is to crash.
fn may_crash(rt: &Runtime) {
    if rt.abandoning() || std::thread::panicking() {
        return;
    }
    let id = rt.thread();
    let node = rt.execution.borrow().threads[id.index()].node;
    if node == 0 || !rt.network.borrow().doomed.contains(&node) {
        return;
    }
    crate::node::crash_or_not(rt, node, id);
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
