//! Theorem 3' (Stoller, section 9): a program violates MLD' if and only if IF-SSS finds a violation of it. And: every
//! search finds a data race if plain interleaving of all accesses does.

use mazurka::cell::UnsafeCell;
use mazurka::sync::{Mutex, Semaphore};
use mazurka::{Checker, Discipline, Granularity, Strategy, ViolationKind, thread};
use mazurka_seeds::seeds;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

#[derive(Clone, Copy, Debug)]
enum Statement {
    /// Reads or writes a cell without a lock.
    Access(usize, bool),
    /// The same with a lock.
    Locked(usize, usize, bool),
    Up,
    Down,
}

struct Cells([UnsafeCell<u32>; 2]);
// SAFETY: the pointers are never dereferenced.
#[allow(unsafe_code)]
unsafe impl Sync for Cells {}

fn program(seed: u64) -> (Vec<Vec<Statement>>, bool) {
    let mut random = fastrand::Rng::with_seed(seed);
    let threads = random.usize(2..=3);
    let statements = (0..threads).map(|_| {
        let length = random.usize(1..=3);
        (0..length)
            .map(|_| match random.usize(..6) {
                0 => Statement::Up,
                1 => Statement::Down,
                2 => Statement::Access(random.usize(..2), random.u8(..4) == 0),
                // Mostly the same lock for the same cell.
                _ => {
                    let cell = random.usize(..2);
                    let lock = if random.u8(..4) == 0 { 1 - cell } else { cell };
                    Statement::Locked(lock, cell, random.bool())
                }
            })
            .collect()
    });
    (statements.collect(), random.bool())
}

fn run(program: &[Vec<Statement>], initialised: bool) {
    let cells = Arc::new(Cells([UnsafeCell::new(0), UnsafeCell::new(0)]));
    let locks = Arc::new([Mutex::new(0), Mutex::new(0)]);
    let semaphore = Arc::new(Semaphore::new(0));
    if initialised {
        for cell in &cells.0 {
            cell.initialised_here();
            cell.with_mut(|_| ());
        }
    }
    for statements in program {
        let (cells, locks, semaphore) = (Arc::clone(&cells), Arc::clone(&locks), Arc::clone(&semaphore));
        let statements = statements.clone();
        thread::spawn(move || {
            let access = |cell: usize, write: bool| {
                if write {
                    cells.0[cell].with_mut(|_| ());
                } else {
                    cells.0[cell].with(|_| ());
                }
            };
            for statement in statements {
                match statement {
                    Statement::Access(cell, write) => access(cell, write),
                    Statement::Locked(lock, cell, write) => {
                        let _held = locks[lock].lock().unwrap();
                        access(cell, write);
                    }
                    Statement::Up => semaphore.release(),
                    Statement::Down => semaphore.acquire(),
                }
            }
        });
    }
}

/// True if the search reports a violation of this kind, of all executions it sees.
fn breach(program: &[Vec<Statement>], initialised: bool, kind: ViolationKind, checker: Checker) -> Option<bool> {
    let checker = match kind {
        ViolationKind::LockingDiscipline => checker.locking_discipline(Discipline::MldPrime),
        _ => checker,
    };
    let report = checker
        .all_violations(true)
        .unwind(true)
        .quiet(true)
        .max_executions(3_000)
        .run(|| run(program, initialised));
    let found = report.violations.iter().any(|v| v.kind == kind);
    (found || report.complete).then_some(found)
}

fn all_searches_agree(kind: ViolationKind) {
    let (violated, respected) = (AtomicU32::new(0), AtomicU32::new(0));
    seeds(80, |seed| {
        let (program, initialised) = program(seed);
        let exhaustive = Checker::new().strategy(Strategy::Exhaustive);
        let Some(expected) = breach(&program, initialised, kind, exhaustive) else {
            return;
        };
        let counter = if expected { &violated } else { &respected };
        counter.fetch_add(1, Ordering::Relaxed);
        for (name, strategy, granularity) in [
            ("IF-SSS", Strategy::Selective, Granularity::InvisibleFirst),
            (
                "SSS on composed transitions",
                Strategy::Selective,
                Granularity::Composed,
            ),
            ("SSS", Strategy::Selective, Granularity::Fine),
            ("optimal", Strategy::Optimal, Granularity::Composed),
            (
                "optimal, invisible first",
                Strategy::Optimal,
                Granularity::InvisibleFirst,
            ),
        ] {
            let checker = Checker::new().strategy(strategy).granularity(granularity);
            let found = breach(&program, initialised, kind, checker);
            assert_eq!(found, Some(expected), "{name}: {program:?}, initialised {initialised}");
        }
    });
    if !mazurka_seeds::are_chosen() {
        assert!(violated.into_inner() > 10 && respected.into_inner() > 10);
    }
}

#[test]
fn invisible_first_search_finds_every_breach_of_the_discipline() {
    all_searches_agree(ViolationKind::LockingDiscipline);
}

#[test]
fn every_search_finds_data_races() {
    all_searches_agree(ViolationKind::DataRace);
}
