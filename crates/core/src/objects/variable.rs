//! Variables: Read, Write, Complement, Add.
//!
//! Thesis, Examples 2.1, 3.14 and 3.16; Add is the same idea as Complement, a
//! Write refined until it commutes with itself. It adds modulo the size of the
//! domain, so that it is defined for every value and any two Adds commute.
//! The relation is constant, hence weakly uniform, and equal to `▷s`: the
//! first interfering operation is any dependent one.

use super::{ByteTest, ObjectType, Op, Operated, Operation, OutOfRange, Relation};
use super::{read_uint, width, write_uint};
use crate::model::{Action, Builder, Expr, handle};
use std::ops::{Range, RangeInclusive};

/// A variable over a range of integers.
///
/// ```
/// use mazurka_core::{ObjectType, VariableType};
/// let counter = VariableType::range(0..=9).initially(3);
/// assert_eq!(counter.initial(), [3]);
/// let flag = VariableType::boolean();
/// assert_eq!(flag.fixed_len(), Some(1)); // bytes of a state
/// ```
#[derive(Clone, Debug)]
pub struct VariableType {
    low: i64,
    high: i64,
    initial: i64,
}

impl VariableType {
    /// A variable that is 0 or 1, initially 0.
    pub fn boolean() -> Self {
        Self::range(0..=1)
    }

    /// A variable over this range, initially its least value.
    pub fn range(domain: RangeInclusive<i64>) -> Self {
        Self {
            low: *domain.start(),
            high: *domain.end(),
            initial: *domain.start(),
        }
    }

    /// With this initial value.
    pub fn initially(mut self, value: i64) -> Self {
        self.initial = value;
        self
    }

    /// Size of the domain minus one.
    fn span(&self) -> u64 {
        self.high.wrapping_sub(self.low) as u64
    }

    fn holds(&self, value: i64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// `value + n`, modulo the size of the domain.
    fn sum(&self, value: i64, n: i64) -> i64 {
        let size = i128::from(self.span()) + 1;
        let offset = i128::from(value) - i128::from(self.low) + i128::from(n);
        let sum = i128::from(self.low) + offset.rem_euclid(size);
        i64::try_from(sum).expect("a value of the domain")
    }

    /// As far from the top as `value` is from the bottom.
    fn mirror(&self, value: i64) -> i64 {
        self.high.wrapping_sub(value.wrapping_sub(self.low))
    }

    #[inline]
    fn get(&self, bytes: &[u8]) -> i64 {
        self.low.wrapping_add(read_uint(bytes) as i64)
    }

    /// Example 3.16's table, with Add beside Complement.
    fn table(a: u8, b: u8) -> bool {
        !(a == b && matches!(a, READ | COMPLEMENT | ADD))
    }
}

pub(crate) const READ: u8 = 0;
pub(crate) const WRITE: u8 = 1;
pub(crate) const COMPLEMENT: u8 = 2;
pub(crate) const ADD: u8 = 3;

impl ObjectType for VariableType {
    fn operations(&self) -> &'static [Operation] {
        const OPERATIONS: [Operation; 4] = [
            Operation::query("Read"),
            Operation::update("Write").with_input(),
            Operation::update("Complement"),
            Operation::update("Add").with_input(),
        ];
        &OPERATIONS
    }

    fn initial(&self) -> Vec<i64> {
        vec![self.initial]
    }

    fn operate(&self, op: Op, input: i64, value: &[i64]) -> Operated {
        let v = value[0];
        match op.kind {
            READ => Operated::Done(v, vec![v]),
            WRITE if !self.holds(input) => Operated::OutOfRange,
            WRITE => Operated::Done(0, vec![input]),
            COMPLEMENT => Operated::Done(0, vec![self.mirror(v)]),
            _ => Operated::Done(0, vec![self.sum(v, input)]),
        }
    }

    fn defect(&self) -> Option<String> {
        if self.low > self.high {
            return Some(format!("its domain {}..={} is empty", self.low, self.high));
        }
        (!self.holds(self.initial)).then(|| {
            format!(
                "its initial value {} is not in {}..={}",
                self.initial, self.low, self.high
            )
        })
    }

    fn accepts(&self, op: Op, input: i64) -> bool {
        op.kind != WRITE || self.holds(input)
    }

