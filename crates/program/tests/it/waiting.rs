//! Loops that wait against the axioms of RC11, and against all interleavings.
//!
//! A random program gets loops that wait for a condition on what their turns have read. To the oracle, such a loop is one turn of it, and only those
//! outcomes count in which all conditions hold. A program can wait for ever if, for some loops, it has an outcome
//! without what comes after them, whose last values do not end any of them. The oracle, `mazurka_axioms`, has no loops, and shares nothing with
//! the search.

use crate::axioms::{Executor, Shared};
use mazurka::cell::Cell;
use mazurka::sync::atomic::{AtomicU64, Ordering};
use mazurka::{Checker, Memory, Report, Strategy, ViolationKind, thread};
use mazurka_axioms::{
    Expr, Location, Operator, Order, Outcome, Program, Random, Register, Size, Statement, Update, Value, enumerate,
    interleavings, random_program,
};
use mazurka_seeds::seeds;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::{Arc, Mutex};

/// What a turn does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// Loads.
    Load,
    /// Loads two atomics, and goes on if one is as wanted, or both.
    Either,
    Both,
    /// Loads twice with a fence in between.
    LoadFenceLoad,
    /// `compare_exchange`, or a weak one.
    Exchange,
    ExchangeWeak,
    /// A weak one, if a load has found what it expects.
    TestAndExchange,
    /// `swap`, which writes what is there already if it does not end the loop.
    Swap,
    /// An update that never changes anything.
    AddNothing,
}

const KINDS: [Kind; 9] = [
    Kind::Load,
    Kind::Either,
    Kind::Both,
    Kind::LoadFenceLoad,
    Kind::Exchange,
    Kind::ExchangeWeak,
    Kind::TestAndExchange,
    Kind::Swap,
    Kind::AddNothing,
];

/// A loop.
#[derive(Clone, Debug)]
struct Loop {
    kind: Kind,
    turn: Vec<Statement>,
    until: Expr,
    /// Whether it calls `yield_now`.
    yields: bool,
}

/// A part of a thread.
#[derive(Clone, Debug)]
enum Part {
    Once(Statement),
    Again(Loop),
}

/// Threads with loops.
#[derive(Clone, Debug)]
struct Looping {
    initial: Vec<Value>,
    threads: Vec<Vec<Part>>,
}

fn is(register: Register, value: Value) -> Expr {
    let (register, value) = (Expr::Register(register), Expr::Constant(value));
    Expr::Binary(Operator::Equal, Box::new(register), Box::new(value))
}

fn random_loop(random: &mut Random, locations: u8, registers: &mut u8) -> Loop {
    let kind = random.pick(&KINDS);
    let mut register = || {
        *registers += 1;
        Register(*registers - 1)
    };
    let (a, b) = (register(), register());
    let [loc, other] = [(); 2].map(|()| Location(random.below(locations)));
    let value = Value::from(random.below(2) + random.below(2));
    let order = random.pick(&Order::LOADS);
    let (success, new) = (random.pick(&Order::ALL), Expr::Constant(Value::from(random.below(3))));
    let load = |reg, loc, order| Statement::Load { reg, loc, order };
    let exchange = |weak| Statement::Cas {
        reg: a,
        flag: b,
        loc,
        expected: Expr::Constant(value),
        new: new.clone(),
        success,
        failure: order,
        weak,
    };
    let update = |op| Statement::Rmw {
        reg: a,
        loc,
        op,
        order: success,
    };
    let second = load(b, other, random.pick(&Order::LOADS));
    let wanted = Value::from(random.below(2));
    let both = |operator| Expr::Binary(operator, Box::new(is(a, value)), Box::new(is(b, wanted)));
    let (turn, until) = match kind {
        Kind::Load => (vec![load(a, loc, order)], is(a, value)),
        Kind::Either => {
            let sum = Box::new(both(Operator::Add));
            let until = Expr::Binary(Operator::NotEqual, sum, Box::new(Expr::Constant(0)));
            (vec![load(a, loc, order), second], until)
        }
        Kind::Both => (vec![load(a, loc, order), second], both(Operator::Multiply)),
        Kind::LoadFenceLoad => {
            let fence = Statement::Fence(random.pick(&Order::FENCES));
            (vec![load(a, loc, order), fence, second], both(Operator::Multiply))
        }
        Kind::Exchange => (vec![exchange(false)], is(b, 1)),
        Kind::ExchangeWeak => (vec![exchange(true)], is(b, 1)),
        Kind::TestAndExchange => {
            let test = Register(a.0 + 2);
            *registers += 1;
            let if_found = Statement::If {
                cond: is(test, value),
                then: vec![exchange(true)],
                else_: Vec::new(),
            };
            (vec![load(test, loc, random.pick(&Order::LOADS)), if_found], is(b, 1))
        }
        Kind::Swap => {
            let until = Expr::Binary(
                Operator::NotEqual,
                Box::new(Expr::Register(a)),
                Box::new(Expr::Constant(value)),
            );
            (vec![update(Update::Swap(Expr::Constant(value)))], until)
        }
        Kind::AddNothing => (vec![update(Update::Add(Expr::Constant(0)))], is(a, value)),
    };
    Loop {
        kind,
        turn,
        until,
        yields: random.one_in(3),
    }
}

