//! Loops that wait: a thread that repeats a turn of a loop in which it changes nothing goes no further.
//!
//! A loop such as `while flag.load(Acquire) == 0 {}` has infinitely many executions, which differ only in how often it
//! reads the same value. Once a thread has repeated a turn of a loop (`turns.rs`), it *waits*: it does nothing more in this
//! execution.
//!
//! *Nothing is missed.* Take an execution in which the thread goes on, and leave out the turn that it has repeated. What
//! remains is an execution as well: the thread is in the same state before and after the turn, and no other thread can
//! tell. (With weak memory, operations that only read, and updates that write what they have read, can be taken out of a
//! consistent graph. It stays consistent: happens-before only shrinks, and whoever has read such an update reads what it
//! has read.) So each execution that ends has a counterpart in which no thread goes on after a repeated turn, with the same
//! results of all other operations. To the search, a thread that waits is a program that stops there, and the search is as
//! optimal for it as for any other. Where the turn has seen something old, its reads race with what is newer, as all reads
//! do.
//!
//! *What waits for ever.* In an execution in which no thread can go on, some threads wait. If each of them would find the
//! same again in another turn, and none releases a lock meanwhile that another thread waits for, they wait for ever, and
//! that is a violation (a livelock). Otherwise one of them would go on, which is an execution that is found elsewhere, and
//! this one is discarded. With weak memory, a read may find an old value any number of times, but not for ever: what the
//! turns have seen must be the last values of their locations in some modification order.
//!
//! Searches that do not see every execution anyway (random ones, and those with a bounded number of preemptions) let a
//! thread go on in the same execution when something has changed: see [`Settings::resumes`]. With weak memory, it may still find what
//! is old, and wait again. Then it goes on only after another change, so that executions end.
//!
//! What the thread changes on the heap without a visible operation is not part of the state that is compared: a loop may
//! count its turns there and give up some day. So each kind of turn is tried before it is trusted. The thread runs for
//! [`TRIALS`] more turns, in which its looks find the same at once, and are not events. If it does anything else meanwhile,
//! the search begins again, and no loop at that place is taken to wait. Loops that look at something else than atomics are
//! not tried.
//!
//! Kokologiannakis, Ren, Vafeiadis, *Dynamic Partial Order Reductions for Spinloops* (FMCAD 2021), and *Awaiting for Godot:
//! Stateless Model Checking that Avoids Executions where Nothing Happens* (CAV 2023). They find loops in the code of the
//! program; we look at what it did. Fairness is that of Lahav, Namakonov, Oberhauser, Podkopaev, Vafeiadis, *Making Weak
//! Memory Models Fair* (OOPSLA 2021).
//!
//! [`Settings::resumes`]: super::Settings::resumes

use super::Execution;
use super::thread::Status;
use super::turns::{Look, Place};
use crate::ids::{ObjectId, ThreadId};
use crate::operation::Operation;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::Location;

/// How many more turns a loop must do the same before it is taken to wait.
const TRIALS: u32 = 1000;

/// A loop on trial.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trial {
    /// How many turns are left.
    left: u32,
    /// Which look is next.
    next: usize,
    /// Where the thread came round.
    at: &'static Location<'static>,
}

/// What is known of the loops of a program.
#[derive(Default, Debug)]
pub(crate) struct Habits {
    /// Turns that were tried.
    trusted: HashSet<u64>,
    /// Where loops come round that have done something else when they were tried.
    distrusted: Vec<&'static Location<'static>>,
    /// There are new ones of them.
    pub(crate) strayed: bool,
}

impl Habits {
    pub(super) fn is_distrusted(&self, place: Place) -> bool {
        self.distrusted.contains(&place.at)
    }

    /// True if there are any such loops.
    pub(crate) fn distrusts(&self) -> bool {
        !self.distrusted.is_empty()
    }

    fn distrust(&mut self, at: &'static Location<'static>) {
        if !self.distrusted.contains(&at) {
            self.distrusted.push(at);
            self.strayed = true;
        }
    }
}

