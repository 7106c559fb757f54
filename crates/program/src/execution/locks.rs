//! Locks that threads hold: critical sections, and whether they only read.

use super::Execution;
use super::object::{Held, Protects};
use crate::ids::{ObjectId, ThreadId};

impl Execution {
    /// True if a thread holds a lock.
    pub(crate) fn holds(&self, id: ThreadId, object: ObjectId) -> bool {
        self.threads[id.index()].held.iter().any(|h| h.object == object)
    }

    /// A thread has acquired a lock, perhaps as a reader. `wrote` says whether its critical section counts as a write from the start.
    pub(crate) fn hold(&mut self, id: ThreadId, object: ObjectId, reader: bool, wrote: bool) {
        let thread = &mut self.threads[id.index()];
        let at = thread.pending.at;
        thread.turns.disturbed |= wrote && !reader;
        thread.held.push(Held {
            object,
            entry: None,
            wrote,
            protects: Protects::Value,
            reader,
            at,
        });
        self.detectors.acquired(id, object, reader, wrote);
    }

    /// A thread has acquired a lock that protects something beside it.
    pub(crate) fn hold_for_something(&mut self, id: ThreadId, object: ObjectId) {
        self.hold(id, object, false, !self.settings.cells_compose);
        if let Some(held) = self.threads[id.index()].held.last_mut() {
            held.protects = Protects::Unknown;
        }
    }

    /// The current thread accesses a cell. That tells which of its critical sections only read, of those that protect something
    /// beside the lock; see `detect/protection.rs`.
    pub(crate) fn accesses_cell(&mut self, cell: ObjectId, write: bool) {
        let id = self.current;
        if write {
            self.wrote_something();
        }
        if !self.settings.cells_compose {
            return;
        }
        let held = &self.threads[id.index()].held;
        let locks = held.iter().map(|h| h.object);
        self.evidence_broken |= !self.detectors.protected(id, cell, locks);
        for i in 0..held.len() {
            let Held {
                object,
                protects,
                wrote,
                ..
            } = self.threads[id.index()].held[i];
            if protects == Protects::Value || wrote {
                continue;
            }
            if self.detectors.rely(object, cell) {
                self.threads[id.index()].held[i].protects = Protects::Cells;
            } else {
                self.wrote_under(object);
            }
        }
    }

    /// The current thread holds a lock as a reader from now on, instead of as the writer. What it has written so far is published.
    pub(crate) fn downgrade(&mut self, object: ObjectId) {
        let id = self.current;
        let held = &mut self.threads[id.index()].held;
        if let Some(held) = held.iter_mut().rev().find(|h| h.object == object) {
            held.reader = true;
        }
        self.detectors.released(id, object, false);
    }

    /// The current thread releases a lock.
    pub(crate) fn release(&mut self, object: ObjectId) {
        let id = self.current;
        let Some(position) = self.threads[id.index()].held.iter().rposition(|h| h.object == object) else {
            return;
        };
        let held = self.threads[id.index()].held.remove(position);
        self.objects[object.index()].state.let_go(held.reader);
        let running = self.running();
        let mut peek = false;
        match held.entry {
            Some(entry) => {
                if let Some(entry) = self.objects[object.index()].history.get_mut(entry as usize) {
                    entry.release = running;
                }
            }
            None => {
                if let Some(event) = self.events.last_mut()
                    && self.settings.composition
                    && !held.wrote
                    && held.protects != Protects::Unknown
                    && event.footprint.object == object
                    && let Some(only_read) = event.footprint.effect.kind.only_read()
                {
                    event.footprint.effect.kind = only_read;
                    peek = true;
                }
            }
        }
        self.detectors.released(id, object, held.reader || peek);
    }

    /// The current thread has modified what a lock protects, or may have.
    pub(crate) fn wrote_under(&mut self, object: ObjectId) {
        let id = self.current;
        let thread = &mut self.threads[id.index()];
        if let Some(held) = thread.held.iter_mut().rev().find(|h| h.object == object)
            && !held.wrote
        {
            held.wrote = true;
            thread.turns.disturbed = true;
            // The acquisition is no longer one that nobody notices.
            if let Some(entry) = held.entry {
                let acquisition = self.objects[object.index()].history[entry as usize].event;
                self.events[acquisition.index()].idle = false;
            }
            self.detectors.wrote_under(id, object);
        }
    }

    /// The current thread has modified something, and so have all its critical sections.
    pub(crate) fn wrote_something(&mut self) {
        let id = self.current;
        for i in 0..self.threads[id.index()].held.len() {
            let object = self.threads[id.index()].held[i].object;
            self.wrote_under(object);
        }
    }
}
