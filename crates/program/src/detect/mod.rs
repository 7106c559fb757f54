//! Checks of accesses to tracked cells: data races, and the locking discipline.
//!
//! The happened-before of data races is not the order of the search. It has the edges that
//! the language promises (from a release to the acquisition that sees it, from a send to its receipt,
//! spawning, joining), but not the order of two stores. It is computed only once a program has used a
//! tracked cell: the search starts again when it sees the first one.
//!
//! Atomics synchronise as in C++20 and RC11 (Lahav, Vafeiadis, Kang, Hur, Dreyer, PLDI 2017). A write leaves behind a clock:
//! what its thread knew at the write if the write is a release, and at its last release fence otherwise. An update adds that
//! clock to the one it finds, so that a release sequence goes on; a store replaces it. A reader learns the clock at once if
//! the read is an acquisition, and at its next acquire fence otherwise. A sequentially consistent fence is both kinds of
//! fence and nothing more: the order among such fences is not part of the happened-before.

mod bounds;
mod lockset;
mod protection;
mod race;

pub(crate) use bounds::Bounds;
pub use lockset::Discipline;
pub(crate) use lockset::Moment;

use crate::ids::{ObjectId, ThreadId};
use crate::memory::{Action, Asked, Graph, NONE, Node, Span};
use lockset::Lockset;
use protection::Protection;
use race::{Cells, Clock, Mixed, join};
use std::collections::HashMap;
use std::panic::Location;

/// What releases leave behind for acquisitions.
#[derive(Default)]
struct Sync {
    /// The clock of sections that may have written.
    write: Clock,
    /// The clock of sections that only read. They are not ordered among each other, because the search does not
    /// try their other order.
    read: Clock,
}

/// What the fences of a thread need to know.
#[derive(Clone, Default)]
struct Fences {
    /// What its relaxed reads have found. The thread knows it after its next acquire fence.
    found: Clock,
    /// What it knew at its last release fence. Its relaxed writes publish this.
    published: Clock,
}

/// What an access to an atomic does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Access {
    Read,
    Write,
    /// Both.
    Update,
}

/// A fault that an access reveals.
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
    fences: Vec<Fences>,
    objects: HashMap<ObjectId, Sync>,
    messages: HashMap<(ObjectId, u32), Clock>,
    cells: Cells,
    mixed: Mixed,
    lockset: Lockset,
    /// Which locks protect which cells in all executions; none if no strategy asks.
    pub(crate) bounds: Option<Bounds>,
    protection: Protection,
    /// With weak memory, what has happened to atomics.
    pub(crate) graph: Graph,
}

impl Detectors {
    pub(crate) fn reset(&mut self) {
        if self.active {
            self.clocks.clear();
            self.fences.clear();
            self.objects.clear();
            self.messages.clear();
            self.cells.clear();
            self.mixed.clear();
            self.lockset.clear();
            if let Some(bounds) = &mut self.bounds {
                bounds.clear();
            }
            self.protection.clear();
            self.graph.clear();
        }
    }

    /// A thread comes into being.
    pub(crate) fn begins(&mut self, id: ThreadId) {
        if self.active {
            self.clock(id);
        }
    }

    /// What a thread knows, which has come into being.
    pub(crate) fn knowledge(&self, id: ThreadId) -> &[u32] {
        &self.clocks[id.index()]
    }

    /// A thread reads a write, which is the node `source`, and perhaps updates it. Returns the node of that.
    pub(crate) fn reads(&mut self, read: (ThreadId, u32, Asked), source: u32, update: bool) -> u32 {
        let (id, _, asked) = read;
        let known = self.graph.keep(&self.clocks[id.index()]);
        let found = self.graph.published(source);
        let mut clock = known;
        if asked.acquires(update) {
            join(&mut self.clocks[id.index()], self.graph.span(found));
            clock = self.graph.keep(&self.clocks[id.index()]);
        } else {
            self.fences(id);
            join(&mut self.fences[id.index()].found, self.graph.span(found));
        }
        let mut published = Span::default();
        if update {
            published = self.publishes(id, asked.releases(true), Some(found));
        }
        let node = self.graph.read(read, source, update, [known, clock, published]);
        if update && asked.releases(true) {
            self.tick(id);
        }
        node
    }

