//! Random small distributed programs: each search must see the same ways to end as the search that tries every interleaving.
//!
//! The nodes exchange datagrams and bytes of streams, write to their disks, look at their clocks, start threads, crash, restart, and are
//! cut off from each other. Every statement of every node notes what it saw. How an execution ends is what all nodes have noted, and
//! whether some wait for ever.

use mazurka::fs::{self, File};
use mazurka::net::{self, TcpListener, TcpStream, UdpSocket};
use mazurka::sync::mpsc;
use mazurka::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use mazurka::{Checker, Faults, Granularity, Strategy, node, thread};
use mazurka_seeds::seeds;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Statement {
    /// A datagram for a node.
    Send(usize),
    Receive,
    /// With a timeout.
    TryReceive,
    /// Connects to a node, writes so many bytes, and reads an answer.
    Dial(usize, u8),
    /// Accepts a connection, reads at most so many bytes, and answers with the first.
    Serve(usize),
    /// Another thread of the node sends a datagram; it is not joined.
    Aside(usize),
    /// Another thread of the node receives a datagram and passes it on within the node.
    PassOn,
    /// Writes so many bytes to the end of a file.
    Append(char, u8),
    Truncate(char),
    Sync(char),
    SyncNames,
    Rename(char, char),
    Remove(char),
    ReadBack(char),
    Sleep,
    LookAtClock,
    LookAtTime,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Plain,
    Reliable,
    Restarting,
}

#[derive(Clone, Debug)]
struct Program {
    nodes: Vec<(Kind, Vec<Statement>)>,
    faults: Faults,
    /// The program itself separates the first node from the others, and perhaps ends that.
    partition: bool,
    heals: bool,
}

/// What programs are about, so that the parts that belong together meet.
#[derive(Clone, Copy)]
enum Theme {
    Datagrams,
    Streams,
    Disks,
    Clocks,
    Threads,
}

fn statement(rng: &mut fastrand::Rng, theme: Theme, me: usize, count: usize) -> Statement {
    use Statement::*;
    let other = (me + rng.usize(1..count)) % count;
    let file = if rng.u8(0..3) == 0 { 'b' } else { 'a' };
    match (theme, rng.u8(0..8)) {
        (_, 0) => Send(other),
        (Theme::Datagrams, 1..=3) => Send(other),
        (Theme::Datagrams, 4 | 5) => Receive,
        (Theme::Datagrams, _) => TryReceive,
        (Theme::Streams, _) if me == 0 => Serve(rng.usize(1..=2)),
        (Theme::Streams, 7) => TryReceive,
        (Theme::Streams, _) => Dial(0, rng.u8(1..=2)),
        (Theme::Disks, 1 | 2) => Append(file, rng.u8(1..=2)),
        (Theme::Disks, 3) => Sync(file),
        (Theme::Disks, 4) => [SyncNames, Truncate(file)][rng.usize(0..2)],
        (Theme::Disks, 5) => [Rename('a', 'b'), Remove(file)][rng.usize(0..2)],
        (Theme::Disks, _) => ReadBack(file),
        (Theme::Clocks, 1 | 2) => Sleep,
        (Theme::Clocks, 3) => Receive,
        (Theme::Clocks, 4 | 5) => LookAtClock,
        (Theme::Clocks, _) => LookAtTime,
        (Theme::Threads, 1..=3) => Aside(other),
        (Theme::Threads, 4) => Receive,
        (Theme::Threads, _) => PassOn,
    }
}

