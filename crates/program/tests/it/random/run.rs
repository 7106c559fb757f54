//! Random programs, run.

use super::Statement::{self, *};
use super::owners::Noisy;
use super::{Program, channels, locks, owners};
use mazurka::cell::UnsafeCell;
use mazurka::sync::atomic::{AtomicU32, Ordering::SeqCst};
use mazurka::sync::{Arc as Owned, LazyLock, Monitor, Once, Weak};
use mazurka::sync::{Barrier, Condvar, Mutex, OnceLock, RwLock, Semaphore, mpsc};
use mazurka::{Object, Shared, choose, thread};
use std::sync::{Arc, Mutex as Plain};
use std::time::Duration;

/// What threads have observed, one list each.
pub type Log = Arc<Plain<Vec<Vec<u32>>>>;

pub(super) struct Objects {
    pub(super) mutexes: [Mutex<u32>; 2],
    pub(super) lock: RwLock<u32>,
    pub(super) atomics: [AtomicU32; 2],
    pub(super) condition: Condvar,
    pub(super) guarded: Mutex<u32>,
    semaphore: Semaphore,
    barrier: Barrier,
    once: OnceLock<u32>,
    slot: Shared<Slot>,
    called: Once,
    lazy: LazyLock<u32>,
    pub(super) monitor: Monitor,
    /// What the monitor protects.
    pub(super) entered: Plain<u32>,
    cell: Tracked,
}

struct Tracked(UnsafeCell<u32>);
// SAFETY: the pointers are never dereferenced.
#[allow(unsafe_code)]
unsafe impl Sync for Tracked {}

/// What belongs to one thread.
pub(super) struct Ends {
    pub(super) senders: Option<Senders>,
    pub(super) receivers: Option<Receivers>,
    children: Vec<thread::JoinHandle<u32>>,
    pub(super) owned: Vec<Owned<u32>>,
    pub(super) weak: Vec<Weak<u32>>,
    pub(super) noisy: Vec<Owned<Noisy>>,
}

#[derive(Clone)]
pub(super) struct Senders {
    pub(super) unbounded: mpsc::Sender<u32>,
    pub(super) bounded: mpsc::SyncSender<u32>,
    pub(super) rendezvous: mpsc::SyncSender<u32>,
}

pub(super) struct Receivers {
    pub(super) unbounded: mpsc::Receiver<u32>,
    pub(super) bounded: mpsc::Receiver<u32>,
    pub(super) rendezvous: mpsc::Receiver<u32>,
}

/// An object of one's own: a place for one value, where one waits.
struct Slot(Option<u32>);

#[derive(Clone, PartialEq, Eq, Hash)]
enum SlotOperation {
    Fill(u32),
    Empty,
    Inspect,
}

impl Object for Slot {
    type Operation = SlotOperation;
    type Output = u32;

    fn enabled(&self, operation: &SlotOperation) -> bool {
        match operation {
            SlotOperation::Fill(_) => self.0.is_none(),
            SlotOperation::Empty => self.0.is_some(),
            SlotOperation::Inspect => true,
        }
    }

    fn perform(&mut self, operation: &SlotOperation) -> u32 {
        match operation {
            SlotOperation::Fill(value) => {
                self.0 = Some(*value);
                0
            }
            SlotOperation::Empty => self.0.take().unwrap(),
            SlotOperation::Inspect => self.0.unwrap_or(99),
        }
    }

    fn dependent(a: &SlotOperation, b: &SlotOperation) -> bool {
        !matches!((a, b), (SlotOperation::Inspect, SlotOperation::Inspect))
    }
}

