//! How events are ordered, and which of them race.
//!
//! The clock of an event says how many events of each thread happened before it or are it. Events
//! happen before others by program order, by the tables of [`crate::dependency`], by spawning, joining
//! and notifying. Two executions with the same events and the same order are the same
//! Mazurkiewicz trace.
//!
//! A *race* is a pair of events of different threads that could be swapped: dependent, with no
//! event between them in that order (Abdulla, Aronis, Jonsson, Sagonas, JACM 2017, section 3), and
//! such that the second is possible without the first. An acquisition of a lock happens after the
//! release before it but races with the acquisition before it, and it is swapped with that one.
//! A thread that is blocked at the end of an execution races as if its operation had just
//! happened: the deadlock is one outcome of the race. Where several others block it together, all of them must come
//! after it: see `rivals.rs`.

use super::object::{Entry, State};
use super::{Execution, Race};
use crate::dependency::{self, Order};
use crate::ids::{EventId, ObjectId, ThreadId};
use crate::narrow::short;
use crate::operation::{Effect, Footprint, Kind};

/// Makes `clock` the join of both.
pub(super) fn join(clock: &mut Vec<u32>, other: &[u32]) {
    if clock.len() < other.len() {
        clock.resize(other.len(), 0);
    }
    for (mine, theirs) in clock.iter_mut().zip(other) {
        *mine = (*mine).max(*theirs);
    }
}

/// Operations that take a lock, and happen after its last release.
pub(super) fn acquires(kind: Kind) -> bool {
    use Kind::*;
    matches!(
        kind,
        Lock | Peek | TryLockOk | Read | Write | TryReadOk | TryWriteOk | Begin | BeginFirst | BeginDone
    )
}

impl Execution {
    /// The clock of an event that is over.
    pub(crate) fn clock(&self, event: EventId) -> &[u32] {
        let (start, len) = self.events[event.index()].clock;
        &self.clocks[start as usize..(start + len) as usize]
    }

    /// True if `event` is `other` or happened before it.
    pub(crate) fn happened_before(&self, event: EventId, other: EventId) -> bool {
        let first = &self.events[event.index()];
        self.clock(other).get(first.thread.index()).copied().unwrap_or(0) > first.index
    }

    /// What happened before an event of a thread whatever it did, or before what the thread has announced.
    pub(super) fn before(&self, event: EventId, thread: ThreadId) -> &[u32] {
        match event {
            EventId::NONE => &self.threads[thread.index()].clock[..],
            event => {
                let (start, len) = self.events[event.index()].before;
                &self.clocks[start as usize..(start + len) as usize]
            }
        }
    }

