//! Each specification: searches, and what needs none, compared with the definition on random small histories.

use crate::naive::is_linearizable;
use crate::random::{Material, Shape, history};
use fastrand::Rng;
use mazurka_linear::specifications::{append_list, counter, mutex, queue, register, set, stack, text};
use mazurka_linear::{Found, History, Specification, check, is_linearization};
use mazurka_outcome::{Limits, Outcome, Verdict};
use mazurka_seeds::{are_chosen, seeds};
use std::fmt::Debug;
use std::sync::atomic::{AtomicU32, Ordering};

const CASES: u64 = 4000;

pub fn registers() -> Material<register::Register<u8>> {
    use register::{Operation, Response};
    Material {
        specification: register::Register { initial: 0 },
        operations: vec![
            Operation::Read,
            Operation::Read,
            Operation::Write(1),
            Operation::Write(2),
            Operation::CompareAndSwap(1, 2),
            Operation::CompareAndSwap(0, 1),
        ],
        responses: [Response::Done, Response::Swapped(true), Response::Swapped(false)]
            .into_iter()
            .chain((0..4).map(Response::Value))
            .collect(),
    }
}

pub fn counters() -> Material<counter::Counter> {
    use counter::{Operation, Response};
    Material {
        specification: counter::Counter { initial: 0 },
        operations: vec![
            Operation::Read,
            Operation::Add(1),
            Operation::Add(-1),
            Operation::Add(2),
        ],
        responses: [Response::Done]
            .into_iter()
            .chain((-3..6).map(Response::Value))
            .collect(),
    }
}

pub fn sets() -> Material<set::Set<u8>> {
    use set::{Operation, Response};
    Material {
        specification: set::Set::new(),
        operations: (0..2)
            .flat_map(|v| {
                [
                    Operation::Add(v),
                    Operation::Remove(v),
                    Operation::Contains(v),
                    Operation::Read,
                ]
            })
            .collect(),
        responses: [Response::Done, Response::Answer(true), Response::Answer(false)]
            .into_iter()
            .chain([&[][..], &[0], &[1], &[0, 1]].map(|all| Response::Elements(all.iter().copied().collect())))
            .collect(),
    }
}

pub fn queues() -> Material<queue::Queue<u8>> {
    use queue::{Operation, Response};
    Material {
        specification: queue::Queue::new(),
        operations: vec![
            Operation::Enqueue(1),
            Operation::Enqueue(2),
            Operation::Dequeue,
            Operation::Dequeue,
        ],
        responses: vec![Response::Done, Response::Empty, Response::Value(1), Response::Value(2)],
    }
}

pub fn stacks() -> Material<stack::Stack<u8>> {
    use stack::{Operation, Response};
    Material {
        specification: stack::Stack::new(),
        operations: vec![Operation::Push(1), Operation::Push(2), Operation::Pop, Operation::Pop],
        responses: vec![Response::Done, Response::Empty, Response::Value(1), Response::Value(2)],
    }
}

pub fn mutexes() -> Material<mutex::Mutex> {
    use mutex::{Operation, Response};
    Material {
        specification: mutex::Mutex,
        operations: vec![Operation::Acquire, Operation::TryAcquire, Operation::Release],
        responses: vec![Response::Done, Response::Busy],
    }
}

pub fn lists() -> Material<append_list::AppendList<u8>> {
    use append_list::{Operation, Response};
    let lists = [
        &[][..],
        &[1],
        &[2],
        &[1, 2],
        &[2, 1],
        &[1, 1],
        &[1, 2, 1],
        &[2, 2],
        &[1, 1, 2],
        &[2, 1, 2],
    ];
    Material {
        specification: append_list::AppendList::default(),
        operations: vec![Operation::Append(1), Operation::Append(2), Operation::Read],
        responses: [Response::Done]
            .into_iter()
            .chain(lists.map(|list| Response::List(list.to_vec())))
            .collect(),
    }
}

pub fn texts() -> Material<text::Text> {
    use text::{Operation, Response};
    let texts = ["", "a", "b", "ab", "ba", "aa", "bb"].map(|text| Response::Text(text.to_owned()));
    Material {
        specification: text::Text,
        operations: vec![
            Operation::Read,
            Operation::Append("a".to_owned()),
            Operation::Append("b".to_owned()),
            Operation::Write("a".to_owned()),
        ],
        responses: [Response::Done].into_iter().chain(texts).collect(),
    }
}

/// What is handed out shows the answer: a linearization, or a prefix that has none although the one before has.
fn shows<S: Specification>(spec: &S, history: &History<S::Operation, S::Response>, outcome: &Outcome<Found>) {
    if let Some(order) = &outcome.linearization {
        assert!(is_linearization(spec, history, order));
    }
    if let Some(violation) = &outcome.violation {
        let bad = history.before(violation.end);
        assert!(!is_linearizable(spec, &bad), "the prefix is linearizable");
        let good = history.before(violation.end - 1);
        assert!(is_linearization(spec, &good, &violation.before));
        assert_eq!(history.get(violation.operation).returned(), Some(violation.end - 1));
    }
}

