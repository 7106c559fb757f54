//! Corners in which a replacement for std easily differs from it.

use mazurka::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use mazurka::sync::{Arc as Shared, Barrier, Mutex, RwLock, Semaphore, mpsc};
use mazurka::{Checker, Report, ViolationKind, thread};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex as Plain};
use std::time::Duration;

/// All results of a program, over all interleavings.
fn outcomes<T: Ord>(program: impl Fn() -> T) -> (BTreeSet<T>, Report) {
    let seen = Plain::new(BTreeSet::new());
    let report = Checker::new().all_violations(true).run(|| {
        let outcome = program();
        seen.lock().unwrap().insert(outcome);
    });
    (seen.into_inner().unwrap(), report)
}

/// Asks for its own key when it is dropped.
struct Curious;

impl Drop for Curious {
    fn drop(&mut self) {
        assert!(CURIOUS.try_with(|_| ()).is_err(), "it was made again");
        assert_eq!(PLAIN.with(|n| *n), 3, "what has no destructor stays");
    }
}

/// Takes a lock when it is dropped.
struct Locks(Arc<Mutex<u32>>);

impl Drop for Locks {
    fn drop(&mut self) {
        *self.0.lock().unwrap() += 1;
    }
}

/// Panics when it is dropped.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("gone off");
    }
}

mazurka::thread::thread_local! {
    static CURIOUS: Curious = Curious;
    static PLAIN: u32 = 3;
    static LOCKS: RefCell<Option<Locks>> = const { RefCell::new(None) };
    static BOMB: Bomb = Bomb;
}

#[test]
fn a_thread_local_value_is_not_made_again_by_its_destructor() {
    mazurka::check(|| {
        PLAIN.with(|_| ());
        CURIOUS.with(|_| ());
        thread::spawn(|| CURIOUS.with(|_| ())).join().unwrap();
    });
}

#[test]
fn destructors_of_thread_local_values_are_steps_like_others() {
    let (counts, report) = outcomes(|| {
        let count = Arc::new(Mutex::new(0));
        let inner = Arc::clone(&count);
        let t = thread::spawn(move || LOCKS.with_borrow_mut(|l| *l = Some(Locks(inner))));
        let before = *count.lock().unwrap();
        t.join().unwrap();
        (before, *count.lock().unwrap())
    });
    assert_eq!(counts, BTreeSet::from([(0, 1), (1, 1)]), "{report}");
    // They also run when the execution is given up, and then do not wait.
    let report = Checker::new().run(|| {
        let lock = Arc::new(Mutex::new(0));
        LOCKS.with_borrow_mut(|l| *l = Some(Locks(Arc::clone(&lock))));
        let _first = lock.lock().unwrap();
        let _second = lock.lock().unwrap();
    });
    assert_eq!(report.violations[0].kind, ViolationKind::Deadlock, "{report}");
}

#[test]
fn a_panic_in_the_destructor_of_a_thread_local_value_is_reported() {
    let report = Checker::new().run(|| {
        thread::spawn(|| BOMB.with(|_| ())).join().unwrap();
    });
    let message = &report.violations[0].message;
    assert!(message.contains("where std aborts: gone off"), "{report}");
}

#[test]
fn an_attempt_to_hand_over_succeeds_if_the_receiver_is_ready() {
    let (results, report) = outcomes(|| {
        let (sender, receiver) = mpsc::sync_channel(0);
        let t = thread::spawn(move || sender.try_send(1).is_ok());
        let received = receiver.recv().is_ok();
        (t.join().unwrap(), received)
    });
    assert_eq!(results, BTreeSet::from([(false, false), (true, true)]), "{report}");
    assert!(report.complete, "{report}");
    // It is also ready while it waits with a timeout.
    let (results, report) = outcomes(|| {
        let (sender, receiver) = mpsc::sync_channel(0);
        let t = thread::spawn(move || {
            let sent = sender.try_send(1).is_ok();
            (sent, sender)
        });
        let received = receiver.recv_timeout(Duration::from_secs(1)).is_ok();
        (t.join().unwrap().0, received)
    });
    assert_eq!(results, BTreeSet::from([(false, false), (true, true)]), "{report}");
    assert!(report.complete, "{report}");
}

