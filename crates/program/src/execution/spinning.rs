//! Loops that wait: a thread that comes round to the same local state waits until what it reads has changed.
//!
//! A loop such as `while flag.load(SeqCst) == 0 { yield_now() }` has infinitely many executions, which differ only in how
//! often it reads the same value. Suppose that a thread was in the same local state at its last call of `yield_now`, that it
//! has only loaded since, always from the same atomic, and that no other thread has written to that atomic meanwhile. Then it
//! will do the same again and again, until another thread writes. So its next load is treated as impossible before such a
//! write, as if the thread waited for a condition. Nothing is missed, because the turns that are left out change nothing and
//! see nothing new. If no thread ever writes, the loop is reported to wait for ever, which is what it does.
//!
//! The first turn is not compared with the second one: places in a frame that the end of the first turn writes contain
//! leftovers before, which may be the same by chance, and are not when the program is run again.
//!
//! What the thread changes on the heap is not part of the state that is compared: a loop may count its turns there and give
//! up some day. So before it waits, it is tried. It runs for [`TRIALS`] more turns, in which its loads happen at once, as they
//! would if no other thread moved, and are not events. (A loop of `compare_exchange` is not tried.) If it does anything else
//! meanwhile, it does not wait for others, and the search is not complete.
//!
//! (Kokologiannakis, Ren, Vafeiadis, *Dynamic Partial Order Reductions for Spinloops*, FMCAD 2021, do so with the code of the
//! loop; we look at what it did.)

use super::Execution;
use crate::ids::{EventId, ObjectId, ThreadId};
use crate::object_type::Reads;
use crate::operation::Operation;
use std::panic::Location;

/// The state of a thread at its last call of `yield_now`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turn {
    /// Where it called it, and how often there in a row.
    place: (&'static Location<'static>, u32),
    /// Its local state.
    digest: [u64; 2],
    /// How many events it had.
    events: usize,
    /// How many threads it had spawned, and locks it held.
    others: (usize, usize),
    /// The atomic that it had read since the turn before, and its version.
    read: Option<(ObjectId, u32)>,
}

/// How many more turns a loop must do the same before it is taken to wait.
const TRIALS: u32 = 100;

/// A loop on trial.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trial {
    /// How many turns are left.
    left: u32,
    /// Whether it has loaded in this one.
    loaded: bool,
}

impl Execution {
    /// The current thread calls `yield_now` in this local state.
    pub(crate) fn comes_round(&mut self, digest: [u64; 2]) {
        let id = self.current;
        let thread = &self.threads[id.index()];
        let last = thread.turn;
        if let (Some(trial), Some(turn)) = (thread.trial, last) {
            let same = turn.digest == digest && turn.others == (thread.children, thread.held.len());
            self.goes_on(trial, same);
            return;
        }
        if last.is_some_and(|last| last.events == thread.events.len()) {
            // It yields several times in one turn.
            return;
        }
        let here = thread.yields_at;
        let before = last.filter(|last| last.place.0 == here).map_or(0, |last| last.place.1);
        let turn = Turn {
            place: (here, before.saturating_add(1)),
            digest,
            events: thread.events.len(),
            others: (thread.children, thread.held.len()),
            read: self.only_read(id, last.map_or(0, |t| t.events)),
        };
        let same = last.is_some_and(|last| {
            before > 1
                && digest != [0; 2]
                && last.digest == digest
                && last.others == turn.others
                && last.read == turn.read
        });
        let thread = &mut self.threads[id.index()];
        thread.turn = Some(turn);
        thread.gate = turn.read.filter(|_| same);
        thread.trial = thread.gate.map(|_| Trial {
            left: TRIALS,
            loaded: false,
        });
        self.spinning |= thread.gate.is_some();
    }

    /// The current thread calls `yield_now` while it is on trial. `same` says whether its state is the same as before.
    fn goes_on(&mut self, trial: Trial, same: bool) {
        let thread = &mut self.threads[self.current.index()];
        if !trial.loaded {
            // It yields several times in one turn.
            return;
        }
        if !same {
            self.strays();
            return;
        }
        thread.trial = (trial.left > 1).then_some(Trial {
            left: trial.left - 1,
            loaded: false,
        });
    }

    /// The current thread was on trial and does something else: it does not wait.
    fn strays(&mut self) {
        let thread = &mut self.threads[self.current.index()];
        thread.trial = None;
        thread.gate = None;
        thread.turn = None;
        self.strayed = true;
    }

    /// True if the current thread is on trial and this is the load that it repeats. It happens at once and is not an event.
    pub(crate) fn tries(&mut self, operation: &Operation) -> bool {
        let thread = &mut self.threads[self.current.index()];
        let (Some(trial), Some((object, _))) = (&mut thread.trial, thread.gate) else {
            return false;
        };
        match operation.kind.reads() {
            Reads::Only if operation.object == object => {
                trial.loaded = true;
                true
            }
            // A failing `compare_exchange` is a load as well, but whether it fails is not known beforehand: it waits without a trial.
            Reads::Perhaps if operation.object == object => {
                thread.trial = None;
                false
            }
            _ => {
                self.strays();
                false
            }
        }
    }

    /// If all events of a thread since then are loads of one atomic, that atomic and its version.
    fn only_read(&self, id: ThreadId, since: usize) -> Option<(ObjectId, u32)> {
        let events = self.threads[id.index()].events.get(since..)?;
        let first = self.events[events.first()?.index()].footprint.object;
        let only = events.iter().all(|e| {
            let footprint = &self.events[e.index()].footprint;
            footprint.effect.kind.reads() == Reads::Only && footprint.object == first
        });
        let last = &self.events[events.last()?.index()].footprint.effect;
        only.then(|| {
            let version = match last.kind.is_graphed() {
                // What it has seen, which need not be the last write.
                true => last.arg + 1,
                false => argument(self.last_write(first)),
            };
            (first, version)
        })
    }

    fn last_write(&self, object: ObjectId) -> EventId {
        let history = self.objects[object.index()].history.iter().rev();
        let mut writes = history.filter(|entry| entry.effect.kind.changes());
        writes.next().map_or(EventId::NONE, |entry| entry.event)
    }

    /// The next operation of the current thread. If it waits for a change of its object, its argument says since which write.
    pub(super) fn gated(&mut self, mut operation: Operation) -> Operation {
        let gate = self.threads[self.current.index()].gate.take();
        if let Some((object, version)) = gate
            && operation.object == object
            && operation.kind.reads() != Reads::No
        {
            operation.arg = version;
        }
        operation
    }

    /// True if an object has been written since the write that an argument names, or if it names none.
    pub(crate) fn changed_since(&self, object: ObjectId, arg: u32) -> bool {
        arg == 0 || argument(self.last_write(object)) != arg
    }

    /// The same, if only the events that `remain` had happened.
    pub(crate) fn changed_since_among(&self, object: ObjectId, arg: u32, remain: impl Fn(EventId) -> bool) -> bool {
        arg == 0
            || self.objects[object.index()]
                .history
                .iter()
                .any(|entry| entry.effect.kind.changes() && argument(entry.event) > arg && remain(entry.event))
    }
}

/// A write as an argument: 0 is for operations that do not wait, 1 for no write yet.
fn argument(write: EventId) -> u32 {
    match write {
        EventId::NONE => 1,
        EventId(event) => event + 2,
    }
}