/// Runs a program once; to be called in a check.
pub fn run(program: &Program, log: &Log) {
    *log.lock().unwrap() = vec![Vec::new(); program.len()];
    let objects = Arc::new(Objects {
        mutexes: [Mutex::new(0), Mutex::new(0)],
        lock: RwLock::new(0),
        atomics: [AtomicU32::new(0), AtomicU32::new(0)],
        condition: Condvar::new(),
        guarded: Mutex::new(0),
        semaphore: Semaphore::new(1),
        barrier: Barrier::new(2),
        once: OnceLock::new(),
        slot: Shared::new(Slot(None)),
        called: Once::new(),
        lazy: LazyLock::new(|| 77),
        monitor: Monitor::new(),
        entered: Plain::new(0),
        cell: Tracked(UnsafeCell::new(0)),
    });
    // Everything is touched in a fixed order, so that it has the same number in all executions.
    for mutex in &objects.mutexes {
        drop(mutex.lock());
    }
    drop(objects.lock.write());
    for atomic in &objects.atomics {
        atomic.load(SeqCst);
    }
    objects.condition.notify_all();
    drop(objects.guarded.lock());
    objects.semaphore.acquire();
    objects.semaphore.release();
    objects.once.get();
    let (unbounded, unbounded_receiver) = mpsc::channel();
    let (bounded, bounded_receiver) = mpsc::sync_channel(1);
    let (rendezvous, rendezvous_receiver) = mpsc::sync_channel(0);
    let senders = Senders {
        unbounded,
        bounded,
        rendezvous,
    };
    let mut receivers = Some(Receivers {
        unbounded: unbounded_receiver,
        bounded: bounded_receiver,
        rendezvous: rendezvous_receiver,
    });
    objects.called.is_completed();
    objects.monitor.acquire();
    objects.monitor.release().unwrap();
    let hangs_up = program.iter().flatten().any(|s| matches!(s, HangUp | HangUpReceivers));
    let owns = program.iter().flatten().any(|s| s.owns());
    let owned: Vec<Owned<u32>> = if owns { vec![Owned::new(7)] } else { Vec::new() };
    let noisy = program.iter().flatten().any(|s| *s == DropNoisy);
    let noisy: Vec<Owned<Noisy>> = if noisy {
        vec![Owned::new(Noisy(Arc::clone(&objects), Arc::clone(log)))]
    } else {
        Vec::new()
    };
    let receives = |statements: &Vec<Statement>| statements.iter().any(|s| s.receives());
    let receiver = program.iter().position(receives).unwrap_or(program.len() - 1);
    // Which threads there are by now is something that threads share, so it is under control as well.
    let unparks = program.iter().flatten().any(|s| matches!(s, Unpark(_)));
    let handles = Arc::new(Mutex::new(Vec::new()));
    if unparks {
        drop(handles.lock());
    }
    for (t, statements) in program.iter().enumerate() {
        let (statements, objects, log) = (statements.clone(), Arc::clone(&objects), Arc::clone(log));
        let mut ends = Ends {
            // If the receiver could send, no channel would ever be closed while it receives.
            senders: (!hangs_up || t != receiver).then(|| senders.clone()),
            receivers: if t == receiver { receivers.take() } else { None },
            children: Vec::new(),
            owned: owned.clone(),
            weak: owned.iter().map(Owned::downgrade).collect(),
            noisy: noisy.clone(),
        };
        let others = Arc::clone(&handles);
        let handle = thread::spawn(move || {
            for statement in statements {
                let seen = perform(statement, &objects, &mut ends, &others, t as u32);
                log.lock().unwrap()[t].push(seen);
                if matches!(statement, PanicIf(_)) && seen != 0 {
                    // Before the panic, because the search does not interleave what destructors do while a thread panics.
                    leave(ends, hangs_up);
                    panic!("saw {seen}");
                }
            }
            leave(ends, hangs_up);
        });
        if unparks {
            handles.lock().unwrap().push(handle.thread());
        }
    }
    if !hangs_up {
        std::mem::forget(senders);
    }
}

/// A thread gives up what belongs to it.
fn leave(mut ends: Ends, hangs_up: bool) {
    if !hangs_up {
        // The channels stay as they are.
        std::mem::forget((ends.senders.take(), ends.receivers.take()));
    }
}

pub(super) const GONE: u32 = 997;

