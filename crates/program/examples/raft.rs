//! Raft: the election of leaders and the replication of a log, over nodes that crash and restart.
//!
//! Ongaro, Ousterhout, *In Search of an Understandable Consensus Algorithm*, USENIX ATC 2014, figure 2. A server keeps its term, its vote and its
//! log on its disk. It must do so before it answers: a server that forgets its vote in a crash can vote twice in a term, and then there
//! are two leaders. The search finds that within seconds, and two other mistakes. Without mistakes, two servers are checked
//! completely, and three servers within a bound.
//!
//! `cargo run -p mazurka --example raft`

use mazurka::fs::{self, File};
use mazurka::net::UdpSocket;
use mazurka::{Checker, Faults, Report, node};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A mistake, to be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bug {
    /// None: this is Raft.
    None,
    /// A vote is not on the disk when it is sent.
    VoteIsForgotten,
    /// An entry counts as stored before it is on the disk.
    EntryIsForgotten,
    /// A vote is given to a candidate whose log is older.
    StaleLeader,
}

type Term = u8;
type Server = u8;

/// What a server must not forget.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Persistent {
    term: Term,
    vote: Option<Server>,
    /// The term and the command of each entry.
    log: Vec<(Term, u8)>,
}

/// What servers tell each other. The first number is the sender's term.
#[derive(Clone, Debug)]
enum Message {
    RequestVote(Term, Server, (Term, u8)),
    Vote(Term, Server, bool),
    Append(Term, Server, Vec<(Term, u8)>),
    Stored(Term, Server, u8),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Follower,
    Candidate,
    Leader,
}

/// What the world sees of all servers, to check it: it is no part of the system.
#[derive(Default)]
pub struct Claims {
    leaders: Vec<(Term, Server)>,
    committed: Option<Vec<(Term, u8)>>,
}

struct Raft {
    me: Server,
    servers: u8,
    state: Persistent,
    role: Role,
    votes: Vec<Server>,
    stored: Vec<Server>,
    socket: UdpSocket,
    bug: Bug,
    claims: Arc<Mutex<Claims>>,
}

fn address(server: Server) -> String {
    format!("10.0.0.{}:80", server + 1)
}

impl Persistent {
    fn load() -> Persistent {
        let bytes = fs::read("state").unwrap_or_default();
        match &bytes[..] {
            [term, vote, log @ ..] => Persistent {
                term: *term,
                vote: vote.checked_sub(1),
                log: log.chunks_exact(2).map(|entry| (entry[0], entry[1])).collect(),
            },
            _ => Persistent::default(),
        }
    }

    /// Replaces the file in one, and waits for the disk unless told otherwise.
    fn save(&self, sync: bool) {
        let mut bytes = vec![self.term, self.vote.map_or(0, |vote| vote + 1)];
        bytes.extend(self.log.iter().flat_map(|(term, command)| [*term, *command]));
        fs::write("state.new", &bytes).unwrap();
        if sync {
            File::open("state.new").unwrap().sync_all().unwrap();
        }
        fs::rename("state.new", "state").unwrap();
        if sync {
            File::open(".").unwrap().sync_all().unwrap();
        }
    }

    /// Which log is newer: the term of the last entry decides, and then the length.
    fn age(&self) -> (Term, u8) {
        (self.log.last().map_or(0, |entry| entry.0), self.log.len() as u8)
    }
}

impl Message {
    fn term(&self) -> Term {
        let (Message::RequestVote(term, ..)
        | Message::Vote(term, ..)
        | Message::Append(term, ..)
        | Message::Stored(term, ..)) = self;
        *term
    }

    fn bytes(&self) -> Vec<u8> {
        match self {
            Message::RequestVote(term, from, age) => vec![0, *term, *from, age.0, age.1],
            Message::Vote(term, from, granted) => vec![1, *term, *from, u8::from(*granted)],
            Message::Append(term, from, log) => {
                let entries = log.iter().flat_map(|(term, command)| [*term, *command]);
                [2, *term, *from].into_iter().chain(entries).collect()
            }
            Message::Stored(term, from, length) => vec![3, *term, *from, *length],
        }
    }

