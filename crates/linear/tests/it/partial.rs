//! Partially ordered histories, compared with the definition on each of their total orders.

use crate::naive::is_linearizable;
use crate::random::Material;
use crate::specifications::{counters, queues, registers, sets, stacks};
use fastrand::Rng;
use mazurka_linear::partial::{Boundary, PartialOperation, check};
use mazurka_linear::{History, OperationId, Specification};
use mazurka_seeds::{are_chosen, seeds};
use std::fmt::Debug;
use std::sync::atomic::{AtomicU32, Ordering};

/// The history of a total order of moments.
fn history<S: Specification>(
    operations: &[PartialOperation<S::Operation, S::Response>],
    order: &[Boundary],
) -> History<S::Operation, S::Response> {
    let mut ids: Vec<Option<OperationId>> = vec![None; operations.len()];
    let mut history = History::new();
    for boundary in order {
        match *boundary {
            Boundary::Invocation(k) => ids[k] = Some(history.invoke(0, operations[k].operation.clone())),
            Boundary::Return(k) => history.returned(ids[k].unwrap(), operations[k].response.clone().unwrap()),
        }
    }
    history
}

/// All total orders of moments that extend a partial one.
fn all_orders(moments: &[Boundary], before: &dyn Fn(Boundary, Boundary) -> bool) -> Vec<Vec<Boundary>> {
    if moments.is_empty() {
        return vec![Vec::new()];
    }
    let first = moments
        .iter()
        .filter(|m| !moments.iter().any(|other| before(*other, **m)));
    let all = first.flat_map(|first| {
        let rest: Vec<Boundary> = moments.iter().copied().filter(|m| m != first).collect();
        let orders = all_orders(&rest, before).into_iter();
        orders
            .map(|order| [*first].into_iter().chain(order).collect())
            .collect::<Vec<Vec<Boundary>>>()
    });
    all.collect()
}

fn compare<S: Specification>(material: impl Fn() -> Material<S> + Sync)
where
    S::Operation: Debug,
    S::Response: Debug,
{
    let (good, bad) = (AtomicU32::new(0), AtomicU32::new(0));
    seeds(1500, |seed| {
        let (material, mut random) = (material(), Rng::with_seed(seed));
        let spec = &material.specification;
        // Operations of several threads, at most four of them, and a random order among the moments.
        let count = random.usize(1..=4);
        let threads: Vec<usize> = (0..count).map(|_| random.usize(0..3)).collect();
        let operations: Vec<_> = (0..count)
            .map(|k| operation(&material, k, &threads, &mut random))
            .collect();
        let mut order: Vec<Boundary> = (0..count).map(Boundary::Invocation).collect();
        order.extend(
            (0..count)
                .filter(|k| operations[*k].response.is_some())
                .map(Boundary::Return),
        );
        let rank: Vec<u32> = order.iter().map(|_| random.u32(..)).collect();
        let dense = random.u32(0..4);
        let related: Vec<Vec<bool>> = order
            .iter()
            .map(|_| order.iter().map(|_| random.u32(0..6) < dense).collect())
            .collect();
        let before = closure(&order, &threads, &|a, b| rank[a] < rank[b] && related[a][b]);
        let Some(before) = before else { return };
        let is_before = |a: Boundary, b: Boundary| {
            let at = |x: Boundary| order.iter().position(|m| *m == x).unwrap();
            before[at(a)][at(b)]
        };
        let bad_order = |order: &Vec<Boundary>| !is_linearizable(spec, &history::<S>(&operations, order));
        let expected = all_orders(&order, &is_before).iter().any(bad_order);
        let found = check(spec, &operations, is_before);
        assert_eq!(found.is_some(), expected, "{operations:?}");
        if let Some(contradiction) = &found {
            let found = &contradiction.order;
            assert!(matches!(found[contradiction.end - 1], Boundary::Return(_)));
            assert_eq!(found.len(), order.len());
            assert!(bad_order(found));
            assert!((0..found.len()).all(|b| (0..b).all(|a| !is_before(found[b], found[a]))));
        }
        if expected { &bad } else { &good }.fetch_add(1, Ordering::Relaxed);
    });
    assert!(
        are_chosen() || good.into_inner() > 50 && bad.into_inner() > 50,
        "too much alike"
    );
}

/// A random operation. Only the last one of a thread may be without a response.
fn operation<S: Specification>(
    material: &Material<S>,
    k: usize,
    threads: &[usize],
    random: &mut Rng,
) -> PartialOperation<S::Operation, S::Response> {
    let operation = random.choice(&material.operations).unwrap().clone();
    let fits = |response: &&S::Response| {
        // It fits the initial state or the one after some operation.
        let (mut states, mut next) = (vec![material.specification.initial()], Vec::new());
        for other in &material.operations {
            material
                .specification
                .step(&states[0].clone(), other, None, &mut states);
        }
        for state in &states {
            material
                .specification
                .step(state, &operation, Some(*response), &mut next);
        }
        !next.is_empty()
    };
    let responses: Vec<&S::Response> = material.responses.iter().filter(fits).collect();
    let last = !threads[k + 1..].contains(&threads[k]);
    let response = random.choice(&responses).filter(|_| !(last && random.u32(0..8) == 0));
    PartialOperation {
        operation,
        response: response.copied().cloned(),
    }
}

/// The transitive closure of the order of threads, that of each operation, and a random one; none if it has a cycle.
fn closure(order: &[Boundary], threads: &[usize], related: &dyn Fn(usize, usize) -> bool) -> Option<Vec<Vec<bool>>> {
    let n = order.len();
    let place = |b: Boundary| match b {
        Boundary::Invocation(k) => (k, 0),
        Boundary::Return(k) => (k, 1),
    };
    let own = |a: usize, b: usize| {
        let (a, b) = (place(order[a]), place(order[b]));
        threads[a.0] == threads[b.0] && a < b
    };
    let mut before: Vec<Vec<bool>> = (0..n)
        .map(|a| (0..n).map(|b| own(a, b) || related(a, b)).collect())
        .collect();
    for via in 0..n {
        for a in 0..n {
            for b in 0..n {
                before[a][b] |= before[a][via] && before[via][b];
            }
        }
    }
    (0..n).all(|a| !before[a][a]).then_some(before)
}

#[test]
fn register() {
    compare(registers);
}

#[test]
fn counter() {
    compare(counters);
}

#[test]
fn set() {
    compare(sets);
}

#[test]
fn queue() {
    compare(queues);
}

#[test]
fn stack() {
    compare(stacks);
}
