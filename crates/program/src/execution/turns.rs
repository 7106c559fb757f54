//! Turns of loops: a thread that comes round to the same local state, and has changed nothing meanwhile.
//!
//! An operation is *idle* if it could be left out and no other thread would notice ([`ObjectType::idle`]): a load, a failed
//! `compare_exchange` or `try_lock`, an update that writes what it has read, a critical section that only reads. Of each thread,
//! the idle operations since its last other one are remembered: its *looks*. Its local state ([`crate::fiber::local_state`]) is
//! taken when it is about to look in the same way as before, or calls `yield_now`. If it was in this state before, the looks
//! in between are a turn of a loop, which can be left out: without it, the thread is in the same state, and nobody else
//! notices. See `spinning.rs` for what follows.
//!
//! The turn before must have been the same. Places in a frame that the end of the first turn writes contain leftovers before, which may
//! be the same by chance, and are not when the program is run again. After the second of two equal turns, each place that a
//! turn writes has been written by one.
//!
//! [`ObjectType::idle`]: crate::object_type::ObjectType::idle

use super::Execution;
use crate::ids::{EventId, ObjectId, ThreadId};
use crate::operation::{Kind, Operation};
use std::panic::Location;

/// More looks in a row are not remembered.
const MOST: usize = 512;

/// A thread that calls `yield_now` so often at one place and in one state, without an operation, waits for something unknown.
const PAUSES: u32 = 100_000;

/// Where a thread may come round to: a call of `yield_now`, or an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    pub(super) at: &'static Location<'static>,
    pub(super) what: Option<(Kind, ObjectId)>,
}

impl Place {
    pub(super) fn of(operation: &Operation) -> Place {
        Place {
            at: operation.at,
            what: Some((operation.kind, operation.object)),
        }
    }
}

/// An idle operation, and what it has found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    pub(super) place: Place,
    /// The value of an atomic.
    pub(super) saw: Option<u64>,
    pub(super) outcome: u32,
    pub(super) event: EventId,
}

impl Look {
    /// True if both are the same operation with the same result.
    fn is_like(&self, other: &Look) -> bool {
        (self.place, self.saw, self.outcome) == (other.place, other.saw, other.outcome)
    }
}

/// A state in which a thread was.
#[derive(Clone, Copy, Debug)]
struct Visit {
    place: Place,
    digest: [u64; 2],
    /// How many looks it had, and how many locks it held.
    looks: usize,
    held: usize,
}

/// What a thread has done since it did something that others may notice.
#[derive(Default, Debug)]
pub(crate) struct Turns {
    pub(super) looks: Vec<Look>,
    visits: Vec<Visit>,
    /// How many of its events are accounted for.
    noted: usize,
    /// Its last transition has done more than its operation says.
    pub(super) disturbed: bool,
    /// Where in its looks the turn begins that it repeats.
    pub(super) turn: Option<usize>,
    /// Where and in which state it has called `yield_now` without an operation since, and how often.
    pauses: (Option<(Place, [u64; 2])>, u32),
}

impl Turns {
    pub(crate) fn clear(&mut self) {
        self.forget();
        self.noted = 0;
        self.disturbed = false;
    }

    fn forget(&mut self) {
        self.looks.clear();
        self.visits.clear();
        self.turn = None;
        self.pauses = (None, 0);
    }

    /// The looks of the turn that it repeats.
    pub(super) fn repeated(&self) -> &[Look] {
        self.turn.map_or(&[], |start| &self.looks[start..])
    }
}

impl Execution {
    /// The current thread does something that others may notice, within its transition.
    pub(crate) fn disturbs(&mut self) {
        let id = self.current;
        if let Some(thread) = self.threads.get_mut(id.index()) {
            thread.turns.disturbed = true;
        }
    }

    /// Takes note of the last event of a thread, whose transition is over.
    pub(super) fn note_last(&mut self, id: ThreadId) {
        let thread = &mut self.threads[id.index()];
        let new = thread.turns.noted < thread.events.len();
        thread.turns.noted = thread.events.len();
        if std::mem::take(&mut thread.turns.disturbed) {
            thread.turns.forget();
            return;
        }
        let Some(&event) = thread.events.last().filter(|_| new) else {
            return;
        };
        let happened = self.events[event.index()];
        let idle = happened.footprint.effect.kind.idle(self, &happened);
        self.events[event.index()].idle = idle;
        let thread = &mut self.threads[id.index()];
        if !idle || thread.turns.looks.len() >= MOST {
            thread.turns.forget();
        }
        if idle {
            thread.turns.looks.push(Look {
                place: Place::of(&happened.asked),
                saw: thread.saw,
                outcome: thread.outcome,
                event,
            });
        }
    }

    /// True if the current thread has called `yield_now` there very often in one state, and no operation has happened: whatever it looks
    /// at is not under control.
    pub(super) fn pauses_for_nothing(&mut self, place: Place) -> bool {
        let turns = &mut self.threads[self.current.index()].turns;
        if !turns.looks.is_empty() {
            return false;
        }
        let Some(digest) = crate::fiber::local_state() else {
            return false;
        };
        let here = Some((place, digest));
        turns.pauses = (here, if turns.pauses.0 == here { turns.pauses.1 + 1 } else { 0 });
        turns.pauses.1 >= PAUSES
    }

    /// True if the current thread, which is at this place, repeats its last turn, and has already repeated it once.
    pub(super) fn repeats(&mut self, place: Place) -> bool {
        let id = self.current;
        self.note_last(id);
        let thread = &mut self.threads[id.index()];
        let turns = &mut thread.turns;
        let looked_before = || place.what.is_none() || turns.looks.iter().any(|look| look.place == place);
        if turns.looks.is_empty() || !looked_before() || self.habits.is_distrusted(place) {
            return false;
        }
        let Some(digest) = crate::fiber::local_state() else {
            return false;
        };
        let now = turns.looks.len();
        let here = Visit {
            place,
            digest,
            looks: now,
            held: thread.held.len(),
        };
        let before = turns.visits.iter().rev().find(|visit| {
            visit.looks < now && (visit.place, visit.digest, visit.held) == (here.place, here.digest, here.held)
        });
        if let Some(start) = before.map(|visit| visit.looks)
            && let Some(earlier) = (2 * start).checked_sub(now)
            && std::iter::zip(&turns.looks[earlier..start], &turns.looks[start..]).all(|(a, b)| a.is_like(b))
        {
            turns.turn = Some(start);
            return true;
        }
        turns.visits.push(here);
        false
    }
}
