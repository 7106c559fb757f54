//! The virtual clock of an execution: time passes only when nothing else can happen.
//!
//! A timer fires when every thread waits and no other timer is due earlier; the clock then shows its deadline. All timers with
//! that deadline are due, and fire in any order relative to each other and to what follows. So to the search, moving the
//! clock comes after everything that has happened, and before everything that happens later: a thread that waited when the
//! clock moved goes on only because of something that follows from it. Within the time between two such moments, all orders are
//! explored as usual. Discrete-event simulation; Lamport's "real time is really simple" (CHARME 2005) argues that nothing is
//! lost if computations take no time.
//!
//! With [`Checker::early_timers`](crate::Checker::early_timers) a timer may fire whenever it is waited for, however long it is: a
//! computation may take any time. The clock then stands still.

use crate::execution::thread::{Status, Thread};
use crate::execution::{Execution, join};
use crate::ids::{EventId, ThreadId};
use std::time::Duration;

/// A moment in milliseconds since the execution began.
pub(crate) type Moment = u32;

/// A moment that never comes.
pub(crate) const NEVER: Moment = u32::MAX;

/// What the clock shows.
#[derive(Clone, Default, Debug)]
pub(crate) struct Clock {
    now: Moment,
    /// When it was moved to what, in order.
    moves: Vec<(Moment, EventId)>,
}

impl Clock {
    pub(crate) fn now(&self) -> Moment {
        self.now
    }

    pub(crate) fn reset(&mut self) {
        self.now = 0;
        self.moves.clear();
    }

    /// The moment after this time. Like tokio's timers, it has whole milliseconds, rounded up.
    pub(crate) fn after(&self, duration: Duration) -> Moment {
        let millis = duration.as_nanos().div_ceil(1_000_000);
        u32::try_from(millis).map_or(NEVER, |millis| self.now.saturating_add(millis))
    }
}

/// True if a timer of a thread that waits can fire. `deadline_of` says until when other threads wait, if they wait for a timer.
pub(super) fn fires(
    execution: &Execution,
    me: ThreadId,
    deadline: Moment,
    deadline_of: impl Fn(&Thread) -> Option<Moment>,
) -> bool {
    if deadline == NEVER {
        return false;
    }
    if execution.settings.early_timers || execution.clock.now >= deadline {
        return true;
    }
    ThreadId::all()
        .zip(&execution.threads)
        .all(|(id, thread)| match thread.status {
            Status::New | Status::Running => false,
            Status::Pending if id != me => match deadline_of(thread) {
                Some(other) => other > execution.clock.now && (deadline, me) < (other, id),
                None => !thread.pending.kind.possible(execution, thread),
            },
            _ => true,
        })
}

/// True if a timer that is no longer the first could have fired after the events that `remain`.
pub(super) fn was_due(execution: &Execution, deadline: Moment, remain: impl Fn(EventId) -> bool) -> bool {
    if execution.settings.early_timers {
        return deadline != NEVER;
    }
    let due = execution.clock.moves.iter().find(|(moment, _)| *moment >= deadline);
    due.is_some_and(|(_, event)| remain(*event))
}

/// A timer fires, as the running transition.
pub(super) fn fire(execution: &mut Execution, deadline: Moment) {
    if !execution.settings.early_timers && execution.clock.now < deadline {
        let event = EventId::new(execution.events.len() - 1);
        execution.clock.now = deadline;
        execution.clock.moves.push((deadline, event));
    }
}

/// Joins to `clock` what came before a timer that has fired as the last event: everything if it has moved the clock, and else
/// what made it due.
pub(super) fn fired_after(execution: &Execution, deadline: Moment, clock: &mut Vec<u32>) {
    let event = EventId::new(execution.events.len() - 1);
    let Some(&(_, cause)) = execution.clock.moves.iter().find(|(moment, _)| *moment >= deadline) else {
        return;
    };
    if cause == event {
        for thread in &execution.threads {
            join(clock, &thread.clock);
        }
    } else {
        join(clock, execution.clock(cause));
    }
}
