//! One-time initialisation for the engine: a lock that is acquired once, and only looked at afterwards.
//!
//! `BeginFirst` is an acquisition whose release is `Complete`; those that come later happen after
//! that release and race with the acquisition. `get` depends on `Complete` alone.

use crate::execution::thread::Thread;
use crate::execution::{Event, Execution};
use crate::ids::{EventId, ObjectId};
use crate::object_type::{ObjectType, Order, Step};
use crate::operation::Effect;
use crate::user::Operations;
use Op::{Begin, BeginDone, BeginFirst, Complete, Get, GetNone, GetSome, Wait};

/// Operations on something that is initialised once.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Op {
    /// Asks to initialise, or waits for the thread that does.
    Begin,
    /// Refined: this thread initialises.
    BeginFirst,
    /// Refined: it was done already.
    BeginDone,
    /// The initialisation is over. The argument is 1 if it succeeded.
    Complete,
    /// Asks whether it is over.
    Get,
    /// Refined: it is.
    GetSome,
    /// Refined: it is not.
    GetNone,
    /// Waits until it is over. With the argument [`OR_FAILED`], a failure ends the wait as well.
    Wait,
}

/// The argument of a [`Op::Wait`] that notices failures.
pub(super) const OR_FAILED: u32 = 1;

/// How far the initialisation is.
#[derive(Clone, Debug)]
pub(crate) struct State {
    running: bool,
    done: bool,
    /// The last attempt has failed, and there is no other one yet.
    failed: bool,
}

impl State {
    pub(super) fn new(done: bool) -> State {
        State {
            running: false,
            done,
            failed: false,
        }
    }
}

impl ObjectType for State {
    type Operation = Op;
    const NAME: &'static str = "Once";
    const SILENT: &'static [&'static str] = &["mazurka::sync::once::OnceLock"];

    fn verb(operation: Op) -> &'static str {
        match operation {
            Begin => "initialise",
            BeginFirst => "initialise: first",
            BeginDone => "initialise: done before",
            Complete => "initialised",
            Get => "get",
            GetSome => "get: initialised",
            GetNone => "get: not initialised",
            Wait => "wait: initialised",
        }
    }

    fn possible(execution: &Execution, thread: &Thread, operation: Op) -> bool {
        let state = || execution.look::<State>(thread.pending.object);
        match operation {
            Begin => !state().running,
            Wait => state().done || state().failed && thread.pending.arg == OR_FAILED,
            _ => true,
        }
    }

    fn perform(execution: &mut Execution, step: Step, operation: Op) -> u32 {
        let (id, object) = (step.thread, step.object);
        let state = execution.state::<State>(object);
        let done = state.done;
        match operation {
            Begin if done => {
                execution.refine(BeginDone, 0);
                execution.detectors.synchronised(id, object);
                0
            }
            Begin => {
                state.running = true;
                state.failed = false;
                execution.refine(BeginFirst, 0);
                execution.hold(id, object, false, true);
                1
            }
            Complete => {
                state.running = false;
                state.done = step.arg == 1;
                state.failed = !state.done;
                execution.release(object);
                0
            }
            Get => {
                execution.refine(if done { GetSome } else { GetNone }, 0);
                if done {
                    execution.detectors.synchronised(id, object);
                }
                u32::from(done)
            }
            Wait => {
                execution.detectors.synchronised(id, object);
                u32::from(done)
            }
            BeginFirst | BeginDone | GetSome | GetNone => step.choice,
        }
    }

    fn order(&self, first: Effect<Op>, second: Effect<Op>, _: &Operations) -> Order {
        match (first.kind, second.kind) {
            // Without the attempt that has succeeded, there is nothing to wait for. A failure can come before, or be overtaken
            // by another attempt.
            (Complete, Wait) if second.arg != OR_FAILED => Order::Enables,
            (Complete, Wait) => Order::Races,
            // Another attempt takes away what an earlier failure has made possible.
            (BeginFirst, Wait) => Order::races_if(second.arg == OR_FAILED),
            (Wait, Begin | BeginFirst) => Order::races_if(first.arg == OR_FAILED),
            (first, second) => Order::races_if(matches!(
                (first, second),
                (BeginFirst, Begin | BeginFirst | BeginDone) | (Complete, Get | GetSome) | (GetNone, Complete)
            )),
        }
    }

    fn dependent(a: Effect<Op>, b: Effect<Op>, _: &Operations) -> bool {
        let begins = |k| matches!(k, Begin | BeginFirst);
        let notices = |wait: Effect<Op>, other: Op| wait.arg == OR_FAILED && begins(other);
        if a.kind == Wait || b.kind == Wait {
            return a.kind == Wait && notices(a, b.kind) || b.kind == Wait && notices(b, a.kind);
        }
        let (a, b) = (a.kind, b.kind);
        let looks = |k| matches!(k, BeginDone | Get | GetSome | GetNone);
        !(looks(a) && looks(b) || begins(a) && looks(b) && b != BeginDone || looks(a) && a != BeginDone && begins(b))
    }

    fn possible_without(
        execution: &Execution,
        object: ObjectId,
        effect: Effect<Op>,
        remain: impl Fn(EventId) -> bool,
    ) -> bool {
        if effect.kind != Wait {
            return true;
        }
        let history = execution.history::<State>(object);
        let attempts = history.filter(|(e, op)| matches!(op, BeginFirst | Complete) && remain(e.event));
        attempts.last().is_some_and(|(_, operation)| operation == Complete)
    }

    fn acquires(operation: Op) -> bool {
        matches!(operation, Begin | BeginFirst | BeginDone)
    }

    fn idle(_: &Execution, _: &Event, operation: Op) -> bool {
        matches!(operation, BeginDone | GetSome | GetNone)
    }

    fn changes(operation: Op) -> bool {
        matches!(operation, BeginFirst | Complete)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_needs_the_attempt_that_succeeds() {
        let (state, users) = (State::new(false), Operations::default());
        let effect = |kind, arg| Effect { kind, arg };
        let order = |a, b| state.order(a, b, &users);
        assert_eq!(order(effect(Complete, 1), effect(Wait, 0)), Order::Enables);
        assert_eq!(order(effect(Complete, 0), effect(Wait, OR_FAILED)), Order::Races);
        assert_eq!(order(effect(Wait, OR_FAILED), effect(BeginFirst, 0)), Order::Races);
        assert_eq!(order(effect(BeginFirst, 0), effect(Wait, OR_FAILED)), Order::Races);
        assert!(State::dependent(effect(Wait, OR_FAILED), effect(Begin, 0), &users));
        assert!(!State::dependent(effect(Wait, 0), effect(GetSome, 0), &users));
    }
}
