//! What synchronises with what: random executions compared with the definition.
//!
//! C++20's rules as RC11 writes them (Lahav, Vafeiadis, Kang, Hur, Dreyer, PLDI 2017, section 3), where every read sees the
//! latest write: a release write, or a release fence before a write, synchronises with an acquire read, or a read before an
//! acquire fence, if the read sees the write or an update in its release sequence. The happened-before is
//! the closure of that and the order of each thread. Here it is computed directly from a log of what has happened.

use mazurka::cell::UnsafeCell;
use mazurka::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use mazurka::sync::atomic::{AtomicU32, Ordering, fence};
use mazurka::{Checker, Memory, Strategy, ViolationKind, thread};
use mazurka_seeds::seeds;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};

#[derive(Clone, Copy, Debug)]
enum Statement {
    Load(usize, Ordering),
    Store(usize, Ordering),
    /// Adds this much, perhaps nothing.
    Add(usize, u32, Ordering),
    Exchange(usize, Ordering, Ordering),
    Fence(Ordering),
    Read,
    Write,
}

/// What has happened.
#[derive(Clone, Copy, Debug)]
struct Event {
    thread: usize,
    what: What,
}

#[derive(Clone, Copy, Debug)]
enum What {
    Atomic {
        at: usize,
        reads: bool,
        writes: bool,
        order: Ordering,
    },
    Fence(Ordering),
    Cell {
        write: bool,
    },
}

fn acquires(order: Ordering) -> bool {
    matches!(order, Acquire | AcqRel | SeqCst)
}

fn releases(order: Ordering) -> bool {
    matches!(order, Release | AcqRel | SeqCst)
}

impl Event {
    /// The location that it accesses atomically.
    fn location(&self) -> Option<usize> {
        match self.what {
            What::Atomic { at, .. } => Some(at),
            What::Fence(_) | What::Cell { .. } => None,
        }
    }

    fn reads(&self) -> bool {
        matches!(self.what, What::Atomic { reads: true, .. })
    }

    fn writes(&self) -> bool {
        matches!(self.what, What::Atomic { writes: true, .. })
    }

    fn order(&self) -> Option<Ordering> {
        match self.what {
            What::Atomic { order, .. } | What::Fence(order) => Some(order),
            What::Cell { .. } => None,
        }
    }

    fn is_fence(&self) -> bool {
        matches!(self.what, What::Fence(_))
    }

    /// Whether an access to the cell is a write; none for another event.
    fn cell(&self) -> Option<bool> {
        match self.what {
            What::Cell { write } => Some(write),
            What::Atomic { .. } | What::Fence(_) => None,
        }
    }
}

/// The order of threads: `a` comes before `b` in the same one.
fn thread_order(log: &[Event], a: usize, b: usize) -> bool {
    a < b && log[a].thread == log[b].thread
}

/// The write that the read `r` sees.
fn source(log: &[Event], r: usize) -> Option<usize> {
    let sees = |w: &usize| log[*w].writes() && log[*w].location() == log[r].location();
    log[r].reads().then(|| (0..r).rev().find(sees)).flatten()
}

/// Whether the release sequence of `w` has `u`: through updates each of which sees the one before.
fn continues(log: &[Event], w: usize, u: usize) -> bool {
    let mut at = u;
    while at != w {
        match source(log, at) {
            Some(before) if log[at].writes() => at = before,
            _ => return false,
        }
    }
    true
}

/// Whether `e` publishes by the write `w`.
fn publishes(log: &[Event], e: usize, w: usize) -> bool {
    log[e].order().is_some_and(releases) && (e == w || log[e].is_fence() && thread_order(log, e, w))
}

/// Whether `e` learns by the read `r`.
fn learns(log: &[Event], e: usize, r: usize) -> bool {
    log[e].order().is_some_and(acquires) && (e == r || log[e].is_fence() && thread_order(log, r, e))
}

/// The pairs of events that synchronise: the first publishes by a write whose release sequence the second learns of.
fn synchronises_with(log: &[Event]) -> Vec<(usize, usize)> {
    let n = log.len();
    let mut pairs = Vec::new();
    for r in 0..n {
        let Some(source) = source(log, r) else { continue };
        for w in (0..n).filter(|w| log[*w].writes() && continues(log, *w, source)) {
            for a in (0..n).filter(|a| publishes(log, *a, w)) {
                pairs.extend((0..n).filter(|b| learns(log, *b, r)).map(|b| (a, b)));
            }
        }
    }
    pairs
}

/// The closure of the order of threads and of what synchronises.
fn happened_before(log: &[Event]) -> Vec<Vec<bool>> {
    let n = log.len();
    let of = |a: usize| (0..n).map(|b| thread_order(log, a, b)).collect();
    let mut before: Vec<Vec<bool>> = (0..n).map(of).collect();
    for (a, b) in synchronises_with(log) {
        before[a][b] = true;
    }
    for k in 0..n {
        for a in 0..n {
            for b in 0..n {
                before[a][b] |= before[a][k] && before[k][b];
            }
        }
    }
    before
}

