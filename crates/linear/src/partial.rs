//! Histories whose invocations and returns are ordered partially: linearizability in every total order at once.
//!
//! One execution of a concurrent program stands for its Mazurkiewicz trace, the executions that differ in the order of
//! independent events. Invocations and returns are events of their threads only, so they are ordered partially: a moment
//! `a` is before a moment `b` in every execution of the trace if and only if they are of one thread in this order, or
//! there are events `e` and `f` such that `e` is after `a` in the thread of `a`, `f` is before `b` in the thread of
//! `b`, and `e` is `f` or happened before it. Each total order of the moments that extends this partial order is that of an
//! execution of the trace: the union of a partial order with a total extension of its restriction to some elements has no cycle.
//!
//! The trace is linearizable if each of these orders is. (It does not suffice that the partial order itself has a linearization, since
//! each total order may need another one.) This module looks for an order that has none:
//!
//! * A return that may come next comes at once. Moving a return to the front of the rest of an order only makes its operation precede
//!   more of the others, so whatever contradicts linearizability still does. Only invocations are branched over.
//! * For each order so far, it keeps all configurations in which the object may be: the state, and which of the open operations have
//!   taken effect (Lowe, *Testing for Linearizability*, 2017, section 4, called just-in-time). If none is left after a return, no
//!   linearization explains the order.
//! * Orders of the same moments with the same configurations are continued once.

use crate::Specification;
use std::collections::HashSet;
use std::hash::Hash;

/// An operation of a partially ordered history.
#[derive(Clone, Debug)]
pub struct PartialOperation<O, R> {
    /// What was invoked.
    pub operation: O,
    /// Its response; none if it never returned.
    pub response: Option<R>,
}

/// A moment of a partially ordered history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Boundary {
    /// The invocation of the operation with this index.
    Invocation(usize),
    /// Its return.
    Return(usize),
}

/// At most this many operations.
pub const MOST: usize = 64;

/// What is known of the object after an order so far: which open operations have taken effect, and the state.
type Configurations<S> = Vec<(u64, S)>;

/// Moments that are over, and what is known then.
type Reached<S> = (u128, Configurations<S>);

struct Orders<'a, S: Specification> {
    specification: &'a S,
    operations: &'a [PartialOperation<S::Operation, S::Response>],
    moments: Vec<Boundary>,
    /// For each moment, those that are before it.
    before: Vec<u128>,
    seen: HashSet<Reached<S::State>>,
    path: Vec<usize>,
}

/// An order of moments that no linearization explains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contradiction {
    /// All moments, in order.
    pub order: Vec<Boundary>,
    /// After so many of them there is no linearization, given the responses of those operations that return later. The last of
    /// these moments is a return.
    pub end: usize,
}

/// An order of all moments in which the history has no linearization, if there is one. `before` is the partial order of moments;
/// that an operation returns after its invocation need not be said.
///
/// ```
/// use mazurka_linear::partial::{Boundary, PartialOperation, check};
/// use mazurka_linear::specifications::counter::{Counter, Operation, Response};
///
/// let operation = |operation, response| PartialOperation { operation, response: Some(response) };
/// let add = operation(Operation::Add(1), Response::Done);
/// let read = operation(Operation::Read, Response::Value(0));
/// // Nothing says that the addition was over before the read. But it may have been, and then 0 is wrong.
/// let found = check(&Counter { initial: 0 }, &[add, read], |_, _| false).unwrap();
/// assert_eq!(found.order, [0, 1].map(|k| [Boundary::Invocation(k), Boundary::Return(k)]).concat());
/// ```
///
/// # Panics
/// If there are more than [`MOST`] operations.
pub fn check<S: Specification>(
    specification: &S,
    operations: &[PartialOperation<S::Operation, S::Response>],
    before: impl Fn(Boundary, Boundary) -> bool,
) -> Option<Contradiction> {
    assert!(operations.len() <= MOST, "a history of more than {MOST} operations");
    let invocations = (0..operations.len()).map(Boundary::Invocation);
    let returned = (0..operations.len()).filter(|k| operations[*k].response.is_some());
    let moments: Vec<Boundary> = invocations.chain(returned.map(Boundary::Return)).collect();
    let is_before = |a: Boundary, b: Boundary| match (a, b) {
        (Boundary::Invocation(a), Boundary::Return(b)) if a == b => true,
        (a, b) => a != b && before(a, b),
    };
    let mask = |b: &Boundary| {
        (0..moments.len())
            .filter(|a| is_before(moments[*a], *b))
            .map(|a| 1 << a)
            .sum()
    };
    let mut orders = Orders {
        specification,
        operations,
        before: moments.iter().map(mask).collect(),
        moments,
        seen: HashSet::new(),
        path: Vec::new(),
    };
    let start = vec![(0, specification.initial())];
    orders.contradicts(0, start).then(|| Contradiction {
        order: orders.completed(),
        end: orders.path.len(),
    })
}

