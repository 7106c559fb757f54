//! Programs that other tools answer wrongly, or cannot run.

use mazurka::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use mazurka::sync::{Barrier, Condvar, Mutex, Once, RwLock, mpsc};
use mazurka::{Checker, Report, ViolationKind, thread};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

fn all(program: impl Fn()) -> Report {
    let report = Checker::new().all_violations(true).run(program);
    assert!(report.complete, "{report}");
    report
}

/// loom 166, 392: with an irrelevant load before the store, outcomes are missed.
#[test]
fn an_irrelevant_load_before_a_store_hides_nothing() {
    let seen = RefCell::new(BTreeSet::new());
    all(|| {
        let x = Arc::new((AtomicUsize::new(0), AtomicUsize::new(0)));
        let y = Arc::clone(&x);
        let t = thread::spawn(move || {
            y.1.load(SeqCst);
            y.0.store(1, SeqCst);
        });
        let first = x.0.load(SeqCst);
        let second = x.0.load(SeqCst);
        t.join().unwrap();
        seen.borrow_mut().insert((first, second));
    });
    assert_eq!(seen.into_inner(), BTreeSet::from([(0, 0), (0, 1), (1, 1)]));
}

/// loom 376: `try_lock` and a join are reported as a deadlock.
#[test]
fn try_lock_and_join_is_no_deadlock() {
    let outcomes = RefCell::new(BTreeSet::new());
    let report = all(|| {
        let m = Arc::new(Mutex::new(0));
        let n = Arc::clone(&m);
        let t = thread::spawn(move || match n.try_lock() {
            Ok(mut value) => {
                *value = 1;
                true
            }
            Err(_) => false,
        });
        let held = m.lock().unwrap();
        drop(held);
        outcomes.borrow_mut().insert(t.join().unwrap());
    });
    assert!(report.violations.is_empty(), "{report}");
    assert_eq!(outcomes.into_inner(), BTreeSet::from([false, true]));
}

/// loom: `notify_one` wakes only the first waiter.
#[test]
fn notify_one_may_wake_any_waiter() {
    let woken = RefCell::new(BTreeSet::new());
    let report = Checker::new().all_violations(true).run(|| {
        let shared = Arc::new((Mutex::new(0), Condvar::new(), Mutex::new(Vec::new())));
        for i in 0..3 {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                let mut waiting = shared.0.lock().unwrap();
                *waiting += 1;
                drop(shared.1.wait(waiting).unwrap());
                shared.2.lock().unwrap().push(i);
            });
        }
        // All three wait; one is woken, the others never.
        while *shared.0.lock().unwrap() < 3 {
            mazurka::assume(false);
        }
        shared.1.notify_one();
        let out = shared.2.lock().unwrap().first().copied();
        woken.borrow_mut().extend(out);
    });
    assert!(report.violations.iter().all(|v| v.kind == ViolationKind::Deadlock));
    assert_eq!(woken.into_inner(), BTreeSet::from([0, 1, 2]));
}

/// loom: at most five threads.
#[test]
fn there_is_no_limit_on_threads() {
    let report = all(|| {
        let x = Arc::new(Mutex::new(0));
        let threads: Vec<_> = (0..200)
            .map(|_| {
                let x = Arc::clone(&x);
                thread::spawn(move || assert_eq!(*x.lock().unwrap(), 0))
            })
            .collect();
        for t in threads {
            t.join().unwrap();
        }
    });
    assert_eq!(report.executions, 1);
}

/// loom: store buffering is reported although everything is SeqCst.
#[test]
fn store_buffering_does_not_happen_under_seqcst() {
    let report = all(|| {
        let x = Arc::new((AtomicUsize::new(0), AtomicUsize::new(0)));
        let y = Arc::clone(&x);
        let t = thread::spawn(move || {
            y.0.store(1, SeqCst);
            y.1.load(SeqCst)
        });
        x.1.store(1, SeqCst);
        let mine = x.0.load(SeqCst);
        let theirs = t.join().unwrap();
        assert!(mine == 1 || theirs == 1);
    });
    assert!(report.violations.is_empty(), "{report}");
    assert_eq!(report.executions, 3);
}