/// A name of a kind of turn: where it looks, and what it finds.
fn signature(turn: &[Look], at: &'static Location<'static>) -> u64 {
    let mut hasher = DefaultHasher::new();
    at.hash(&mut hasher);
    for look in turn {
        (look.place.at, look.place.what, look.saw, look.outcome).hash(&mut hasher);
    }
    hasher.finish()
}

impl Execution {
    /// The current thread calls `yield_now` there. False if it does nothing else, and the loop never ends.
    pub(crate) fn pauses(&mut self, at: &'static Location<'static>) -> bool {
        let thread = &self.threads[self.current.index()];
        let place = Place { at, what: None };
        if thread.trial.is_some() {
            return true;
        }
        if self.repeats(place) {
            self.come_round(at);
            return true;
        }
        !self.pauses_for_nothing(place)
    }

    /// The current thread is about to announce an operation. If its loop is on trial, the operation is not announced, and this is its outcome.
    pub(crate) fn answers(&mut self, operation: &Operation) -> Option<u32> {
        let id = self.current;
        if self.threads[id.index()].trial.is_none() {
            let place = Place::of(operation);
            let comes = if self.threads[id.index()].turns.turn.is_some() {
                // It repeats since a call of `yield_now`, unless something has happened since.
                self.note_last(id);
                false
            } else {
                self.repeats(place)
            };
            if comes {
                self.come_round(operation.at);
            }
        }
        self.try_on(operation)
    }

    /// The current thread has repeated a turn. It waits from its next operation on, or is tried first.
    fn come_round(&mut self, at: &'static Location<'static>) {
        self.spinning = true;
        let thread = &self.threads[self.current.index()];
        let turn = thread.turns.repeated();
        if turn.iter().any(|look| look.saw.is_none()) || self.habits.trusted.contains(&signature(turn, at)) {
            return;
        }
        // Its loads find what is there now.
        if !self.settings.weak && turn.iter().any(|look| self.has_changed(self.current, look)) {
            return;
        }
        let start = thread.turns.turn.unwrap_or_default();
        self.threads[self.current.index()].trial = Some(Trial {
            left: TRIALS,
            next: start,
            at,
        });
    }

    /// Performs an operation of the current thread at once, if its loop is on trial.
    fn try_on(&mut self, operation: &Operation) -> Option<u32> {
        let thread = &mut self.threads[self.current.index()];
        let Trial { left, next, at } = thread.trial?;
        let (start, end) = (thread.turns.turn?, thread.turns.looks.len());
        if thread.turns.disturbed || thread.turns.looks[next].place != Place::of(operation) {
            self.strays();
            return None;
        }
        if left == 0 {
            thread.trial = None;
            self.habits.trusted.insert(signature(thread.turns.repeated(), at));
            return None;
        }
        let look = thread.turns.looks[next];
        thread.saw = look.saw;
        thread.found = look.saw.unwrap_or_default();
        thread.outcome = look.outcome;
        thread.trial = Some(match next + 1 == end {
            true => Trial {
                left: left - 1,
                next: start,
                at,
            },
            false => Trial {
                left,
                next: next + 1,
                at,
            },
        });
        Some(look.outcome)
    }

    /// True if the operation that the current thread has just performed was part of a trial.
    pub(crate) fn is_on_trial(&self) -> bool {
        self.threads[self.current.index()].trial.is_some()
    }

    /// The current thread was on trial and does something else: it does not wait.
    pub(super) fn strays(&mut self) {
        let thread = &mut self.threads[self.current.index()];
        if let Some(Trial { at, .. }) = thread.trial.take() {
            self.habits.distrust(at);
        }
        for look in thread.turns.repeated() {
            self.habits.distrust(look.place.at);
        }
        thread.turns.disturbed = true;
        self.note_last(self.current);
    }

    /// The status of the current thread, which announces an operation: whether it waits.
    pub(super) fn on_announcement(&self) -> Status {
        match self.threads[self.current.index()].turns.turn {
            Some(_) => Status::Waits,
            None => Status::Pending,
        }
    }

