//! Symmetry: of executions that differ only in which of several threads that are alike does what, one is explored.
//!
//! Kokologiannakis, Marmanis, Vafeiadis, *SPORE: Combining Symmetry and Partial Order Reduction*, PLDI 2024. Departure: SPORE
//! compares the prefixes of two threads whenever one of them is extended; here their first events are ordered, once and for all.
//! That is less where the first operations of the threads do not depend on each other, and as much where they do.
//!
//! # Which threads are alike
//!
//! Threads `t1 … tn` that one thread starts in a row, at one place, with the same code, captured data that are the same bytes, the same name and
//! the same size of stack, and without a call of any primitive in between. So they know the same, and are in the same state.
//!
//! # What is explored
//!
//! In the program `P'`, the first operation of `t(k+1)` is possible only after the first event of `tk`. It is enabled by that event as a
//! thread is by the event that starts it: the edge goes into the clocks of `happens_before.rs`, and so no race of the two is
//! reported. The clocks of the detectors, which judge data races and what reads may see, do not have it.
//!
//! # Why nothing is missed
//!
//! *Renaming.* Let `E` be an execution of the program `P` and `π` a permutation of `t1 … tn`, which takes the threads that they start along. If nothing in
//! `P` tells these threads apart, then `π(E)` is an execution of `P`: by induction over its events. In `π(E)`, the thread `π(t)` has the code,
//! the data and the past that `t` has in `E`, and so it announces what `t` announces; other threads have read the same values. The
//! violations of `π(E)` are those of `E` with other names.
//!
//! *Choice.* Let `π` sort the threads by their first events in `E`, those without events last. Then `π(E)` is an execution of `P'`:
//! if `t(k+1)` has an event in it, then `tk` has an earlier one. It ends as in `P`. For suppose that the first operation of `t(k+1)` is
//! possible at its end, but not in `P'`, because `tk` has no event. Both threads are where they began, and have announced the same operation, so
//! that of `tk` is possible as well, and it is not the end.
//!
//! *Search.* `P'` is a program with one more kind of enabling, and the search explores all its traces. (Two events that an edge orders are never
//! possible in one state, so sleep sets and wakeup trees never compare them.) A trace of `P` has at most one trace of `P'` in it, because the
//! linear orders of a partial order, with more edges or fewer, are connected by swaps of neighbours. So nothing is explored twice.
//!
//! # What tells threads apart
//!
//! Whatever does is noticed when it happens, and the search begins again without symmetry: an id of such a thread is asked for, or whether it
//! has ended; its handle is used for anything but to join it; it is joined for a value or for its panic; it is unparked before it has begun; or some
//! of the threads are joined and others are not, or not in one go, without a call of any primitive in between, by one thread. (Joins in one go are
//! as good as one that waits for all of them: nothing is between two of them.) An execution `π(E)` that is left out does none of this, or else `E` would
//! have done it, too.
//!
//! [`Strategy::Selective`](crate::Strategy::Selective) does not use symmetry: its persistent sets know nothing of the edges.

use super::Execution;
use super::thread::Status;
use crate::ids::ThreadId;
use std::panic::Location;
use std::rc::Rc;

/// What threads that are alike have in common.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Origin {
    pub(crate) parent: ThreadId,
    pub(crate) at: &'static Location<'static>,
    /// The address of the code.
    pub(crate) code: usize,
    /// The bytes of what the closure has captured.
    pub(crate) captured: Vec<u8>,
    pub(crate) name: Option<Rc<str>>,
    pub(crate) stack: usize,
    /// How many events the parent had.
    pub(crate) events: usize,
    /// How many calls of primitives there were, [`crate::runtime::calls`].
    pub(crate) calls: u64,
}

/// Threads that are alike.
struct Class {
    threads: Vec<ThreadId>,
    /// Who joins them.
    joiner: Option<ThreadId>,
}

/// What is known of threads that are alike.
#[derive(Default)]
pub(crate) struct Symmetry {
    /// The thread that was started last.
    last: Option<(ThreadId, Origin)>,
    classes: Vec<Class>,
    /// For threads that have joined others, how many calls of primitives there were at the end of the last join.
    joins: Vec<(ThreadId, u64)>,
    /// Whether a thread was like the one before it, in the first execution that started it.
    decided: Vec<Option<bool>>,
    /// Threads are alike in some execution.
    pub(crate) used: bool,
    /// What has told such threads apart.
    pub(crate) told: Option<String>,
}

impl Symmetry {
    /// Forgets an execution.
    pub(crate) fn clear(&mut self) {
        self.last = None;
        self.classes.clear();
        self.joins.clear();
    }

    fn tell(&mut self, how: impl FnOnce() -> String) {
        if self.told.is_none() {
            self.told = Some(how());
        }
    }