fn compare<S: Specification>(material: impl Fn() -> Material<S> + Sync)
where
    S::Operation: Debug,
    S::Response: Debug,
{
    let (good, bad) = (AtomicU32::new(0), AtomicU32::new(0));
    seeds(CASES, |seed| {
        let (material, mut random) = (material(), Rng::with_seed(seed));
        let history = history(&material, Shape::small(&mut random), &mut random);
        let outcome = check(&material.specification, &history, Limits::default());
        let expected = is_linearizable(&material.specification, &history);
        assert_eq!(outcome.verdict, Verdict::from(expected), "{history:?}");
        shows(&material.specification, &history, &outcome);
        if expected { &good } else { &bad }.fetch_add(1, Ordering::Relaxed);
    });
    let few = |count: AtomicU32| count.into_inner() < 50;
    assert!(
        are_chosen() || !few(good) && !few(bad),
        "the histories are too much alike"
    );
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

#[test]
fn mutex() {
    compare(mutexes);
}

#[test]
fn append_list() {
    compare(lists);
}

#[test]
fn text() {
    compare(texts);
}

/// A counter that may forget to count: what comes next is not determined.
struct Forgetful;

impl Specification for Forgetful {
    type State = u8;
    type Operation = bool;
    type Response = u8;

    fn initial(&self) -> u8 {
        0
    }

    fn step(&self, state: &u8, adds: &bool, response: Option<&u8>, next: &mut Vec<u8>) {
        if response.is_some_and(|response| response != state) {
            return;
        }
        next.push(*state);
        if *adds {
            next.push(state + 1);
        }
    }
}

#[test]
fn what_is_not_determined() {
    compare(|| Material {
        specification: Forgetful,
        operations: vec![true, false],
        responses: (0..5).collect(),
    });
}

/// Registers with values that are written once, and sometimes twice.
#[test]
fn registers_without_a_search() {
    use register::{Operation, Register, Response};
    let (good, bad, reasons) = (AtomicU32::new(0), AtomicU32::new(0), AtomicU32::new(0));
    seeds(10 * CASES, |seed| {
        let mut random = Rng::with_seed(seed);
        let mut values = 0;
        let write = |values: &mut u8| {
            *values += 1;
            Operation::Write(*values)
        };
        let shape = Shape {
            operations: random.usize(0..=7),
            ..Shape::small(&mut random)
        };
        let mut material = registers();
        material.operations = (0..3)
            .map(|_| write(&mut values))
            .chain([Operation::Read, Operation::Read])
            .collect();
        let random_history = history(&material, shape, &mut random);
        let mut unique: History<Operation<u8>, Response<u8>> = History::new();
        rewrite(&random_history, &mut unique);
        let register = Register { initial: 0 };
        let outcome = register::check_unique(&register, &unique, Limits::default());
        let expected = is_linearizable(&register, &unique);
        assert_eq!(outcome.verdict, Verdict::from(expected), "{unique:?}");
        shows(&register, &unique, &outcome);
        let reason = outcome.violation.as_ref().and_then(|v| v.reason.as_ref());
        reasons.fetch_add(u32::from(reason.is_some()), Ordering::Relaxed);
        if expected { &good } else { &bad }.fetch_add(1, Ordering::Relaxed);
    });
    assert!(are_chosen() || good.into_inner() > 20 && bad.into_inner() > 20);
    assert!(
        are_chosen() || reasons.into_inner() > 20,
        "most violations need no search"
    );
}

/// The same history, in which most writes have values of their own, and reads see one of those that were written as the one that they
/// saw.
fn rewrite(
    from: &History<register::Operation<u8>, register::Response<u8>>,
    to: &mut History<register::Operation<u8>, register::Response<u8>>,
) {
    use register::{Operation, Response};
    let mut moments = Vec::new();
    for (id, o) in from.operations() {
        moments.push((o.at, id, true));
        moments.extend(o.returned().map(|at| (at, id, false)));
    }
    moments.sort_unstable();
    let mut renamed: Vec<(u8, u8)> = Vec::new();
    for (_, id, is_call) in moments {
        let invocation = from.get(id);
        if is_call {
            let operation = match invocation.operation {
                Operation::Write(value) if renamed.len() != 5 => {
                    let unique = 10 + u8::try_from(id.0).unwrap();
                    renamed.push((value, unique));
                    Operation::Write(unique)
                }
                ref other => other.clone(),
            };
            assert_eq!(to.invoke(invocation.process, operation), id);
            if invocation.failed() {
                to.failed(id);
            }
        } else {
            let response = match invocation.response().unwrap() {
                Response::Value(value) => {
                    let last = renamed.iter().rev().find(|(old, _)| old == value);
                    Response::Value(last.map_or(*value, |(_, new)| *new))
                }
                other => other.clone(),
            };
            to.returned(id, response);
        }
    }
}
