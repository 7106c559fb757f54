//! The traces of one thread: what it does if every read may return any value.
//!
//! Values come from a finite domain: what may ever be written to the location. A value that a consistent execution
//! reads was written by an event, whose value depends on reads before it, and so on; since `sb ∪ rf` is acyclic, such a
//! chain has at most as many writes as the program has statements that write. So the domain is what is found in that
//! many rounds, beginning with the initial values.

use std::collections::BTreeSet;

use crate::program::{Location, Mutex, Order, Program, Register, Statement, Update, Value};

/// How strong an access is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mode {
    /// Not atomic.
    NonAtomic,
    /// Atomic, with this ordering.
    Atomic(Order),
}

/// What an event does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Label {
    /// Reads a value.
    Read(Location, Value, Mode),
    /// Writes a value.
    Write(Location, Value, Mode),
    /// A fence.
    Fence(Order),
    /// Takes a mutex.
    Lock(Mutex),
    /// Frees a mutex.
    Unlock(Mutex),
}

/// One way through a thread. A read and a write of one operation are two events, one after the other.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Trace {
    /// The events in program order.
    pub labels: Vec<Label>,
    /// The indices of writes that form one operation with the read before them.
    pub updates: Vec<usize>,
    /// What the registers hold at the end.
    pub registers: Vec<Value>,
}

/// For each location what may ever be written to it.
pub type Domain = Vec<BTreeSet<Value>>;

/// The traces of each thread.
pub fn of_threads(program: &Program) -> Vec<Vec<Trace>> {
    let mut domain = initial_domain(program);
    let mut writes = 0;
    program.for_each_statement(&mut |statement| {
        writes += usize::from(matches!(
            statement,
            Statement::Store { .. } | Statement::Rmw { .. } | Statement::Cas { .. } | Statement::NonAtomicWrite { .. }
        ));
    });
    for _ in 0..writes {
        let before = domain.clone();
        for label in traces(program, &before)
            .iter()
            .flatten()
            .flat_map(|trace| &trace.labels)
        {
            if let Label::Write(location, value, _) = label {
                domain[usize::from(location.0)].insert(*value);
            }
        }
        if domain == before {
            break;
        }
    }
    traces(program, &domain)
}

/// The initial values.
pub fn initial_domain(program: &Program) -> Domain {
    program.initial.iter().map(|value| BTreeSet::from([*value])).collect()
}

fn traces(program: &Program, domain: &Domain) -> Vec<Vec<Trace>> {
    let of = |thread: usize| {
        let mut found = Vec::new();
        go_on(&Partial::new(program, thread), domain, &mut found);
        found
    };
    (0..program.threads.len()).map(of).collect()
}

/// Executes the rest in every way.
fn go_on(partial: &Partial, domain: &Domain, found: &mut Vec<Trace>) {
    if partial.is_complete() {
        found.push(partial.trace.clone());
    }
    for next in partial.step(domain) {
        go_on(&next, domain, found);
    }
}

/// The beginning of a trace.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Partial<'p> {
    /// What was done.
    pub trace: Trace,
    /// What is left to do, the next statement last.
    rest: Vec<&'p Statement>,
}

impl<'p> Partial<'p> {
    /// A thread that has done nothing.
    pub fn new(program: &'p Program, thread: usize) -> Self {
        let registers = vec![0; program.registers(thread)];
        let trace = Trace {
            labels: Vec::new(),
            updates: Vec::new(),
            registers,
        };
        Partial {
            trace,
            rest: program.threads[thread].iter().rev().collect(),
        }
    }

    /// Whether nothing is left to do.
    pub fn is_complete(&self) -> bool {
        self.rest.is_empty()
    }

    /// The location that the next statement reads, if it reads one.
    pub fn reads_next(&self) -> Option<Location> {
        match self.rest.last()? {
            Statement::Load { loc, .. }
            | Statement::NonAtomicRead { loc, .. }
            | Statement::Rmw { loc, .. }
            | Statement::Cas { loc, .. } => Some(*loc),
            _ => None,
        }
    }

