//! Random nodes that exchange datagrams, compared with the definition of the network.
//!
//! [`Definition`] is what the documentation of `mazurka::net` promises, written as a machine without
//! threads: a queue for each link, a bag of delayed datagrams, a mailbox for each node. All of its executions are
//! enumerated. Each search must see the same ways to end.

use mazurka::net::UdpSocket;
use mazurka::{Checker, Faults, Granularity, Strategy, node, thread};
use mazurka_seeds::seeds;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Statement {
    /// A datagram for a node. Its text is its place in the program.
    Send(usize),
    /// The same through `connect` and `send`.
    SendConnected(usize),
    Receive,
    /// With a timeout.
    TryReceive,
}

#[derive(Clone, Debug)]
struct Program {
    nodes: Vec<Vec<Statement>>,
    faults: Faults,
}

fn program(seed: u64) -> Program {
    let mut rng = fastrand::Rng::with_seed(seed);
    let count = rng.usize(2..=3);
    let mut sends = 0;
    let nodes = (0..count).map(|me| {
        let length = rng.usize(1..=3);
        let mut statements = Vec::new();
        for _ in 0..length {
            let to = (me + rng.usize(1..count)) % count;
            statements.push(match rng.u8(0..8) {
                0..=2 if sends < 4 => Statement::Send(to),
                3 if sends < 4 => Statement::SendConnected(to),
                4 => Statement::TryReceive,
                _ => Statement::Receive,
            });
            sends += usize::from(matches!(
                statements.last(),
                Some(Statement::Send(_) | Statement::SendConnected(_))
            ));
        }
        statements
    });
    let nodes = nodes.collect();
    let mut faults = Faults::default();
    match rng.u8(0..8) {
        0 => faults.losses = 1,
        1 => faults.duplications = 1,
        2 => faults.delays = 1,
        3 => faults.crashes = 1,
        4 => (faults.losses, faults.delays) = (1, 1),
        _ => {}
    }
    Program { nodes, faults }
}

/// Stands in a log for a timeout: nothing had arrived.
const TIMEOUT: u32 = 100;
/// Stands at the end of a log for a crash of the node.
const CRASH: u32 = 101;

/// How an execution can end: whether a node waits for ever, and what each node has received.
type Outcomes = BTreeSet<(bool, Vec<Vec<u32>>)>;

/// What a datagram says: who sent it, and the number of the statement.
fn text(me: usize, at: usize) -> u32 {
    (me * 10 + at) as u32
}

#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Node {
    at: usize,
    /// The only node that it hears, after a `connect`.
    peer: Option<usize>,
    mailbox: Vec<(usize, u32)>,
    log: Vec<u32>,
    /// Losses, duplications and delays of what it has sent.
    met: [u32; 3],
    crashed: bool,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Definition {
    nodes: Vec<Node>,
    links: BTreeMap<(usize, usize), Vec<u32>>,
    /// Sender, receiver, text.
    delayed: Vec<(usize, usize, u32)>,
    crashes: u32,
}

impl Definition {
    fn new(program: &Program) -> Definition {
        Definition {
            nodes: vec![Node::default(); program.nodes.len()],
            links: BTreeMap::new(),
            delayed: Vec::new(),
            crashes: 0,
        }
    }

    fn arrive(&mut self, from: usize, to: usize, text: u32) {
        if !self.nodes[to].crashed {
            self.nodes[to].mailbox.push((from, text));
        }
    }

    /// The state after a change.
    fn with(&self, change: impl FnOnce(&mut Definition)) -> Definition {
        let mut next = self.clone();
        change(&mut next);
        next
    }

    fn successors(&self, program: &Program) -> Vec<Definition> {
        let mut all = self.arrivals();
        for (me, node) in self.nodes.iter().enumerate() {
            let Some(&statement) = program.nodes[me].get(node.at) else {
                continue;
            };
            if node.crashed {
                continue;
            }
            if self.crashes < program.faults.crashes {
                all.push(self.with(|d| {
                    d.crashes += 1;
                    d.nodes[me].crashed = true;
                    d.nodes[me].log.push(CRASH);
                }));
            }
            match statement {
                Statement::Send(to) => all.extend(self.sends(me, to, None, program.faults)),
                Statement::SendConnected(to) => all.extend(self.sends(me, to, Some(to), program.faults)),
                Statement::Receive => all.extend(self.receives(me, false)),
                Statement::TryReceive => all.extend(self.receives(me, true)),
            }
        }
        all
    }

