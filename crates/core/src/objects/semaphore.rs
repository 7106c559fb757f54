//! Counting semaphores: Acquire (P), Release (V), Value.
//!
//! A value `v` in `0..=max`. Acquire is defined when v > 0, Release when v < max.
//! Two Acquires are dependent only when one is left (v = 1), an Acquire and a
//! Release only where one enables the other (v = 0, v = max).
//!
//! That relation is not weakly uniform: at v = 0, Release then Acquire are
//! dependent, another Release is independent of both, and after it they are
//! independent. [`Relation::WeaklyUniform`] therefore also makes two Releases
//! dependent at v = 0, and two Acquires at v = max.

use super::{ByteTest, ObjectType, Op, Operated, Operation, OutOfRange, Relation, Succession};
use super::{read_uint, width, write_uint};
use crate::model::{Action, Builder, Expr, handle};
use crate::narrow;
use std::ops::{Range, RangeInclusive};

/// A counting semaphore.
///
/// ```
/// use mazurka_core::{ObjectType, SemaphoreType};
/// let three_permits = SemaphoreType::counting(3);
/// assert_eq!(three_permits.initial(), [3]);
/// let binary = SemaphoreType::counting(1).at_most(1);
/// assert!(binary.conditional_is_weakly_uniform());
/// ```
#[derive(Clone, Debug)]
pub struct SemaphoreType {
    initial: u32,
    max: Option<u32>,
}

pub(crate) const ACQUIRE: u8 = 0;
pub(crate) const RELEASE: u8 = 1;
pub(crate) const VALUE: u8 = 2;

/// What the relations look at.
#[derive(Clone, Copy)]
struct Permits {
    v: u32,
    /// How many Releases are possible; `u32::MAX` if there is no maximum.
    room: u32,
}

impl SemaphoreType {
    /// A semaphore with this initial value and no maximum.
    pub fn counting(value: u32) -> Self {
        Self {
            initial: value,
            max: None,
        }
    }

    /// With this maximum, at which Release is disabled.
    pub fn at_most(mut self, max: u32) -> Self {
        self.max = Some(max);
        self
    }

    fn permits(&self, v: u32) -> Permits {
        Permits {
            v,
            room: self.max.map_or(u32::MAX, |max| max - v),
        }
    }

    fn is_defined(kind: u8, Permits { v, room }: Permits) -> bool {
        match kind {
            ACQUIRE => v > 0,
            RELEASE => room > 0,
            _ => true,
        }
    }

    fn table(a: u8, b: u8, Permits { v, room }: Permits, relation: Relation) -> bool {
        let uniform = relation != Relation::Conditional;
        match (a.min(b), a.max(b)) {
            (ACQUIRE, ACQUIRE) => v == 1 || (uniform && room == 0 && v > 0),
            (ACQUIRE, RELEASE) => v == 0 || room == 0,
            (RELEASE, RELEASE) => room == 1 || (uniform && v == 0 && room > 0),
            (ACQUIRE, VALUE) => v > 0,
            (RELEASE, VALUE) => room > 0,
            _ => false,
        }
    }

    fn first_table(a: u8, b: u8, Permits { v, room }: Permits, relation: Relation) -> bool {
        let uniform = relation != Relation::Conditional;
        match (a, b) {
            // Acquires lead down to v = 1 without interfering.
            (ACQUIRE, ACQUIRE) => v > 0,
            (ACQUIRE, RELEASE) => v == 0,
            (RELEASE, ACQUIRE) => room == 0,
            // Releases lead up to the last one, which interferes; where v = 0
            // is dependent as well, Acquires lead down to it.
            (RELEASE, RELEASE) => room > 0 && (room < u32::MAX || uniform),
            (ACQUIRE, VALUE) | (VALUE, ACQUIRE) => v > 0,
            (RELEASE, VALUE) | (VALUE, RELEASE) => room > 0,
            _ => false,
        }
    }

    /// Enough values to meet every entry of the tables.
    fn all_permits(&self) -> impl Iterator<Item = Permits> + '_ {
        let top = self.max.unwrap_or(4);
        (0..=2.min(top))
            .chain(top.saturating_sub(2)..=top)
            .map(|v| self.permits(v))
    }

    fn len(&self) -> usize {
        width(self.max.unwrap_or(u32::MAX).into())
    }

    #[inline]
    fn get(bytes: &[u8]) -> u32 {
        narrow::short(narrow::index(read_uint(bytes)))
    }
}

