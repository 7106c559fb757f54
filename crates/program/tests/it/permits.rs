//! Operations on a semaphore commute as long as there is a permit for everybody.

use mazurka::sync::Semaphore;
use mazurka::sync::atomic::AtomicU32;
use mazurka::sync::atomic::Ordering::Relaxed;
use mazurka::{Checker, Memory, Report, Strategy, ViolationKind, thread};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// How many executions there are of so many threads.
fn counts(permits: u32, threads: usize, body: impl Fn(&Semaphore) + Sync + Copy) -> [u64; 2] {
    [Strategy::Optimal, Strategy::SourceSets].map(|strategy| {
        let report = Checker::new().strategy(strategy).quiet(true).run(|| {
            let semaphore = Semaphore::new(permits);
            thread::scope(|s| {
                for _ in 0..threads {
                    s.spawn(|| body(&semaphore));
                }
            });
        });
        assert!(report.complete && report.violations.is_empty(), "{report}");
        report.executions
    })
}

#[test]
fn threads_that_find_a_permit_each_are_one_execution() {
    for (permits, threads) in [(2, 2), (3, 3), (4, 3), (5, 5), (9, 8)] {
        assert_eq!(counts(permits, threads, |s| s.acquire()), [1, 1]);
        assert_eq!(counts(permits, threads, |s| assert!(s.try_acquire())), [1, 1]);
        let section = |s: &Semaphore| {
            s.acquire();
            s.release();
        };
        assert_eq!(counts(permits, threads, section), [1, 1]);
    }
}

/// Two permits for three threads, or four acquisitions.
#[test]
fn threads_that_compete_are_not() {
    let section = |s: &Semaphore| {
        s.acquire();
        s.release();
    };
    let all = counts(2, 3, section);
    assert!(all.iter().all(|executions| *executions >= 6), "{all:?}");
    let twice = |s: &Semaphore| {
        section(s);
        section(s);
    };
    let all = counts(3, 2, twice);
    assert!(all.iter().all(|executions| *executions >= 6), "{all:?}");
}

/// A thread that acquires after it has released orders the two: then who comes second sees what the first one wrote.
fn handshake(strategy: Strategy, memory: Memory) -> (BTreeSet<(u32, u32)>, Report) {
    let seen = RefCell::new(BTreeSet::new());
    let report = Checker::new().strategy(strategy).memory(memory).quiet(true).run(|| {
        let (x, y) = (AtomicU32::new(0), AtomicU32::new(0));
        let permits = Semaphore::new(5);
        let meet = |mine: &AtomicU32, other: &AtomicU32| {
            mine.store(1, Relaxed);
            permits.release();
            permits.acquire();
            other.load(Relaxed)
        };
        let ends = thread::scope(|s| {
            let first = s.spawn(|| meet(&x, &y));
            let second = s.spawn(|| meet(&y, &x));
            (first.join().unwrap(), second.join().unwrap())
        });
        seen.borrow_mut().insert(ends);
    });
    (seen.into_inner(), report)
}

#[test]
fn permits_that_are_ample_publish_what_they_must() {
    let (expected, _) = handshake(Strategy::Exhaustive, Memory::Rc11);
    assert_eq!(expected, BTreeSet::from([(0, 1), (1, 0), (1, 1)]));
    for memory in [Memory::Rc11, Memory::SequentiallyConsistent] {
        let (found, report) = handshake(Strategy::Optimal, memory);
        assert!(report.complete, "{report}");
        assert_eq!(found, expected, "{report}");
    }
}

/// A permit that was there anyway does not say that the other thread has released one.
#[test]
fn a_permit_that_is_ample_publishes_nothing() {
    for strategy in [Strategy::Exhaustive, Strategy::Optimal, Strategy::SourceSets] {
        let report = Checker::new()
            .strategy(strategy)
            .all_violations(true)
            .quiet(true)
            .run(|| {
                let permits = Semaphore::new(1);
                let cell = Shared(mazurka::cell::Cell::new(0));
                thread::scope(|s| {
                    s.spawn(|| {
                        cell.set();
                        permits.release();
                    });
                    permits.acquire();
                    cell.set();
                });
            });
        assert!(report.complete, "{report}");
        let race = |v: &mazurka::Violation| v.kind == ViolationKind::DataRace;
        assert!(report.violations.iter().any(race), "{report}");
    }
}

struct Shared(mazurka::cell::Cell<u32>);

impl Shared {
    fn set(&self) {
        self.0.set(1);
    }
}

// SAFETY: the search finds the races.
#[allow(unsafe_code)]
unsafe impl Sync for Shared {}
