//! Declared bounds (Stoller, sections 8 and 9): persistent sets from what threads declare, and from what MLD' allows them.

use mazurka::cell::Cell;
use mazurka::sync::atomic::{AtomicU32, Ordering::SeqCst};
use mazurka::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use mazurka::sync::{Barrier, LazyLock, Monitor, Mutex, Once, OnceLock, RwLock, Semaphore};
use mazurka::thread::Uses;
use mazurka::{Checker, Discipline, Granularity, Report, Strategy, ViolationKind, thread};
use mazurka_seeds::seeds;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::atomic::AtomicU32 as Counter;
use std::sync::{Arc, Mutex as Plain};

struct Cells([Cell<u32>; 3]);
// SAFETY: threads run one at a time in a check, and races are reported.
#[allow(unsafe_code)]
unsafe impl Sync for Cells {}
#[allow(unsafe_code)]
unsafe impl std::marker::Send for Cells {}

fn cells() -> Cells {
    Cells([Cell::new(0), Cell::new(0), Cell::new(0)])
}

/// Three threads, each with a mutex and a cell of its own, which declare their mutex and some cells.
fn three(strategy: Strategy, declare: fn(usize, usize) -> bool, thread: fn(usize, &Cell<u32>)) -> Report {
    let checker = Checker::new()
        .strategy(strategy)
        .granularity(Granularity::InvisibleFirst);
    checker.run(|| {
        let shared = Arc::new((cells(), [0; 3].map(|_| Mutex::new(()))));
        for i in 0..3 {
            let inner = Arc::clone(&shared);
            let declared = (0..3).filter(|c| declare(i, *c)).map(|c| &shared.0.0[c] as &dyn Uses);
            let declared: Vec<&dyn Uses> = declared.chain([&shared.1[i] as &dyn Uses]).collect();
            let builder = thread::Builder::new().uses(&declared);
            let run = move || {
                for _ in 0..2 {
                    let _held = inner.1[i].lock().unwrap();
                    thread(i, &inner.0.0[i]);
                }
            };
            builder.spawn(run).unwrap();
        }
    })
}

fn adds(_: usize, cell: &Cell<u32>) {
    cell.set(cell.get() + 1);
}

/// A thread that declares the cells of others cannot access them without their locks. So it costs nothing.
#[test]
fn cells_of_others_may_be_declared() {
    let own = three(Strategy::Selective, |i, c| i == c, adds);
    let all = three(Strategy::Selective, |_, _| true, adds);
    assert_eq!((own.executions, own.redundant, own.complete), (1, 0, true));
    assert_eq!((all.executions, all.redundant, all.complete), (1, 0, true));
    assert_eq!(all.transitions, own.transitions);
}

/// Nobody writes the cells, so that everybody may read them.
#[test]
fn cells_that_nobody_writes_need_no_lock() {
    let all = three(Strategy::Selective, |_, _| true, |_, cell| _ = cell.get());
    assert!(all.complete && all.redundant > 0, "{all}");
}

/// The example of section 9: the first thread writes a variable, releases a semaphore, and writes again without the lock. "IF-SSS does not find a
/// violation" of MLD; there is one of MLD'.
#[test]
fn an_initialisation_that_goes_on_too_long() {
    let run = |discipline| {
        let checker = Checker::new().locking_discipline(discipline).all_violations(true);
        checker
            .granularity(Granularity::InvisibleFirst)
            .strategy(Strategy::Selective)
            .run(|| {
                let shared = Arc::new((cells(), Mutex::new(()), Semaphore::new(0)));
                let other = Arc::clone(&shared);
                thread::spawn(move || {
                    other.2.acquire();
                    let _held = other.1.lock().unwrap();
                    other.0.0[0].set(2);
                });
                shared.0.0[0].initialised_here();
                shared.0.0[0].set(0);
                shared.2.release();
                shared.0.0[0].set(1);
            })
    };
    let finds = |report: Report| {
        report
            .violations
            .iter()
            .any(|v| v.kind == ViolationKind::LockingDiscipline)
    };
    assert!(!finds(run(Discipline::Mld)));
    assert!(finds(run(Discipline::MldPrime)));
}