/// Whether two accesses to the cell, one of them a write, are unordered.
fn races(log: &[Event]) -> bool {
    let n = log.len();
    let before = happened_before(log);
    (0..n).any(|a| {
        (a + 1..n).any(|b| match (log[a].cell(), log[b].cell()) {
            (Some(v), Some(w)) => (v || w) && !before[a][b] && !before[b][a],
            _ => false,
        })
    })
}

struct Objects {
    atomics: [AtomicU32; 2],
    cell: UnsafeCell<u32>,
}
// SAFETY: the pointers are never dereferenced.
#[allow(unsafe_code)]
unsafe impl Sync for Objects {}

fn perform(statement: Statement, o: &Objects) -> What {
    let atomic = |at, reads, writes, order| What::Atomic {
        at,
        reads,
        writes,
        order,
    };
    match statement {
        Statement::Load(at, order) => {
            o.atomics[at].load(order);
            atomic(at, true, false, order)
        }
        Statement::Store(at, order) => {
            o.atomics[at].store(1, order);
            atomic(at, false, true, order)
        }
        Statement::Add(at, amount, order) => {
            o.atomics[at].fetch_add(amount, order);
            atomic(at, true, true, order)
        }
        Statement::Exchange(at, success, failure) => match o.atomics[at].compare_exchange(1, 2, success, failure) {
            Ok(_) => atomic(at, true, true, success),
            Err(_) => atomic(at, true, false, failure),
        },
        Statement::Fence(order) => {
            fence(order);
            What::Fence(order)
        }
        Statement::Read => {
            o.cell.with(|_| ());
            What::Cell { write: false }
        }
        Statement::Write => {
            o.cell.with_mut(|_| ());
            What::Cell { write: true }
        }
    }
}

fn statement(random: &mut fastrand::Rng) -> Statement {
    let mut pick = |orders: &[Ordering]| orders[random.usize(..orders.len())];
    let read = pick(&[Relaxed, Relaxed, Acquire, SeqCst]);
    let write = pick(&[Relaxed, Relaxed, Release, SeqCst]);
    let update = pick(&[Relaxed, Acquire, Release, AcqRel]);
    let at = random.usize(..2);
    match random.usize(..12) {
        0 | 1 => Statement::Load(at, read),
        2 | 3 => Statement::Store(at, write),
        4 | 5 => Statement::Add(at, random.u32(..2), update),
        6 => Statement::Exchange(at, update, read),
        7 | 8 => Statement::Fence([Acquire, Release, AcqRel, SeqCst][random.usize(..4)]),
        9 | 10 => Statement::Read,
        _ => Statement::Write,
    }
}

/// A random execution of a random program: what has happened, and whether a data race was reported.
fn execution(seed: u64) -> (Vec<Event>, bool) {
    let mut random = fastrand::Rng::with_seed(seed);
    let threads = random.usize(2..=3);
    let program: Vec<Vec<Statement>> = (0..threads)
        .map(|_| {
            let length = random.usize(2..=6);
            (0..length).map(|_| statement(&mut random)).collect()
        })
        .collect();
    let log: Arc<Mutex<Vec<Event>>> = Arc::default();
    // Reads see the latest write, as the definition here has it.
    let checker = Checker::new()
        .all_violations(true)
        .memory(Memory::SequentiallyConsistent);
    let report = checker.strategy(Strategy::Random { seed, executions: 1 }).run(|| {
        log.lock().unwrap().clear();
        let objects = Arc::new(Objects {
            atomics: [AtomicU32::new(0), AtomicU32::new(0)],
            cell: UnsafeCell::new(0),
        });
        for (t, statements) in program.iter().cloned().enumerate() {
            let (objects, log) = (Arc::clone(&objects), Arc::clone(&log));
            thread::spawn(move || {
                for statement in statements {
                    let what = perform(statement, &objects);
                    log.lock().unwrap().push(Event { thread: t, what });
                }
            });
        }
    });
    let found = report.violations.iter().any(|v| v.kind == ViolationKind::DataRace);
    let log = log.lock().unwrap().clone();
    (log, found)
}

#[test]
fn data_races_are_those_of_the_definition() {
    let ordered = AtomicU64::new(0);
    seeds(4_000, |seed| {
        let (log, found) = execution(seed);
        assert_eq!(found, races(&log), "{log:#?}");
        let cells = log.iter().filter(|e| matches!(e.what, What::Cell { .. })).count();
        ordered.fetch_add(u64::from(cells > 1 && !found), SeqCst);
    });
    // It would prove little if all accesses raced.
    assert!(ordered.into_inner() > 0 || mazurka_seeds::are_chosen());
}
