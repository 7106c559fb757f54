//! What the engine knows about a type of object: one trait, which each primitive implements in its own file.
//!
//! The engine (`execution/`, `search/`, `detect/`) never names a primitive. It holds states and operations in two closed
//! enums, [`State`](crate::registry::State) and [`Kind`](crate::registry::Kind), which the registration in `sync/mod.rs` makes
//! from the types listed there, and asks them the questions of this trait. Dispatch is a `match`: states and
//! operations stay plain data, operations are compared and hashed as two bytes.
//!
//! Two questions decide what the search leaves out (Godefroid's thesis, 3.4; Stoller, sections 3 and 7):
//!
//! * [`ObjectType::order`]: given two operations in the order in which they happened, must the first one stay
//!   first ([`Order::Enables`]: the second one was impossible without it), could they be swapped with
//!   another outcome ([`Order::Races`]), or does the order not matter?
//! * [`ObjectType::dependent`]: given two operations that are possible in the same state, does their order
//!   matter? Sleep sets and wakeup trees ask this question.
//!
//! "Dependent" is always a safe answer. The two answers must be consistent: if both operations were possible, `order` may say
//! [`Order::Unordered`] only if `dependent` says no. The defaults of the other questions are right for an object that is not
//! a lock, and whose operations are always possible and never fail.

use crate::execution::thread::Thread;
use crate::execution::{Event, Execution, Race};
use crate::ids::{EventId, ObjectId, ThreadId};
use crate::narrow::short;
use crate::operation::{Effect, Operation};
use crate::user::Operations;
use std::fmt::Debug;
use std::hash::Hash;
use std::rc::Rc;

/// What the order of two operations on one object means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Order {
    /// They commute.
    Unordered,
    /// The second needs the first.
    Enables,
    /// The other order may be possible, and differs.
    Races,
}

impl Order {
    /// For types where no operation enables another.
    pub(crate) fn races_if(condition: bool) -> Order {
        if condition { Order::Races } else { Order::Unordered }
    }
}

/// Which operations must be left out, besides the first one of a race, so that the second one is possible; see `rivals.rs`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rivals {
    /// No others: [`ObjectType::possible_without`] says whether it is possible.
    None,
    /// Everybody who would still hold the lock.
    Holders,
    /// It is unknown; all combinations are tried.
    Unknown,
}

/// In which ways an operation can be performed.
pub(crate) enum Ways {
    /// So many, numbered from 0.
    Numbered(u32),
    /// Those with these names, which mean the same in all equivalent executions.
    Named(Rc<[u32]>),
}

impl Ways {
    pub(crate) fn len(&self) -> u32 {
        match self {
            Ways::Numbered(number) => *number,
            Ways::Named(names) => short(names.len()),
        }
    }

    /// The `i`-th way.
    pub(crate) fn at(&self, i: u32) -> u32 {
        match self {
            Ways::Numbered(_) => i,
            Ways::Named(names) => names[i as usize],
        }
    }

    /// All of them, the natural one first.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = u32> {
        (0..self.len()).map(|i| self.at(i))
    }

    pub(crate) fn has(&self, way: u32) -> bool {
        match self {
            Ways::Numbered(number) => way < *number,
            Ways::Named(names) => names.contains(&way),
        }
    }
}

/// The performance of an announced operation.
#[derive(Clone, Copy)]
pub(crate) struct Step {
    pub(crate) thread: ThreadId,
    pub(crate) object: ObjectId,
    pub(crate) arg: u32,
    /// In which of [`ObjectType::ways`].
    pub(crate) choice: u32,
}

/// A type of object: its state, its operations, and what they mean to the engine.
pub(crate) trait ObjectType: Clone + Debug {
    /// What threads announce, and what that turns out to be when it happens (a *refinement*).
    type Operation: Copy + Eq + Hash + Debug;

