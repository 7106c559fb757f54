//! One execution: its threads, its objects, the events so far, and how they are ordered.
//!
//! This is the scheduler's side. A thread announces an operation. [`Execution::enabled`] says
//! whether it is possible, and [`Execution::perform`] performs it. [`Execution::finish_event`] is
//! called when the thread has reached its next visible operation and everything about the
//! transition is known. Invisible operations in between (releases of locks, spawning) are reported as they
//! happen and belong to the transition: these are Stoller's composed transitions.
//!
//! Allocations are kept from one execution to the next.

pub(crate) mod describe;
mod happens_before;
mod locks;
pub(crate) mod object;
mod perform;
mod rivals;
pub(crate) mod spinning;
pub(crate) mod symmetry;
pub(crate) mod thread;
pub(crate) mod turns;
pub(crate) mod values;

use crate::detect::Detectors;
use crate::faults::Faults;
use crate::ids::{EventId, Family, ObjectId, ThreadId};
use crate::object_type::Ways;
use crate::operation::{Footprint, Operation};
use crate::registry::{Registered, State};
use crate::user::Operations;
pub(crate) use happens_before::join;
use object::{Entry, Object};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::panic::Location;
use std::rc::Rc;
use thread::{Status, Thread};

/// How executions are observed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    /// Whether the order of events and their races are computed.
    pub(crate) order: bool,
    /// Whether releases of locks, ends of threads and dropped senders are transitions of their own.
    pub(crate) visible_releases: bool,
    /// Whether critical sections that only read commute.
    pub(crate) composition: bool,
    /// Whether MLD is assumed, to bound what threads that declare what they use may access.
    pub(crate) bounds: bool,
    /// Whether this holds for sections of a mutex of `()` as well, if they have read cells that the mutex protects.
    pub(crate) cells_compose: bool,
    /// Whether accesses to tracked cells are transitions of their own.
    pub(crate) visible_cells: bool,
    /// Whether atomics may have all values that their orderings allow, rather than those of some interleaving.
    pub(crate) weak: bool,
    /// How many times a `compare_exchange_weak` of a thread may fail for no reason.
    pub(crate) spurious_failures: u32,
    /// How many times a thread may wake without being notified.
    pub(crate) spurious_wakeups: u32,
    pub(crate) faults: Faults,
    /// The classes of places whose objects are polled, see `future/alone.rs`.
    pub(crate) polled: u64,
    /// Whether a timer may fire before everything else has happened.
    pub(crate) early_timers: bool,
    /// Whether threads that are alike begin in the order of their numbers.
    pub(crate) symmetry: bool,
    /// Whether a thread that waits in a loop goes on when something has changed. Otherwise it does so in another execution.
    pub(crate) resumes: bool,
    /// Whether it does so as often as it must, because executions are drawn at random. Otherwise it looks once more, which suffices in one
    /// of the executions that are tried.
    pub(crate) draws: bool,
    /// The program looks at the clock, so that time which passes matters to it.
    pub(crate) clocked: bool,
    /// Whether a semaphore may run out of permits; see `sync/semaphore.rs`.
    pub(crate) scarce: bool,
}

/// A transition that has happened.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Event {
    pub(crate) thread: ThreadId,
    /// The number of the event among those of its thread.
    pub(crate) index: u32,
    /// What was announced.
    pub(crate) asked: Operation,
    /// What it turned out to be.
    pub(crate) footprint: Footprint,
    pub(crate) choice: u32,
    pub(crate) choices: u32,
    /// It could be left out, and no other thread would notice.
    pub(crate) idle: bool,
    /// How many objects there were before it.
    pub(crate) objects: u32,
    /// Where its clock is in `Execution::clocks`.
    clock: (u32, u32),
    /// The same for the clock of what happened before it in any case: by program order, spawning or notifying.
    before: (u32, u32),
}

/// Two operations that could happen in the other order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Race {
    pub(crate) first: EventId,
    /// The thread of the second one.
    pub(crate) thread: ThreadId,
    /// The second one; none if it was only announced and is blocked.
    pub(crate) second: EventId,
    /// Which rivals of the second one are left out as well: bit `i` stands for the `i`-th, see [`Execution::rivals`].
    pub(crate) without: u32,
    pub(crate) how: Other,
}