    /// Whether a thread is like the one before it. Padding has any bytes, which may change from execution to execution; what was decided holds.
    fn decide(&mut self, id: ThreadId, alike: bool) -> bool {
        if self.decided.len() <= id.index() {
            self.decided.resize(id.index() + 1, None);
        }
        let decided = *self.decided[id.index()].get_or_insert(alike);
        if decided != alike {
            self.tell(|| format!("{id} was started in different ways"));
        }
        decided
    }
}

impl Execution {
    /// A thread was started like this. It may be like the one that was started before.
    pub(crate) fn started(&mut self, id: ThreadId, origin: Origin) {
        let leader = match self.symmetry.last.replace((id, origin.clone())) {
            Some((last, before)) => Some(last).filter(|_| before == origin),
            None => None,
        };
        let alike = self.symmetry.decide(id, leader.is_some());
        let Some(leader) = leader.filter(|_| alike) else { return };
        let class = *self.threads[leader.index()].class.get_or_insert_with(|| {
            self.symmetry.classes.push(Class {
                threads: vec![leader],
                joiner: None,
            });
            self.symmetry.classes.len() - 1
        });
        self.symmetry.classes[class].threads.push(id);
        self.symmetry.used = true;
        self.threads[leader.index()].follower = Some(id);
        self.threads[id.index()].leader = Some(leader);
        self.threads[id.index()].class = Some(class);
    }

    /// True if a thread may have its first event, or has had it: the thread before it that is alike has begun.
    #[inline]
    pub(crate) fn may_begin(&self, id: ThreadId) -> bool {
        let thread = &self.threads[id.index()];
        match thread.leader {
            Some(leader) => !thread.events.is_empty() || !self.threads[leader.index()].events.is_empty(),
            None => true,
        }
    }

    /// Something that is done with a thread tells it apart from others that are alike, if there are any.
    pub(crate) fn tells_apart(&mut self, id: ThreadId, how: &str, at: &Location<'_>) {
        if self.threads[id.index()].class.is_some() {
            let name = self.label(id);
            self.symmetry.tell(|| format!("{how} of {name} at {at}"));
        }
    }

    /// A thread is unparked.
    pub(crate) fn unparks(&mut self, id: ThreadId, at: &Location<'_>) {
        if self.threads[id.index()].events.is_empty() {
            self.tells_apart(id, "`unpark`", at);
        }
    }

    /// The current thread is about to join a thread, after so many calls of primitives.
    pub(crate) fn begins_to_join(&mut self, id: ThreadId, calls: u64, at: &Location<'_>) {
        let me = self.current;
        if let Some(class) = self.threads[id.index()].class
            && *self.symmetry.classes[class].joiner.get_or_insert(me) != me
        {
            self.tells_apart(id, "`join` by another thread", at);
        }
        let before = self.symmetry.joins.iter().find(|(joiner, _)| *joiner == me);
        if before.is_some_and(|(_, before)| *before != calls) {
            self.interrupts(me, at);
        }
    }

    /// A thread that has joined some threads that are alike, and not all, does something else.
    fn interrupts(&mut self, joiner: ThreadId, at: &Location<'_>) {
        let half = |class: &Class| {
            let joined = |t: &ThreadId| self.threads[t.index()].joined;
            class.joiner == Some(joiner) && !class.threads.iter().all(joined)
        };
        let found = self.symmetry.classes.iter().find(|class| half(class));
        if let Some(name) = found.map(|class| self.label(class.threads[0])) {
            let how = || format!("a thread like {name} was joined apart from others that are alike, before {at}");
            self.symmetry.tell(how);
        }
    }

    /// The current thread has joined a thread.
    pub(crate) fn has_joined(&mut self, id: ThreadId, calls: u64, at: &Location<'_>) {
        let me = self.current;
        match self.symmetry.joins.iter_mut().find(|(joiner, _)| *joiner == me) {
            Some((_, last)) => *last = calls,
            None => self.symmetry.joins.push((me, calls)),
        }
        if self.threads[id.index()].panicked {
            self.tells_apart(id, "a panic", at);
        }
    }

    /// The execution has ended. A thread that has joined some threads that are alike must wait for another one, or have joined all.
    pub(crate) fn ends_with_classes(&mut self) {
        for class in 0..self.symmetry.classes.len() {
            let Some(joiner) = self.symmetry.classes[class].joiner else {
                continue;
            };
            let thread = &self.threads[joiner.index()];
            let pending = thread.status == Status::Pending;
            let awaited = thread.pending.effect().awaits().filter(|_| pending);
            let joins = |t: ThreadId| self.symmetry.classes[class].threads.contains(&t);
            if !awaited.is_some_and(joins) {
                self.interrupts(joiner, Location::caller());
            }
        }
    }
}
