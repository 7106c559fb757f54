//! Shared objects: what they do, and which of their operations interfere.
//!
//! The thesis argues (4.8) that a library of objects with carefully made tables is
//! worth more than a clever search. Each type is one file with four parts:
//!
//! * the *definition*: operations as partial functions on plain values
//!   (thesis 2.1), which the plain interpreter and the oracles use;
//! * the *encoding*: the same on bytes, which the search uses;
//! * the *relations*: when two operations are dependent (Def. 3.18), and which
//!   operation might be the first to interfere (`▷s`, Def. 4.26), each for a
//!   [`Relation`] of the user's choice;
//! * the *handle*: the names that models use for its operations, and the method of
//!   the builder that makes one.
//!
//! The testkit enumerates small values and checks every entry of every table
//! against its definition.

mod channel;
mod lock;
mod semaphore;
mod variable;

pub use channel::{Channel, ChannelType};
pub use lock::{Lock, LockType};
pub use semaphore::{Semaphore, SemaphoreType};
pub use variable::{Variable, VariableType};

use crate::ids::ProcessId;
use std::fmt;
use std::ops::{Range, RangeInclusive};

/// Which valid dependency relation a search uses.
///
/// From first to last, more pairs are independent. Sleep sets together with a
/// proviso need a weakly uniform relation (thesis, Def. 6.6 and Thm 6.12).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    /// The same in every state (Def. 3.13): dependent if dependent for some value.
    Constant,
    /// Conditional, and weakly uniform (as the variant at the end of Example 6.7).
    WeaklyUniform,
    /// The finest conditional relation that the object types know (Def. 3.18).
    Conditional,
}

/// An operation as the model's transitions use it. Its kind is an index into
/// [`ObjectType::operations`]. Who performs it refines it (thesis 3.4.2): a lock
/// taken by one process and by another are two operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Op {
    /// Index into the type's operations.
    pub kind: u8,
    /// The process that performs it.
    pub by: ProcessId,
}

/// What a model needs to know about an operation to check its use.
///
/// ```
/// # use mazurka_core::Operation;
/// const RECEIVE: Operation = Operation::update("Receive").with_output().partial();
/// assert!(RECEIVE.modifies && RECEIVE.gives_output && !RECEIVE.total);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Operation {
    /// Its name, as in the literature: Read, Send, …
    pub name: &'static str,
    /// Whether it may change the value. Guards use only those that do not.
    pub modifies: bool,
    /// Whether it takes an input.
    pub takes_input: bool,
    /// Whether it returns an output.
    pub gives_output: bool,
    /// Whether it is defined for every value (if not, it is an implicit guard).
    pub total: bool,
}

/// What an operation does to a plain value (thesis 2.1: `op(in, v) → (out, v')`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operated {
    /// Not defined for this value: a transition that uses it is disabled.
    Undefined,
    /// Defined, but the input is outside the domain: the model is wrong.
    OutOfRange,
    /// The output (0 if there is none) and the new value.
    Done(i64, Vec<i64>),
}

impl Operation {
    /// An operation that is always defined, modifies nothing and returns an output: expressions can use it.
    pub const fn query(name: &'static str) -> Self {
        Self {
            name,
            modifies: false,
            takes_input: false,
            gives_output: true,
            total: true,
        }
    }

    /// An operation that is always defined and modifies the value, without input or output.
    pub const fn update(name: &'static str) -> Self {
        Self {
            name,
            modifies: true,
            takes_input: false,
            gives_output: false,
            total: true,
        }
    }

    /// The same operation with an input.
    pub const fn with_input(mut self) -> Self {
        self.takes_input = true;
        self
    }

    /// The same operation with an output.
    pub const fn with_output(mut self) -> Self {
        self.gives_output = true;
        self
    }

    /// The same operation, but not defined for every value.
    pub const fn partial(mut self) -> Self {
        self.total = false;
        self
    }
}

/// A comparison of a value's bytes, as a little-endian number, with a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteTest {
    /// The constant.
    pub value: u64,
    /// Whether the bytes must be equal to it, or different.
    pub equal: bool,
}

/// What is known about executing one operation right after another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Succession {
    /// It cannot happen, whatever the value.
    Never,
    /// Whenever it can happen, so can the other order, with the same outputs and
    /// the same value in the end.
    Swaps,
    /// Neither is known.
    Matters,
}

/// An input outside the domain of the object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfRange;

/// A type of shared object.
///
/// `dependent`, `first_to_interfere`, `can_be_dependent` and `do_not_accord`
/// may always answer `true`; a wrong `false` makes searches unsound.
///
/// The example `own_object` of this crate implements a type of its own. All types
/// answer the same questions:
///
/// ```
/// use mazurka_core::{ObjectType, Op, ProcessId, Relation, VariableType};
///
/// let x = VariableType::range(0..=9).initially(4);
/// let op = |kind| Op { kind, by: ProcessId::new(0) };
/// assert_eq!(x.operations()[0].name, "Read");
/// assert_eq!(x.initial(), [4]);
/// assert!(!x.can_be_dependent(op(0), op(0), Relation::Conditional)); // two Reads
/// assert!(x.can_be_dependent(op(0), op(1), Relation::Conditional)); // Read and Write
/// ```
pub trait ObjectType: fmt::Debug + Send + Sync {
    /// The operations; [`Op::kind`] indexes this list.
    fn operations(&self) -> &'static [Operation];

    // ---- definition

    /// The initial value.
    fn initial(&self) -> Vec<i64>;