/// "Multiple initialization transitions per object", as long as the thread performs no visible operation in between.
#[test]
fn several_accesses_initialise() {
    let run = |between: fn(&Semaphore)| {
        let checker = Checker::new().locking_discipline(Discipline::MldPrime);
        checker.run(move || {
            let shared = Arc::new((cells(), Mutex::new(()), Semaphore::new(1)));
            shared.0.0[0].initialised_here();
            shared.0.0[0].set(1);
            between(&shared.2);
            shared.0.0[0].set(shared.0.0[0].get() + 1);
            let other = Arc::clone(&shared);
            thread::spawn(move || {
                let _held = other.1.lock().unwrap();
                other.0.0[0].set(2);
            });
        })
    };
    let fine = run(|_| ());
    assert!(fine.violations.is_empty(), "{fine}");
    for between in [Semaphore::acquire, Semaphore::release] {
        let late = run(between);
        assert_eq!(late.violations[0].kind, ViolationKind::LockingDiscipline);
    }
}

/// What a thread can do, and what it must declare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Add(usize),
    Load,
    Store,
    /// Reads or writes a cell with the mutex of this number.
    Look(usize, usize),
    Change(usize, usize),
    /// Writes it without one.
    Bare(usize),
    /// The same with the lock for readers.
    Shared(usize),
    Send,
    SendBounded,
    Receive,
    TryReceive,
    Arrive,
    Call,
    Initialise,
    Force,
    Enter,
    Acquire,
    Release,
    Park,
    Unpark,
}

use Step::*;

struct World {
    mutexes: [Mutex<u32>; 2],
    atomic: AtomicU32,
    locks: [Mutex<()>; 2],
    shared: RwLock<()>,
    cells: Cells,
    barrier: Barrier,
    once: Once,
    value: OnceLock<u32>,
    lazy: LazyLock<u32>,
    monitor: Monitor,
    semaphore: Semaphore,
    /// The first thread of the program.
    first: std::sync::OnceLock<thread::Thread>,
}

type Ends = (Sender<u32>, SyncSender<u32>);

fn perform(step: Step, w: &World, ends: &Ends, receiver: Option<&Receiver<u32>>, me: u32) -> u32 {
    match step {
        Add(m) => {
            let mut value = w.mutexes[m].lock().unwrap();
            *value = *value * 3 + me + 1;
            *value
        }
        Load => w.atomic.load(SeqCst),
        Store => {
            w.atomic.store(me + 1, SeqCst);
            0
        }
        Look(m, c) => {
            let _held = w.locks[m].lock().unwrap();
            w.cells.0[c].get()
        }
        Change(m, c) => {
            let _held = w.locks[m].lock().unwrap();
            w.cells.0[c].set(w.cells.0[c].get() * 3 + me + 1);
            w.cells.0[c].get()
        }
        Bare(c) => {
            _ = w.cells.0[c].replace(9);
            0
        }
        Shared(c) => {
            let _held = w.shared.read().unwrap();
            w.cells.0[c].get()
        }
        Send => u32::from(ends.0.send(me).is_ok()),
        SendBounded => u32::from(ends.1.send(me).is_ok()),
        Receive => receiver.map_or(90, |r| r.recv().unwrap_or(91)),
        TryReceive => receiver.map_or(90, |r| r.try_recv().unwrap_or(92)),
        Arrive => u32::from(w.barrier.wait().is_leader()),
        Call => {
            w.once.call_once(|| ());
            u32::from(w.once.is_completed())
        }
        Initialise => *w.value.get_or_init(|| me),
        Force => *LazyLock::force(&w.lazy),
        Enter => {
            w.monitor.acquire();
            w.monitor.notify().unwrap();
            w.monitor.release().unwrap();
            0
        }
        Acquire => {
            w.semaphore.acquire();
            0
        }
        Release => {
            w.semaphore.release();
            0
        }
        Park => {
            thread::park();
            0
        }
        Unpark => {
            w.first.get().unwrap().unpark();
            0
        }
    }
}

