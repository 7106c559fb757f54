//! Symmetry leaves out no outcome, and is given up where something tells threads apart.

use fastrand::Rng;
use mazurka::cell::Cell;
use mazurka::sync::atomic::{AtomicU32, Ordering};
use mazurka::sync::{Arc, Condvar, Mutex, RwLock, Semaphore};
use mazurka::{Checker, Granularity, Report, Strategy, ViolationKind, choose, thread};
use mazurka_seeds::seeds;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Mutex as Plain;
use std::sync::atomic::AtomicU64;

/// What a thread does.
#[derive(Clone, Copy, Debug)]
enum Statement {
    Load(usize),
    Store(usize, u32),
    Add(usize),
    Exchange(usize),
    Lock(usize),
    Look(usize),
    TryLock(usize),
    Nested,
    Read,
    Write,
    Acquire,
    Release,
    Wait,
    Notify,
    Choose,
    PanicIf(usize),
    Touch,
    /// Starts two threads that add, which are alike as well.
    Spawn(usize),
}

/// How the threads that are alike are started and joined.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Joins {
    InOneGo,
    Backwards,
    Scope,
    Never,
    // What tells them apart.
    WithAStatement,
    OnlyTheFirst,
    AnotherThread,
    Asks,
    Names,
}

#[derive(Clone, Debug)]
struct Program {
    /// For each class, how many threads there are and what they do.
    classes: Vec<(usize, Vec<Statement>)>,
    main: Vec<Statement>,
    joins: Joins,
    order: Ordering,
}

/// A cell that threads access without a lock.
struct Racy(Cell<u32>);

// SAFETY: the search finds the races.
#[allow(unsafe_code)]
unsafe impl Sync for Racy {}

struct Objects {
    atomics: [AtomicU32; 2],
    locks: [Mutex<u32>; 2],
    shared: RwLock<u32>,
    permits: Semaphore,
    condvar: Condvar,
    cell: Racy,
}

fn program(seed: u64) -> Program {
    use Statement::*;
    let mut random = Rng::with_seed(seed);
    let families: [&[Statement]; 8] = [
        &[Load(0), Store(0, 1), Store(0, 2), Add(0), Exchange(0), PanicIf(0)],
        &[Load(0), Load(1), Store(0, 1), Store(1, 1), Exchange(1), PanicIf(1)],
        &[Lock(0), Look(0), TryLock(0), Load(0), Lock(1)],
        &[Lock(0), Nested, Lock(1), Add(0)],
        &[Read, Write, Add(0)],
        &[Acquire, Release, Add(0), Lock(0)],
        &[Wait, Notify, Lock(0), Add(0)],
        &[Choose, Add(0), Spawn(0), Touch, Store(1, 1)],
    ];
    let mut statements = families[random.usize(..families.len())].to_vec();
    if random.bool() {
        statements.extend_from_slice(families[random.usize(..families.len())]);
    }
    let some = |most: usize, random: &mut Rng| -> Vec<Statement> {
        let length = random.usize(1..=most);
        (0..length)
            .map(|_| statements[random.usize(..statements.len())])
            .collect()
    };
    let classes = match random.u32(..4) {
        0 => vec![(3, some(1, &mut random))],
        1 => vec![(2, some(1, &mut random)), (2, some(1, &mut random))],
        2 => vec![(3, some(2, &mut random))],
        _ => vec![(2, some(3, &mut random))],
    };
    let joins = [
        Joins::InOneGo,
        Joins::InOneGo,
        Joins::Backwards,
        Joins::Scope,
        Joins::Never,
        Joins::WithAStatement,
        Joins::OnlyTheFirst,
        Joins::AnotherThread,
        Joins::Asks,
        Joins::Names,
    ];
    let orders = [Ordering::SeqCst, Ordering::AcqRel, Ordering::Relaxed];
    Program {
        classes,
        main: if random.bool() {
            some(2, &mut random)
        } else {
            Vec::new()
        },
        joins: joins[random.usize(..joins.len())],
        order: orders[random.usize(..orders.len())],
    }
}

/// What each thread has seen, by its class. Who they are is left out.
type Log = Plain<Vec<(usize, Vec<u32>)>>;

struct World<'a> {
    objects: Objects,
    program: &'a Program,
    log: &'a Log,
}

