//! Random small programs, and what they can do.

mod channels;
mod locks;
mod owners;
mod run;

pub use run::{Log, run};

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
    /// Waits until somebody has added something.
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
    /// Those that are there.
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
    /// The value, if nobody was faster.
    SetOnce,
    CallOnce,
    CallOnceForce,
    IsCompleted,
    /// Makes what is made when it is first needed.
    Force,
    Arrive,
    /// On an object of one's own, with room for one.
    Fill,
    Empty,
    Inspect,
    /// Hands a message over.
    HandOver,
    TryHandOver,
    TakeOver,
    /// Or gives up.
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
    /// Becomes an owner of a shared value once more, and ceases to be one.
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
    /// Ceases to be an owner of a value whose destructor is noticed.
    DropNoisy,
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

/// Families that come first and are not for tests which must know what depends on what.
const SPECIAL: usize = 20;

/// How many threads a program has at most, and how many statements each: small ones are quick, and most faults show in them.
pub fn size(seed: u64) -> (usize, usize) {
    match seed % 6 {
        0 => (4, 2),
        1 => (3, 3),
        2 => (2, 4),
        _ => (3, 2),
    }
}

/// A random program; what kinds of objects it has depends on the seed, too, and on whether all kinds are wanted.
pub fn program(seed: u64, most_threads: usize, most_statements: usize, all: bool) -> Program {
    let mut random = fastrand::Rng::with_seed(seed);
    let families: [&[Statement]; SPECIAL + 9] = [
        &[
            HandOver,
            HandOver,
            TryTakeOver,
            TryTakeOver,
            TakeOver,
            TryHandOver,
            HangUpReceivers,
            HangUp,
            HangUp,
            Load(0),
        ],
        &[
            SendBounded,
            TrySendBounded,
            TryReceiveBounded,
            ReceiveBoundedTimeout,
            ReceiveBounded,
            Send,
            HangUp,
            CloneSenders,
            Drain,
            ReceiveAll,
        ],
        &[
            ReadTwice,
            ReadThenWrite,
            ReadAndWrite,
            Write,
            Write,
            Read,
            PanicIf(0),
            Store(0, 1),
        ],
        &[ReadThenWrite, TryRead, TryWrite, Write, ReadTwice, ReadAndWrite],
        &[
            Enter,
            Enter,
            MonitorWait,
            MonitorNotify,
            MonitorNotifyAll,
            Load(0),
            PanicIf(0),
            Store(0, 1),
        ],
        &[
            Swap(0),
            Max(0),
            FetchUpdate(0),
            Load(0),
            Store(0, 1),
            PanicIf(0),
            Exchange(0),
        ],
        &[
            SetOnce,
            CallOnce,
            CallOnceForce,
            IsCompleted,
            Force,
            Get,
            Initialise,
            Store(0, 1),
            PanicIf(0),
        ],
        &[
            Own, Disown, Disown, TryUnwrap, IntoInner, GetMut, WeakClone, WeakDrop, CountWeak, Upgrade,
        ],
        &[DropNoisy, DropNoisy, Load(0), Store(0, 1), Add(0), PanicIf(0)],
        &[
            ScopeStore(0),
            ScopeJoin(0),
            Load(0),
            Store(0, 2),
            PanicIf(0),
            SpawnStore(0),
            Join,
        ],
        &[WaitWhile, WaitTimeoutWhile, NotifyLocked, NotifyAll, Wait, Add(0)],
        &[
            ReadCell,
            WriteCell,
            Add(0),
            Load(0),
            Store(0, 1),
            Acquire,
            Release,
            Read,
            Write,
        ],
        &[HandOver, HandOver, TakeOver, TakeOver, Load(0), Store(0, 1), Add(0)],
        &[
            HandOver,
            TakeOver,
            TryHandOver,
            TryHandOver,
            TakeOverTimeout,
            Load(0),
            Store(0, 1),
        ],
        &[
            Send,
            SendBounded,
            HandOver,
            HangUp,
            HangUp,
            HangUpReceivers,
            Receive,
            ReceiveBounded,
            TakeOver,
            Load(0),
        ],
        &[
            Send,
            HangUp,
            HangUpReceivers,
            TryReceive,
            ReceiveTimeout,
            TrySendBounded,
            ReceiveBounded,
            TryHandOver,
        ],
        &[
            SpawnAdd(0),
            SpawnStore(0),
            Join,
            Join,
            IsFinished,
            Load(0),
            Store(0, 2),
            Look(0),
            Add(0),
        ],
        &[
            Own,
            Disown,
            Disown,
            CountOwners,
            Upgrade,
            Downgrade,
            Load(0),
            Store(0, 1),
        ],
        &[Park, ParkTimeout, Unpark(0), Unpark(1), Unpark(2), Load(0), Store(0, 1)],
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
    let first = if all { 0 } else { SPECIAL };
    let mut statements: Vec<Statement> = families[random.usize(first..families.len())].to_vec();
    if random.bool() {
        statements.extend_from_slice(families[random.usize(first..families.len())]);
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
