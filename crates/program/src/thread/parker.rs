//! Parking. To the engine, a thread that parks waits for its token. Two threads that leave the token commute.

use crate::execution::thread::Thread;
use crate::execution::{Event, Execution};
use crate::ids::{EventId, ObjectId, ThreadId};
use crate::object_type::{ObjectType, Order, Step};
use crate::operation::Effect;
use crate::runtime::{self, Runtime};
use crate::user::Operations;
use Op::{Park, Unpark};
use std::time::Duration;

/// Waits until another thread unparks this one. It may also return for no reason, if
/// [`Checker::spurious_wakeups`](crate::Checker::spurious_wakeups) allows that.
#[track_caller]
pub fn park() {
    match runtime::current() {
        Some(rt) => {
            controlled_park(&rt, 0);
        }
        None => std::thread::park(),
    }
}

/// Waits until another thread unparks this one, or until the time is up. In a check, that can be at any moment.
#[inline(always)]
#[track_caller]
pub fn park_timeout(duration: Duration) {
    if runtime::possible() {
        crate::fiber::watched!(park_timeout_here(duration));
    } else {
        std::thread::park_timeout(duration);
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn park_timeout_here(duration: Duration) {
    match runtime::current() {
        Some(rt) => {
            if controlled_park(&rt, 1) == Parked::TimedOut {
                crate::time::pass(&rt, duration);
            }
        }
        None => std::thread::park_timeout(duration),
    }
}

/// Parks. A thread that returns for no reason returns at once and does not take the token: no other thread can tell whether it
/// returned later.
#[track_caller]
fn controlled_park(rt: &Runtime, timeout: u32) -> Parked {
    let id = rt.thread();
    let leaves = rt.execution.borrow().threads[id.index()].spurious_left > 0 && crate::choose(2) == 1;
    if leaves {
        rt.execution.borrow_mut().threads[id.index()].spurious_left -= 1;
        return Parked::Woken;
    }
    let token = token_of(rt, id);
    match rt.visible(Park, token, timeout) {
        0 => Parked::TimedOut,
        _ => Parked::Woken,
    }
}

/// Why a thread goes on.
#[derive(PartialEq, Eq)]
enum Parked {
    Woken,
    TimedOut,
}

/// Ends the `park` of a controlled thread, or its next one.
#[track_caller]
pub(super) fn unpark(rt: &Runtime, id: ThreadId) {
    let token = token_of(rt, id);
    rt.visible(Unpark, token, 0);
}

fn token_of(rt: &Runtime, id: ThreadId) -> ObjectId {
    let mut execution = rt.execution.borrow_mut();
    let thread = &execution.threads[id.index()];
    if thread.parker == ObjectId::NONE {
        let made = thread.spawned_at;
        let token = execution.object(State { token: false }, made);
        execution.threads[id.index()].parker = token;
    }
    execution.threads[id.index()].parker
}

/// Operations on the token of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Op {
    /// Waits for the token and takes it. The argument is 1 if the time may be up.
    Park,
    /// Leaves the token.
    Unpark,
}

/// Where the token of a thread is.
#[derive(Clone, Debug)]
pub(crate) struct State {
    token: bool,
}

impl ObjectType for State {
    type Operation = Op;
    const NAME: &'static str = "token";
    const DECLARED: bool = false;

    fn verb(operation: Op) -> &'static str {
        match operation {
            Park => "park",
            Unpark => "unpark",
        }
    }

    fn name(&self, _ordinal: u32) -> String {
        Self::NAME.to_owned()
    }

    fn waits_for(_: &Execution, _: &Thread, _: Op) -> String {
        "to be unparked".to_owned()
    }

    fn possible(execution: &Execution, thread: &Thread, operation: Op) -> bool {
        operation == Unpark || thread.pending.arg == 1 || execution.look::<State>(thread.pending.object).token
    }

    fn perform(execution: &mut Execution, step: Step, operation: Op) -> u32 {
        let token = std::mem::replace(&mut execution.state::<State>(step.object).token, operation == Unpark);
        match operation {
            Unpark => execution.detectors.released(step.thread, step.object, false),
            Park => execution.detectors.synchronised(step.thread, step.object),
        }
        u32::from(token)
    }

    fn order(&self, first: Effect<Op>, second: Effect<Op>, users: &Operations) -> Order {
        Order::races_if(Self::dependent(first, second, users))
    }

    fn dependent(a: Effect<Op>, b: Effect<Op>, _: &Operations) -> bool {
        !(a.kind == Unpark && b.kind == Unpark)
    }

    /// Nobody else notices that a thread parks and leaves because its time is up.
    fn idle(execution: &Execution, event: &Event, operation: Op) -> bool {
        operation == Park && execution.threads[event.thread.index()].outcome == 0
    }

    fn possible_without(
        execution: &Execution,
        object: ObjectId,
        effect: Effect<Op>,
        remain: impl Fn(EventId) -> bool,
    ) -> bool {
        if effect.kind == Unpark || effect.arg != 0 {
            return true;
        }
        let last = execution
            .history::<State>(object)
            .filter(|(e, _)| remain(e.event))
            .last();
        last.is_some_and(|(_, operation)| operation == Unpark)
    }
}
