//! Whether a recorded history is linearizable: as text with a picture, and as JSON.

mod json;
mod picture;
mod text;

pub use json::linear_json;
pub use text::linear_text;

use mazurka_core::{Limit, Verdict};
use mazurka_linear::formats::{Ended, Judged, Object, Recorded, RecordedOperation};
use mazurka_linear::{OperationId, Violation};

/// A history that was checked, or not.
#[derive(Clone, Copy, Debug)]
pub struct LinearRun<'a> {
    /// What the input is called.
    pub trace: &'a str,
    /// The text of the input.
    pub text: &'a str,
    /// What it was compared with.
    pub object: Object,
    /// The history; none if a limit was reached before it was read.
    pub recorded: Option<&'a Recorded>,
    /// The answers for its parts.
    pub judged: &'a [Judged],
    /// The limit that was reached before there were answers.
    pub limit: Option<Limit>,
}

impl LinearRun<'_> {
    /// The worst answer of the parts.
    pub fn verdict(&self) -> Verdict {
        let unread = self.limit.map(|limit| Verdict::Inconclusive(limit.into()));
        let parts = self.judged.iter().map(|part| part.outcome.verdict);
        parts.chain(unread).max().unwrap_or(Verdict::Holds)
    }

    /// How many operations ended in this way.
    fn count(&self, ended: impl Fn(&Ended) -> bool) -> u64 {
        let operations = self.recorded.map_or(&[][..], |recorded| &recorded.operations);
        operations.iter().filter(|operation| ended(&operation.ended)).count() as u64
    }

    /// An operation that an answer mentions.
    fn operation(&self, id: OperationId) -> &RecordedOperation {
        let recorded = self.recorded.expect("what is judged was read");
        &recorded.operations[id.index()]
    }

    /// The operations that matter for a violation, in the order of their invocations: those that overlap the one that cannot be placed,
    /// those that contradict each other, and the last ones before.
    fn relevant(&self, part: &Judged, violation: &Violation) -> Vec<OperationId> {
        let culprit = self.operation(violation.operation);
        let (from, to) = (culprit.moments.0, culprit.moments.1.unwrap_or(u32::MAX));
        let mut all = vec![violation.operation];
        all.extend(
            violation
                .reason
                .iter()
                .flat_map(|reason| reason.operations.iter().copied()),
        );
        all.extend(violation.before.iter().rev().take(LAST));
        let ids = part
            .operations
            .iter()
            .map(|k| OperationId(u32::try_from(*k).unwrap_or(u32::MAX)));
        all.extend(ids.filter(|id| {
            let other = self.operation(*id);
            let ends = other.moments.1.unwrap_or(u32::MAX);
            other.ended != Ended::Failed && other.moments.0 < to && ends > from
        }));
        let mut distinct: Vec<OperationId> = Vec::new();
        for id in all {
            if distinct.len() < MOST && !distinct.contains(&id) {
                distinct.push(id);
            }
        }
        distinct.sort();
        distinct
    }
}

/// So many of the last operations of an order are shown.
const LAST: usize = 4;
/// At most so many operations are drawn.
const MOST: usize = 14;

/// Functions whose answer is shown even if it is nothing. That of others may repeat what was invoked.
const ANSWERS: [&str; 7] = ["read", "get", "dequeue", "pop", "poll", "take", "receive"];

/// An operation as text: `write 1`, `read = 2`.
fn shown(operation: &RecordedOperation, moment: Option<u32>) -> String {
    let value = |value: &mazurka_linear::formats::Datum| match value.to_string() {
        nil if nil == "nil" => String::new(),
        text => format!(" {text}"),
    };
    let invoked = format!("{}{}", operation.function, value(&operation.value));
    let is_over = moment.is_none_or(|moment| operation.moments.1.is_some_and(|end| end < moment));
    match &operation.ended {
        Ended::Returned(_) if !is_over => invoked,
        Ended::Returned(answer) if *answer == operation.value && !ANSWERS.contains(&operation.function.as_str()) => {
            invoked
        }
        Ended::Returned(answer) => format!("{invoked} = {answer}"),
        Ended::Failed => format!("{invoked} failed"),
        Ended::Never | Ended::Unknown => format!("{invoked} = ?"),
    }
}

/// The lines of a text, by the offsets where they begin.
struct Lines(Vec<usize>);

impl Lines {
    fn new(text: &str) -> Self {
        let after = text.match_indices('\n').map(|(at, _)| at + 1);
        Self(std::iter::once(0).chain(after).collect())
    }

    /// The number of the line of an offset, from 1.
    fn of(&self, offset: usize) -> usize {
        self.0.partition_point(|start| *start <= offset)
    }
}
