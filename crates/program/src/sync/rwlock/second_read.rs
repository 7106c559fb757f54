//! A thread that acquires a reader-writer lock for reading, and holds it for reading already.
//!
//! std leaves open whether readers wait for a waiting writer. If they do, as on Linux, a second read of the
//! same thread waits for the writer, which waits for the first read. Our readers never wait for waiting writers, so the
//! search does not meet this deadlock. But the order of events shows it: before the second read there is a state in which
//! the writer waits if, and only if, what the writer did before it asked does not need the second read. Then all of that and
//! everything before the second read can have happened, and the first read is held. Each state lies on an execution that the
//! search goes through, or on an equivalent one, so none is missed.

use super::object::Op;
use crate::execution::Execution;
use crate::execution::thread::Status;
use crate::ids::{EventId, ThreadId};
use crate::operation::{Effect, Operation};

/// The argument of a second read.
const SECOND: u32 = 1;

/// Records that the current operation is a second read of its thread.
pub(super) fn note(execution: &mut Execution) {
    execution.has_remarks = true;
    execution.refine(Op::Read, SECOND);
}

/// The deadlocks that are possible if readers wait for waiting writers: second reads, and writers that may wait before them.
pub(super) fn deadlocks(execution: &Execution) -> Vec<String> {
    let happened = execution.events.iter().enumerate().map(|(i, event)| {
        let before = execution.before(EventId::new(i), event.thread);
        (Some(EventId::new(i)), event.thread, event.asked, before)
    });
    let pending = execution.threads.iter().enumerate();
    let pending = pending.filter(|(_, t)| t.status == Status::Pending);
    let pending = pending.map(|(i, t)| (None, ThreadId::new(i), t.pending, &t.clock[..]));
    happened
        .chain(pending)
        .filter(|(_, _, asked, _)| asked.kind == Op::Write.into())
        .flat_map(|(write, writer, asked, before)| overtaken(execution, write, writer, asked, before))
        .collect()
}

/// The second reads that may come while a writer waits. `before` is the writer's clock then, `write` the event at which it got
/// the lock.
fn overtaken(
    execution: &Execution,
    write: Option<EventId>,
    writer: ThreadId,
    asked: Operation,
    before: &[u32],
) -> impl Iterator<Item = String> {
    let history = &execution.objects[asked.object.index()].history;
    let seconds = history.iter().filter(move |entry| {
        let index = execution.events[entry.event.index()].index;
        entry.thread != writer
                && entry.effect == (Effect { kind: Op::Read.into(), arg: SECOND })
                && before.get(entry.thread.index()).copied().unwrap_or(0) <= index
                // A writer that was done before the first read does not wait at the second one.
                && write.is_none_or(|write| !execution.happened_before(write, entry.event))
    });
    seconds.map(move |second| {
            format!(
                "{} reads {}{} at {} while it reads it already. If {} waits at {} to write at that moment, both can wait for \
                 ever, because std's lock may let waiting writers go first",
                execution.label(second.thread),
                execution.object_name(asked.object),
                execution.made(asked.object),
                execution.events[second.event.index()].asked.at,
                execution.label(writer),
                asked.at,
            )
        })
}