impl World<'_> {
    fn perform(&self, statement: Statement) -> u32 {
        let o = &self.objects;
        let (load, store) = match self.program.order {
            Ordering::AcqRel => (Ordering::Acquire, Ordering::Release),
            order => (order, order),
        };
        match statement {
            Statement::Load(i) => o.atomics[i].load(load),
            Statement::Store(i, value) => {
                o.atomics[i].store(value, store);
                0
            }
            Statement::Add(i) => o.atomics[i].fetch_add(1, self.program.order),
            Statement::Exchange(i) => match o.atomics[i].compare_exchange(0, 3, self.program.order, load) {
                Ok(_) => 100,
                Err(found) => found,
            },
            Statement::Lock(i) => {
                let mut value = o.locks[i].lock().unwrap();
                *value += 1;
                *value
            }
            Statement::Look(i) => *o.locks[i].lock().unwrap(),
            Statement::TryLock(i) => o.locks[i].try_lock().map_or(100, |mut value| {
                *value += 1;
                *value
            }),
            Statement::Nested => {
                let mut outer = o.locks[1].lock().unwrap();
                *outer += *o.locks[0].lock().unwrap();
                *outer
            }
            Statement::Read => *o.shared.read().unwrap(),
            Statement::Write => {
                let mut value = o.shared.write().unwrap();
                *value += 1;
                *value
            }
            Statement::Acquire => {
                o.permits.acquire();
                0
            }
            Statement::Release => {
                o.permits.release();
                0
            }
            Statement::Wait => *o.condvar.wait(o.locks[0].lock().unwrap()).unwrap(),
            Statement::Notify => {
                o.condvar.notify_one();
                0
            }
            Statement::Choose => choose(2) as u32,
            Statement::PanicIf(i) => o.atomics[i].load(load),
            Statement::Touch => {
                o.cell.0.set(o.cell.0.get() + 1);
                0
            }
            Statement::Spawn(i) => {
                thread::scope(|s| {
                    for _ in 0..2 {
                        s.spawn(|| _ = o.atomics[i].fetch_add(1, self.program.order));
                    }
                });
                0
            }
        }
    }

    fn body(&self, class: usize, statements: &[Statement]) {
        let slot = {
            let mut log = self.log.lock().unwrap();
            log.push((class, Vec::new()));
            log.len() - 1
        };
        for &statement in statements {
            let seen = self.perform(statement);
            self.log.lock().unwrap()[slot].1.push(seen);
            assert!(
                !matches!(statement, Statement::PanicIf(_)) || seen == 0,
                "something was stored"
            );
        }
    }

    fn main(&self) {
        let log = |seen| self.log.lock().unwrap().push((99, vec![seen]));
        self.program.main.iter().for_each(|s| log(self.perform(*s)));
    }
}

fn run(program: &'static Program, log: &'static Log) {
    log.lock().unwrap().clear();
    let objects = Objects {
        atomics: [AtomicU32::new(0), AtomicU32::new(0)],
        locks: [Mutex::new(0), Mutex::new(0)],
        shared: RwLock::new(0),
        permits: Semaphore::new(1),
        condvar: Condvar::new(),
        cell: Racy(Cell::new(0)),
    };
    // Dropping a counted reference during a panic would not be interleaved.
    let world = std::sync::Arc::new(World { objects, program, log });
    if program.joins == Joins::Scope {
        thread::scope(|s| {
            for (class, (threads, statements)) in program.classes.iter().enumerate() {
                for _ in 0..*threads {
                    let world = &world;
                    s.spawn(move || world.body(class, statements));
                }
            }
            world.main();
        });
        return;
    }
    let mut threads = Vec::new();
    for (class, (number, statements)) in program.classes.iter().enumerate() {
        for _ in 0..*number {
            let world = std::sync::Arc::clone(&world);
            threads.push(thread::spawn(move || world.body(class, statements)));
        }
    }
    match program.joins {
        Joins::Asks => {
            let seen = threads[0].is_finished();
            log.lock().unwrap().push((98, vec![u32::from(seen)]));
        }
        Joins::Names => {
            // What only the second thread may find.
            let id = threads[1].thread().id();
            log.lock()
                .unwrap()
                .push((98, vec![u32::from(id == thread::current().id())]));
        }
        _ => {}
    }
    world.main();
    match program.joins {
        Joins::InOneGo | Joins::Asks | Joins::Names => threads.into_iter().for_each(|t| drop(t.join())),
        Joins::Backwards => threads.into_iter().rev().for_each(|t| drop(t.join())),
        Joins::WithAStatement => {
            for t in threads {
                drop(t.join());
                let seen = world.perform(Statement::Load(0));
                log.lock().unwrap().push((98, vec![seen]));
                world.perform(Statement::Store(1, 1));
            }
        }
        Joins::OnlyTheFirst => {
            drop(threads.swap_remove(0).join());
            let seen = world.perform(Statement::Load(0));
            log.lock().unwrap().push((98, vec![seen]));
        }
        Joins::AnotherThread => {
            let second = threads.remove(1);
            let other = thread::spawn(move || {
                drop(second.join());
                let seen = world.perform(Statement::Load(0));
                world.log.lock().unwrap().push((97, vec![seen]));
            });
            threads.into_iter().for_each(|t| drop(t.join()));
            drop(other.join());
        }
        Joins::Scope | Joins::Never => {}
    }
}

