//! The definition: whether an order of operations is a linearization of a history.
//!
//! Herlihy, Wing, TOPLAS 1990, section 2.3. The order contains each operation that returned, and none that failed; operations
//! with an unknown outcome may be in it. It keeps the order of operations that do not overlap, and the
//! specification allows it. Nothing is handed out as a linearization that did not pass here.

use crate::{History, OperationId, Specification};

/// Whether `order` is a linearization of `history`.
pub fn is_linearization<S: Specification>(
    specification: &S,
    history: &History<S::Operation, S::Response>,
    order: &[OperationId],
) -> bool {
    contains_what_happened(history, order) && keeps_real_time(history, order) && run(specification, history, order)
}

fn contains_what_happened<O, R>(history: &History<O, R>, order: &[OperationId]) -> bool {
    let mut times = vec![0_u32; history.len()];
    for id in order {
        match times.get_mut(id.index()) {
            Some(times) => *times += 1,
            None => return false,
        }
    }
    history.operations().all(|(id, operation)| match times[id.index()] {
        0 => operation.returned().is_none(),
        1 => !operation.failed(),
        _ => false,
    })
}

/// Of each two operations, the second must not have returned before the first was invoked. It suffices to look at
/// the latest invocation so far.
fn keeps_real_time<O, R>(history: &History<O, R>, order: &[OperationId]) -> bool {
    let mut latest = None;
    order.iter().all(|&id| {
        let operation = history.get(id);
        latest = latest.max(Some(operation.at));
        operation.returned().is_none_or(|at| Some(at) > latest)
    })
}

/// Whether the specification allows the operations, with their responses, in this order.
fn run<S: Specification>(spec: &S, history: &History<S::Operation, S::Response>, order: &[OperationId]) -> bool {
    !states_after(spec, history, order).is_empty()
}

/// The states in which the object may be after the operations, with their responses, in this order.
pub fn states_after<S: Specification>(
    specification: &S,
    history: &History<S::Operation, S::Response>,
    order: &[OperationId],
) -> Vec<S::State> {
    let mut states = vec![specification.initial()];
    for &id in order {
        let operation = history.get(id);
        let mut next = Vec::new();
        for state in &states {
            specification.step(state, &operation.operation, operation.response(), &mut next);
        }
        let mut distinct = Vec::new();
        for state in next {
            if !distinct.contains(&state) {
                distinct.push(state);
            }
        }
        states = distinct;
    }
    states
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::specifications::register::{Operation, Register, Response};

    #[test]
    fn an_order_must_keep_what_returned_before() {
        let mut history = History::new();
        let write = history.invoke(0, Operation::Write(1));
        history.returned(write, Response::Done);
        let read = history.invoke(1, Operation::Read);
        history.returned(read, Response::Value(0));
        let register = Register { initial: 0 };
        assert!(!is_linearization(&register, &history, &[read, write]));
        assert!(!is_linearization(&register, &history, &[write, read]));
        assert!(!is_linearization(&register, &history, &[write]));
        assert!(!is_linearization(&register, &history, &[write, write]));
    }

    #[test]
    fn an_operation_that_failed_is_in_no_order() {
        let mut history = History::new();
        let write = history.invoke(0, Operation::Write(1));
        history.failed(write);
        let register = Register { initial: 0 };
        assert!(is_linearization(&register, &history, &[]));
        assert!(!is_linearization(&register, &history, &[write]));
    }
}
