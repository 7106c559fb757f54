//! Sequential consistency by definition: one statement at a time, of any thread, on one memory.
//!
//! Lamport, *How to Make a Multiprocessor Computer That Correctly Executes Multiprocess Programs*, 1979. Orderings and
//! fences mean nothing here. This shares no code with the graphs.

use std::collections::{BTreeMap, BTreeSet};

use crate::graph::Outcome;
use crate::program::{Mutex, Program, Statement, Update, Value};

/// Everything that decides how an execution goes on.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct State<'p> {
    /// What each thread still has to do, the next statement last.
    rest: Vec<Vec<&'p Statement>>,
    registers: Vec<Vec<Value>>,
    memory: Vec<Value>,
    /// Who holds a mutex.
    held: BTreeMap<Mutex, usize>,
}

/// The outcomes of all interleavings.
///
/// # Panics
/// If the program is not [valid](Program::validate).
pub fn interleavings(program: &Program) -> BTreeSet<Outcome> {
    program.validate().unwrap_or_else(|error| panic!("{error}\n{program}"));
    let first = State {
        rest: program
            .threads
            .iter()
            .map(|thread| thread.iter().rev().collect())
            .collect(),
        registers: (0..program.threads.len())
            .map(|thread| vec![0; program.registers(thread)])
            .collect(),
        memory: program.initial.clone(),
        held: BTreeMap::new(),
    };
    let mut outcomes = BTreeSet::new();
    let mut seen = BTreeSet::from([first.clone()]);
    let mut todo = vec![first];
    while let Some(state) = todo.pop() {
        if state.rest.iter().all(Vec::is_empty) {
            outcomes.insert(Outcome {
                registers: state.registers,
                locations: state.memory,
            });
            continue;
        }
        for thread in 0..program.threads.len() {
            todo.extend(state.step(thread).into_iter().filter(|next| seen.insert(next.clone())));
        }
    }
    outcomes
}

impl State<'_> {
    /// The states after the thread's next statement: none if there is none or it has to wait, two if it may fail
    /// spuriously.
    fn step(&self, thread: usize) -> Vec<Self> {
        let mut next = self.clone();
        let Some(statement) = next.rest[thread].pop() else {
            return Vec::new();
        };
        let registers = &mut next.registers[thread];
        match statement {
            Statement::Load { reg, loc, .. } | Statement::NonAtomicRead { reg, loc } => {
                registers[usize::from(reg.0)] = next.memory[usize::from(loc.0)];
            }
            Statement::Store { loc, value, .. } | Statement::NonAtomicWrite { loc, value } => {
                next.memory[usize::from(loc.0)] = value.evaluate(registers);
            }
            Statement::Rmw { reg, loc, op, .. } => {
                let cell = &mut next.memory[usize::from(loc.0)];
                let old = *cell;
                *cell = match op {
                    Update::Add(by) => old.wrapping_add(by.evaluate(registers)),
                    Update::Swap(by) => by.evaluate(registers),
                };
                registers[usize::from(reg.0)] = old;
            }
            Statement::Cas {
                reg,
                flag,
                loc,
                expected,
                new,
                weak,
                ..
            } => {
                let cell = &mut next.memory[usize::from(loc.0)];
                let (old, expected, new) = (*cell, expected.evaluate(registers), new.evaluate(registers));
                registers[usize::from(reg.0)] = old;
                registers[usize::from(flag.0)] = 0;
                if old == expected {
                    let failed = weak.then(|| State {
                        memory: self.memory.clone(),
                        ..next.clone()
                    });
                    next.memory[usize::from(loc.0)] = new;
                    next.registers[thread][usize::from(flag.0)] = 1;
                    return failed.into_iter().chain([next]).collect();
                }
            }
            Statement::Fence(_) => {}
            Statement::If { cond, then, else_ } => {
                let branch = if cond.evaluate(registers) == 0 { else_ } else { then };
                next.rest[thread].extend(branch.iter().rev());
            }
            Statement::Lock(mutex) => {
                if next.held.contains_key(mutex) {
                    return Vec::new();
                }
                next.held.insert(*mutex, thread);
            }
            Statement::Unlock(mutex) => {
                next.held.remove(mutex);
            }
        }
        vec![next]
    }
}