    /// A thread writes. Returns the node.
    pub(crate) fn writes(&mut self, id: ThreadId, location: u32, asked: Asked) -> u32 {
        let known = self.graph.keep(&self.clocks[id.index()]);
        let published = self.publishes(id, asked.releases(false), None);
        let node = self.graph.write((id, location, asked), [known, known, published]);
        if asked.releases(false) {
            self.tick(id);
        }
        node
    }

    /// What a write of a thread publishes, besides what is published by the write that it updates.
    fn publishes(&mut self, id: ThreadId, release: bool, found: Option<Span>) -> Span {
        self.fences(id);
        let own = if release {
            &self.clocks[id.index()]
        } else {
            &self.fences[id.index()].published
        };
        match found {
            None => self.graph.keep(own),
            Some(found) => self.graph.keep_both(found, own),
        }
    }

    /// Notes a step that synchronises, and is no access to an atomic.
    fn synchronises(&mut self, id: ThreadId) {
        if self.graph.active {
            self.clock(id);
            let known = self.graph.keep(&self.clocks[id.index()]);
            self.graph.other(Node::new(id, Action::Other, NONE), [known, known]);
        }
    }

    fn clock(&mut self, id: ThreadId) -> &mut Clock {
        while self.clocks.len() <= id.index() {
            let own = self.clocks.len();
            // A thread knows that it exists itself, so epochs begin at 1.
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
            self.synchronises(parent);
            self.synchronises(child);
            self.tick(parent);
        }
    }

    pub(crate) fn finished(&mut self, _id: ThreadId) {}

    pub(crate) fn joined(&mut self, id: ThreadId, target: ThreadId) {
        if self.active {
            let known = self.clock(target).clone();
            join(self.clock(id), &known);
            self.synchronises(id);
        }
    }

    pub(crate) fn woke(&mut self, by: ThreadId, id: ThreadId) {
        if self.active {
            let known = self.clock(by).clone();
            join(self.clock(id), &known);
            self.synchronises(by);
            self.synchronises(id);
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
            self.synchronises(id);
        }
    }

    pub(crate) fn synchronised(&mut self, id: ThreadId, object: ObjectId) {
        if self.active
            && let Some(sync) = self.objects.get(&object)
        {
            let known = sync.write.clone();
            join(self.clock(id), &known);
            self.synchronises(id);
        }
    }

    pub(crate) fn released(&mut self, id: ThreadId, object: ObjectId, only_read: bool) {
        if self.active {
            let known = self.clock(id).clone();
            let sync = self.objects.entry(object).or_default();
            join(if only_read { &mut sync.read } else { &mut sync.write }, &known);
            self.synchronises(id);
            self.tick(id);
        }
    }

    fn fences(&mut self, id: ThreadId) -> &mut Fences {
        if self.fences.len() <= id.index() {
            self.fences.resize(id.index() + 1, Fences::default());
        }
        &mut self.fences[id.index()]
    }

    /// An access to an atomic with the orderings it asked for.
    pub(crate) fn atomic(&mut self, id: ThreadId, object: ObjectId, access: Access, acquire: bool, release: bool) {
        if !self.active {
            return;
        }
        if access != Access::Write && acquire {
            self.synchronised(id, object);
        } else if access != Access::Write
            && let Some(sync) = self.objects.get(&object)
        {
            let found = sync.write.clone();
            join(&mut self.fences(id).found, &found);
        }
        if access == Access::Read {
            return;
        }
        let published = if release {
            self.clock(id).clone()
        } else {
            self.fences(id).published.clone()
        };
        let sync = self.objects.entry(object).or_default();
        if access == Access::Write {
            sync.write.clear();
        }
        join(&mut sync.write, &published);
        if release {
            self.tick(id);
        }
    }