    /// Executes the next statement in every way: if it reads, it reads each value of the domain.
    pub fn step(&self, domain: &Domain) -> Vec<Self> {
        let mut next = self.clone();
        let Some(statement) = next.rest.pop() else {
            return Vec::new();
        };
        if let Some(loc) = self.reads_next() {
            let values = domain[usize::from(loc.0)].iter();
            let traces = values.flat_map(|value| self.trace.reading(statement, loc, *value));
            return traces
                .map(|trace| Partial {
                    trace,
                    rest: next.rest.clone(),
                })
                .collect();
        }
        let Trace { labels, registers, .. } = &mut next.trace;
        match statement {
            Statement::If { cond, then, else_ } => {
                let branch = if cond.evaluate(registers) == 0 { else_ } else { then };
                next.rest.extend(branch.iter().rev());
            }
            Statement::Store { loc, value, order } => {
                labels.push(Label::Write(*loc, value.evaluate(registers), Mode::Atomic(*order)));
            }
            Statement::NonAtomicWrite { loc, value } => {
                labels.push(Label::Write(*loc, value.evaluate(registers), Mode::NonAtomic));
            }
            Statement::Fence(order) => labels.push(Label::Fence(*order)),
            Statement::Lock(mutex) => labels.push(Label::Lock(*mutex)),
            Statement::Unlock(mutex) => labels.push(Label::Unlock(*mutex)),
            _ => unreachable!("a statement that reads: {statement}"),
        }
        vec![next]
    }
}

impl Trace {
    /// Adds what it writes.
    pub fn add_written(&self, domain: &mut Domain) {
        for label in &self.labels {
            if let Label::Write(location, value, _) = label {
                domain[usize::from(location.0)].insert(*value);
            }
        }
    }

    /// The trace after a statement that reads this value: two of them if a weak compare-and-swap may succeed.
    fn reading(&self, statement: &Statement, loc: Location, read: Value) -> Vec<Trace> {
        match statement {
            Statement::Load { reg, order, .. } => vec![self.read(*reg, loc, read, Mode::Atomic(*order))],
            Statement::NonAtomicRead { reg, .. } => vec![self.read(*reg, loc, read, Mode::NonAtomic)],
            Statement::Rmw { reg, op, order, .. } => {
                let written = match op {
                    Update::Add(by) => read.wrapping_add(by.evaluate(&self.registers)),
                    Update::Swap(by) => by.evaluate(&self.registers),
                };
                vec![self.update(*reg, loc, read, written, *order)]
            }
            Statement::Cas {
                reg,
                flag,
                expected,
                new,
                success,
                failure,
                weak,
                ..
            } => {
                let failed = self.read(*reg, loc, read, Mode::Atomic(*failure)).with(*flag, 0);
                if read != expected.evaluate(&self.registers) {
                    return vec![failed];
                }
                let written = new.evaluate(&self.registers);
                let mut ways = vec![self.update(*reg, loc, read, written, *success).with(*flag, 1)];
                if *weak {
                    ways.push(failed);
                }
                ways
            }
            _ => unreachable!("a statement that does not read: {statement:?}"),
        }
    }

    fn read(&self, reg: Register, loc: Location, value: Value, mode: Mode) -> Trace {
        let mut next = self.clone().with(reg, value);
        next.labels.push(Label::Read(loc, value, mode));
        next
    }

    fn update(&self, reg: Register, loc: Location, read: Value, written: Value, order: Order) -> Trace {
        let mut next = self.read(reg, loc, read, Mode::Atomic(order.of_the_read()));
        next.updates.push(next.labels.len());
        next.labels
            .push(Label::Write(loc, written, Mode::Atomic(order.of_the_write())));
        next
    }

    fn with(mut self, reg: Register, value: Value) -> Trace {
        self.registers[usize::from(reg.0)] = value;
        self
    }
}