fn program(seed: u64) -> Program {
    let mut rng = fastrand::Rng::with_seed(seed);
    let themes = [
        Theme::Datagrams,
        Theme::Streams,
        Theme::Disks,
        Theme::Clocks,
        Theme::Threads,
    ];
    let theme = themes[rng.usize(0..themes.len())];
    let count = 2 + usize::from(rng.u8(0..12) == 0);
    let kinds = [Kind::Plain, Kind::Reliable, Kind::Restarting];
    let longest = if matches!(theme, Theme::Disks | Theme::Clocks) {
        5
    } else {
        2
    };
    let nodes = (0..count).map(|me| {
        let kind = kinds[rng.usize(0..kinds.len())];
        let length = rng.usize(1..=longest);
        let statements = (0..length).map(|_| statement(&mut rng, theme, me, count));
        (kind, statements.collect())
    });
    let nodes: Vec<_> = nodes.collect();
    let mut faults = Faults::default();
    for _ in 0..[0, 1, 1, 1, 2][rng.usize(0..5)] {
        match (theme, rng.u8(0..8)) {
            (Theme::Disks, 0..=2) => (faults.crashes, faults.reordered_writes) = (1, 1),
            (Theme::Disks, 3..=5) => (faults.crashes, faults.torn_writes) = (1, 1),
            (Theme::Clocks, 0..=3) => faults.skew = Duration::from_secs(5),
            (Theme::Clocks, 4..=6) => faults.drift = 50,
            (Theme::Streams, 0..=2) => faults.resets = 1,
            (Theme::Streams, 3..=5) => faults.short_reads = 1,
            (Theme::Datagrams, 0) => faults.losses = 1,
            (Theme::Datagrams, 1) => faults.duplications = 1,
            (Theme::Datagrams, 2) => faults.delays = 1,
            (Theme::Datagrams, 3) | (_, 6) => faults.partitions = 1,
            (_, 7) => faults.crashes = 2,
            _ => faults.crashes = 1,
        }
    }
    let partition = rng.u8(0..6) == 0;
    let heals = partition && rng.bool();
    Program {
        nodes,
        faults,
        partition,
        heals,
    }
}

/// What a node has noted.
type Log = Arc<Mutex<Vec<Vec<String>>>>;

/// How an execution can end.
type Outcomes = BTreeSet<(bool, Vec<Vec<String>>)>;

fn address(node: usize) -> String {
    format!("10.0.0.{}:7", node + 1)
}

/// The sockets of a node, which it opens when it starts.
struct Sockets {
    datagrams: Option<Arc<UdpSocket>>,
    listener: Option<TcpListener>,
}

fn perform(statement: Statement, sockets: &Sockets, start: Instant) -> String {
    use Statement::*;
    let udp = || Arc::clone(sockets.datagrams.as_ref().unwrap());
    let receive = |timeout: bool| {
        let socket = udp();
        socket
            .set_read_timeout(timeout.then_some(Duration::from_secs(1)))
            .unwrap();
        let mut buffer = [0; 1];
        socket
            .recv(&mut buffer)
            .map_or("nothing".to_owned(), |_| buffer[0].to_string())
    };
    let kind = |error: std::io::Error| format!("{:?}", error.kind());
    let name = |file: char| file.to_string();
    let result: std::io::Result<String> = match statement {
        Send(to) => udp().send_to(&[7], address(to)).map(|_| String::new()),
        Receive => Ok(receive(false)),
        TryReceive => Ok(receive(true)),
        Dial(to, bytes) => dial(to, bytes),
        Serve(most) => serve(sockets.listener.as_ref().unwrap(), most),
        Aside(to) => {
            let socket = udp();
            thread::spawn(move || socket.send_to(&[8], address(to)).map(drop));
            Ok(String::new())
        }
        PassOn => {
            let (socket, (sender, receiver)) = (udp(), mpsc::channel());
            thread::spawn(move || {
                let mut buffer = [0; 1];
                socket.set_read_timeout(None).unwrap();
                let _ = socket.recv(&mut buffer);
                let _ = sender.send(buffer[0]);
            });
            Ok(format!("{:?}", receiver.recv()))
        }
        Append(file, bytes) => File::options()
            .create(true)
            .append(true)
            .open(name(file))
            .and_then(|mut f| f.write_all(&vec![bytes; bytes.into()]))
            .map(|()| String::new()),
        Truncate(file) => File::create(name(file)).map(|_| String::new()),
        Sync(file) => File::open(name(file))
            .and_then(|f| f.sync_all())
            .map(|()| String::new()),
        SyncNames => File::open(".").and_then(|f| f.sync_all()).map(|()| String::new()),
        Rename(from, to) => fs::rename(name(from), name(to)).map(|()| String::new()),
        Remove(file) => fs::remove_file(name(file)).map(|()| String::new()),
        ReadBack(file) => fs::read(name(file)).map(|bytes| format!("{bytes:?}")),
        Sleep => {
            thread::sleep(Duration::from_secs(1));
            Ok(String::new())
        }
        LookAtClock => Ok(format!("{:?}", start.elapsed())),
        LookAtTime => Ok(format!("{:?}", SystemTime::now().duration_since(UNIX_EPOCH).unwrap())),
    };
    result.unwrap_or_else(kind)
}

