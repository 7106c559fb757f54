//! Long histories: the search and what needs none agree, and limits hold.

use crate::random::{Material, Shape, history};
use crate::specifications::registers;
use fastrand::Rng;
use mazurka_linear::specifications::register::{Operation, Register, Response, check_unique};
use mazurka_linear::{History, check};
use mazurka_outcome::{Doubt, Limit, Limits, Verdict};
use mazurka_seeds::seeds;

/// A register with one value for each write, and processes whose operations overlap.
fn long(operations: usize, processes: usize, seed: u64) -> History<Operation<u32>, Response<u32>> {
    let mut random = Rng::with_seed(seed);
    let (mut history, mut value, mut writes) = (History::new(), 0, 0);
    let mut open = Vec::new();
    while history.len() < operations || !open.is_empty() {
        if history.len() < operations && open.len() < processes && (open.is_empty() || random.bool()) {
            let operation = match random.u32(0..3) {
                0 => {
                    writes += 1;
                    Operation::Write(writes)
                }
                _ => Operation::Read,
            };
            let id = history.invoke(0, operation.clone());
            open.push((id, operation, None));
            continue;
        }
        let at = random.usize(0..open.len());
        let (id, operation, response) = &mut open[at];
        match response.take() {
            None => {
                *response = Some(match operation {
                    Operation::Write(new) => {
                        value = *new;
                        Response::Done
                    }
                    _ => Response::Value(value),
                });
            }
            Some(response) => {
                history.returned(*id, response);
                open.swap_remove(at);
            }
        }
    }
    history
}

#[test]
fn five_thousand_events_of_one_key_need_little_memory() {
    let register = Register { initial: 0 };
    for (operations, processes) in [(2500, 5), (2500, 8), (20_000, 6)] {
        let history = long(operations, processes, 1);
        let searched = check(&register, &history, Limits::default());
        let direct = check_unique(&register, &history, Limits::default());
        assert_eq!((searched.verdict, direct.verdict), (Verdict::Holds, Verdict::Holds));
        assert!(
            searched.statistics.bytes < 50 << 20,
            "{} bytes",
            searched.statistics.bytes
        );
    }
}

#[test]
fn the_search_finds_the_prefix_that_the_theorem_finds() {
    seeds(60, |seed| {
        let mut random = Rng::with_seed(seed);
        let good = long(random.usize(50..300), random.usize(2..6), seed);
        // One read is wrong.
        let wrong = random.usize(0..good.len());
        let mut history = History::new();
        let mut moments = Vec::new();
        for (id, o) in good.operations() {
            moments.push((o.at, id, true));
            moments.extend(o.returned().map(|at| (at, id, false)));
        }
        moments.sort_unstable();
        for (_, id, is_call) in moments {
            let o = good.get(id);
            match (is_call, o.response().unwrap()) {
                (true, _) => _ = history.invoke(0, o.operation.clone()),
                (false, Response::Value(value)) if id.index() == wrong => {
                    history.returned(id, Response::Value(value.saturating_sub(random.u32(0..3))));
                }
                (false, response) => history.returned(id, response.clone()),
            }
        }
        let register = Register { initial: 0 };
        let searched = check(&register, &history, Limits::default());
        let direct = check_unique(&register, &history, Limits::default());
        assert_eq!(searched.verdict, direct.verdict);
        let operation = |found: &mazurka_linear::Found| found.violation.as_ref().map(|v| v.operation);
        assert_eq!(operation(&searched), operation(&direct));
    });
}

#[test]
fn limits_hold() {
    let material = Material {
        operations: registers().operations,
        ..registers()
    };
    let shape = Shape {
        processes: 8,
        operations: 3000,
        unknown: 0,
        failed: 0,
        wrong: 0,
    };
    let history = history(&material, shape, &mut Rng::with_seed(3));
    let limited = |limits| check(&material.specification, &history, limits);
    let few = limited(Limits {
        states: Some(10),
        ..Limits::default()
    });
    assert_eq!(few.verdict, Verdict::Inconclusive(Doubt::Limit(Limit::States)));
    let small = limited(Limits {
        bytes: Some(1),
        ..Limits::default()
    });
    assert_eq!(small.verdict, Verdict::Inconclusive(Doubt::Limit(Limit::Memory)));
}