    /// The definition of the operations.
    fn operate(&self, op: Op, input: i64, value: &[i64]) -> Operated;

    /// What is wrong with the object's parameters, if anything (an empty domain, a capacity of zero).
    fn defect(&self) -> Option<String> {
        None
    }

    /// Whether an input is in the domain, for operations that take one.
    fn accepts(&self, _op: Op, _input: i64) -> bool {
        true
    }

    /// Whether all inputs of this range are in the domain; `false` is always safe.
    fn accepts_all(&self, op: Op, inputs: RangeInclusive<i64>) -> bool {
        inputs.start() == inputs.end() && self.accepts(op, *inputs.start())
    }

    /// A range that contains every output of `op`, if one is known.
    fn answers(&self, _op: Op) -> Option<RangeInclusive<i64>> {
        None
    }

    /// A query and its answer, such that `op` is defined exactly when the query
    /// gives that answer. A guard that asks it adds nothing to the operation.
    fn defined_iff(&self, _op: Op) -> Option<(u8, bool)> {
        None
    }

    /// Whether `op` makes values larger (1), smaller (-1) or neither (0).
    ///
    /// Of several persistent sets of the same size, searches prefer one that does not
    /// make values larger: messages are then received as early as possible, which
    /// keeps channels short and, for unbounded ones, may keep a search finite.
    fn growth(&self, _op: Op) -> i8 {
        0
    }

    // ---- encoding

    /// Called once, when the model is built, with the number of processes.
    fn fit(&mut self, _processes: usize) {}

    /// The number of bytes of every value, or `None` if it varies.
    fn fixed_len(&self) -> Option<usize>;

    /// The number of bytes of the value at the start of `bytes`.
    fn encoded_len(&self, bytes: &[u8]) -> usize;

    /// Appends the bytes of a value.
    fn encode(&self, value: &[i64], out: &mut Vec<u8>);

    /// The value of these bytes.
    fn decode(&self, bytes: &[u8]) -> Vec<i64>;

    /// Whether `op` is defined for the value `bytes`.
    fn defined(&self, op: Op, bytes: &[u8]) -> bool;

    /// [`ObjectType::defined`] as a comparison of at most 8 bytes, if it is one;
    /// only for types of fixed length.
    fn defined_as_bytes(&self, _op: Op) -> Option<ByteTest> {
        None
    }

    /// Whether a query gives this answer, as a comparison of at most 8 bytes, if it
    /// is one; only for types of fixed length.
    fn answer_as_bytes(&self, _op: Op, _answer: i64) -> Option<ByteTest> {
        None
    }

    /// The output of an operation that does not modify.
    fn query(&self, op: Op, bytes: &[u8]) -> i64;

    /// Performs a defined, modifying operation on the value at `at` in `state`.
    ///
    /// # Errors
    /// If the input is outside the domain; `state` is then unchanged.
    fn modify(&self, op: Op, input: i64, state: &mut Vec<u8>, at: Range<usize>) -> Result<i64, OutOfRange>;

    // ---- relations

    /// Whether the relations look at [`Op::by`]. If not, it is always process 0.
    fn refined_by_process(&self) -> bool {
        false
    }

    /// Whether `a` and `b` are dependent for this value (Def. 3.18). Symmetric.
    fn dependent(&self, a: Op, b: Op, bytes: &[u8], relation: Relation) -> bool;

    /// `a ▷s b` (Def. 4.26): from this value, `b` might be the first operation
    /// to be executed that is dependent with `a`.
    fn first_to_interfere(&self, a: Op, b: Op, bytes: &[u8], relation: Relation) -> bool;

    /// Whether `a` and `b` are dependent for some value (Def. 4.6). Symmetric.
    fn can_be_dependent(&self, a: Op, b: Op, relation: Relation) -> bool;

    /// Whether `a` and `b` are both defined and dependent for some value
    /// (Def. 4.13). Symmetric.
    fn do_not_accord(&self, a: Op, b: Op, relation: Relation) -> bool;

    /// What is known about executing `a` and then `b`, for weak stubborn sets.
    /// [`Succession::Matters`] is always a safe answer.
    fn succession(&self, a: Op, b: Op) -> Succession {
        if self.can_be_dependent(a, b, Relation::Conditional) {
            Succession::Matters
        } else {
            Succession::Swaps
        }
    }

    /// Whether [`Relation::Conditional`] is weakly uniform for this type (Def. 6.6).
    fn conditional_is_weakly_uniform(&self) -> bool;
}

/// Bytes that hold a number in `0..=max`.
pub(crate) fn width(max: u64) -> usize {
    match max {
        0..=0xFF => 1,
        0x100..=0xFFFF => 2,
        0x1_0000..=0xFFFF_FFFF => 4,
        _ => 8,
    }
}

/// Reads a little-endian number of at most 8 bytes.
#[inline]
pub(crate) fn read_uint(bytes: &[u8]) -> u64 {
    match *bytes {
        [a] => u64::from(a),
        [a, b] => u64::from(u16::from_le_bytes([a, b])),
        [a, b, c, d] => u64::from(u32::from_le_bytes([a, b, c, d])),
        _ => {
            let mut le = [0; 8];
            le[..bytes.len()].copy_from_slice(bytes);
            u64::from_le_bytes(le)
        }
    }
}

/// Writes a little-endian number over `bytes`.
#[inline]
pub(crate) fn write_uint(bytes: &mut [u8], value: u64) {
    let le = value.to_le_bytes();
    bytes.copy_from_slice(&le[..bytes.len()]);
}
