//! Whether a history is linearizable, with what shows it.

use crate::definition::is_linearization;
use crate::search::{Searched, search};
use crate::{History, Moment, OperationId, Specification};
use mazurka_outcome::{End, Limits, Outcome, Statistics, Verdict};

/// What shows whether a history is linearizable. If a limit was met while a violation was made smaller, nothing does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// A linearization, if there is one.
    pub linearization: Option<Vec<OperationId>>,
    /// Why there is none.
    pub violation: Option<Violation>,
}

/// Why a history has no linearization: its shortest prefix that has none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The operation that cannot be placed. The prefix ends with its return.
    pub operation: OperationId,
    /// When the prefix ends.
    pub end: Moment,
    /// A linearization of what is before that return.
    pub before: Vec<OperationId>,
    /// What contradicts what, where a theorem says so.
    pub reason: Option<Reason>,
}

/// Operations that contradict each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// In words; `{0}` stands for the first operation, and so on.
    pub text: String,
    /// The operations.
    pub operations: Vec<OperationId>,
}

/// Whether a history is linearizable with respect to a specification: it holds if there is a linearization, which is
/// handed out and has been compared with the definition.
///
/// ```
/// use mazurka_linear::specifications::register::{Operation, Register, Response};
/// use mazurka_linear::{History, check};
/// use mazurka_outcome::{Limits, Verdict};
///
/// let mut history = History::new();
/// let write = history.invoke(0, Operation::Write(1));
/// let (early, late) = (history.invoke(1, Operation::Read), history.invoke(2, Operation::Read));
/// history.returned(early, Response::Value(1));
/// let last = history.invoke(1, Operation::Read);
/// history.returned(last, Response::Value(0)); // the old value, after the new one was seen
/// history.returned(write, Response::Done);
/// history.returned(late, Response::Value(1));
///
/// let outcome = check(&Register { initial: 0 }, &history, Limits::default());
/// assert_eq!(outcome.verdict, Verdict::Violated);
/// assert_eq!(outcome.violation.as_ref().unwrap().operation, last);
/// ```
///
/// # Panics
/// If the search returns an order that is no linearization. That would be a mistake in this crate.
pub fn check<S: Specification>(
    specification: &S,
    history: &History<S::Operation, S::Response>,
    limits: Limits<'_>,
) -> Outcome<Found> {
    let limits = limits.from_now();
    let (searched, mut statistics) = search(specification, history, limits);
    match searched {
        Searched::Order(order) => holds(specification, history, order, statistics),
        Searched::Stuck(count, before) => {
            let stuck = shortest(specification, history, (count, before), limits, &mut statistics);
            match stuck {
                Some(stuck) => violated(specification, history, stuck, None, statistics),
                // That it is violated is certain.
                None => Outcome {
                    verdict: Verdict::Violated,
                    end: End::Stopped,
                    statistics,
                    found: Found::default(),
                },
            }
        }
        Searched::Limit(limit) => Outcome {
            verdict: Verdict::Inconclusive(limit.into()),
            end: End::Limit(limit),
            statistics,
            found: Found::default(),
        },
    }
}

/// The shortest prefix that has no linearization: the operation whose return ends it, and a linearization of what is before that
/// return. What a longer prefix lacks a shorter one may have, never the other way round, so doubling and halving find it; most
/// often it is the first one tried. None if a limit is met.
fn shortest<S: Specification>(
    specification: &S,
    history: &History<S::Operation, S::Response>,
    (count, mut before): (u32, Vec<OperationId>),
    limits: Limits<'_>,
    statistics: &mut Statistics,
) -> Option<(OperationId, Vec<OperationId>)> {
    let mut returns: Vec<(Moment, OperationId)> = (history.operations())
        .filter_map(|(id, o)| Some((o.returned()?, id)))
        .collect();
    returns.sort_unstable();
    let (mut good, mut bad, mut step) = (count as usize, returns.len(), 1);
    while bad - good > 1 {
        let next = match bad < returns.len() {
            true => good.midpoint(bad),
            false => (good + step).min(bad - 1),
        };
        let (searched, cost) = search(specification, &history.before(returns[next - 1].0 + 1), limits);
        statistics.transitions += cost.transitions;
        statistics.states = statistics.states.max(cost.states);
        statistics.bytes = statistics.bytes.max(cost.bytes);
        statistics.time += cost.time;
        match searched {
            Searched::Order(order) => (good, before, step) = (next, order, 2 * step),
            Searched::Stuck(..) => bad = next,
            Searched::Limit(_) => return None,
        }
    }
    Some((returns[good].1, before))
}

pub(crate) fn holds<S: Specification>(
    specification: &S,
    history: &History<S::Operation, S::Response>,
    order: Vec<OperationId>,
    statistics: Statistics,
) -> Outcome<Found> {
    let is_one = is_linearization(specification, history, &order);
    assert!(is_one, "an order that was found is no linearization");
    Outcome {
        verdict: Verdict::Holds,
        end: End::Complete,
        statistics,
        found: Found {
            linearization: Some(order),
            violation: None,
        },
    }
}

pub(crate) fn violated<S: Specification>(
    specification: &S,
    history: &History<S::Operation, S::Response>,
    (operation, before): (OperationId, Vec<OperationId>),
    reason: Option<Reason>,
    statistics: Statistics,
) -> Outcome<Found> {
    let end = history.get(operation).returned().expect("it returned too early");
    let is_one = is_linearization(specification, &history.before(end), &before);
    assert!(is_one, "an order of a prefix is no linearization of it");
    Outcome {
        verdict: Verdict::Violated,
        end: End::Stopped,
        statistics,
        found: Found {
            linearization: None,
            violation: Some(Violation {
                operation,
                end: end + 1,
                before,
                reason,
            }),
        },
    }
}