/// The ways in which a thread could go on after so many events.
struct Asked {
    state: (ThreadId, usize),
    ways: Rc<[u32]>,
}

/// What could be otherwise than it happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Other {
    /// The order of two operations.
    Order,
    /// The first one, which reads, could see what the second one writes, which has this label.
    Sees(u32),
    /// The second one could be performed in this way, which the first one has made impossible by what it has seen.
    Replaces(u32),
}

pub(crate) struct Execution {
    pub(crate) settings: Settings,
    pub(crate) threads: Vec<Thread>,
    pub(crate) objects: Vec<Object>,
    /// Objects in use; the others are kept for their allocations.
    live: u32,
    pub(crate) events: Vec<Event>,
    clocks: Vec<u32>,
    /// Races whose second event is at least `first_new`.
    pub(crate) races: Vec<Race>,
    pub(crate) first_new: usize,
    /// Spawned and not yet run, in order.
    pub(crate) newborn: Vec<ThreadId>,
    /// The thread that runs now.
    pub(crate) current: ThreadId,
    /// True between `perform` and `finish_event`.
    in_event: bool,
    /// Threads that the running transition has notified.
    woken: Vec<ThreadId>,
    /// Objects with which the running transition leaves its clock behind.
    leaving: Vec<ObjectId>,
    /// Clocks that were left behind.
    left_behind: HashMap<ObjectId, Vec<u32>>,
    pub(crate) users: Operations,
    pub(crate) family: Family,
    /// How many threads the execution has started, the first one included.
    born: u32,
    /// It does not start them in the order of their numbers.
    pub(crate) out_of_order: bool,
    ordinals: [u32; State::TYPES],
    /// The addresses of numbered primitives, for statics that two searches share.
    addresses: Vec<(usize, ObjectId)>,
    /// The program can observe when a lock is released.
    pub(crate) notices_releases: bool,
    pub(crate) detectors: Detectors,
    /// With weak memory, the ways in which the last read could have been performed.
    pub(crate) readable: Rc<[u32]>,
    /// With weak memory, the ways that were asked for last: of which thread, and after how many events.
    last_ways: RefCell<Option<Asked>>,
    /// An object type has remarks at the end, see [`crate::object_type::ObjectType::remarks`].
    pub(crate) has_remarks: bool,
    /// An assumption failed.
    pub(crate) discarded: bool,
    /// Something was executed that the search could not interleave.
    pub(crate) uninterleaved: bool,
    /// Operations of a user's object had too many rivals for all combinations to be tried.
    pub(crate) crowded: Cell<bool>,
    /// A semaphore may run out of permits.
    pub(crate) scarce: Cell<bool>,
    /// The search relies on what MLD allows.
    pub(crate) bounded: Cell<bool>,
    /// In some execution, a thread was found to wait in a loop.
    pub(crate) spinning: bool,
    /// What is known of the loops of the program.
    pub(crate) habits: spinning::Habits,
    /// The execution is superfluous and only run to its end.
    pub(crate) runs_on: bool,
    /// The program has looked at the clock.
    pub(crate) looks_at_clock: bool,
    /// Objects that existed before the execution began.
    pub(crate) survivors: Vec<ObjectId>,
    /// A survivor was changed, but not by an operation in its history.
    pub(crate) changed_survivor: bool,
    pub(crate) weak_orderings: bool,
    /// A lock does not protect a cell, which it seemed to protect.
    pub(crate) evidence_broken: bool,
    /// More classes of places whose objects must be polled.
    pub(crate) polls: u64,
    /// Threads that are alike.
    pub(crate) symmetry: symmetry::Symmetry,
    /// What operations have read and written.
    pub(crate) values: values::Values,
    /// Virtual time.
    pub(crate) clock: crate::future::Clock,
}

