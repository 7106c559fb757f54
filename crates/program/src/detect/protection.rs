//! Which locks protect cells from outside: the evidence for composing critical sections of a mutex of `()`.
//!
//! Stoller (section 6): two threads that acquire the lock of a variable, copy the variable and release the lock, are independent as
//! composed transitions. If the variable is the mutex's own value, its type and the guard tell whether a section only reads. A
//! mutex of `()` protects something beside it, and nobody says what. The lock sets do (Savage et al. 1997): a section that has read
//! cells which the mutex protects counts as one that only reads. If a later access of the execution takes the mutex out of the
//! lock set of such a cell, the search starts again and takes every section of such a mutex for one that writes.
//!
//! A cell that one thread alone has accessed may be protected by any lock. The same holds again when all other threads that have accessed it
//! were joined.

use super::race::Clock;
use crate::ids::{ObjectId, ThreadId};
use std::collections::HashMap;

#[derive(Default)]
struct Cell {
    /// The threads that have accessed it.
    by: Vec<ThreadId>,
    /// Locks held at all accesses since it is shared; before that, every lock is a candidate.
    candidates: Option<Vec<ObjectId>>,
    /// Locks whose sections were taken to read this cell and nothing else.
    relied: Vec<ObjectId>,
}

/// What is known in an execution.
#[derive(Default)]
pub(super) struct Protection {
    cells: HashMap<ObjectId, Cell>,
}

impl Protection {
    pub(super) fn clear(&mut self) {
        self.cells.clear();
    }

    /// A thread that holds the locks `held` accesses a cell. False if another lock was relied upon to protect it.
    pub(super) fn access(
        &mut self,
        id: ThreadId,
        cell: ObjectId,
        clocks: &[Clock],
        held: impl Iterator<Item = ObjectId> + Clone,
    ) -> bool {
        let cell = self.cells.entry(cell).or_default();
        let epoch = |of: &Clock, thread: ThreadId| of.get(thread.index()).copied().unwrap_or(0);
        // A thread publishes what it knows and then does more, so another one knows all of it only by joining it.
        let was_joined = |other: &ThreadId| {
            *other == id || epoch(&clocks[id.index()], *other) >= epoch(&clocks[other.index()], *other)
        };
        if cell.by.iter().all(was_joined) {
            cell.by.clear();
            cell.by.push(id);
            cell.candidates = None;
            cell.relied.clear();
            return true;
        }
        if !cell.by.contains(&id) {
            cell.by.push(id);
        }
        match &mut cell.candidates {
            Some(candidates) => candidates.retain(|lock| held.clone().any(|h| h == *lock)),
            None => cell.candidates = Some(held.collect()),
        }
        let candidates = cell.candidates.as_deref().unwrap_or_default();
        cell.relied.iter().all(|lock| candidates.contains(lock))
    }

    /// A section of `lock` has read the cell. True if the lock protects it, which is relied upon from now on.
    pub(super) fn rely(&mut self, lock: ObjectId, cell: ObjectId) -> bool {
        let cell = self.cells.entry(cell).or_default();
        let protects = cell.candidates.as_ref().is_none_or(|locks| locks.contains(&lock));
        if protects && !cell.relied.contains(&lock) {
            cell.relied.push(lock);
        }
        protects
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CELL: ObjectId = ObjectId(9);
    const LOCK: ObjectId = ObjectId(1);

    #[test]
    fn an_access_without_the_lock_takes_the_evidence_away() {
        let (a, b) = (ThreadId(0), ThreadId(1));
        let clocks = [vec![1, 0], vec![0, 1]];
        let mut protection = Protection::default();
        assert!(protection.access(a, CELL, &clocks, [LOCK].into_iter()));
        assert!(protection.rely(LOCK, CELL));
        assert!(protection.access(b, CELL, &clocks, [LOCK].into_iter()));
        assert!(!protection.access(b, CELL, &clocks, std::iter::empty()));
        assert!(!protection.rely(LOCK, CELL));
    }

    #[test]
    fn who_has_joined_all_others_needs_no_lock() {
        let (a, b) = (ThreadId(0), ThreadId(1));
        let mut protection = Protection::default();
        assert!(protection.access(b, CELL, &[vec![1, 0], vec![0, 1]], [LOCK].into_iter()));
        assert!(protection.rely(LOCK, CELL));
        assert!(protection.access(a, CELL, &[vec![1, 1], vec![0, 1]], std::iter::empty()));
    }
}
