//! Remote calls between the nodes of a check, or between processes (Stoller, section 10: RMI).
//!
//! A call is a request and a reply. It blocks its caller. What is called runs on the callee's thread, the one that serves. Both are
//! datagrams of [`net`](crate::net), so that with [`Checker::faults`](crate::Checker::faults) they get lost, arrive twice, overtake each other, and
//! nodes crash. A call happens *at most once* (Birrell, Nelson, *Implementing Remote Procedure Calls*, 1984): the callee knows the number of each
//! caller's last call, and answers a repeated request with the reply it has given. A caller that gets no reply
//! cannot know whether the call has happened.
//!
//! Outside a check, these are datagrams of `std::net`: there is no encryption, and a request or reply has at most 65,490 bytes.
//!
//! ```
//! use mazurka::rpc::{Client, Server};
//! use mazurka::{Checker, Faults, node};
//! use std::io::ErrorKind;
//! use std::ops::ControlFlow;
//! use std::time::Duration;
//!
//! let faults = Faults { losses: 1, ..Faults::default() };
//! let report = Checker::new().faults(faults).run(|| {
//!     let server = Server::bind("10.0.0.1:1").unwrap();
//!     let caller = node::spawn("caller", || {
//!         let mut client = Client::connect("10.0.0.1:1").unwrap();
//!         client.set_timeout(Some(Duration::from_secs(1))).unwrap();
//!         match client.call(b"ping") {
//!             Ok(reply) => assert_eq!(reply, b"pong"),
//!             Err(error) => assert_eq!(error.kind(), ErrorKind::TimedOut),
//!         }
//!     });
//!     server.set_timeout(Some(Duration::from_secs(9))).unwrap();
//!     // The request may be lost, and then nobody calls.
//!     _ = server.serve(|_| ControlFlow::Break(b"pong".to_vec()));
//!     caller.join().unwrap();
//! });
//! assert!(report.violations.is_empty(), "{report}");
//! ```

use crate::net::{SocketAddr, ToSocketAddrs, UdpSocket};
use crate::runtime;
use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, ErrorKind};
use std::ops::ControlFlow;
use std::time::Duration;

const REQUEST: u8 = b'?';
const REPLY: u8 = b'!';

/// A kind, a caller, and a number.
const HEADER: usize = 17;

/// More than a datagram can have.
const BUFFER: usize = 1 << 16;

/// The part of a datagram that is not the caller's or callee's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Header {
    kind: u8,
    /// Tells a caller from earlier ones at the same address.
    caller: u64,
    number: u64,
}

impl Header {
    fn datagram(self, body: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEADER + body.len());
        bytes.push(self.kind);
        bytes.extend_from_slice(&self.caller.to_be_bytes());
        bytes.extend_from_slice(&self.number.to_be_bytes());
        bytes.extend_from_slice(body);
        bytes
    }

    /// The header and the rest; none if it is not one of ours.
    fn of(bytes: &[u8]) -> Option<(Header, &[u8])> {
        let (kind, rest) = bytes.split_first()?;
        let (caller, rest) = rest.split_first_chunk()?;
        let (number, body) = rest.split_first_chunk()?;
        let header = Header {
            kind: *kind,
            caller: u64::from_be_bytes(*caller),
            number: u64::from_be_bytes(*number),
        };
        matches!(header.kind, REQUEST | REPLY).then_some((header, body))
    }
}

/// Sockets say `WouldBlock` or `TimedOut`, depending on the platform.
fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}

/// One who calls.
#[derive(Debug)]
pub struct Client {
    socket: UdpSocket,
    server: SocketAddr,
    caller: u64,
    /// The number of the last call.
    number: u64,
    retries: u32,
}

impl Client {
    /// Prepares for calls to this address. Whether somebody serves there is seen with the first call.
    #[track_caller]
    pub fn connect(to: impl ToSocketAddrs) -> io::Result<Client> {
        let server = to.to_socket_addrs()?.next().ok_or(ErrorKind::InvalidInput)?;
        let any: SocketAddr = match server {
            SocketAddr::V4(_) => ([0, 0, 0, 0], 0).into(),
            SocketAddr::V6(_) => ([0u16; 8], 0).into(),
        };
        let socket = UdpSocket::bind(any)?;
        socket.connect(server)?;
        // In a check, every socket has an address of its own, and executions must be repeatable.
        let caller = if runtime::inside() {
            0
        } else {
            RandomState::new().hash_one(server)
        };
        Ok(Client {
            socket,
            server,
            caller,
            number: 0,
            retries: 0,
        })
    }

    /// The address that is called.
    pub fn server_addr(&self) -> SocketAddr {
        self.server
    }

    /// Sets how long each attempt waits for a reply. Without a timeout, a call whose request or reply is lost, or whose callee has
    /// crashed, waits for ever. In a check, a timeout can pass at any moment.
    pub fn set_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.socket.set_read_timeout(timeout)
    }

    /// Sets how often a request is sent again after a timeout. The default is never.
    pub fn set_retries(&mut self, times: u32) {
        self.retries = times;
    }

    /// Calls, and waits for the reply.
    ///
    /// Fails with `TimedOut` if no reply has come to any attempt. The call may have happened all the same, or happen later, but not twice.
    #[track_caller]
    pub fn call(&mut self, request: &[u8]) -> io::Result<Vec<u8>> {
        self.number += 1;
        let header = Header {
            kind: REQUEST,
            caller: self.caller,
            number: self.number,
        };
        let datagram = header.datagram(request);
        for _ in 0..=self.retries {
            self.socket.send(&datagram)?;
            match self.reply() {
                Err(error) if is_timeout(&error) => {}
                result => return result,
            }
        }
        Err(ErrorKind::TimedOut.into())
    }

    /// Waits for the reply to the last call.
    #[track_caller]
    fn reply(&self) -> io::Result<Vec<u8>> {
        let expected = Header {
            kind: REPLY,
            caller: self.caller,
            number: self.number,
        };
        let mut buffer = vec![0; BUFFER];
        loop {
            let n = self.socket.recv(&mut buffer)?;
            // What belongs to an earlier call came too late.
            if let Some((header, reply)) = Header::of(&buffer[..n])
                && header == expected
            {
                return Ok(reply.to_vec());
            }
        }
    }
}

