//! Nodes and the network between them.

use mazurka::net::{TcpListener, TcpStream, UdpSocket};
use mazurka::{Checker, Faults, node};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io::{ErrorKind, Read, Write};

const A: &str = "10.0.0.1:7";
const B: &str = "10.0.0.2:7";

#[test]
fn datagrams_of_one_sender_arrive_in_order() {
    let perfect = Checker::new().all_violations(true).run(|| {
        let b = UdpSocket::bind(B).unwrap();
        let a = node::spawn("a", || {
            let socket = UdpSocket::bind(A).unwrap();
            assert_eq!(socket.send_to(&[0], B).unwrap(), 1);
            socket.connect(B).unwrap();
            socket.send(&[1]).unwrap();
        });
        let mut buffer = [9; 1];
        for expected in 0..2 {
            b.recv(&mut buffer).unwrap();
            assert_eq!(buffer, [expected]);
        }
        a.join().unwrap();
    });
    assert!(perfect.violations.is_empty() && perfect.complete, "{perfect}");
}

/// Which of two datagrams can arrive, and in which order.
fn outcomes(faults: Faults) -> BTreeSet<Vec<u8>> {
    let seen = RefCell::new(BTreeSet::new());
    let report = Checker::new().all_violations(true).faults(faults).run(|| {
        let b = UdpSocket::bind(B).unwrap();
        let a = node::spawn("a", move || {
            let socket = UdpSocket::bind(A).unwrap();
            socket.send_to(&[1], B).unwrap();
            socket.send_to(&[2], B).unwrap();
        });
        let mut got = Vec::new();
        let mut buffer = [0; 4];
        for _ in 0..2 {
            b.recv_from(&mut buffer).unwrap();
            got.push(buffer[0]);
        }
        a.join().unwrap();
        seen.borrow_mut().insert(got);
    });
    // With a loss, the second receipt may wait for ever.
    assert_eq!(report.violations.is_empty(), faults.losses == 0, "{report}");
    seen.into_inner()
}

#[test]
fn losses_duplicates_and_delays_are_choices() {
    let all = |lists: &[&[u8]]| lists.iter().map(|l| l.to_vec()).collect::<BTreeSet<_>>();
    assert_eq!(outcomes(Faults::default()), all(&[&[1, 2]]));
    let delays = Faults {
        delays: 1,
        ..Faults::default()
    };
    assert_eq!(outcomes(delays), all(&[&[1, 2], &[2, 1]]));
    let duplications = Faults {
        duplications: 1,
        ..Faults::default()
    };
    assert_eq!(outcomes(duplications), all(&[&[1, 1], &[1, 2]]));
    let losses = Faults {
        losses: 1,
        ..Faults::default()
    };
    assert_eq!(outcomes(losses), all(&[&[1, 2]]));
}

/// A tells C and then B, who tells C: C may hear of B first.
#[test]
fn datagrams_of_different_senders_arrive_in_any_order() {
    let seen = RefCell::new(BTreeSet::new());
    let report = Checker::new().all_violations(true).run(|| {
        let c = UdpSocket::bind("10.0.0.3:7").unwrap();
        let b = UdpSocket::bind(B).unwrap();
        let teller = node::spawn("a", || {
            let socket = UdpSocket::bind(A).unwrap();
            socket.send_to(&[1], "10.0.0.3:7").unwrap();
            socket.send_to(&[1], B).unwrap();
        });
        let passer = node::spawn("b", move || {
            let mut buffer = [0; 1];
            b.recv(&mut buffer).unwrap();
            b.send_to(&[2], "10.0.0.3:7").unwrap();
        });
        let mut buffer = [0; 1];
        let heard = [(); 2].map(|()| {
            c.recv(&mut buffer).unwrap();
            buffer[0]
        });
        teller.join().unwrap();
        passer.join().unwrap();
        seen.borrow_mut().insert(heard);
    });
    assert!(report.violations.is_empty() && report.complete, "{report}");
    assert_eq!(seen.into_inner(), BTreeSet::from([[1, 2], [2, 1]]));
    // The two orders in which they arrive, and nothing else.
    assert_eq!(report.executions, 2, "{report}");
}

#[test]
fn nobody_joins_a_datagram_and_no_crash_stops_it() {
    let crashes = Faults {
        crashes: 1,
        ..Faults::default()
    };
    let seen = RefCell::new(BTreeSet::new());
    let report = Checker::new()
        .all_violations(true)
        .faults(crashes)
        .require_joins(true)
        .run(|| {
            let b = UdpSocket::bind(B).unwrap();
            b.set_read_timeout(Some(std::time::Duration::from_secs(1))).unwrap();
            let a = node::spawn("a", || {
                let socket = UdpSocket::bind(A).unwrap();
                socket.send_to(&[1], B).unwrap();
                socket.send_to(&[2], B).unwrap();
            });
            let crashed = a.join().is_err();
            let mut buffer = [0; 1];
            let heard: Vec<u8> = (0..2)
                .filter_map(|_| b.recv(&mut buffer).ok().map(|_| buffer[0]))
                .collect();
            seen.borrow_mut().insert((crashed, heard));
        });
    assert!(report.violations.is_empty() && report.complete, "{report}");
    let seen = seen.into_inner();
    assert!(
        seen.contains(&(true, vec![1])) && seen.contains(&(true, vec![])),
        "{seen:?}"
    );
    assert!(
        seen.contains(&(false, vec![1, 2])) && seen.contains(&(false, vec![1])),
        "{seen:?}"
    );
}

#[test]
fn connections_carry_bytes_both_ways() {
    let program = || {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let server = node::spawn("server", move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = [0; 2];
            stream.read_exact(&mut request).unwrap();
            stream.write_all(&[request[0] + request[1]]).unwrap();
        });
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(&[3]).unwrap();
        stream.write_all(&[4]).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        assert_eq!(answer, [7]);
        assert_eq!(server.name(), "server");
        server.join().unwrap();
    };
    program();
    let report = Checker::new().run(program);
    assert!(report.violations.is_empty() && report.complete, "{report}");
}

#[test]
fn a_connection_to_nobody_is_refused() {
    mazurka::check(|| {
        let error = TcpStream::connect("10.9.9.9:80").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ConnectionRefused);
    });
}

/// If a server crashes, the client sees the end of the stream or a refused connection, never half an answer.
#[test]
fn a_crash_is_seen_by_others() {
    let seen = RefCell::new(BTreeSet::new());
    let crashes = Faults {
        crashes: 1,
        ..Faults::default()
    };
    let report = Checker::new().all_violations(true).faults(crashes).run(|| {
        let listener = TcpListener::bind("10.0.0.1:80").unwrap();
        let server = node::spawn("server", move || {
            let (mut stream, _) = listener.accept().unwrap();
            stream.write_all(&[1]).unwrap();
            stream.write_all(&[2]).unwrap();
        });
        let mut answer = Vec::new();
        if let Ok(mut stream) = TcpStream::connect("10.0.0.1:80") {
            stream.read_to_end(&mut answer).unwrap();
        }
        let crashed = server.join().is_err();
        seen.borrow_mut().insert((crashed, answer));
    });
    // The client may have connected before the crash to a server that never accepts: that is
    // a connection that ends.
    assert!(report.violations.is_empty(), "{report}");
    let expected = [(false, vec![1, 2]), (true, vec![]), (true, vec![1])];
    assert_eq!(seen.into_inner(), BTreeSet::from(expected));
}
