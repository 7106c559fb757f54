//! Loops that wait by looking at something else than one atomic. Most do not call `yield_now`.

use mazurka::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use mazurka::sync::atomic::{AtomicUsize, Ordering, fence};
use mazurka::sync::mpsc::{Receiver, Sender, channel};
use mazurka::sync::{Condvar, Mutex, Once, OnceLock, RwLock, Semaphore};
use mazurka::{Checker, Memory, Report, Strategy, ViolationKind, assume, thread};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// What the threads share.
struct Shared {
    atomics: [AtomicUsize; 2],
    mutex: Mutex<bool>,
    lock: RwLock<bool>,
    condvar: Condvar,
    permits: Semaphore,
    once: Once,
    cell: OnceLock<usize>,
    sender: Mutex<Sender<usize>>,
}

const SECOND: Duration = Duration::from_secs(1);

/// A loop that waits, and what ends it.
#[derive(Clone, Copy)]
struct Wait {
    name: &'static str,
    /// A turn: true if it is the last.
    turn: fn(&Shared, &Receiver<usize>) -> bool,
    end: fn(&Shared),
    /// What a thread that waits for ever waits for.
    what: &'static str,
    /// Whether the loop is recognised even if releases of locks are steps.
    always: bool,
}

const WAITS: &[Wait] = &[
    Wait {
        name: "one of two atomics",
        turn: |s, _| s.atomics[0].load(SeqCst) + s.atomics[1].load(SeqCst) > 0,
        end: |s| s.atomics[1].store(1, SeqCst),
        what: "in a loop until Atomic",
        always: true,
    },
    Wait {
        name: "swap",
        turn: |s, _| s.atomics[0].swap(0, SeqCst) > 0,
        end: |s| s.atomics[0].store(1, SeqCst),
        what: "in a loop until Atomic",
        always: true,
    },
    Wait {
        name: "compare_exchange",
        turn: |s, _| s.atomics[0].compare_exchange(1, 2, SeqCst, SeqCst).is_ok(),
        end: |s| s.atomics[0].store(1, SeqCst),
        what: "in a loop until Atomic",
        always: true,
    },
    Wait {
        name: "fetch_update",
        turn: |s, _| {
            let next = |value| (value > 0).then_some(value + 1);
            s.atomics[0].fetch_update(SeqCst, SeqCst, next).is_ok()
        },
        end: |s| s.atomics[0].store(1, SeqCst),
        what: "in a loop until Atomic",
        always: true,
    },
    Wait {
        name: "lock",
        turn: |s, _| *s.mutex.lock().unwrap(),
        end: |s| *s.mutex.lock().unwrap() = true,
        what: "in a loop until Mutex",
        always: false,
    },
    Wait {
        name: "try_lock",
        turn: |s, _| s.mutex.try_lock().is_ok(),
        // It is locked at first.
        end: |_| (),
        what: "in a loop until Mutex",
        always: true,
    },
    Wait {
        name: "read",
        turn: |s, _| *s.lock.read().unwrap(),
        end: |s| *s.lock.write().unwrap() = true,
        what: "in a loop until RwLock",
        always: false,
    },
    Wait {
        name: "try_read",
        turn: |s, _| s.lock.try_read().is_ok(),
        end: |_| (),
        what: "in a loop until RwLock",
        always: true,
    },
    Wait {
        name: "try_write",
        turn: |s, _| s.lock.try_write().is_ok(),
        end: |_| (),
        what: "in a loop until RwLock",
        always: true,
    },
    Wait {
        name: "try_acquire",
        turn: |s, _| s.permits.try_acquire(),
        end: |s| s.permits.release(),
        what: "in a loop until Semaphore",
        always: true,
    },
    Wait {
        name: "try_recv",
        turn: |_, r| r.try_recv().is_ok(),
        end: |s| s.sender.lock().unwrap().send(1).unwrap(),
        what: "in a loop until channel",
        always: true,
    },
    Wait {
        name: "recv_timeout",
        turn: |_, r| r.recv_timeout(SECOND).is_ok(),
        end: |s| s.sender.lock().unwrap().send(1).unwrap(),
        what: "in a loop until channel",
        always: true,
    },
    Wait {
        name: "wait_timeout",
        turn: |s, _| {
            let mut guard = s.mutex.lock().unwrap();
            while !*guard {
                guard = s.condvar.wait_timeout(guard, SECOND).unwrap().0;
            }
            true
        },
        end: |s| {
            *s.mutex.lock().unwrap() = true;
            s.condvar.notify_one();
        },
        what: "in a loop until Condvar",
        always: false,
    },
    Wait {
        name: "park_timeout",
        turn: |s, _| {
            thread::park_timeout(SECOND);
            s.atomics[0].load(SeqCst) > 0
        },
        end: |s| s.atomics[0].store(1, SeqCst),
        what: "in a loop until token",
        always: true,
    },
    Wait {
        name: "sleep",
        turn: |s, _| {
            thread::sleep(SECOND);
            s.atomics[0].load(SeqCst) > 0
        },
        end: |s| s.atomics[0].store(1, SeqCst),
        what: "in a loop until Atomic",
        always: true,
    },
    Wait {
        name: "is_completed",
        turn: |s, _| s.once.is_completed(),
        end: |s| s.once.call_once(|| ()),
        what: "in a loop until Once",
        always: true,
    },
    Wait {
        name: "get",
        turn: |s, _| s.cell.get().is_some(),
        end: |s| _ = s.cell.set(1),
        what: "in a loop until Once",
        always: true,
    },
];

