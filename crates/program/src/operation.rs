//! Operations: what a controlled thread asks the scheduler for, and what it turns out to be.
//!
//! A thread runs until it is about to perform a *visible* operation (Stoller, section 2.3), which
//! it announces; the search decides when it happens. What the operation turned out to be is known
//! only afterwards (a compare-exchange may fail, a critical section may only read), so a
//! kind is *refined* by its execution, and dependency is judged by refined kinds: conditional
//! dependency with recorded information (section 7).
//!
//! The types of objects define the operations ([`crate::object_type`]).

pub(crate) use crate::registry::Kind;

use crate::ids::ObjectId;
use crate::user::Operations;
use std::panic::Location;

/// An operation that a thread announces or has performed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operation {
    pub(crate) kind: Kind,
    pub(crate) object: ObjectId,
    pub(crate) arg: u32,
    pub(crate) at: &'static Location<'static>,
}

/// The part of an operation that decides dependency: of any type, or of the type with the operations `K`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Effect<K = Kind> {
    pub(crate) kind: K,
    pub(crate) arg: u32,
}

impl Effect {
    /// The same as one of the type's own operations.
    #[inline]
    pub(crate) fn with<K>(self, kind: K) -> Effect<K> {
        Effect { kind, arg: self.arg }
    }
}

/// The effects of a transition: one, or two if it waits on a condition variable in a program where
/// releases are noticed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Footprint {
    pub(crate) object: ObjectId,
    pub(crate) effect: Effect,
    pub(crate) also: Option<(ObjectId, Effect)>,
}

impl Operation {
    #[inline]
    pub(crate) fn effect(&self) -> Effect {
        Effect {
            kind: self.kind,
            arg: self.arg,
        }
    }

    pub(crate) fn footprint(&self) -> Footprint {
        Footprint {
            object: self.object,
            effect: self.effect(),
            also: None,
        }
    }
}

impl Footprint {
    /// True if the order of two transitions that are possible in the same state matters.
    pub(crate) fn dependent(&self, other: &Footprint, users: &Operations) -> bool {
        let pair = |x: (ObjectId, Effect), y: (ObjectId, Effect)| x.0 == y.0 && x.1.dependent(y.1, users);
        let [a, b] = [(self.object, self.effect), (other.object, other.effect)];
        pair(a, b)
            || self.also.is_some_and(|also| pair(also, b))
            || other
                .also
                .is_some_and(|also| pair(a, also) || self.also.is_some_and(|mine| pair(mine, also)))
    }
}