    /// True if `event` happened before the second operation of a race, had the first one and all
    /// that happened after it not been there. `between` are the events that remain.
    pub(crate) fn happened_before_second(&self, event: EventId, race: &Race, between: &[EventId]) -> bool {
        let before = self.before(race.second, race.thread);
        let first = &self.events[event.index()];
        if before.get(first.thread.index()).copied().unwrap_or(0) > first.index {
            return true;
        }
        let second = match race.second {
            EventId::NONE => self.pending_footprint(race.thread),
            // In the other order it may turn out differently.
            second => self.events[second.index()].asked.footprint(),
        };
        between.iter().any(|&other| {
            let footprint = self.events[other.index()].footprint;
            // The owner that the first one is stays, so that neither of two others is the last to leave.
            let leave = footprint.effect.kind == Kind::Disown && second.effect.kind == Kind::Disown;
            !leave && dependency::dependent(&footprint, &second, &self.users) && self.happened_before(event, other)
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
            self.hung_up.clear();
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
        if event.footprint.object != ObjectId::NONE {
            let Footprint { object, effect, .. } = event.footprint;
            self.trace_back(object, effect, thread, id, &mut clock, |race| races.push(race));
        }
        if !new {
            races.truncate(before);
        }
        self.races = races;
        match event.footprint.effect.kind {
            Kind::Join => join(&mut clock, &self.threads[event.footprint.effect.arg as usize].clock),
            Kind::RecvClosed | Kind::TryRecvClosed => {
                if let Some(closed) = self.hang_ups.get(&event.footprint.object) {
                    join(&mut clock, closed);
                }
            }
            _ => {}
        }
        if clock.len() <= thread.index() {
            clock.resize(thread.index() + 1, 0);
        }
        clock[thread.index()] = event.index + 1;
        self.events[id.index()].clock = self.keep(&clock);
        self.enter(id);
        for woken in std::mem::take(&mut self.woken) {
            join(&mut self.threads[woken.index()].clock, &clock);
        }
        for object in std::mem::take(&mut self.hung_up) {
            join(self.hang_ups.entry(object).or_default(), &clock);
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

    /// Joins to `clock` what happened before an effect of `thread`, which is the event `second` or was announced, and tells
    /// which events race with it. Latest first: an event that happened before one that races is known by then, and
    /// will race in the execution where that race goes the other way.
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
        let capacity = match target.state {
            State::Queue { capacity, .. } => capacity,
            _ => u32::MAX,
        };
        // What is known to have happened before, other than by edges that cannot be reversed: if
        // the effect needs an event, it may still race with what happened before that event.
        let mut known = clock.clone();
        for entry in target.history.iter().rev() {
            if entry.thread != thread {
                let order = dependency::order(entry.effect, effect, capacity, &self.users);
                if order == Order::Races {
                    let index = self.events[entry.event.index()].index;
                    let unknown = known.get(entry.thread.index()).copied().unwrap_or(0) <= index;
                    let race = |without| Race {
                        first: entry.event,
                        thread,
                        second,
                        without,
                    };
                    if unknown && effect.kind == Kind::User {
                        // Nobody knows whether an operation of the user's was really possible, and without whom it is.
                        for without in self.combinations(object, effect, &race(0)) {
                            report(race(without));
                        }
                    } else if unknown {
                        let without = match effect.kind {
                            Kind::Write => {
                                let rivals = self.rivals(object, effect, &race(0));
                                rivals.map(|rivals| if rivals.is_empty() { 0 } else { u32::MAX })
                            }
                            _ => self.possible_without(object, entry, effect).then_some(0),
                        };
                        if let Some(without) = without {
                            report(race(without));
                            join(&mut known, self.clock(entry.event));
                        }
                    }
                }
                if order != Order::Unordered {
                    let until = if acquires(effect.kind) && entry.release != EventId::NONE {
                        entry.release
                    } else {
                        entry.event
                    };
                    join(clock, self.clock(until));
                }
            }
            if dependency::covers(entry.effect.kind) {
                break;
            }
        }
    }

    /// True if an effect is possible without `entry` and all that happened after it. A mutex was free before `entry` took it; of
    /// a lock with several readers, see `rivals.rs`.
    fn possible_without(&self, object: ObjectId, entry: &Entry, effect: Effect) -> bool {
        let remains = |event: EventId| event != EventId::NONE && !self.happened_before(entry.event, event);
        let target = &self.objects[object.index()];
        match effect.kind {
            Kind::Load | Kind::Update => self.changed_since_among(object, effect.arg, remains),
            Kind::Park if effect.arg == 0 => {
                let mut token = false;
                for other in target.history.iter().filter(|other| remains(other.event)) {
                    token = other.effect.kind == Kind::Unpark;
                }
                token
            }
            Kind::Acquire => {
                let State::Semaphore { initial, .. } = target.state else {
                    return true;
                };
                let mut permits = i64::from(initial);
                for other in target.history.iter().filter(|other| remains(other.event)) {
                    match other.effect.kind {
                        Kind::Release => permits += i64::from(other.effect.arg),
                        Kind::Acquire | Kind::TryAcquireOk => permits -= i64::from(other.effect.arg),
                        _ => {}
                    }
                }
                permits >= i64::from(effect.arg)
            }
            _ => true,
        }
    }

    /// In how many ways the second operation of a race can be performed without the first one.
    pub(crate) fn choices_of_second(&self, race: &Race) -> u32 {
        let (asked, choices) = match race.second {
            EventId::NONE => (self.threads[race.thread.index()].pending, self.choices(race.thread)),
            second => (self.events[second.index()].asked, self.events[second.index()].choices),
        };
        if asked.kind != Kind::NotifyOne {
            return choices;
        }
        // Who would wait then?
        let mut waiters: Vec<ThreadId> = Vec::new();
        for entry in &self.objects[asked.object.index()].history {
            if entry.event >= race.second || self.happened_before(race.first, entry.event) {
                continue;
            }
            let choice = self.events[entry.event.index()].choice;
            match entry.effect.kind {
                Kind::Wait if choice == 0 => {
                    let position = waiters.partition_point(|w| *w < entry.thread);
                    waiters.insert(position, entry.thread);
                }
                Kind::NotifyOne if (choice as usize) < waiters.len() => {
                    waiters.remove(choice as usize);
                }
                Kind::NotifyAll => waiters.clear(),
                _ => {}
            }
        }
        short(waiters.len().max(1))
    }

    /// At the end of an execution: the races of threads that are blocked.
    pub(crate) fn races_of_blocked(&mut self) {
        for i in 0..self.threads.len() {
            if self.threads[i].status != super::thread::Status::Pending {
                continue;
            }
            let thread = ThreadId::new(i);
            let op = self.threads[i].pending;
            if op.object == ObjectId::NONE || self.threads[i].waiting {
                continue;
            }
            let mut clock = self.threads[i].clock.clone();
            let mut races = std::mem::take(&mut self.races);
            let mut effect = op.footprint().effect;
            // A blocked send or receipt would be the next one.
            if let State::Queue { sent, received, .. } = self.objects[op.object.index()].state {
                match op.kind {
                    Kind::Send => effect.arg = sent,
                    Kind::Recv => effect.arg = received,
                    _ => {}
                }
            }
            self.trace_back(op.object, effect, thread, EventId::NONE, &mut clock, |race| {
                races.push(race);
            });
            self.races = races;
        }
    }
}
