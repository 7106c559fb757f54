//! Invocations and returns of one execution, and their order in every execution of its trace.
//!
//! A moment is between two events of its thread: `(t, k)` is after `k` events of thread `t`. The invocation of an operation and its
//! return are local steps. They depend on the events of their thread only, so the trace of an execution with its moments is
//! the trace of the events, with the moments in their threads:
//!
//! * `(t, k)` is before `(t, l)` in every execution if it comes first in the thread.
//! * `(t, k)` is before `(u, l)` in every execution, for other threads, if event number `k` of `t`, which is the first after the moment,
//!   happened before event `l - 1` of `u`, the last before the other moment, or is the same. The clock of that event says so.
//!   Otherwise there are executions with either order.
//!
//! The first operations of a scenario are before its threads, the last ones after them, because `main` starts and joins
//! the threads. It starts them within a transition, so clocks do not tell.
//!
//! In the order of one execution alone, as for a token, the place of an event among all events stands in for its clock.

use crate::execution::Execution;
use crate::ids::{EventId, ThreadId};
use crate::token::Schedule;
use mazurka_linear::partial::Boundary;

/// Which part of a scenario an operation belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Phase {
    Before,
    During,
    After,
}

/// An invocation or a return: after how many events of which thread, and after how many other moments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Moment {
    pub(super) thread: ThreadId,
    events: usize,
    order: usize,
}

impl Moment {
    /// Now, in the current thread. `order` grows.
    pub(super) fn now(execution: &Execution, order: usize) -> Moment {
        let thread = execution.current;
        Moment {
            thread,
            events: execution.threads[thread.index()].events.len(),
            order,
        }
    }

    /// The last event of its thread before it.
    fn last_event(&self, execution: &Execution) -> Option<EventId> {
        let events = &execution.threads[self.thread.index()].events;
        Some(events[self.events.checked_sub(1)?])
    }

    /// Whether it is before another moment in every execution of the trace, or, if `only_this`, in whatever execution has the events in this
    /// very order.
    pub(super) fn is_before(&self, other: &Moment, execution: &Execution, only_this: bool) -> bool {
        if self.thread == other.thread {
            return self.order < other.order;
        }
        let Some(last) = other.last_event(execution) else {
            return false;
        };
        match execution.threads[self.thread.index()].events.get(self.events) {
            None => false,
            Some(first) if only_this => *first <= last,
            Some(first) => execution.happened_before(*first, last),
        }
    }
}

/// The schedule of an execution of the same trace in which the moments are in this order.
///
/// Before each moment come the events that happened before it, and those that happened before them. None of them is after a later
/// moment, since that moment would be before this one.
pub(super) fn schedule(execution: &Execution, order: &[Moment]) -> Schedule {
    let mut done = vec![false; execution.events.len()];
    let mut schedule = Schedule::default();
    let mut depth = 0;
    let mut run = |at: usize, done: &mut Vec<bool>| {
        if !std::mem::replace(&mut done[at], true) {
            schedule.push(depth, execution.events[at].thread, execution.events[at].choice);
            depth += 1;
        }
    };
    for moment in order {
        let Some(last) = moment.last_event(execution) else {
            continue;
        };
        for at in 0..=last.index() {
            if execution.happened_before(EventId::new(at), last) {
                run(at, &mut done);
            }
        }
    }
    for at in 0..execution.events.len() {
        run(at, &mut done);
    }
    schedule
}

/// The moments of an order of boundaries.
pub(super) fn of(boundary: Boundary, moments: &[(Moment, Moment)]) -> Moment {
    match boundary {
        Boundary::Invocation(k) => moments[k].0,
        Boundary::Return(k) => moments[k].1,
    }
}
