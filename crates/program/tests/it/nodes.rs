//! Crashes, restarts, disks, partitions, resets and clocks of nodes, one at a time.

use mazurka::fs::{self, File};
use mazurka::net::{self, TcpListener, TcpStream, UdpSocket};
use mazurka::sync::{Mutex, mpsc};
use mazurka::time::{Duration, Instant, SystemTime};
use mazurka::{Checker, Faults, Report, node, thread};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io::{ErrorKind, Read, Write};
use std::sync::Arc;

/// What a program can return, and the report. Nothing may be wrong.
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

fn crashes(crashes: u32) -> Faults {
    Faults {
        crashes,
        ..Faults::default()
    }
}

/// A node with two threads that send, of which each has sent nothing or something when it crashes.
#[test]
fn the_threads_of_a_node_crash_together_at_any_moment() {
    let (seen, _) = all(crashes(1), || {
        let sockets = ["10.0.0.1:1", "10.0.0.2:1"].map(|address| UdpSocket::bind(address).unwrap());
        let node = node::spawn("two threads", || {
            let socket = Arc::new(UdpSocket::bind("10.0.0.3:1").unwrap());
            let other = Arc::clone(&socket);
            let second = thread::spawn(move || drop(other.send_to(&[2], "10.0.0.2:1")));
            socket.send_to(&[1], "10.0.0.1:1").unwrap();
            second.join().unwrap();
        });
        let crashed = node.join().is_err();
        let heard = sockets.map(|socket| {
            socket.set_nonblocking(true).unwrap();
            socket.recv(&mut [0]).is_ok()
        });
        (crashed, heard)
    });
    // It crashes before an operation, so it has not done everything.
    let crashed = [[false, false], [false, true], [true, false]].map(|heard| (true, heard));
    let ended = [[false, false], [false, true], [true, false], [true, true]].map(|heard| (false, heard));
    assert_eq!(seen, crashed.into_iter().chain(ended).collect());
}

/// A thread that waits for another one of its node, which crashes, neither blocks anybody nor panics because a lock is poisoned.
#[test]
fn nothing_of_a_node_goes_on_after_its_crash() {
    let (seen, _) = all(crashes(1), || {
        let node = node::spawn("locks", || {
            let lock = Arc::new(Mutex::new(0));
            let other = Arc::clone(&lock);
            let second = thread::spawn(move || *other.lock().unwrap() += 1);
            let socket = UdpSocket::bind("10.0.0.1:1").unwrap();
            let held = lock.lock().unwrap();
            socket.send_to(&[1], "10.0.0.2:1").unwrap();
            drop(held);
            second.join().unwrap();
        });
        node.join().is_err()
    });
    assert_eq!(seen, BTreeSet::from([false, true]));
}

#[test]
fn a_node_that_restarts_binds_its_address_again_and_may_get_what_was_sent_before() {
    let (seen, _) = all(crashes(1), || {
        let node = node::spawn_restarting("server", || {
            let socket = UdpSocket::bind("10.0.0.1:1").unwrap();
            socket.set_read_timeout(Some(Duration::from_secs(1))).unwrap();
            let lives = fs::read("lives").map_or(0, |bytes| bytes.first().copied().unwrap_or_default()) + 1;
            fs::write("lives", [lives]).unwrap();
            File::open("lives").unwrap().sync_all().unwrap();
            File::open(".").unwrap().sync_all().unwrap();
            (lives, socket.recv(&mut [0]).is_ok())
        });
        let client = UdpSocket::bind("10.0.0.2:1").unwrap();
        client.send_to(&[1], "10.0.0.1:1").unwrap();
        node.join().unwrap()
    });
    assert_eq!(seen, BTreeSet::from([(1, false), (1, true), (2, false), (2, true)]));
}

/// What the second life of a node finds of what the first one has done.
fn after_a_crash(faults: Faults, first: impl Fn() + Copy + Send + Sync + 'static) -> BTreeSet<Option<Vec<u8>>> {
    let (seen, _) = all(faults, move || {
        let node = node::spawn_restarting("disk", move || match fs::read("life") {
            Err(_) => {
                fs::write("life", "").unwrap();
                File::open(".").unwrap().sync_all().unwrap();
                first();
                None
            }
            Ok(_) => Some(fs::read("file").ok()),
        });
        node.join().unwrap()
    });
    seen.into_iter().flatten().collect()
}

