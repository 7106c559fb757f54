//! Two-phase commit (Gray 1978) with a coordinator that may crash.
//!
//! A participant that has voted yes must not decide by itself, however long the coordinator is silent. If it does, one participant
//! can commit while the other aborts.
//!
//! `cargo run -p mazurka --example two_phase_commit`

use mazurka::net::{TcpListener, TcpStream};
use mazurka::{Checker, Faults, choose, node};
use std::io::{Read, Write};

const COORDINATOR: &str = "10.0.0.1:2000";

/// What a participant ends with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The transaction counts.
    Commit,
    /// It does not.
    Abort,
    /// It has voted yes and does not know.
    InDoubt,
}

fn coordinator(listener: TcpListener, participants: usize) {
    let mut streams: Vec<TcpStream> = (0..participants).map(|_| listener.accept().unwrap().0).collect();
    let mut commit = true;
    for stream in &mut streams {
        let mut vote = [0];
        commit &= stream.read(&mut vote).is_ok_and(|n| n == 1) && vote == [1];
    }
    for stream in &mut streams {
        let _ = stream.write_all(&[u8::from(commit)]);
    }
}

fn participant(decides_alone: bool) -> Decision {
    let Ok(mut stream) = TcpStream::connect(COORDINATOR) else {
        return Decision::Abort;
    };
    let yes = choose(2) == 0;
    if stream.write_all(&[u8::from(yes)]).is_err() || !yes {
        return Decision::Abort;
    }
    let mut decision = [0];
    match stream.read(&mut decision) {
        Ok(1) if decision == [1] => Decision::Commit,
        Ok(1) => Decision::Abort,
        // The coordinator is gone.
        _ if decides_alone => Decision::Abort,
        _ => Decision::InDoubt,
    }
}

/// One transaction with two participants.
pub fn transaction(decides_alone: bool) {
    let listener = TcpListener::bind(COORDINATOR).unwrap();
    let coordinator = node::spawn("coordinator", move || coordinator(listener, 2));
    let participants = ["a", "b"].map(|name| node::spawn_reliable(name, move || participant(decides_alone)));
    let decisions = participants.map(|p| p.join().unwrap());
    let _ = coordinator.join();
    assert!(
        !(decisions.contains(&Decision::Commit) && decisions.contains(&Decision::Abort)),
        "one commits, the other aborts: {decisions:?}"
    );
}

/// The coordinator may crash.
pub fn search(decides_alone: bool) -> mazurka::Report {
    let crash = Faults {
        crashes: 1,
        ..Faults::default()
    };
    Checker::new().faults(crash).run(|| transaction(decides_alone))
}

/// Shows the violation, and that it is gone.
pub fn main() {
    println!("{}\n", search(true));
    println!("{}", search(false));
}
