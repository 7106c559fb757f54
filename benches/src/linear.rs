//! Linearizability of long histories: operations a second and memory, by length and by how many operations overlap.
//!
//! Histories are those of correct objects, so the whole history has to be explained. `register` has values that are written once and
//! needs no search; `register, searched` is the same history by the search; `counter` and `queue` are searched.
//!
//! A published figure beside it, which was not measured here: Porcupine, by its issue 3, ran out of 128 GB on a history of one key
//! with 5,000 events.

use crate::heap;
use fastrand::Rng;
use mazurka_core::Limits;
use mazurka_linear::specifications::{counter, queue, register};
use mazurka_linear::{Found, History, Specification, check};
use std::time::Duration;

/// A search is given up after this time.
const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) fn run(quick: bool) {
    println!(
        "{:22} {:>10} {:>8} {:>12} {:>10} {:>10}",
        "object", "operations", "overlap", "operations/s", "memory", "verdict"
    );
    let lengths: &[usize] = if quick { &[1_000] } else { &[1_000, 10_000, 100_000] };
    for &length in lengths {
        let overlaps: &[usize] = if quick { &[2] } else { &[2, 5, 10] };
        for &overlap in overlaps {
            registers(length, overlap);
            counters(length, overlap);
            queues(length, overlap);
        }
    }
}

fn limits() -> Limits<'static> {
    Limits {
        time: Some(PATIENCE),
        bytes: Some(4 << 30),
        ..Limits::default()
    }
}

fn registers(length: usize, overlap: usize) {
    use register::{Operation, Register, Response, check_unique};
    let register = Register { initial: 0 };
    let mut written = 0;
    let history = recorded(
        &register,
        length,
        overlap,
        |random| match random.u8(0..3) {
            0 => {
                written += 1;
                Operation::Write(written)
            }
            _ => Operation::Read,
        },
        |value, operation| match operation {
            Operation::Read => Response::Value(*value),
            _ => Response::Done,
        },
    );
    measured("register", &history, overlap, || {
        check_unique(&register, &history, limits())
    });
    measured("register, searched", &history, overlap, || {
        check(&register, &history, limits())
    });
}

fn counters(length: usize, overlap: usize) {
    use counter::{Counter, Operation, Response};
    let counter = Counter { initial: 0 };
    let history = recorded(
        &counter,
        length,
        overlap,
        |random| match random.u8(0..3) {
            0 => Operation::Add(1),
            1 => Operation::Add(-1),
            _ => Operation::Read,
        },
        |number, operation| match operation {
            Operation::Read => Response::Value(*number),
            Operation::Add(_) => Response::Done,
        },
    );
    measured("counter", &history, overlap, || check(&counter, &history, limits()));
}

fn queues(length: usize, overlap: usize) {
    use queue::{Operation, Queue, Response};
    let (queue, mut last) = (Queue::new(), 0);
    // More is taken than put, so the queue stays short.
    let history = recorded(
        &queue,
        length,
        overlap,
        |random| match random.u8(0..5) {
            0 | 1 => {
                last += 1;
                Operation::Enqueue(last)
            }
            _ => Operation::Dequeue,
        },
        |all, operation| match (operation, all.first()) {
            (Operation::Enqueue(_), _) => Response::Done,
            (Operation::Dequeue, Some(first)) => Response::Value(*first),
            (Operation::Dequeue, None) => Response::Empty,
        },
    );
    measured("queue", &history, overlap, || check(&queue, &history, limits()));
}

/// A history of an object that is right: operations take effect between invocation and return.
fn recorded<S: Specification>(
    specification: &S,
    length: usize,
    overlap: usize,
    mut operation: impl FnMut(&mut Rng) -> S::Operation,
    answer: impl Fn(&S::State, &S::Operation) -> S::Response,
) -> History<S::Operation, S::Response> {
    let mut random = Rng::with_seed(1);
    let (mut history, mut state, mut open) = (History::new(), specification.initial(), Vec::new());
    while history.len() < length || !open.is_empty() {
        if history.len() < length && open.len() < overlap {
            let operation = operation(&mut random);
            open.push((history.invoke(0, operation.clone()), operation, None));
            continue;
        }
        let at = random.usize(0..open.len());
        let (id, operation, response) = &mut open[at];
        match response.take() {
            Some(response) => {
                history.returned(*id, response);
                open.swap_remove(at);
            }
            None => {
                let given = answer(&state, operation);
                let mut next = Vec::new();
                specification.step(&state, operation, Some(&given), &mut next);
                state = next.pop().expect("the answer is right");
                *response = Some(given);
            }
        }
    }
    history
}

fn measured<O, R>(
    name: &str,
    history: &History<O, R>,
    overlap: usize,
    work: impl FnOnce() -> mazurka_core::Outcome<Found>,
) {
    let (outcome, peak) = heap::peak(work);
    let seconds = outcome.statistics.time.as_secs_f64();
    println!(
        "{name:22} {:>10} {overlap:>8} {:>12.0} {:>7} KiB {:>10}",
        history.len(),
        history.len() as f64 / seconds,
        peak / 1024,
        outcome.verdict.name(),
    );
}
