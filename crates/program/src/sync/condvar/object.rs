//! Condition variables for the engine. Waiters are a set: a notification may wake any of them.
//!
//! So two waits commute. A wait and a notification do not, because a notification
//! before the wait is lost. Two notifications that find no waiter commute. If they may find
//! waiters, the order decides which one wakes which.

use crate::execution::thread::Thread;
use crate::execution::{Event, Execution, Race};
use crate::ids::{ObjectId, ThreadId};
use crate::narrow::short;
use crate::object_type::{ObjectType, Order, Step, Ways};
use crate::operation::{Effect, Operation};
use crate::sync::mutex;
use crate::user::Operations;
use Op::{NotifyAll, NotifyNone, NotifyOne, Wait};

/// Operations on a condition variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Op {
    /// Releases the mutex and begins to wait. The argument is the mutex.
    Wait,
    /// Wakes one waiter, any of them.
    NotifyOne,
    /// Wakes all waiters.
    NotifyAll,
    /// Refined: woke no thread.
    NotifyNone,
}

/// The state of a condition variable.
#[derive(Clone, Default, Debug)]
pub(crate) struct State {
    /// Threads that wait, in the order of their ids.
    waiters: Vec<ThreadId>,
}

/// Choice 0 waits to be notified. Choice 1 is a wakeup without notification, or a timeout: the
/// thread leaves at once. A thread that leaves later, and was not notified before, might
/// as well have left at once, because no other thread can tell the difference.
fn wait(execution: &mut Execution, step: Step) -> u32 {
    let id = step.thread;
    let lock = ObjectId(step.arg);
    if execution.settings.visible_releases
        && let Some(event) = execution.events.last_mut()
    {
        event.footprint.also = Some((lock, mutex::effect_of_wait()));
    }
    execution.release(lock);
    if step.choice == 0 {
        execution.threads[id.index()].waiting = true;
        let waiters = &mut execution.state::<State>(step.object).waiters;
        let position = waiters.partition_point(|w| *w < id);
        waiters.insert(position, id);
    } else if !execution.threads[id.index()].timed() {
        execution.threads[id.index()].spurious_left -= 1;
    }
    step.choice
}

fn notify(execution: &mut Execution, step: Step, all: bool) -> u32 {
    let waiters = &mut execution.state::<State>(step.object).waiters;
    if waiters.is_empty() {
        execution.refine(NotifyNone, 0);
        return 0;
    }
    if all {
        for id in std::mem::take(waiters) {
            execution.wake(id);
        }
    } else {
        let id = waiters.remove(step.choice as usize);
        execution.wake(id);
    }
    1
}

impl ObjectType for State {
    type Operation = Op;
    const NAME: &'static str = "Condvar";
    const SILENT: &'static [&'static str] = &["mazurka::sync::condvar::Condvar"];

    fn verb(operation: Op) -> &'static str {
        match operation {
            Wait => "wait",
            NotifyOne => "notify_one",
            NotifyAll => "notify_all",
            NotifyNone => "notify: nobody waits",
        }
    }

    fn ways(execution: &Execution, thread: &Thread, operation: Op) -> Ways {
        Ways::Numbered(match operation {
            NotifyOne => short(execution.look::<State>(thread.pending.object).waiters.len().max(1)),
            Wait if thread.timed() || thread.spurious_left > 0 => 2,
            _ => 1,
        })
    }

    fn perform(execution: &mut Execution, step: Step, operation: Op) -> u32 {
        match operation {
            Wait => wait(execution, step),
            NotifyOne | NotifyAll => notify(execution, step, operation == NotifyAll),
            NotifyNone => step.choice,
        }
    }

    fn order(&self, first: Effect<Op>, second: Effect<Op>, users: &Operations) -> Order {
        Order::races_if(Self::dependent(first, second, users))
    }

    fn dependent(a: Effect<Op>, b: Effect<Op>, _: &Operations) -> bool {
        !matches!((a.kind, b.kind), (Wait, Wait) | (NotifyNone, NotifyNone))
    }

    /// Nobody else notices a wait that is over at once, because its time is up.
    fn idle(execution: &Execution, event: &Event, operation: Op) -> bool {
        match operation {
            Wait => event.choice != 0 && execution.threads[event.thread.index()].timeout,
            NotifyNone => true,
            NotifyOne | NotifyAll => false,
        }
    }

    /// How many threads would wait then.
    fn choices_without(execution: &Execution, race: &Race, asked: &Operation, operation: Op) -> Option<u32> {
        if operation != NotifyOne {
            return None;
        }
        let mut waiters: Vec<ThreadId> = Vec::new();
        for (entry, operation) in execution.history::<State>(asked.object) {
            if entry.event >= race.second || execution.happened_before(race.first, entry.event) {
                continue;
            }
            let choice = execution.events[entry.event.index()].choice;
            match operation {
                Wait if choice == 0 => {
                    let position = waiters.partition_point(|w| *w < entry.thread);
                    waiters.insert(position, entry.thread);
                }
                NotifyOne if (choice as usize) < waiters.len() => {
                    waiters.remove(choice as usize);
                }
                NotifyAll => waiters.clear(),
                _ => {}
            }
        }
        Some(short(waiters.len().max(1)))
    }

    /// A wait also concerns its mutex.
    fn concerns(effect: Effect<Op>) -> Option<ObjectId> {
        (effect.kind == Wait).then_some(ObjectId(effect.arg))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lost_notification_is_another_outcome() {
        let (nobody, users) = (State::default(), Operations::default());
        let effect = |kind| Effect { kind, arg: 0 };
        let order = |a, b| nobody.order(effect(a), effect(b), &users);
        assert_eq!(order(NotifyNone, Wait), Order::Races);
        assert_eq!(order(Wait, NotifyOne), Order::Races);
        assert_eq!(order(Wait, Wait), Order::Unordered);
    }
}