    /// The type's name for people.
    const NAME: &'static str;
    /// Types for users whose destructors do nothing but drop what is in them, as `type_name` gives them.
    const SILENT: &'static [&'static str] = &[];
    /// Whether threads that declare what they use must declare objects of this type.
    const DECLARED: bool = true;
    /// Whether the order of its operations is that of the execution graph ([`crate::memory`]).
    const GRAPHED: bool = false;
    /// Whether it is also accessed within transitions, without an operation of its own.
    const CELL: bool = false;

    // In words.

    /// The operation as a verb for people.
    fn verb(operation: Self::Operation) -> &'static str;

    /// The same with different names for operations that people need not tell apart.
    fn exact_verb(operation: Self::Operation) -> &'static str {
        Self::verb(operation)
    }

    /// The name of the object, which is the `ordinal`-th of its type.
    fn name(&self, ordinal: u32) -> String {
        format!("{} {ordinal}", Self::NAME)
    }

    /// The object of the verb of an event, or how it was done.
    fn target(execution: &Execution, event: &Event, _operation: Self::Operation) -> String {
        execution.object_name(event.footprint.object)
    }

    /// What a thread that is stuck in its announced operation waits for.
    fn waits_for(execution: &Execution, thread: &Thread, operation: Self::Operation) -> String {
        let (name, made) = execution.name_and_place(thread.pending.object);
        format!("to {} {name}{made}", Self::verb(operation))
    }

    /// Deadlocks that other implementations of the primitive may have, at the end of an execution that asked for it
    /// by setting [`Execution::has_remarks`].
    fn remarks(_execution: &Execution) -> Vec<String> {
        Vec::new()
    }

    // What happens.

    /// True if the operation that a thread has announced is possible now.
    fn possible(_execution: &Execution, _thread: &Thread, _operation: Self::Operation) -> bool {
        true
    }

    /// The ways in which the operation that a thread has announced can be performed.
    fn ways(_execution: &Execution, _thread: &Thread, _operation: Self::Operation) -> Ways {
        Ways::Numbered(1)
    }

    /// Performs an announced operation, which is possible: changes the state, [refines](Execution::refine) the
    /// operation, and tells the detectors of data races what synchronises. The thread gets the result.
    fn perform(execution: &mut Execution, step: Step, operation: Self::Operation) -> u32;

    /// Its holder, perhaps a `reader`, releases it.
    fn let_go(&mut self, _reader: bool) {}

    // In which order.

    /// What the order of two operations on this object means. They happened in this order.
    fn order(&self, first: Effect<Self::Operation>, second: Effect<Self::Operation>, users: &Operations) -> Order;

    /// True if the order of two operations that are possible in the same state matters.
    fn dependent(a: Effect<Self::Operation>, b: Effect<Self::Operation>, users: &Operations) -> bool;

    /// True if every earlier operation on the object that matters to a later one happened before this one. Then the history
    /// before this operation need not be searched.
    fn covers(_operation: Self::Operation) -> bool {
        false
    }

    /// True if it takes a lock, and so happens after the last release.
    fn acquires(_operation: Self::Operation) -> bool {
        false
    }

    /// True if it changes the value of its object for the next execution, if the object outlives this one.
    fn changes(_operation: Self::Operation) -> bool {
        false
    }

    /// What the acquisition of a lock becomes if its critical section ends within the same transition and only reads.
    fn only_read(_operation: Self::Operation) -> Option<Self::Operation> {
        None
    }

    /// True if an operation that has happened could be left out, and no other thread would notice: it has only looked, or has failed.
    /// Loops of such operations wait; see `execution/turns.rs`.
    fn idle(_execution: &Execution, _event: &Event, _operation: Self::Operation) -> bool {
        false
    }

    /// Which operations may block it together.
    fn rivals(_operation: Self::Operation) -> Rivals {
        Rivals::None
    }

    /// True if an operation of the object would have been possible if only the events that `remain` had happened.
    fn possible_without(
        _execution: &Execution,
        _object: ObjectId,
        _effect: Effect<Self::Operation>,
        _remain: impl Fn(EventId) -> bool,
    ) -> bool {
        true
    }

    /// True if it may see what happens later, so that other ways to perform it may appear.
    fn is_open(_operation: Self::Operation) -> bool {
        false
    }

    /// In how many ways the second operation of a race, which is `asked`, could be performed without the first one; none
    /// if that makes no difference.
    fn choices_without(
        _execution: &Execution,
        _race: &Race,
        _asked: &Operation,
        _operation: Self::Operation,
    ) -> Option<u32> {
        None
    }

    /// Joins to `clock` what happened before an event for reasons other than the histories of objects.
    fn also_after(_execution: &Execution, _object: ObjectId, _effect: Effect<Self::Operation>, _clock: &mut Vec<u32>) {}

    /// True if two dependent operations would be independent without the first operation of a race with the second one.
    fn independent_without_first(_between: Self::Operation, _second: Self::Operation) -> bool {
        false
    }

    /// The argument of a blocked operation, for comparison with operations that happened.
    fn blocked_arg(&self, effect: Effect<Self::Operation>) -> u32 {
        effect.arg
    }

    /// The thread for whose end an operation waits.
    fn awaits(_effect: Effect<Self::Operation>) -> Option<ThreadId> {
        None
    }

    /// Another object that an operation concerns.
    fn concerns(_effect: Effect<Self::Operation>) -> Option<ObjectId> {
        None
    }
}
