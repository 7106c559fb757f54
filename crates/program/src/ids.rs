//! Ids of threads, objects and events.
//!
//! A thread has the same id in every execution of a search: it is the `k`-th thread that its
//! parent spawns. An object is numbered when an execution first touches it; its number is the
//! same in all executions that share the prefix up to then, and only there are numbers compared.
//! Constructors of objects are `const` and cannot number anything: [`Handle`](crate::handle::Handle) does it later.

use crate::narrow::short;
use std::fmt;

/// A controlled thread. The one that runs the closure given to `check` is number 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct ThreadId(pub(crate) u32);

impl ThreadId {
    pub(crate) const MAIN: ThreadId = ThreadId(0);

    /// All ids, in order.
    #[inline]
    pub(crate) fn all() -> impl Iterator<Item = ThreadId> {
        (0..).map(ThreadId)
    }

    /// The id with this number.
    #[inline]
    pub(crate) fn new(number: usize) -> ThreadId {
        ThreadId(short(number))
    }

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for ThreadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == 0 {
            write!(f, "main")
        } else {
            write!(f, "thread {}", self.0)
        }
    }
}

/// An object of an execution: a mutex, an atomic, a channel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct ObjectId(pub(crate) u32);

impl ObjectId {
    /// Stands for no object, in operations that touch none.
    pub(crate) const NONE: ObjectId = ObjectId(u32::MAX);

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The `n`-th event of an execution.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct EventId(pub(crate) u32);

impl Default for EventId {
    fn default() -> EventId {
        EventId::NONE
    }
}

impl EventId {
    /// Stands for no event: before the first one, or not yet.
    pub(crate) const NONE: EventId = EventId(u32::MAX);

    /// The id with this number.
    #[inline]
    pub(crate) fn new(number: usize) -> EventId {
        EventId(short(number))
    }

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Which thread is the `k`-th child of which: the same for all executions of a search.
#[derive(Default)]
pub(crate) struct Family {
    children: Vec<Vec<ThreadId>>,
}

impl Family {
    /// A family in which the threads from number 1 on have these parents, each of which comes before its child.
    pub(crate) fn of(parents: &[u32]) -> Family {
        let mut children = vec![Vec::new(); parents.len() + 1];
        for (id, parent) in (1..).zip(parents) {
            children[*parent as usize].push(ThreadId(id));
        }
        Family { children }
    }

    /// The parents of the threads from number 1 on.
    pub(crate) fn parents(&self) -> Vec<u32> {
        let mut parents = vec![0; self.children.len().saturating_sub(1)];
        for (parent, children) in (0..).zip(&self.children) {
            for child in children {
                parents[child.index() - 1] = parent;
            }
        }
        parents
    }

    /// The id of the `k`-th thread that `parent` spawns.
    pub(crate) fn child(&mut self, parent: ThreadId, k: usize) -> ThreadId {
        if self.children.is_empty() {
            self.children.push(Vec::new());
        }
        while self.children[parent.index()].len() <= k {
            let id = ThreadId::new(self.children.len());
            self.children.push(Vec::new());
            self.children[parent.index()].push(id);
        }
        self.children[parent.index()][k]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_its_parents_kth_child() {
        let mut family = Family::default();
        let a = family.child(ThreadId::MAIN, 0);
        let b = family.child(ThreadId::MAIN, 1);
        let grandchild = family.child(a, 0);
        assert_eq!(family.child(ThreadId::MAIN, 1), b);
        assert_eq!(family.child(a, 0), grandchild);
        assert_ne!(b, grandchild);
        assert_eq!(family.parents(), [0, 0, 1]);
        let mut again = Family::of(&family.parents());
        assert_eq!(again.child(a, 0), grandchild);
        assert_eq!(again.child(b, 0), ThreadId(4));
    }
}