fn bytes(all: &[Option<&[u8]>]) -> BTreeSet<Option<Vec<u8>>> {
    all.iter().map(|bytes| bytes.map(<[u8]>::to_vec)).collect()
}

#[test]
fn a_crash_leaves_a_beginning_of_what_was_not_synced() {
    let first = || {
        let mut file = File::create("file").unwrap();
        file.write_all(b"ab").unwrap();
        file.write_all(b"c").unwrap();
    };
    let expected = bytes(&[None, Some(b""), Some(b"ab"), Some(b"abc")]);
    assert_eq!(after_a_crash(crashes(1), first), expected);
    let torn = Faults {
        torn_writes: 1,
        ..crashes(1)
    };
    let expected = bytes(&[None, Some(b""), Some(b"a"), Some(b"ab"), Some(b"a\0c"), Some(b"abc")]);
    assert_eq!(after_a_crash(torn, first), expected);
    let reordered = Faults {
        reordered_writes: 1,
        ..crashes(1)
    };
    let expected = bytes(&[None, Some(b""), Some(b"ab"), Some(b"\0\0c"), Some(b"abc")]);
    assert_eq!(after_a_crash(reordered, first), expected);
}

#[test]
fn what_was_synced_is_there() {
    let first = || {
        fs::write("new", b"ab").unwrap();
        File::open("new").unwrap().sync_all().unwrap();
        fs::rename("new", "file").unwrap();
        File::open(".").unwrap().sync_all().unwrap();
    };
    assert_eq!(after_a_crash(crashes(1), first), bytes(&[None, Some(b"ab")]));
    // Without a sync of the file, the name can be there before the contents.
    let careless = || {
        fs::write("new", b"ab").unwrap();
        fs::rename("new", "file").unwrap();
        File::open(".").unwrap().sync_all().unwrap();
    };
    let seen = after_a_crash(crashes(1), careless);
    assert_eq!(seen, bytes(&[None, Some(b""), Some(b"ab")]));
}

#[test]
fn a_partition_of_the_search_loses_what_passes_meanwhile() {
    let partitions = Faults {
        partitions: 1,
        ..Faults::default()
    };
    let (seen, _) = all(partitions, || {
        let (bound, is_bound) = mpsc::channel();
        let receiver = node::spawn("receiver", move || {
            let socket = UdpSocket::bind("10.0.0.1:1").unwrap();
            bound.send(()).unwrap();
            socket.set_read_timeout(Some(Duration::from_secs(1))).unwrap();
            [0, 0].map(|mut n| socket.recv(std::slice::from_mut(&mut n)).map_or(0, |_| n))
        });
        is_bound.recv().unwrap();
        let sender = node::spawn("sender", || {
            let socket = UdpSocket::bind("10.0.0.2:1").unwrap();
            socket.send_to(&[1], "10.0.0.1:1").unwrap();
            socket.send_to(&[2], "10.0.0.1:1").unwrap();
        });
        sender.join().unwrap();
        receiver.join().unwrap()
    });
    for heard in [[0, 0], [1, 2], [1, 0], [2, 0]] {
        assert!(seen.contains(&heard), "{heard:?} not in {seen:?}");
    }
}

#[test]
fn a_partition_of_the_program_breaks_connections() {
    let (seen, _) = all(Faults::default(), || {
        let (go, wait) = mpsc::channel();
        let (bound, is_bound) = mpsc::channel();
        let server = node::spawn("server", move || {
            let listener = TcpListener::bind("10.0.0.1:80").unwrap();
            bound.send(()).unwrap();
            let (mut stream, _) = listener.accept().unwrap();
            stream.read(&mut [0]).map_err(|error| error.kind())
        });
        is_bound.recv().unwrap();
        let (connected, is_connected) = mpsc::channel();
        let client = node::spawn("client", move || {
            let mut stream = TcpStream::connect("10.0.0.1:80").unwrap();
            connected.send(()).unwrap();
            wait.recv().unwrap();
            let first = stream.write(&[1]).map_err(|error| error.kind());
            (
                first,
                TcpStream::connect("10.0.0.1:80").map_err(|error| error.kind()).is_err(),
            )
        });
        is_connected.recv().unwrap();
        net::partition(&["client"], &["server"]);
        go.send(()).unwrap();
        (
            format!("{:?}", client.join().unwrap()),
            server.join().unwrap() == Err(ErrorKind::ConnectionReset),
        )
    });
    assert_eq!(
        seen,
        BTreeSet::from([("(Err(ConnectionReset), true)".to_owned(), true)])
    );
}

