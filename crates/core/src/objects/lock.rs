//! Locks with an owner: Acquire, Release, Held.
//!
//! Acquire is defined when no process owns the lock, Release when the releasing
//! process does. Who acts is part of the operation (a refinement, thesis 3.4.2):
//! the Releases of two processes are never defined together, so they are
//! independent, and only the owner can be the first to interfere with its
//! Release. That one entry is what makes the dining philosophers polynomial.

use super::{ByteTest, ObjectType, Op, Operated, Operation, OutOfRange, Relation, Succession};
use super::{read_uint, width, write_uint};
use crate::ids::ProcessId;
use crate::model::{Action, Builder, Expr, Local, handle};
use crate::narrow;
use std::ops::{Range, RangeInclusive};

/// A lock, initially free.
#[derive(Clone, Debug)]
pub struct LockType {
    /// The number of bytes of the owner, which is 0 for none, else the process index plus one.
    len: usize,
}

pub(crate) const ACQUIRE: u8 = 0;
pub(crate) const RELEASE: u8 = 1;
pub(crate) const HELD: u8 = 2;

/// Who owns the lock.
type Owner = Option<ProcessId>;

impl Default for LockType {
    fn default() -> Self {
        Self { len: 4 }
    }
}

impl LockType {
    /// A free lock.
    pub fn free() -> Self {
        Self::default()
    }

    fn owner(bytes: &[u8]) -> Owner {
        match read_uint(bytes) {
            0 => None,
            p => Some(ProcessId::new(narrow::index(p) - 1)),
        }
    }

    fn is_defined(op: Op, owner: Owner) -> bool {
        match op.kind {
            ACQUIRE => owner.is_none(),
            RELEASE => owner == Some(op.by),
            _ => true,
        }
    }

    fn table(a: Op, b: Op, owner: Owner) -> bool {
        let (a, b) = if a.kind <= b.kind { (a, b) } else { (b, a) };
        match (a.kind, b.kind) {
            (ACQUIRE, ACQUIRE) => owner.is_none(),
            // b's Release enables a's Acquire; a's Acquire enables a's Release.
            (ACQUIRE, RELEASE) => owner == Some(b.by) || (owner.is_none() && a.by == b.by),
            (ACQUIRE, HELD) => owner.is_none(),
            (RELEASE, RELEASE) => a.by == b.by && owner == Some(a.by),
            (RELEASE, HELD) => owner == Some(a.by),
            _ => false,
        }
    }

    fn first_table(a: Op, b: Op, owner: Owner) -> bool {
        match (a.kind, b.kind) {
            (ACQUIRE, ACQUIRE | HELD) => owner.is_none(),
            (ACQUIRE, RELEASE) => owner == Some(b.by),
            // Only a's own Acquire makes a's Release possible; others take and
            // give back the lock meanwhile without interfering.
            (RELEASE, ACQUIRE) => a.by == b.by && owner != Some(a.by),
            (RELEASE, RELEASE) => a.by == b.by && owner == Some(a.by),
            (RELEASE, HELD) => owner == Some(a.by),
            (HELD, ACQUIRE) => owner.is_none(),
            (HELD, RELEASE) => owner == Some(b.by),
            _ => false,
        }
    }

    /// The owners that the tables can tell apart, for these two operations.
    fn owners(a: Op, b: Op) -> [Owner; 4] {
        let third = ProcessId::new(1 + a.by.index().max(b.by.index()));
        [None, Some(a.by), Some(b.by), Some(third)]
    }
}

