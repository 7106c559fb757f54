//! What is checked about accesses to tracked cells: races, and the locking discipline.
//!
//! The happened-before of data races is not the order of the search. It has the edges that
//! the language promises (a release to the acquisition that sees it, a send to its receipt,
//! spawning, joining), not the order of two stores. It is kept only once a program has used a
//! tracked cell: the search starts again when it sees the first one.

mod lockset;
mod race;

pub use lockset::Discipline;

use crate::ids::{ObjectId, ThreadId};
use crate::operation::Kind;
use lockset::Lockset;
use race::{Cells, Clock, join};
use std::collections::HashMap;
use std::panic::Location;

/// What a release leaves behind for those who acquire.
#[derive(Default)]
struct Sync {
    /// By sections that may have written.
    write: Clock,
    /// By sections that only read. They are not ordered among each other: the search does not
    /// try their other order.
    read: Clock,
}

/// A breach that an access has shown.
pub(crate) enum Breach {
    Race(String),
    Discipline(String),
}

#[derive(Default)]
pub(crate) struct Detectors {
    /// Clocks are kept.
    pub(crate) active: bool,
    /// The program has used a tracked cell.
    pub(crate) wanted: bool,
    /// The locking discipline is checked, too.
    pub(crate) discipline: Option<Discipline>,
    clocks: Vec<Clock>,
    objects: HashMap<ObjectId, Sync>,
    messages: HashMap<(ObjectId, u32), Clock>,
    cells: Cells,
    lockset: Lockset,
}

impl Detectors {
    pub(crate) fn reset(&mut self) {
        if self.active {
            self.clocks.clear();
            self.objects.clear();
            self.messages.clear();
            self.cells.clear();
            self.lockset.clear();
        }
    }

    fn clock(&mut self, id: ThreadId) -> &mut Clock {
        while self.clocks.len() <= id.index() {
            let own = self.clocks.len();
            // A thread knows of itself that it exists: epochs begin at 1.
            let mut clock = vec![0; own + 1];
            clock[own] = 1;
            self.clocks.push(clock);
        }
        &mut self.clocks[id.index()]
    }

    fn tick(&mut self, id: ThreadId) {
        self.clock(id)[id.index()] += 1;
    }

    pub(crate) fn spawned(&mut self, parent: ThreadId, child: ThreadId) {
        if self.active {
            let known = self.clock(parent).clone();
            join(self.clock(child), &known);
            self.tick(parent);
        }
    }

    pub(crate) fn finished(&mut self, _id: ThreadId) {}

    pub(crate) fn joined(&mut self, id: ThreadId, target: ThreadId) {
        if self.active {
            let known = self.clock(target).clone();
            join(self.clock(id), &known);
        }
    }

    pub(crate) fn woke(&mut self, by: ThreadId, id: ThreadId) {
        if self.active {
            let known = self.clock(by).clone();
            join(self.clock(id), &known);
            self.tick(by);
        }
    }

    pub(crate) fn acquired(&mut self, id: ThreadId, object: ObjectId, reader: bool, wrote: bool) {
        if self.active {
            self.synchronised(id, object);
            if !reader && wrote {
                self.wrote_under(id, object);
            }
        }
    }

    /// A critical section turns out to write: it happens after those that read before it.
    pub(crate) fn wrote_under(&mut self, id: ThreadId, object: ObjectId) {
        if self.active
            && let Some(sync) = self.objects.get(&object)
        {
            let known = sync.read.clone();
            join(self.clock(id), &known);
        }
    }

    pub(crate) fn synchronised(&mut self, id: ThreadId, object: ObjectId) {
        if self.active
            && let Some(sync) = self.objects.get(&object)
        {
            let known = sync.write.clone();
            join(self.clock(id), &known);
        }
    }

    pub(crate) fn released(&mut self, id: ThreadId, object: ObjectId, only_read: bool) {
        if self.active {
            let known = self.clock(id).clone();
            let sync = self.objects.entry(object).or_default();
            join(if only_read { &mut sync.read } else { &mut sync.write }, &known);
            self.tick(id);
        }
    }

    /// An access to an atomic with the orderings it asked for.
    pub(crate) fn atomic(&mut self, id: ThreadId, object: ObjectId, kind: Kind, acquire: bool, release: bool) {
        if !self.active {
            return;
        }
        if kind != Kind::Store && acquire {
            self.synchronised(id, object);
        }
        if kind == Kind::Load {
            return;
        }
        let known = self.clock(id).clone();
        let sync = self.objects.entry(object).or_default();
        if kind == Kind::Store {
            sync.write.clear();
        }
        if release {
            join(&mut sync.write, &known);
            self.tick(id);
        }
    }

    pub(crate) fn queued(&mut self, id: ThreadId, object: ObjectId, kind: Kind, number: u32) {
        if !self.active {
            return;
        }
        match kind {
            Kind::Send | Kind::TrySendOk => {
                let known = self.clock(id).clone();
                self.messages.insert((object, number), known);
                self.tick(id);
            }
            Kind::Recv | Kind::TryRecvOk => {
                if let Some(known) = self.messages.remove(&(object, number)) {
                    join(self.clock(id), &known);
                }
            }
            Kind::RecvClosed | Kind::TryRecvClosed => self.synchronised(id, object),
            _ => {}
        }
    }

    /// An access to a tracked cell by a thread that holds the locks `held`.
    pub(crate) fn access(
        &mut self,
        id: ThreadId,
        cell: ObjectId,
        write: bool,
        at: &'static Location<'static>,
        held: impl Iterator<Item = (ObjectId, bool)>,
    ) -> Option<Breach> {
        self.wanted = true;
        if !self.active {
            return None;
        }
        if let Some(discipline) = self.discipline
            && let Some(message) = self.lockset.access(discipline, id, cell, write, at, held)
        {
            return Some(Breach::Discipline(message));
        }
        self.clock(id);
        let clock = &self.clocks[id.index()];
        self.cells.access(id, clock, cell, write, at).map(Breach::Race)
    }

    /// The current thread is declared to initialise a cell.
    pub(crate) fn initialises(&mut self, id: ThreadId, cell: ObjectId) {
        self.lockset.declare(id, cell);
    }
}
