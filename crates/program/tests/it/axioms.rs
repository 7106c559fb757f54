//! The search of weak memory against the axioms of RC11, which a naive enumerator of execution graphs decides.

use mazurka::cell::Cell;
use mazurka::sync::atomic::{AtomicU64, Ordering, fence};
use mazurka::sync::{Mutex, MutexGuard};
use mazurka::{Checker, Report, Strategy, ViolationKind, thread};
use mazurka_axioms::{
    Expr, Location, Order, Outcome, Program, Random, Size, Statement, Update, Value, enumerate, litmus_tests,
    random_program,
};
use mazurka_seeds::seeds;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

fn ordering(order: Order) -> Ordering {
    match order {
        Order::Relaxed => Ordering::Relaxed,
        Order::Acquire => Ordering::Acquire,
        Order::Release => Ordering::Release,
        Order::AcqRel => Ordering::AcqRel,
        Order::SeqCst => Ordering::SeqCst,
    }
}

/// What the threads share. A location is used in one of two ways.
pub struct Shared {
    pub atomics: Vec<AtomicU64>,
    pub cells: Vec<Cell<u64>>,
    pub mutexes: Vec<Mutex<()>>,
}

// Controlled threads run one at a time, and races on cells are what is looked for.
#[allow(unsafe_code)]
unsafe impl Sync for Shared {}

/// A thread of a program under test.
pub struct Executor<'a> {
    pub shared: &'a Shared,
    pub registers: Vec<Value>,
    pub held: Option<MutexGuard<'a, ()>>,
}

impl Executor<'_> {
    pub fn evaluate(&self, expression: &Expr) -> Value {
        expression.evaluate(&self.registers)
    }

    pub fn block(&mut self, block: &[Statement]) {
        for statement in block {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        let shared = self.shared;
        let atomic = |Location(l): Location| &shared.atomics[usize::from(l)];
        let cell = |Location(l): Location| &shared.cells[usize::from(l)];
        match statement {
            Statement::Load { reg, loc, order } => {
                self.registers[usize::from(reg.0)] = atomic(*loc).load(ordering(*order));
            }
            Statement::Store { loc, value, order } => atomic(*loc).store(self.evaluate(value), ordering(*order)),
            Statement::Rmw { reg, loc, op, order } => {
                let old = match op {
                    Update::Add(value) => atomic(*loc).fetch_add(self.evaluate(value), ordering(*order)),
                    Update::Swap(value) => atomic(*loc).swap(self.evaluate(value), ordering(*order)),
                };
                self.registers[usize::from(reg.0)] = old;
            }
            Statement::Cas {
                reg,
                flag,
                loc,
                expected,
                new,
                success,
                failure,
                weak,
            } => {
                let (expected, new) = (self.evaluate(expected), self.evaluate(new));
                let (success, failure) = (ordering(*success), ordering(*failure));
                let result = if *weak {
                    atomic(*loc).compare_exchange_weak(expected, new, success, failure)
                } else {
                    atomic(*loc).compare_exchange(expected, new, success, failure)
                };
                let (Ok(found) | Err(found)) = result;
                self.registers[usize::from(reg.0)] = found;
                self.registers[usize::from(flag.0)] = u64::from(result.is_ok());
            }
            Statement::Fence(order) => fence(ordering(*order)),
            Statement::If { cond, then, else_ } => {
                let branch = if self.evaluate(cond) != 0 { then } else { else_ };
                self.block(branch);
            }
            Statement::NonAtomicRead { reg, loc } => self.registers[usize::from(reg.0)] = cell(*loc).get(),
            Statement::NonAtomicWrite { loc, value } => cell(*loc).set(self.evaluate(value)),
            Statement::Lock(mutex) => self.held = Some(shared.mutexes[usize::from(mutex.0)].lock().unwrap()),
            Statement::Unlock(_) => self.held = None,
        }
    }
}

/// Runs the program; returns the registers of each thread, and the last values of the locations if they are asked for.
fn run(program: &Program, last: bool) -> Outcome {
    // Weak memory from the start.
    AtomicU64::new(0).load(Ordering::Relaxed);
    let shared = Arc::new(Shared {
        atomics: program.initial.iter().map(|v| AtomicU64::new(*v)).collect(),
        cells: program.initial.iter().map(|v| Cell::new(*v)).collect(),
        mutexes: (0..4).map(|_| Mutex::new(())).collect(),
    });
    let spawn = |(i, block): (usize, &Vec<Statement>)| {
        let (shared, block, registers) = (Arc::clone(&shared), block.clone(), program.registers(i));
        thread::spawn(move || {
            let mut executor = Executor {
                shared: &shared,
                registers: vec![0; registers],
                held: None,
            };
            executor.block(&block);
            executor.registers
        })
    };
    let threads: Vec<_> = program.threads.iter().enumerate().map(spawn).collect();
    let registers = threads.into_iter().map(|t| t.join().unwrap()).collect();
    let mut locations = Vec::new();
    if last {
        let atomic = atomics(program);
        let shared = &shared;
        locations = (0..program.initial.len())
            .map(|l| match atomic.contains(&l) {
                true => shared.atomics[l].load(Ordering::Relaxed),
                false => shared.cells[l].get(),
            })
            .collect();
    }
    Outcome { registers, locations }
}

