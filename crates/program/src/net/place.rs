//! What threads look at and change outside their own memory: an address of the network, a partition, a disk. Looking commutes.
//!
//! To the engine, these are registers. They have a type of their own only for their names in reports.

use crate::execution::{Event, Execution};
use crate::handle::Handle;
use crate::object_type::{ObjectType, Order, Step};
use crate::operation::Effect;
use crate::runtime::Runtime;
use crate::user::Operations;
use std::panic::Location;
use std::rc::Rc;

/// A place, as the network holds it.
#[derive(Debug)]
pub(crate) struct Place {
    handle: Handle,
    name: Rc<str>,
}

impl Place {
    /// A place that reports call by this name.
    #[track_caller]
    pub(crate) fn new(name: &str) -> Rc<Place> {
        Rc::new(Place {
            handle: Handle::new(),
            name: Rc::from(name),
        })
    }

    /// Looks at it, or changes it. This is a step of the search.
    pub(crate) fn access(&self, rt: &Runtime, changes: bool, at: &'static Location<'static>) {
        let state = || State {
            name: Rc::clone(&self.name),
        };
        let object = rt.object(&self.handle, state);
        rt.visible_at(if changes { Op::Change } else { Op::Look }, object, at);
    }
}

/// Operations on a place.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Op {
    /// Reads what is there.
    Look,
    /// Changes it.
    Change,
}

/// A place for the engine.
#[derive(Clone, Debug)]
pub(crate) struct State {
    name: Rc<str>,
}

impl ObjectType for State {
    type Operation = Op;
    const NAME: &'static str = "place";
    const DECLARED: bool = false;

    fn verb(operation: Op) -> &'static str {
        match operation {
            Op::Look => "look at",
            Op::Change => "change",
        }
    }

    fn name(&self, _ordinal: u32) -> String {
        self.name.to_string()
    }

    fn target(execution: &Execution, event: &Event, _: Op) -> String {
        execution.object_name(event.footprint.object)
    }

    fn perform(_: &mut Execution, step: Step, _: Op) -> u32 {
        step.choice
    }

    fn order(&self, first: Effect<Op>, second: Effect<Op>, users: &Operations) -> Order {
        Order::races_if(Self::dependent(first, second, users))
    }

    fn dependent(a: Effect<Op>, b: Effect<Op>, _: &Operations) -> bool {
        !(a.kind == Op::Look && b.kind == Op::Look)
    }

    fn covers(operation: Op) -> bool {
        operation == Op::Change
    }
}
