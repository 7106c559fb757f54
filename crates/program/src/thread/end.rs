//! The ends of threads. To the engine, a join waits for the end of a thread and comes after everything the thread has done;
//! asking whether the thread has ended races with the end.

use crate::execution::Execution;
use crate::execution::thread::{Status, Thread};
use crate::execution::{Event, join};
use crate::ids::{ObjectId, ThreadId};
use crate::object_type::{ObjectType, Order, Step};
use crate::operation::Effect;
use crate::runtime::Runtime;
use crate::user::Operations;
use Op::{Finish, IsFinished, Join};
use std::panic::Location;

/// Waits for the end of a controlled thread. Returns [`ABANDONED`](crate::runtime::ABANDONED) if the execution was
/// cut meanwhile.
#[track_caller]
pub(crate) fn wait_for(rt: &Runtime, id: ThreadId) -> u32 {
    wait_for_at(rt, id, Location::caller())
}

/// The same for a place in the program.
pub(crate) fn wait_for_at(rt: &Runtime, id: ThreadId, at: &'static Location<'static>) -> u32 {
    rt.visible_with(Join, ObjectId::NONE, id.0, at)
}

/// True if a controlled thread has ended.
#[track_caller]
pub(super) fn is_finished(rt: &Runtime, id: ThreadId) -> bool {
    let end = end_of(rt, id);
    rt.visible(IsFinished, end, id.0) == 1
}

/// The current thread ends, visibly.
#[track_caller]
pub(crate) fn finish(rt: &Runtime, id: ThreadId) {
    let end = end_of(rt, id);
    rt.visible(Finish, end, 0);
}

/// The object through which others notice the end of a thread.
fn end_of(rt: &Runtime, id: ThreadId) -> ObjectId {
    let mut execution = rt.execution.borrow_mut();
    let thread = &execution.threads[id.index()];
    if thread.end == ObjectId::NONE {
        let made = thread.spawned_at;
        let end = execution.object(State { thread: id }, made);
        execution.threads[id.index()].end = end;
    }
    execution.threads[id.index()].end
}

/// Operations on the end of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Op {
    /// Waits for the end of the thread that the argument names. It has no object, because an end that was waited for
    /// races with nothing.
    Join,
    /// Asks whether the thread that the argument names has ended.
    IsFinished,
    /// Ends, where visible.
    Finish,
}

/// The end of a thread.
#[derive(Clone, Debug)]
pub(crate) struct State {
    thread: ThreadId,
}

impl ObjectType for State {
    type Operation = Op;
    const NAME: &'static str = "end of thread";
    const DECLARED: bool = false;

    fn verb(operation: Op) -> &'static str {
        match operation {
            Join => "join",
            IsFinished => "is_finished",
            Finish => "finish",
        }
    }

    fn name(&self, _ordinal: u32) -> String {
        self.thread.to_string()
    }

    fn target(execution: &Execution, event: &Event, operation: Op) -> String {
        match operation {
            Join | IsFinished => execution.label(ThreadId(event.asked.arg)),
            Finish => execution.object_name(event.footprint.object),
        }
    }

    fn waits_for(execution: &Execution, thread: &Thread, operation: Op) -> String {
        match operation {
            Join => format!("for the end of {}", execution.label(ThreadId(thread.pending.arg))),
            other => {
                let (name, made) = execution.name_and_place(thread.pending.object);
                format!("to {} {name}{made}", Self::verb(other))
            }
        }
    }

    fn possible(execution: &Execution, thread: &Thread, operation: Op) -> bool {
        operation != Join || execution.threads[thread.pending.arg as usize].status == Status::Finished
    }

    fn perform(execution: &mut Execution, step: Step, operation: Op) -> u32 {
        match operation {
            Join => execution.detectors.joined(step.thread, ThreadId(step.arg)),
            IsFinished => {
                execution.notices_releases = true;
                let ended = execution.threads[step.arg as usize].status == Status::Finished;
                return u32::from(ended);
            }
            Finish => {}
        }
        0
    }

    fn order(&self, first: Effect<Op>, second: Effect<Op>, users: &Operations) -> Order {
        Order::races_if(Self::dependent(first, second, users))
    }

    fn dependent(a: Effect<Op>, b: Effect<Op>, _: &Operations) -> bool {
        a.kind != Join && b.kind != Join && a.kind != b.kind
    }

    fn idle(_: &Execution, _: &Event, operation: Op) -> bool {
        operation == IsFinished
    }

    fn also_after(execution: &Execution, _: ObjectId, effect: Effect<Op>, clock: &mut Vec<u32>) {
        if effect.kind == Join {
            join(clock, &execution.threads[effect.arg as usize].clock);
        }
    }

    fn awaits(effect: Effect<Op>) -> Option<ThreadId> {
        (effect.kind == Join).then_some(ThreadId(effect.arg))
    }
}
