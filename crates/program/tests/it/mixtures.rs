//! Mixtures against all interleavings: three to five threads with atomics of every ordering, fences, locks, semaphores,
//! channels, threads that start each other, loops that wait, and threads that are alike.
//!
//! Faults of reductions hide where features meet, and where many threads do little. The oracle is the search that leaves out
//! nothing; there, a loop that waits is one turn of it, and executions in which that turn is not the last do not count.

use fastrand::Rng;
use mazurka::cell::Cell;
use mazurka::sync::atomic::Ordering::{self, AcqRel, Acquire, Relaxed, Release, SeqCst};
use mazurka::sync::atomic::{AtomicU32, fence};
use mazurka::sync::mpsc::{Receiver, Sender, channel};
use mazurka::sync::{Condvar, Mutex, Semaphore};
use mazurka::{Checker, Granularity, Memory, Report, Strategy, ViolationKind, assume, thread};
use mazurka_seeds::seeds;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex as Plain};
use std::time::Duration;

/// A statement of a thread.
#[derive(Clone, Copy, Debug)]
enum Statement {
    Load(usize, Ordering),
    Store(usize, u32, Ordering),
    Add(usize, Ordering),
    Swap(usize, u32, Ordering),
    /// From a value to another one, perhaps weakly.
    Exchange(usize, u32, u32, Ordering, Ordering, bool),
    Fence(Ordering),
    /// Adds to what a mutex protects.
    Lock(usize),
    /// The same, and an atomic meanwhile.
    LockAndAdd(usize, usize, Ordering),
    TryLock(usize),
    Acquire,
    TryAcquire,
    Release,
    /// Writes to a cell, perhaps in a race.
    Touch,
    Send,
    /// By the thread that has the receiver; others lock a mutex.
    Receive,
    TryReceive,
    Wait,
    Notify,
    /// Starts the thread that comes next, if nobody has.
    StartNext,
    /// Loops until it loads something else than 0, or until an exchange from 0 or an attempt to lock succeeds.
    AwaitLoad(usize, Ordering),
    AwaitExchange(usize, Ordering),
    AwaitLock(usize),
}

use Statement as S;

/// Threads with their statements.
#[derive(Clone, Debug)]
struct Mixture {
    threads: Vec<Vec<Statement>>,
    /// So many of the first threads are alike.
    alike: usize,
    permits: u32,
}

impl Mixture {
    fn has(&self, what: impl Fn(&Statement) -> bool) -> bool {
        self.threads.iter().flatten().any(what)
    }

    fn waits(&self) -> bool {
        self.has(|s| matches!(s, S::AwaitLoad(..) | S::AwaitExchange(..) | S::AwaitLock(_)))
    }

    /// The threads that another one starts.
    fn started(&self) -> Vec<bool> {
        let starts = |t: usize| self.threads[t].iter().any(|s| matches!(s, S::StartNext));
        (0..self.threads.len())
            .map(|t| t > self.alike && starts(t - 1))
            .collect()
    }
}

/// Which kinds of statements a mixture has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Flavour {
    Atomics,
    Locks,
    Permits,
    Channels,
    Condvars,
}

struct Generator {
    random: Rng,
    atomics: usize,
    strong: bool,
    flavours: Vec<Flavour>,
    chains: bool,
    loops: bool,
}

impl Generator {
    fn of(&mut self, orders: &[Ordering]) -> Ordering {
        if self.strong {
            SeqCst
        } else {
            orders[self.random.usize(..orders.len())]
        }
    }

    fn load(&mut self) -> Ordering {
        self.of(&[Relaxed, Relaxed, Acquire, SeqCst])
    }

    fn store(&mut self) -> Ordering {
        self.of(&[Relaxed, Relaxed, Release, SeqCst])
    }

    fn update(&mut self) -> Ordering {
        self.of(&[Relaxed, Relaxed, Acquire, Release, AcqRel, SeqCst])
    }