    fn parse(bytes: &[u8]) -> Option<Message> {
        Some(match *bytes {
            [0, term, from, last, length] => Message::RequestVote(term, from, (last, length)),
            [1, term, from, granted] => Message::Vote(term, from, granted == 1),
            [2, term, from, ref log @ ..] => {
                let log = log.chunks_exact(2).map(|entry| (entry[0], entry[1]));
                Message::Append(term, from, log.collect())
            }
            [3, term, from, length] => Message::Stored(term, from, length),
            _ => return None,
        })
    }
}

impl Raft {
    fn start(me: Server, servers: u8, bug: Bug, claims: Arc<Mutex<Claims>>) -> Raft {
        Raft {
            me,
            servers,
            state: Persistent::load(),
            role: Role::Follower,
            votes: Vec::new(),
            stored: Vec::new(),
            socket: UdpSocket::bind(address(me)).unwrap(),
            bug,
            claims,
        }
    }

    fn send(&self, to: Server, message: &Message) {
        self.socket.send_to(&message.bytes(), address(to)).unwrap();
    }

    fn send_to_all(&self, message: &Message) {
        for to in (0..self.servers).filter(|to| *to != self.me) {
            self.send(to, message);
        }
    }

    fn is_quorum(&self, servers: &[Server]) -> bool {
        servers.len() > usize::from(self.servers) / 2
    }

    /// The server has not heard of a leader for some time.
    fn stand_for_election(&mut self) {
        self.role = Role::Candidate;
        self.state.term += 1;
        self.state.vote = Some(self.me);
        self.state.save(true);
        self.votes = vec![self.me];
        self.send_to_all(&Message::RequestVote(self.state.term, self.me, self.state.age()));
    }

    fn receive(&mut self, message: &Message) {
        if message.term() > self.state.term {
            self.state.term = message.term();
            self.state.vote = None;
            self.role = Role::Follower;
        }
        let term = self.state.term;
        match message {
            Message::RequestVote(asked, candidate, age) => {
                let newer = *age >= self.state.age() || self.bug == Bug::StaleLeader;
                let free = self.state.vote.is_none_or(|vote| vote == *candidate);
                let granted = *asked == term && free && newer;
                if granted {
                    self.state.vote = Some(*candidate);
                }
                self.state.save(self.bug != Bug::VoteIsForgotten);
                self.send(*candidate, &Message::Vote(term, self.me, granted));
            }
            Message::Vote(asked, from, granted) => {
                if self.role == Role::Candidate && *asked == term && *granted && !self.votes.contains(from) {
                    self.votes.push(*from);
                    if self.is_quorum(&self.votes) {
                        self.lead();
                    }
                }
            }
            Message::Append(asked, leader, log) => {
                if *asked == term {
                    self.role = Role::Follower;
                    // A leader sends all of its log, so what differs is wrong here.
                    if log.len() >= self.state.log.len() || !log.iter().zip(&self.state.log).all(|(a, b)| a == b) {
                        self.state.log.clone_from(log);
                    }
                    self.state.save(self.bug != Bug::EntryIsForgotten);
                    self.send(*leader, &Message::Stored(term, self.me, log.len() as u8));
                }
            }
            Message::Stored(asked, from, length) => {
                if self.role == Role::Leader && *asked == term && usize::from(*length) == self.state.log.len() {
                    self.stored.push(*from);
                    if self.is_quorum(&self.stored) {
                        self.claim_commit();
                    }
                }
            }
        }
    }

    /// The server has won. It adds an entry of its own, which makes the earlier ones safe as well.
    fn lead(&mut self) {
        self.role = Role::Leader;
        let term = self.state.term;
        {
            let mut claims = self.claims.lock().unwrap();
            claims.leaders.push((term, self.me));
            let other = claims
                .leaders
                .iter()
                .find(|(t, server)| *t == term && *server != self.me);
            assert!(other.is_none(), "two leaders in term {term}: {:?}", claims.leaders);
            let committed = claims.committed.as_deref().unwrap_or_default();
            assert!(
                self.state.log.starts_with(committed),
                "server {} leads without {committed:?}",
                self.me
            );
        }
        self.state.log.push((term, self.me));
        self.state.save(true);
        self.stored = vec![self.me];
        self.send_to_all(&Message::Append(term, self.me, self.state.log.clone()));
    }

