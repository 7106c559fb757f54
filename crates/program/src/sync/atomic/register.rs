//! Atomics for the engine. Two reads commute, and an update that changed nothing was a read.
//!
//! std has the value; the engine need not know it. Tracked cells are registers as well.

use crate::execution::Execution;
use crate::execution::thread::Thread;
use crate::ids::{EventId, ObjectId};
use crate::object_type::{ObjectType, Order, Reads, Step};
use crate::operation::Effect;
use crate::user::Operations;
use Op::{Load, Store, Update};

/// Operations on an atomic. The argument of a load or update that waits says since which write, see `spinning.rs`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Op {
    /// Reads; also the refinement of an update that changes nothing.
    Load,
    /// Writes.
    Store,
    /// Reads and writes.
    Update,
}

impl Op {
    /// A plain read or write.
    pub(crate) fn access(write: bool) -> Op {
        if write { Store } else { Load }
    }
}

/// The state of an atomic.
#[derive(Clone, Debug)]
pub(crate) struct State;

impl ObjectType for State {
    type Operation = Op;
    const NAME: &'static str = "Atomic";
    const CELL: bool = true;

    fn verb(operation: Op) -> &'static str {
        match operation {
            Load => "load",
            Store => "store",
            Update => "update",
        }
    }

    fn waits_for(execution: &Execution, thread: &Thread, operation: Op) -> String {
        let (name, made) = execution.name_and_place(thread.pending.object);
        match operation {
            Load | Update => format!("in a loop until {name}{made} changes"),
            Store => format!("to {} {name}{made}", Self::verb(operation)),
        }
    }

    fn possible(execution: &Execution, thread: &Thread, operation: Op) -> bool {
        operation == Store || execution.changed_since(thread.pending.object, thread.pending.arg)
    }

    fn perform(_: &mut Execution, step: Step, _: Op) -> u32 {
        step.choice
    }

    fn order(&self, first: Effect<Op>, second: Effect<Op>, users: &Operations) -> Order {
        Order::races_if(Self::dependent(first, second, users))
    }

    fn dependent(a: Effect<Op>, b: Effect<Op>, _: &Operations) -> bool {
        !(a.kind == Load && b.kind == Load)
    }

    fn covers(operation: Op) -> bool {
        operation != Load
    }

    fn changes(operation: Op) -> bool {
        operation != Load
    }

    fn reads(operation: Op) -> Reads {
        match operation {
            Load => Reads::Only,
            Update => Reads::Perhaps,
            Store => Reads::No,
        }
    }

    fn possible_without(
        execution: &Execution,
        object: ObjectId,
        effect: Effect<Op>,
        remain: impl Fn(EventId) -> bool,
    ) -> bool {
        effect.kind == Store || execution.changed_since_among(object, effect.arg, remain)
    }
}
