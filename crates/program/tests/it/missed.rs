//! Programs in which a search missed something although it claimed to be complete.

use mazurka::sync::atomic::AtomicU32;
use mazurka::sync::mpsc::{self, TrySendError};
use mazurka::sync::{Arc as Owned, RwLock};
use mazurka::{Checker, Granularity, Object, Report, Shared, Strategy, ViolationKind, thread};
use std::collections::BTreeSet;
use std::sync::Arc;

/// All searches that claim to be complete, the plain one first.
fn searches() -> Vec<Checker> {
    let of = |strategy, granularity| Checker::new().strategy(strategy).granularity(granularity);
    vec![
        Checker::new().strategy(Strategy::Exhaustive),
        of(Strategy::Optimal, Granularity::Composed),
        of(Strategy::Optimal, Granularity::InvisibleFirst),
        of(Strategy::Optimal, Granularity::Fine),
        of(Strategy::SourceSets, Granularity::Composed),
        of(Strategy::SourceSets, Granularity::Fine),
        of(Strategy::Selective, Granularity::Composed),
        of(Strategy::Selective, Granularity::Fine),
        Checker::new().strategy(Strategy::PreemptionBound(100)),
    ]
}

/// Every search finds violations of exactly these kinds.
#[track_caller]
fn all_find(kinds: &[ViolationKind], program: impl Fn() + Copy) {
    let mut messages: Option<BTreeSet<String>> = None;
    for (i, search) in searches().into_iter().enumerate() {
        let report = search.all_violations(true).run(program);
        assert!(report.complete, "search {i}: {report}");
        for kind in [ViolationKind::Panic, ViolationKind::Deadlock, ViolationKind::DataRace] {
            assert_eq!(
                found(&report, kind),
                kinds.contains(&kind),
                "search {i}, {kind:?}: {report}"
            );
        }
        let these = report.violations.iter().map(|v| v.message.clone()).collect();
        match &messages {
            None => messages = Some(these),
            Some(messages) => assert_eq!(&these, messages, "search {i}"),
        }
    }
}

fn found(report: &Report, kind: ViolationKind) -> bool {
    report.violations.iter().any(|v| v.kind == kind)
}

#[test]
fn two_attempts_to_receive_can_both_find_a_sender_that_waits() {
    all_find(&[ViolationKind::Panic], || {
        let (tx, rx) = mpsc::sync_channel(0);
        let t = thread::spawn(move || {
            let (a, b) = (rx.try_recv(), rx.try_recv());
            drop(rx);
            assert!(a.is_err() || b.is_err());
        });
        let _ = tx.send(1);
        let _ = tx.send(2);
        let _ = t.join();
    });
}

#[test]
fn after_a_message_was_taken_nobody_need_be_there_for_the_next() {
    all_find(&[ViolationKind::Panic], || {
        let (tx, rx) = mpsc::sync_channel(0);
        let t = thread::spawn(move || rx.recv());
        tx.send(1).unwrap();
        let full = matches!(tx.try_send(2), Err(TrySendError::Full(_)));
        drop(tx);
        let _ = t.join();
        assert!(!full);
    });
}

/// Two readers that never release the lock must both be moved behind the writer.
#[test]
fn a_writer_that_two_readers_block_can_come_first() {
    all_find(&[ViolationKind::Panic, ViolationKind::Deadlock], || {
        let lock = Arc::new(RwLock::new(0));
        let reader = || {
            let lock = Arc::clone(&lock);
            thread::spawn(move || {
                let value = *lock.read().unwrap();
                assert_eq!(value, 0);
                let read = lock.read().unwrap();
                let _write = lock.write().unwrap();
                drop(read);
            })
        };
        let (a, b) = (reader(), reader());
        *lock.write().unwrap() += 1;
        let _ = (a.join(), b.join());
    });
}

/// The same with an object that the user defines.
struct Guests {
    inside: u32,
    closed: bool,
}

#[derive(Clone, PartialEq, Eq, Hash)]
enum Visit {
    Enter,
    Close,
}

impl Object for Guests {
    type Operation = Visit;
    type Output = bool;

    fn enabled(&self, operation: &Visit) -> bool {
        match operation {
            Visit::Close => self.inside == 0,
            _ => true,
        }
    }

    fn perform(&mut self, operation: &Visit) -> bool {
        match operation {
            Visit::Enter => self.inside += 1,
            Visit::Close => self.closed = true,
        }
        self.closed
    }

    fn dependent(a: &Visit, b: &Visit) -> bool {
        matches!(a, Visit::Close) || matches!(b, Visit::Close)
    }
}

#[test]
fn an_operation_of_ones_own_that_two_others_block_can_come_first() {
    all_find(&[ViolationKind::Panic, ViolationKind::Deadlock], || {
        let guests = Arc::new(Shared::new(Guests {
            inside: 0,
            closed: false,
        }));
        let (first, last) = (Arc::clone(&guests), Arc::clone(&guests));
        let enter = |guests: &Shared<Guests>| assert!(!guests.perform(Visit::Enter));
        thread::spawn(move || enter(&first));
        thread::spawn(move || last.perform(Visit::Close));
        enter(&guests);
    });
}

/// Exactly two of three guests must be there, and the search does not know which.
struct Table(u32, bool);

#[derive(Clone, PartialEq, Eq, Hash)]
enum Meal {
    Sit,
    Deal,
}

