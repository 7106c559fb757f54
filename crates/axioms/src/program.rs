//! A tiny concurrent language, as data: what the memory model is asked about.
//!
//! All threads start together, after the initial values were written, and are joined at the end. Control goes forward
//! only, so each thread has finitely many paths. A location is either atomic or not, in the whole program, as Rust's
//! types have it; [`Program::validate`] says what else is refused.

use std::collections::BTreeMap;

/// What locations and registers hold. Arithmetic wraps around.
pub type Value = u64;

/// A shared location: an index into [`Program::initial`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location(pub u8);

/// A register of one thread. Registers are 0 until they are assigned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Register(pub u8);

/// A mutex. It protects no value, and is free at first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mutex(pub u8);

/// The orderings of `std::sync::atomic`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Order {
    /// Coherence only.
    Relaxed,
    /// Synchronises with what is read.
    Acquire,
    /// Is synchronised with by who reads it.
    Release,
    /// Both.
    AcqRel,
    /// Both, and in the total order of such operations.
    SeqCst,
}

impl Order {
    /// Every ordering.
    pub const ALL: [Order; 5] = [
        Order::Relaxed,
        Order::Acquire,
        Order::Release,
        Order::AcqRel,
        Order::SeqCst,
    ];
    /// Those that a load, and a failing compare-and-swap, may have.
    pub const LOADS: [Order; 3] = [Order::Relaxed, Order::Acquire, Order::SeqCst];
    /// Those that a store may have.
    pub const STORES: [Order; 3] = [Order::Relaxed, Order::Release, Order::SeqCst];
    /// Those that a fence may have.
    pub const FENCES: [Order; 4] = [Order::Acquire, Order::Release, Order::AcqRel, Order::SeqCst];

    /// Whether it is at least `Acquire`.
    pub fn acquires(self) -> bool {
        matches!(self, Order::Acquire | Order::AcqRel | Order::SeqCst)
    }

    /// Whether it is at least `Release`.
    pub fn releases(self) -> bool {
        matches!(self, Order::Release | Order::AcqRel | Order::SeqCst)
    }

    /// The ordering of the read of an operation that reads and writes.
    pub fn of_the_read(self) -> Order {
        match self {
            Order::Relaxed | Order::Release => Order::Relaxed,
            Order::Acquire | Order::AcqRel => Order::Acquire,
            Order::SeqCst => Order::SeqCst,
        }
    }

    /// The ordering of the write of an operation that reads and writes.
    pub fn of_the_write(self) -> Order {
        match self {
            Order::Relaxed | Order::Acquire => Order::Relaxed,
            Order::Release | Order::AcqRel => Order::Release,
            Order::SeqCst => Order::SeqCst,
        }
    }
}

/// An expression over constants and the registers of a thread.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Expr {
    /// A constant.
    Constant(Value),
    /// What a register holds.
    Register(Register),
    /// Two operands and what is done with them.
    Binary(Operator, Box<Expr>, Box<Expr>),
}

/// What is done with two operands. Comparisons give 1 or 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operator {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
}

impl Operator {
    /// Every operator.
    pub const ALL: [Operator; 6] = [
        Operator::Add,
        Operator::Subtract,
        Operator::Multiply,
        Operator::Equal,
        Operator::NotEqual,
        Operator::Less,
    ];

    /// What it gives.
    pub fn apply(self, a: Value, b: Value) -> Value {
        match self {
            Operator::Add => a.wrapping_add(b),
            Operator::Subtract => a.wrapping_sub(b),
            Operator::Multiply => a.wrapping_mul(b),
            Operator::Equal => Value::from(a == b),
            Operator::NotEqual => Value::from(a != b),
            Operator::Less => Value::from(a < b),
        }
    }
}

impl Expr {
    /// Its value, if the registers hold these; those that are not in the list hold 0.
    pub fn evaluate(&self, registers: &[Value]) -> Value {
        match self {
            Expr::Constant(value) => *value,
            Expr::Register(register) => registers.get(usize::from(register.0)).copied().unwrap_or(0),
            Expr::Binary(operator, a, b) => operator.apply(a.evaluate(registers), b.evaluate(registers)),
        }
    }
}

/// What an [`Statement::Rmw`] writes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Update {
    /// What it read plus this.
    Add(Expr),
    /// This.
    Swap(Expr),
}

/// A statement of a thread.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(
    missing_docs,
    reason = "the fields are the parameters of the methods of `std::sync::atomic`"
)]
pub enum Statement {
    /// `reg = loc.load(order)`
    Load { reg: Register, loc: Location, order: Order },
    /// `loc.store(value, order)`
    Store { loc: Location, value: Expr, order: Order },
    /// `reg = loc.fetch_add(…, order)` or `reg = loc.swap(…, order)`
    Rmw {
        reg: Register,
        loc: Location,
        op: Update,
        order: Order,
    },
    /// `compare_exchange`, or `compare_exchange_weak`. `reg` is what was read, `flag` is 1 if it succeeded and 0 if not.
    /// If both are the same register, it holds the flag.
    Cas {
        reg: Register,
        flag: Register,
        loc: Location,
        expected: Expr,
        new: Expr,
        success: Order,
        failure: Order,
        weak: bool,
    },
    /// `fence(order)`
    Fence(Order),
    /// `if cond != 0 { then } else { else_ }`
    If {
        cond: Expr,
        then: Vec<Statement>,
        else_: Vec<Statement>,
    },
    /// Reads a location that is not atomic.
    NonAtomicRead { reg: Register, loc: Location },
    /// Writes a location that is not atomic.
    NonAtomicWrite { loc: Location, value: Expr },
    /// Waits until the mutex is free and takes it.
    Lock(Mutex),
    /// Frees it.
    Unlock(Mutex),
}

