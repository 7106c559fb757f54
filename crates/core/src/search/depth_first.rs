//! Depth-first selective search: persistent sets, sleep sets, proviso.
//!
//! The algorithm of Fig. 6.2 of the thesis, of which Figs 2.1, 4.1 and 5.2 are
//! the cases with parts switched off. The path from the initial state is a
//! [`Stack`].
//!
//! Of what is to be explored, the last comes first, while persistent sets are
//! tried from the first transition on. Any order is sound; this one was chosen
//! because sleep sets cut off most with it on the dining philosophers, where 6n - 4
//! states are left (`mazurka reproduce philosophers`). It is not known why.
//!
//! A transition that fails leads nowhere, so whatever else is enabled does not
//! commute with it: where one was selected and the observer wants to go on,
//! everything that is awake is explored, and the failing transition does not fall
//! asleep, since no run that starts with it was covered. If others are [suspended](System::is_suspended) in its state, the
//! transition is the end of one that began where nobody was. So everything is explored there, and wherever else
//! the search comes to such a state from.
//!
//! Invariants: a state is on the stack at most once; what is to be explored is
//! never asleep; a state that is reached while on the stack, with transitions
//! awake that slept when it was entered, is visited again when it leaves the
//! stack (`delay`).

use super::observer::Observer;
use super::proviso::Proviso;
use super::stack::{Frame, Stack};
use super::strategy::ProvisoKind;
use super::take::{Step, Taken, Worker};
use crate::bitset::{self, BitSet};
use crate::ids::StateId;
use crate::persistent::{PersistentSets, smallest};
use crate::sleep;
use crate::state_sets::{SetPool, Slot, StateSets};
use crate::store::{Store, Stored};
use crate::system::{Dependency, System};
use mazurka_outcome::{End, Limit, Statistics, Watch};
use std::ops::ControlFlow;

/// A depth-first search. `SLEEP` says whether sleep sets are used.
pub(crate) struct DepthFirst<'a, S: System, D, P: ?Sized, H, const SLEEP: bool> {
    worker: Worker<'a, S, H>,
    dependency: &'a D,
    persistent: &'a mut P,
    proviso: Proviso<S::Transition>,
    /// How many bit sets a frame has.
    sets: usize,
    /// The second set of a frame is what is asleep or, for a proviso that looks at
    /// components (never both), what was executed.
    stack: Stack<S::Transition>,
    /// Per state: whether it is on the path.
    on_stack: Vec<u64>,
    /// Per state: whether others are suspended there and a transition fails before they go on.
    fails: Vec<u64>,
    sleep_sets: StateSets,
    /// Delayed visits: a state of the path, and the sleep set to visit it with.
    delayed: Vec<(StateId, Slot)>,
    delayed_sets: SetPool,
    /// The sleep set of the next state, as transitions.
    asleep_next: Vec<S::Transition>,
    statistics: Statistics,
    room: Room<S::Transition>,
}

/// Room to work in.
#[derive(Debug)]
struct Room<T> {
    probe: Vec<u8>,
    enabled: Vec<T>,
    /// What is enabled in the state that a chain has led to.
    listed: Vec<T>,
    candidate: BitSet,
    best: BitSet,
    asleep: BitSet,
    missing: BitSet,
    /// Per enabled transition, by the proviso: looked at, leads off the path.
    looked: BitSet,
    leaves: BitSet,
}

