//! Stacks, queues, counters, maps and registers, each right once and broken in one or more ways.

use mazurka::linear::{Report, Test};
use mazurka::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::SeqCst};
use mazurka::sync::{Mutex, RwLock};
use mazurka::{Verdict, ViolationKind};
use std::collections::{BTreeMap, VecDeque};

fn holds(report: &Report) {
    assert_eq!(report.verdict, Verdict::Holds, "{report}");
}

/// Fails because no order explains it, with at most so many operations.
fn is_not_linearizable(report: &Report, operations: usize) {
    assert_eq!(report.verdict, Verdict::Violated);
    let failure = report.failure.as_ref().unwrap();
    assert_eq!(failure.violation.kind, ViolationKind::NotLinearizable, "{failure}");
    assert!((1..=operations).contains(&failure.called.len()), "{failure}");
}

trait Counter: Sync {
    fn add(&self, n: u64) -> u64;
    fn get(&self) -> u64;
}

fn counter<C: Counter + 'static>(make: fn() -> C) -> Report {
    Test::new(make, || 0)
        .operation(
            "add",
            |g| 1 + g.below(2),
            |c: &C, n| c.add(*n),
            |sum: &mut u64, n| {
                *sum += n;
                *sum
            },
        )
        .operation("get", |_| (), |c, ()| c.get(), |sum, ()| *sum)
        .scenarios(30)
        .run()
}

struct Atomic(AtomicU64);

impl Counter for Atomic {
    fn add(&self, n: u64) -> u64 {
        self.0.fetch_add(n, SeqCst) + n
    }
    fn get(&self) -> u64 {
        self.0.load(SeqCst)
    }
}

/// Reads, and writes later.
struct Forgetful(AtomicU64);

impl Counter for Forgetful {
    fn add(&self, n: u64) -> u64 {
        let sum = self.0.load(SeqCst) + n;
        self.0.store(sum, SeqCst);
        sum
    }
    fn get(&self) -> u64 {
        self.0.load(SeqCst)
    }
}

/// Counts in two places and reads them one after the other: only three threads, or a slow reader, notice.
struct Split([AtomicU64; 2]);

impl Counter for Split {
    fn add(&self, n: u64) -> u64 {
        self.0[usize::from(n > 1)].fetch_add(n, SeqCst);
        self.get()
    }
    fn get(&self) -> u64 {
        self.0[0].load(SeqCst) + self.0[1].load(SeqCst)
    }
}

#[test]
fn counters() {
    holds(&counter(|| Atomic(AtomicU64::new(0))));
    is_not_linearizable(&counter(|| Forgetful(AtomicU64::new(0))), 3);
    is_not_linearizable(&counter(|| Split([const { AtomicU64::new(0) }; 2])), 3);
}

trait Pile: Sync {
    fn push(&self, v: u64);
    fn pop(&self) -> Option<u64>;
}

fn stack<S: Pile + 'static>(make: fn() -> S) -> Report {
    Test::new(make, Vec::new)
        .operation(
            "push",
            |g| g.below(3),
            |s: &S, v| s.push(*v),
            |model: &mut Vec<u64>, v| model.push(*v),
        )
        .operation("pop", |_| (), |s, ()| s.pop(), |model, ()| model.pop())
        .scenarios(30)
        .run()
}

fn queue<S: Pile + 'static>(make: fn() -> S) -> Report {
    Test::new(make, VecDeque::new)
        .operation(
            "enqueue",
            |g| g.below(3),
            |s: &S, v| s.push(*v),
            |model: &mut VecDeque<u64>, v| {
                model.push_back(*v);
            },
        )
        .operation("dequeue", |_| (), |s, ()| s.pop(), |model, ()| model.pop_front())
        .scenarios(30)
        .run()
}

struct Locked<const FIRST: bool>(Mutex<VecDeque<u64>>);

impl<const FIRST: bool> Pile for Locked<FIRST> {
    fn push(&self, v: u64) {
        self.0.lock().unwrap().push_back(v);
    }
    fn pop(&self) -> Option<u64> {
        let mut all = self.0.lock().unwrap();
        if FIRST { all.pop_front() } else { all.pop_back() }
    }
}

/// Looks under one lock and takes under another one.
struct TwoSteps(Mutex<VecDeque<u64>>);