/// Initial values of the locations, and the threads.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Program {
    /// The initial values: location `l` holds `initial[l]`.
    pub initial: Vec<Value>,
    /// What the threads do.
    pub threads: Vec<Vec<Statement>>,
}

impl Program {
    /// Whether the program is well formed.
    ///
    /// # Errors
    /// What is wrong: an ordering that std would refuse, a location without an initial value, one that is accessed both
    /// atomically and not, or mutexes that are not used one at a time: a thread that holds one locks no other (so that
    /// no thread is blocked for ever), frees it on every path, and both branches of an `if` leave the same mutex locked.
    pub fn validate(&self) -> Result<(), String> {
        let mut atomic = BTreeMap::new();
        for (thread, statements) in self.threads.iter().enumerate() {
            let held = self
                .validate_block(statements, None, &mut atomic)
                .map_err(|error| format!("thread {thread}: {error}"))?;
            if let Some(Mutex(m)) = held {
                return Err(format!("thread {thread}: m{m} is locked at the end"));
            }
        }
        Ok(())
    }

    /// The mutex that is held after the block.
    fn validate_block(
        &self,
        block: &[Statement],
        mut held: Option<Mutex>,
        atomic: &mut BTreeMap<Location, bool>,
    ) -> Result<Option<Mutex>, String> {
        for statement in block {
            if let Some((location, is_atomic)) = statement.location() {
                self.validate_location(location, is_atomic, atomic)?;
            }
            if !statement.order_is_legal() {
                return Err(format!("std has no such ordering for this: {statement}"));
            }
            match statement {
                Statement::If { then, else_, .. } => {
                    let after = self.validate_block(then, held, atomic)?;
                    if self.validate_block(else_, held, atomic)? != after {
                        return Err("the branches of an `if` leave different mutexes locked".to_string());
                    }
                    held = after;
                }
                Statement::Lock(Mutex(m)) => {
                    if let Some(Mutex(other)) = held.replace(Mutex(*m)) {
                        return Err(format!("m{m} is locked while m{other} is held"));
                    }
                }
                Statement::Unlock(mutex) => {
                    let owned = held.take() == Some(*mutex);
                    owned
                        .then_some(())
                        .ok_or_else(|| format!("m{} is unlocked, but not held", mutex.0))?;
                }
                _ => {}
            }
        }
        Ok(held)
    }

    fn validate_location(
        &self,
        location: Location,
        is_atomic: bool,
        atomic: &mut BTreeMap<Location, bool>,
    ) -> Result<(), String> {
        if usize::from(location.0) >= self.initial.len() {
            return Err(format!("location {} has no initial value", location.0));
        }
        if *atomic.entry(location).or_insert(is_atomic) != is_atomic {
            return Err(format!("location {} is accessed both atomically and not", location.0));
        }
        Ok(())
    }

    /// How many registers a thread has: those up to the last that is assigned.
    pub fn registers(&self, thread: usize) -> usize {
        fn of(block: &[Statement]) -> usize {
            let each = |statement: &Statement| match statement {
                Statement::Load { reg, .. } | Statement::Rmw { reg, .. } | Statement::NonAtomicRead { reg, .. } => {
                    usize::from(reg.0) + 1
                }
                Statement::Cas { reg, flag, .. } => usize::from(reg.0.max(flag.0)) + 1,
                Statement::If { then, else_, .. } => of(then).max(of(else_)),
                _ => 0,
            };
            block.iter().map(each).max().unwrap_or(0)
        }
        of(&self.threads[thread])
    }

    /// Calls `see` with every statement, in whatever branch it is.
    pub fn for_each_statement(&self, see: &mut dyn FnMut(&Statement)) {
        fn walk(block: &[Statement], see: &mut dyn FnMut(&Statement)) {
            for statement in block {
                see(statement);
                if let Statement::If { then, else_, .. } = statement {
                    walk(then, see);
                    walk(else_, see);
                }
            }
        }
        for thread in &self.threads {
            walk(thread, see);
        }
    }
}

impl Statement {
    /// The location it accesses, and whether atomically.
    pub fn location(&self) -> Option<(Location, bool)> {
        match self {
            Statement::Load { loc, .. }
            | Statement::Store { loc, .. }
            | Statement::Rmw { loc, .. }
            | Statement::Cas { loc, .. } => Some((*loc, true)),
            Statement::NonAtomicRead { loc, .. } | Statement::NonAtomicWrite { loc, .. } => Some((*loc, false)),
            Statement::Fence(_) | Statement::If { .. } | Statement::Lock(_) | Statement::Unlock(_) => None,
        }
    }

    /// Whether std's method would accept the ordering rather than panic.
    fn order_is_legal(&self) -> bool {
        match self {
            Statement::Load { order, .. } => Order::LOADS.contains(order),
            Statement::Store { order, .. } => Order::STORES.contains(order),
            Statement::Cas { failure, .. } => Order::LOADS.contains(failure),
            Statement::Fence(order) => Order::FENCES.contains(order),
            _ => true,
        }
    }
}
