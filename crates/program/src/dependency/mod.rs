//! When two operations on one object depend on each other: a table per type of object.
//!
//! Two questions are asked (Godefroid's thesis, 3.4; Stoller, sections 3 and 7):
//!
//! * [`order`]: of two operations in the order in which they happened, must the first stay
//!   first ([`Order::Enables`]: the second was impossible without it), could they be swapped with
//!   another outcome ([`Order::Races`]), or does the order not matter?
//! * [`dependent`]: of two operations that are possible in the same state, does their order
//!   matter? The sleep sets and wakeup trees ask that.
//!
//! "Dependent" is always a safe answer. The tables are consistent with each other: `order` says
//! [`Order::Unordered`] of two operations that were both possible only if `dependent` says no.

mod barrier;
mod condvar;
mod mutex;
mod once;
mod owners;
mod parker;
mod queue;
mod register;
mod rwlock;
mod semaphore;

use crate::operation::{Effect, Footprint, Kind};
use crate::user::Operations;

/// What the order of two operations on one object means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Order {
    /// They commute.
    Unordered,
    /// The second needs the first.
    Enables,
    /// The other order is possible, perhaps, and differs.
    Races,
}

/// A type of object, with its table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Table {
    Mutex,
    RwLock,
    Condvar,
    Register,
    Queue,
    Semaphore,
    Parker,
    Barrier,
    Once,
    Owners,
    Thread,
    User,
    Nothing,
}

fn table(kind: Kind) -> Table {
    use Kind::*;
    match kind {
        Lock | Peek | TryLock | TryLockOk | TryLockFail | Unlock => Table::Mutex,
        Read | Write | TryRead | TryReadOk | TryReadFail | TryWrite | TryWriteOk | TryWriteFail | UnlockRead
        | UnlockWrite => Table::RwLock,
        Wait | NotifyOne | NotifyAll | NotifyNone => Table::Condvar,
        Load | Store | Update => Table::Register,
        Send | Recv | RecvClosed | TrySend | TrySendOk | TrySendFull | TryRecv | TryRecvOk | TryRecvEmpty
        | TryRecvClosed | Listen | Taken | Refused | CloseReceiver | CloseSender => Table::Queue,
        Acquire | TryAcquire | TryAcquireOk | TryAcquireFail | Release => Table::Semaphore,
        Park | Unpark => Table::Parker,
        Arrive | Pass => Table::Barrier,
        Begin | BeginFirst | BeginDone | Complete | Get | GetSome | GetNone => Table::Once,
        Own | Disown | Count => Table::Owners,
        IsFinished | Finish => Table::Thread,
        User => Table::User,
        Join | Choose => Table::Nothing,
    }
}

/// What the order of `first` and `second`, on the same object, means. `capacity` is that of a
/// queue.
pub(crate) fn order(first: Effect, second: Effect, capacity: u32, users: &Operations) -> Order {
    match table(second.kind) {
        Table::Mutex => mutex::order(first.kind, second.kind),
        Table::RwLock => rwlock::order(first.kind, second.kind),
        Table::Condvar => condvar::order(first.kind, second.kind),
        Table::Register => races_if(register::dependent(first.kind, second.kind)),
        Table::Queue => queue::order(first, second, capacity),
        Table::Semaphore => races_if(semaphore::dependent(first.kind, second.kind)),
        Table::Parker => races_if(parker::dependent(first.kind, second.kind)),
        Table::Barrier => barrier::order(first, second),
        Table::Once => once::order(first.kind, second.kind),
        Table::Owners => races_if(owners::races(first, second)),
        Table::Thread => races_if(first.kind != second.kind),
        Table::User => races_if(users.dependent(first.arg, second.arg)),
        Table::Nothing => Order::Unordered,
    }
}

/// True if every earlier operation on the object that matters to `second` happened before
/// `first`, so that nobody need look further back.
pub(crate) fn covers(first: Kind) -> bool {
    use Kind::*;
    matches!(first, Lock | TryLockOk | Write | TryWriteOk | Store | Update)
}

/// True if the order of two transitions that are possible in the same state matters.
pub(crate) fn dependent(a: &Footprint, b: &Footprint, users: &Operations) -> bool {
    let pair = |x: (crate::ids::ObjectId, Effect), y: (crate::ids::ObjectId, Effect)| {
        x.0 == y.0 && effects_dependent(x.1, y.1, users)
    };
    let [a1, b1] = [(a.object, a.effect), (b.object, b.effect)];
    pair(a1, b1)
        || a.also.is_some_and(|a2| pair(a2, b1))
        || b.also
            .is_some_and(|b2| pair(a1, b2) || a.also.is_some_and(|a2| pair(a2, b2)))
}

fn effects_dependent(a: Effect, b: Effect, users: &Operations) -> bool {
    match table(a.kind) {
        Table::Mutex => mutex::dependent(a.kind, b.kind),
        Table::RwLock => rwlock::dependent(a.kind, b.kind),
        Table::Condvar => condvar::dependent(a.kind, b.kind),
        Table::Register => register::dependent(a.kind, b.kind),
        Table::Queue => queue::dependent(a.kind, b.kind),
        Table::Semaphore => semaphore::dependent(a.kind, b.kind),
        Table::Parker => parker::dependent(a.kind, b.kind),
        Table::Barrier => barrier::dependent(a.kind, b.kind),
        Table::Once => once::dependent(a.kind, b.kind),
        Table::Owners => owners::dependent(a, b),
        Table::Thread => a.kind != b.kind,
        Table::User => users.dependent(a.arg, b.arg),
        Table::Nothing => false,
    }
}

fn races_if(condition: bool) -> Order {
    if condition { Order::Races } else { Order::Unordered }
}
