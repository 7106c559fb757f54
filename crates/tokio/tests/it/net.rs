//! Sockets of asynchronous programs, in the network of `mazurka::net`.

use mazurka::{Checker, Faults, Report, choose, node};
use mazurka_tokio as tokio;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::runtime::Runtime;

fn block_on<T>(future: impl Future<Output = T>) -> T {
    Runtime::new().unwrap().block_on(future)
}

/// What a program can return. Nothing may be wrong.
fn all<T: Ord>(faults: Faults, program: impl Fn() -> T) -> (BTreeSet<T>, Report) {
    let seen = RefCell::new(BTreeSet::new());
    let checker = Checker::new().faults(faults).all_violations(true);
    let report = checker.run(|| {
        let value = program();
        seen.borrow_mut().insert(value);
    });
    assert!(report.violations.is_empty() && report.complete, "{report}");
    (seen.into_inner(), report)
}

/// Two bytes there, and one back.
async fn exchange(address: &str) {
    let listener = TcpListener::bind(address).await.unwrap();
    let at = listener.local_addr().unwrap();
    let server = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut request = [0; 2];
        stream.read_exact(&mut request).await.unwrap();
        stream.write_all(&[request[0] + request[1]]).await.unwrap();
    });
    let stream = TcpStream::connect(at).await.unwrap();
    assert_eq!(stream.peer_addr().unwrap(), at);
    let (mut reader, mut writer) = stream.into_split();
    writer.write_all(&[3]).await.unwrap();
    writer.write_all(&[4]).await.unwrap();
    let mut answer = Vec::new();
    reader.read_to_end(&mut answer).await.unwrap();
    assert_eq!(answer, [7]);
    server.await.unwrap();
}

#[test]
fn streams_carry_bytes_both_ways() {
    block_on(exchange("127.0.0.1:0"));
    let (_, report) = all(Faults::default(), || block_on(exchange("10.0.0.1:80")));
    assert!(report.executions >= 1, "{report}");
}

#[test]
fn datagrams_pass_between_tasks_and_threads() {
    let (seen, _) = all(Faults::default(), || {
        let thread = mazurka::net::UdpSocket::bind("10.0.0.1:1").unwrap();
        let task = mazurka::thread::spawn(|| {
            block_on(async {
                let socket = UdpSocket::bind("10.0.0.2:1").await.unwrap();
                socket.send_to(&[1], "10.0.0.1:1").await.unwrap();
                let mut buffer = [0; 1];
                socket.recv(&mut buffer).await.unwrap();
                buffer[0]
            })
        });
        let mut buffer = [0; 1];
        let (_, from) = thread.recv_from(&mut buffer).unwrap();
        thread.send_to(&[buffer[0] + 1], from).unwrap();
        task.join().unwrap()
    });
    assert_eq!(seen, BTreeSet::from([2]));
}

#[test]
fn a_datagram_that_is_lost_is_missed_by_a_timeout() {
    let losses = Faults {
        losses: 1,
        ..Faults::default()
    };
    let (seen, _) = all(losses, || {
        block_on(async {
            let socket = UdpSocket::bind("10.0.0.1:1").await.unwrap();
            let other = UdpSocket::bind("10.0.0.2:1").await.unwrap();
            other.send_to(&[1], "10.0.0.1:1").await.unwrap();
            let mut buffer = [0; 1];
            let received = tokio::time::timeout(Duration::from_secs(1), socket.recv(&mut buffer));
            received.await.is_ok()
        })
    });
    assert_eq!(seen, BTreeSet::from([false, true]));
}

/// The client of a server that may crash reads the answer, or its end, or is refused.
#[test]
fn a_crash_is_seen_by_others() {
    let crashes = Faults {
        crashes: 1,
        ..Faults::default()
    };
    let (seen, _) = all(crashes, || {
        let server = node::spawn("server", || {
            block_on(async {
                let listener = TcpListener::bind("10.0.0.1:80").await.unwrap();
                let (mut stream, _) = listener.accept().await.unwrap();
                stream.write_all(&[1]).await.unwrap();
                stream.write_all(&[2]).await.unwrap();
            });
        });
        let answer = block_on(async {
            let mut answer = Vec::new();
            match TcpStream::connect("10.0.0.1:80").await {
                Ok(mut stream) => stream
                    .read_to_end(&mut answer)
                    .await
                    .map(|_| answer)
                    .map_err(|e| e.kind()),
                Err(error) => Err(error.kind()),
            }
        });
        if answer == Err(ErrorKind::ConnectionRefused) {
            mazurka::assume(false); // the server would wait for ever
        }
        (server.join().is_err(), answer)
    });
    let expected = [(false, vec![1, 2]), (true, vec![]), (true, vec![1])];
    assert_eq!(seen, expected.map(|(crashed, answer)| (crashed, Ok(answer))).into());
}

#[test]
fn streams_are_reset_and_reads_are_short_if_that_is_allowed() {
    let read_three = |faults| {
        let (seen, _) = all(faults, || {
            block_on(async {
                let listener = TcpListener::bind("10.0.0.1:80").await.unwrap();
                let server = tokio::spawn(async move {
                    let (mut stream, _) = listener.accept().await.unwrap();
                    drop(stream.write_all(&[1, 2, 3]).await);
                });
                let mut stream = TcpStream::connect("10.0.0.1:80").await.unwrap();
                let mut buffer = [0; 8];
                let read = stream.read(&mut buffer).await;
                server.await.unwrap();
                (buffer[..*read.as_ref().unwrap_or(&0)].to_vec(), read.is_err())
            })
        });
        seen
    };
    let whole = (vec![1, 2, 3], false);
    assert_eq!(read_three(Faults::default()), BTreeSet::from([whole.clone()]));
    let short = Faults {
        short_reads: 1,
        ..Faults::default()
    };
    let expected = [(vec![1], false), (vec![1, 2], false), whole.clone()];
    assert_eq!(read_three(short), BTreeSet::from(expected));
    let resets = Faults {
        resets: 1,
        ..Faults::default()
    };
    assert_eq!(read_three(resets), BTreeSet::from([(vec![], true), whole]));
}

/// A read that `select!` gives up loses nothing.
#[test]
fn a_read_can_be_cancelled() {
    let (seen, _) = all(Faults::default(), || {
        block_on(async {
            let listener = TcpListener::bind("10.0.0.1:80").await.unwrap();
            let server = tokio::spawn(async move {
                let (mut stream, _) = listener.accept().await.unwrap();
                stream.write_all(&[9]).await.unwrap();
            });
            let mut stream = TcpStream::connect("10.0.0.1:80").await.unwrap();
            let mut buffer = [0; 1];
            let early = tokio::select! {
                biased;
                n = stream.read(&mut buffer) => n.unwrap() == 1,
                () = tokio::task::yield_now() => false,
            };
            if !early {
                assert_eq!(stream.read(&mut buffer).await.unwrap(), 1);
            }
            assert_eq!((buffer, choose(1)), ([9], 0));
            server.await.unwrap();
            early
        })
    });
    assert_eq!(seen, BTreeSet::from([false, true]));
}