impl Looping {
    fn random(random: &mut Random) -> Looping {
        let (threads, statements) = random.pick(&[(2, 2), (2, 2), (2, 3), (3, 1), (3, 1), (3, 2)]);
        let size = Size {
            threads,
            statements,
            locations: random.pick(&[1, 2, 2]),
            non_atomic: false,
            mutexes: 0,
        };
        let program = random_program(random, &size);
        let mut left = 1 + random.below(2);
        let mut threads: Vec<Vec<Part>> = Vec::new();
        for (i, block) in program.threads.iter().enumerate() {
            let mut registers = u8::try_from(program.registers(i)).unwrap();
            let mut parts = Vec::new();
            for statement in block {
                if left > 0 && random.one_in(2) {
                    left -= 1;
                    parts.push(Part::Again(random_loop(random, size.locations, &mut registers)));
                }
                parts.push(Part::Once(statement.clone()));
            }
            threads.push(parts);
        }
        Looping {
            initial: program.initial,
            threads,
        }
    }

    /// The same without failures for no reason, which the search knows with weak memory only.
    fn strong(mut self) -> Looping {
        fn strong(statement: &mut Statement) {
            match statement {
                Statement::Cas { weak, .. } => *weak = false,
                Statement::If { then, else_, .. } => then.iter_mut().chain(else_).for_each(strong),
                _ => {}
            }
        }
        for part in self.threads.iter_mut().flatten() {
            match part {
                Part::Once(statement) => strong(statement),
                Part::Again(again) => again.turn.iter_mut().for_each(strong),
            }
        }
        self
    }

    /// How many operations of a thread may fail for no reason, outside loops.
    fn weak_exchanges(&self) -> u32 {
        fn count(statement: &Statement) -> u32 {
            match statement {
                Statement::Cas { weak, .. } => u32::from(*weak),
                Statement::If { then, else_, .. } => then.iter().chain(else_).map(count).sum(),
                _ => 0,
            }
        }
        let of = |parts: &Vec<Part>| {
            let once = parts.iter().map(|part| match part {
                Part::Once(statement) => count(statement),
                Part::Again(_) => 0,
            });
            once.sum()
        };
        self.threads.iter().map(of).max().unwrap_or(0)
    }

    fn loops(&self, thread: usize) -> Vec<usize> {
        let parts = self.threads[thread].iter().enumerate();
        parts
            .filter_map(|(i, p)| matches!(p, Part::Again(_)).then_some(i))
            .collect()
    }

    /// The program with one turn of each loop, whose threads end before these parts.
    fn cut(&self, ends: &[Option<usize>]) -> Program {
        let thread = |(parts, end): (&Vec<Part>, &Option<usize>)| {
            let mut block = Vec::new();
            for part in &parts[..end.unwrap_or(parts.len())] {
                match part {
                    Part::Once(statement) => block.push(statement.clone()),
                    Part::Again(again) => block.extend(again.turn.iter().cloned()),
                }
            }
            block
        };
        Program {
            initial: self.initial.clone(),
            threads: self.threads.iter().zip(ends).map(thread).collect(),
        }
    }

