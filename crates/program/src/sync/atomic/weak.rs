//! Atomics for the engine, with weak memory: accesses to a location of the execution graph ([`crate::memory`]).

use crate::execution::Execution;
use crate::execution::thread::Thread;
use crate::memory::NONE;
use crate::object_type::{ObjectType, Order, Reads, Step, Ways};
use crate::operation::Effect;
use crate::user::Operations;
use Op::{Modify, Read, Write};

/// Operations on an atomic. The argument of one that is announced says what the thread has seen and waits for a change of (see
/// `spinning.rs`); that of one that has happened is the label of the write that it has read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Op {
    /// Reads; also the refinement of a compare-exchange that fails.
    Read,
    /// Writes.
    Write,
    /// Reads and writes.
    Modify,
}

/// The state of an atomic.
#[derive(Clone, Debug)]
pub(crate) struct State {
    /// Its location in the graph, or [`NONE`] as long as there is none.
    pub(super) location: u32,
}

impl State {
    pub(super) const NEW: State = State { location: NONE };
}

impl ObjectType for State {
    type Operation = Op;
    const NAME: &'static str = "Atomic";
    const GRAPHED: bool = true;

    fn verb(operation: Op) -> &'static str {
        match operation {
            Read => "load",
            Write => "store",
            Modify => "update",
        }
    }

    fn waits_for(execution: &Execution, thread: &Thread, operation: Op) -> String {
        let (name, made) = execution.name_and_place(thread.pending.object);
        match operation {
            Read | Modify => format!("in a loop until {name}{made} changes"),
            Write => format!("to {} {name}{made}", Self::verb(operation)),
        }
    }

    fn possible(execution: &Execution, thread: &Thread, operation: Op) -> bool {
        operation == Write || thread.pending.arg == 0 || Self::ways(execution, thread, operation).len() > 0
    }

    fn ways(execution: &Execution, thread: &Thread, operation: Op) -> Ways {
        let State { location } = *execution.look(thread.pending.object);
        match operation {
            Write => Ways::Numbered(1),
            Read | Modify => Ways::Named(execution.readable(thread, location, thread.pending.arg)),
        }
    }

    fn perform(execution: &mut Execution, step: Step, operation: Op) -> u32 {
        let State { location } = *execution.look(step.object);
        let updated = match operation {
            Write => {
                execution.weak_write(step.thread, location);
                true
            }
            Read | Modify => {
                let updated = execution.weak_read(step.thread, location, step.choice);
                execution.refine(if updated { Modify } else { Read }, step.choice);
                updated
            }
        };
        if updated {
            execution.wrote_something();
        }
        u32::from(updated)
    }

    fn order(&self, first: Effect<Op>, second: Effect<Op>, users: &Operations) -> Order {
        Order::races_if(Self::dependent(first, second, users))
    }

    /// A read is dependent on the write that it has read as well. But then they are not possible in the same state.
    fn dependent(a: Effect<Op>, b: Effect<Op>, _: &Operations) -> bool {
        a.kind == Modify && b.kind == Modify && a.arg == b.arg
    }

    fn changes(operation: Op) -> bool {
        operation != Read
    }

    fn is_open(operation: Op) -> bool {
        operation != Write
    }

    fn reads(operation: Op) -> Reads {
        match operation {
            Read => Reads::Only,
            Modify => Reads::Perhaps,
            Write => Reads::No,
        }
    }
}
