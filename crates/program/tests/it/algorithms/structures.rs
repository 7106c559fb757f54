//! Data structures without locks, and others that readers and writers share.

use super::{Data, NO_ACQUIRE, NO_RELEASE, Orderings, RIGHT, fails, holds, threads};
use mazurka::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use mazurka::sync::atomic::{AtomicUsize, fence};
use mazurka::{ViolationKind, thread};
use std::sync::Arc;

/// Boehm, *Can seqlocks get along with programming language memory models?* (MSPC 2012).
struct Seqlock {
    sequence: AtomicUsize,
    values: [AtomicUsize; 2],
    fences: [bool; 2],
}

impl Seqlock {
    fn write(&self, value: usize) {
        let before = self.sequence.load(Relaxed);
        self.sequence.store(before + 1, Relaxed);
        if self.fences[0] {
            fence(Release);
        }
        self.values.iter().for_each(|v| v.store(value, Relaxed));
        self.sequence.store(before + 2, Release);
    }

    fn read(&self) -> [usize; 2] {
        loop {
            let before = self.sequence.load(Acquire);
            if before % 2 == 1 {
                continue;
            }
            let values = [&self.values[0], &self.values[1]].map(|v| v.load(Relaxed));
            if self.fences[1] {
                fence(Acquire);
            }
            if self.sequence.load(Relaxed) == before {
                return values;
            }
        }
    }
}

fn seqlock(readers: usize, writes: usize, fences: [bool; 2]) -> impl Fn() {
    move || {
        let lock = Seqlock {
            sequence: AtomicUsize::new(0),
            values: [AtomicUsize::new(0), AtomicUsize::new(0)],
            fences,
        };
        threads(1 + readers, (lock, writes), |(lock, writes), me| {
            if me == 0 {
                (1..=*writes).for_each(|value| lock.write(value));
            } else {
                let [a, b] = lock.read();
                assert_eq!(a, b);
            }
        });
    }
}

#[test]
fn a_seqlock() {
    holds("seqlock, 1 reader, 1 write", seqlock(1, 1, [true, true]));
    holds("seqlock, 1 reader, 2 writes", seqlock(1, 2, [true, true]));
    holds("seqlock, 2 readers, 1 write", seqlock(2, 1, [true, true]));
    fails("seqlock", ViolationKind::Panic, seqlock(1, 1, [false, true]));
    fails("seqlock", ViolationKind::Panic, seqlock(1, 1, [true, false]));
}

/// Treiber (1986). Nodes are numbered from 1; the head has a tag that counts changes, in the bits above.
struct Treiber {
    head: AtomicUsize,
    next: Vec<AtomicUsize>,
    values: Vec<Data>,
    orderings: Orderings,
}

const TAG: usize = 16;

impl Treiber {
    fn new(nodes: usize, orderings: Orderings) -> Treiber {
        Treiber {
            head: AtomicUsize::new(0),
            next: (0..=nodes).map(|_| AtomicUsize::new(0)).collect(),
            values: (0..=nodes).map(|_| Data::default()).collect(),
            orderings,
        }
    }

    fn push(&self, node: usize) {
        self.values[node].write();
        loop {
            let head = self.head.load(Relaxed);
            self.next[node].store(head % TAG, Relaxed);
            let new = (head / TAG + 1) * TAG + node;
            let pushed = self
                .head
                .compare_exchange_weak(head, new, self.orderings.release, Relaxed);
            if pushed.is_ok() {
                return;
            }
        }
    }

    fn pop(&self) -> Option<usize> {
        loop {
            let head = self.head.load(self.orderings.acquire);
            let node = head % TAG;
            if node == 0 {
                return None;
            }
            let new = (head / TAG + 1) * TAG + self.next[node].load(Relaxed);
            let popped = self.head.compare_exchange(head, new, Relaxed, Relaxed);
            if popped.is_ok() {
                self.values[node].read();
                return Some(node);
            }
        }
    }
}

/// Each thread pushes a node and waits until it has popped one.
fn treiber(number: usize, orderings: Orderings) -> impl Fn() {
    move || {
        let stack = Treiber::new(number, orderings);
        threads(number, stack, |stack, me| {
            stack.push(me + 1);
            while stack.pop().is_none() {}
        });
    }
}

#[test]
fn a_stack() {
    holds("Treiber stack, 2 threads", treiber(2, RIGHT));
    fails("Treiber stack", ViolationKind::DataRace, treiber(2, NO_ACQUIRE));
    fails("Treiber stack", ViolationKind::DataRace, treiber(2, NO_RELEASE));
}

/// Michael and Scott (1996). Node 1 comes first and has no value.
struct Queue {
    head: AtomicUsize,
    tail: AtomicUsize,
    next: Vec<AtomicUsize>,
    values: Vec<Data>,
    orderings: Orderings,
}