impl ObjectType for SemaphoreType {
    fn operations(&self) -> &'static [Operation] {
        const OPERATIONS: [Operation; 3] = [
            Operation::update("Acquire").partial(),
            Operation::update("Release").partial(),
            Operation::query("Value"),
        ];
        &OPERATIONS
    }

    fn initial(&self) -> Vec<i64> {
        vec![self.initial.into()]
    }

    fn operate(&self, op: Op, _: i64, value: &[i64]) -> Operated {
        let v = value[0];
        match op.kind {
            ACQUIRE if v == 0 => Operated::Undefined,
            ACQUIRE => Operated::Done(0, vec![v - 1]),
            RELEASE if self.max.is_some_and(|max| v == i64::from(max)) => Operated::Undefined,
            RELEASE if v == i64::from(u32::MAX) => Operated::OutOfRange,
            RELEASE => Operated::Done(0, vec![v + 1]),
            _ => Operated::Done(v, vec![v]),
        }
    }

    fn defect(&self) -> Option<String> {
        let max = self.max.filter(|max| self.initial > *max)?;
        Some(format!("its initial value {} is above its maximum {max}", self.initial))
    }

    fn answers(&self, _: Op) -> Option<RangeInclusive<i64>> {
        Some(0..=self.max.unwrap_or(u32::MAX).into())
    }

    fn fixed_len(&self) -> Option<usize> {
        Some(self.len())
    }

    fn encoded_len(&self, _: &[u8]) -> usize {
        self.len()
    }

    fn encode(&self, value: &[i64], out: &mut Vec<u8>) {
        out.extend_from_slice(&value[0].to_le_bytes()[..self.len()]);
    }

    fn decode(&self, bytes: &[u8]) -> Vec<i64> {
        vec![Self::get(bytes).into()]
    }

    fn defined(&self, op: Op, bytes: &[u8]) -> bool {
        Self::is_defined(op.kind, self.permits(Self::get(bytes)))
    }

    fn defined_as_bytes(&self, op: Op) -> Option<ByteTest> {
        let blocked_at = match op.kind {
            ACQUIRE => 0,
            RELEASE => self.max?.into(),
            _ => return None,
        };
        Some(ByteTest {
            value: blocked_at,
            equal: false,
        })
    }

    fn answer_as_bytes(&self, _: Op, answer: i64) -> Option<ByteTest> {
        let value = u32::try_from(answer).ok()?.into();
        (value <= self.max.unwrap_or(u32::MAX).into()).then_some(ByteTest { value, equal: true })
    }

    fn query(&self, _: Op, bytes: &[u8]) -> i64 {
        Self::get(bytes).into()
    }

    fn modify(&self, op: Op, _: i64, state: &mut Vec<u8>, at: Range<usize>) -> Result<i64, OutOfRange> {
        let bytes = &mut state[at];
        let v = Self::get(bytes);
        let v = if op.kind == ACQUIRE {
            v - 1
        } else {
            v.checked_add(1).ok_or(OutOfRange)?
        };
        write_uint(bytes, v.into());
        Ok(0)
    }

    fn dependent(&self, a: Op, b: Op, bytes: &[u8], relation: Relation) -> bool {
        match relation {
            Relation::Constant => self.can_be_dependent(a, b, relation),
            _ => Self::table(a.kind, b.kind, self.permits(Self::get(bytes)), relation),
        }
    }

    fn first_to_interfere(&self, a: Op, b: Op, bytes: &[u8], relation: Relation) -> bool {
        match relation {
            Relation::Constant => self.can_be_dependent(a, b, relation),
            _ => Self::first_table(a.kind, b.kind, self.permits(Self::get(bytes)), relation),
        }
    }

    fn can_be_dependent(&self, a: Op, b: Op, relation: Relation) -> bool {
        self.all_permits().any(|v| Self::table(a.kind, b.kind, v, relation))
    }

    fn do_not_accord(&self, a: Op, b: Op, relation: Relation) -> bool {
        self.all_permits().any(|v| {
            Self::is_defined(a.kind, v)
                && Self::is_defined(b.kind, v)
                && match relation {
                    Relation::Constant => self.can_be_dependent(a, b, relation),
                    _ => Self::table(a.kind, b.kind, v, relation),
                }
        })
    }

    fn succession(&self, a: Op, b: Op) -> Succession {
        match (a.kind, b.kind) {
            // One after the other means that there were two to take, or to give.
            (ACQUIRE, ACQUIRE) | (RELEASE, RELEASE) | (VALUE, VALUE) => Succession::Swaps,
            (ACQUIRE, RELEASE) if self.max.is_none() => Succession::Swaps,
            _ => Succession::Matters,
        }
    }

    fn conditional_is_weakly_uniform(&self) -> bool {
        // With one permit only, the two relations are the same.
        self.max.is_some_and(|max| max <= 1)
    }
}

handle! {
    /// A handle to a counting semaphore.
    ///
    /// ```
    /// # use mazurka_core::{Builder, Search, SemaphoreType};
    /// # let mut m = Builder::new("m");
    /// let permits = m.semaphore("permits", SemaphoreType::counting(2));
    /// for name in ["A", "B", "C"] {
    ///     let points = m.process_of(name, ["outside", "inside"]);
    ///     m.transition(format!("{name} enters"), points[0], points[1]).then(permits.acquire());
    /// }
    /// let outcome = Search::full(&m.build()?).run()?;
    /// assert_eq!(outcome.deadlocks.len(), 3); // one of them stays outside
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    Semaphore
}

impl Builder {
    /// Adds a semaphore.
    pub fn semaphore(&mut self, name: impl Into<String>, kind: SemaphoreType) -> Semaphore {
        Semaphore(self.object(name, kind))
    }
}

impl Semaphore {
    /// P: takes a permit; disabled at zero.
    pub fn acquire(self) -> Action {
        self.0.operate(ACQUIRE)
    }

    /// V: returns a permit; disabled at the maximum, if there is one.
    pub fn release(self) -> Action {
        self.0.operate(RELEASE)
    }

    /// The number of permits that are left.
    pub fn value(self) -> Expr {
        self.0.query(VALUE)
    }
}