impl Execution {
    pub(crate) fn new(settings: Settings) -> Execution {
        Execution {
            settings,
            threads: Vec::new(),
            objects: Vec::new(),
            live: 0,
            events: Vec::new(),
            clocks: Vec::new(),
            races: Vec::new(),
            first_new: 0,
            newborn: Vec::new(),
            current: ThreadId::MAIN,
            in_event: false,
            woken: Vec::new(),
            leaving: Vec::new(),
            left_behind: HashMap::new(),
            users: Operations::default(),
            family: Family::default(),
            born: 0,
            out_of_order: false,
            ordinals: [0; State::TYPES],
            addresses: Vec::new(),
            notices_releases: false,
            detectors: Detectors::default(),
            readable: Rc::new([]),
            last_ways: RefCell::new(None),
            has_remarks: false,
            discarded: false,
            uninterleaved: false,
            crowded: Cell::new(false),
            scarce: Cell::new(false),
            bounded: Cell::new(false),
            spinning: false,
            habits: spinning::Habits::default(),
            runs_on: false,
            looks_at_clock: false,
            survivors: Vec::new(),
            changed_survivor: false,
            weak_orderings: false,
            evidence_broken: false,
            polls: 0,
            symmetry: symmetry::Symmetry::default(),
            values: values::Values::default(),
            clock: crate::future::Clock::default(),
        }
    }

    /// Clears the execution, except for the identities of threads and operations.
    pub(crate) fn reset(&mut self, first_new: usize) {
        for thread in &mut self.threads {
            if thread.status != Status::Absent {
                thread.reset();
            }
        }
        self.live = 0;
        self.born = 0;
        self.out_of_order = false;
        self.events.clear();
        self.clocks.clear();
        self.races.clear();
        self.first_new = first_new;
        self.newborn.clear();
        self.in_event = false;
        self.woken.clear();
        self.leaving.clear();
        self.left_behind.clear();
        self.ordinals = [0; State::TYPES];
        self.addresses.clear();
        self.detectors.reset();
        self.survivors.clear();
        self.changed_survivor = false;
        self.discarded = false;
        self.has_remarks = false;
        self.runs_on = false;
        *self.last_ways.get_mut() = None;
        self.clock.reset();
        self.symmetry.clear();
        self.values.clear();
    }

    /// Adds an object.
    pub(crate) fn object(&mut self, state: impl Registered, made: &'static Location<'static>) -> ObjectId {
        let state = state.into_state();
        let ordinal = &mut self.ordinals[state.number()];
        *ordinal += 1;
        let ordinal = *ordinal;
        let id = ObjectId(self.live);
        if let Some(object) = self.objects.get_mut(id.index()) {
            object.state = state;
            object.history.clear();
            object.ordinal = ordinal;
            object.made = made;
        } else {
            self.objects.push(Object {
                state,
                history: Vec::new(),
                ordinal,
                made,
            });
        }
        self.live += 1;
        id
    }

    /// The state of an object of type `T`.
    #[inline]
    pub(crate) fn look<T: Registered>(&self, object: ObjectId) -> &T {
        T::of(&self.objects[object.index()].state).expect("an object has one type")
    }

    /// The state of an object of type `T`, to change it.
    #[inline]
    pub(crate) fn state<T: Registered>(&mut self, object: ObjectId) -> &mut T {
        T::of_mut(&mut self.objects[object.index()].state).expect("an object has one type")
    }

    /// What has happened to an object of type `T`.
    pub(crate) fn history<T: Registered>(&self, object: ObjectId) -> impl Iterator<Item = (&Entry, T::Operation)> {
        let entries = self.objects[object.index()].history.iter();
        entries.filter_map(|entry| Some((entry, T::operation(entry.effect.kind)?)))
    }

    /// The object of type `T` that was numbered at an address, if any was.
    pub(crate) fn at_address<T: Registered>(&self, address: usize) -> Option<ObjectId> {
        let of_type = |id: &ObjectId| T::of(&self.objects[id.index()].state).is_some();
        let found = self.addresses.iter().rev().find(|(a, _)| *a == address);
        found.map(|(_, id)| *id).filter(of_type)
    }

    pub(crate) fn remember_address(&mut self, address: usize, object: ObjectId) {
        self.addresses.push((address, object));
    }