#[test]
fn who_asks_for_a_message_notices_when_the_sender_goes() {
    let (results, report) = outcomes(|| {
        let (sender, receiver) = mpsc::channel::<u32>();
        let t = thread::spawn(move || drop(sender));
        let u = thread::spawn(move || receiver.try_recv().unwrap_err().to_string());
        t.join().unwrap();
        u.join().unwrap()
    });
    assert_eq!(results.len(), 2, "{results:?} {report}");
}

#[test]
fn who_counts_owners_notices_when_one_goes() {
    let (results, report) = outcomes(|| {
        let value = Shared::new(1);
        let weak = Shared::downgrade(&value);
        let other = value.clone();
        let t = thread::spawn(move || drop(other));
        let unwrapped = Shared::try_unwrap(value).is_ok();
        let alive = weak.upgrade().is_some();
        t.join().unwrap();
        (unwrapped, alive)
    });
    let expected = BTreeSet::from([(false, false), (false, true), (true, false)]);
    assert_eq!(results, expected, "{report}");
    // Of several threads that want the value, one gets it.
    let (results, report) = outcomes(|| {
        let value = Shared::new(1);
        let other = value.clone();
        let t = thread::spawn(move || Shared::into_inner(other).is_some());
        (Shared::into_inner(value).is_some(), t.join().unwrap())
    });
    assert_eq!(results, BTreeSet::from([(false, true), (true, false)]), "{report}");
    // If the program does not count owners, clones and drops cost nothing.
    let (_, report) = outcomes(|| {
        let value = Shared::new(AtomicUsize::new(0));
        let other = value.clone();
        let t = thread::spawn(move || drop(other.clone()));
        value.load(SeqCst);
        t.join().unwrap();
    });
    assert_eq!(report.executions, 1);
}

#[test]
fn a_search_that_cannot_see_when_a_lock_is_poisoned_is_not_complete() {
    let (_, report) = outcomes(|| {
        let lock = Arc::new(Mutex::new(0));
        let other = Arc::clone(&lock);
        let t = thread::spawn(move || {
            let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                let _guard = other.lock().unwrap();
                panic!("while it is held");
            }));
        });
        let poisoned = lock.is_poisoned();
        t.join().unwrap();
        poisoned
    });
    assert!(!report.complete, "{report}");
}

/// `park` may return for no reason, and then the token stays where it is.
#[test]
fn parking_may_end_for_no_reason() {
    let outcomes = |times: u32, park: fn()| {
        let seen = Plain::new(BTreeSet::new());
        let report = Checker::new().all_violations(true).spurious_wakeups(times).run(|| {
            let flag = Arc::new(AtomicUsize::new(0));
            let inner = Arc::clone(&flag);
            let t = thread::spawn(move || {
                park();
                inner.load(SeqCst)
            });
            flag.store(1, SeqCst);
            t.thread().unpark();
            seen.lock().unwrap().insert(t.join().unwrap());
        });
        assert!(report.complete && report.violations.is_empty(), "{report}");
        seen.into_inner().unwrap()
    };
    assert_eq!(outcomes(0, thread::park), BTreeSet::from([1]));
    assert_eq!(outcomes(1, thread::park), BTreeSet::from([0, 1]));
    assert_eq!(
        outcomes(1, || thread::park_timeout(Duration::from_secs(1))),
        BTreeSet::from([0, 1])
    );
    // It does so no more often than that, and a thread that is never unparked may wait for ever.
    let report = Checker::new().all_violations(true).spurious_wakeups(1).run(|| {
        thread::park();
        thread::park();
    });
    assert_eq!(report.violations.len(), 2, "{report}");
    assert!(
        report.violations.iter().all(|v| v.kind == ViolationKind::Deadlock),
        "{report}"
    );
}

#[test]
fn stacks_are_as_large_as_those_of_std() {
    fn deep(n: usize) -> usize {
        let frame = [1; 64];
        match n {
            0 => 0,
            _ => std::hint::black_box(&frame)[7] + deep(n - 1),
        }
    }
    // About one and a half mebibytes, and five.
    mazurka::check(|| assert_eq!(thread::spawn(|| deep(2_500)).join().unwrap(), 2_500));
    mazurka::check(|| {
        let builder = thread::Builder::new().stack_size(16 << 20);
        let t = builder.spawn(|| deep(8_000)).unwrap();
        assert_eq!(t.join().unwrap(), 8_000);
    });
}

