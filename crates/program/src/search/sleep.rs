//! Sleep sets: transitions whose continuations an earlier branch has already covered.
//!
//! Godefroid's thesis, chapter 5; Stoller's Fig. 1 and section 7: a transition sleeps with what
//! its execution from the same state has shown it to be, and wakes when something dependent
//! happens. Ways to perform one operation (`choose`, whom to notify) sleep one by one.

use super::natural;
use crate::execution::{Event, Execution};
use crate::ids::ThreadId;
use crate::operation::Footprint;

#[derive(Clone, Copy, Debug)]
pub(super) struct Sleeper {
    pub(super) thread: ThreadId,
    pub(super) choice: u32,
    /// Of how many.
    pub(super) choices: u32,
    pub(super) footprint: Footprint,
    /// It has slept since a state from which the search went on freely, rather than along a continuation.
    pub(super) loose: bool,
}

/// True if a transition may be performed in other ways later.
pub(super) fn is_open(footprint: &Footprint) -> bool {
    footprint.effect.kind.is_open()
}

impl Sleeper {
    pub(super) fn of(event: &Event) -> Sleeper {
        Sleeper {
            thread: event.thread,
            choice: event.choice,
            choices: event.choices,
            footprint: event.footprint,
            loose: false,
        }
    }
}

/// The sleepers of the previous state, if there is one, that still sleep after the last event of the execution.
/// The search goes on `freely` if no continuation is left.
pub(super) fn after_last(before: Option<&[Sleeper]>, execution: &Execution, freely: bool) -> Vec<Sleeper> {
    let Some(sleep) = before else { return Vec::new() };
    let event = &execution.events[execution.events.len() - 1];
    let still = sleep
        .iter()
        .filter(|s| s.thread != event.thread && !s.footprint.dependent(&event.footprint, &execution.users));
    still
        .map(|s| Sleeper {
            choices: match is_open(&s.footprint) {
                true => execution.ways(s.thread).len(),
                false => s.choices,
            },
            loose: s.loose || freely,
            ..*s
        })
        .collect()
}

/// True if this way to perform the thread's operation sleeps.
pub(super) fn asleep(sleep: &[Sleeper], thread: ThreadId, choice: u32) -> bool {
    sleep.iter().any(|s| s.thread == thread && s.choice == choice)
}

/// The thread that goes on: the natural one if it is awake in some way, or else the first one that is.
pub(super) fn first_awake(sleep: &[Sleeper], execution: &Execution, enabled: &[ThreadId]) -> Option<ThreadId> {
    std::iter::once(natural(execution, enabled))
        .chain(enabled.iter().copied())
        .find(|thread| awake(sleep, execution, *thread).is_some())
}

/// A way to perform the thread's operation that does not sleep.
pub(super) fn awake(sleep: &[Sleeper], execution: &Execution, thread: ThreadId) -> Option<u32> {
    let ways = execution.ways(thread);
    ways.iter().find(|c| !asleep(sleep, thread, *c))
}