    /// A fence.
    pub(crate) fn fence(&mut self, id: ThreadId, acquire: bool, release: bool) {
        if !self.active {
            return;
        }
        if acquire {
            let found = std::mem::take(&mut self.fences(id).found);
            join(self.clock(id), &found);
        }
        if release {
            let known = self.clock(id).clone();
            self.fences(id).published = known;
            self.tick(id);
        }
    }

    /// A thread leaves a message of this number with an object.
    pub(crate) fn sent(&mut self, id: ThreadId, object: ObjectId, number: u32) {
        if self.active {
            let known = self.clock(id).clone();
            self.messages.insert((object, number), known);
            self.synchronises(id);
            self.tick(id);
        }
    }

    /// A thread receives the message of this number.
    pub(crate) fn received(&mut self, id: ThreadId, object: ObjectId, number: u32) {
        if self.active
            && let Some(known) = self.messages.remove(&(object, number))
        {
            join(self.clock(id), &known);
            self.synchronises(id);
        }
    }

    /// An access to a tracked cell by a thread that holds the locks `held` and has performed so many `steps`.
    pub(crate) fn access(
        &mut self,
        (id, steps): (ThreadId, u32),
        cell: ObjectId,
        write: bool,
        at: &'static Location<'static>,
        held: impl Iterator<Item = (ObjectId, bool)> + Clone,
    ) -> Option<Breach> {
        self.wanted = true;
        if !self.active {
            return None;
        }
        let epoch = self.clock(id)[id.index()];
        let now = Moment { epoch, steps };
        if let Some(bounds) = &mut self.bounds {
            let declared = self.lockset.declared(cell);
            bounds.access((id, now), cell, write, declared, held.clone());
        }
        if let Some(discipline) = self.discipline
            && let Some(message) = self.lockset.access(discipline, (id, now), cell, write, at, held)
        {
            return Some(Breach::Discipline(message));
        }
        self.synchronises(id);
        self.clock(id);
        let clock = &self.clocks[id.index()];
        self.cells.access(id, clock, cell, write, at).map(Breach::Race)
    }

    /// A thread that holds these locks accesses a cell. False if another lock was relied upon to protect it.
    pub(crate) fn protected(
        &mut self,
        id: ThreadId,
        cell: ObjectId,
        held: impl Iterator<Item = ObjectId> + Clone,
    ) -> bool {
        if !self.active {
            return true;
        }
        self.clock(id);
        self.protection.access(id, cell, &self.clocks, held)
    }

    /// A section of a lock has read a cell. True if the lock protects it.
    pub(crate) fn rely(&mut self, lock: ObjectId, cell: ObjectId) -> bool {
        self.active && self.protection.rely(lock, cell)
    }

    /// A thread has written to an atomic, as a `release` or not. Returns with which read it races, if it does.
    pub(crate) fn wrote(
        &mut self,
        id: ThreadId,
        atomic: ObjectId,
        release: bool,
        at: &'static Location<'static>,
    ) -> Option<String> {
        if !self.active {
            return None;
        }
        self.clock(id);
        let clock = &self.clocks[id.index()];
        // After a release, another epoch has begun.
        let epoch = clock[id.index()] - u32::from(release);
        self.mixed.access((id, epoch), clock, atomic, true, at)
    }

    /// A thread reads an atomic, but not atomically. Returns with which write that races, if it does.
    pub(crate) fn reads_plainly(
        &mut self,
        id: ThreadId,
        atomic: ObjectId,
        at: &'static Location<'static>,
    ) -> Option<String> {
        self.wanted = true;
        if !self.active {
            return None;
        }
        self.clock(id);
        let clock = &self.clocks[id.index()];
        self.mixed.access((id, clock[id.index()]), clock, atomic, false, at)
    }

    /// The current thread is declared to initialise a cell.
    pub(crate) fn initialises(&mut self, id: ThreadId, cell: ObjectId) {
        self.lockset.declare(id, cell);
    }
}
