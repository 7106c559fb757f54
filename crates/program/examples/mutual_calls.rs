//! Two nodes that call each other. A node that serves only after its own call has returned waits for the other one for ever.
//!
//! `cargo run --example mutual_calls`

use mazurka::rpc::{Client, Server};
use mazurka::{Checker, node, thread};
use std::ops::ControlFlow;

const ADDRESSES: [&str; 2] = ["10.0.0.1:1", "10.0.0.2:1"];

fn call(other: usize) {
    let mut client = Client::connect(ADDRESSES[other]).expect("an address");
    let reply = client.call(&[41]).expect("a reply");
    assert_eq!(reply, [42]);
}

fn serve(server: &Server) {
    server.serve(|n| ControlFlow::Break(vec![n[0] + 1])).expect("a call");
}

/// Each node lets the other one add 1 to a number, and adds 1 itself: `together`, or when its own call has returned.
pub fn both_call(together: bool) {
    let servers = ADDRESSES.map(|address| Server::bind(address).expect("an address for each"));
    let names = ["left", "right"];
    let nodes: Vec<_> = servers
        .into_iter()
        .enumerate()
        .map(|(me, server)| {
            node::spawn(names[me], move || {
                if together {
                    let serving = thread::spawn(move || serve(&server));
                    call(1 - me);
                    serving.join().expect("it serves");
                } else {
                    call(1 - me);
                    serve(&server);
                }
            })
        })
        .collect();
    for node in nodes {
        node.join().expect("no node crashes");
    }
}

/// Shows the violation, and that it is gone.
pub fn main() {
    println!("one thread each: {}", Checker::new().run(|| both_call(false)));
    println!("two threads each: {}", Checker::new().run(|| both_call(true)));
}