    /// True if another thread has done something since to what a thread has looked at.
    fn has_changed(&self, id: ThreadId, look: &Look) -> bool {
        let Some((_, object)) = look.place.what.filter(|(_, object)| *object != ObjectId::NONE) else {
            return false;
        };
        let history = self.objects[object.index()].history.iter().rev();
        let mut later = history.take_while(|entry| entry.event > look.event);
        later.any(|entry| entry.thread != id && !self.events[entry.event.index()].idle)
    }

    /// What a thread that waits has seen of atomics with weak memory: locations and values. None if it would see something else.
    fn wants(&self, id: ThreadId, wanted: &mut Vec<(u32, u64)>) -> Option<()> {
        let graph = &self.detectors.graph;
        for look in self.threads[id.index()].turns.repeated() {
            match graph.access(look.event) {
                Some(node) if graph.active => wanted.push(graph.seen_by(node)?),
                _ if self.has_changed(id, look) => return None,
                _ => {}
            }
        }
        Some(())
    }

    /// True if a thread that waits holds a lock, and would release it for a while in another turn, and another thread waits for that.
    fn gives_way(&self, id: ThreadId) -> bool {
        let thread = &self.threads[id.index()];
        let releases = |object: ObjectId| {
            thread.turns.repeated().iter().any(|look| {
                let takes = |(kind, of): (crate::operation::Kind, ObjectId)| of == object && kind.acquires();
                look.place.what.is_some_and(takes)
            })
        };
        thread.held.iter().filter(|held| releases(held.object)).any(|held| {
            let mut others = self.threads.iter();
            others.any(|other| other.status == Status::Pending && other.pending.object == held.object)
        })
    }

    /// True if these threads, which wait, would find the same in another turn, again and again, and let nobody else go on.
    fn stay(&self, threads: impl Iterator<Item = ThreadId>) -> bool {
        let mut wanted = Vec::new();
        for id in threads {
            if self.gives_way(id) || self.wants(id, &mut wanted).is_none() {
                return false;
            }
        }
        wanted.sort_unstable();
        wanted.dedup();
        self.detectors.graph.can_end_with(&wanted)
    }

    /// True if a thread that waits in a loop goes on in this execution.
    pub(super) fn goes_on(&self, id: ThreadId) -> bool {
        let thread = &self.threads[id.index()];
        let changed = |since: usize| self.events[since..].iter().any(|e| e.thread != id && !e.idle);
        let tries = self.settings.draws || self.runs_on;
        let may = tries || self.settings.resumes && thread.resumed.is_none_or(changed);
        may && thread.pending.kind.possible(self, thread) && !self.stay(std::iter::once(id))
    }

    /// True if threads wait in loops, but not for ever.
    pub(crate) fn waits_in_vain(&self) -> bool {
        let waiting = || {
            ThreadId::all()
                .zip(&self.threads)
                .filter(|(_, t)| t.status == Status::Waits)
        };
        waiting().next().is_some() && !self.stay(waiting().map(|(id, _)| id))
    }

    /// What a thread waits for that repeats a turn of a loop.
    pub(super) fn describe_loop(&self, id: ThreadId) -> String {
        let mut names: Vec<String> = Vec::new();
        for look in self.threads[id.index()].turns.repeated() {
            let object = look.place.what.map_or(ObjectId::NONE, |(_, object)| object);
            let (name, made) = self.name_and_place(object);
            let name = format!("{name}{made}");
            if object != ObjectId::NONE && !names.contains(&name) {
                names.push(name);
            }
        }
        let changes = if names.len() == 1 { "changes" } else { "change" };
        match names.split_last() {
            None => "in a loop".to_owned(),
            Some((only, [])) => format!("in a loop until {only} {changes}"),
            Some((last, others)) => format!("in a loop until {} or {last} {changes}", others.join(", ")),
        }
    }
}
