//! Dropping what no question can look at any more.
//!
//! Each watcher says from which local state on it still reads a process; what is before the least of
//! them is dropped. Nothing is dropped while a question may still get new processes.

use super::Monitor;
use super::watched::Watched;

impl Monitor {
    /// How many local states, messages, waiting events, branches and cuts are held.
    fn held_by_all(&self) -> usize {
        let parts = self.watched.iter().flat_map(|w| &w.parts);
        self.stream.held() + parts.map(|part| part.watcher.held()).sum::<usize>()
    }

    /// Drops what no question can look at any more.
    pub(super) fn tidy(&mut self) {
        let open = |w: &Watched| !w.answered && !w.closed;
        if self.changed.is_empty() || self.watched.iter().any(open) {
            self.changed.clear();
            return;
        }
        self.changed.clear();
        // Looking takes as long as there are branches and cuts that wait: only when twice as
        // much is held as was left the last time, so that a record costs little on average.
        if self.held_by_all() < self.much {
            return;
        }
        for part in self.watched.iter_mut().flat_map(|w| &mut w.parts) {
            part.watcher.tidy(&part.live, &self.stream);
        }
        // What no question reads is not kept.
        let mut floors = vec![u32::MAX; self.stream.lanes.len()];
        for part in self.watched.iter().flat_map(|w| &w.parts) {
            for (k, &p) in part.live.support.iter().enumerate() {
                floors[p] = floors[p].min(part.watcher.floor(&part.live, &self.stream, k));
            }
        }
        for (p, floor) in floors.into_iter().enumerate() {
            self.stream.drop_before(p, floor);
        }
        self.much = 2 * self.held_by_all();
        self.forget_messages();
    }

    /// Drops the messages that no question can learn anything from.
    fn forget_messages(&mut self) {
        if self.stream.messages() <= self.many_messages {
            return;
        }
        let mut base = vec![u32::MAX; self.stream.lanes.len()];
        for part in self.watched.iter().flat_map(|w| &w.parts) {
            for (least, known) in base.iter_mut().zip(part.watcher.base(&part.live, &self.stream)) {
                *least = (*least).min(known);
            }
        }
        self.stream.forget_messages(&base);
        self.many_messages = 2 * self.stream.messages() + 1024;
    }
}
