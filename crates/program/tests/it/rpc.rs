//! Remote calls (Stoller, section 10): they block their callers, run on the callee's thread, and happen at most once.

use mazurka::net::UdpSocket;
use mazurka::rpc::{Client, Server};
use mazurka::{Checker, Faults, Granularity, Report, Strategy, ViolationKind, node, thread};
use mazurka_seeds::seeds;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::ops::ControlFlow;
use std::rc::Rc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const SERVER: &str = "10.0.0.1:1";
const SECOND: Duration = Duration::from_secs(1);

/// What callers do, and what may go wrong.
#[derive(Clone, Copy, Debug)]
struct Scenario {
    callers: u8,
    calls: u8,
    retries: u32,
    timeout: bool,
    faults: Faults,
}

/// What the server was asked, in order, and what each caller got.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Log {
    asked: Vec<Vec<u8>>,
    got: Vec<Vec<Option<Vec<u8>>>>,
}

/// Calls of all callers, one after the other; the server stops when it has answered all of them, or nobody calls any more.
fn run(scenario: Scenario, log: &Arc<Mutex<Log>>) {
    *log.lock().unwrap() = Log {
        asked: Vec::new(),
        got: vec![Vec::new(); usize::from(scenario.callers)],
    };
    let server = Server::bind(SERVER).unwrap();
    if scenario.timeout {
        server.set_timeout(Some(SECOND)).unwrap();
    }
    let inner = Arc::clone(log);
    let serving = node::spawn("server", move || {
        let mut left = scenario.callers * scenario.calls;
        let me = thread::current().id();
        _ = server.serve(|request| {
            assert_eq!(thread::current().id(), me);
            inner.lock().unwrap().asked.push(request.to_vec());
            left -= 1;
            let reply = vec![request[0], request[1], 7];
            if left == 0 {
                ControlFlow::Break(reply)
            } else {
                ControlFlow::Continue(reply)
            }
        });
    });
    for caller in 0..scenario.callers {
        let log = Arc::clone(log);
        thread::spawn(move || {
            let mut client = Client::connect(SERVER).unwrap();
            client.set_retries(scenario.retries);
            if scenario.timeout {
                client.set_timeout(Some(SECOND)).unwrap();
            }
            for call in 0..scenario.calls {
                let reply = match client.call(&[caller, call]) {
                    Ok(reply) => Some(reply),
                    Err(error) => {
                        assert_eq!(error.kind(), ErrorKind::TimedOut);
                        None
                    }
                };
                log.lock().unwrap().got[usize::from(caller)].push(reply);
            }
        });
    }
    _ = serving.join();
}

type Outcomes = BTreeSet<(bool, Log)>;

fn outcomes(scenario: Scenario, checker: Checker) -> (Outcomes, Report) {
    let seen: Rc<RefCell<Outcomes>> = Rc::default();
    let log: Arc<Mutex<Log>> = Arc::default();
    let (inner, observed) = (Rc::clone(&seen), Arc::clone(&log));
    let checker = checker
        .faults(scenario.faults)
        .all_violations(true)
        .unwind(true)
        .quiet(true)
        .on_execution(move |execution| {
            let log = observed.lock().unwrap().clone();
            inner.borrow_mut().insert((execution.deadlock, log));
        });
    let report = checker.run(|| run(scenario, &log));
    drop(checker);
    (Rc::try_unwrap(seen).unwrap().into_inner(), report)
}

/// What holds of every execution.
fn at_most_once(scenario: Scenario, seen: &Outcomes) {
    for (_, log) in seen {
        let distinct: BTreeSet<_> = log.asked.iter().collect();
        assert_eq!(
            distinct.len(),
            log.asked.len(),
            "a call happened twice: {scenario:?} {log:?}"
        );
        for (caller, got) in log.got.iter().enumerate() {
            for (call, reply) in got.iter().enumerate() {
                let request = vec![caller as u8, call as u8];
                if let Some(reply) = reply {
                    assert_eq!(reply, &[request[0], request[1], 7], "{scenario:?} {log:?}");
                    assert!(log.asked.contains(&request), "{scenario:?} {log:?}");
                }
            }
        }
    }
}

/// One call, and nothing goes wrong.
fn calm() -> Scenario {
    Scenario {
        callers: 1,
        calls: 1,
        retries: 0,
        timeout: false,
        faults: Faults::default(),
    }
}

fn search(scenario: Scenario) -> (Outcomes, Report) {
    let (seen, report) = outcomes(scenario, Checker::new());
    assert!(report.complete, "{report}");
    at_most_once(scenario, &seen);
    (seen, report)
}

