//! The definition of linearizability, tried with every order of every set of operations.

use mazurka_linear::{History, OperationId, Specification};

/// Whether some order of the operations that returned, and of any of those that never did, is a linearization.
pub fn is_linearizable<S: Specification>(spec: &S, history: &History<S::Operation, S::Response>) -> bool {
    let all: Vec<OperationId> = history
        .operations()
        .filter(|(_, o)| !o.failed())
        .map(|(id, _)| id)
        .collect();
    extends(spec, history, &all, &mut Vec::new())
}

/// Whether an order that begins like this is a linearization.
fn extends<S: Specification>(
    spec: &S,
    history: &History<S::Operation, S::Response>,
    all: &[OperationId],
    order: &mut Vec<OperationId>,
) -> bool {
    let complete = all
        .iter()
        .all(|id| order.contains(id) || history.get(*id).returned().is_none());
    if complete && allows(spec, history, order) {
        return true;
    }
    all.iter().any(|&id| {
        if order.contains(&id) || order.iter().any(|earlier| history.precedes(id, *earlier)) {
            return false;
        }
        order.push(id);
        let found = extends(spec, history, all, order);
        order.pop();
        found
    })
}

fn allows<S: Specification>(spec: &S, history: &History<S::Operation, S::Response>, order: &[OperationId]) -> bool {
    fn from<S: Specification>(
        spec: &S,
        history: &History<S::Operation, S::Response>,
        state: &S::State,
        order: &[OperationId],
    ) -> bool {
        let Some((first, rest)) = order.split_first() else {
            return true;
        };
        let operation = history.get(*first);
        let mut next = Vec::new();
        spec.step(state, &operation.operation, operation.response(), &mut next);
        next.iter().any(|state| from(spec, history, state, rest))
    }
    from(spec, history, &spec.initial(), order)
}
