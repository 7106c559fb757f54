//! Ids of threads, objects and events.
//!
//! A thread has the same id in every execution of a search: it is the `k`-th thread that its
//! parent spawns. An object is numbered when an execution first touches it; its number is the
//! same in all executions that share the prefix up to then, and only there are numbers compared.
//! Constructors of objects are `const` and cannot number anything: [`Handle`] does it later.

use crate::narrow::short;
use std::fmt;
use std::panic::Location;
use std::sync::atomic::{AtomicU64, Ordering};

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

/// What every primitive carries: the number that an execution gave to it, and where it was made.
///
/// The number is a cache. It holds the execution it belongs to, so a primitive that outlives an
/// execution (a `static`) is numbered anew by the next one.
pub(crate) struct Handle {
    number: AtomicU64,
    pub(crate) made: &'static Location<'static>,
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "made at {}", self.made)
    }
}

/// Bits of the number that name the object; the others name the execution.
const OBJECT_BITS: u32 = 24;

impl Handle {
    #[track_caller]
    pub(crate) const fn new() -> Handle {
        Handle {
            number: AtomicU64::new(0),
            made: Location::caller(),
        }
    }

    /// The object's number in the execution `epoch`, or else the epoch that numbered it last.
    pub(crate) fn number(&self, epoch: u64) -> Result<ObjectId, u64> {
        let number = self.number.load(Ordering::Relaxed);
        if number >> OBJECT_BITS == epoch {
            let object = u32::try_from(number & ((1 << OBJECT_BITS) - 1));
            Ok(ObjectId(object.expect("24 bits")))
        } else {
            Err(number >> OBJECT_BITS)
        }
    }

    pub(crate) fn set_number(&self, epoch: u64, object: ObjectId) {
        assert!(
            object.0 < 1 << OBJECT_BITS,
            "an execution touches at most 16 million objects"
        );
        self.number
            .store(epoch << OBJECT_BITS | u64::from(object.0), Ordering::Relaxed);
    }

    /// The execution that numbered it last; 0 if none has.
    pub(crate) fn epoch(&self) -> u64 {
        self.number.load(Ordering::Relaxed) >> OBJECT_BITS
    }

    /// The primitive's address, which identifies it while it lives.
    pub(crate) fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }
}

/// A new epoch. All executions of all searches in the process have different ones.
pub(crate) fn next_epoch() -> u64 {
    static EPOCH: AtomicU64 = AtomicU64::new(1);
    EPOCH.fetch_add(1, Ordering::Relaxed)
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
    }

    #[test]
    fn a_number_is_good_for_one_execution() {
        static HANDLE: Handle = Handle::new();
        assert_eq!(HANDLE.number(7), Err(0));
        HANDLE.set_number(7, ObjectId(3));
        assert_eq!(HANDLE.number(7), Ok(ObjectId(3)));
        assert_eq!(HANDLE.number(8), Err(7));
    }
}