#[test]
#[should_panic(expected = "no node of the name \"srever\" has been started")]
fn a_partition_of_unknown_nodes_is_a_mistake() {
    mazurka::check(|| {
        let server = node::spawn("server", || ());
        net::partition(&["srever"], &["server"]);
        server.join().unwrap();
    });
}

/// What a client reads of three bytes, and how it ends.
fn read_three(faults: Faults) -> BTreeSet<(Vec<u8>, bool)> {
    let (seen, _) = all(faults, || {
        let listener = TcpListener::bind("10.0.0.1:80").unwrap();
        let server = thread::spawn(move || drop(listener.accept().unwrap().0.write_all(&[1, 2, 3])));
        let mut stream = TcpStream::connect("10.0.0.1:80").unwrap();
        let mut buffer = [0; 8];
        let read = stream.read(&mut buffer);
        server.join().unwrap();
        (buffer[..*read.as_ref().unwrap_or(&0)].to_vec(), read.is_err())
    });
    seen
}

#[test]
fn connections_are_reset_and_reads_are_short_if_that_is_allowed() {
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

#[test]
fn clocks_of_nodes_are_off_and_drift_if_that_is_allowed() {
    let wrong = Faults {
        skew: Duration::from_secs(5),
        drift: 20,
        ..Faults::default()
    };
    let (seen, _) = all(wrong, || {
        let right = SystemTime::now();
        let node = node::spawn("clock", move || {
            let shown = SystemTime::now();
            let skew = match shown.duration_since(right) {
                Ok(ahead) => i64::try_from(ahead.as_secs()).unwrap(),
                Err(behind) => -i64::try_from(behind.duration().as_secs()).unwrap(),
            };
            let start = Instant::now();
            thread::sleep(Duration::from_secs(60));
            (skew, start.elapsed())
        });
        let start = Instant::now();
        let (skew, slept) = node.join().unwrap();
        assert!(slept >= Duration::from_secs(60) && slept.as_secs() == 60);
        (skew, start.elapsed().as_secs())
    });
    let skews = [-5, 0, 5].into_iter();
    let expected = skews.flat_map(|skew| [50, 60, 75].map(|took| (skew, took)));
    assert_eq!(seen, expected.collect());
}

/// One thread of a node may stop while another one still receives and answers.
#[test]
fn a_thread_that_waits_for_the_network_keeps_its_node_up() {
    let (seen, _) = all(crashes(1), || {
        let asker = UdpSocket::bind("10.0.0.1:1").unwrap();
        let socket = UdpSocket::bind("10.0.0.2:1").unwrap();
        let node = node::spawn("two threads", move || {
            let answers = thread::spawn(move || {
                let (_, from) = socket.recv_from(&mut [0]).unwrap();
                socket.send_to(&[1], from).unwrap();
            });
            UdpSocket::bind("10.0.0.3:1").unwrap();
            answers.join().unwrap();
        });
        asker.send_to(&[0], "10.0.0.2:1").unwrap();
        let crashed = node.join().is_err();
        asker.set_nonblocking(true).unwrap();
        (crashed, asker.recv(&mut [0]).is_ok())
    });
    assert_eq!(
        seen,
        BTreeSet::from([(false, false), (false, true), (true, false), (true, true)])
    );
}

/// A thread that waits for another one of its node over the network is no deadlock when that one has crashed.
#[test]
fn half_a_crash_is_not_the_end() {
    let (seen, report) = all(crashes(1), || {
        let node = node::spawn("talks to itself", || {
            let socket = Arc::new(UdpSocket::bind("10.0.0.1:1").unwrap());
            let other = Arc::clone(&socket);
            let sends = thread::spawn(move || drop(other.send_to(&[1], "10.0.0.1:1")));
            socket.recv(&mut [0]).unwrap();
            sends.join().unwrap();
        });
        node.join().is_err()
    });
    assert_eq!(seen, BTreeSet::from([false, true]));
    assert!(report.discarded > 0, "{report}");
}