fn dial(to: usize, bytes: u8) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(address(to))?;
    stream.write_all(&vec![bytes; bytes.into()])?;
    let mut answer = [0; 1];
    let n = stream.read(&mut answer)?;
    Ok(format!("{:?}", &answer[..n]))
}

fn serve(listener: &TcpListener, most: usize) -> std::io::Result<String> {
    let (mut stream, _) = listener.accept()?;
    let mut request = [0; 2];
    let n = stream.read(&mut request[..most])?;
    stream.write_all(&request[..1])?;
    Ok(format!("{:?}", &request[..n]))
}

/// A node, from its start.
fn run_node(me: usize, statements: &[Statement], log: &Log) {
    use Statement::*;
    let note = |text: String| log.lock().unwrap()[me].push(text);
    let datagrams = statements
        .iter()
        .any(|s| matches!(s, Send(_) | Receive | TryReceive | Aside(_) | PassOn));
    let serves = statements.iter().any(|s| matches!(s, Serve(_)));
    note("starts".to_owned());
    let sockets = Sockets {
        datagrams: datagrams.then(|| Arc::new(UdpSocket::bind(address(me)).unwrap())),
        listener: serves.then(|| TcpListener::bind(address(me)).unwrap()),
    };
    let start = Instant::now();
    for statement in statements {
        note(perform(*statement, &sockets, start));
    }
}

fn run(program: &Program, log: &Log) {
    *log.lock().unwrap() = vec![Vec::new(); program.nodes.len()];
    let nodes = program.nodes.iter().enumerate().map(|(me, (kind, statements))| {
        let (statements, log) = (statements.clone(), Arc::clone(log));
        let name = format!("node {me}");
        let body = move || run_node(me, &statements, &log);
        match kind {
            Kind::Plain => node::spawn(&name, body),
            Kind::Reliable => node::spawn_reliable(&name, body),
            Kind::Restarting => node::spawn_restarting(&name, body),
        }
    });
    let nodes: Vec<_> = nodes.collect();
    if program.partition {
        net::partition(&["node 0"], &["node 1"]);
    }
    if program.heals {
        net::heal();
    }
    for (me, node) in nodes.into_iter().enumerate() {
        let end = format!("{:?}", node.join());
        log.lock().unwrap()[me].push(end);
    }
}

/// What a search sees; none if it is not complete within so many executions.
fn outcomes(program: &Program, strategy: Strategy, granularity: Granularity, most: u64) -> Option<Outcomes> {
    let seen = Rc::new(RefCell::new(Outcomes::new()));
    let log = Log::default();
    let (inner, observed) = (Rc::clone(&seen), Arc::clone(&log));
    let checker = Checker::new()
        .strategy(strategy)
        .granularity(granularity)
        .faults(program.faults)
        .all_violations(true)
        .max_executions(most)
        .unwind(true)
        .leaks(false)
        .quiet(true)
        .on_execution(move |execution| {
            let logs = observed.lock().unwrap().clone();
            inner.borrow_mut().insert((execution.deadlock, logs));
        });
    let report = checker.run(|| run(program, &log));
    drop(checker);
    let other = |v: &&mazurka::Violation| v.kind != mazurka::ViolationKind::Deadlock;
    assert!(!report.violations.iter().any(|v| other(&v)), "{report}\n{program:?}");
    if !report.complete {
        assert!(report.executions + report.discarded >= most, "{report}\n{program:?}");
        return None;
    }
    Some(Rc::try_unwrap(seen).unwrap().into_inner())
}

