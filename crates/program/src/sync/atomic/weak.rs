//! Atomics for the engine, with weak memory: accesses to a location of the execution graph ([`crate::memory`]).

use crate::execution::thread::Thread;
use crate::execution::{Event, Execution};
use crate::memory::NONE;
use crate::object_type::{ObjectType, Order, Step, Ways};
use crate::operation::Effect;
use crate::user::Operations;
use Op::{Modify, Read, Write};

/// Operations on an atomic. The argument of one that has happened is the label of the write that it has read.
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

    fn ways(execution: &Execution, thread: &Thread, operation: Op) -> Ways {
        let State { location } = *execution.look(thread.pending.object);
        match operation {
            Write => Ways::Numbered(1),
            Read | Modify => Ways::Named(execution.readable(thread, location)),
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

    fn idle(execution: &Execution, event: &Event, operation: Op) -> bool {
        match operation {
            Read => true,
            Modify => execution.threads[event.thread.index()].kept,
            Write => false,
        }
    }
}
