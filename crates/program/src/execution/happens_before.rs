//! How events are ordered, and which of them race.
//!
//! The clock of an event says how many events of each thread happened before it, itself included. Events
//! are ordered by program order, by the types of objects ([`crate::object_type`]), and by spawning, joining
//! and notifying. Two executions with the same events and the same order are the same
//! Mazurkiewicz trace.
//!
//! A *race* is a pair of events of different threads that could be swapped: they are dependent, no
//! event is between them in that order (Abdulla, Aronis, Jonsson, Sagonas, JACM 2017, section 3), and
//! the second is possible without the first. An acquisition of a lock happens after the
//! previous release, but races with the previous acquisition, and is swapped with that one.
//! A thread that is blocked at the end of an execution races as if its operation had just
//! happened: the deadlock is one outcome of the race. If several others block it together, all of them must come
//! after it: see `rivals.rs`.

use super::object::Entry;
use super::{Event, Execution, Other, Race};
use crate::ids::{EventId, ObjectId, ThreadId};
use crate::narrow::short;
use crate::object_type::{Order, Rivals};
use crate::operation::{Effect, Footprint};

/// Makes `clock` the join of both.
pub(crate) fn join(clock: &mut Vec<u32>, other: &[u32]) {
    if clock.len() < other.len() {
        clock.resize(other.len(), 0);
    }
    for (mine, theirs) in clock.iter_mut().zip(other) {
        *mine = (*mine).max(*theirs);
    }
}

impl Execution {
    /// The clock of a finished event.
    pub(crate) fn clock(&self, event: EventId) -> &[u32] {
        let (start, len) = self.events[event.index()].clock;
        &self.clocks[start as usize..(start + len) as usize]
    }

    /// True if `event` is `other` or happened before it.
    pub(crate) fn happened_before(&self, event: EventId, other: EventId) -> bool {
        let first = &self.events[event.index()];
        self.clock(other).get(first.thread.index()).copied().unwrap_or(0) > first.index
    }

    /// The clock of what happened before an event of a thread in any case, or before the thread's announced operation.
    pub(crate) fn before(&self, event: EventId, thread: ThreadId) -> &[u32] {
        match event {
            EventId::NONE => &self.threads[thread.index()].clock[..],
            event => {
                let (start, len) = self.events[event.index()].before;
                &self.clocks[start as usize..(start + len) as usize]
            }
        }
    }

    /// True if an event happened before the operation `other` of a thread in any case, by program order for instance.
    pub(crate) fn knows(&self, other: EventId, thread: ThreadId, event: EventId) -> bool {
        let Event { thread: of, index, .. } = self.events[event.index()];
        self.before(other, thread).get(of.index()).copied().unwrap_or(0) > index
    }

    /// True if `event` would happen before the second operation of a race without the first one and all
    /// that happened after it. `between` are the events that remain.
    pub(crate) fn happened_before_second(&self, event: EventId, race: &Race, between: &[EventId]) -> bool {
        if self.knows(race.second, race.thread, event) {
            return true;
        }
        let second = match race.second {
            EventId::NONE => self.pending_footprint(race.thread),
            // In the other order it may turn out differently.
            second => self.events[second.index()].asked.footprint(),
        };
        between.iter().any(|&other| {
            let footprint = self.events[other.index()].footprint;
            !footprint.effect.kind.independent_without_first(second.effect.kind)
                && footprint.dependent(&second, &self.users)
                && self.happened_before(event, other)
        })
    }