    fn statement(&mut self) -> Statement {
        let a = self.random.usize(..self.atomics);
        if self.chains && self.random.u32(..5) == 0 {
            return S::StartNext;
        }
        if self.loops && self.random.u32(..5) == 0 {
            return match self.random.u32(..4) {
                0 => S::AwaitExchange(a, self.update()),
                1 if self.flavours.contains(&Flavour::Locks) => S::AwaitLock(0),
                _ => S::AwaitLoad(a, self.load()),
            };
        }
        let flavour = self.flavours[self.random.usize(..self.flavours.len())];
        let m = self.random.usize(..2) & self.random.usize(..2);
        match (flavour, self.random.u32(..12)) {
            (Flavour::Atomics, 0..3) => S::Load(a, self.load()),
            (Flavour::Atomics, 3..6) => S::Store(a, self.random.u32(0..3), self.store()),
            (Flavour::Atomics, 6..8) => S::Add(a, self.update()),
            (Flavour::Atomics, 8) => S::Swap(a, 1, self.update()),
            (Flavour::Atomics, 9) if !self.strong => S::Fence(self.of(&[Acquire, Release, AcqRel, SeqCst])),
            (Flavour::Atomics, _) => {
                let (success, failure, weak) = (self.update(), self.load(), self.random.u32(..4) == 0);
                let (from, to) = (self.random.u32(0..2), self.random.u32(1..4));
                S::Exchange(a, from, to, success, failure, weak)
            }
            (Flavour::Locks, 0..5) => S::Lock(m),
            (Flavour::Locks, 5..8) => S::LockAndAdd(m, a, self.update()),
            (Flavour::Locks, _) => S::TryLock(m),
            (Flavour::Permits, 0..4) => S::Acquire,
            (Flavour::Permits, 4..6) => S::TryAcquire,
            (Flavour::Permits, 6..10) => S::Release,
            (Flavour::Permits, _) => S::Touch,
            (Flavour::Channels, 0..5) => S::Send,
            (Flavour::Channels, 5..9) => S::Receive,
            (Flavour::Channels, _) => S::TryReceive,
            (Flavour::Condvars, 0..5) => S::Wait,
            (Flavour::Condvars, 5..9) => S::Notify,
            (Flavour::Condvars, _) => S::Lock(0),
        }
    }
}

fn mixture(seed: u64) -> Mixture {
    let mut random = Rng::with_seed(seed);
    let all = [
        Flavour::Atomics,
        Flavour::Atomics,
        Flavour::Atomics,
        Flavour::Locks,
        Flavour::Permits,
        Flavour::Channels,
        Flavour::Condvars,
    ];
    let flavours = (0..random.usize(1..=3))
        .map(|_| all[random.usize(..all.len())])
        .collect();
    let sizes = [(3, 2), (3, 3), (4, 1), (4, 2), (5, 1), (5, 1), (5, 2)];
    let (threads, most) = sizes[random.usize(..sizes.len())];
    let alike = if random.u32(..3) == 0 { random.usize(2..=3) } else { 0 };
    let mut generator = Generator {
        atomics: if random.bool() { 1 } else { 2 },
        strong: random.u32(..3) == 0,
        flavours,
        chains: random.u32(..4) == 0,
        loops: random.u32(..4) == 0,
        random,
    };
    let mut block = || {
        let length = 1 + generator.random.usize(..most);
        (0..length).map(|_| generator.statement()).collect::<Vec<_>>()
    };
    let mut threads: Vec<_> = (0..threads).map(|_| block()).collect();
    for t in 1..alike {
        threads[t] = threads[0].clone();
    }
    Mixture {
        threads,
        alike,
        permits: generator.random.u32(0..5),
    }
}

/// What each thread has seen. Those that are alike have the same number.
type Log = Vec<(usize, Vec<u32>)>;

/// A cell that threads access without a lock.
struct Racy(Cell<u32>);

// SAFETY: the search finds the races.
#[allow(unsafe_code)]
unsafe impl Sync for Racy {}

struct World {
    mixture: Arc<Mixture>,
    /// Whether loops that wait are one turn.
    once: bool,
    atomics: [AtomicU32; 2],
    locks: [Mutex<u32>; 2],
    condvar: Condvar,
    permits: Semaphore,
    cell: Racy,
    sender: Plain<Sender<u32>>,
    log: Arc<Plain<Log>>,
}

/// Turns of a loop until one is the last.
fn turns(once: bool, mut turn: impl FnMut() -> Option<u32>) -> u32 {
    loop {
        match turn() {
            Some(seen) => return seen,
            None => assume(!once),
        }
    }
}

impl World {
    fn atomic(&self, statement: Statement) -> Option<u32> {
        let load = |order| match order {
            Release => Relaxed,
            AcqRel => Acquire,
            order => order,
        };
        Some(match statement {
            S::Load(a, order) => self.atomics[a].load(order),
            S::Store(a, value, order) => {
                self.atomics[a].store(value, order);
                0
            }
            S::Add(a, order) => self.atomics[a].fetch_add(1, order),
            S::Swap(a, value, order) => self.atomics[a].swap(value, order),
            S::Exchange(a, from, to, success, failure, weak) => {
                let atomic = &self.atomics[a];
                let result = match weak {
                    true => atomic.compare_exchange_weak(from, to, success, failure),
                    false => atomic.compare_exchange(from, to, success, failure),
                };
                result.map_or_else(|found| found, |_| 100)
            }
            S::Fence(order) => {
                fence(order);
                0
            }
            S::AwaitLoad(a, order) => turns(self.once, || {
                Some(self.atomics[a].load(order)).filter(|seen| *seen != 0)
            }),
            S::AwaitExchange(a, order) => turns(self.once, || {
                self.atomics[a].compare_exchange(0, 1, order, load(order)).ok()
            }),
            _ => return None,
        })
    }

