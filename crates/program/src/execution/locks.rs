//! Locks that threads hold: critical sections, and whether they only read.

use super::Execution;
use super::object::Held;
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
            reader,
            at,
        });
        self.detectors.acquired(id, object, reader, wrote);
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
