//! Choices of the program. The search tries every outcome. They concern no object and depend on nothing.

use crate::execution::thread::Thread;
use crate::execution::{Event, Execution};
use crate::ids::ObjectId;
use crate::object_type::{ObjectType, Order, Step, Ways};
use crate::operation::{Effect, Operation};
use crate::runtime;
use crate::user::Operations;
use std::panic::Location;

/// Returns a number below `n`. The search tries all of them. Outside `check` it is always 0.
///
/// ```
/// let report = mazurka::Checker::new().run(|| {
///     assert_ne!(mazurka::choose(3), 2);
/// });
/// assert_eq!(report.violations.len(), 1);
/// ```
///
/// # Panics
/// If `n` is 0, and in a check if it is more than 4,294,967,295, which is too many to try.
#[track_caller]
pub fn choose(n: usize) -> usize {
    assert!(n > 0, "there is nothing to choose from");
    match runtime::current() {
        Some(rt) if !rt.abandoning() => {
            let ways = u32::try_from(n).expect("more than 4,294,967,295 ways cannot be tried");
            rt.visible(Op::Choose, ObjectId::NONE, ways) as usize % n
        }
        _ => 0,
    }
}

/// An operation that changes nothing, for threads that have not announced any.
#[track_caller]
pub(crate) fn nothing() -> Operation {
    Operation {
        kind: Op::Choose.into(),
        object: ObjectId::NONE,
        arg: 1,
        at: Location::caller(),
    }
}

/// The operation of choosing.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Op {
    /// Chooses a number below the argument.
    Choose,
}

/// A choice has no state.
#[derive(Clone, Debug)]
pub(crate) struct State;

impl ObjectType for State {
    type Operation = Op;
    const NAME: &'static str = "choice";
    const DECLARED: bool = false;

    fn verb(_: Op) -> &'static str {
        "choose"
    }

    fn target(_: &Execution, event: &Event, _: Op) -> String {
        format!("{} of {}", event.choice, event.choices)
    }

    fn ways(_: &Execution, thread: &Thread, _: Op) -> Ways {
        Ways::Numbered(thread.pending.arg)
    }

    fn perform(_: &mut Execution, step: Step, _: Op) -> u32 {
        step.choice
    }

    fn order(&self, _: Effect<Op>, _: Effect<Op>, _: &Operations) -> Order {
        Order::Unordered
    }

    fn dependent(_: Effect<Op>, _: Effect<Op>, _: &Operations) -> bool {
        false
    }
}
