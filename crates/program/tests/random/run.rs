//! Random programs, run.

use super::Program;
use super::Statement::{self, *};
use mazurka::sync::atomic::{AtomicU32, Ordering::SeqCst};
use mazurka::sync::{Arc as Owned, Weak};
use mazurka::sync::{Barrier, Condvar, Mutex, OnceLock, RwLock, Semaphore, mpsc};
use mazurka::{Object, Shared, choose, thread};
use std::sync::{Arc, Mutex as Plain};
use std::time::Duration;

/// What threads have observed, one list each.
pub type Log = Arc<Plain<Vec<Vec<u32>>>>;

struct Objects {
    mutexes: [Mutex<u32>; 2],
    lock: RwLock<u32>,
    atomics: [AtomicU32; 2],
    condition: Condvar,
    guarded: Mutex<u32>,
    semaphore: Semaphore,
    barrier: Barrier,
    once: OnceLock<u32>,
    slot: Shared<Slot>,
}

/// What belongs to one thread.
struct Ends {
    senders: Option<Senders>,
    receivers: Option<Receivers>,
    children: Vec<thread::JoinHandle<u32>>,
    owned: Vec<Owned<u32>>,
    weak: Vec<Weak<u32>>,
}

#[derive(Clone)]
struct Senders {
    unbounded: mpsc::Sender<u32>,
    bounded: mpsc::SyncSender<u32>,
    rendezvous: mpsc::SyncSender<u32>,
}

struct Receivers {
    unbounded: mpsc::Receiver<u32>,
    bounded: mpsc::Receiver<u32>,
    rendezvous: mpsc::Receiver<u32>,
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
    let hangs_up = program.iter().flatten().any(|s| matches!(s, HangUp | HangUpReceivers));
    let owns = program
        .iter()
        .flatten()
        .any(|s| matches!(s, Own | Disown | CountOwners | Upgrade | Downgrade));
    let owned: Vec<Owned<u32>> = if owns { vec![Owned::new(7)] } else { Vec::new() };
    let receives = |statements: &Vec<Statement>| statements.iter().any(|s| s.receives());
    let receiver = program.iter().position(receives).unwrap_or(program.len() - 1);
    let handles: Arc<Plain<Vec<thread::Thread>>> = Arc::default();
    for (t, statements) in program.iter().enumerate() {
        let (statements, objects, log) = (statements.clone(), Arc::clone(&objects), Arc::clone(log));
        let mut ends = Ends {
            // If the receiver could send, no channel would ever be closed while it receives.
            senders: (!hangs_up || t != receiver).then(|| senders.clone()),
            receivers: if t == receiver { receivers.take() } else { None },
            children: Vec::new(),
            owned: owned.clone(),
            weak: owned.iter().map(Owned::downgrade).collect(),
        };
        let others = Arc::clone(&handles);
        let handle = thread::spawn(move || {
            for statement in statements {
                let seen = perform(statement, &objects, &mut ends, &others, t as u32);
                log.lock().unwrap()[t].push(seen);
            }
            if !hangs_up {
                // The channels stay as they are.
                std::mem::forget((ends.senders.take(), ends.receivers.take()));
            }
        });
        handles.lock().unwrap().push(handle.thread());
    }
    if !hangs_up {
        std::mem::forget(senders);
    }
}