    fn other(self: &Arc<World>, statement: Statement, me: usize, receiver: Option<&Receiver<u32>>) -> u32 {
        let add = |mutex: &Mutex<u32>| {
            let mut value = mutex.lock().unwrap();
            *value += 1;
            *value
        };
        match (statement, receiver) {
            (S::LockAndAdd(m, a, order), _) => {
                let mut value = self.locks[m].lock().unwrap();
                *value += 1;
                self.atomics[a].fetch_add(1, order) * 10 + *value
            }
            (S::TryLock(m), _) => self.locks[m].try_lock().map_or(100, |mut value| {
                *value += 1;
                *value
            }),
            (S::AwaitLock(m), _) => turns(self.once, || {
                let mut value = self.locks[m].try_lock().ok()?;
                *value += 1;
                Some(*value)
            }),
            (S::Acquire, _) => {
                self.permits.acquire();
                0
            }
            (S::TryAcquire, _) => u32::from(self.permits.try_acquire()),
            (S::Release, _) => {
                self.permits.release();
                0
            }
            (S::Touch, _) => {
                self.cell.0.set(1);
                0
            }
            (S::Send, _) => {
                let sender = self.sender.lock().unwrap().clone();
                sender.send(me as u32 + 1).map_or(100, |()| 0)
            }
            (S::Receive, Some(receiver)) => receiver.recv().unwrap_or(100),
            (S::TryReceive, Some(receiver)) => receiver.try_recv().unwrap_or(100),
            (S::Wait, _) => *self.condvar.wait(self.locks[0].lock().unwrap()).unwrap(),
            (S::Notify, _) => {
                self.condvar.notify_one();
                0
            }
            (S::StartNext, _) => {
                let next = me + 1;
                let mut starts = self.mixture.threads[me].iter();
                let first = starts.position(|s| matches!(s, S::StartNext));
                let done = self
                    .log
                    .lock()
                    .unwrap()
                    .iter()
                    .find(|(t, _)| *t == me)
                    .map(|(_, seen)| seen.len());
                if self.mixture.started().get(next) == Some(&true) && first == done {
                    self.start(next, None);
                }
                0
            }
            (S::Lock(m), _) => add(&self.locks[m]),
            _ => add(&self.locks[1]),
        }
    }

    fn start(self: &Arc<World>, t: usize, receiver: Option<Receiver<u32>>) -> thread::JoinHandle<()> {
        let world = Arc::clone(self);
        thread::spawn(move || world.thread(t, receiver))
    }

    fn thread(self: Arc<World>, t: usize, receiver: Option<Receiver<u32>>) {
        let slot = {
            let mut log = self.log.lock().unwrap();
            log.push((t, Vec::new()));
            log.len() - 1
        };
        for &statement in &self.mixture.threads[t] {
            let seen = self
                .atomic(statement)
                .unwrap_or_else(|| self.other(statement, t, receiver.as_ref()));
            self.log.lock().unwrap()[slot].1.push(seen);
        }
        self.log.lock().unwrap()[slot].1.push(END);
    }
}

/// What a thread that has ended saw last.
const END: u32 = 777;
/// The number of the main thread.
const MAIN: usize = 99;

fn run(mixture: &Arc<Mixture>, once: bool, log: &Arc<Plain<Log>>) {
    log.lock().unwrap().clear();
    let (sender, receiver) = channel();
    let world = Arc::new(World {
        mixture: Arc::clone(mixture),
        once,
        atomics: [AtomicU32::new(0), AtomicU32::new(0)],
        locks: [Mutex::new(0), Mutex::new(0)],
        condvar: Condvar::new(),
        permits: Semaphore::new(mixture.permits),
        cell: Racy(Cell::new(0)),
        sender: Plain::new(sender),
        log: Arc::clone(log),
    });
    let (started, mut receiver) = (mixture.started(), Some(receiver));
    let last = (mixture.alike..started.len()).rev().find(|t| !started[*t]);
    let mut threads = Vec::new();
    // One place for threads that are alike.
    for t in (0..started.len()).filter(|t| !started[*t]) {
        let receiver = if last == Some(t) { receiver.take() } else { None };
        threads.push(world.start(if t < mixture.alike { 0 } else { t }, receiver));
    }
    threads.into_iter().for_each(|t| t.join().unwrap());
    let seen = world.atomics.iter().map(|a| a.load(Relaxed)).collect();
    log.lock().unwrap().push((MAIN, seen));
    drop(receiver);
}

/// How an execution ends: whether in a deadlock, and what was seen.
type Outcomes = BTreeSet<(bool, Log)>;

