//! What MLD allows a thread to access: `MLDallows` of Algorithm 2-MLD' (Stoller, sections 8 and 9).
//!
//! A thread that has declared a cell can access it only with a lock that protects it. Which locks those are is known from lock sets. They are
//! kept from one execution to the next, as the paper proposes for systems where the same lock protects a cell in all executions. So they only
//! shrink, and what the search has left out because of them stays left out.
//!
//! That the program keeps to this is an assumption, and it is MLD' that is assumed: with MLD, an initialisation that is not over may hide a
//! violation. The first access that breaks it ends the search, which starts again without the assumption.
//!
//! An object has the same number in all executions that begin alike. Two cells that get the same number in different executions share
//! a lock set. It may come out empty, which costs the reduction and nothing else.

use super::lockset::Moment;
use crate::ids::{ObjectId, ThreadId};
use std::collections::HashMap;

#[derive(Clone, Debug)]
struct Cell {
    /// Which thread initialises it, if one does.
    initialised_by: Option<ThreadId>,
    written: bool,
    /// Locks held at all accesses since initialisation; none before the first one, when every lock is a candidate.
    candidates: Option<Vec<ObjectId>>,
}

/// What is known of all executions so far, and of this one.
#[derive(Debug, Default)]
pub(crate) struct Bounds {
    cells: HashMap<ObjectId, Cell>,
    /// Cells that were accessed in this execution, and when they were first initialised.
    touched: HashMap<ObjectId, Option<Moment>>,
    /// The assumption does not hold.
    pub(crate) broken: bool,
}

impl Bounds {
    /// Another execution begins.
    pub(super) fn clear(&mut self) {
        self.touched.clear();
    }

    /// True if a lock set is known.
    pub(crate) fn know_something(&self) -> bool {
        !self.cells.is_empty()
    }

    /// A thread, which is at this moment, accesses a cell that a thread was `declared` to initialise.
    pub(super) fn access(
        &mut self,
        (id, now): (ThreadId, Moment),
        object: ObjectId,
        write: bool,
        declared: Option<ThreadId>,
        held: impl Iterator<Item = (ObjectId, bool)> + Clone,
    ) {
        let cell = self.cells.entry(object).or_insert(Cell {
            initialised_by: declared,
            written: false,
            candidates: None,
        });
        self.broken |= cell.initialised_by != declared;
        match self.touched.get(&object) {
            None => {
                let initialises = declared == Some(id);
                self.broken |= declared.is_some() && !initialises;
                self.touched.insert(object, initialises.then_some(now));
                if initialises {
                    return;
                }
            }
            Some(moment) if declared == Some(id) && *moment == Some(now) => return,
            Some(_) => {}
        }
        let protects = |lock: &ObjectId| held.clone().any(|(h, reader)| h == *lock && !(write && reader));
        match &mut cell.candidates {
            Some(candidates) => candidates.retain(protects),
            None => cell.candidates = Some(held.clone().map(|(lock, _)| lock).filter(protects).collect()),
        }
        cell.written |= write;
        self.broken |= cell.written && cell.candidates.as_ref().is_some_and(Vec::is_empty);
    }

    /// True if a thread that will hold no other locks than `held` may access a cell in its next transition (`MLDallows`).
    pub(crate) fn allow(&self, id: ThreadId, object: ObjectId, held: impl Iterator<Item = ObjectId>) -> bool {
        let to_initialise = self
            .initialised_by(object)
            .filter(|_| !self.touched.contains_key(&object));
        match to_initialise {
            Some(first) if first != id => self.is_free(object),
            Some(_) => true,
            None => self.is_free(object) || self.protects(object, held),
        }
    }

    /// True if a thread that will never hold other locks than these may access a cell, now or later.
    pub(crate) fn ever_allow(&self, id: ThreadId, object: ObjectId, locks: impl Iterator<Item = ObjectId>) -> bool {
        self.initialised_by(object) == Some(id) || self.is_free(object) || self.protects(object, locks)
    }

    fn initialised_by(&self, object: ObjectId) -> Option<ThreadId> {
        self.cells.get(&object)?.initialised_by
    }

    /// True if, as far as is known, the cell needs no lock.
    fn is_free(&self, object: ObjectId) -> bool {
        self.broken || self.cells.get(&object).is_none_or(|cell| !cell.written)
    }

    fn protects(&self, object: ObjectId, mut locks: impl Iterator<Item = ObjectId>) -> bool {
        let candidates = self.cells.get(&object).and_then(|cell| cell.candidates.as_ref());
        candidates.is_none_or(|candidates| locks.any(|lock| candidates.contains(&lock)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CELL: ObjectId = ObjectId(9);
    const LOCK: ObjectId = ObjectId(1);
    const OTHER: ObjectId = ObjectId(2);
    const NOW: Moment = Moment { epoch: 1, steps: 0 };

    fn allows(bounds: &Bounds, id: u32, lock: ObjectId) -> bool {
        bounds.allow(ThreadId(id), CELL, [lock].into_iter())
    }

    #[test]
    fn a_cell_needs_its_lock_in_all_executions() {
        let mut bounds = Bounds::default();
        assert!(allows(&bounds, 0, OTHER));
        let held = [(LOCK, false), (OTHER, false)];
        bounds.access((ThreadId(0), NOW), CELL, true, None, held.into_iter());
        assert!(allows(&bounds, 1, OTHER));
        bounds.access((ThreadId(1), NOW), CELL, true, None, held[..1].iter().copied());
        bounds.clear();
        assert!(!allows(&bounds, 1, OTHER) && allows(&bounds, 1, LOCK) && !bounds.broken);
        bounds.access((ThreadId(0), NOW), CELL, true, None, held[1..].iter().copied());
        assert!(bounds.broken && allows(&bounds, 1, OTHER));
    }

    #[test]
    fn the_declared_thread_initialises_first_and_until_it_moves_on() {
        let (mut bounds, none) = (Bounds::default(), std::iter::empty);
        let by = |id| Some(ThreadId(id));
        let later = Moment { epoch: 1, steps: 1 };
        bounds.access((ThreadId(0), NOW), CELL, true, by(0), none());
        bounds.access((ThreadId(0), NOW), CELL, true, by(0), none());
        bounds.access((ThreadId(1), NOW), CELL, true, by(0), [(LOCK, false)].into_iter());
        assert!(!bounds.broken);
        bounds.clear();
        assert!(allows(&bounds, 0, OTHER) && !allows(&bounds, 1, LOCK));
        bounds.access((ThreadId(0), NOW), CELL, true, by(0), none());
        assert!(!bounds.broken);
        bounds.access((ThreadId(0), later), CELL, true, by(0), none());
        assert!(bounds.broken);
    }
}