fn perform(
    statement: Statement,
    o: &Arc<Objects>,
    ends: &mut Ends,
    threads: &Plain<Vec<thread::Thread>>,
    me: u32,
) -> u32 {
    const GONE: u32 = 997;
    let Ends {
        senders,
        receivers,
        children,
        owned,
        weak,
    } = ends;
    let tried = |error: mpsc::TryRecvError| match error {
        mpsc::TryRecvError::Empty => 999,
        mpsc::TryRecvError::Disconnected => 998,
    };
    let timed = |error: mpsc::RecvTimeoutError| match error {
        mpsc::RecvTimeoutError::Timeout => 999,
        mpsc::RecvTimeoutError::Disconnected => 998,
    };
    let sent = |error: mpsc::TrySendError<u32>| match error {
        mpsc::TrySendError::Full(_) => 999,
        mpsc::TrySendError::Disconnected(_) => 998,
    };
    match statement {
        Add(m) => {
            let mut value = o.mutexes[m].lock().unwrap();
            *value = *value * 3 + me + 1;
            *value
        }
        Look(m) => *o.mutexes[m].lock().unwrap(),
        Nested(a, b) => {
            let _outer = o.mutexes[a].lock().unwrap();
            let mut inner = o.mutexes[b].lock().unwrap();
            *inner = *inner * 3 + me + 1;
            *inner
        }
        TryAdd(m) => match o.mutexes[m].try_lock() {
            Ok(mut value) => {
                *value = *value * 3 + me + 1;
                *value
            }
            Err(_) => 999,
        },
        Read => *o.lock.read().unwrap(),
        Write => {
            let mut value = o.lock.write().unwrap();
            *value = *value * 3 + me + 1;
            *value
        }
        TryRead => o.lock.try_read().map_or(999, |v| *v),
        TryWrite => match o.lock.try_write() {
            Ok(mut value) => {
                *value = *value * 3 + me + 1;
                *value
            }
            Err(_) => 999,
        },
        ReadAndLoad(a) => {
            let value = o.lock.read().unwrap();
            *value * 100 + o.atomics[a].load(SeqCst)
        }
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
        Wait => {
            let mut value = o.condition.wait(o.guarded.lock().unwrap()).unwrap();
            *value = *value * 3 + me + 1;
            *value
        }
        WaitTimeout => {
            let (value, result) = o
                .condition
                .wait_timeout(o.guarded.lock().unwrap(), Duration::from_secs(1))
                .unwrap();
            *value * 2 + u32::from(result.timed_out())
        }
        Notify => {
            o.condition.notify_one();
            0
        }
        NotifyAll => {
            o.condition.notify_all();
            0
        }
        NotifyLocked => {
            let mut value = o.guarded.lock().unwrap();
            *value += 1;
            o.condition.notify_one();
            *value
        }
        Send => senders
            .as_ref()
            .map_or(GONE, |s| u32::from(s.unbounded.send(me).is_ok())),
        Receive => receivers.as_ref().map_or(GONE, |r| r.unbounded.recv().unwrap_or(998)),
        TryReceive => receivers
            .as_ref()
            .map_or(GONE, |r| r.unbounded.try_recv().unwrap_or_else(tried)),
        ReceiveTimeout => receivers.as_ref().map_or(GONE, |r| {
            r.unbounded.recv_timeout(Duration::from_secs(1)).unwrap_or_else(timed)
        }),
        SendBounded => senders.as_ref().map_or(GONE, |s| u32::from(s.bounded.send(me).is_ok())),
        TrySendBounded => senders
            .as_ref()
            .map_or(GONE, |s| s.bounded.try_send(me).map(|()| 1).unwrap_or_else(sent)),
        ReceiveBounded => receivers.as_ref().map_or(GONE, |r| r.bounded.recv().unwrap_or(998)),
        HandOver => senders
            .as_ref()
            .map_or(GONE, |s| u32::from(s.rendezvous.send(me).is_ok())),
        TryHandOver => senders
            .as_ref()
            .map_or(GONE, |s| s.rendezvous.try_send(me).map(|()| 1).unwrap_or_else(sent)),
        TakeOver => receivers.as_ref().map_or(GONE, |r| r.rendezvous.recv().unwrap_or(998)),
        TakeOverTimeout => receivers.as_ref().map_or(GONE, |r| {
            r.rendezvous.recv_timeout(Duration::from_secs(1)).unwrap_or_else(timed)
        }),
        HangUp => {
            *senders = None;
            0
        }
        HangUpReceivers => {
            *receivers = None;
            0
        }
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
        Own => {
            owned.extend(owned.first().cloned());
            0
        }
        Disown => {
            owned.pop();
            0
        }
        CountOwners => owned.first().map_or(GONE, |o| Owned::strong_count(o) as u32),
        Upgrade => weak.first().map_or(GONE, |w| {
            let value = w.upgrade();
            let there = u32::from(value.is_some());
            owned.extend(value);
            there
        }),
        Downgrade => owned.first().map_or(GONE, |o| {
            let count = Owned::weak_count(o) as u32;
            weak.push(Owned::downgrade(o));
            count
        }),
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
    }
}