    /// The first datagram of a link arrives, or any that was delayed.
    fn arrivals(&self) -> Vec<Definition> {
        let in_order = self.links.iter().filter(|(_, texts)| !texts.is_empty());
        let in_order = in_order.map(|(&(from, to), _)| {
            self.with(|d| {
                let text = d.links.get_mut(&(from, to)).unwrap().remove(0);
                d.arrive(from, to, text);
            })
        });
        let late = (0..self.delayed.len()).map(|i| {
            self.with(|d| {
                let (from, to, text) = d.delayed.remove(i);
                d.arrive(from, to, text);
            })
        });
        in_order.chain(late).collect()
    }

    /// A node sends to another one, perhaps through a connection to `peer`, and any fault that is left may happen to it.
    fn sends(&self, me: usize, to: usize, peer: Option<usize>, faults: Faults) -> Vec<Definition> {
        let node = &self.nodes[me];
        let text = text(me, node.at);
        let sent = self.with(|d| {
            d.nodes[me].at += 1;
            d.nodes[me].peer = peer.or(node.peer);
        });
        let on_the_way = |d: &mut Definition| d.links.entry((me, to)).or_default().push(text);
        let mut all = vec![sent.with(on_the_way)];
        let most = [faults.losses, faults.duplications, faults.delays];
        for fault in (0..3).filter(|&f| node.met[f] < most[f]) {
            all.push(sent.with(|d| {
                d.nodes[me].met[fault] += 1;
                match fault {
                    0 => {}
                    1 => {
                        on_the_way(d);
                        on_the_way(d);
                    }
                    _ => {
                        d.delayed.push((me, to, text));
                        d.delayed.sort_unstable();
                    }
                }
            }));
        }
        all
    }

    /// A node takes the first datagram from its mailbox, or gives up if it has a timeout and there is none.
    fn receives(&self, me: usize, timeout: bool) -> Option<Definition> {
        match self.nodes[me].mailbox.first() {
            Some(&(from, text)) => Some(self.with(|d| {
                let node = &mut d.nodes[me];
                node.mailbox.remove(0);
                if node.peer.is_none_or(|peer| peer == from) {
                    node.log.push(text);
                    node.at += 1;
                }
            })),
            None if timeout => Some(self.with(|d| {
                d.nodes[me].log.push(TIMEOUT);
                d.nodes[me].at += 1;
            })),
            None => None,
        }
    }