#[test]
fn searches_agree_with_every_interleaving() {
    let (compared, of_several_orders) = (AtomicU64::new(0), AtomicU64::new(0));
    seeds(60, |seed| {
        let program = program(seed);
        let granularity = [Granularity::Fine, Granularity::Composed][usize::from(seed % 4 != 0)];
        let Some(expected) = outcomes(&program, Strategy::Exhaustive, granularity, 700) else {
            return;
        };
        for (strategy, granularity) in [
            (Strategy::Optimal, Granularity::Composed),
            (Strategy::Optimal, Granularity::Fine),
            (Strategy::SourceSets, Granularity::Composed),
            (Strategy::Selective, Granularity::InvisibleFirst),
        ] {
            let found = outcomes(&program, strategy.clone(), granularity, 20_000);
            let found = found.unwrap_or_else(|| panic!("{strategy:?} has more executions than there are\n{program:?}"));
            assert_eq!(found, expected, "{strategy:?}, {granularity:?}\n{program:?}");
            compared.fetch_add(1, Ordering::Relaxed);
        }
        of_several_orders.fetch_add(u64::from(expected.len() > 1), Ordering::Relaxed);
    });
    let (compared, of_several_orders) = (compared.into_inner(), of_several_orders.into_inner());
    println!("{compared} searches were compared, {of_several_orders} programs can end in several ways");
    if !mazurka_seeds::are_chosen() {
        assert!(compared > 40 && of_several_orders > 4);
    }
}

#[test]
fn every_statement_kind_and_fault_is_drawn() {
    use Statement::*;
    let programs: Vec<Program> = (0..2_000).map(program).collect();
    let mut missing: BTreeSet<&str> = BTreeSet::new();
    let mut need = |name: &'static str, there: bool| {
        if !there {
            missing.insert(name);
        }
    };
    let some = |is: &dyn Fn(Statement) -> bool| {
        programs
            .iter()
            .flat_map(|p| &p.nodes)
            .any(|(_, s)| s.iter().any(|s| is(*s)))
    };
    /// Names every statement: a new one does not compile until it is added here.
    fn name(statement: Statement) -> &'static str {
        match statement {
            Send(_) => "Send",
            Receive => "Receive",
            TryReceive => "TryReceive",
            Dial(..) => "Dial",
            Serve(_) => "Serve",
            Aside(_) => "Aside",
            PassOn => "PassOn",
            Append(..) => "Append",
            Truncate(_) => "Truncate",
            Sync(_) => "Sync",
            SyncNames => "SyncNames",
            Rename(..) => "Rename",
            Remove(_) => "Remove",
            ReadBack(_) => "ReadBack",
            Sleep => "Sleep",
            LookAtClock => "LookAtClock",
            LookAtTime => "LookAtTime",
        }
    }
    for wanted in [
        Send(0),
        Receive,
        TryReceive,
        Dial(0, 1),
        Serve(1),
        Aside(0),
        PassOn,
        Append('a', 1),
        Truncate('a'),
        Sync('a'),
        SyncNames,
        Rename('a', 'b'),
        Remove('a'),
        ReadBack('a'),
        Sleep,
        LookAtClock,
        LookAtTime,
    ] {
        need(name(wanted), some(&|s| name(s) == name(wanted)));
    }
    for kind in [Kind::Plain, Kind::Reliable, Kind::Restarting] {
        need(
            "a kind of node",
            programs.iter().any(|p| p.nodes.iter().any(|(k, _)| *k == kind)),
        );
    }
    need("partition", programs.iter().any(|p| p.partition && !p.heals));
    need("heal", programs.iter().any(|p| p.heals));
    // A new fault does not compile until it is added here.
    let faults = |of: fn(Faults) -> bool| programs.iter().any(|p| of(p.faults));
    let Faults {
        losses: _,
        duplications: _,
        delays: _,
        crashes: _,
        partitions: _,
        resets: _,
        short_reads: _,
        reordered_writes: _,
        torn_writes: _,
        skew: _,
        drift: _,
    } = Faults::default();
    need("losses", faults(|f| f.losses > 0));
    need("duplications", faults(|f| f.duplications > 0));
    need("delays", faults(|f| f.delays > 0));
    need("crashes", faults(|f| f.crashes == 1));
    need("two crashes", faults(|f| f.crashes == 2));
    need("partitions", faults(|f| f.partitions > 0));
    need("resets", faults(|f| f.resets > 0));
    need("short reads", faults(|f| f.short_reads > 0));
    need("reordered writes", faults(|f| f.reordered_writes > 0));
    need("torn writes", faults(|f| f.torn_writes > 0));
    need("skew", faults(|f| !f.skew.is_zero()));
    need("drift", faults(|f| f.drift > 0));
    assert!(missing.is_empty(), "never drawn: {missing:?}");
}
