//! Mutexes for the engine. Two acquisitions race; a release enables the next one.
//!
//! The history of a mutex has one entry for an acquisition, which knows where it was released; an
//! acquisition that follows happens after that release, and races with the acquisition. Two
//! critical sections that only read and are one transition each ([`Op::Peek`]) commute: the
//! composed transitions of Stoller's section 5.
//!
//! With `try_lock` in the program, releases are transitions of their own: a failed attempt
//! depends on the acquisition before it and the release after it.

use crate::execution::thread::Thread;
use crate::execution::{Event, Execution};
use crate::ids::ThreadId;
use crate::object_type::{ObjectType, Order, Step};
use crate::operation::Effect;
use crate::user::Operations;
use Op::{Lock, Peek, TryLock, TryLockFail, TryLockOk, Unlock};

/// The value may change behind a shared reference.
pub(super) const CHANGES: u32 = 0;
/// It does not.
pub(super) const FROZEN: u32 = 1;
/// There is none: the mutex is one of `()`, and protects something beside it.
pub(super) const NOTHING: u32 = 2;

/// Operations on a mutex.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Op {
    /// Acquires, or reacquires after a wait. The argument is one of [`CHANGES`], [`FROZEN`] and [`NOTHING`].
    Lock,
    /// Refined: a critical section that was over within the same transition and only read.
    Peek,
    /// Tries to acquire.
    TryLock,
    /// Refined: tried and succeeded.
    TryLockOk,
    /// Refined: tried and failed.
    TryLockFail,
    /// Releases; visible only if the program can notice when.
    Unlock,
}

/// The state of a mutex.
#[derive(Clone, Default, Debug)]
pub(crate) struct State {
    pub(super) owner: Option<ThreadId>,
}

/// What a wait on a condition variable does to its mutex.
pub(in crate::sync) fn effect_of_wait() -> Effect {
    Effect {
        kind: Unlock.into(),
        arg: 0,
    }
}

impl ObjectType for State {
    type Operation = Op;
    const NAME: &'static str = "Mutex";
    const SILENT: &'static [&'static str] = &["mazurka::sync::mutex::Mutex"];

    fn verb(operation: Op) -> &'static str {
        match operation {
            Lock | Peek => "lock",
            TryLock => "try_lock",
            TryLockOk => "try_lock: acquired",
            TryLockFail => "try_lock: would block",
            Unlock => "unlock",
        }
    }

    fn exact_verb(operation: Op) -> &'static str {
        match operation {
            Peek => "peek",
            other => Self::verb(other),
        }
    }

    fn waits_for(execution: &Execution, thread: &Thread, operation: Op) -> String {
        if thread.waiting {
            return "to be notified".to_owned();
        }
        let (name, made) = execution.name_and_place(thread.pending.object);
        format!("to {} {name}{made}", Self::verb(operation))
    }

    fn possible(execution: &Execution, thread: &Thread, operation: Op) -> bool {
        operation != Lock || !thread.waiting && execution.look::<State>(thread.pending.object).owner.is_none()
    }

    fn perform(execution: &mut Execution, step: Step, operation: Op) -> u32 {
        let (id, object) = (step.thread, step.object);
        match operation {
            Lock => {
                execution.threads[id.index()].timeout = false;
                execution.state::<State>(object).owner = Some(id);
                if step.arg == NOTHING {
                    execution.hold_for_something(id, object);
                } else {
                    execution.hold(id, object, false, step.arg == CHANGES);
                }
                1
            }
            TryLock => {
                execution.notices_releases = true;
                let free = execution.look::<State>(object).owner.is_none();
                execution.refine(if free { TryLockOk } else { TryLockFail }, 0);
                if free {
                    execution.state::<State>(object).owner = Some(id);
                    execution.hold(id, object, false, true);
                }
                u32::from(free)
            }
            Unlock => {
                execution.release(object);
                0
            }
            Peek | TryLockOk | TryLockFail => step.choice,
        }
    }

    fn let_go(&mut self, _reader: bool) {
        self.owner = None;
    }

    fn order(&self, first: Effect<Op>, second: Effect<Op>, _: &Operations) -> Order {
        match (first.kind, second.kind) {
            (Peek, Peek) => Order::Unordered,
            (Lock | TryLockOk | Peek, Lock | Peek | TryLock | TryLockOk | TryLockFail) => Order::Races,
            (Unlock, TryLock | TryLockOk) | (TryLockFail, Unlock) => Order::Races,
            _ => Order::Unordered,
        }
    }

    fn dependent(a: Effect<Op>, b: Effect<Op>, _: &Operations) -> bool {
        // A failed attempt and an acquisition were both possible: the mutex is held, and the attempt fails in either order
        // only if the other does not release.
        !matches!(
            (a.kind, b.kind),
            (Peek, Peek) | (TryLockFail, TryLockFail) | (Unlock, Unlock)
        )
    }

    fn covers(operation: Op) -> bool {
        matches!(operation, Lock | TryLockOk)
    }

    fn acquires(operation: Op) -> bool {
        matches!(operation, Lock | Peek | TryLockOk)
    }

    fn changes(operation: Op) -> bool {
        matches!(operation, Lock | TryLockOk)
    }

    /// Not if its critical section turns out to write, see `Execution::hold` and `wrote_under`.
    fn idle(_: &Execution, _: &Event, operation: Op) -> bool {
        matches!(operation, Lock | Peek | TryLockFail)
    }

    fn only_read(operation: Op) -> Option<Op> {
        (operation == Lock).then_some(Peek)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn effect(kind: Op) -> Effect<Op> {
        Effect { kind, arg: 0 }
    }

    #[test]
    fn sections_that_only_read_commute() {
        let (free, users) = (State::default(), Operations::default());
        let order = |a, b| free.order(effect(a), effect(b), &users);
        assert_eq!(order(Peek, Peek), Order::Unordered);
        assert_eq!(order(Lock, Peek), Order::Races);
        assert!(!State::dependent(effect(Peek), effect(Peek), &users));
        assert!(State::dependent(effect(Lock), effect(Peek), &users));
    }
}
