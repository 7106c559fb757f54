//! Spinlocks, queue locks, and locks made of loads and stores.

use super::{Data, NO_ACQUIRE, NO_RELEASE, Orderings, RIGHT, fails, holds, threads};
use mazurka::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use mazurka::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use mazurka::{Checker, Memory, ViolationKind};

/// A lock for threads with numbers.
trait Lock: Send + Sync + 'static {
    fn new(threads: usize, orderings: Orderings) -> Self;
    fn lock(&self, me: usize);
    fn unlock(&self, me: usize);
}

struct Guarded<L> {
    lock: L,
    data: Data,
    times: usize,
}

/// Each thread enters its critical section so many times.
fn exclusion<L: Lock>(number: usize, times: usize, orderings: Orderings) -> impl Fn() {
    move || {
        let guarded = Guarded {
            lock: L::new(number, orderings),
            data: Data::default(),
            times,
        };
        threads(number, guarded, |guarded, me| {
            for _ in 0..guarded.times {
                guarded.lock.lock(me);
                guarded.data.write();
                guarded.lock.unlock(me);
            }
        });
    }
}

/// The lock excludes with its orderings, and does not with weaker ones.
fn excludes<L: Lock>(name: &str) {
    for (number, times) in [(2, 1), (2, 2), (3, 1)] {
        holds(
            &format!("{name}, {number} threads, {}", ["once", "twice"][times - 1]),
            exclusion::<L>(number, times, RIGHT),
        );
    }
    fails(name, ViolationKind::DataRace, exclusion::<L>(2, 1, NO_ACQUIRE));
    fails(name, ViolationKind::DataRace, exclusion::<L>(2, 1, NO_RELEASE));
}

/// Test and set.
struct Tas(AtomicBool, Orderings);

impl Lock for Tas {
    fn new(_: usize, orderings: Orderings) -> Tas {
        Tas(AtomicBool::new(false), orderings)
    }

    fn lock(&self, _: usize) {
        while self.0.swap(true, self.1.acquire) {}
    }

    fn unlock(&self, _: usize) {
        self.0.store(false, self.1.release);
    }
}

/// Test, and then test and set.
struct Ttas(AtomicBool, Orderings);

impl Lock for Ttas {
    fn new(_: usize, orderings: Orderings) -> Ttas {
        Ttas(AtomicBool::new(false), orderings)
    }

    fn lock(&self, _: usize) {
        loop {
            while self.0.load(Relaxed) {}
            let taken = self.0.compare_exchange(false, true, self.1.acquire, Relaxed);
            if taken.is_ok() {
                return;
            }
        }
    }

    fn unlock(&self, _: usize) {
        self.0.store(false, self.1.release);
    }
}

/// Ticket lock: the next ticket, and the one that is served.
struct Ticket(AtomicUsize, AtomicUsize, Orderings);

impl Lock for Ticket {
    fn new(_: usize, orderings: Orderings) -> Ticket {
        Ticket(AtomicUsize::new(0), AtomicUsize::new(0), orderings)
    }

    fn lock(&self, _: usize) {
        let mine = self.0.fetch_add(1, Relaxed);
        while self.1.load(self.2.acquire) != mine {}
    }

    fn unlock(&self, _: usize) {
        let served = self.1.load(Relaxed);
        self.1.store(served + 1, self.2.release);
    }
}

/// Mellor-Crummey and Scott (1991). Nodes are numbered from 1, and 0 is none.
struct Mcs {
    tail: AtomicUsize,
    next: Vec<AtomicUsize>,
    locked: Vec<AtomicBool>,
    orderings: Orderings,
}

impl Lock for Mcs {
    fn new(threads: usize, orderings: Orderings) -> Mcs {
        Mcs {
            tail: AtomicUsize::new(0),
            next: (0..=threads).map(|_| AtomicUsize::new(0)).collect(),
            locked: (0..=threads).map(|_| AtomicBool::new(false)).collect(),
            orderings,
        }
    }

    fn lock(&self, me: usize) {
        let me = me + 1;
        self.next[me].store(0, Relaxed);
        self.locked[me].store(true, Relaxed);
        let before = self.tail.swap(me, AcqRel);
        if before != 0 {
            self.next[before].store(me, Release);
            while self.locked[me].load(self.orderings.acquire) {}
        }
    }

    fn unlock(&self, me: usize) {
        let me = me + 1;
        if self.next[me].load(Acquire) == 0 {
            if self.tail.compare_exchange(me, 0, Release, Relaxed).is_ok() {
                return;
            }
            while self.next[me].load(Acquire) == 0 {}
        }
        let next = self.next[me].load(Relaxed);
        self.locked[next].store(false, self.orderings.release);
    }
}

