//! Random programs, small enough that every execution graph can be tried.

use crate::program::{Expr, Location, Mutex, Operator, Order, Program, Register, Statement, Update, Value};

/// A generator of random numbers: SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The same seed gives the same numbers.
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// Any number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`, which is not 0.
    pub fn below(&mut self, end: u8) -> u8 {
        u8::try_from(self.number() % u64::from(end)).expect("it is below a number of 8 bits")
    }

    /// True in one of `n` cases.
    pub fn one_in(&mut self, n: u8) -> bool {
        self.below(n) == 0
    }

    /// One of these.
    pub fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        let end = u8::try_from(from.len()).expect("lists to choose from are short");
        from[usize::from(self.below(end))].clone()
    }
}

/// How large random programs are, and what they have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Size {
    /// How many threads.
    pub threads: u8,
    /// How many statements a thread has at most, those in branches included. At least one.
    pub statements: u8,
    /// How many locations. At least one, and two if one of them is not atomic.
    pub locations: u8,
    /// Whether the last location is not atomic.
    pub non_atomic: bool,
    /// How many mutexes.
    pub mutexes: u8,
}

impl Size {
    /// A size for which enumeration takes milliseconds as a rule: mostly two or three threads, two locations.
    pub fn random(random: &mut Random) -> Size {
        let (threads, statements) = random.pick(&[(2, 2), (2, 3), (2, 3), (2, 4), (3, 2), (3, 2), (3, 3), (4, 2)]);
        let non_atomic = random.one_in(5);
        let locations = random.pick(&[1, 2, 2, 2, 2, 3]).max(1 + u8::from(non_atomic));
        Size {
            threads,
            statements,
            locations,
            non_atomic,
            mutexes: u8::from(random.one_in(5)),
        }
    }
}

/// Which orderings a program prefers.
#[derive(Clone, Copy)]
enum Style {
    /// None.
    Any,
    /// Relaxed accesses, among fences.
    Fences,
    /// Mostly sequentially consistent, sometimes weaker.
    Strong,
    /// Release and acquire.
    Synchronised,
}

/// A random program of this size. It is [valid](Program::validate).
///
/// ```
/// use mazurka_axioms::{Random, Size, random_program};
///
/// let mut random = Random::new(17);
/// let size = Size::random(&mut random);
/// let program = random_program(&mut random, &size);
/// assert_eq!(program.validate(), Ok(()));
/// ```
pub fn random_program(random: &mut Random, size: &Size) -> Program {
    let style = random.pick(&[
        Style::Any,
        Style::Any,
        Style::Fences,
        Style::Strong,
        Style::Synchronised,
    ]);
    let initial = (0..size.locations).map(|_| Value::from(random.one_in(8))).collect();
    let thread = |random: &mut Random| {
        let mut generator = Generator {
            random,
            size,
            style,
            registers: 0,
        };
        let mut left = 1 + generator
            .random
            .below(size.statements)
            .max(generator.random.below(size.statements));
        generator.block(&mut left, false)
    };
    let threads = (0..size.threads).map(|_| thread(random)).collect();
    Program { initial, threads }
}

struct Generator<'a> {
    random: &'a mut Random,
    size: &'a Size,
    style: Style,
    /// How many registers are assigned so far.
    registers: u8,
}