    fn claim_commit(&self) {
        let mut claims = self.claims.lock().unwrap();
        let longest = claims.committed.get_or_insert_default();
        let agree = longest.iter().zip(&self.state.log).all(|(a, b)| a == b);
        assert!(agree, "{longest:?} and {:?} are committed", self.state.log);
        if self.state.log.len() > longest.len() {
            longest.clone_from(&self.state.log);
        }
    }
}

/// What a server does in a scenario.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// It stands for election when it starts, also when it starts again.
    pub stands: bool,
    /// It may crash and restart.
    pub crashes: bool,
}

/// It stands for election, and never crashes.
pub const CANDIDATE: Plan = Plan {
    stands: true,
    crashes: false,
};
/// It stands for election, and may crash.
pub const FRAIL_CANDIDATE: Plan = Plan {
    stands: true,
    crashes: true,
};
/// It only answers.
pub const VOTER: Plan = Plan {
    stands: false,
    crashes: false,
};
/// It only answers, and may crash.
pub const FRAIL_VOTER: Plan = Plan {
    stands: false,
    crashes: true,
};

fn serve(me: Server, plan: Plan, servers: u8, bug: Bug, claims: Arc<Mutex<Claims>>) {
    let mut raft = Raft::start(me, servers, bug, claims);
    raft.socket.set_read_timeout(Some(Duration::from_millis(150))).unwrap();
    if plan.stands {
        raft.stand_for_election();
    }
    let mut buffer = [0; 64];
    // A server that hears nothing for a while is switched off.
    while let Ok((n, _)) = raft.socket.recv_from(&mut buffer) {
        if let Some(message) = Message::parse(&buffer[..n]) {
            raft.receive(&message);
        }
    }
}

/// Servers with these plans, from their start until they are switched off.
pub fn cluster(plans: &[Plan], bug: Bug) {
    let claims = Arc::new(Mutex::new(Claims::default()));
    let count = plans.len() as u8;
    let nodes = (0..).zip(plans).map(|(me, plan)| {
        let (claims, plan) = (Arc::clone(&claims), *plan);
        let name = format!("server {me}");
        let body = move || serve(me, plan, count, bug, Arc::clone(&claims));
        if plan.crashes {
            node::spawn_restarting(&name, body)
        } else {
            node::spawn_reliable(&name, body)
        }
    });
    for node in nodes.collect::<Vec<_>>() {
        let _ = node.join();
    }
}

/// One server may crash, and at most so many executions are run.
pub fn search(plans: &[Plan], bug: Bug, most: u64) -> Report {
    let crash = Faults {
        crashes: 1,
        ..Faults::default()
    };
    let checker = Checker::new().faults(crash).max_executions(most).quiet(true);
    checker.run(|| cluster(plans, bug))
}

/// A scenario in which each mistake shows, and what then happens.
pub fn scenarios() -> [(Bug, [Plan; 3], &'static str); 3] {
    [
        (
            Bug::VoteIsForgotten,
            [CANDIDATE, CANDIDATE, FRAIL_VOTER],
            "two leaders in term 1",
        ),
        (
            Bug::EntryIsForgotten,
            [FRAIL_CANDIDATE, CANDIDATE, VOTER],
            "leads without",
        ),
        (Bug::StaleLeader, [CANDIDATE, FRAIL_CANDIDATE, VOTER], "leads without"),
    ]
}

/// Shows the mistakes, and that they are gone.
#[allow(dead_code, reason = "the tests look at each mistake")]
pub fn main() {
    for (bug, plans, _) in scenarios() {
        let report = search(&plans, bug, 100_000);
        if bug == Bug::VoteIsForgotten {
            println!("{report}\n");
        }
        let found = report
            .violations
            .first()
            .map_or("nothing", |violation| &violation.message);
        let executions = report.executions + report.probes;
        println!("{bug:?}: {found}\n  after {executions} executions\n");
    }
    without_mistakes(2_000);
}

/// Shows Raft itself: two servers, and three within a bound.
pub fn without_mistakes(most: u64) {
    println!("two servers: {}", search(&[CANDIDATE, FRAIL_VOTER], Bug::None, 20_000));
    let report = search(&[CANDIDATE, FRAIL_CANDIDATE, FRAIL_VOTER], Bug::None, most);
    assert!(report.violations.is_empty(), "{report}");
    println!("three servers: {report}");
}