/// Two threads: one waits `times` times, the other one ends that if it is `ended`. Then the first one looks at what the other one
/// has stored before and after.
fn program(wait: Wait, ended: bool, order: Ordering, most: Option<usize>) -> usize {
    let (sender, receiver) = channel();
    let shared = Arc::new(Shared {
        atomics: [AtomicUsize::new(0), AtomicUsize::new(0)],
        mutex: Mutex::new(false),
        lock: RwLock::new(false),
        condvar: Condvar::new(),
        permits: Semaphore::new(0),
        once: Once::new(),
        cell: OnceLock::new(),
        sender: Mutex::new(sender),
    });
    let values = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
    // All atomics are weak, or none.
    values[0].load(order);
    let tries = matches!(wait.name, "try_lock" | "try_read" | "try_write");
    let (other, seen) = (Arc::clone(&shared), Arc::clone(&values));
    let owner = Arc::clone(&shared);
    let held = tries.then(|| (owner.mutex.lock().unwrap(), owner.lock.write().unwrap()));
    let thread = thread::spawn(move || {
        let mut turns = 0;
        while !(wait.turn)(&other, &receiver) {
            if let Some(most) = most {
                turns += 1;
                assume(turns < most);
            }
        }
        seen[0].load(order) + 2 * seen[1].load(order)
    });
    values[0].store(1, order.max_store());
    if ended {
        drop(held);
        (wait.end)(&shared);
        values[1].store(1, order.max_store());
        thread.join().unwrap()
    } else {
        // For ever, if it holds the locks.
        let result = thread.join().unwrap();
        drop(held);
        result
    }
}

/// The ordering of a store that goes with that of a load.
trait MaxStore {
    fn max_store(self) -> Ordering;
}

impl MaxStore for Ordering {
    fn max_store(self) -> Ordering {
        if self == SeqCst { SeqCst } else { Relaxed }
    }
}

fn results(wait: Wait, order: Ordering, most: Option<usize>, strategy: Strategy) -> (BTreeSet<usize>, Report) {
    let seen = RefCell::new(BTreeSet::new());
    let checker = Checker::new().strategy(strategy).all_violations(true).quiet(true);
    let report = checker.max_executions(20_000).max_depth(200).run(|| {
        let result = program(wait, true, order, most);
        seen.borrow_mut().insert(result);
    });
    (seen.into_inner(), report)
}

#[test]
fn loops_that_somebody_ends_are_searched_to_the_end() {
    for wait in WAITS {
        for order in [SeqCst, Acquire] {
            let (seen, report) = results(*wait, order, None, Strategy::Optimal);
            let context = format!("{} {order:?}: {report}", wait.name);
            assert!(report.complete && report.violations.is_empty(), "{context}");
            assert!(report.executions < 50, "{context}");
            // What a thread that gives up after some turns has seen before it gives up.
            let (bounded, naive) = results(*wait, order, Some(3), Strategy::Optimal);
            assert!(naive.complete && naive.violations.is_empty(), "{context}");
            assert_eq!(seen, bounded, "{context}\n{naive}");
            if wait.always && order == SeqCst {
                for strategy in [Strategy::Exhaustive, Strategy::SourceSets, Strategy::Selective] {
                    let (all, report) = results(*wait, order, None, strategy.clone());
                    assert!(
                        report.complete && report.violations.is_empty(),
                        "{context} {strategy:?} {report}"
                    );
                    assert_eq!(seen, all, "{context} {strategy:?} {report}");
                }
            }
        }
    }
}

