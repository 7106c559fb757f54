//! Random small programs, and what they can do.

mod channels;
mod families;
mod locks;
mod objects;
pub mod orders;
mod owners;
mod run;
mod threads;
mod values;

pub use run::{Log, run};

use families::{FAMILIES, SPECIAL};

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
    /// Reads, gives the lock back, writes.
    ReadThenWrite,
    /// Holds the reader's lock while it reads once more.
    ReadTwice,
    /// Holds the reader's lock while it asks to write, and waits for ever.
    ReadAndWrite,
    Load(usize),
    Store(usize, u32),
    FetchAdd(usize),
    /// From 0 to 1.
    Exchange(usize),
    Swap(usize),
    /// The greater of both, which may change nothing.
    Max(usize),
    /// Doubles what is not 0.
    FetchUpdate(usize),
    /// Panics if something was stored.
    PanicIf(usize),
    /// Waits for a notification, whatever the state.
    Wait,
    WaitTimeout,
    /// Waits until another thread has added something.
    WaitWhile,
    WaitTimeoutWhile,
    Notify,
    NotifyAll,
    NotifyLocked,
    /// Takes a monitor twice and adds.
    Enter,
    MonitorWait,
    MonitorNotify,
    MonitorNotifyAll,
    Send,
    Receive,
    TryReceive,
    /// Into a queue with room for one message.
    SendBounded,
    TrySendBounded,
    ReceiveBounded,
    TryReceiveBounded,
    ReceiveBoundedTimeout,
    /// Up to two messages, as an iterator.
    ReceiveAll,
    /// The messages that are there.
    Drain,
    /// Clones the senders and drops the clones.
    CloneSenders,
    Acquire,
    TryAcquire,
    Release,
    Choose(usize),
    Park,
    Unpark(usize),
    Initialise,
    Get,
    /// Writes the value, if no other thread was faster.
    SetOnce,
    CallOnce,
    CallOnceForce,
    IsCompleted,
    /// Forces a lazy value.
    Force,
    Arrive,
    /// On an object that the program defines, with room for one value.
    Fill,
    Empty,
    Inspect,
    /// Hands a message over.
    HandOver,
    TryHandOver,
    TakeOver,
    /// Or gives up at a timeout.
    TakeOverTimeout,
    TryTakeOver,
    /// Drops its senders, and all others are dropped at the end.
    HangUp,
    /// Drops the receivers.
    HangUpReceivers,
    ReceiveTimeout,
    ParkTimeout,
    /// Starts a thread that adds to what a mutex protects, or one that stores.
    SpawnAdd(usize),
    SpawnStore(usize),
    /// Joins the thread that was started last, if there is one.
    Join,
    IsFinished,
    /// Starts a thread that stores, in a scope, which waits for it.
    ScopeStore(usize),
    /// The same, and joins it.
    ScopeJoin(usize),
    /// Becomes an owner of a shared value once more.
    Own,
    Disown,
    CountOwners,
    Upgrade,
    Downgrade,
    /// Takes the value out of the last owner.
    TryUnwrap,
    IntoInner,
    GetMut,
    WeakClone,
    WeakDrop,
    CountWeak,
    /// Drops a reference to a value whose destructor is noticed.
    DropNoisy,
    /// Clones a value that has other owners, and changes it.
    MakeMut,
    UnwrapOrClone,
    /// Writes, becomes a reader, and reads.
    WriteThenRead,
    /// The same with an atomic before and after.
    WriteLoadRead(usize),
    /// A call that panics.
    FailOnce,
    WaitOnce,
    WaitOnceForce,
    /// Waits for a value that is written once.
    WaitValue,
    /// Sleeps for some seconds.
    Sleep(usize),
    /// How many seconds have passed.
    Clock,
    /// Looks at a cell that a mutex of `()` protects.
    LookBeside(usize),
    /// Adds to it.
    AddBeside(usize),
    /// Looks at both cells under one of the mutexes.
    LookAcross(usize),
    /// Accesses it without the mutex.
    Bypass(usize),
    /// A cell without a lock.
    ReadCell,
    WriteCell,
}

use Statement::*;

impl Statement {
    /// True if it is for the one thread that has the receivers.
    fn receives(self) -> bool {
        matches!(
            self,
            Receive
                | TryReceive
                | ReceiveTimeout
                | ReceiveBounded
                | TryReceiveBounded
                | ReceiveBoundedTimeout
                | ReceiveAll
                | Drain
                | TakeOver
                | TakeOverTimeout
                | TryTakeOver
                | HangUpReceivers
        )
    }
}

/// The statements of each thread.
pub type Program = Vec<Vec<Statement>>;

/// The greatest number of threads of a program, and of statements of each. Small programs are quick, and most faults show in them.
pub fn size(seed: u64) -> (usize, usize) {
    match seed % 6 {
        0 => (4, 2),
        1 => (3, 3),
        2 => (2, 4),
        _ => (3, 2),
    }
}

/// A random program. Which kinds of objects it has depends on the seed as well, and on whether `all` kinds are wanted.
pub fn program(seed: u64, most_threads: usize, most_statements: usize, all: bool) -> Program {
    let mut random = fastrand::Rng::with_seed(seed);
    let first = if all { 0 } else { SPECIAL };
    let mut statements = FAMILIES[random.usize(first..FAMILIES.len())].to_vec();
    if random.bool() {
        statements.extend_from_slice(FAMILIES[random.usize(first..FAMILIES.len())]);
    }
    let threads = random.usize(2..=most_threads);
    let receiver = if random.bool() { 0 } else { threads - 1 };
    (0..threads)
        .map(|t| {
            let length = random.usize(1..=most_statements);
            (0..length)
                .map(|_| {
                    loop {
                        let statement = statements[random.usize(..statements.len())];
                        // The receiver belongs to one thread.
                        if t == receiver || !statement.receives() {
                            return statement;
                        }
                    }
                })
                .collect()
        })
        .collect()
}
