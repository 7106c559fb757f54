//! Reader-writer locks for the engine. Readers commute; a writer races with all others.
//!
//! As for mutexes, entries are acquisitions that know their release, and releases are
//! transitions of their own where `try_read` or `try_write` can notice them. Several readers may block a writer
//! together, so a race with a writer leaves them all out (`rivals.rs`).

use super::second_read;
use crate::execution::thread::Thread;
use crate::execution::{Event, Execution};
use crate::ids::ThreadId;
use crate::object_type::{ObjectType, Order, Rivals, Step};
use crate::operation::Effect;
use crate::user::Operations;
use Op::{
    Downgrade, Read, TryRead, TryReadFail, TryReadOk, TryWrite, TryWriteFail, TryWriteOk, UnlockRead, UnlockWrite,
    Write,
};

/// Operations on a reader-writer lock.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Op {
    /// Acquires for reading. The argument is refined to whether the thread reads already, see `second_read.rs`.
    Read,
    /// Acquires for writing.
    Write,
    /// Tries to acquire for reading.
    TryRead,
    /// Refined: tried and succeeded.
    TryReadOk,
    /// Refined: tried and failed.
    TryReadFail,
    /// Tries to acquire for writing.
    TryWrite,
    /// Refined: tried and succeeded.
    TryWriteOk,
    /// Refined: tried and failed.
    TryWriteFail,
    /// Becomes a reader instead of the writer.
    Downgrade,
    /// Releases a reader's lock, where visible.
    UnlockRead,
    /// Releases a writer's lock, where visible.
    UnlockWrite,
}

/// The state of a reader-writer lock.
#[derive(Clone, Default, Debug)]
pub(crate) struct State {
    writer: Option<ThreadId>,
    readers: u32,
}

impl State {
    /// True if the lock can be acquired now, for reading or for writing.
    fn free(&self, for_reading: bool) -> bool {
        self.writer.is_none() && (for_reading || self.readers == 0)
    }

    fn take(&mut self, id: ThreadId, for_reading: bool) {
        if for_reading {
            self.readers += 1;
        } else {
            self.writer = Some(id);
        }
    }
}

fn reads(operation: Op) -> bool {
    matches!(operation, Read | TryReadOk)
}

fn writes(operation: Op) -> bool {
    matches!(operation, Write | TryWriteOk)
}