fn outcomes(mixture: &Mixture, once: bool, checker: Checker) -> (Outcomes, Report) {
    let seen = Rc::new(RefCell::new(Outcomes::new()));
    let log = Arc::new(Plain::new(Log::new()));
    let mixture = Arc::new(mixture.clone());
    let (inner, observed, of) = (Rc::clone(&seen), Arc::clone(&log), Arc::clone(&mixture));
    let checker = checker
        .all_violations(true)
        .unwind(true)
        .leaks(false)
        .quiet(true)
        .spurious_failures(100)
        // Executions that are discarded are not counted.
        .max_duration(Duration::from_secs(5))
        .on_execution(move |execution| {
            let mut log = observed.lock().unwrap().clone();
            log.sort();
            let ended = log.iter().filter(|(_, seen)| seen.last() == Some(&END)).count();
            // Whether a loop waits for ever is not asked here.
            if !of.waits() || ended == of.threads.len() {
                inner.borrow_mut().insert((execution.deadlock, log));
            }
        });
    let report = checker.run(|| run(&mixture, once, &log));
    drop(checker);
    (Rc::try_unwrap(seen).unwrap().into_inner(), report)
}

/// Mixtures with more interleavings are only compared among the other searches.
const MOST: u64 = 1_000;
/// Those with more executions are left out.
const MOST_REDUCED: u64 = 400;

/// Whether the oracle had an answer; none if there was nothing to compare.
fn agrees(mixture: &Mixture, memory: Memory) -> Option<bool> {
    let of = |strategy, granularity| {
        Checker::new()
            .memory(memory)
            .strategy(strategy)
            .granularity(granularity)
    };
    let optimal = of(Strategy::Optimal, Granularity::Composed).max_executions(MOST_REDUCED);
    let (found, report) = outcomes(mixture, false, optimal);
    if !report.complete {
        return None;
    }
    let plain = of(Strategy::Exhaustive, Granularity::Composed).max_executions(MOST);
    let (expected, exhaustive) = outcomes(mixture, mixture.waits(), plain);
    let racy = |report: &Report| report.violations.iter().any(|v| v.kind == ViolationKind::DataRace);
    let races = racy(&report);
    assert!(
        races || !racy(&exhaustive),
        "no data race: {report}\n{exhaustive}\n{mixture:?}"
    );
    assert!(
        !races || racy(&exhaustive) || !exhaustive.complete,
        "a data race: {report}\n{exhaustive}\n{mixture:?}"
    );
    let named = |name: &str, found: Outcomes, report: &Report| {
        assert!(report.complete, "{name}: {report}\n{mixture:?}");
        assert_eq!(racy(report), races, "{name}: {report}\n{mixture:?}");
        let missed: Vec<_> = expected.difference(&found).collect();
        assert!(missed.is_empty(), "{name} missed {missed:?}: {report}\n{mixture:?}");
        let wrong: Vec<_> = found.difference(&expected).collect();
        assert!(
            wrong.is_empty() || !exhaustive.complete,
            "{name} made up {wrong:?}: {report}\n{mixture:?}"
        );
        found
    };
    let first = named("optimal", found, &report);
    let searches = [
        ("symmetry", of(Strategy::Optimal, Granularity::Composed).symmetry(true)),
        ("source sets", of(Strategy::SourceSets, Granularity::Composed)),
        ("fine", of(Strategy::Optimal, Granularity::Fine)),
        ("invisible first", of(Strategy::Optimal, Granularity::InvisibleFirst)),
        (
            "fine symmetry",
            of(Strategy::SourceSets, Granularity::Fine).symmetry(true),
        ),
    ];
    for (name, checker) in searches {
        let (found, report) = outcomes(mixture, false, checker.max_executions(5 * MOST_REDUCED));
        if !report.complete {
            continue;
        }
        let found = named(name, found, &report);
        assert!(
            found == first,
            "{name} {report}: {:?} more, {:?} fewer\n{mixture:?}",
            found.difference(&first).collect::<Vec<_>>(),
            first.difference(&found).collect::<Vec<_>>()
        );
    }
    Some(exhaustive.complete)
}

#[test]
fn mixtures_have_the_outcomes_of_their_interleavings() {
    let [naively, compared] = [const { AtomicU64::new(0) }; 2];
    seeds(60, |seed| {
        let memory = if seed % 8 == 7 {
            Memory::SequentiallyConsistent
        } else {
            Memory::Rc11
        };
        match agrees(&mixture(seed), memory) {
            None => {}
            Some(by_oracle) => {
                compared.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                naively.fetch_add(u64::from(by_oracle), std::sync::atomic::Ordering::Relaxed);
            }
        }
    });
    println!(
        "{} mixtures were compared, {} with all interleavings",
        compared.into_inner(),
        naively.into_inner()
    );
}