    fn outcomes(program: &Program) -> Outcomes {
        let mut seen = BTreeSet::from([Definition::new(program)]);
        let mut open = vec![Definition::new(program)];
        let mut outcomes = Outcomes::new();
        while let Some(state) = open.pop() {
            let successors = state.successors(program);
            // No node has to crash.
            if successors.iter().all(|next| next.crashes > state.crashes) {
                let waits = |(me, n): (usize, &Node)| !n.crashed && n.at < program.nodes[me].len();
                let deadlock = state.nodes.iter().enumerate().any(waits);
                outcomes.insert((deadlock, state.nodes.iter().map(|n| n.log.clone()).collect()));
            }
            for next in successors {
                if seen.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
        outcomes
    }
}

type Log = Arc<Mutex<Vec<Vec<u32>>>>;

fn address(node: usize) -> String {
    format!("10.0.0.{}:7", node + 1)
}

/// The same as a program for the crate.
fn run(program: &Program, log: &Log) {
    *log.lock().unwrap() = vec![Vec::new(); program.nodes.len()];
    let count = program.nodes.len();
    // All addresses are bound first and stay bound.
    let sockets: Vec<UdpSocket> = (0..count).map(|me| UdpSocket::bind(address(me)).unwrap()).collect();
    let nodes = sockets.into_iter().enumerate().map(|(me, socket)| {
        let (statements, log) = (program.nodes[me].clone(), Arc::clone(log));
        node::spawn(&format!("node {me}"), move || {
            for (at, statement) in statements.into_iter().enumerate() {
                let bytes = [text(me, at) as u8];
                match statement {
                    Statement::Send(to) => {
                        socket.send_to(&bytes, address(to)).unwrap();
                    }
                    Statement::SendConnected(to) => {
                        socket.connect(address(to)).unwrap();
                        socket.send(&bytes).unwrap();
                    }
                    Statement::Receive | Statement::TryReceive => {
                        let timeout = statement == Statement::TryReceive;
                        socket
                            .set_read_timeout(timeout.then_some(Duration::from_secs(1)))
                            .unwrap();
                        let mut buffer = [0; 1];
                        let heard = socket.recv(&mut buffer).map_or(TIMEOUT, |_| u32::from(buffer[0]));
                        log.lock().unwrap()[me].push(heard);
                    }
                }
            }
            socket
        })
    });
    // Each is joined by a thread of its own, because another one may wait for ever.
    let witnesses = nodes.enumerate().map(|(me, node)| {
        let log = Arc::clone(log);
        thread::spawn(move || {
            let socket = node.join();
            if socket.is_err() {
                log.lock().unwrap()[me].push(CRASH);
            }
            socket.ok()
        })
    });
    let witnesses: Vec<_> = witnesses.collect();
    let sockets = witnesses.into_iter().map(|witness| witness.join().unwrap());
    let sockets: Vec<_> = sockets.collect();
    drop(sockets);
}

fn outcomes(program: &Program, strategy: Strategy, granularity: Granularity) -> Option<Outcomes> {
    let seen = Rc::new(RefCell::new(Outcomes::new()));
    let log = Log::default();
    let (inner, observed) = (Rc::clone(&seen), Arc::clone(&log));
    let checker = Checker::new()
        .strategy(strategy)
        .granularity(granularity)
        .faults(program.faults)
        .all_violations(true)
        .max_executions(1_000)
        .unwind(true)
        .quiet(true)
        .on_execution(move |execution| {
            let logs = observed.lock().unwrap().clone();
            inner.borrow_mut().insert((execution.deadlock, logs));
        });
    let report = checker.run(|| run(program, &log));
    drop(checker);
    report.complete.then(|| Rc::try_unwrap(seen).unwrap().into_inner())
}

#[test]
fn searches_see_what_the_network_can_do() {
    let (compared, of_several_orders) = (AtomicU64::new(0), AtomicU64::new(0));
    seeds(30, |seed| {
        let program = program(seed);
        let expected = Definition::outcomes(&program);
        for (strategy, granularity) in [
            (Strategy::Optimal, Granularity::Composed),
            (Strategy::Optimal, Granularity::Fine),
            (Strategy::SourceSets, Granularity::Composed),
            (Strategy::Selective, Granularity::InvisibleFirst),
        ] {
            let Some(found) = outcomes(&program, strategy.clone(), granularity) else {
                continue;
            };
            assert_eq!(found, expected, "{strategy:?}, {granularity:?}\n{program:?}");
            compared.fetch_add(1, Ordering::Relaxed);
        }
        of_several_orders.fetch_add(u64::from(expected.len() > 1), Ordering::Relaxed);
    });
    let (compared, of_several_orders) = (compared.into_inner(), of_several_orders.into_inner());
    println!("{compared} searches were compared, {of_several_orders} programs can end in several ways");
    if !mazurka_seeds::are_chosen() {
        assert!(compared > 90 && of_several_orders > 12);
    }
}

#[test]
fn every_statement_and_every_fault_is_drawn() {
    let programs: Vec<Program> = (0..300).map(program).collect();
    let some = |is: fn(&Statement) -> bool| programs.iter().flat_map(|p| p.nodes.iter().flatten()).any(is);
    assert!(some(|s| matches!(s, Statement::Send(_))) && some(|s| matches!(s, Statement::SendConnected(_))));
    assert!(some(|s| matches!(s, Statement::Receive)) && some(|s| matches!(s, Statement::TryReceive)));
    // A new fault must be drawn as well: add it here.
    let faults = |of: fn(Faults) -> u32| programs.iter().any(|p| of(p.faults) > 0);
    let Faults {
        losses: _,
        duplications: _,
        delays: _,
        crashes: _,
        ..
    } = Faults::default();
    assert!(faults(|f| f.losses) && faults(|f| f.duplications) && faults(|f| f.delays) && faults(|f| f.crashes));
}
