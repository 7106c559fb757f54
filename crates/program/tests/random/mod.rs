//! Random small programs, and what they can do.

use mazurka::sync::atomic::{AtomicU32, Ordering::SeqCst};
use mazurka::sync::{Barrier, Condvar, Mutex, OnceLock, RwLock, Semaphore, mpsc};
use mazurka::{Object, Shared, choose, thread};
use std::sync::{Arc, Mutex as Plain};

/// A statement of a thread. Objects are few, so that threads meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statement {
    /// Adds to what a mutex protects.
    Add(usize),
    /// Looks at it.
    Look(usize),
    /// Holds one mutex while it adds to what another one protects.
    Nested(usize, usize),
    TryAdd(usize),
    Read,
    Write,
    TryRead,
    TryWrite,
    /// Holds the reader's lock while it loads an atomic.
    ReadAndLoad(usize),
    Load(usize),
    Store(usize, u32),
    FetchAdd(usize),
    /// From 0 to 1.
    Exchange(usize),
    /// Waits for a notification, whatever the state.
    Wait,
    WaitTimeout,
    Notify,
    NotifyAll,
    NotifyLocked,
    Send,
    Receive,
    TryReceive,
    /// Into a queue with room for one message.
    SendBounded,
    TrySendBounded,
    ReceiveBounded,
    Acquire,
    TryAcquire,
    Release,
    Choose(usize),
    Park,
    Unpark(usize),
    Initialise,
    Get,
    Arrive,
    /// On an object of one's own, with room for one.
    Fill,
    Empty,
    Inspect,
}

use Statement::*;

/// The statements of each thread.
pub type Program = Vec<Vec<Statement>>;

/// A random program; what kinds of objects it has depends on the seed, too, and on whether it may have objects of
/// its own.
pub fn program(seed: u64, most_threads: usize, most_statements: usize, own: bool) -> Program {
    let mut random = fastrand::Rng::with_seed(seed);
    let families: [&[Statement]; 10] = [
        &[Fill, Empty, Inspect, Inspect, Load(0), Store(0, 1)],
        &[Add(0), Add(1), Look(0), Look(1), Nested(0, 1), Nested(1, 0), Choose(2)],
        &[
            Load(0),
            Load(1),
            Store(0, 1),
            Store(0, 2),
            Store(1, 1),
            FetchAdd(0),
            Exchange(0),
            Exchange(1),
        ],
        &[Read, Write, ReadAndLoad(0), Store(0, 3), Add(0), Look(0)],
        &[Wait, Notify, NotifyAll, NotifyLocked, Add(0), WaitTimeout],
        &[Send, Receive, Send, Receive, Add(0), Load(0), Store(0, 1)],
        &[Acquire, Release, Park, Unpark(0), Unpark(1), Load(0), Store(0, 1)],
        &[
            TryAdd(0),
            Add(0),
            TryReceive,
            Send,
            Receive,
            TryRead,
            TryWrite,
            Read,
            Write,
            TryAcquire,
            Release,
        ],
        &[
            SendBounded,
            SendBounded,
            ReceiveBounded,
            ReceiveBounded,
            TrySendBounded,
            Load(0),
            Store(0, 1),
            Send,
        ],
        &[Initialise, Get, Arrive, Initialise, Add(0), Load(0), Choose(2)],
    ];
    let mut statements: Vec<Statement> = families[random.usize(usize::from(!own)..families.len())].to_vec();
    if random.bool() {
        statements.extend_from_slice(families[random.usize(usize::from(!own)..families.len())]);
    }
    let threads = random.usize(2..=most_threads);
    let receiver = threads - 1;
    (0..threads)
        .map(|t| {
            let length = random.usize(1..=most_statements);
            (0..length)
                .map(|_| {
                    loop {
                        let statement = statements[random.usize(..statements.len())];
                        // The receiver belongs to one thread.
                        if t == receiver || !matches!(statement, Receive | TryReceive | ReceiveBounded) {
                            return statement;
                        }
                    }
                })
                .collect()
        })
        .collect()
}

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
    let (sender, receiver) = mpsc::channel();
    let (bounded, bounded_receiver) = mpsc::sync_channel(1);
    let mut receiver = Some((receiver, bounded_receiver));
    let handles: Arc<Plain<Vec<thread::Thread>>> = Arc::default();
    for (t, statements) in program.iter().enumerate() {
        let (statements, objects, log) = (statements.clone(), Arc::clone(&objects), Arc::clone(log));
        let sender = (sender.clone(), bounded.clone());
        let receiver = if t + 1 == program.len() { receiver.take() } else { None };
        let others = Arc::clone(&handles);
        let handle = thread::spawn(move || {
            for statement in statements {
                let seen = perform(statement, &objects, &sender, receiver.as_ref(), &others, t as u32);
                log.lock().unwrap()[t].push(seen);
            }
            // The channel stays as it is: who hangs up when is another matter.
            std::mem::forget((sender, receiver));
        });
        handles.lock().unwrap().push(handle.thread());
    }
    std::mem::forget((sender, bounded));
}

fn perform(
    statement: Statement,
    o: &Objects,
    (sender, bounded): &(mpsc::Sender<u32>, mpsc::SyncSender<u32>),
    receivers: Option<&(mpsc::Receiver<u32>, mpsc::Receiver<u32>)>,
    threads: &Plain<Vec<thread::Thread>>,
    me: u32,
) -> u32 {
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
                .wait_timeout(o.guarded.lock().unwrap(), std::time::Duration::from_secs(1))
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
        Send => u32::from(sender.send(me).is_ok()),
        Receive => receivers.unwrap().0.recv().unwrap(),
        TryReceive => receivers.unwrap().0.try_recv().unwrap_or(999),
        SendBounded => u32::from(bounded.send(me).is_ok()),
        TrySendBounded => u32::from(bounded.try_send(me).is_ok()),
        ReceiveBounded => receivers.unwrap().1.recv().unwrap(),
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
