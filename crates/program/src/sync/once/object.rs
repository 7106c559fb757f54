//! One-time initialisation for the engine: a lock that is acquired once, and only looked at afterwards.
//!
//! `BeginFirst` is an acquisition whose release is `Complete`; those that come later happen after
//! that release and race with the acquisition. `get` depends on `Complete` alone.

use crate::execution::Execution;
use crate::execution::thread::Thread;
use crate::object_type::{ObjectType, Order, Step};
use crate::operation::Effect;
use crate::user::Operations;
use Op::{Begin, BeginDone, BeginFirst, Complete, Get, GetNone, GetSome};

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
}

/// How far the initialisation is.
#[derive(Clone, Debug)]
pub(crate) struct State {
    running: bool,
    done: bool,
}

impl State {
    pub(super) fn new(done: bool) -> State {
        State { running: false, done }
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
        }
    }

    fn possible(execution: &Execution, thread: &Thread, operation: Op) -> bool {
        operation != Begin || !execution.look::<State>(thread.pending.object).running
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
                execution.refine(BeginFirst, 0);
                execution.hold(id, object, false, true);
                1
            }
            Complete => {
                state.running = false;
                state.done = step.arg == 1;
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
            BeginFirst | BeginDone | GetSome | GetNone => step.choice,
        }
    }

    fn order(&self, first: Effect<Op>, second: Effect<Op>, _: &Operations) -> Order {
        Order::races_if(matches!(
            (first.kind, second.kind),
            (BeginFirst, Begin | BeginFirst | BeginDone) | (Complete, Get | GetSome) | (GetNone, Complete)
        ))
    }

    fn dependent(a: Effect<Op>, b: Effect<Op>, _: &Operations) -> bool {
        let (a, b) = (a.kind, b.kind);
        let looks = |k| matches!(k, BeginDone | Get | GetSome | GetNone);
        let begins = |k| matches!(k, Begin | BeginFirst);
        !(looks(a) && looks(b) || begins(a) && looks(b) && b != BeginDone || looks(a) && a != BeginDone && begins(b))
    }

    fn acquires(operation: Op) -> bool {
        matches!(operation, Begin | BeginFirst | BeginDone)
    }

    fn changes(operation: Op) -> bool {
        matches!(operation, BeginFirst | Complete)
    }
}
