//! Depth-first selective search: persistent sets, sleep sets, proviso.
//!
//! The algorithm of Fig. 6.2 of the thesis, of which Figs 2.1, 4.1 and 5.2 are
//! the cases with parts switched off. The path from the initial state is a stack
//! of frames; what a frame needs (what is still to be explored, what is asleep) is
//! bits in an arena that grows and shrinks with the stack, so a warm search
//! allocates nothing. Only for the state on top is the list of enabled transitions
//! kept; it is computed again when the search returns to a state with more to
//! explore, which is once per stored state at most and saves most of the stack.
//!
//! Of what is to be explored, the last comes first, while persistent sets are
//! tried from the first transition on. Any order is sound; this one was chosen
//! because sleep sets cut off most with it on the dining philosophers, where 6n - 4
//! states are left (`mazurka reproduce philosophers`). It is not known why.
//!
//! Invariants: a state is on the stack at most once; what is to be explored is
//! never asleep; a state that is reached while on the stack, with transitions
//! awake that slept when it was entered, is visited again when it leaves the
//! stack (`delay`).

use super::limits::{End, Limit, Watch};
use super::observer::{Observer, Path};
use super::proviso::Proviso;
use super::statistics::Statistics;
use crate::bitset::{self, BitSet};
use crate::ids::StateId;
use crate::persistent::{PersistentSets, smallest};
use crate::sleep::{self, SetPool, SleepSets, Slot};
use crate::store::{Store, Stored};
use crate::system::{Dependency, System};
use std::ops::ControlFlow;

/// A state on the path.
#[derive(Clone, Copy, Debug)]
struct Frame {
    id: StateId,
    /// How many transitions are enabled there.
    count: u32,
}

/// A depth-first search. `SLEEP` says whether sleep sets are used.
pub(crate) struct DepthFirst<'a, S: System, D, P: ?Sized, H, V, const SLEEP: bool> {
    system: &'a S,
    dependency: &'a D,
    persistent: &'a mut P,
    store: H,
    proviso: V,
    frames: Vec<Frame>,
    /// Per frame: its bit sets over enabled transitions. The first is what is
    /// still to be explored. The second is what is asleep or, for a proviso that
    /// looks at components (never both), what was executed.
    sets: Vec<u64>,
    /// What is enabled in the state on top, if it was asked for since.
    enabled: Vec<S::Transition>,
    enabled_known: bool,
    path: Taken<S::Transition>,
    /// Per state: whether it is on the path.
    on_stack: Vec<u64>,
    sleep_sets: SleepSets,
    /// Delayed visits: a state of the path, and the sleep set to visit it with.
    delayed: Vec<(StateId, Slot)>,
    delayed_sets: SetPool,
    /// The sleep set of the next state, as transitions.
    asleep_next: Vec<S::Transition>,
    statistics: Statistics,
    scratch: Scratch<S::Transition>,
}

/// The transitions from each frame to the next, and perhaps one more.
#[derive(Debug)]
struct Taken<T>(Vec<T>);

impl<T: Clone> Path<T> for Taken<T> {
    fn transitions(&self) -> Vec<T> {
        self.0.clone()
    }
}

#[derive(Debug)]
struct Scratch<T> {
    probe: Vec<u8>,
    enabled: Vec<T>,
    candidate: BitSet,
    best: BitSet,
    asleep: BitSet,
    missing: BitSet,
    /// Per enabled transition, by the proviso: looked at, leads off the path.
    looked: BitSet,
    leaves: BitSet,
}

impl Frame {
    #[inline]
    fn words(self) -> usize {
        bitset::words_for(self.count as usize)
    }
}