/// What a step must declare.
fn uses<'a>(step: Step, w: &'a World, ends: &'a Ends, receiver: &'a Receiver<u32>) -> Vec<&'a dyn Uses> {
    match step {
        Add(m) => vec![&w.mutexes[m]],
        Load | Store => vec![&w.atomic],
        Look(m, c) | Change(m, c) => vec![&w.locks[m], &w.cells.0[c]],
        Bare(c) => vec![&w.cells.0[c]],
        Shared(c) => vec![&w.shared, &w.cells.0[c]],
        Send => vec![&ends.0],
        Receive | TryReceive => vec![receiver],
        SendBounded => vec![&ends.1],
        Arrive => vec![&w.barrier],
        Call => vec![&w.once],
        Initialise => vec![&w.value],
        Force => vec![&w.lazy],
        Enter => vec![&w.monitor],
        Acquire | Release => vec![&w.semaphore],
        Park | Unpark => vec![],
    }
}

/// The steps of each thread, and which cells each declares besides.
type Program = Vec<(Vec<Step>, Vec<usize>)>;

fn program(seed: u64) -> Program {
    let mut random = fastrand::Rng::with_seed(seed);
    let (threads, most) = if seed.is_multiple_of(3) { (2, 3) } else { (3, 2) };
    let about_cells = random.u8(..3) > 0;
    let breaks = random.u8(..4) == 0;
    (0..threads)
        .map(|t| {
            let steps = (0..random.usize(1..=most)).map(|_| {
                let (m, c) = (random.usize(..2), random.usize(..3));
                match random.u8(..20) {
                    0..=11 if about_cells => {
                        // A cell has its mutex, mostly.
                        let m = if breaks && random.u8(..4) == 0 {
                            1 - c % 2
                        } else {
                            c % 2
                        };
                        match random.u8(..9) {
                            0 if breaks => Bare(c),
                            1 if breaks => Shared(c),
                            2..=5 => Look(m, c),
                            _ => Change(m, c),
                        }
                    }
                    0 | 12 => Add(m),
                    1 => Load,
                    2 => Store,
                    3 | 13 => Send,
                    4 => SendBounded,
                    5 if t == 0 => Receive,
                    6 if t == 0 => TryReceive,
                    7 => Arrive,
                    8 => Call,
                    9 => Initialise,
                    10 => Force,
                    11 => Enter,
                    14 | 15 => Acquire,
                    16 | 17 => Release,
                    18 => Unpark,
                    19 if t == 0 => Park,
                    _ => Load,
                }
            });
            let steps = steps.collect();
            (steps, (0..3).filter(|_| random.bool()).collect())
        })
        .collect()
}

type Log = Arc<Plain<Vec<Vec<u32>>>>;

/// Runs it: the first thread of the program is the one that receives and parks.
fn run(program: &Program, initialised: bool, log: &Log) {
    *log.lock().unwrap() = vec![Vec::new(); program.len()];
    let (bounded, _kept) = sync_channel(1);
    let (sender, receiver) = channel();
    let ends = Arc::new((sender, bounded));
    let world = Arc::new(World {
        mutexes: [Mutex::new(0), Mutex::new(0)],
        atomic: AtomicU32::new(0),
        locks: [Mutex::new(()), Mutex::new(())],
        shared: RwLock::new(()),
        cells: cells(),
        barrier: Barrier::new(2),
        once: Once::new(),
        value: OnceLock::new(),
        lazy: LazyLock::new(|| 77),
        monitor: Monitor::new(),
        semaphore: Semaphore::new(1),
        first: std::sync::OnceLock::new(),
    });
    if initialised {
        for cell in &world.cells.0 {
            cell.initialised_here();
            cell.set(4);
            cell.set(cell.get() + 1);
        }
    }
    let builders: Vec<_> = program
        .iter()
        .map(|(steps, besides)| {
            let own = steps.iter().flat_map(|s| uses(*s, &world, &ends, &receiver));
            let besides = besides.iter().map(|c| &world.cells.0[*c] as &dyn Uses);
            thread::Builder::new().uses(&own.chain(besides).collect::<Vec<_>>())
        })
        .collect();
    let body = |t: usize, receiver: Option<Receiver<u32>>| {
        let (steps, world, ends, log) = (
            program[t].0.clone(),
            Arc::clone(&world),
            Arc::clone(&ends),
            Arc::clone(log),
        );
        move || {
            for step in steps {
                let seen = perform(step, &world, &ends, receiver.as_ref(), t as u32);
                log.lock().unwrap()[t].push(seen);
            }
            // Ends of channels stay as they are.
            std::mem::forget((ends, receiver));
        }
    };
    let mut receiver = Some(receiver);
    for (t, builder) in builders.into_iter().enumerate() {
        let run = body(t, if t == 0 { receiver.take() } else { None });
        let handle = builder.spawn(run).unwrap();
        world.first.get_or_init(|| handle.thread().clone());
    }
    std::mem::forget((ends, _kept));
}