/// The scheduler counts in 32 bits.
#[test]
fn sizes_beyond_32_bits_are_what_they_are() {
    for capacity in [1 << 32, (1 << 32) + 1] {
        mazurka::check(|| {
            let (sender, receiver) = mpsc::sync_channel(capacity);
            sender.send(1).unwrap();
            sender.try_send(2).unwrap();
            assert_eq!(receiver.recv(), Ok(1));
        });
    }
    for size in [1 << 32, (1 << 32) + 1] {
        let report = Checker::new().run(|| {
            Barrier::new(size).wait();
        });
        assert_eq!(report.violations[0].kind, ViolationKind::Deadlock, "{size}");
    }
    let permits = || {
        let semaphore = Semaphore::new(u32::MAX);
        semaphore.release();
        assert!(semaphore.try_acquire());
    };
    permits();
    mazurka::check(permits);
}

#[test]
fn nobody_can_try_more_than_32_bits_can_count() {
    assert_eq!(mazurka::choose((1 << 32) + 1), 0);
    for n in [1 << 32, (1 << 32) + 1] {
        let report = Checker::new().run(|| assert!(mazurka::choose(n) < 2));
        assert_eq!(report.violations[0].kind, ViolationKind::Panic, "{n}");
        assert!(report.violations[0].message.contains("4,294,967,295"), "{n}");
    }
}

/// std's lock may let waiting writers go first. Then a thread that reads twice may wait for a writer that waits for it.
#[test]
fn a_second_read_may_wait_for_a_writer() {
    fn read_twice(write: impl Fn(Arc<RwLock<u32>>, &dyn Fn()) + 'static) -> Report {
        Checker::new().run(move || {
            let lock = Arc::new(RwLock::new(0));
            let inner = Arc::clone(&lock);
            write(inner, &|| {
                let first = lock.read().unwrap();
                let second = lock.read().unwrap();
                assert_eq!(*first, *second);
            });
        })
    }
    let at_any_time = read_twice(|lock, read| {
        let t = thread::spawn(move || *lock.write().unwrap() = 1);
        read();
        t.join().unwrap();
    });
    assert_eq!(at_any_time.violations[0].kind, ViolationKind::Deadlock);
    assert!(
        at_any_time.violations[0].message.contains("reads it already"),
        "{at_any_time}"
    );
    let before = read_twice(|lock, read| {
        thread::spawn(move || *lock.write().unwrap() = 1).join().unwrap();
        read();
    });
    assert!(before.complete && before.violations.is_empty(), "{before}");
    let after = read_twice(|lock, read| {
        read();
        thread::spawn(move || *lock.write().unwrap() = 1).join().unwrap();
    });
    assert!(after.complete && after.violations.is_empty(), "{after}");
    let other_order = read_twice(|lock, read| {
        // The writer goes first or comes when the reader is done, but never waits while it reads.
        let gate = Arc::new(Mutex::new(()));
        let inner = Arc::clone(&gate);
        let t = thread::spawn(move || {
            let _gate = inner.lock().unwrap();
            *lock.write().unwrap() = 1;
        });
        let open = gate.lock().unwrap();
        read();
        drop(open);
        t.join().unwrap();
    });
    assert!(
        other_order.complete && other_order.violations.is_empty(),
        "{other_order}"
    );
}

/// Rust ends the process if a destructor panics while a stack is unwound. Stacks are unwound when an execution is cut, if the user
/// asks for that.
#[test]
fn what_was_found_is_said_before_a_destructor_ends_the_process() {
    struct Pool(Option<thread::JoinHandle<()>>);
    impl Drop for Pool {
        fn drop(&mut self) {
            self.0.take().unwrap().join().unwrap();
        }
    }
    const NAME: &str = "odd_corners::what_was_found_is_said_before_a_destructor_ends_the_process";
    if std::env::var_os("MAZURKA_TEST_ABORTS").is_some() {
        Checker::new().unwind(true).check(|| {
            let lock = Arc::new(Mutex::new(0));
            let inner = Arc::clone(&lock);
            let _pool = Pool(Some(thread::spawn(move || drop(inner.lock()))));
            let _first = lock.lock().unwrap();
            let _second = lock.lock().unwrap();
        });
    }
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", NAME, "--nocapture"])
        .env("MAZURKA_TEST_ABORTS", "1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success());
    assert!(said.contains("deadlock: 2 of 2 threads wait for ever"), "{said}");
    assert!(said.contains("ended the process by an abort"), "{said}");
}