    /// Stores a clock; returns where it begins and how long it is.
    #[inline]
    fn keep(&mut self, clock: &[u32]) -> (u32, u32) {
        self.clocks.extend_from_slice(clock);
        let end = short(self.clocks.len());
        #[expect(
            clippy::cast_possible_truncation,
            reason = "it is not longer than all of them together"
        )]
        let len = clock.len() as u32;
        (end - len, len)
    }

    /// The transition is over: its thread has announced the next one, or ended.
    pub(crate) fn finish_event(&mut self) {
        self.in_event = false;
        if !self.settings.order {
            self.woken.clear();
            self.leaving.clear();
            return;
        }
        let id = EventId::new(self.events.len() - 1);
        let event = self.events[id.index()];
        let thread = event.thread;
        let mut clock = std::mem::take(&mut self.threads[thread.index()].clock);
        self.events[id.index()].before = self.keep(&clock);
        let mut races = std::mem::take(&mut self.races);
        let new = id.index() >= self.first_new;
        let before = races.len();
        if let Some((object, effect)) = event.footprint.also {
            self.trace_back(object, effect, thread, id, &mut clock, |race| races.push(race));
        }
        let Footprint { object, effect, .. } = event.footprint;
        if effect.kind.is_graphed() {
            self.relate(id, &mut clock, new, |race| races.push(race));
        } else if object != ObjectId::NONE {
            self.trace_back(object, effect, thread, id, &mut clock, |race| races.push(race));
        }
        if !new {
            races.truncate(before);
        }
        self.races = races;
        event
            .footprint
            .effect
            .also_after(self, event.footprint.object, &mut clock);
        if clock.len() <= thread.index() {
            clock.resize(thread.index() + 1, 0);
        }
        clock[thread.index()] = event.index + 1;
        self.events[id.index()].clock = self.keep(&clock);
        self.enter(id);
        for woken in std::mem::take(&mut self.woken) {
            join(&mut self.threads[woken.index()].clock, &clock);
        }
        for object in std::mem::take(&mut self.leaving) {
            join(self.left_behind.entry(object).or_default(), &clock);
        }
        self.threads[thread.index()].clock = clock;
    }

    /// Puts an event into the histories of its objects.
    fn enter(&mut self, id: EventId) {
        let event = self.events[id.index()];
        let footprint = event.footprint;
        let effects = [Some((footprint.object, footprint.effect)), footprint.also];
        for (object, effect) in effects.into_iter().flatten() {
            if object == ObjectId::NONE {
                continue;
            }
            let history = &mut self.objects[object.index()].history;
            let mut release = id;
            for held in &mut self.threads[event.thread.index()].held {
                if held.object == object && held.entry.is_none() {
                    held.entry = Some(short(history.len()));
                    release = EventId::NONE;
                }
            }
            history.push(Entry {
                event: id,
                thread: event.thread,
                effect,
                release,
            });
        }
    }

    /// Joins to `clock` what happened before an effect of `thread`, which is the event `second` or was announced, and reports
    /// which events race with it. The latest events come first. An event that happened before one that races is then
    /// known already; it will race in the execution where that race goes the other way.
    fn trace_back(
        &self,
        object: ObjectId,
        effect: Effect,
        thread: ThreadId,
        second: EventId,
        clock: &mut Vec<u32>,
        mut report: impl FnMut(Race),
    ) {
        let target = &self.objects[object.index()];
        // What is known to have happened before, other than by edges that cannot be reversed: if
        // the effect needs an event, it may still race with what happened before that event.
        // It is copied when something matters for the first time, which for most operations is never.
        let mut known: Option<Vec<u32>> = None;
        let acquires = effect.kind.acquires();
        for entry in target.history.iter().rev() {
            let order = if entry.thread == thread {
                Order::Unordered
            } else {
                target.state.order(entry.effect, effect, &self.users)
            };
            if order != Order::Unordered {
                let known = known.get_or_insert_with(|| clock.clone());
                let index = self.events[entry.event.index()].index;
                let unknown = known.get(entry.thread.index()).copied().unwrap_or(0) <= index;
                let race = Race {
                    first: entry.event,
                    thread,
                    second,
                    without: 0,
                    how: Other::Order,
                };
                if order == Order::Races && unknown && self.report(object, effect, entry, race, &mut report) {
                    join(known, self.clock(entry.event));
                }
                let until = if acquires && entry.release != EventId::NONE {
                    entry.release
                } else {
                    entry.event
                };
                join(clock, self.clock(until));
            }
            if entry.effect.kind.covers() {
                break;
            }
        }
    }

    /// Reports the ways in which `entry` and an effect could happen in the other order. True if it is certain that they could.
    fn report(
        &self,
        object: ObjectId,
        effect: Effect,
        entry: &Entry,
        race: Race,
        report: &mut impl FnMut(Race),
    ) -> bool {
        let without = match effect.kind.rivals() {
            Rivals::None => self.possible_without(object, entry, effect).then_some(0),
            Rivals::Holders => {
                let rivals = self.rivals(object, effect, &race);
                rivals.map(|rivals| if rivals.is_empty() { 0 } else { u32::MAX })
            }
            Rivals::Unknown => {
                // It is unknown whether the operation would be possible, and without which others.
                for without in self.combinations(object, effect, &race) {
                    report(Race { without, ..race });
                }
                None
            }
        };
        if let Some(without) = without {
            report(Race { without, ..race });
        }
        without.is_some()
    }

    /// True if an effect is possible without `entry` and all that happened after it. A mutex was free before `entry` took it; for
    /// a lock with several readers, see `rivals.rs`.
    fn possible_without(&self, object: ObjectId, entry: &Entry, effect: Effect) -> bool {
        let remains = |event: EventId| event != EventId::NONE && !self.happened_before(entry.event, event);
        effect.possible_without(self, object, remains)
    }

    /// In how many ways the second operation of a race can be performed without the first one.
    pub(crate) fn choices_of_second(&self, race: &Race) -> u32 {
        let (asked, choices) = match race.second {
            EventId::NONE => (self.threads[race.thread.index()].pending, self.ways(race.thread).len()),
            second => (self.events[second.index()].asked, self.events[second.index()].choices),
        };
        asked.kind.choices_without(self, race, &asked).unwrap_or(choices)
    }

    /// Adds the races of threads that are blocked at the end of an execution.
    pub(crate) fn races_of_blocked(&mut self) {
        for i in 0..self.threads.len() {
            if !self.threads[i].is_pending() {
                continue;
            }
            let thread = ThreadId::new(i);
            let op = self.threads[i].pending;
            if op.object == ObjectId::NONE || op.kind.is_graphed() || self.threads[i].waiting || !self.may_begin(thread)
            {
                continue;
            }
            let mut clock = self.threads[i].clock.clone();
            let mut races = std::mem::take(&mut self.races);
            let mut effect = op.effect();
            effect.arg = self.objects[op.object.index()].state.blocked_arg(effect);
            self.trace_back(op.object, effect, thread, EventId::NONE, &mut clock, |race| {
                races.push(race);
            });
            self.races = races;
        }
    }
}
