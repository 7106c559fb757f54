//! Data races: two accesses to a cell, one of them a write, of which neither happened before the other.
//!
//! Vector clocks in the manner of FastTrack (Flanagan, Freund, PLDI 2009), without its
//! compression of reads: cells are few here.

use crate::ids::{ObjectId, ThreadId};
use std::collections::HashMap;
use std::panic::Location;

pub(super) type Clock = Vec<u32>;

pub(super) fn join(clock: &mut Clock, other: &[u32]) {
    if clock.len() < other.len() {
        clock.resize(other.len(), 0);
    }
    for (mine, theirs) in clock.iter_mut().zip(other) {
        *mine = (*mine).max(*theirs);
    }
}

/// An access. Its epoch is the thread's own entry of its clock.
#[derive(Clone, Copy)]
struct Access {
    thread: ThreadId,
    epoch: u32,
    at: &'static Location<'static>,
}

#[derive(Default)]
struct Cell {
    write: Option<Access>,
    /// The last read of each thread since that write.
    reads: Vec<Access>,
}

#[derive(Default)]
pub(super) struct Cells {
    cells: HashMap<ObjectId, Cell>,
}

impl Cells {
    pub(super) fn clear(&mut self) {
        self.cells.clear();
    }

    /// Records an access; returns with which earlier one it races, if it does.
    pub(super) fn access(
        &mut self,
        thread: ThreadId,
        clock: &[u32],
        cell: ObjectId,
        write: bool,
        at: &'static Location<'static>,
    ) -> Option<String> {
        let cell = self.cells.entry(cell).or_default();
        let epoch = clock.get(thread.index()).copied().unwrap_or(0);
        let now = Access { thread, epoch, at };
        let unordered = |earlier: &&Access| {
            earlier.thread != thread && earlier.epoch > clock.get(earlier.thread.index()).copied().unwrap_or(0)
        };
        let rival = cell.write.iter().find(unordered).map(|w| (*w, true));
        let rival = rival.or_else(|| {
            let read = cell.reads.iter().find(unordered).filter(|_| write);
            read.map(|r| (*r, false))
        });
        if write {
            cell.reads.clear();
            cell.write = Some(now);
        } else {
            cell.reads.retain(|r| r.thread != thread);
            cell.reads.push(now);
        }
        let name = |write| if write { "writes" } else { "reads" };
        rival.map(|(earlier, wrote)| {
            format!(
                "{} {} at {} while {} {} at {}",
                thread,
                name(write),
                at,
                earlier.thread,
                name(wrote),
                earlier.at
            )
        })
    }
}

/// Of an atomic, the last write of each thread, and its last read that was not atomic.
#[derive(Default)]
struct Both {
    writes: Vec<Access>,
    reads: Vec<Access>,
}

/// Accesses to atomics, as far as reads that are not atomic could race with them.
#[derive(Default)]
pub(super) struct Mixed {
    /// By the numbers of the atomics.
    atomics: Vec<Both>,
}

impl Mixed {
    pub(super) fn clear(&mut self) {
        for Both { writes, reads } in &mut self.atomics {
            writes.clear();
            reads.clear();
        }
    }

    /// Records an atomic write, or a read that is not atomic, by a thread that knows `clock`. Returns with which earlier one of the
    /// other kind it races, if it does.
    pub(super) fn access(
        &mut self,
        (thread, epoch): (ThreadId, u32),
        clock: &[u32],
        atomic: ObjectId,
        write: bool,
        at: &'static Location<'static>,
    ) -> Option<String> {
        if self.atomics.len() <= atomic.index() {
            self.atomics.resize_with(atomic.index() + 1, Both::default);
        }
        let Both { writes, reads } = &mut self.atomics[atomic.index()];
        let (own, others) = if write { (writes, reads) } else { (reads, writes) };
        let now = Access { thread, epoch, at };
        match own.iter_mut().find(|access| access.thread == thread) {
            Some(last) => *last = now,
            None => own.push(now),
        }
        let unordered = |earlier: &&Access| {
            earlier.thread != thread && earlier.epoch > clock.get(earlier.thread.index()).copied().unwrap_or(0)
        };
        let name = |write| if write { "writes" } else { "reads, not atomically," };
        others.iter().find(unordered).map(|earlier| {
            let (now, then) = (name(write), name(!write));
            format!(
                "{thread} {now} at {at} while {} {then} at {}",
                earlier.thread, earlier.at
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_ordered_does_not_race() {
        let mut cells = Cells::default();
        let (a, b, cell) = (ThreadId(0), ThreadId(1), ObjectId(0));
        let here = Location::caller();
        assert!(cells.access(a, &[1, 0], cell, true, here).is_none());
        // b has synchronised with a.
        assert!(cells.access(b, &[1, 1], cell, false, here).is_none());
        // a has not synchronised with b.
        assert!(cells.access(a, &[2, 0], cell, true, here).is_some());
    }

    #[test]
    fn two_reads_do_not_race() {
        let mut cells = Cells::default();
        let here = Location::caller();
        assert!(cells.access(ThreadId(0), &[1, 0], ObjectId(0), false, here).is_none());
        assert!(cells.access(ThreadId(1), &[0, 1], ObjectId(0), false, here).is_none());
    }
    #[test]
    fn plain_reads_race_with_writes_only() {
        let mut mixed = Mixed::default();
        let (a, b, atomic) = (ThreadId(0), ThreadId(1), ObjectId(3));
        let here = Location::caller();
        assert!(mixed.access((a, 1), &[1, 0], atomic, true, here).is_none());
        assert!(
            mixed.access((b, 1), &[0, 1], atomic, true, here).is_none(),
            "two writes"
        );
        assert!(mixed.access((b, 1), &[0, 1], ObjectId(2), false, here).is_none());
        assert!(mixed.access((b, 1), &[1, 1], atomic, false, here).is_none(), "ordered");
        assert!(mixed.access((a, 2), &[2, 0], atomic, false, here).is_some());
        assert!(mixed.access((b, 2), &[1, 2], atomic, true, here).is_some());
        mixed.clear();
        assert!(mixed.access((b, 2), &[1, 2], atomic, true, here).is_none());
    }
}
