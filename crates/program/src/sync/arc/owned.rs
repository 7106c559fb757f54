//! What an execution knows of the values that have shared owners, and of other memory that must not leak, by addresses.
//!
//! An [`Arc`](super::Arc) is as small as std's and carries no [`Handle`](crate::handle::Handle). It need not: while a value has
//! owners or weak references, it stays where it is, and nothing else can be there. When another value takes its address
//! later, an `Arc` is made, and that begins a new entry.

use crate::ids::{ObjectId, ThreadId};
use std::collections::HashMap;
use std::panic::Location;

/// The values with shared owners.
#[derive(Default)]
pub(crate) struct Owned {
    values: HashMap<usize, Value>,
    /// How many were made in this execution.
    made: u32,
    /// Threads that initialise a static. What they make meanwhile belongs to it.
    keepers: Vec<ThreadId>,
}

/// A value with shared owners.
struct Value {
    /// The number of its owners as an object, once an operation concerned them.
    object: Option<ObjectId>,
    /// What it is, for people.
    what: &'static str,
    /// Where it was made, or first met if that was before the execution.
    at: &'static Location<'static>,
    /// That it was the `n`-th one to be made in this execution, as long as it is alive.
    alive: Option<u32>,
    /// It belongs to a static, whose value is never dropped.
    kept: bool,
}

impl Owned {
    pub(crate) fn clear(&mut self) {
        self.values.clear();
        self.made = 0;
        self.keepers.clear();
    }

    /// A thread begins to initialise a static.
    pub(crate) fn begin_static(&mut self, id: ThreadId) {
        self.keepers.push(id);
    }

    /// It is done.
    pub(crate) fn end_static(&mut self, id: ThreadId) {
        if let Some(last) = self.keepers.iter().rposition(|keeper| *keeper == id) {
            self.keepers.remove(last);
        }
    }

    /// A thread has made a value.
    pub(crate) fn make(&mut self, by: ThreadId, address: usize, what: &'static str, at: &'static Location<'static>) {
        let value = Value {
            object: None,
            what,
            at,
            alive: Some(self.made),
            kept: self.keepers.contains(&by),
        };
        self.made += 1;
        self.values.insert(address, value);
    }

    /// Where the value was made, and its number, if it has one.
    pub(super) fn look(&self, address: usize) -> Option<(&'static Location<'static>, Option<ObjectId>)> {
        self.values.get(&address).map(|value| (value.at, value.object))
    }

    pub(super) fn number(&mut self, address: usize, at: &'static Location<'static>, object: ObjectId) {
        let value = self.values.entry(address).or_insert(Value {
            object: None,
            what: super::VALUE,
            at,
            alive: None,
            kept: false,
        });
        value.object = Some(object);
    }

    /// The value is about to be dropped, or was taken out. True if it was made in this execution and was alive.
    pub(crate) fn end(&mut self, address: usize) -> bool {
        let value = self.values.get_mut(&address);
        value.is_some_and(|value| value.alive.take().is_some())
    }

    /// The first value that was made in this execution, is alive, and belongs to no static: what it is, and where it was made.
    pub(crate) fn left_over(&self) -> Option<(&'static str, &'static Location<'static>)> {
        let alive = self
            .values
            .values()
            .filter(|value| value.alive.is_some() && !value.kept);
        alive
            .min_by_key(|value| value.alive)
            .map(|value| (value.what, value.at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_at_an_old_address_is_another_one() {
        let mut owned = Owned::default();
        let here = Location::caller();
        owned.make(ThreadId::MAIN, 16, "memory", here);
        owned.number(16, here, ObjectId(3));
        assert!(owned.end(16));
        assert!(!owned.end(16));
        assert!(owned.left_over().is_none());
        owned.make(ThreadId::MAIN, 16, "memory", here);
        assert_eq!(owned.look(16), Some((here, None)));
        assert!(owned.left_over().is_some());
    }
    #[test]
    fn what_a_static_owns_is_not_left_over() {
        let mut owned = Owned::default();
        let here = Location::caller();
        owned.begin_static(ThreadId(1));
        owned.make(ThreadId(1), 16, "memory", here);
        assert!(owned.left_over().is_none());
        owned.make(ThreadId(2), 32, "memory", here);
        assert!(owned.left_over().is_some() && owned.end(32));
        owned.end_static(ThreadId(1));
        owned.make(ThreadId(1), 48, "memory", here);
        assert!(owned.left_over().is_some());
    }
}