    /// Adds a thread that `parent` spawns, or the first one.
    pub(crate) fn spawn(&mut self, parent: Option<ThreadId>, at: &'static Location<'static>) -> ThreadId {
        let id = match parent {
            None => ThreadId::MAIN,
            Some(parent) => {
                let k = self.threads[parent.index()].children;
                self.threads[parent.index()].children += 1;
                self.family.child(parent, k)
            }
        };
        self.out_of_order |= id.0 != self.born;
        self.born += 1;
        while self.threads.len() <= id.index() {
            self.threads.push(Thread::absent());
        }
        let node = parent.map_or(0, |p| self.threads[p.index()].node);
        let thread = &mut self.threads[id.index()];
        debug_assert_eq!(thread.status, Status::Absent);
        thread.status = Status::New;
        thread.spawned_at = at;
        thread.parent = parent;
        thread.spurious_left = self.settings.spurious_wakeups;
        thread.failures_left = self.settings.spurious_failures;
        thread.node = node;
        self.newborn.push(id);
        self.detectors.begins(id);
        if let Some(parent) = parent {
            self.threads[parent.index()].turns.disturbed = true;
            self.detectors.spawned(parent, id);
        }
        id
    }

    /// Runs a thread for the first time. It happens after what its parent has done so far.
    pub(crate) fn begin_thread(&mut self, id: ThreadId) {
        self.current = id;
        self.threads[id.index()].status = Status::Running;
        if let Some(parent) = self.threads[id.index()].parent {
            let clock = std::mem::take(&mut self.threads[parent.index()].clock);
            self.threads[id.index()].clock.clone_from(&clock);
            self.threads[parent.index()].clock = clock;
        }
    }

    /// The current thread announces its next visible operation.
    pub(crate) fn announce(&mut self, operation: Operation) {
        let status = self.on_announcement();
        let thread = &mut self.threads[self.current.index()];
        thread.pending = operation;
        thread.status = status;
        thread.lives = std::mem::take(&mut thread.goes_on);
    }

    /// Leaks the thread-local values of threads that were forgotten before they ended.
    pub(crate) fn forget_locals(&mut self) {
        for thread in &mut self.threads {
            if thread.status != Status::Finished {
                thread.forget_locals();
            }
        }
    }

    /// The current thread has ended.
    pub(crate) fn finish_thread(&mut self) {
        let id = self.current;
        if self.is_on_trial() {
            self.strays();
        }
        self.note_last(id);
        let thread = &mut self.threads[id.index()];
        thread.status = Status::Finished;
        self.detectors.finished(id);
    }

    /// True if the thread's announced operation is possible.
    pub(crate) fn enabled(&self, id: ThreadId) -> bool {
        let thread = &self.threads[id.index()];
        match thread.status {
            Status::Pending => self.may_begin(id) && thread.pending.kind.possible(self, thread),
            Status::Waits => self.goes_on(id),
            _ => false,
        }
    }

    /// The ways to perform the thread's announced operation.
    pub(crate) fn ways(&self, id: ThreadId) -> Ways {
        let thread = &self.threads[id.index()];
        if !thread.pending.kind.is_open() {
            return thread.pending.kind.ways(self, thread);
        }
        // They are asked for several times in a state.
        let state = (id, self.events.len());
        if let Some(asked) = &*self.last_ways.borrow()
            && asked.state == state
        {
            return Ways::Named(Rc::clone(&asked.ways));
        }
        let ways = thread.pending.kind.ways(self, thread);
        if let Ways::Named(names) = &ways {
            let ways = Rc::clone(names);
            *self.last_ways.borrow_mut() = Some(Asked { state, ways });
        }
        ways
    }

    /// The threads whose operations are possible, in the order of their ids.
    pub(crate) fn enabled_threads(&self, into: &mut Vec<ThreadId>) {
        into.clear();
        into.extend(ThreadId::all().take(self.threads.len()).filter(|id| self.enabled(*id)));
    }

    /// The footprint of the thread's announced operation, as far as it is known beforehand.
    pub(crate) fn pending_footprint(&self, id: ThreadId) -> Footprint {
        self.threads[id.index()].pending.footprint()
    }

    /// True if the thread waits with a timeout, and so not for ever.
    pub(crate) fn waits_with_timeout(&self, id: ThreadId) -> bool {
        let thread = &self.threads[id.index()];
        thread.waiting && thread.timed()
    }
}