/// The locations that are atomics.
fn atomics(program: &Program) -> BTreeSet<usize> {
    let mut atomics = BTreeSet::new();
    program.for_each_statement(&mut |statement| {
        if let Some((Location(l), true)) = statement.location() {
            atomics.insert(usize::from(l));
        }
    });
    atomics
}

/// Searches of more executions are cut.
const MOST: u64 = 3_000;
/// The same for those that do not reduce.
const MOST_INTERLEAVINGS: u64 = 200;

/// What every execution ends with, and the report.
fn outcomes(program: &Program, last: bool, strategy: Strategy) -> (BTreeSet<Outcome>, Report) {
    let seen = Rc::new(RefCell::new(BTreeSet::new()));
    let now = Rc::new(RefCell::new(None));
    let (all, this) = (Rc::clone(&seen), Rc::clone(&now));
    let checker = Checker::new()
        .strategy(strategy.clone())
        .all_violations(true)
        .spurious_failures(100)
        .max_executions(if strategy == Strategy::Exhaustive {
            MOST_INTERLEAVINGS
        } else {
            MOST
        })
        .quiet(true)
        .on_execution(move |_| _ = all.borrow_mut().insert(this.borrow_mut().take().unwrap()));
    let report = checker.run(|| *now.borrow_mut() = Some(run(program, last)));
    drop(checker);
    (Rc::try_unwrap(seen).unwrap().into_inner(), report)
}

fn agrees(program: &Program) {
    let expected = enumerate(program);
    let (registers, report) = outcomes(program, false, Strategy::Optimal);
    assert!(report.complete, "{report}\n{program}");
    let racy = report.violations.iter().any(|v| v.kind == ViolationKind::DataRace);
    assert_eq!(racy, expected.racy(), "a data race\n{program}");
    if racy {
        // The program has no meaning.
        return;
    }
    let of_registers = |outcome: &Outcome| outcome.registers.clone();
    let found: BTreeSet<_> = registers.iter().map(of_registers).collect();
    let wanted: BTreeSet<_> = expected.outcomes.iter().map(of_registers).collect();
    assert_eq!(found, wanted, "registers\n{program}");
    assert_eq!(report.executions, expected.rf_classes, "executions\n{program}");
    let (found, _) = outcomes(program, true, Strategy::Optimal);
    assert_eq!(found, expected.outcomes, "outcomes\n{program}");
    let (found, exhaustive) = outcomes(program, true, Strategy::Exhaustive);
    assert!(
        !exhaustive.complete || found == expected.outcomes,
        "all interleavings\n{program}"
    );
}

#[test]
fn there_is_one_execution_for_each_graph() {
    seeds(150, |seed| {
        let mut random = Random::new(seed);
        let size = Size::random(&mut random);
        agrees(&random_program(&mut random, &size));
    });
}

#[test]
fn litmus_tests_have_the_verdicts_of_the_literature() {
    for test in litmus_tests() {
        agrees(&test.program);
    }
}

/// Counts how the search and the axioms differ on random programs, and prints the smallest such program: for work on the search.
#[test]
#[ignore = "for work on the search"]
fn differences() {
    let mut counts = std::collections::BTreeMap::<String, u64>::new();
    let mut smallest = std::collections::BTreeMap::<String, (usize, u64, String)>::new();
    let (mut executions, mut redundant) = (0, 0);
    for seed in mazurka_seeds::range(3000) {
        let mut random = Random::new(seed);
        let size = Size::random(&mut random);
        let program = random_program(&mut random, &size);
        let mut statements = 0;
        program.for_each_statement(&mut |_| statements += 1);
        let expected = enumerate(&program);
        if expected.racy() {
            continue;
        }
        let result = std::panic::catch_unwind(|| outcomes(&program, false, Strategy::Optimal));
        let what = match result {
            Err(_) => "panic".to_owned(),
            Ok((_, report)) if !report.complete => "too large".to_owned(),
            Ok((_, report)) => {
                executions += report.executions;
                redundant += report.redundant;
                match report.executions.cmp(&expected.rf_classes) {
                    std::cmp::Ordering::Less => "missing",
                    std::cmp::Ordering::Greater => "twice",
                    _ if report.redundant > 0 => "in vain",
                    _ => "right",
                }
                .to_owned()
            }
        };
        *counts.entry(what.clone()).or_default() += 1;
        let best = smallest.entry(what).or_insert((usize::MAX, 0, String::new()));
        if statements < best.0 {
            *best = (statements, seed, program.to_string());
        }
    }
    println!("{counts:?} {executions} executions, {redundant} in vain");
    for (what, (_, seed, program)) in smallest {
        println!("{what}: seed {seed}\n{program}");
    }
}
