//! Random small objects: the optimal search finds every violation that plain interleaving finds, and no other.

use fastrand::Rng;
use mazurka::linear::Test;
use mazurka::sync::atomic::{AtomicU64, Ordering::SeqCst};
use mazurka::sync::{Mutex, RwLock};
use mazurka::{Checker, Strategy, Verdict};
use mazurka_seeds::{are_chosen, seeds};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// A statement of a random operation. Registers and locked cells are two each.
#[derive(Clone, Copy, Debug)]
enum Statement {
    Load(usize),
    Store(usize, u64),
    Add(usize, u64),
    Swap(usize, u64),
    /// Copies one register to another one.
    Copy(usize, usize),
    /// Under a lock: reads, or adds.
    Peek(usize),
    Under(usize, u64),
    /// Under a lock: adds to a register.
    Nested(usize, usize),
    /// Under a lock for readers.
    Shared,
    Exclusive(u64),
    /// If the lock is free: adds.
    Try(usize, u64),
}

#[derive(Default)]
struct Object {
    registers: [AtomicU64; 2],
    cells: [Mutex<u64>; 2],
    shared: RwLock<u64>,
}

fn statement(random: &mut Rng) -> Statement {
    let (a, b, v) = (random.usize(0..2), random.usize(0..2), 1 + random.u64(0..2));
    match random.u32(0..11) {
        0 => Statement::Load(a),
        1 => Statement::Store(a, v),
        2 => Statement::Add(a, v),
        3 => Statement::Swap(a, v),
        4 => Statement::Copy(a, b),
        5 => Statement::Peek(a),
        6 => Statement::Under(a, v),
        7 => Statement::Nested(a, b),
        8 => Statement::Shared,
        9 => Statement::Exclusive(v),
        _ => Statement::Try(a, v),
    }
}

fn run(object: &Object, body: &[Statement]) -> Vec<u64> {
    let mut seen = Vec::new();
    for statement in body {
        match *statement {
            Statement::Load(r) => seen.push(object.registers[r].load(SeqCst)),
            Statement::Store(r, v) => object.registers[r].store(v, SeqCst),
            Statement::Add(r, v) => seen.push(object.registers[r].fetch_add(v, SeqCst)),
            Statement::Swap(r, v) => seen.push(object.registers[r].swap(v, SeqCst)),
            Statement::Copy(a, b) => object.registers[b].store(object.registers[a].load(SeqCst), SeqCst),
            Statement::Peek(c) => seen.push(*object.cells[c].lock().unwrap()),
            Statement::Under(c, v) => *object.cells[c].lock().unwrap() += v,
            Statement::Nested(c, r) => {
                let mut cell = object.cells[c].lock().unwrap();
                *cell += object.registers[r].fetch_add(1, SeqCst);
            }
            Statement::Shared => seen.push(*object.shared.read().unwrap()),
            Statement::Exclusive(v) => *object.shared.write().unwrap() += v,
            Statement::Try(c, v) => {
                if let Ok(mut cell) = object.cells[c].try_lock() {
                    *cell += v;
                    seen.push(*cell);
                }
            }
        }
    }
    seen
}

/// What the statements do if nothing comes between them.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
struct Model {
    registers: [u64; 2],
    cells: [u64; 2],
    shared: u64,
}

fn run_alone(model: &mut Model, body: &[Statement]) -> Vec<u64> {
    let mut seen = Vec::new();
    for statement in body {
        match *statement {
            Statement::Load(r) => seen.push(model.registers[r]),
            Statement::Store(r, v) => model.registers[r] = v,
            Statement::Add(r, v) => {
                seen.push(model.registers[r]);
                model.registers[r] += v;
            }
            Statement::Swap(r, v) => seen.push(std::mem::replace(&mut model.registers[r], v)),
            Statement::Copy(a, b) => model.registers[b] = model.registers[a],
            Statement::Peek(c) => seen.push(model.cells[c]),
            Statement::Under(c, v) => model.cells[c] += v,
            Statement::Nested(c, r) => {
                model.cells[c] += model.registers[r];
                model.registers[r] += 1;
            }
            Statement::Shared => seen.push(model.shared),
            Statement::Exclusive(v) => model.shared += v,
            Statement::Try(c, v) => {
                model.cells[c] += v;
                seen.push(model.cells[c]);
            }
        }
    }
    seen
}

/// A test of a few random operations, with one random scenario.
fn test(seed: u64, strategy: Strategy) -> Test<Object, Model> {
    let mut random = Rng::with_seed(seed);
    let mut test = Test::new(Object::default, Model::default);
    for name in ["a", "b", "c"] {
        let body: Vec<Statement> = (0..random.usize(0..=3)).map(|_| statement(&mut random)).collect();
        let same = body.clone();
        test = test.operation(
            name,
            |_| (),
            move |object, ()| run(object, &body),
            move |model, ()| run_alone(model, &same),
        );
    }
    let threads = if seed.is_multiple_of(3) { 3 } else { 2 };
    test.threads(threads)
        .operations(if threads == 3 { 1 } else { 2 })
        .before(1)
        .after(1)
        .scenarios(1)
        .seed(seed)
        .max_executions(MOST)
        .checker(move || Checker::new().strategy(strategy.clone()))
}

/// Scenarios with more interleavings are left out.
const MOST: u64 = 3_000;

#[test]
fn the_optimal_search_finds_what_plain_interleaving_finds() {
    let (good, bad, left_out) = (AtomicU32::new(0), AtomicU32::new(0), AtomicU32::new(0));
    seeds(30, |seed| {
        let all = test(seed, Strategy::Exhaustive).run();
        let optimal = test(seed, Strategy::Optimal).run();
        let sources = test(seed, Strategy::SourceSets).run();
        if !all.verdict.is_conclusive() {
            left_out.fetch_add(1, Relaxed);
            return;
        }
        let kind =
            |report: &mazurka::linear::Report| report.failure.as_ref().map(|f| (f.violation.kind, f.called.len()));
        assert_eq!(
            (all.verdict, kind(&all)),
            (optimal.verdict, kind(&optimal)),
            "{all}\n{optimal}"
        );
        assert_eq!(
            (all.verdict, kind(&all)),
            (sources.verdict, kind(&sources)),
            "{all}\n{sources}"
        );
        match all.verdict {
            Verdict::Holds => good.fetch_add(1, Relaxed),
            _ => bad.fetch_add(1, Relaxed),
        };
    });
    let (good, bad, left_out) = (good.into_inner(), bad.into_inner(), left_out.into_inner());
    println!("{good} right, {bad} wrong, {left_out} too large");
    assert!(
        are_chosen() || good > 1 && bad > 1,
        "{good} right, {bad} wrong, {left_out} too large"
    );
}
