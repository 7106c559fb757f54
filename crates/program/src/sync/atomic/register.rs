//! Atomics for the engine. Two reads commute, and an update that changed nothing was a read.
//!
//! std has the value; the engine need not know it. Tracked cells and addresses of the simulated network are
//! registers as well.

use crate::execution::{Event, Execution};
use crate::object_type::{ObjectType, Order, Step};
use crate::operation::Effect;
use crate::user::Operations;
use Op::{Load, Store, Update};

/// Operations on an atomic.
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

    fn idle(execution: &Execution, event: &Event, operation: Op) -> bool {
        match operation {
            Load => true,
            Update => execution.threads[event.thread.index()].kept,
            Store => false,
        }
    }
}