    /// The outcomes of such a program in which each loop is over whose turn is in it.
    fn over(&self, ends: &[Option<usize>], oracle: fn(&Program) -> BTreeSet<Outcome>) -> BTreeSet<Outcome> {
        let holds = |outcome: &Outcome| {
            std::iter::zip(&self.threads, ends)
                .enumerate()
                .all(|(i, (parts, end))| {
                    parts[..end.unwrap_or(parts.len())].iter().all(|part| match part {
                        Part::Once(_) => true,
                        Part::Again(again) => again.until.evaluate(&outcome.registers[i]) != 0,
                    })
                })
        };
        let outcomes = oracle(&self.cut(ends)).into_iter();
        outcomes.filter(holds).collect()
    }

    /// True if some threads can wait for ever.
    fn can_wait(&self, oracle: fn(&Program) -> BTreeSet<Outcome>) -> bool {
        let mut ends = vec![Vec::new()];
        for thread in 0..self.threads.len() {
            let here: Vec<Option<usize>> = std::iter::once(None)
                .chain(self.loops(thread).into_iter().map(Some))
                .collect();
            let with = |before: &Vec<Option<usize>>| {
                let before = before.clone();
                here.iter()
                    .map(move |end| [&before[..], &[*end]].concat())
                    .collect::<Vec<_>>()
            };
            ends = ends.iter().flat_map(with).collect();
        }
        ends.iter().filter(|ends| ends.iter().any(Option::is_some)).any(|ends| {
            let stays = |outcome: &Outcome| {
                std::iter::zip(&self.threads, ends).all(|(parts, end)| match end.map(|end| &parts[end]) {
                    Some(Part::Again(again)) => !again.ends_with(&outcome.locations),
                    _ => true,
                })
            };
            self.over(ends, oracle).iter().any(stays)
        })
    }
}

impl Loop {
    /// True if the loop is over after a turn that finds these values.
    fn ends_with(&self, values: &[Value]) -> bool {
        fn turn(block: &[Statement], values: &mut [Value], registers: &mut BTreeMap<u8, Value>) {
            for statement in block {
                let known = |e: &Expr, registers: &BTreeMap<u8, Value>| {
                    let list: Vec<Value> = (0..=u8::MAX).map(|r| registers.get(&r).copied().unwrap_or(0)).collect();
                    e.evaluate(&list)
                };
                match statement {
                    Statement::Load { reg, loc, .. } => _ = registers.insert(reg.0, values[usize::from(loc.0)]),
                    Statement::Rmw { reg, loc, op, .. } => {
                        let old = values[usize::from(loc.0)];
                        registers.insert(reg.0, old);
                        values[usize::from(loc.0)] = match op {
                            Update::Add(e) => old + known(e, registers),
                            Update::Swap(e) => known(e, registers),
                        };
                    }
                    Statement::Cas {
                        reg,
                        flag,
                        loc,
                        expected,
                        ..
                    } => {
                        let old = values[usize::from(loc.0)];
                        let found = u64::from(old == known(expected, registers));
                        registers.insert(reg.0, old);
                        registers.insert(flag.0, found);
                    }
                    Statement::If { cond, then, .. } if known(cond, registers) != 0 => {
                        turn(then, values, registers);
                    }
                    _ => {}
                }
            }
        }
        let mut registers = BTreeMap::new();
        turn(&self.turn, &mut values.to_vec(), &mut registers);
        let list: Vec<Value> = (0..=u8::MAX).map(|r| registers.get(&r).copied().unwrap_or(0)).collect();
        self.until.evaluate(&list) != 0
    }
}

/// Runs the program with its loops.
fn run(program: &Looping) -> Outcome {
    // Weak memory from the start, if it is wanted.
    AtomicU64::new(0).load(Ordering::Relaxed);
    let shared = Arc::new(Shared {
        atomics: program.initial.iter().map(|v| AtomicU64::new(*v)).collect(),
        cells: Vec::<Cell<u64>>::new(),
        mutexes: Vec::new(),
    });
    let all = program.cut(&vec![None; program.threads.len()]);
    let spawn = |(i, parts): (usize, &Vec<Part>)| {
        let (shared, parts, registers) = (Arc::clone(&shared), parts.clone(), all.registers(i));
        thread::spawn(move || {
            let mut executor = Executor {
                shared: &shared,
                registers: vec![0; registers],
                held: None,
            };
            for part in &parts {
                match part {
                    Part::Once(statement) => executor.block(std::slice::from_ref(statement)),
                    Part::Again(again) => loop {
                        executor.block(&again.turn);
                        if executor.evaluate(&again.until) != 0 {
                            break;
                        }
                        if again.yields {
                            thread::yield_now();
                        }
                    },
                }
            }
            executor.registers
        })
    };
    let threads: Vec<_> = program.threads.iter().enumerate().map(spawn).collect();
    let registers = threads.into_iter().map(|t| t.join().unwrap()).collect();
    let locations = shared.atomics.iter().map(|a| a.load(Ordering::Relaxed)).collect();
    Outcome { registers, locations }
}