/// How executions end: whether in a deadlock, and what was seen, whoever has seen it.
type Outcomes = BTreeSet<(bool, Vec<(usize, Vec<u32>)>)>;

fn outcomes(program: &'static Program, checker: Checker) -> (Outcomes, BTreeSet<String>, Report) {
    let log: &'static Log = Box::leak(Box::default());
    let seen = Rc::new(RefCell::new(Outcomes::new()));
    let inner = Rc::clone(&seen);
    let checker = checker.all_violations(true).unwind(true).quiet(true).leaks(false);
    let checker = checker.on_execution(move |execution| {
        let mut logs = log.lock().unwrap().clone();
        logs.sort();
        inner.borrow_mut().insert((execution.deadlock, logs));
    });
    let report = checker.run(|| run(program, log));
    let violations = report.violations.iter().map(|v| match v.kind {
        ViolationKind::Panic => v.message.split_once("panicked").unwrap().1.to_owned(),
        kind => kind.to_string(),
    });
    let violations = violations.collect();
    drop(checker);
    (Rc::try_unwrap(seen).unwrap().into_inner(), violations, report)
}

const MOST: u64 = 500;

#[test]
fn symmetry_leaves_out_no_outcome() {
    let counts = [const { AtomicU64::new(0) }; 6];
    let [compared, naively, given_up, all, few, vain] = &counts;
    let add = |counter: &AtomicU64, n: u64| counter.fetch_add(n, std::sync::atomic::Ordering::Relaxed);
    seeds(200, |seed| {
        let program: &'static Program = Box::leak(Box::new(program(seed)));
        let (seen, reported, optimal) = outcomes(program, Checker::new().max_executions(MOST));
        if !optimal.complete {
            return;
        }
        // The naive search decides if it can. Otherwise the one does that is compared with it elsewhere.
        let plain = Checker::new()
            .strategy(Strategy::Exhaustive)
            .granularity(Granularity::InvisibleFirst);
        let plain = plain.max_executions(2 * MOST);
        let (expected, wrong, exhaustive) = match outcomes(program, plain) {
            (expected, wrong, exhaustive) if exhaustive.complete => (expected, wrong, true),
            _ => (seen, reported, false),
        };
        let searches = [
            ("optimal", Strategy::Optimal, Granularity::Composed),
            ("optimal, fine", Strategy::Optimal, Granularity::Fine),
            ("source sets", Strategy::SourceSets, Granularity::Composed),
            ("exhaustive", Strategy::Exhaustive, Granularity::Composed),
            ("preemptions", Strategy::PreemptionBound(100), Granularity::Composed),
            ("SSS", Strategy::Selective, Granularity::Composed),
        ];
        let searches = searches.into_iter().take(if exhaustive { 6 } else { 1 });
        for (name, strategy, granularity) in searches {
            let checker = Checker::new()
                .strategy(strategy.clone())
                .granularity(granularity)
                .symmetry(true);
            let (found, violations, report) = outcomes(program, checker);
            assert!(report.complete, "{name}: {report}\n{program:?}");
            assert_eq!(found, expected, "{name}: {report}\n{program:?}");
            assert_eq!(violations, wrong, "{name}: {report}\n{program:?}");
            let noted = |what: &str| report.notes.iter().any(|note| note.contains(what));
            if name == "optimal" {
                assert!(
                    report.executions <= optimal.executions,
                    "{report}\n{optimal}\n{program:?}"
                );
                add(given_up, u64::from(noted("told apart")));
                add(all, optimal.executions);
                add(few, report.executions);
                add(vain, report.redundant);
            }
        }
        add(compared, 1);
        add(naively, u64::from(exhaustive));
    });
    let [compared, naively, given_up, all, few, vain] = counts.map(AtomicU64::into_inner);
    println!("{compared} programs were compared, {naively} with the naive search; {given_up} tell threads apart");
    println!("{few} executions instead of {all}, and {vain} in vain");
}

fn counted(symmetry: bool, program: impl Fn()) -> (u64, u64) {
    let report = Checker::new().symmetry(symmetry).run(program);
    assert!(report.complete, "{report}");
    (report.executions, report.redundant)
}