impl Generator<'_> {
    /// Statements, until none are left. Inside a branch or a critical section there is at least one, and maybe no more.
    fn block(&mut self, left: &mut u8, inside: bool) -> Vec<Statement> {
        let mut block = Vec::new();
        while *left > 0 && !(inside && !block.is_empty() && self.random.one_in(2)) {
            *left -= 1;
            if *left > 0 && self.registers > 0 && self.random.one_in(5) {
                block.push(self.branch(left, inside));
            } else if *left > 0 && !inside && self.size.mutexes > 0 && self.random.one_in(2) {
                let mutex = Mutex(self.random.below(self.size.mutexes));
                block.push(Statement::Lock(mutex));
                block.extend(self.block(left, true));
                block.push(Statement::Unlock(mutex));
            } else {
                block.push(self.simple());
            }
        }
        block
    }

    fn branch(&mut self, left: &mut u8, inside: bool) -> Statement {
        let cond = self.condition();
        // A critical section as a whole may be in a branch, unless the branch is in one.
        let locked = !inside && self.size.mutexes > 0 && self.random.one_in(4);
        let mut then = self.block(left, true);
        if locked {
            then.insert(0, Statement::Lock(Mutex(0)));
            then.push(Statement::Unlock(Mutex(0)));
        }
        let else_ = if *left > 0 && self.random.one_in(2) {
            self.block(left, true)
        } else {
            Vec::new()
        };
        Statement::If { cond, then, else_ }
    }

    fn condition(&mut self) -> Expr {
        let register = self.some_register();
        let operator = self.random.pick(&[Operator::Equal, Operator::NotEqual, Operator::Less]);
        let constant = Expr::Constant(Value::from(self.random.below(3)));
        match self.random.below(4) {
            0 => register,
            _ => Expr::Binary(operator, Box::new(register), Box::new(constant)),
        }
    }

    fn some_register(&mut self) -> Expr {
        Expr::Register(Register(self.random.below(self.registers)))
    }

    /// Mostly 1 or 2, sometimes something that depends on what was read.
    fn value(&mut self) -> Expr {
        let constant = Expr::Constant(Value::from(1 + self.random.below(2)));
        if self.registers == 0 || !self.random.one_in(4) {
            return constant;
        }
        let register = self.some_register();
        if self.random.one_in(2) {
            return register;
        }
        let operator = self.random.pick(&Operator::ALL);
        Expr::Binary(operator, Box::new(register), Box::new(constant))
    }

    fn new_register(&mut self) -> Register {
        self.registers += 1;
        Register(self.registers - 1)
    }

    fn simple(&mut self) -> Statement {
        let fences = if matches!(self.style, Style::Fences) { 2 } else { 6 };
        if self.random.one_in(fences) {
            return Statement::Fence(self.order(&Order::FENCES));
        }
        let loc = Location(self.random.below(self.size.locations));
        if self.size.non_atomic && loc.0 == self.size.locations - 1 {
            return if self.random.one_in(2) {
                Statement::NonAtomicRead {
                    reg: self.new_register(),
                    loc,
                }
            } else {
                Statement::NonAtomicWrite {
                    loc,
                    value: self.value(),
                }
            };
        }
        match self.random.below(8) {
            0..=2 => Statement::Load {
                reg: self.new_register(),
                loc,
                order: self.order(&Order::LOADS),
            },
            3..=5 => Statement::Store {
                loc,
                value: self.value(),
                order: self.order(&Order::STORES),
            },
            6 => {
                let by = self.value();
                let op = if self.random.one_in(3) {
                    Update::Swap(by)
                } else {
                    Update::Add(by)
                };
                Statement::Rmw {
                    reg: self.new_register(),
                    loc,
                    op,
                    order: self.order(&Order::ALL),
                }
            }
            _ => self.compare_and_swap(loc),
        }
    }

    fn compare_and_swap(&mut self, loc: Location) -> Statement {
        let expected = if self.random.one_in(4) {
            self.value()
        } else {
            Expr::Constant(Value::from(self.random.below(3)))
        };
        let new = self.value();
        Statement::Cas {
            reg: self.new_register(),
            flag: self.new_register(),
            loc,
            expected,
            new,
            success: self.order(&Order::ALL),
            failure: self.order(&Order::LOADS),
            weak: self.random.one_in(3),
        }
    }

    /// One of the legal orderings, as the style prefers.
    fn order(&mut self, legal: &[Order]) -> Order {
        let preferred: &[Order] = match self.style {
            Style::Any => legal,
            Style::Fences => &[Order::Relaxed],
            Style::Strong => &[Order::SeqCst],
            Style::Synchronised => &[Order::Acquire, Order::Release, Order::AcqRel],
        };
        let preferred: Vec<_> = preferred
            .iter()
            .copied()
            .filter(|order| legal.contains(order))
            .collect();
        if preferred.is_empty() || self.random.one_in(4) {
            self.random.pick(legal)
        } else {
            self.random.pick(&preferred)
        }
    }
}
