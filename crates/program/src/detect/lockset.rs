//! The locking discipline: some lock protects every access to a cell once it is shared.
//!
//! The lockset algorithm (Savage et al. 1997) as Stoller uses it: in sections 8 and 2.2 for MLD, where
//! the thread that is first to access a cell initialises it until another thread comes, and in
//! section 9 for MLD', where the initialising thread is declared and initialises within one transition: between
//! the first and the last access that need no lock, it performs no visible operation. MLD' does not depend on the order of accesses, so a search that postpones none of
//! them finds every breach (Theorem 3').

use crate::ids::{ObjectId, ThreadId};
use std::collections::HashMap;
use std::panic::Location;

/// The locking discipline to check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Discipline {
    /// MLD: the first thread to access a cell initialises it, until another one accesses it.
    Mld,
    /// MLD': as MLD, but only a declared thread initialises the cell, with its first access and those that follow before any operation
    /// that other threads can notice.
    MldPrime,
}

/// A time in the life of a thread: the same until it does anything that others can notice, accesses to cells aside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Moment {
    /// Its own entry of its clock, which counts what it has released.
    pub(crate) epoch: u32,
    /// How many visible operations it has performed.
    pub(crate) steps: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    Virgin,
    Exclusive,
    Shared,
    SharedModified,
}

struct Cell {
    mode: Mode,
    first: ThreadId,
    /// Locks held at all accesses since initialisation; none before the first one, when every lock is a candidate.
    candidates: Option<Vec<ObjectId>>,
    last: Option<(ThreadId, &'static Location<'static>)>,
    /// With MLD', when it was first accessed.
    begun: Moment,
}

#[derive(Default)]
pub(super) struct Lockset {
    cells: HashMap<ObjectId, Cell>,
    declared: HashMap<ObjectId, ThreadId>,
}

impl Lockset {
    pub(super) fn clear(&mut self) {
        self.cells.clear();
        self.declared.clear();
    }

    /// The thread that was declared to initialise a cell.
    pub(super) fn declared(&self, cell: ObjectId) -> Option<ThreadId> {
        self.declared.get(&cell).copied()
    }

    pub(super) fn declare(&mut self, id: ThreadId, cell: ObjectId) {
        self.declared.insert(cell, id);
    }

    /// Records an access; returns how it breaks the discipline, if it does. `held` has the locks that the
    /// thread holds, each with whether it holds it as a reader, which protects reads only.
    pub(super) fn access(
        &mut self,
        discipline: Discipline,
        (id, now): (ThreadId, Moment),
        object: ObjectId,
        write: bool,
        at: &'static Location<'static>,
        held: impl Iterator<Item = (ObjectId, bool)>,
    ) -> Option<String> {
        let declared = self.declared.get(&object).copied();
        let cell = self.cells.entry(object).or_insert(Cell {
            mode: Mode::Virgin,
            first: id,
            candidates: None,
            last: None,
            begun: now,
        });
        let earlier = cell.last.replace((id, at));
        let initialises = match (discipline, cell.mode) {
            (Discipline::Mld, Mode::Virgin) => true,
            (Discipline::Mld, Mode::Exclusive) => id == cell.first,
            (Discipline::MldPrime, Mode::Virgin) => match declared {
                Some(thread) if thread != id => {
                    return Some(format!(
                        "{id} accesses a cell at {at} before {thread}, which is declared to initialise it"
                    ));
                }
                declared => declared.is_some(),
            },
            (Discipline::MldPrime, Mode::Exclusive) => id == cell.first && now == cell.begun,
            _ => false,
        };
        if initialises {
            cell.mode = Mode::Exclusive;
            return None;
        }
        cell.mode = match cell.mode {
            Mode::SharedModified => Mode::SharedModified,
            _ if write => Mode::SharedModified,
            _ => Mode::Shared,
        };
        let locks: Vec<ObjectId> = held
            .filter(|(_, reader)| !(write && *reader))
            .map(|(lock, _)| lock)
            .collect();
        match &mut cell.candidates {
            Some(candidates) => candidates.retain(|lock| locks.contains(lock)),
            None => cell.candidates = Some(locks),
        }
        let unprotected = cell.candidates.as_ref().is_some_and(Vec::is_empty);
        (unprotected && cell.mode == Mode::SharedModified).then(|| {
            let before = earlier.map_or(String::new(), |(thread, at)| format!(", after {thread} did at {at}"));
            let verb = if write { "writes" } else { "reads" };
            format!("{id} {verb} a cell at {at}{before}, and no lock protects all accesses to it")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Moment = Moment { epoch: 1, steps: 0 };

    #[test]
    fn one_lock_must_protect_all_accesses() {
        let (a, b, cell) = (ThreadId(0), ThreadId(1), ObjectId(9));
        let (l, m) = (ObjectId(1), ObjectId(2));
        let here = Location::caller();
        let held = |locks: &[ObjectId]| locks.iter().map(|l| (*l, false)).collect::<Vec<_>>().into_iter();
        let mut lockset = Lockset::default();
        assert!(
            lockset
                .access(Discipline::Mld, (a, NOW), cell, true, here, held(&[]))
                .is_none()
        );
        assert!(
            lockset
                .access(Discipline::Mld, (b, NOW), cell, true, here, held(&[l, m]))
                .is_none()
        );
        assert!(
            lockset
                .access(Discipline::Mld, (a, NOW), cell, true, here, held(&[l]))
                .is_none()
        );
        assert!(
            lockset
                .access(Discipline::Mld, (b, NOW), cell, true, here, held(&[m]))
                .is_some()
        );
    }

    #[test]
    fn without_a_declaration_nobody_initialises() {
        let here = Location::caller();
        let none = || std::iter::empty();
        let mut lockset = Lockset::default();
        let found = lockset.access(
            Discipline::MldPrime,
            (ThreadId(0), NOW),
            ObjectId(0),
            true,
            here,
            none(),
        );
        assert!(found.is_some());
        let mut lockset = Lockset::default();
        lockset.declare(ThreadId(0), ObjectId(0));
        let found = lockset.access(
            Discipline::MldPrime,
            (ThreadId(0), NOW),
            ObjectId(0),
            true,
            here,
            none(),
        );
        assert!(found.is_none());
    }

    #[test]
    fn initialisation_ends_with_what_others_can_notice() {
        let here = Location::caller();
        let mut lockset = Lockset::default();
        let (id, cell, later) = (ThreadId(0), ObjectId(0), Moment { epoch: 2, steps: 0 });
        lockset.declare(id, cell);
        let mut access = |now| lockset.access(Discipline::MldPrime, (id, now), cell, true, here, std::iter::empty());
        assert!(access(NOW).is_none() && access(NOW).is_none());
        assert!(access(later).is_some());
    }
}