#[test]
fn a_call_blocks_its_caller() {
    let scenario = Scenario {
        callers: 2,
        calls: 2,
        ..calm()
    };
    let (seen, report) = search(scenario);
    assert!(report.violations.is_empty(), "{report}");
    // The calls of each caller are in order: four choose two.
    assert_eq!(seen.len(), 6);
    assert!(seen.iter().all(|(_, log)| log.asked.len() == 4));
}

#[test]
fn a_lost_request_or_reply() {
    let losses = |losses| Faults {
        losses,
        ..Faults::default()
    };
    let lost = Scenario {
        faults: losses(1),
        ..calm()
    };
    let (_, report) = search(lost);
    assert!(
        report.violations.iter().any(|v| v.kind == ViolationKind::Deadlock),
        "{report}"
    );
    // It is known that there is no reply, and not why.
    let (seen, report) = search(Scenario { timeout: true, ..lost });
    assert!(report.violations.is_empty(), "{report}");
    let failed = seen.iter().filter(|(_, log)| log.got[0] == [None]);
    let happened: BTreeSet<bool> = failed.map(|(_, log)| !log.asked.is_empty()).collect();
    assert_eq!(happened, BTreeSet::from([false, true]));
}

#[test]
fn a_request_that_arrives_twice_is_answered_twice_and_happens_once() {
    let duplications = |duplications| Faults {
        duplications,
        ..Faults::default()
    };
    for (retries, faults) in [(0, duplications(1)), (1, Faults::default()), (1, duplications(1))] {
        let scenario = Scenario {
            calls: 2,
            retries,
            timeout: retries > 0,
            faults,
            ..calm()
        };
        let (seen, _) = search(scenario);
        assert!(seen.iter().any(|(_, log)| log.asked.len() == 2));
    }
}

#[test]
fn a_callee_that_crashes() {
    let faults = Faults {
        crashes: 1,
        ..Faults::default()
    };
    let crashes = Scenario { faults, ..calm() };
    let (_, report) = search(crashes);
    assert!(
        report.violations.iter().any(|v| v.kind == ViolationKind::Deadlock),
        "{report}"
    );
    let (seen, report) = search(Scenario {
        timeout: true,
        ..crashes
    });
    assert!(report.violations.is_empty(), "{report}");
    assert!(seen.iter().any(|(_, log)| log.asked.len() == 1 && log.got[0] == [None]));
}

/// Who sends something else to a server or a client is not listened to.
#[test]
fn datagrams_of_others_are_ignored() {
    mazurka::check(|| {
        let server = Server::bind(SERVER).unwrap();
        let other = UdpSocket::bind("10.0.0.9:1").unwrap();
        other.send_to(b"hello", SERVER).unwrap();
        let client = thread::spawn(|| Client::connect(SERVER).unwrap().call(b"x").unwrap());
        server.serve(|request| ControlFlow::Break(request.to_vec())).unwrap();
        assert_eq!(client.join().unwrap(), b"x");
    });
}

#[allow(clippy::needless_update, reason = "there may be other faults")]
fn scenario(seed: u64) -> Scenario {
    let mut random = fastrand::Rng::with_seed(seed);
    let callers = random.u8(1..=2);
    let timeout = random.u8(..3) == 0;
    Scenario {
        callers,
        calls: if callers == 1 { random.u8(1..=2) } else { 1 },
        retries: u32::from(timeout && random.bool()),
        timeout,
        faults: Faults {
            losses: u32::from(random.u8(..3) == 0),
            duplications: u32::from(random.u8(..3) == 0),
            delays: u32::from(random.u8(..4) == 0),
            crashes: u32::from(random.u8(..3) == 0),
            ..Faults::default()
        },
    }
}

/// Every search sees what plain interleaving sees.
#[test]
fn random_calls() {
    let compared = AtomicU32::new(0);
    seeds(40, |seed| {
        let scenario = scenario(seed);
        let plain = Checker::new().strategy(Strategy::Exhaustive).max_executions(4_000);
        let (expected, report) = outcomes(scenario, plain.granularity(Granularity::InvisibleFirst));
        if !report.complete {
            return;
        }
        compared.fetch_add(1, Ordering::Relaxed);
        at_most_once(scenario, &expected);
        for strategy in [Strategy::Optimal, Strategy::SourceSets, Strategy::Selective] {
            let (seen, report) = outcomes(scenario, Checker::new().strategy(strategy.clone()));
            assert!(report.complete, "{report}");
            assert_eq!(seen, expected, "{strategy:?} {scenario:?}");
        }
    });
    if !mazurka_seeds::are_chosen() {
        assert!(compared.into_inner() > 8);
    }
}