/// The last call of a caller: its number, and the reply.
type Answered = (u64, Vec<u8>);

/// One who is called.
#[derive(Debug)]
pub struct Server {
    socket: UdpSocket,
    /// It grows with the number of callers.
    answered: RefCell<HashMap<(SocketAddr, u64), Answered>>,
}

impl Server {
    /// Prepares to be called at this address.
    #[track_caller]
    pub fn bind(at: impl ToSocketAddrs) -> io::Result<Server> {
        Ok(Server {
            socket: UdpSocket::bind(at)?,
            answered: RefCell::default(),
        })
    }

    /// Its address.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    /// Sets how long to wait for a call. In a check, a timeout can pass at any moment.
    pub fn set_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.socket.set_read_timeout(timeout)
    }

    /// Lets `f` answer calls, on this thread and one after the other, until it gives its reply as a `Break`.
    ///
    /// Fails with `TimedOut` if there is a timeout and nobody calls. Once this has returned, nobody answers a request whose reply was lost.
    #[track_caller]
    pub fn serve(&self, mut f: impl FnMut(&[u8]) -> ControlFlow<Vec<u8>, Vec<u8>>) -> io::Result<()> {
        let mut buffer = vec![0; BUFFER];
        loop {
            let (n, from) = self.socket.recv_from(&mut buffer).map_err(|error| {
                if is_timeout(&error) {
                    ErrorKind::TimedOut.into()
                } else {
                    error
                }
            })?;
            let Some((header, request)) = Header::of(&buffer[..n]).filter(|(h, _)| h.kind == REQUEST) else {
                continue;
            };
            let (reply, last) = match self.known(from, header) {
                Known::Old => continue,
                Known::Answered(reply) => (reply, false),
                Known::New => {
                    let (reply, last) = match f(request) {
                        ControlFlow::Continue(reply) => (reply, false),
                        ControlFlow::Break(reply) => (reply, true),
                    };
                    let answered = (header.number, reply.clone());
                    self.answered.borrow_mut().insert((from, header.caller), answered);
                    (reply, last)
                }
            };
            let header = Header { kind: REPLY, ..header };
            self.socket.send_to(&header.datagram(&reply), from)?;
            if last {
                return Ok(());
            }
        }
    }

    fn known(&self, from: SocketAddr, request: Header) -> Known {
        match self.answered.borrow().get(&(from, request.caller)) {
            Some((number, _)) if request.number < *number => Known::Old,
            Some((number, reply)) if request.number == *number => Known::Answered(reply.clone()),
            _ => Known::New,
        }
    }
}

/// What a server knows of a request.
enum Known {
    New,
    /// It has been answered like this.
    Answered(Vec<u8>),
    /// Its caller has called again since then, and does not wait for it any more.
    Old,
}

/// Lets `f` answer calls to this address, as [`Server::serve`] does.
///
/// ```
/// use mazurka::rpc::{Client, serve};
/// use mazurka::{Checker, ViolationKind, node};
/// use std::ops::ControlFlow;
///
/// // A request to an address where nobody serves yet is lost, so that the call waits for ever.
/// let report = Checker::new().run(|| {
///     let double = node::spawn("double", || serve("10.0.0.1:1", |n| ControlFlow::Break(vec![n[0] * 2])).unwrap());
///     let reply = Client::connect("10.0.0.1:1").unwrap().call(&[21]).unwrap();
///     assert_eq!(reply, [42]);
///     double.join().unwrap();
/// });
/// assert_eq!(report.violations[0].kind, ViolationKind::Deadlock);
/// ```
#[track_caller]
pub fn serve(at: impl ToSocketAddrs, f: impl FnMut(&[u8]) -> ControlFlow<Vec<u8>, Vec<u8>>) -> io::Result<()> {
    Server::bind(at)?.serve(f)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_reads_back() {
        let header = Header {
            kind: REPLY,
            caller: 7,
            number: 1 << 40,
        };
        let bytes = header.datagram(b"hello");
        assert_eq!(bytes.len(), HEADER + 5);
        assert_eq!(Header::of(&bytes), Some((header, &b"hello"[..])));
        assert_eq!(Header::of(&bytes[..HEADER - 1]), None);
        assert_eq!(Header::of(&[0; 20]), None);
    }

    #[test]
    fn calls_outside_a_check() {
        let server = Server::bind("127.0.0.1:0").unwrap();
        let address = server.local_addr().unwrap();
        let served = std::thread::spawn(move || {
            server.serve(|request| match request {
                b"end" => ControlFlow::Break(Vec::new()),
                other => ControlFlow::Continue(other.repeat(2)),
            })
        });
        let mut client = Client::connect(address).unwrap();
        client.set_timeout(Some(Duration::from_secs(20))).unwrap();
        assert_eq!(client.server_addr(), address);
        assert_eq!(client.call(b"ab").unwrap(), b"abab");
        assert_eq!(client.call(b"end").unwrap(), b"");
        served.join().unwrap().unwrap();
    }
}
