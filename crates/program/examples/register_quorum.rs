//! A replicated register, of whose replicas writes and reads wait for some.
//!
//! A read must see a write that ended before the read began. That needs quorums that intersect (Gifford 1979; Attiya, Bar-Noy, Dolev 1995): of
//! three replicas, two to write and two to read. If they need not intersect, a reader may ask only replicas that have not heard of
//! the write yet. With five replicas, a search that only backtracks finds that in its execution number 140,801; the search finds it in
//! one of its first random executions.
//!
//! `cargo run -p mazurka --example register_quorum`

use mazurka::net::UdpSocket;
use mazurka::{Checker, Report, node};

fn replica_address(i: u8) -> String {
    format!("10.0.0.{}:9", i + 1)
}

/// Serves two requests. A request is a kind, 0 to read and 1 to write, and a value. The answer is the value that the replica has now.
fn replica(socket: UdpSocket) {
    let mut value = 0;
    let mut request = [0; 2];
    for _ in 0..2 {
        let (_, client) = socket.recv_from(&mut request).unwrap();
        if request[0] == 1 {
            value = request[1];
        }
        socket.send_to(&[value], client).unwrap();
    }
}

/// Sends a request to all replicas, and returns the largest of the first `quorum` answers.
fn ask(client: &str, request: [u8; 2], replicas: u8, quorum: usize) -> u8 {
    let socket = UdpSocket::bind(client).unwrap();
    for i in 0..replicas {
        socket.send_to(&request, replica_address(i)).unwrap();
    }
    let mut answer = [0];
    let answers = (0..quorum).map(|_| {
        socket.recv(&mut answer).unwrap();
        answer[0]
    });
    answers.max().unwrap_or_default()
}

/// One write, and then a read.
pub fn write_then_read(replicas: u8, write_quorum: usize, read_quorum: usize) {
    for i in 0..replicas {
        let socket = UdpSocket::bind(replica_address(i)).unwrap();
        node::spawn(&format!("replica {i}"), move || replica(socket));
    }
    let writer = node::spawn("writer", move || ask("10.0.0.8:9", [1, 7], replicas, write_quorum));
    writer.join().unwrap();
    let reader = node::spawn("reader", move || ask("10.0.0.9:9", [0, 0], replicas, read_quorum));
    assert_eq!(reader.join().unwrap(), 7, "the read does not see the write");
}

/// Looks for a read that does not see the write.
pub fn search(replicas: u8, write_quorum: usize, read_quorum: usize) -> Report {
    Checker::new().run(|| write_then_read(replicas, write_quorum, read_quorum))
}

/// Shows the violation, and that it is gone.
pub fn main() {
    println!("{}\n", search(5, 2, 2));
    println!("{}", search(3, 2, 2));
}