fn perform(
    statement: Statement,
    o: &Arc<Objects>,
    ends: &mut Ends,
    threads: &Mutex<Vec<thread::Thread>>,
    me: u32,
) -> u32 {
    let elsewhere = locks::perform(statement, o, me)
        .or_else(|| channels::perform(statement, ends, me))
        .or_else(|| owners::perform(statement, ends));
    if let Some(seen) = elsewhere {
        return seen;
    }
    let children = &mut ends.children;
    match statement {
        Load(a) => o.atomics[a].load(SeqCst),
        Store(a, value) => {
            o.atomics[a].store(value * 10 + me, SeqCst);
            0
        }
        FetchAdd(a) => o.atomics[a].fetch_add(1, SeqCst),
        Exchange(a) => match o.atomics[a].compare_exchange(0, 1, SeqCst, SeqCst) {
            Ok(_) => 100,
            Err(value) => value,
        },
        ParkTimeout => {
            thread::park_timeout(Duration::from_secs(1));
            0
        }
        SpawnAdd(m) => {
            let objects = Arc::clone(o);
            children.push(thread::spawn(move || {
                let mut value = objects.mutexes[m].lock().unwrap();
                *value = *value * 3 + me + 7;
                *value
            }));
            0
        }
        SpawnStore(a) => {
            let objects = Arc::clone(o);
            children.push(thread::spawn(move || {
                objects.atomics[a].store(50 + me, SeqCst);
                objects.atomics[a].load(SeqCst)
            }));
            0
        }
        Join => children.pop().map_or(GONE, |child| child.join().unwrap()),
        IsFinished => children.last().map_or(GONE, |child| u32::from(child.is_finished())),
        Acquire => {
            o.semaphore.acquire();
            0
        }
        TryAcquire => u32::from(o.semaphore.try_acquire()),
        Release => {
            o.semaphore.release();
            0
        }
        Choose(n) => choose(n) as u32,
        Park => {
            thread::park();
            0
        }
        Unpark(t) => {
            let thread = threads.lock().unwrap().get(t).cloned();
            if let Some(thread) = thread {
                thread.unpark();
            }
            0
        }
        Initialise => *o.once.get_or_init(|| me + 1),
        Get => o.once.get().copied().unwrap_or(0),
        Fill => o.slot.perform(SlotOperation::Fill(me)),
        Empty => o.slot.perform(SlotOperation::Empty),
        Inspect => o.slot.perform(SlotOperation::Inspect),
        Arrive => u32::from(o.barrier.wait().is_leader()),
        Swap(a) => o.atomics[a].swap(3, SeqCst),
        Max(a) => o.atomics[a].fetch_max(1, SeqCst),
        FetchUpdate(a) => {
            let double = |value| (value != 0).then_some(value * 2);
            o.atomics[a].fetch_update(SeqCst, SeqCst, double).map_or(999, |v| v)
        }
        PanicIf(a) => o.atomics[a].load(SeqCst),
        SetOnce => u32::from(o.once.set(me + 10).is_ok()),
        CallOnce => {
            o.called.call_once(|| o.atomics[1].store(me + 20, SeqCst));
            o.atomics[1].load(SeqCst)
        }
        CallOnceForce => {
            o.called.call_once_force(|_| o.atomics[1].store(me + 30, SeqCst));
            0
        }
        IsCompleted => u32::from(o.called.is_completed()),
        Force => *LazyLock::force(&o.lazy),
        ScopeStore(a) => {
            thread::scope(|scope| {
                scope.spawn(|| o.atomics[a].store(60 + me, SeqCst));
            });
            o.atomics[a].load(SeqCst)
        }
        ScopeJoin(a) => thread::scope(|scope| {
            let child = scope.spawn(|| o.atomics[a].fetch_add(5, SeqCst));
            let ended = child.is_finished();
            child.join().unwrap() * 2 + u32::from(ended)
        }),
        ReadCell => {
            o.cell.0.with(|_| ());
            0
        }
        WriteCell => {
            o.cell.0.with_mut(|_| ());
            0
        }
        _ => unreachable!("nobody performs {statement:?}"),
    }
}
