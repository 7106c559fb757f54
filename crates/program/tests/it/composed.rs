//! C(A) (Stoller, sections 5 and 6): what composed transitions make of a mutex of `()` that protects cells.

use crate::differential::outcomes;
use crate::random::Program;
use crate::random::Statement::{AddBeside, Bypass, LookAcross, LookBeside};
use mazurka::cell::Cell;
use mazurka::sync::Mutex;
use mazurka::{Checker, Granularity, Report, Strategy, ViolationKind, thread};
use mazurka_seeds::seeds;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

struct Shared {
    lock: Mutex<()>,
    cells: [Cell<u32>; 2],
}
// SAFETY: threads run one at a time in a check.
#[allow(unsafe_code)]
unsafe impl Sync for Shared {}
#[allow(unsafe_code)]
unsafe impl Send for Shared {}

/// Three threads that run this, with a thread that joins them and looks at the cells without the lock.
fn three(checker: &Checker, thread: fn(usize, &Shared)) -> Report {
    checker.run(|| {
        let shared = Arc::new(Shared {
            lock: Mutex::new(()),
            cells: [Cell::new(1), Cell::new(2)],
        });
        shared.cells[0].set(5);
        let threads: Vec<_> = (0..3)
            .map(|i| {
                let shared = Arc::clone(&shared);
                thread::spawn(move || thread(i, &shared))
            })
            .collect();
        for thread in threads {
            thread.join().unwrap();
        }
        _ = shared.cells[0].get();
    })
}

fn copies(_: usize, shared: &Shared) {
    let copy = {
        let _held = shared.lock.lock().unwrap();
        shared.cells[0].get()
    };
    assert_eq!(copy, 5);
}

/// Section 6: two threads that acquire the lock of a variable, copy the variable, and release the lock. "SSS applied to C(A)
/// could explore a single interleaving", and IF-SSS explores several.
#[test]
fn threads_that_copy_a_variable_have_one_execution() {
    for strategy in [Strategy::Optimal, Strategy::SourceSets, Strategy::Selective] {
        let search = |granularity| Checker::new().strategy(strategy.clone()).granularity(granularity);
        let composed = three(&search(Granularity::Composed), copies);
        assert_eq!((composed.executions, composed.complete), (1, true), "{strategy:?}");
        let first = three(&search(Granularity::InvisibleFirst), copies);
        assert_eq!((first.executions, first.complete), (6, true), "{strategy:?}");
    }
}

/// One that writes may come before, between, or after two that read.
#[test]
fn a_section_that_writes_is_ordered_with_those_that_read() {
    let report = three(&Checker::new(), |i, shared| {
        let _held = shared.lock.lock().unwrap();
        if i == 0 {
            shared.cells[0].set(7);
        } else {
            _ = shared.cells[0].get();
        }
    });
    assert_eq!((report.executions, report.complete), (4, true), "{report}");
}

/// Nothing shows what the mutex protects.
#[test]
fn a_section_without_cells_counts_as_one_that_writes() {
    let report = three(&Checker::new(), |_, shared| drop(shared.lock.lock().unwrap()));
    assert_eq!((report.executions, report.complete), (6, true), "{report}");
}

/// The mutex seems to protect the first cell until a thread looks at it without the mutex.
#[test]
fn evidence_that_is_broken_is_given_up() {
    let report = three(&Checker::new(), |i, shared| {
        copies(i, shared);
        if i == 2 {
            _ = shared.cells[0].get();
        }
    });
    assert_eq!((report.executions, report.complete), (6, true), "{report}");
    let racy = three(&Checker::new(), |i, shared| match i {
        0 => shared.cells[1].set(3),
        _ => copies(i, shared),
    });
    assert_eq!((racy.executions, racy.complete), (1, true), "{racy}");
    let racy = three(&Checker::new(), |i, shared| match i {
        0 => shared.cells[0].set(5),
        _ => copies(i, shared),
    });
    assert_eq!(racy.violations[0].kind, ViolationKind::DataRace);
}

/// A random program about cells beside mutexes of `()`.
fn program(seed: u64) -> Program {
    let mut random = fastrand::Rng::with_seed(seed);
    let (threads, most) = if seed.is_multiple_of(3) { (2, 3) } else { (3, 2) };
    let bypass = random.u8(..4) == 0;
    let mut statement = || match random.u8(..8) {
        0 => AddBeside(random.usize(..2)),
        1 => LookAcross(random.usize(..2)),
        2 if bypass => Bypass(random.usize(..2)),
        _ => LookBeside(random.usize(..2)),
    };
    let mut lengths = fastrand::Rng::with_seed(!seed);
    (0..threads)
        .map(|_| (0..lengths.usize(1..=most)).map(|_| statement()).collect())
        .collect()
}

#[test]
fn random_programs_with_cells_beside_mutexes() {
    let (composed, apart) = (AtomicU32::new(0), AtomicU32::new(0));
    seeds(100, |seed| {
        let program = program(seed);
        let search = |strategy, granularity| {
            let checker = Checker::new().strategy(strategy).granularity(granularity);
            let (seen, report) = outcomes(&program, checker);
            let mut violations: Vec<_> = report.violations.iter().map(|v| format!("{:?}", v.kind)).collect();
            violations.sort();
            violations.dedup();
            assert!(report.complete, "{report}");
            (seen, violations, report.executions)
        };
        let (seen, violations, _) = search(Strategy::Exhaustive, Granularity::InvisibleFirst);
        let first = search(Strategy::Optimal, Granularity::InvisibleFirst).2;
        for strategy in [Strategy::Optimal, Strategy::SourceSets, Strategy::Selective] {
            let name = format!("{strategy:?}\n{program:?}");
            let found = search(strategy, Granularity::Composed);
            assert_eq!((&found.0, &found.1), (&seen, &violations), "{name}");
            assert!(found.2 <= first, "{name}");
            let counter = if found.2 < first { &composed } else { &apart };
            counter.fetch_add(1, Ordering::Relaxed);
        }
    });
    if !mazurka_seeds::are_chosen() {
        let (composed, apart) = (composed.into_inner(), apart.into_inner());
        assert!(composed > 50 && apart > 50, "{composed} composed, {apart} not");
    }
}