impl Pile for TwoSteps {
    fn push(&self, v: u64) {
        self.0.lock().unwrap().push_back(v);
    }
    fn pop(&self) -> Option<u64> {
        let last = *self.0.lock().unwrap().back()?;
        self.0.lock().unwrap().pop_back();
        Some(last)
    }
}

const SLOTS: usize = 8;

/// Takes a slot, and fills it later (Herlihy, Wing 1990, section 4.2). A consumer that finds the slots in question empty says
/// that there is nothing, which the original does not.
struct Slots {
    next: AtomicUsize,
    slots: [AtomicU64; SLOTS],
}

impl Pile for Slots {
    fn push(&self, v: u64) {
        let slot = self.next.fetch_add(1, SeqCst);
        self.slots[slot].store(v + 1, SeqCst);
    }
    fn pop(&self) -> Option<u64> {
        let end = self.next.load(SeqCst);
        let taken = (0..end).map(|slot| self.slots[slot].swap(0, SeqCst)).find(|v| *v != 0);
        taken.map(|v| v - 1)
    }
}

/// Treiber's stack in an array: an index of the top, and of the next one below. Nodes are not used twice unless it `RECYCLES`; then it
/// falls to the ABA problem.
struct Treiber<const RECYCLES: bool> {
    top: AtomicUsize,
    free: AtomicUsize,
    below: [AtomicUsize; SLOTS],
    values: [AtomicU64; SLOTS],
}

impl<const RECYCLES: bool> Treiber<RECYCLES> {
    fn new() -> Self {
        Treiber {
            top: AtomicUsize::new(0),
            free: AtomicUsize::new(1),
            below: [const { AtomicUsize::new(0) }; SLOTS],
            values: [const { AtomicU64::new(0) }; SLOTS],
        }
    }
}

impl<const RECYCLES: bool> Pile for Treiber<RECYCLES> {
    fn push(&self, v: u64) {
        let node = self.free.fetch_add(1, SeqCst) % SLOTS;
        self.values[node].store(v, SeqCst);
        loop {
            let top = self.top.load(SeqCst);
            self.below[node].store(top, SeqCst);
            if self.top.compare_exchange(top, node, SeqCst, SeqCst).is_ok() {
                return;
            }
        }
    }
    fn pop(&self) -> Option<u64> {
        loop {
            let top = self.top.load(SeqCst);
            if top == 0 {
                return None;
            }
            let below = self.below[top].load(SeqCst);
            let value = self.values[top].load(SeqCst);
            if self.top.compare_exchange(top, below, SeqCst, SeqCst).is_ok() {
                if RECYCLES {
                    self.free.store(top, SeqCst);
                }
                return Some(value);
            }
        }
    }
}

#[test]
fn stacks() {
    holds(&stack(|| Locked::<false>(Mutex::default())));
    holds(&stack(Treiber::<false>::new));
    is_not_linearizable(&stack(|| Locked::<true>(Mutex::default())), 3);
    is_not_linearizable(&stack(|| TwoSteps(Mutex::default())), 5);
    // What goes wrong first depends on what is recycled when.
    assert_eq!(stack(Treiber::<true>::new).verdict, Verdict::Violated);
}

#[test]
fn queues() {
    holds(&queue(|| Locked::<true>(Mutex::default())));
    is_not_linearizable(&queue(|| Locked::<false>(Mutex::default())), 3);
    let slots = || Slots {
        next: AtomicUsize::new(0),
        slots: [const { AtomicU64::new(0) }; SLOTS],
    };
    is_not_linearizable(&queue(slots), 4);
}

trait Map: Sync {
    fn put(&self, k: u64, v: u64) -> Option<u64>;
    fn remove(&self, k: u64) -> Option<u64>;
    fn get(&self, k: u64) -> Option<u64>;
    fn len(&self) -> usize;
}

fn map<S: Map + 'static>(make: fn() -> S, scenarios: u64) -> Report {
    Test::new(make, BTreeMap::new)
        .operation(
            "put",
            |g| (g.below(2), g.below(3)),
            |s: &S, (k, v)| s.put(*k, *v),
            |model: &mut BTreeMap<u64, u64>, (k, v)| model.insert(*k, *v),
        )
        .operation(
            "remove",
            |g| g.below(2),
            |s, k| s.remove(*k),
            |model, k| model.remove(k),
        )
        .operation(
            "get",
            |g| g.below(2),
            |s, k| s.get(*k),
            |model, k| model.get(k).copied(),
        )
        .operation("len", |_| (), |s, ()| s.len(), |model, ()| model.len())
        .scenarios(scenarios)
        .run()
}

