//! Sockets, as `tokio::net`. In a check they belong to the network of `mazurka::net`, with its nodes and faults. Datagrams pass between
//! both kinds of sockets; connections are among sockets of one kind.
//!
//! ```
//! use mazurka_tokio as tokio;
//! use tokio::io::{AsyncReadExt, AsyncWriteExt};
//! use tokio::net::{TcpListener, TcpStream};
//!
//! mazurka::check(|| {
//!     tokio::runtime::Runtime::new().unwrap().block_on(async {
//!         let listener = TcpListener::bind("10.0.0.1:80").await.unwrap();
//!         let server = tokio::spawn(async move {
//!             let (mut stream, _) = listener.accept().await.unwrap();
//!             stream.write_all(b"hi").await.unwrap();
//!         });
//!         let mut text = String::new();
//!         let mut stream = TcpStream::connect("10.0.0.1:80").await.unwrap();
//!         stream.read_to_string(&mut text).await.unwrap();
//!         assert_eq!(text, "hi");
//!         server.await.unwrap();
//!     });
//! });
//! ```

mod pipe;
pub mod tcp;
mod udp;

pub use std::net::ToSocketAddrs;
pub use tcp::{TcpListener, TcpStream};
pub use udp::UdpSocket;

use std::collections::VecDeque;
use std::future::poll_fn;
use std::io;
use std::task::Poll;
use std::time::Duration;

use crate::sync::{Wait, Waiters, wake_all};
use mazurka::future::__private::{Cell, Need};

/// What has arrived at a socket.
#[derive(Debug)]
struct Arrivals<T> {
    queue: VecDeque<T>,
    waiters: Waiters,
    /// Nobody will look any more.
    closed: bool,
}

impl<T> Arrivals<T> {
    #[track_caller]
    fn cell(what: &'static str) -> Cell<Arrivals<T>> {
        let arrivals = Arrivals {
            queue: VecDeque::new(),
            waiters: Waiters::new(),
            closed: false,
        };
        Cell::new(what, arrivals, |arrivals| {
            [u32::try_from(arrivals.queue.len()).unwrap_or(u32::MAX), 0]
        })
    }
}

/// Something arrives. It comes back if nobody will look.
#[track_caller]
fn arrive<T>(cell: &Cell<Arrivals<T>>, thing: T) -> Option<T> {
    let (refused, wakers) = cell.change(|arrivals| {
        if arrivals.closed {
            return (Some(thing), Default::default());
        }
        arrivals.queue.push_back(thing);
        (None, arrivals.waiters.take())
    });
    wake_all(wakers);
    refused
}

/// Waits for the next thing.
async fn next<T>(mut wait: Wait<'_, Arrivals<T>>) -> T {
    let need = Need {
        index: 0,
        least: 1,
        reads: false,
    };
    poll_fn(|context| wait.poll(need, context, |arrivals| arrivals.queue.pop_front())).await
}

/// Outside a check: tries until it need not wait.
async fn retry<T>(mut attempt: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    poll_fn(|context| match attempt() {
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
            let waker = context.waker().clone();
            std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(1));
                waker.wake();
            });
            Poll::Pending
        }
        result => Poll::Ready(result),
    })
    .await
}