impl ObjectType for LockType {
    fn operations(&self) -> &'static [Operation] {
        const OPERATIONS: [Operation; 3] = [
            Operation::update("Acquire").partial(),
            Operation::update("Release").partial(),
            Operation::query("Held"),
        ];
        &OPERATIONS
    }

    fn initial(&self) -> Vec<i64> {
        vec![0]
    }

    fn operate(&self, op: Op, _: i64, value: &[i64]) -> Operated {
        let me = op.by.index() as i64 + 1;
        match (op.kind, value[0]) {
            (ACQUIRE, 0) => Operated::Done(0, vec![me]),
            (RELEASE, owner) if owner == me => Operated::Done(0, vec![0]),
            (HELD, owner) => Operated::Done((owner != 0).into(), vec![owner]),
            _ => Operated::Undefined,
        }
    }

    fn answers(&self, _: Op) -> Option<RangeInclusive<i64>> {
        Some(0..=1)
    }

    fn defined_iff(&self, op: Op) -> Option<(u8, bool)> {
        (op.kind == ACQUIRE).then_some((HELD, false))
    }

    fn fit(&mut self, processes: usize) {
        self.len = width(processes as u64);
    }

    fn fixed_len(&self) -> Option<usize> {
        Some(self.len)
    }

    fn encoded_len(&self, _: &[u8]) -> usize {
        self.len
    }

    fn encode(&self, value: &[i64], out: &mut Vec<u8>) {
        out.extend_from_slice(&value[0].to_le_bytes()[..self.len]);
    }

    fn decode(&self, bytes: &[u8]) -> Vec<i64> {
        vec![read_uint(bytes) as i64]
    }

    fn defined(&self, op: Op, bytes: &[u8]) -> bool {
        Self::is_defined(op, Self::owner(bytes))
    }

    fn defined_as_bytes(&self, op: Op) -> Option<ByteTest> {
        let owner = match op.kind {
            ACQUIRE => 0,
            RELEASE => op.by.index() as u64 + 1,
            _ => return None,
        };
        Some(ByteTest {
            value: owner,
            equal: true,
        })
    }

    fn answer_as_bytes(&self, _: Op, answer: i64) -> Option<ByteTest> {
        matches!(answer, 0 | 1).then_some(ByteTest {
            value: 0,
            equal: answer == 0,
        })
    }

    fn query(&self, _: Op, bytes: &[u8]) -> i64 {
        (read_uint(bytes) != 0).into()
    }

    fn modify(&self, op: Op, _: i64, state: &mut Vec<u8>, at: Range<usize>) -> Result<i64, OutOfRange> {
        let owner = if op.kind == ACQUIRE {
            op.by.index() as u64 + 1
        } else {
            0
        };
        write_uint(&mut state[at], owner);
        Ok(0)
    }

    fn refined_by_process(&self) -> bool {
        true
    }

    fn dependent(&self, a: Op, b: Op, bytes: &[u8], relation: Relation) -> bool {
        match relation {
            Relation::Constant => self.can_be_dependent(a, b, relation),
            _ => Self::table(a, b, Self::owner(bytes)),
        }
    }

    fn first_to_interfere(&self, a: Op, b: Op, bytes: &[u8], relation: Relation) -> bool {
        match relation {
            Relation::Constant => self.can_be_dependent(a, b, relation),
            _ => Self::first_table(a, b, Self::owner(bytes)),
        }
    }

    fn can_be_dependent(&self, a: Op, b: Op, _: Relation) -> bool {
        Self::owners(a, b).iter().any(|o| Self::table(a, b, *o))
    }

    fn do_not_accord(&self, a: Op, b: Op, relation: Relation) -> bool {
        Self::owners(a, b).iter().any(|o| {
            Self::is_defined(a, *o)
                && Self::is_defined(b, *o)
                && match relation {
                    Relation::Constant => self.can_be_dependent(a, b, relation),
                    _ => Self::table(a, b, *o),
                }
        })
    }

    fn succession(&self, a: Op, b: Op) -> Succession {
        match (a.kind, b.kind) {
            (ACQUIRE, ACQUIRE) | (RELEASE, RELEASE) => Succession::Never,
            (ACQUIRE, RELEASE) if a.by != b.by => Succession::Never,
            (HELD, HELD) => Succession::Swaps,
            _ => Succession::Matters,
        }
    }

    fn conditional_is_weakly_uniform(&self) -> bool {
        true
    }
}

handle! {
    /// A handle to a lock with an owner.
    ///
    /// ```
    /// # use mazurka_core::{Builder, Search};
    /// # let mut m = Builder::new("m");
    /// let [a0, a1] = m.process("A", ["a0", "a1"]);
    /// let [b0, b1] = m.process("B", ["b0", "b1"]);
    /// let lock = m.lock("lock");
    /// for (name, out, inside) in [("A", a0, a1), ("B", b0, b1)] {
    ///     m.transition(format!("{name} enters"), out, inside).then(lock.acquire());
    ///     m.transition(format!("{name} leaves"), inside, out).then(lock.release());
    /// }
    /// m.invariant("mutual exclusion", !(a1.reached() & b1.reached()));
    /// assert!(Search::new(&m.build()?).run()?.violations.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    Lock
}

impl Builder {
    /// Adds a lock, initially free.
    pub fn lock(&mut self, name: impl Into<String>) -> Lock {
        Lock(self.object(name, LockType::free()))
    }
}

impl Lock {
    /// Acquires the lock for the process that moves; disabled while the lock is held.
    pub fn acquire(self) -> Action {
        self.0.operate(ACQUIRE)
    }

    /// Releases the lock; disabled unless the process that moves holds it.
    pub fn release(self) -> Action {
        self.0.operate(RELEASE)
    }

    /// [`Lock::acquire`] in a joint transition, for the process of this control point.
    pub fn acquire_by(self, who: Local) -> Action {
        self.0.action(ACQUIRE, None, Some(who))
    }

    /// [`Lock::release`] in a joint transition, by the process of this control point.
    pub fn release_by(self, who: Local) -> Action {
        self.0.action(RELEASE, None, Some(who))
    }

    /// Whether some process holds the lock.
    pub fn is_held(self) -> Expr {
        self.0.query(HELD)
    }
}