/// Craig (1993), Landin and Hagersten (1994). A thread goes on with the node of its predecessor.
struct Clh {
    tail: AtomicUsize,
    locked: Vec<AtomicBool>,
    /// The node of each thread, and that of its predecessor.
    mine: Vec<AtomicUsize>,
    before: Vec<AtomicUsize>,
    orderings: Orderings,
}

impl Lock for Clh {
    fn new(threads: usize, orderings: Orderings) -> Clh {
        Clh {
            tail: AtomicUsize::new(threads),
            locked: (0..=threads).map(|_| AtomicBool::new(false)).collect(),
            mine: (0..threads).map(AtomicUsize::new).collect(),
            before: (0..threads).map(|_| AtomicUsize::new(0)).collect(),
            orderings,
        }
    }

    fn lock(&self, me: usize) {
        let node = self.mine[me].load(Relaxed);
        self.locked[node].store(true, Relaxed);
        let before = self.tail.swap(node, AcqRel);
        self.before[me].store(before, Relaxed);
        while self.locked[before].load(self.orderings.acquire) {}
    }

    fn unlock(&self, me: usize) {
        let node = self.mine[me].load(Relaxed);
        self.mine[me].store(self.before[me].load(Relaxed), Relaxed);
        self.locked[node].store(false, self.orderings.release);
    }
}

#[test]
fn test_and_set() {
    excludes::<Tas>("test-and-set lock");
}

#[test]
fn test_and_test_and_set() {
    excludes::<Ttas>("test-and-test-and-set lock");
}

#[test]
fn ticket() {
    excludes::<Ticket>("ticket lock");
}

#[test]
fn mellor_crummey_and_scott() {
    excludes::<Mcs>("MCS lock");
}

#[test]
fn craig_landin_and_hagersten() {
    excludes::<Clh>("CLH lock");
}

/// Peterson (1981), for two threads: the wish of each, and whose turn it is.
struct Two {
    wants: [AtomicBool; 2],
    turn: AtomicUsize,
    data: Data,
    order: (Ordering, Ordering),
}

fn two(store: Ordering, load: Ordering) -> Two {
    Two {
        wants: [AtomicBool::new(false), AtomicBool::new(false)],
        turn: AtomicUsize::new(0),
        data: Data::default(),
        order: (store, load),
    }
}

fn peterson(two: &Two, me: usize) {
    let (other, (store, load)) = (1 - me, two.order);
    two.wants[me].store(true, store);
    two.turn.store(other, store);
    while two.wants[other].load(load) && two.turn.load(load) == other {}
    two.data.write();
    two.wants[me].store(false, store);
}

/// Dekker (1965), as Dijkstra tells it.
fn dekker(two: &Two, me: usize) {
    let (other, (store, load)) = (1 - me, two.order);
    two.wants[me].store(true, store);
    while two.wants[other].load(load) {
        if two.turn.load(load) != me {
            two.wants[me].store(false, store);
            while two.turn.load(load) != me {}
            two.wants[me].store(true, store);
        }
    }
    two.data.write();
    two.turn.store(other, store);
    two.wants[me].store(false, store);
}

#[test]
fn locks_of_loads_and_stores() {
    for (name, lock) in [("Peterson", peterson as fn(&Two, usize)), ("Dekker", dekker)] {
        holds(name, move || threads(2, two(SeqCst, SeqCst), lock));
        // With interleavings, they are right whatever the orderings, except for what is published.
        let checker = Checker::new().memory(Memory::SequentiallyConsistent);
        let report = checker.run(move || threads(2, two(Release, Acquire), lock));
        assert!(report.complete && report.violations.is_empty(), "{name}: {report}");
        fails(name, ViolationKind::DataRace, move || {
            threads(2, two(Release, Acquire), lock);
        });
    }
}

/// The owner of a spinlock waits for a thread that waits for the lock.
#[test]
fn a_spinlock_that_is_never_released() {
    let report = Checker::new().run(|| {
        let shared = (Tas::new(2, RIGHT), AtomicBool::new(false));
        threads(2, shared, |(lock, done), me| {
            if me == 0 {
                lock.lock(me);
                while !done.load(Acquire) {}
                lock.unlock(me);
            } else {
                lock.lock(me);
                done.store(true, Release);
                lock.unlock(me);
            }
        });
    });
    let violation = &report.violations[0];
    assert_eq!(violation.kind, ViolationKind::Deadlock, "{report}");
    assert!(
        violation.message.contains("in a loop until Atomic 1")
            && violation.message.contains("in a loop until Atomic 2"),
        "{report}"
    );
}