/// Larger searches are cut.
const MOST: u64 = 1_000;

/// What every execution ends with that ends, and the report.
fn outcomes(program: &Looping, memory: Memory, strategy: Strategy) -> (BTreeSet<Outcome>, Report) {
    let seen = Rc::new(RefCell::new(BTreeSet::new()));
    let now = Rc::new(RefCell::new(None));
    let (all, this) = (Rc::clone(&seen), Rc::clone(&now));
    let checker = Checker::new()
        .strategy(strategy)
        .memory(memory)
        .all_violations(true)
        .spurious_failures(program.weak_exchanges().max(1))
        .max_executions(MOST)
        .quiet(true)
        .on_execution(move |_| _ = this.borrow_mut().take().map(|outcome| all.borrow_mut().insert(outcome)));
    let report = checker.run(|| {
        now.borrow_mut().take();
        *now.borrow_mut() = Some(run(program));
    });
    drop(checker);
    (Rc::try_unwrap(seen).unwrap().into_inner(), report)
}

/// How often each kind of loop was compared, in programs that can wait for ever and in others.
#[derive(Default)]
struct Compared(Mutex<BTreeMap<(Kind, bool), u64>>);

fn agrees(
    program: &Looping,
    memory: Memory,
    strategies: &[Strategy],
    oracle: fn(&Program) -> BTreeSet<Outcome>,
    compared: &Compared,
) {
    let all = vec![None; program.threads.len()];
    let expected = program.over(&all, oracle);
    let waits = program.can_wait(oracle);
    for strategy in strategies {
        let (found, report) = outcomes(program, memory, strategy.clone());
        if report.executions >= MOST {
            continue;
        }
        assert!(report.complete, "{strategy:?} {report}\n{program:?}");
        assert!(
            report.violations.iter().all(|v| v.kind == ViolationKind::Deadlock),
            "{report}\n{program:?}"
        );
        assert_eq!(
            found,
            expected,
            "{strategy:?} {report}\n{}\n{program:#?}",
            program.cut(&all)
        );
        assert_eq!(
            !report.violations.is_empty(),
            waits,
            "{strategy:?} waits for ever {report}\n{}\n{program:#?}",
            program.cut(&all)
        );
        let parts = program.threads.iter().flatten();
        for kind in parts.filter_map(|p| match p {
            Part::Again(again) => Some(again.kind),
            Part::Once(_) => None,
        }) {
            *compared.0.lock().unwrap().entry((kind, waits)).or_default() += 1;
        }
    }
}

fn every_kind_was_compared(compared: &Compared) {
    let compared = compared.0.lock().unwrap();
    if mazurka_seeds::are_chosen() {
        return;
    }
    for kind in KINDS {
        for waits in [false, true] {
            assert!(
                compared.contains_key(&(kind, waits)),
                "no {kind:?} that waits for ever: {waits}"
            );
        }
    }
}

#[test]
fn with_weak_memory_loops_are_what_the_axioms_say() {
    let compared = Compared::default();
    seeds(200, |seed| {
        let program = Looping::random(&mut Random::new(seed));
        let oracle = |program: &Program| enumerate(program).outcomes;
        agrees(&program, Memory::Rc11, &[Strategy::Optimal], oracle, &compared);
    });
    every_kind_was_compared(&compared);
}

#[test]
fn with_interleavings_loops_are_what_all_interleavings_say() {
    let compared = Compared::default();
    seeds(200, |seed| {
        let program = Looping::random(&mut Random::new(seed)).strong();
        let strategies = [Strategy::Optimal, Strategy::SourceSets, Strategy::Selective];
        let memory = Memory::SequentiallyConsistent;
        agrees(&program, memory, &strategies, interleavings, &compared);
    });
    every_kind_was_compared(&compared);
}