type Outcomes = (BTreeSet<(bool, Vec<Vec<u32>>)>, BTreeSet<String>);

fn outcomes(program: &Program, initialised: bool, checker: Checker) -> (Outcomes, Report) {
    let seen: Rc<RefCell<BTreeSet<_>>> = Rc::default();
    let log = Log::default();
    let (inner, observed) = (Rc::clone(&seen), log.clone());
    let checker = checker
        .all_violations(true)
        .unwind(true)
        .quiet(true)
        .on_execution(move |execution| {
            let logs = observed.lock().unwrap().clone();
            inner.borrow_mut().insert((execution.deadlock, logs));
        });
    let report = checker.run(|| run(program, initialised, &log));
    drop(checker);
    let kinds = report.violations.iter().map(|v| format!("{:?}", v.kind)).collect();
    ((Rc::try_unwrap(seen).unwrap().into_inner(), kinds), report)
}

#[test]
fn random_programs_with_declarations() {
    let (compared, smaller, racy) = (Counter::new(0), Counter::new(0), Counter::new(0));
    let drawn = Plain::new(BTreeSet::new());
    seeds(120, |seed| {
        let program = program(seed);
        let initialised = seed % 2 == 0;
        let search = |strategy, granularity| {
            let checker = Checker::new().strategy(strategy).granularity(granularity);
            outcomes(&program, initialised, checker.max_executions(5_000))
        };
        let (expected, plain) = search(Strategy::Exhaustive, Granularity::InvisibleFirst);
        if !plain.complete {
            return;
        }
        drawn
            .lock()
            .unwrap()
            .extend(program.iter().flat_map(|(steps, _)| steps.iter().copied()));
        compared.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let races = expected.1.contains("DataRace");
        racy.fetch_add(u32::from(races), std::sync::atomic::Ordering::Relaxed);
        for granularity in [Granularity::InvisibleFirst, Granularity::Composed, Granularity::Fine] {
            let (found, report) = search(Strategy::Selective, granularity);
            assert!(report.complete, "{report}\n{program:?}");
            assert_eq!(found.1, expected.1, "{granularity:?} {initialised} {program:?}");
            // What threads see while they race is anybody's guess.
            assert!(
                races || found.0 == expected.0,
                "{granularity:?} {initialised} {program:?}\n{found:?}\n{expected:?}"
            );
            let less = report.transitions < plain.transitions;
            smaller.fetch_add(u32::from(less), std::sync::atomic::Ordering::Relaxed);
        }
    });
    if !mazurka_seeds::are_chosen() {
        let [compared, smaller, racy] = [compared, smaller, racy].map(Counter::into_inner);
        assert!(
            compared > 60 && smaller > 60 && racy > 1,
            "{compared} compared, {smaller} smaller, {racy} racy"
        );
        let drawn: BTreeSet<String> = drawn.into_inner().unwrap().iter().map(|s| format!("{s:?}")).collect();
        for step in [
            "Add(",
            "Load",
            "Store",
            "Look",
            "Change",
            "Bare",
            "Shared",
            "Send",
            "Receive",
            "TryReceive",
            "Arrive",
            "Call",
            "Initialise",
            "Force",
            "Enter",
            "Acquire",
            "Release",
            "Park",
            "Unpark",
            "SendBounded",
        ] {
            assert!(drawn.iter().any(|s| s.starts_with(step)), "no program has {step}");
        }
    }
}
