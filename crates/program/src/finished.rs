//! Executions that have ended, as observers see them.

use crate::execution::Execution;
use crate::ids::ObjectId;
use crate::report::{ObjectNumber, ThreadNumber};

/// An execution that has ended, as [`Checker::on_execution`](crate::Checker::on_execution) reports it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Finished {
    /// The events, in order.
    pub events: Vec<FinishedEvent>,
    /// Whether threads were left waiting.
    pub deadlock: bool,
}

/// An event of an execution that has ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct FinishedEvent {
    /// The thread.
    pub thread: ThreadNumber,
    /// What it did.
    pub operation: &'static str,
    /// The object, if the operation concerns one.
    pub object: Option<ObjectNumber>,
    /// The number of the message, for operations on messages.
    pub number: u32,
    /// Which of several ways to perform the operation was chosen.
    pub choice: u32,
}

impl Finished {
    pub(crate) fn new(execution: &Execution) -> Finished {
        let events = execution.events.iter().map(|e| FinishedEvent {
            thread: ThreadNumber(e.thread.0),
            operation: e.footprint.effect.kind.exact_verb(),
            object: (e.footprint.object != ObjectId::NONE).then_some(ObjectNumber(e.footprint.object.0)),
            number: e.footprint.effect.arg,
            choice: e.choice,
        });
        Finished {
            events: events.collect(),
            deadlock: !execution.stuck().is_empty(),
        }
    }
}
