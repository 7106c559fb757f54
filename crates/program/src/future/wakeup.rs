//! Wakeups of tasks. To the engine, a task that has nothing to do waits for its token, or until a timer fires; to wake it is to
//! leave the token. A task that was woken twice is polled once, and one that is woken before it waits does not wait: the
//! contract of `std::task::Waker`. Two threads that leave the token commute.

use super::clock::{self, Moment};
use crate::execution::Execution;
use crate::execution::thread::Thread;
use crate::handle::Handle;
use crate::ids::{EventId, ObjectId, ThreadId};
use crate::object_type::{ObjectType, Order, Step};
use crate::operation::Effect;
use crate::runtime::Runtime;
use crate::user::Operations;
use Op::{Expire, Park, Wake};
use std::fmt::Write;
use std::panic::Location;

/// What a task waits for, in words, and where.
pub(super) type Await = (&'static str, &'static Location<'static>);

/// The token of a task that a thread runs. A task that is `woken` from the start can be cancelled before it is polled.
pub(super) fn token(
    rt: &Runtime,
    handle: &Handle,
    thread: ThreadId,
    woken: bool,
    spawned: &'static Location<'static>,
) -> ObjectId {
    rt.object(handle, || State {
        thread,
        token: woken,
        initial: woken,
        spawned,
        awaits: Vec::new(),
    })
}

/// Waits for the token or the deadline. True if a timer has fired.
pub(super) fn park(
    rt: &Runtime,
    token: ObjectId,
    awaits: Vec<Await>,
    deadline: Moment,
    spawned: &'static Location<'static>,
) -> bool {
    let at = awaits.last().map_or(spawned, |(_, at)| at);
    crate::node::may_crash(rt);
    rt.execution.borrow_mut().state::<State>(token).awaits = awaits;
    crate::node::waits(rt);
    rt.visible_with(Park, token, deadline, at) == 1
}

/// Leaves the token.
pub(super) fn wake(rt: &Runtime, token: ObjectId, at: &'static Location<'static>) {
    rt.visible_at(Wake, token, at);
}

/// Operations on the token of a task.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Op {
    /// Waits for the token and takes it. The argument is the deadline of the task's first timer.
    Park,
    /// Refined: a timer has fired.
    Expire,
    /// Leaves the token.
    Wake,
}

/// Where the token of a task is.
#[derive(Clone, Debug)]
pub(crate) struct State {
    /// The thread that runs the task.
    thread: ThreadId,
    token: bool,
    initial: bool,
    spawned: &'static Location<'static>,
    /// What the task waits for.
    awaits: Vec<Await>,
}

/// Until when a thread waits for a timer, if that is what it does.
fn deadline_of(execution: &Execution, thread: &Thread) -> Option<Moment> {
    let waits = thread.pending.kind == Park.into() && !execution.look::<State>(thread.pending.object).token;
    waits.then_some(thread.pending.arg)
}

impl ObjectType for State {
    type Operation = Op;
    const NAME: &'static str = "wakeup";
    const DECLARED: bool = false;

    fn verb(operation: Op) -> &'static str {
        match operation {
            Park => "wait: woken",
            Expire => "wait: a timer fires",
            Wake => "wake",
        }
    }

    fn name(&self, _ordinal: u32) -> String {
        format!("{} (task of {})", self.thread, self.spawned)
    }

    fn waits_for(execution: &Execution, thread: &Thread, _: Op) -> String {
        let state = execution.look::<State>(thread.pending.object);
        let mut words = "to be woken".to_owned();
        for (i, (what, at)) in state.awaits.iter().enumerate() {
            let _ = write!(words, "{} {what} at {at}", if i == 0 { ", for" } else { " or" });
        }
        if state.awaits.is_empty() {
            words.push_str(", and nothing that it awaits is known");
        }
        words
    }

    fn possible(execution: &Execution, thread: &Thread, operation: Op) -> bool {
        if operation != Park {
            return true;
        }
        let state = execution.look::<State>(thread.pending.object);
        let deadline_of = |other: &Thread| deadline_of(execution, other);
        state.token || clock::fires(execution, state.thread, thread.pending.arg, deadline_of)
    }

    fn perform(execution: &mut Execution, step: Step, operation: Op) -> u32 {
        let state = execution.state::<State>(step.object);
        let woken = std::mem::replace(&mut state.token, operation == Wake);
        if operation == Wake {
            execution.detectors.released(step.thread, step.object, false);
            return 0;
        }
        if woken {
            execution.detectors.synchronised(step.thread, step.object);
            return 0;
        }
        execution.refine(Expire, step.arg);
        clock::fire(execution, step.arg);
        1
    }

    fn order(&self, first: Effect<Op>, second: Effect<Op>, users: &Operations) -> Order {
        Order::races_if(Self::dependent(first, second, users))
    }

    fn dependent(a: Effect<Op>, b: Effect<Op>, _: &Operations) -> bool {
        !(a.kind == Wake && b.kind == Wake)
    }

    fn possible_without(
        execution: &Execution,
        object: ObjectId,
        effect: Effect<Op>,
        remain: impl Fn(EventId) -> bool,
    ) -> bool {
        if effect.kind == Wake || clock::was_due(execution, effect.arg, &remain) {
            return true;
        }
        let last = execution
            .history::<State>(object)
            .filter(|(e, _)| remain(e.event))
            .last();
        last.map_or(execution.look::<State>(object).initial, |(_, operation)| {
            operation == Wake
        })
    }

    fn also_after(execution: &Execution, _: ObjectId, effect: Effect<Op>, clock: &mut Vec<u32>) {
        if effect.kind == Expire {
            clock::fired_after(execution, effect.arg, clock);
        }
    }
}