impl<'a, S, D, P, H, const SLEEP: bool> DepthFirst<'a, S, D, P, H, SLEEP>
where
    S: System,
    D: Dependency<S::Transition>,
    P: PersistentSets<S::Transition> + ?Sized,
    H: Store,
{
    pub(crate) fn new(system: &'a S, dependency: &'a D, persistent: &'a mut P, store: H, proviso: ProvisoKind) -> Self {
        let proviso = Proviso::new(proviso, store.reuses_ids());
        let mut worker = Worker::new(system, store);
        // Definition 6.2 looks at where a transition leads before it is taken, so that must not depend on what was seen since.
        if !proviso.leaves_stack() {
            worker.keep_passed();
        }
        Self {
            worker,
            dependency,
            persistent,
            sets: if SLEEP || proviso.looks_at_components() { 2 } else { 1 },
            proviso,
            stack: Stack::default(),
            on_stack: Vec::new(),
            fails: Vec::new(),
            sleep_sets: StateSets::default(),
            delayed: Vec::new(),
            delayed_sets: SetPool::default(),
            asleep_next: Vec::new(),
            statistics: Statistics::default(),
            room: Room {
                probe: Vec::new(),
                enabled: Vec::new(),
                listed: Vec::new(),
                candidate: BitSet::default(),
                best: BitSet::default(),
                asleep: BitSet::default(),
                missing: BitSet::default(),
                looked: BitSet::default(),
                leaves: BitSet::default(),
            },
        }
    }

    /// Searches from the initial state.
    pub(crate) fn run<O: Observer<S> + ?Sized>(mut self, observer: &mut O, watch: &mut Watch<'_>) -> (Statistics, End) {
        let end = self.explore(observer, watch);
        let time = watch.elapsed();
        (Statistics { time, ..self.so_far() }, end)
    }

    /// The counts, but for the time.
    #[cold]
    fn so_far(&self) -> Statistics {
        Statistics {
            stored: self.worker.store.len() as u64,
            cleared: self.worker.store.cleared(),
            bytes: self.bytes(),
            ..self.statistics
        }
    }

    fn explore<O: Observer<S> + ?Sized>(&mut self, observer: &mut O, watch: &mut Watch<'_>) -> End {
        let mut next = Vec::new();
        self.worker.system.initial(&mut next);
        let Stored::New(id) = self.worker.store.insert(&next) else {
            return End::Limit(self.worker.store.full());
        };
        if self.enter(id, &next, false, observer).is_break() {
            return End::Stopped;
        }
        let makes_chains = self.persistent.makes_chains();
        let mut truncated = false;
        // Whether a transition of the state on top was taken already.
        let mut begun = false;
        while let Some(Frame { id: from, .. }) = self.stack.last() {
            let Some(k) = self.next_position() else {
                if !(self.proviso.looks_at_components() && self.complete_component()) {
                    self.leave();
                    begun = true;
                }
                continue;
            };
            let t = self.stack.enabled[k];
            self.stack.take(t);
            self.statistics.transitions += 1;
            let step = Step {
                from,
                position: k,
                transition: t,
                too_deep: watch.limits().depth.is_some_and(|max| self.stack.depth() >= max),
            };
            if !makes_chains && self.worker.may_look_ahead(begun) {
                self.look_ahead(from, k);
            }
            let taken = match makes_chains {
                true => {
                    let after = (&mut next, &mut self.room.listed);
                    let path = &self.stack.path;
                    self.worker.take_chain(&step, self.persistent, after, observer, path)
                }
                false => {
                    let taken = self.worker.take(&step, None, &mut next, observer, &self.stack.path);
                    taken.map_continue(|taken| (taken, false))
                }
            };
            let (taken, listed) = match taken {
                ControlFlow::Continue(taken) => taken,
                ControlFlow::Break(()) => return End::Stopped,
            };
            if SLEEP && !matches!(taken, Taken::Failed) {
                self.fall_asleep(from, k);
            }
            if !std::mem::replace(&mut begun, true) {
                self.worker.began(matches!(taken, Taken::Offered(Stored::New(_))));
            }
            match taken {
                Taken::Failed => self.failed(k),
                Taken::TooDeep => truncated = true,
                Taken::Offered(Stored::New(id)) => {
                    if self.enter(id, &next, listed, observer).is_break() {
                        return End::Stopped;
                    }
                    begun = false;
                }
                Taken::Offered(Stored::Known(id)) => {
                    self.statistics.matched += 1;
                    let path = self.stack.ids.iter().rev().copied();
                    self.proviso.known_edge(id, path);
                    if bitset::contains_growing(&self.fails, id.index()) {
                        self.failed(k);
                    }
                    if SLEEP && self.sleep_sets.any(id) {
                        self.meet_again(id, &next);
                    }
                }
                Taken::Offered(Stored::Seen) => self.statistics.matched += 1,
                Taken::Offered(Stored::Full) => return End::Limit(self.worker.store.full()),
            }
            if let Some(limit) = watch.exceeded_by(self.statistics.states, || self.so_far()) {
                return End::Limit(limit);
            }
        }
        match truncated {
            true => End::Limit(Limit::Depth),
            false if self.worker.store.is_partial() => End::Limit(Limit::Bitstate),
            false => End::Complete,
        }
    }

    /// Fires the transitions that will be taken from the state on top, from the `k`-th on.
    fn look_ahead(&mut self, from: StateId, k: usize) {
        let (candidate, enabled) = (&mut self.room.candidate, &self.stack.enabled);
        candidate.copy_from(&self.stack.sets[..bitset::words_for(enabled.len())]);
        if bitset::is_empty(candidate) {
            return;
        }
        let rest = std::iter::from_fn(|| bitset::pop_last(candidate));
        let positions = std::iter::once(k).chain(rest);
        self.worker.look_ahead(from, positions.map(|k| (k, enabled[k])));
    }

    /// After a transition was taken from the state on top: it falls asleep there, and its successor's sleep set is made.
    #[inline]
    fn fall_asleep(&mut self, from: StateId, position: usize) {
        let asleep = self.stack.sets.len() - bitset::words_for(self.stack.enabled.len());
        sleep::fall_asleep(
            self.dependency,
            self.worker.store.top(from),
            &self.stack.enabled,
            position,
            &mut self.stack.sets[asleep..],
            &mut self.asleep_next,
        );
    }

    /// The position of the next transition to explore from the state on top, if any.
    #[inline]
    fn next_position(&mut self) -> Option<usize> {
        let k = self.stack.next_position()?;
        self.know_enabled();
        if self.proviso.looks_at_components() {
            let at = self.stack.last()?.words();
            bitset::insert(&mut self.stack.sets[at..], k);
            self.proviso.execute(self.stack.enabled[k]);
        }
        Some(k)
    }

    #[inline]
    fn know_enabled(&mut self) {
        self.stack.know_enabled(self.worker.system, &mut self.worker.store);
    }

    /// The `k`-th transition from the state on top failed, or will fail before others go on: whatever else is enabled there and
    /// awake is explored, and so it is in the state where others were suspended.
    #[cold]
    fn failed(&mut self, k: usize) {
        if !self.persistent.reduces() {
            return;
        }
        let (all, fails) = (&mut self.room.best, &mut self.fails);
        let mut taken = Some(k);
        let sets = self.sets;
        self.stack.descend(sets, |frame, bits| {
            let taken = taken.take();
            if !frame.is_full() {
                frame.fill();
                all.set_all(frame.count());
                if let Some(k) = taken {
                    bitset::remove(all, k);
                }
                let (todo, other) = bits.split_at_mut(frame.words());
                for (w, all) in all.iter().enumerate() {
                    // Sleep sets and the record of components have what was explored before. Without them, some of it
                    // is explored twice.
                    let explored = if sets > 1 { other[w] } else { 0 };
                    todo[w] = all & !explored;
                }
            }
            if frame.is_suspended() {
                bitset::insert_growing(fails, frame.id.index());
            }
            frame.is_suspended()
        });
    }

    /// Enters a state for the first time: lines 9-12 of Fig. 6.2. If it is `listed`, it is known what is enabled there.
    #[inline]
    fn enter<O: Observer<S> + ?Sized>(
        &mut self,
        id: StateId,
        state: &[u8],
        listed: bool,
        observer: &mut O,
    ) -> ControlFlow<()> {
        self.statistics.states += 1;
        let at = match listed {
            true => {
                std::mem::swap(&mut self.stack.enabled, &mut self.room.listed);
                self.push_listed(id, state)
            }
            false => self.push(id, state),
        };
        self.proviso.enter(id, self.worker.system.is_suspended(state));
        observer.state(id, state, &self.stack.enabled, &self.stack.path)?;
        if SLEEP {
            let words = bitset::words_for(self.stack.enabled.len());
            let asleep = &mut self.stack.sets[at + words..];
            sleep::positions(&self.asleep_next, &self.stack.enabled, asleep);
            self.sleep_sets.set(id, asleep);
        }
        if !self.stack.enabled.is_empty() {
            self.select(state, at);
        }
        ControlFlow::Continue(())
    }

    /// Puts a state on the stack with all its bit sets empty; returns where they begin.
    #[inline]
    fn push(&mut self, id: StateId, state: &[u8]) -> usize {
        self.stack.enabled.clear();
        self.worker.system.enabled(state, &mut self.stack.enabled);
        self.push_listed(id, state)
    }

    /// The same, if it is known already what is enabled.
    #[inline]
    fn push_listed(&mut self, id: StateId, state: &[u8]) -> usize {
        self.worker.moved();
        self.worker.store.push(id, state);
        bitset::insert_growing(&mut self.on_stack, id.index());
        let at = self.stack.push_listed(self.worker.system, id, state, self.sets);
        self.statistics.depth = self.statistics.depth.max(self.stack.depth());
        at
    }

    /// Chooses what to explore from the new state on top of the stack.
    #[inline]
    fn select(&mut self, state: &[u8], at: usize) {
        let enabled = &self.stack.enabled;
        let words = bitset::words_for(enabled.len());
        let Room {
            probe,
            candidate,
            best,
            looked,
            leaves,
            ..
        } = &mut self.room;
        let (system, scratch) = (self.worker.system, &mut self.worker.scratch);
        let (store, on_stack) = (&mut self.worker.store, &self.on_stack);
        let (todo, asleep) = self.stack.sets[at..].split_at_mut(words);
        let leaves_stack = self.proviso.leaves_stack();
        if leaves_stack {
            looked.reset(enabled.len());
            leaves.reset(enabled.len());
        }
        // Whether the k-th transition leads off the path; found out once for each.
        let mut leaves_path = |k: usize| {
            if !bitset::contains(looked, k) {
                bitset::insert(looked, k);
                let known = match system.fire(scratch, state, enabled[k], probe) {
                    Ok(()) => store.look_up(probe),
                    // It will be explored, and reported, like any other.
                    Err(_) => None,
                };
                if !known.is_some_and(|s| bitset::contains(on_stack, s.index())) {
                    bitset::insert(leaves, k);
                }
            }
            bitset::contains(leaves, k)
        };
        let accept = |set: &BitSet| {
            let mut awake = bitset::iter(set).filter(|k| !(SLEEP && bitset::contains(asleep, *k)));
            !leaves_stack || awake.any(&mut leaves_path)
        };
        smallest(self.persistent, state, enabled, accept, candidate, best);
        for k in 0..words {
            todo[k] = if SLEEP { best[k] & !asleep[k] } else { best[k] };
        }
    }

    /// A stored state with sleeping transitions was reached: lines 13-17 and
    /// 21-23 of Fig. 6.2.
    fn meet_again(&mut self, id: StateId, state: &[u8]) {
        let Room { enabled, asleep, .. } = &mut self.room;
        enabled.clear();
        self.worker.system.enabled(state, enabled);
        asleep.reset(enabled.len());
        sleep::positions(&self.asleep_next, enabled, asleep);
        if bitset::is_subset(self.sleep_sets.get(id), asleep) {
            return;
        }
        if bitset::contains(&self.on_stack, id.index()) {
            self.delayed.push((id, self.delayed_sets.put(asleep)));
        } else {
            self.visit_again(id, state);
        }
    }

    /// Visits a stored state again with the sleep set `room.asleep`.
    fn visit_again(&mut self, id: StateId, state: &[u8]) {
        let at = self.push(id, state);
        let words = bitset::words_for(self.stack.enabled.len());
        let (todo, asleep) = self.stack.sets[at..].split_at_mut(words);
        let stored = self.sleep_sets.get(id);
        for (k, now) in self.room.asleep.iter().enumerate() {
            todo[k] = stored[k] & !now;
            asleep[k] = stored[k] & now;
        }
        self.sleep_sets.set(id, asleep);
    }

    /// Leaves the state on top of the stack: lines 31-36 of Fig. 6.2.
    #[inline]
    fn leave(&mut self) {
        let frame = self.stack.last().expect("there is a current state");
        let delayed = SLEEP && !self.delayed.is_empty();
        if delayed {
            self.know_enabled();
            self.room.probe.clear();
            self.room.probe.extend_from_slice(self.worker.store.top(frame.id));
        }
        self.worker.moved();
        self.worker.store.pop();
        self.worker.will_be_back(&self.stack.ids);
        let store = &mut self.worker.store;
        self.proviso.leave(frame.id, |id| store.unpin(id));
        self.stack.pop(self.sets);
        bitset::remove(&mut self.on_stack, frame.id.index());
        if delayed {
            self.visit_delayed(frame.id);
        }
    }

    /// Visits the state that was just left, whose bytes are `room.probe`, again
    /// if such a visit was put off.
    fn visit_delayed(&mut self, id: StateId) {
        while let Some(k) = self.delayed.iter().position(|(d, _)| *d == id) {
            let (_, slot) = self.delayed.swap_remove(k);
            self.room.asleep.copy_from(self.delayed_sets.get(slot));
            self.delayed_sets.release(slot);
            if !bitset::is_subset(self.sleep_sets.get(id), &self.room.asleep) {
                let state = std::mem::take(&mut self.room.probe);
                self.visit_again(id, &state);
                self.room.probe = state;
                return;
            }
        }
    }

    /// Definition 6.15: whether the top of the stack has more to explore, as the
    /// root of a terminal component in which something was ignored.
    #[inline]
    fn complete_component(&mut self) -> bool {
        let frame = self.stack.last().expect("there is a current state");
        let executed = &self.stack.sets[self.stack.sets.len() - frame.words()..];
        if !self.proviso.may_miss(frame.id) || bitset::len(executed) == frame.count() {
            return false;
        }
        self.know_enabled();
        let (words, count) = (frame.words(), frame.count());
        let (todo, executed) = self.stack.sets.split_at_mut(words);
        let Room {
            candidate,
            best,
            missing,
            ..
        } = &mut self.room;
        missing.reset(count);
        if !self.proviso.missing(frame.id, &self.stack.enabled, executed, missing) {
            return false;
        }
        let state = self.worker.store.top(frame.id);
        self.persistent.prepare(state, &self.stack.enabled);
        best.set_all(count);
        let mut size = count + 1;
        for start in bitset::iter(missing) {
            if self
                .persistent
                .containing(state, &self.stack.enabled, start, size - 1, candidate)
            {
                let found = bitset::len(candidate);
                if found < size {
                    size = found;
                    std::mem::swap(best, candidate);
                }
            }
        }
        for k in 0..words {
            todo[k] = best[k] & !executed[k];
        }
        debug_assert!(!bitset::is_empty(todo));
        true
    }

    fn bytes(&self) -> usize {
        self.worker.bytes()
            + self.sleep_sets.bytes()
            + self.delayed_sets.bytes()
            + self.proviso.bytes()
            + self.on_stack.capacity() * 8
            + self.fails.capacity() * 8
            + self.stack.bytes()
    }
}