#[test]
fn loops_that_nobody_ends_wait_for_ever() {
    for wait in WAITS {
        for order in [SeqCst, Acquire] {
            let checker = Checker::new().all_violations(true).quiet(true);
            let report = checker.run(|| _ = program(*wait, false, order, None));
            let context = format!("{} {order:?}: {report}", wait.name);
            assert!(report.complete && report.executions > 0, "{context}");
            assert!(!report.violations.is_empty(), "{context}");
            for violation in &report.violations {
                assert_eq!(violation.kind, ViolationKind::Deadlock, "{context}");
                assert!(violation.message.contains(wait.what), "{context}");
            }
        }
    }
}

/// Searches that draw executions let a loop go on when something has changed.
#[test]
fn random_searches_see_loops_end() {
    for wait in WAITS {
        for strategy in [
            Strategy::Random {
                seed: 1,
                executions: 20,
            },
            Strategy::PreemptionBound(0),
            Strategy::Pct {
                seed: 1,
                executions: 20,
                depth: 2,
            },
        ] {
            let (seen, report) = results(*wait, SeqCst, None, strategy.clone());
            let context = format!("{} {strategy:?}: {report}", wait.name);
            assert!(report.violations.is_empty() && !seen.is_empty(), "{context}");
        }
    }
}

/// A thread may measure how long it has waited.
#[test]
fn a_loop_that_sleeps_in_front_of_a_clock() {
    let report = Checker::new().max_depth(100).max_executions(1000).run(|| {
        let flag = Arc::new(AtomicUsize::new(0));
        let other = Arc::clone(&flag);
        let start = mazurka::time::Instant::now();
        let t = thread::spawn(move || other.store(1, SeqCst));
        while flag.load(SeqCst) == 0 {
            thread::sleep(SECOND);
        }
        assert!(start.elapsed() < 5 * SECOND);
        t.join().unwrap();
    });
    assert_eq!(report.violations.len(), 1, "{report}");
    assert_eq!(report.violations[0].kind, ViolationKind::Panic, "{report}");
}

/// With weak memory, a loop may read what is old, but not for ever.
#[test]
fn old_values_are_not_read_for_ever() {
    let report = Checker::new().run(|| {
        let flags = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
        let other = Arc::clone(&flags);
        let t = thread::spawn(move || {
            other[0].store(1, Relaxed);
            other[1].store(1, Release);
        });
        while flags[1].load(Acquire) + flags[0].load(Relaxed) < 2 {}
        fence(SeqCst);
        t.join().unwrap();
    });
    assert!(report.complete && report.violations.is_empty(), "{report}");
    // Two threads store different values, and either may come last.
    let report = Checker::new().all_violations(true).run(|| {
        let value = Arc::new(AtomicUsize::new(0));
        let threads = [1, 2].map(|n| {
            let value = Arc::clone(&value);
            thread::spawn(move || value.store(n, Relaxed))
        });
        while value.load(Relaxed) != 1 {}
        threads.into_iter().for_each(|t| t.join().unwrap());
    });
    assert!(report.complete, "{report}");
    assert!(
        report.violations.iter().all(|v| v.kind == ViolationKind::Deadlock),
        "{report}"
    );
    assert!(
        !report.violations.is_empty() && report.executions > report.violations.len() as u64,
        "{report}"
    );
}

/// What a turn has changed is not taken back: another thread may see the change in any number of turns.
#[test]
fn turns_that_undo_what_they_do_are_seen() {
    let turns: [fn(&AtomicUsize); 2] = [
        |a| [1, 0].into_iter().for_each(|value| a.store(value, Release)),
        |a| [1, 0].into_iter().for_each(|value| _ = a.swap(value, AcqRel)),
    ];
    for (turn, memory) in turns
        .into_iter()
        .flat_map(|t| [(t, Memory::Rc11), (t, Memory::SequentiallyConsistent)])
    {
        let strategy = Strategy::Random {
            seed: 1,
            executions: 20_000,
        };
        let report = Checker::new()
            .strategy(strategy)
            .memory(memory)
            .max_depth(60)
            .quiet(true)
            .run(|| {
                let both = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
                let other = Arc::clone(&both);
                let t = thread::spawn(move || {
                    while other[1].load(Acquire) == 0 {
                        turn(&other[0]);
                    }
                });
                let seen = [(); 5].map(|()| both[0].load(Acquire));
                assert_ne!(seen, [1, 0, 1, 0, 1]);
                both[1].store(1, Release);
                t.join().unwrap();
            });
        assert_eq!(
            report.violations.first().map(|v| v.kind),
            Some(ViolationKind::Panic),
            "{report}"
        );
    }
}