impl<'a, S, D, P, H, V, const SLEEP: bool> DepthFirst<'a, S, D, P, H, V, SLEEP>
where
    S: System,
    D: Dependency<S::Transition>,
    P: PersistentSets<S::Transition> + ?Sized,
    H: Store,
    V: Proviso<S::Transition>,
{
    /// How many bit sets a frame has.
    const SETS: usize = if SLEEP || V::COMPONENTS { 2 } else { 1 };

    pub(crate) fn new(system: &'a S, dependency: &'a D, persistent: &'a mut P, store: H, proviso: V) -> Self {
        Self {
            system,
            dependency,
            persistent,
            store,
            proviso,
            frames: Vec::new(),
            sets: Vec::new(),
            enabled: Vec::new(),
            enabled_known: false,
            path: Taken(Vec::new()),
            on_stack: Vec::new(),
            sleep_sets: SleepSets::default(),
            delayed: Vec::new(),
            delayed_sets: SetPool::default(),
            asleep_next: Vec::new(),
            statistics: Statistics::default(),
            scratch: Scratch {
                probe: Vec::new(),
                enabled: Vec::new(),
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
    pub(crate) fn run<O: Observer<S::Transition>>(
        mut self,
        observer: &mut O,
        watch: &mut Watch<'_>,
    ) -> (Statistics, End) {
        let end = self.explore(observer, watch);
        self.statistics.stored = self.store.len() as u64;
        self.statistics.cleared = self.store.cleared();
        self.statistics.bytes = self.bytes();
        self.statistics.time = watch.elapsed();
        (self.statistics, end)
    }

    fn explore<O: Observer<S::Transition>>(&mut self, observer: &mut O, watch: &mut Watch<'_>) -> End {
        let mut next = Vec::new();
        self.system.initial(&mut next);
        let Stored::New(id) = self.store.insert(&next) else {
            return End::Limit(Limit::Cache);
        };
        if self.enter(id, observer).is_break() {
            return End::Stopped;
        }
        let mut truncated = false;
        while let Some(&Frame { id: from, .. }) = self.frames.last() {
            let Some(k) = self.next_position() else {
                if !(V::COMPONENTS && self.complete_component()) {
                    self.leave();
                }
                continue;
            };
            let t = self.enabled[k];
            self.path.0.truncate(self.frames.len() - 1);
            self.path.0.push(t);
            self.statistics.transitions += 1;
            if let Err(fault) = self.system.fire(self.store.get(from), t, &mut next) {
                observer.fault(fault, &self.path);
                return End::Stopped;
            }
            if SLEEP {
                let asleep = self.sets.len() - bitset::words_for(self.enabled.len());
                sleep::fall_asleep(
                    self.dependency,
                    self.store.get(from),
                    &self.enabled,
                    k,
                    &mut self.sets[asleep..],
                    &mut self.asleep_next,
                );
            }
            let seen = observer.transition(self.store.get(from), t, &next, &self.path);
            if seen.is_break() {
                return End::Stopped;
            }
            let deep = watch.limits().depth.is_some_and(|max| self.frames.len() > max);
            if deep && self.store.find(&next).is_none() {
                truncated = true;
                continue;
            }
            match self.store.insert(&next) {
                Stored::New(id) => {
                    if self.enter(id, observer).is_break() {
                        return End::Stopped;
                    }
                }
                Stored::Known(id) => {
                    self.statistics.matched += 1;
                    self.proviso.known_edge(from, id);
                    if SLEEP && self.sleep_sets.any(id) {
                        self.meet_again(id);
                    }
                }
                Stored::Full => return End::Limit(Limit::Cache),
            }
            if let Some(limit) = watch.exceeded(self.statistics.states, || self.bytes()) {
                return End::Limit(limit);
            }
        }
        if truncated {
            return End::Limit(Limit::Depth);
        }
        End::Complete
    }

    /// The position of the next transition to explore from the state on top, if any.
    #[inline]
    fn next_position(&mut self) -> Option<usize> {
        let words = self.frames.last()?.words();
        let at = self.sets.len() - Self::SETS * words;
        let k = bitset::pop_last(&mut self.sets[at..at + words])?;
        if V::COMPONENTS {
            bitset::insert(&mut self.sets[at + words..], k);
        }
        self.know_enabled();
        Some(k)
    }

    /// Makes sure that `enabled` is about the state on top.
    #[inline]
    fn know_enabled(&mut self) {
        if !self.enabled_known {
            let top = self.frames.last().expect("there is a current state");
            self.enabled.clear();
            self.system.enabled(self.store.get(top.id), &mut self.enabled);
            self.enabled_known = true;
        }
    }

    /// Enters a state for the first time: lines 9-12 of Fig. 6.2.
    #[inline]
    fn enter<O: Observer<S::Transition>>(&mut self, id: StateId, observer: &mut O) -> ControlFlow<()> {
        self.statistics.states += 1;
        let at = self.push(id);
        self.proviso.enter(id);
        observer.state(id, self.store.get(id), &self.enabled, &self.path)?;
        if SLEEP {
            let words = bitset::words_for(self.enabled.len());
            let asleep = &mut self.sets[at + words..];
            sleep::positions(&self.asleep_next, &self.enabled, asleep);
            self.sleep_sets.set(id, asleep);
        }
        if !self.enabled.is_empty() {
            self.select(id, at);
        }
        ControlFlow::Continue(())
    }

    /// Puts a state on the stack with all its bit sets empty; returns where they begin.
    #[inline]
    fn push(&mut self, id: StateId) -> usize {
        self.store.pin(id);
        bitset::insert_growing(&mut self.on_stack, id.index());
        self.enabled.clear();
        self.system.enabled(self.store.get(id), &mut self.enabled);
        self.enabled_known = true;
        self.frames.push(Frame {
            id,
            count: self.enabled.len() as u32,
        });
        self.statistics.depth = self.statistics.depth.max(self.frames.len() - 1);
        let at = self.sets.len();
        self.sets
            .resize(at + Self::SETS * bitset::words_for(self.enabled.len()), 0);
        at
    }

    /// Chooses what to explore from the new state on top of the stack.
    #[inline]
    fn select(&mut self, id: StateId, at: usize) {
        let enabled = &self.enabled;
        let words = bitset::words_for(enabled.len());
        let Scratch {
            probe,
            candidate,
            best,
            looked,
            leaves,
            ..
        } = &mut self.scratch;
        let (system, store, on_stack) = (self.system, &self.store, &self.on_stack);
        let (todo, asleep) = self.sets[at..].split_at_mut(words);
        let state = store.get(id);
        if V::LEAVES_STACK {
            looked.reset(enabled.len());
            leaves.reset(enabled.len());
        }
        // Whether the k-th transition leads off the path; found out once for each.
        let mut leaves_path = |k: usize| {
            if !bitset::contains(looked, k) {
                bitset::insert(looked, k);
                let known = match system.fire(state, enabled[k], probe) {
                    Ok(()) => store.find(probe),
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
            !V::LEAVES_STACK || awake.any(&mut leaves_path)
        };
        smallest(self.persistent, state, enabled, accept, candidate, best);
        for k in 0..words {
            todo[k] = if SLEEP { best[k] & !asleep[k] } else { best[k] };
        }
    }

    /// A stored state with sleeping transitions was reached: lines 13-17 and
    /// 21-23 of Fig. 6.2.
    fn meet_again(&mut self, id: StateId) {
        let Scratch { enabled, asleep, .. } = &mut self.scratch;
        enabled.clear();
        self.system.enabled(self.store.get(id), enabled);
        asleep.reset(enabled.len());
        sleep::positions(&self.asleep_next, enabled, asleep);
        if bitset::is_subset(self.sleep_sets.get(id), asleep) {
            return;
        }
        if bitset::contains(&self.on_stack, id.index()) {
            self.delayed.push((id, self.delayed_sets.put(asleep)));
        } else {
            self.visit_again(id);
        }
    }

    /// Visits a stored state again with the sleep set `scratch.asleep`.
    fn visit_again(&mut self, id: StateId) {
        let at = self.push(id);
        let (todo, asleep) = self.sets[at..].split_at_mut(bitset::words_for(self.enabled.len()));
        let stored = self.sleep_sets.get(id);
        for (k, now) in self.scratch.asleep.iter().enumerate() {
            todo[k] = stored[k] & !now;
            asleep[k] = stored[k] & now;
        }
        self.sleep_sets.set(id, asleep);
    }

    /// Leaves the state on top of the stack: lines 31-36 of Fig. 6.2.
    #[inline]
    fn leave(&mut self) {
        if V::COMPONENTS {
            self.know_enabled();
        }
        let frame = self.frames.pop().expect("there is a current state");
        let at = self.sets.len() - Self::SETS * frame.words();
        let parent = self.frames.last().map(|f| f.id);
        let store = &mut self.store;
        let executed = &self.sets[at + (Self::SETS - 1) * frame.words()..];
        self.proviso
            .leave(frame.id, parent, &self.enabled, executed, |id| store.unpin(id));
        self.sets.truncate(at);
        self.enabled_known = false;
        bitset::remove(&mut self.on_stack, frame.id.index());
        if SLEEP && !self.delayed.is_empty() {
            self.visit_delayed(frame.id);
        }
    }

    fn visit_delayed(&mut self, id: StateId) {
        while let Some(k) = self.delayed.iter().position(|(d, _)| *d == id) {
            let (_, slot) = self.delayed.swap_remove(k);
            self.scratch.asleep.copy_from(self.delayed_sets.get(slot));
            self.delayed_sets.release(slot);
            if !bitset::is_subset(self.sleep_sets.get(id), &self.scratch.asleep) {
                self.visit_again(id);
                return;
            }
        }
    }

    /// Definition 6.15: whether the top of the stack has more to explore, as the
    /// root of a terminal component in which something was ignored.
    fn complete_component(&mut self) -> bool {
        self.know_enabled();
        let frame = *self.frames.last().expect("there is a current state");
        let (words, count) = (frame.words(), frame.count as usize);
        let at = self.sets.len() - Self::SETS * words;
        let (todo, executed) = self.sets[at..].split_at_mut(words);
        let Scratch {
            candidate,
            best,
            missing,
            ..
        } = &mut self.scratch;
        missing.reset(count);
        if !self.proviso.missing(frame.id, &self.enabled, executed, missing) {
            return false;
        }
        let state = self.store.get(frame.id);
        self.persistent.prepare(state, &self.enabled);
        best.set_all(count);
        let mut size = count + 1;
        for start in bitset::iter(missing) {
            if self
                .persistent
                .containing(state, &self.enabled, start, size - 1, candidate)
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
        self.store.bytes()
            + self.sleep_sets.bytes()
            + self.delayed_sets.bytes()
            + self.proviso.bytes()
            + self.on_stack.capacity() * 8
            + self.frames.capacity() * size_of::<Frame>()
            + self.path.0.capacity() * size_of::<S::Transition>()
            + self.sets.capacity() * 8
    }
}