impl<S: Specification> Orders<'_, S> {
    /// Whether some order that goes on after the moments `done` has no linearization. Then the path leads there.
    fn contradicts(&mut self, done: u128, configurations: Configurations<S::State>) -> bool {
        if configurations.is_empty() {
            return true;
        }
        let next: Vec<usize> = (0..self.moments.len()).filter(|m| self.may_come(done, *m)).collect();
        let at_once = next.iter().find(|m| matches!(self.moments[**m], Boundary::Return(_)));
        if let Some(&moment) = at_once {
            let Boundary::Return(operation) = self.moments[moment] else {
                return false;
            };
            self.path.push(moment);
            let after = self.returned(done, operation, configurations);
            if self.contradicts(done | 1 << moment, after) {
                return true;
            }
            self.path.pop();
            return false;
        }
        if !self.seen.insert((done, configurations.clone())) {
            return false;
        }
        next.into_iter().any(|moment| {
            self.path.push(moment);
            let found = self.contradicts(done | 1 << moment, configurations.clone());
            if !found {
                self.path.pop();
            }
            found
        })
    }

    fn may_come(&self, done: u128, moment: usize) -> bool {
        done >> moment & 1 == 0 && self.before[moment] & !done == 0
    }

    /// The configurations after a return: open operations take effect, in any order, until this one has.
    fn returned(&self, done: u128, operation: usize, from: Configurations<S::State>) -> Configurations<S::State> {
        let (mut seen, mut after) = (HashSet::new(), HashSet::new());
        let mut todo = from;
        while let Some((effective, state)) = todo.pop() {
            if effective >> operation & 1 == 1 {
                after.insert((effective & !(1 << operation), state));
                continue;
            }
            for other in self.open(done).filter(|other| effective >> other & 1 == 0) {
                let PartialOperation { operation, response } = &self.operations[other];
                let mut next = Vec::new();
                (self.specification).step(&state, operation, response.as_ref(), &mut next);
                let next = next.into_iter().map(|state| (effective | 1 << other, state));
                todo.extend(next.filter(|configuration| seen.insert(configuration.clone())));
            }
        }
        // States have no order, so the same configurations may be listed in several orders: they are only continued twice then.
        let mut after: Vec<_> = after.into_iter().collect();
        after.sort_by_key(|(effective, _)| *effective);
        after
    }

    /// The operations that were invoked and have not returned.
    fn open(&self, done: u128) -> impl Iterator<Item = usize> {
        let operations = self.operations.len();
        let has_returned = move |k: usize| {
            let at = self.moments[operations..].binary_search(&Boundary::Return(k));
            at.is_ok_and(|at| done >> (operations + at) & 1 == 1)
        };
        (0..operations).filter(move |k| done >> k & 1 == 1 && !has_returned(*k))
    }

    /// The path, and then the other moments in some order.
    fn completed(&self) -> Vec<Boundary> {
        let mut path = self.path.clone();
        let mut done: u128 = path.iter().map(|m| 1 << m).sum();
        while let Some(moment) = (0..self.moments.len()).find(|m| self.may_come(done, *m)) {
            path.push(moment);
            done |= 1 << moment;
        }
        path.into_iter().map(|m| self.moments[m]).collect()
    }
}