/// TraceForge: a deadlock is not an error.
#[test]
fn a_deadlock_is_an_error() {
    let result = std::panic::catch_unwind(|| {
        mazurka::check(|| {
            let (_keep, rx) = mpsc::channel::<()>();
            rx.recv().unwrap();
        });
    });
    let message = *result.unwrap_err().downcast::<String>().unwrap();
    assert!(message.starts_with("deadlock"), "{message}");
    assert!(message.contains("what_peers_get_wrong.rs"), "{message}");
    assert!(message.contains("MAZURKA_REPLAY=mz"), "{message}");
}

/// TraceForge: reading and then writing in one thread blocks for ever.
#[test]
fn a_thread_can_read_and_then_write() {
    let report = all(|| {
        let l = RwLock::new(1);
        let v = *l.read().unwrap();
        *l.write().unwrap() = v + 1;
        assert_eq!(*l.read().unwrap(), 2);
    });
    assert!(report.violations.is_empty(), "{report}");
}

/// No peer: wakeups without a notification.
#[test]
fn a_wait_may_end_for_no_reason_if_one_asks_for_it() {
    let program = || {
        let shared = Arc::new((Mutex::new(false), Condvar::new()));
        let other = Arc::clone(&shared);
        let t = thread::spawn(move || {
            let ready = other.0.lock().unwrap();
            // A mistake: `if` instead of `while`.
            if !*ready {
                let ready = other.1.wait(ready).unwrap();
                assert!(*ready, "woken although nothing is ready");
            }
        });
        *shared.0.lock().unwrap() = true;
        shared.1.notify_one();
        t.join().unwrap();
    };
    assert!(Checker::new().run(program).violations.is_empty());
    let report = Checker::new().spurious_wakeups(1).run(program);
    assert_eq!(report.violations[0].kind, ViolationKind::Panic, "{report}");
}

/// shuttle: timeouts never fire.
#[test]
fn timeouts_fire() {
    let seen = RefCell::new(BTreeSet::new());
    let report = all(|| {
        let shared = Arc::new((Mutex::new(false), Condvar::new()));
        let other = Arc::clone(&shared);
        let t = thread::spawn(move || {
            *other.0.lock().unwrap() = true;
            other.1.notify_one();
        });
        let ready = shared.0.lock().unwrap();
        let (ready, result) = shared
            .1
            .wait_timeout_while(ready, Duration::from_millis(1), |ready| !*ready)
            .unwrap();
        seen.borrow_mut().insert((*ready, result.timed_out()));
        drop(ready);
        t.join().unwrap();
    });
    assert!(report.violations.is_empty(), "{report}");
    assert_eq!(seen.into_inner(), BTreeSet::from([(false, true), (true, false)]));
}

#[test]
fn a_receipt_may_time_out_or_not() {
    let seen = RefCell::new(BTreeSet::new());
    let report = all(|| {
        let (tx, rx) = mpsc::channel();
        let t = thread::spawn(move || tx.send(5).unwrap());
        seen.borrow_mut().insert(rx.recv_timeout(Duration::from_secs(1)).ok());
        t.join().unwrap();
        thread::park_timeout(Duration::from_secs(1));
    });
    assert!(
        report.violations.iter().all(|v| v.kind == ViolationKind::Panic),
        "{report}"
    );
    assert_eq!(seen.into_inner(), BTreeSet::from([None, Some(5)]));
}

// loom 117, 170, 308, 393: constructors that are not const, no Barrier, no Once, no scope.
static COUNTER: AtomicUsize = AtomicUsize::new(0);
static READY: AtomicBool = AtomicBool::new(false);
static START: Once = Once::new();
static LOCK: Mutex<Vec<u32>> = Mutex::new(Vec::new());
static TABLE: RwLock<u32> = RwLock::new(7);

