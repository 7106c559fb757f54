//! Theorem 3' (Stoller, section 9): a program violates MLD' if and only if IF-SSS finds a violation of it.

use mazurka::cell::UnsafeCell;
use mazurka::sync::{Mutex, Semaphore};
use mazurka::{Checker, Discipline, Granularity, Strategy, ViolationKind, thread};
use mazurka_testkit::seeds;
use std::sync::Arc;

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
    let locks = Arc::new([Mutex::new(()), Mutex::new(())]);
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

/// True if the search reports a breach, of all executions it sees.
fn breach(program: &[Vec<Statement>], initialised: bool, checker: Checker) -> Option<bool> {
    let report = checker
        .locking_discipline(Discipline::MldPrime)
        .all_violations(true)
        .max_executions(3_000)
        .run(|| run(program, initialised));
    let found = report
        .violations
        .iter()
        .any(|v| v.kind == ViolationKind::LockingDiscipline);
    (found || report.complete).then_some(found)
}

#[test]
fn invisible_first_search_finds_every_breach_of_the_discipline() {
    let (violated, respected) = (
        std::sync::atomic::AtomicU32::new(0),
        std::sync::atomic::AtomicU32::new(0),
    );
    seeds(80, |seed| {
        let (program, initialised) = program(seed);
        let Some(expected) = breach(&program, initialised, Checker::new().strategy(Strategy::Exhaustive)) else {
            return;
        };
        let counter = if expected { &violated } else { &respected };
        counter.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        for (name, strategy, granularity) in [
            ("IF-SSS", Strategy::Selective, Granularity::InvisibleFirst),
            (
                "SSS on composed transitions",
                Strategy::Selective,
                Granularity::Composed,
            ),
            ("SSS", Strategy::Selective, Granularity::Fine),
            ("optimal", Strategy::Optimal, Granularity::Composed),
        ] {
            let found = breach(
                &program,
                initialised,
                Checker::new().strategy(strategy).granularity(granularity),
            );
            assert_eq!(found, Some(expected), "{name}: {program:?}, initialised {initialised}");
        }
    });
    if std::env::var_os("MAZURKA_SEED").is_none() {
        assert!(violated.into_inner() > 10 && respected.into_inner() > 10);
    }
}