    fn accepts_all(&self, op: Op, inputs: RangeInclusive<i64>) -> bool {
        op.kind != WRITE || (self.low <= *inputs.start() && *inputs.end() <= self.high)
    }

    fn answers(&self, _: Op) -> Option<RangeInclusive<i64>> {
        Some(self.low..=self.high)
    }

    fn fixed_len(&self) -> Option<usize> {
        Some(width(self.span()))
    }

    fn encoded_len(&self, _: &[u8]) -> usize {
        width(self.span())
    }

    fn encode(&self, value: &[i64], out: &mut Vec<u8>) {
        let raw = value[0].wrapping_sub(self.low) as u64;
        out.extend_from_slice(&raw.to_le_bytes()[..width(self.span())]);
    }

    fn decode(&self, bytes: &[u8]) -> Vec<i64> {
        vec![self.get(bytes)]
    }

    fn defined(&self, _: Op, _: &[u8]) -> bool {
        true
    }

    fn answer_as_bytes(&self, _: Op, answer: i64) -> Option<ByteTest> {
        self.holds(answer).then(|| ByteTest {
            value: answer.wrapping_sub(self.low) as u64,
            equal: true,
        })
    }

    fn query(&self, _: Op, bytes: &[u8]) -> i64 {
        self.get(bytes)
    }

    fn modify(&self, op: Op, input: i64, state: &mut Vec<u8>, at: Range<usize>) -> Result<i64, OutOfRange> {
        let bytes = &mut state[at];
        let value = match op.kind {
            WRITE if !self.holds(input) => return Err(OutOfRange),
            WRITE => input,
            COMPLEMENT => self.mirror(self.get(bytes)),
            _ => self.sum(self.get(bytes), input),
        };
        write_uint(bytes, value.wrapping_sub(self.low) as u64);
        Ok(0)
    }

    fn dependent(&self, a: Op, b: Op, _: &[u8], _: Relation) -> bool {
        Self::table(a.kind, b.kind)
    }

    fn first_to_interfere(&self, a: Op, b: Op, _: &[u8], _: Relation) -> bool {
        Self::table(a.kind, b.kind)
    }

    fn can_be_dependent(&self, a: Op, b: Op, _: Relation) -> bool {
        Self::table(a.kind, b.kind)
    }

    fn do_not_accord(&self, a: Op, b: Op, _: Relation) -> bool {
        Self::table(a.kind, b.kind)
    }

    fn conditional_is_weakly_uniform(&self) -> bool {
        true
    }
}

handle! {
    /// A handle to a shared variable.
    ///
    /// ```
    /// # use mazurka_core::{Builder, Search, VariableType};
    /// # let mut m = Builder::new("m");
    /// let [a] = m.process("A", ["a"]);
    /// let n = m.variable("n", VariableType::range(0..=4));
    /// m.transition("add", a, a).then(n.add(2)); // modulo 5
    /// assert_eq!(Search::full(&m.build()?).run()?.statistics.states, 5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    Variable
}

impl Builder {
    /// Adds a variable.
    pub fn variable(&mut self, name: impl Into<String>, kind: VariableType) -> Variable {
        Variable(self.object(name, kind))
    }

    /// Adds a variable that is 0 or 1, initially 0.
    pub fn boolean(&mut self, name: impl Into<String>) -> Variable {
        self.variable(name, VariableType::boolean())
    }
}

impl Variable {
    /// Its value.
    pub fn read(self) -> Expr {
        self.0.query(READ)
    }

    /// Whether its value equals `other`.
    pub fn is(self, other: impl Into<Expr>) -> Expr {
        self.read().is(other)
    }

    /// Assigns a value.
    pub fn write(self, value: impl Into<Expr>) -> Action {
        self.0.operate_with(WRITE, value)
    }

    /// Mirrors the value in its domain: 0 ↔ 1 for a boolean. Commutes with itself.
    pub fn complement(self) -> Action {
        self.0.operate(COMPLEMENT)
    }

    /// Adds `n`, modulo the size of the domain. Commutes with itself.
    #[expect(clippy::should_implement_trait, reason = "it is an action, not a sum")]
    pub fn add(self, n: impl Into<Expr>) -> Action {
        self.0.operate_with(ADD, n)
    }
}

impl From<Variable> for Expr {
    fn from(variable: Variable) -> Self {
        variable.read()
    }
}