impl Queue {
    fn new(nodes: usize, orderings: Orderings) -> Queue {
        Queue {
            head: AtomicUsize::new(1),
            tail: AtomicUsize::new(1),
            next: (0..nodes + 2).map(|_| AtomicUsize::new(0)).collect(),
            values: (0..nodes + 2).map(|_| Data::default()).collect(),
            orderings,
        }
    }

    fn enqueue(&self, node: usize) {
        self.values[node].write();
        loop {
            let tail = self.tail.load(Acquire);
            let Orderings { release, .. } = self.orderings;
            match self.next[tail].compare_exchange(0, node, release, self.orderings.acquire) {
                Ok(_) => {
                    let _ = self.tail.compare_exchange(tail, node, Release, Relaxed);
                    return;
                }
                Err(next) => {
                    let _ = self.tail.compare_exchange(tail, next, Release, Relaxed);
                }
            }
        }
    }

    fn dequeue(&self) -> Option<usize> {
        loop {
            let head = self.head.load(Acquire);
            let next = self.next[head].load(self.orderings.acquire);
            if next == 0 {
                return None;
            }
            let _ = self.tail.compare_exchange(head, next, Release, Relaxed);
            if self.head.compare_exchange(head, next, AcqRel, Relaxed).is_ok() {
                self.values[next].read();
                return Some(next);
            }
        }
    }
}

/// Producers, and one consumer that waits for what each has enqueued.
fn queue(producers: usize, orderings: Orderings) -> impl Fn() {
    move || {
        let queue = Queue::new(producers, orderings);
        threads(1 + producers, (queue, producers), |(queue, producers), me| {
            if me > 0 {
                queue.enqueue(me + 1);
                return;
            }
            for _ in 0..*producers {
                while queue.dequeue().is_none() {}
            }
        });
    }
}

#[test]
fn a_queue() {
    holds("Michael-Scott queue, 1 producer", queue(1, RIGHT));
    holds("Michael-Scott queue, 2 producers", queue(2, RIGHT));
    fails("Michael-Scott queue", ViolationKind::DataRace, queue(1, NO_ACQUIRE));
    fails("Michael-Scott queue", ViolationKind::DataRace, queue(1, NO_RELEASE));
}

/// A hand-written `Once`.
struct Lazy {
    state: AtomicUsize,
    value: Data,
    orderings: Orderings,
}

impl Lazy {
    fn get(&self) {
        let Orderings { acquire, release } = self.orderings;
        if self.state.load(acquire) != 2 {
            match self.state.compare_exchange(0, 1, Relaxed, acquire) {
                Ok(_) => {
                    self.value.write();
                    self.state.store(2, release);
                }
                Err(_) => while self.state.load(acquire) != 2 {},
            }
        }
        self.value.read();
    }
}

fn once(number: usize, orderings: Orderings) -> impl Fn() {
    move || {
        let lazy = Lazy {
            state: AtomicUsize::new(0),
            value: Data::default(),
            orderings,
        };
        threads(number, lazy, |lazy, _| lazy.get());
    }
}

#[test]
fn a_once() {
    holds("Once, 2 threads", once(2, RIGHT));
    holds("Once, 3 threads", once(3, RIGHT));
    fails("Once", ViolationKind::DataRace, once(2, NO_ACQUIRE));
    fails("Once", ViolationKind::DataRace, once(2, NO_RELEASE));
}

/// Michael, *Hazard Pointers* (TPDS 2004): a reader says which object it reads, and the writer waits for it before it reclaims
/// the object.
fn hazard_pointers(fences: bool) -> impl Fn() {
    struct Shared {
        current: AtomicUsize,
        hazard: AtomicUsize,
        objects: [Data; 3],
        fences: bool,
    }
    impl Shared {
        fn fence(&self) {
            if self.fences {
                fence(SeqCst);
            }
        }
    }
    move || {
        let shared = Arc::new(Shared {
            current: AtomicUsize::new(1),
            hazard: AtomicUsize::new(0),
            objects: <[Data; 3]>::default(),
            fences,
        });
        let reader = Arc::clone(&shared);
        let reader = thread::spawn(move || {
            let object = loop {
                let object = reader.current.load(Relaxed);
                reader.hazard.store(object, Relaxed);
                reader.fence();
                if reader.current.load(Acquire) == object {
                    break object;
                }
            };
            reader.objects[object].read();
            reader.hazard.store(0, Release);
        });
        shared.objects[2].write();
        let old = shared.current.swap(2, AcqRel);
        shared.fence();
        while shared.hazard.load(Acquire) == old {}
        shared.objects[old].write();
        reader.join().unwrap();
    }
}

#[test]
fn a_hazard_pointer() {
    holds("hazard pointer", hazard_pointers(true));
    fails("hazard pointer", ViolationKind::DataRace, hazard_pointers(false));
}