#[test]
fn statics_work_outside_a_check() {
    START.call_once(|| {
        COUNTER.fetch_add(1, SeqCst);
    });
    START.call_once(|| unreachable!());
    READY.store(true, SeqCst);
    LOCK.lock().unwrap().push(1);
    assert_eq!(*TABLE.read().unwrap(), 7);
    assert_eq!((COUNTER.load(SeqCst), READY.load(SeqCst)), (1, true));
}

#[test]
fn statics_work_in_checks() {
    static TURNS: Mutex<u32> = Mutex::new(0);
    let report = all(|| {
        *TURNS.lock().unwrap() = 0;
        let t = thread::spawn(|| *TURNS.lock().unwrap() += 1);
        *TURNS.lock().unwrap() += 1;
        t.join().unwrap();
        assert_eq!(*TURNS.lock().unwrap(), 2);
    });
    assert_eq!((report.executions, report.violations.len()), (2, 0));
}

#[test]
fn a_barrier_has_one_leader() {
    let report = all(|| {
        let barrier = Barrier::new(3);
        let leaders: usize = thread::scope(|s| {
            let threads: Vec<_> = (0..3)
                .map(|_| s.spawn(|| usize::from(barrier.wait().is_leader())))
                .collect();
            threads.into_iter().map(|t| t.join().unwrap()).sum()
        });
        assert_eq!(leaders, 1);
    });
    assert!(report.violations.is_empty(), "{report}");
}

/// shuttle 67: the report does not say which thread holds what.
#[test]
fn a_deadlock_says_who_holds_what() {
    let report = Checker::new().run(|| {
        let m = Arc::new((Mutex::new(()), Mutex::new(())));
        let n = Arc::clone(&m);
        let t = thread::Builder::new()
            .name("worker".into())
            .spawn(move || {
                let _a = n.0.lock().unwrap();
                let _b = n.1.lock().unwrap();
            })
            .unwrap();
        let b = m.1.lock().unwrap();
        let a = m.0.lock().unwrap();
        drop((a, b));
        t.join().unwrap();
    });
    let message = &report.violations[0].message;
    for part in [
        "main waits at",
        "worker waits at",
        "which worker holds since",
        "which main holds since",
        "it holds Mutex",
    ] {
        assert!(message.contains(part), "{part}: {message}");
    }
    assert!(message.matches("what_peers_get_wrong.rs:").count() >= 6, "{message}");
}

/// loom 84, 162: a test that is not deterministic goes unnoticed.
#[test]
fn nondeterminism_is_noticed() {
    let runs = std::cell::Cell::new(0);
    let report = Checker::new().run(|| {
        runs.set(runs.get() + 1);
        let x = Arc::new((Mutex::new(0), Mutex::new(0)));
        let y = Arc::clone(&x);
        let t = thread::spawn(move || *y.0.lock().unwrap() += 1);
        if runs.get() % 2 == 0 {
            *x.1.lock().unwrap() += 1;
        }
        *x.0.lock().unwrap() += 1;
        t.join().unwrap();
    });
    assert_eq!(report.violations[0].kind, ViolationKind::Nondeterminism, "{report}");
}

/// A static is made anew in each execution. The first thread that comes initialises it.
#[test]
fn statics_are_initialised_in_each_execution() {
    static TABLE: mazurka::sync::LazyLock<Vec<u32>> = mazurka::sync::LazyLock::new(|| vec![1, 2, 3]);
    let report = all(|| {
        let t = thread::spawn(|| TABLE.len());
        assert_eq!(TABLE[0], 1);
        assert_eq!(t.join().unwrap(), 3);
    });
    assert!(report.violations.is_empty() && report.complete, "{report}");
    assert_eq!(report.executions, 2, "{report}");
}