impl Object for Table {
    type Operation = Meal;
    type Output = bool;

    fn enabled(&self, operation: &Meal) -> bool {
        *operation == Meal::Sit || self.0 == 2
    }

    fn perform(&mut self, operation: &Meal) -> bool {
        match operation {
            Meal::Sit => self.0 += 1,
            Meal::Deal => self.1 = true,
        }
        self.1
    }

    fn dependent(a: &Meal, b: &Meal) -> bool {
        *a == Meal::Deal || *b == Meal::Deal
    }
}

#[test]
fn an_operation_of_ones_own_that_needs_some_and_not_all() {
    all_find(&[ViolationKind::Panic, ViolationKind::Deadlock], || {
        let table = Arc::new(Shared::new(Table(0, false)));
        for _ in 0..3 {
            let table = Arc::clone(&table);
            thread::spawn(move || assert!(!table.perform(Meal::Sit)));
        }
        let last = Arc::clone(&table);
        thread::spawn(move || last.perform(Meal::Deal));
    });
}

struct Dropped(Arc<std::sync::Mutex<Vec<String>>>);

impl Drop for Dropped {
    fn drop(&mut self) {
        let by = thread::current().name().unwrap_or("main").to_owned();
        self.0.lock().unwrap().push(by);
    }
}

/// Each of two threads drops the value in some execution.
#[test]
fn any_owner_can_be_the_last() {
    for search in searches() {
        let log: Arc<std::sync::Mutex<Vec<String>>> = Arc::default();
        let inner = Arc::clone(&log);
        let report = search.run(move || {
            let value = Owned::new(Dropped(Arc::clone(&inner)));
            for name in ["a", "b"] {
                let value = Owned::clone(&value);
                let body = move || drop(value);
                thread::Builder::new().name(name.to_owned()).spawn(body).unwrap();
            }
        });
        assert!(report.complete && report.violations.is_empty(), "{report}");
        let who: BTreeSet<String> = log.lock().unwrap().drain(..).collect();
        let who: Vec<&str> = who.iter().map(String::as_str).collect();
        assert_eq!(who, ["a", "b", "main"]);
    }
}

/// If no thread can notice who drops a value, its owners are not ordered.
#[test]
fn the_last_owner_of_plain_data_does_not_matter() {
    let plain = Checker::new().run(|| {
        let value = Owned::new(vec![AtomicU32::new(0)]);
        for _ in 0..4 {
            let value = Owned::clone(&value);
            thread::spawn(move || drop(value));
        }
    });
    assert_eq!((plain.executions, plain.complete), (1, true), "{plain}");
    // It does not matter either if one thread waits for all others.
    let joined = Checker::new().run(|| {
        let value = Owned::new(Dropped(Arc::default()));
        let threads: Vec<_> = (0..4)
            .map(|_| {
                let value = Owned::clone(&value);
                thread::spawn(move || drop(value))
            })
            .collect();
        for t in threads {
            t.join().unwrap();
        }
    });
    assert_eq!((joined.executions, joined.complete), (1, true), "{joined}");
}

/// With `n` owners that end on their own there are `n` executions, not `n!`.
#[test]
fn only_the_last_owner_matters() {
    let report = Checker::new().run(|| {
        let value = Owned::new(Dropped(Arc::default()));
        for _ in 0..4 {
            let value = Owned::clone(&value);
            thread::spawn(move || drop(value));
        }
    });
    assert_eq!((report.executions, report.complete), (5, true), "{report}");
}

/// Each of three threads adds, starts the next one and takes a lock. The main thread adds as well. An update that slept in all its ways
/// was taken to cover what came without it.
#[test]
fn an_update_that_sleeps_hides_nothing() {
    use mazurka::sync::atomic::{AtomicU32, Ordering::Relaxed};
    type Seen = std::sync::Arc<std::sync::Mutex<Vec<(u32, u32)>>>;

    fn start(k: usize, shared: &std::sync::Arc<(AtomicU32, mazurka::sync::Mutex<u32>)>, seen: &Seen) {
        let (shared, seen) = (shared.clone(), seen.clone());
        mazurka::thread::spawn(move || {
            let added = shared.0.fetch_add(1, Relaxed);
            if k < 2 {
                start(k + 1, &shared, &seen);
            }
            let turn = {
                let mut turn = shared.1.lock().unwrap();
                *turn += 1;
                *turn
            };
            seen.lock().unwrap()[k] = (added, turn);
        });
    }

    let seen = Seen::default();
    let inner = seen.clone();
    let outcomes = std::rc::Rc::new(std::cell::RefCell::new(std::collections::BTreeSet::new()));
    let all = outcomes.clone();
    let checker = mazurka::Checker::new().on_execution(move |_| {
        all.borrow_mut().insert(inner.lock().unwrap().clone());
    });
    let report = checker.run(|| {
        *seen.lock().unwrap() = vec![(0, 0); 4];
        let shared = std::sync::Arc::new((AtomicU32::new(0), mazurka::sync::Mutex::new(0)));
        start(0, &shared, &seen);
        let added = shared.0.fetch_add(1, Relaxed);
        seen.lock().unwrap()[3] = (added, 0);
    });
    // The main thread is one of four, and the others lock in one of six orders.
    assert_eq!((outcomes.borrow().len(), report.executions), (24, 24), "{report}");
}