struct OneLock(RwLock<BTreeMap<u64, u64>>);

impl Map for OneLock {
    fn put(&self, k: u64, v: u64) -> Option<u64> {
        self.0.write().unwrap().insert(k, v)
    }
    fn remove(&self, k: u64) -> Option<u64> {
        self.0.write().unwrap().remove(&k)
    }
    fn get(&self, k: u64) -> Option<u64> {
        self.0.read().unwrap().get(&k).copied()
    }
    fn len(&self) -> usize {
        self.0.read().unwrap().len()
    }
}

/// Each half has a lock of its own. If it does not `HOLD` both, the length mixes two times.
struct Halves<const HOLD: bool>([Mutex<Option<u64>>; 2]);

impl<const HOLD: bool> Map for Halves<HOLD> {
    fn put(&self, k: u64, v: u64) -> Option<u64> {
        self.0[usize::from(k == 1)].lock().unwrap().replace(v)
    }
    fn remove(&self, k: u64) -> Option<u64> {
        self.0[usize::from(k == 1)].lock().unwrap().take()
    }
    fn get(&self, k: u64) -> Option<u64> {
        *self.0[usize::from(k == 1)].lock().unwrap()
    }
    fn len(&self) -> usize {
        let first = self.0[0].lock().unwrap();
        let before = usize::from(first.is_some());
        if !HOLD {
            drop(first);
        }
        before + usize::from(self.0[1].lock().unwrap().is_some())
    }
}

#[test]
fn maps() {
    holds(&map(|| OneLock(RwLock::default()), 20));
    holds(&map(|| Halves::<true>(Default::default()), 20));
    // While it counts, the first key is put and then the second one removed: it sees neither, but one was always there.
    let report = map(|| Halves::<false>(Default::default()), 500);
    is_not_linearizable(&report, 4);
}

/// Writes a flag and a value one after the other; readers look at the flag first.
struct Published {
    full: AtomicBool,
    value: AtomicU64,
}

#[test]
fn a_register_that_is_written_in_two_steps() {
    let test = |flag_first: bool| {
        Test::new(
            || Published {
                full: AtomicBool::new(false),
                value: AtomicU64::new(0),
            },
            || None,
        )
        .operation(
            "set",
            |g| 1 + g.below(3),
            move |p: &Published, v| {
                if flag_first {
                    p.full.store(true, SeqCst);
                    p.value.store(*v, SeqCst);
                } else {
                    p.value.store(*v, SeqCst);
                    p.full.store(true, SeqCst);
                }
            },
            |model: &mut Option<u64>, v| *model = Some(*v),
        )
        .operation(
            "get",
            |_| (),
            |p, ()| p.full.load(SeqCst).then(|| p.value.load(SeqCst)),
            |model, ()| *model,
        )
        .scenarios(30)
        .run()
    };
    is_not_linearizable(&test(true), 2);
    // The flag never goes back, so it is enough that some value is there before it.
    holds(&test(false));
}

#[test]
fn what_else_goes_wrong_is_found_too() {
    let report = Test::new(|| [const { Mutex::new(0_u64) }; 2], || ())
        .operation("forward", |_| (), |[a, b], ()| drop((a.lock(), b.lock())), |(), ()| ())
        .operation("backward", |_| (), |[a, b], ()| drop((b.lock(), a.lock())), |(), ()| ())
        .run();
    let failure = report.failure.unwrap();
    assert_eq!(failure.violation.kind, ViolationKind::Deadlock);
    assert_eq!(failure.table, "  thread 1: forward()\n  thread 2: backward()\n");
}

#[test]
fn an_unfinished_exploration_is_no_proof() {
    let report = Test::new(|| AtomicU64::new(0), || 0)
        .operation(
            "add",
            |_| (),
            |n: &AtomicU64, ()| n.fetch_add(1, SeqCst),
            |n: &mut u64, ()| {
                *n += 1;
                *n - 1
            },
        )
        .max_executions(1)
        .run();
    assert!(!report.verdict.is_conclusive() && report.incomplete > 0);
}
