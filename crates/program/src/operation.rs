//! Operations: what a controlled thread asks the scheduler for, and what came of it.
//!
//! A thread runs until it is about to perform a *visible* operation (Stoller, section 2.3), which
//! it announces; the search decides when it happens. What the operation turned out to be is known
//! only afterwards (a compare-exchange may fail, a critical section may only read), so a
//! kind is *refined* by its execution, and dependency is judged by refined kinds: conditional
//! dependency with recorded information (section 7).

use crate::ids::ObjectId;
use std::panic::Location;

/// Kinds of operations. Those that only a refinement makes say so.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Kind {
    // Mutexes.
    /// Acquires, or reacquires after a wait.
    Lock,
    /// Refined: a critical section that was over within the same transition and only read.
    Peek,
    /// Tries to acquire.
    TryLock,
    /// Refined: tried and succeeded.
    TryLockOk,
    /// Refined: tried and failed.
    TryLockFail,
    /// Releases; visible only if something in the program can notice when.
    Unlock,
    // Reader-writer locks.
    /// Acquires for reading.
    Read,
    /// Acquires for writing.
    Write,
    /// Tries to acquire for reading.
    TryRead,
    /// Refined.
    TryReadOk,
    /// Refined.
    TryReadFail,
    /// Tries to acquire for writing.
    TryWrite,
    /// Refined.
    TryWriteOk,
    /// Refined.
    TryWriteFail,
    /// Releases a reader's lock, where visible.
    UnlockRead,
    /// Releases a writer's lock, where visible.
    UnlockWrite,
    // Condition variables.
    /// Releases the mutex and begins to wait. `arg` is the mutex.
    Wait,
    /// Wakes one waiter, any of them.
    NotifyOne,
    /// Wakes all waiters.
    NotifyAll,
    /// Refined: woke nobody.
    NotifyNone,
    // Atomics.
    /// Reads; also the refinement of an update that changes nothing.
    Load,
    /// Writes.
    Store,
    /// Reads and writes.
    Update,
    // Queues.
    /// Puts a message in; `arg` is refined to its number.
    Send,
    /// Takes a message out; `arg` is refined to its number.
    Recv,
    /// Refined: the senders are gone.
    RecvClosed,
    /// Tries to put a message in.
    TrySend,
    /// Refined.
    TrySendOk,
    /// Refined.
    TrySendFull,
    /// Tries to take a message out.
    TryRecv,
    /// Refined.
    TryRecvOk,
    /// Refined.
    TryRecvEmpty,
    /// Refined.
    TryRecvClosed,
    /// The receiver of a rendezvous is ready, where an attempt to send can notice.
    Listen,
    /// Waits until message `arg` was taken: the second half of a rendezvous.
    Taken,
    /// Refined: the receiver went away before it took the message.
    Refused,
    /// The receiver goes away.
    CloseReceiver,
    /// A sender goes away, where visible.
    CloseSender,
    // Semaphores.
    /// Takes `arg` permits.
    Acquire,
    /// Tries to take `arg` permits.
    TryAcquire,
    /// Refined.
    TryAcquireOk,
    /// Refined.
    TryAcquireFail,
    /// Gives `arg` permits back.
    Release,
    // Threads.
    /// Waits for the thread's token and takes it.
    Park,
    /// Leaves the token.
    Unpark,
    /// Waits for the end of a thread. `arg` is the thread.
    Join,
    /// Asks whether a thread has ended.
    IsFinished,
    /// Ends, where visible.
    Finish,
    // Barriers.
    /// Arrives.
    Arrive,
    /// Waits for the others; `arg` is the generation.
    Pass,
    // One-time initialisation.
    /// Asks to be the one that initialises, or waits for the one that does.
    Begin,
    /// Refined: is the one.
    BeginFirst,
    /// Refined: it was done already.
    BeginDone,
    /// The initialisation is over. `arg` is 1 if it succeeded.
    Complete,
    /// Asks whether it is over.
    Get,
    /// Refined: it is.
    GetSome,
    /// Refined: it is not.
    GetNone,
    // Shared ownership.
    /// Becomes an owner or ceases to be one, where visible.
    Own,
    /// Ceases to be an owner of a value whose destructor may show who was the last. `arg` is refined to how many are left.
    Disown,
    /// Looks at how many owners there are, and may become or cease to be one.
    Count,
    // Others.
    /// Chooses a number below `arg`.
    Choose,
    /// An operation of an object that the user has defined; `arg` numbers it.
    User,
}

impl Kind {
    /// The operation as a verb for people.
    pub(crate) fn verb(self) -> &'static str {
        use Kind::*;
        match self {
            Lock | Peek => "lock",
            TryLock => "try_lock",
            TryLockOk => "try_lock: acquired",
            TryLockFail => "try_lock: would block",
            Unlock => "unlock",
            Read => "read",
            Write => "write",
            TryRead => "try_read",
            TryReadOk => "try_read: acquired",
            TryReadFail => "try_read: would block",
            TryWrite => "try_write",
            TryWriteOk => "try_write: acquired",
            TryWriteFail => "try_write: would block",
            UnlockRead => "unlock (reader)",
            UnlockWrite => "unlock (writer)",
            Wait => "wait",
            NotifyOne => "notify_one",
            NotifyAll => "notify_all",
            NotifyNone => "notify: nobody waits",
            Load => "load",
            Store => "store",
            Update => "update",
            Send => "send",
            Recv => "recv",
            RecvClosed => "recv: disconnected",
            TrySend => "try_send",
            TrySendOk => "try_send: sent",
            TrySendFull => "try_send: full",
            TryRecv => "try_recv",
            TryRecvOk => "try_recv: received",
            TryRecvEmpty => "try_recv: empty",
            TryRecvClosed => "try_recv: disconnected",
            Listen => "recv: ready",
            Taken => "send: wait until received",
            Refused => "send: never received",
            CloseReceiver => "drop receiver",
            CloseSender => "drop sender",
            Acquire => "acquire",
            TryAcquire => "try_acquire",
            TryAcquireOk => "try_acquire: acquired",
            TryAcquireFail => "try_acquire: no permit",
            Release => "release",
            Park => "park",
            Unpark => "unpark",
            Join => "join",
            IsFinished => "is_finished",
            Finish => "finish",
            Arrive => "wait: arrive",
            Pass => "wait: pass",
            Begin => "initialise",
            BeginFirst => "initialise: first",
            BeginDone => "initialise: done before",
            Complete => "initialised",
            Get => "get",
            GetSome => "get: initialised",
            GetNone => "get: not initialised",
            Own => "clone or drop",
            Disown => "drop",
            Count => "count owners",
            Choose => "choose",
            User => "operation",
        }
    }
}

/// An operation that a thread announces or has performed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operation {
    pub(crate) kind: Kind,
    pub(crate) object: ObjectId,
    pub(crate) arg: u32,
    pub(crate) at: &'static Location<'static>,
}

/// What matters about an operation for dependency.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Effect {
    pub(crate) kind: Kind,
    pub(crate) arg: u32,
}

/// The effects of a transition: one, or two if it waits on a condition variable in a program where
/// releases are noticed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Footprint {
    pub(crate) object: ObjectId,
    pub(crate) effect: Effect,
    pub(crate) also: Option<(ObjectId, Effect)>,
}

impl Operation {
    pub(crate) fn footprint(&self) -> Footprint {
        Footprint {
            object: self.object,
            effect: Effect {
                kind: self.kind,
                arg: self.arg,
            },
            also: None,
        }
    }
}