impl ObjectType for State {
    type Operation = Op;
    const NAME: &'static str = "RwLock";
    const SILENT: &'static [&'static str] = &["mazurka::sync::rwlock::RwLock"];

    fn verb(operation: Op) -> &'static str {
        match operation {
            Read => "read",
            Write => "write",
            TryRead => "try_read",
            TryReadOk => "try_read: acquired",
            TryReadFail => "try_read: would block",
            TryWrite => "try_write",
            TryWriteOk => "try_write: acquired",
            TryWriteFail => "try_write: would block",
            Downgrade => "downgrade",
            UnlockRead => "unlock (reader)",
            UnlockWrite => "unlock (writer)",
        }
    }

    fn remarks(execution: &Execution) -> Vec<String> {
        second_read::deadlocks(execution)
    }

    fn possible(execution: &Execution, thread: &Thread, operation: Op) -> bool {
        match operation {
            Read | Write => execution.look::<State>(thread.pending.object).free(operation == Read),
            _ => true,
        }
    }

    fn perform(execution: &mut Execution, step: Step, operation: Op) -> u32 {
        let (id, object) = (step.thread, step.object);
        match operation {
            Read | Write => {
                if operation == Read && execution.holds(id, object) {
                    second_read::note(execution);
                }
                execution.state::<State>(object).take(id, operation == Read);
                execution.hold(id, object, operation == Read, true);
                1
            }
            TryRead | TryWrite => {
                execution.notices_releases = true;
                let reads = operation == TryRead;
                let free = execution.look::<State>(object).free(reads);
                let outcome = match (reads, free) {
                    (true, true) => TryReadOk,
                    (true, false) => TryReadFail,
                    (false, true) => TryWriteOk,
                    (false, false) => TryWriteFail,
                };
                execution.refine(outcome, 0);
                if free {
                    execution.state::<State>(object).take(id, reads);
                    execution.hold(id, object, reads, true);
                }
                u32::from(free)
            }
            Downgrade => {
                let state = execution.state::<State>(object);
                state.let_go(false);
                state.take(id, true);
                execution.downgrade(object);
                0
            }
            UnlockRead | UnlockWrite => {
                execution.release(object);
                0
            }
            TryReadOk | TryReadFail | TryWriteOk | TryWriteFail => step.choice,
        }
    }

    fn let_go(&mut self, reader: bool) {
        if reader {
            self.readers -= 1;
        } else {
            self.writer = None;
        }
    }

    fn order(&self, first: Effect<Op>, second: Effect<Op>, _: &Operations) -> Order {
        let first = first.kind;
        Order::races_if(match second.kind {
            // It is the same critical section, which ends later: the entry of its acquisition knows where.
            Read if first == Downgrade => return Order::Enables,
            Downgrade => first == TryReadFail,
            Read => writes(first),
            Write => reads(first) || writes(first),
            TryRead | TryReadOk => writes(first) || matches!(first, UnlockWrite | Downgrade),
            TryReadFail => writes(first),
            TryWrite | TryWriteOk => reads(first) || writes(first) || matches!(first, UnlockRead | UnlockWrite),
            TryWriteFail => reads(first) || writes(first),
            UnlockRead => first == TryWriteFail,
            UnlockWrite => matches!(first, TryReadFail | TryWriteFail),
        })
    }

    fn dependent(a: Effect<Op>, b: Effect<Op>, _: &Operations) -> bool {
        let (a, b) = (a.kind, b.kind);
        let idle = |k| matches!(k, TryReadFail | TryWriteFail);
        let unlocks = |k| matches!(k, UnlockRead | UnlockWrite);
        let independent = (reads(a) || a == TryReadFail) && (reads(b) || b == TryReadFail)
            || idle(a) && idle(b)
            || unlocks(a) && unlocks(b)
            || (a == TryRead && reads(b) || reads(a) && b == TryRead)
            || (a == UnlockRead && reads(b) || reads(a) && b == UnlockRead)
            || (a == TryRead && b == TryRead);
        if a == Downgrade || b == Downgrade {
            let notices = |k| matches!(k, TryRead | TryReadOk | TryReadFail);
            return notices(a) || notices(b);
        }
        !independent
    }

    fn covers(operation: Op) -> bool {
        writes(operation)
    }

    fn acquires(operation: Op) -> bool {
        reads(operation) || writes(operation)
    }

    fn changes(operation: Op) -> bool {
        writes(operation)
    }

    fn idle(_: &Execution, _: &Event, operation: Op) -> bool {
        matches!(operation, Read | TryReadFail | TryWriteFail)
    }

    fn rivals(operation: Op) -> Rivals {
        if operation == Write {
            Rivals::Holders
        } else {
            Rivals::None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn effect(kind: Op) -> Effect<Op> {
        Effect { kind, arg: 0 }
    }

    #[test]
    fn readers_commute_and_writers_do_not() {
        let (free, users) = (State::default(), Operations::default());
        let order = |a, b| free.order(effect(a), effect(b), &users);
        assert_eq!(order(Read, Read), Order::Unordered);
        assert_eq!(order(Read, Write), Order::Races);
        assert_eq!(order(Write, Read), Order::Races);
        assert!(!State::dependent(effect(Read), effect(TryReadOk), &users));
        assert!(State::dependent(effect(Write), effect(Write), &users));
    }

    #[test]
    fn a_writer_that_becomes_a_reader_lets_readers_in_and_no_writer() {
        let (free, users) = (State::default(), Operations::default());
        let order = |a, b| free.order(effect(a), effect(b), &users);
        assert_eq!(order(Downgrade, Read), Order::Enables);
        assert_eq!(order(Downgrade, TryReadOk), Order::Races);
        assert_eq!(order(TryReadFail, Downgrade), Order::Races);
        assert_eq!(order(TryWriteFail, Downgrade), Order::Unordered);
        assert_eq!(order(Downgrade, TryWriteFail), Order::Unordered);
        assert!(!State::dependent(effect(Downgrade), effect(TryWriteFail), &users));
        assert!(State::dependent(effect(TryRead), effect(Downgrade), &users));
    }
}
