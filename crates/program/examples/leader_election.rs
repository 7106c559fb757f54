//! Leader election by timeout: a node that hears nothing thinks that the other one is gone.
//!
//! The other node may only be slow, and then there are two leaders. If an arbiter gives its vote only once, there is at most
//! one leader, whichever node crashes.
//!
//! `cargo run -p mazurka --example leader_election`

use mazurka::net::UdpSocket;
use mazurka::{Checker, Faults, Report, node};
use std::time::Duration;

const ARBITER: &str = "10.0.0.3:1";
const ADDRESSES: [&str; 2] = ["10.0.0.1:1", "10.0.0.2:1"];

/// Node 0 says that it leads; node 1 leads if it does not hear that in time.
fn by_timeout(me: usize) -> bool {
    let socket = UdpSocket::bind(ADDRESSES[me]).unwrap();
    if me == 0 {
        socket.send_to(b"I lead", ADDRESSES[1]).unwrap();
        return true;
    }
    socket.set_read_timeout(Some(Duration::from_secs(1))).unwrap();
    socket.recv_from(&mut [0; 8]).is_err()
}

/// A node that has the arbiter's vote leads.
fn by_vote(me: usize) -> bool {
    let socket = UdpSocket::bind(ADDRESSES[me]).unwrap();
    socket.send_to(&[me as u8], ARBITER).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(1))).unwrap();
    socket.recv_from(&mut [0; 8]).is_ok()
}

/// Two nodes elect a leader.
pub fn election(vote: bool) {
    let arbiter_socket = vote.then(|| UdpSocket::bind(ARBITER).unwrap());
    let nodes = [0, 1].map(|i| {
        let name = ["first", "second"][i];
        node::spawn(name, move || if vote { by_vote(i) } else { by_timeout(i) })
    });
    if let Some(socket) = arbiter_socket {
        // It is there as long as the program is.
        mazurka::thread::spawn(move || {
            socket.set_read_timeout(Some(Duration::from_secs(9))).unwrap();
            let mut candidate = [0];
            // The first to ask has the vote, and there is no other.
            if socket.recv_from(&mut candidate).is_ok() {
                let _ = socket.send_to(b"yes", ADDRESSES[usize::from(candidate[0])]);
            }
        });
    }
    let leaders = nodes.map(|n| n.join().unwrap_or(false));
    assert!(leaders != [true, true], "two leaders");
}

/// With one crash and one lost datagram per sender.
pub fn search(vote: bool) -> Report {
    let faults = Faults {
        crashes: 1,
        losses: 1,
        ..Faults::default()
    };
    Checker::new().faults(faults).run(|| election(vote))
}

/// Shows the violation, and that it is gone.
pub fn main() {
    println!("{}\n", search(false));
    println!("{}", search(true));
}