fn lock(threads: usize, times: usize) {
    let lock = Mutex::new(0);
    thread::scope(|s| {
        for _ in 0..threads {
            s.spawn(|| (0..times).for_each(|_| *lock.lock().unwrap() += 1));
        }
    });
}

/// `n!` executions become one, and `(2n)! / 2ⁿ` are divided by `n!`.
#[test]
fn threads_that_lock_a_mutex_are_counted_once() {
    for (n, all) in [(2, 2), (3, 6), (5, 120)] {
        assert_eq!(counted(false, || lock(n, 1)), (all, 0));
        assert_eq!(counted(true, || lock(n, 1)), (1, 0));
    }
    assert_eq!(counted(false, || lock(3, 2)), (90, 0));
    assert_eq!(counted(true, || lock(3, 2)), (15, 0));
    assert_eq!(counted(true, || lock(8, 1)), (1, 0));
}

/// What a program does with threads that look alike.
fn told(program: impl Fn()) -> String {
    let report = Checker::new().symmetry(true).run(&program);
    assert!(report.complete, "{report}");
    let all = Checker::new().run(&program);
    assert_eq!(report.executions, all.executions, "{report}");
    let mut notes = report.notes.into_iter();
    let note = notes.find(|note| note.contains("told apart")).unwrap_or_default();
    note.split("not used: ").last().unwrap_or_default().to_owned()
}

fn two(join: impl Fn([thread::JoinHandle<u32>; 2])) {
    let n = Arc::new(AtomicU32::new(0));
    let handles = std::array::from_fn(|_| {
        let n = Arc::clone(&n);
        thread::spawn(move || n.fetch_add(1, Ordering::SeqCst))
    });
    join(handles);
}

#[test]
fn what_tells_threads_apart_is_said() {
    let is = |how: &str, program: &dyn Fn()| {
        let told = told(program);
        assert!(told.starts_with(how), "{told:?} and not {how:?}");
    };
    is("the result of thread 1 at ", &|| {
        two(|[a, b]| assert_ne!(a.join().unwrap(), b.join().unwrap()))
    });
    is("the handle of thread 2 at ", &|| two(|[_, b]| b.thread().unpark()));
    is("`is_finished` of thread 1 at ", &|| {
        two(|[a, _]| assert!(a.is_finished() || choose(1) == 0))
    });
    let ask = || {
        for _ in 0..2 {
            thread::spawn(|| _ = thread::current().id());
        }
    };
    is("the id of thread", &ask);
    let apart = || {
        let lock = Arc::new(Mutex::new(0));
        let threads = [0; 2].map(|_| {
            let lock = Arc::clone(&lock);
            thread::spawn(move || *lock.lock().unwrap() += 1)
        });
        for t in threads {
            t.join().unwrap();
            drop(lock.lock());
        }
    };
    is("a thread like thread 1 was joined apart from others", &apart);
}

/// Threads that look alike and are not.
#[test]
fn threads_are_alike_only_if_nothing_differs() {
    // What they have captured.
    let index = || {
        let n = Arc::new(AtomicU32::new(0));
        for t in 0..3 {
            let n = Arc::clone(&n);
            thread::spawn(move || n.store(t, Ordering::SeqCst));
        }
    };
    // Their code, at one place.
    let code = || {
        fn start(f: impl FnOnce() + Send + 'static) {
            thread::spawn(f);
        }
        static N: AtomicU32 = AtomicU32::new(0);
        start(|| N.store(1, Ordering::SeqCst));
        start(|| N.store(2, Ordering::SeqCst));
    };
    // What happened in between.
    let between = || {
        let lock = Arc::new((Mutex::new(0), Racy(Cell::new(0))));
        for _ in 0..2 {
            let other = Arc::clone(&lock);
            thread::spawn(move || *other.0.lock().unwrap() += 1);
            lock.1.0.set(1);
        }
    };
    let names = || {
        let lock = Arc::new(Mutex::new(0));
        for name in ["a", "b"] {
            let lock = Arc::clone(&lock);
            let add = move || *lock.lock().unwrap() += 1;
            thread::Builder::new().name(name.into()).spawn(add).unwrap();
        }
    };
    for program in [&index as &dyn Fn(), &code, &between, &names] {
        let report = Checker::new().symmetry(true).run(program);
        let all = Checker::new().run(program);
        assert_eq!((report.executions, report.complete), (all.executions, true), "{report}");
        assert!(all.executions > 1);
        assert!(report.notes.is_empty(), "{report}");
    }
}
