//! Depth-first selective search: persistent sets, sleep sets, proviso.
//!
//! The algorithm of Fig. 6.2 of the thesis, of which Figs 2.1, 4.1 and 5.2 are
//! the cases with parts switched off. The path from the initial state is a stack
//! of frames; what a frame needs (its enabled transitions, what is still to be
//! explored, what is asleep) lies in arenas that grow and shrink with the stack,
//! so a warm search allocates nothing.
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
use crate::sleep::{self, SleepSets};
use crate::store::{Store, Stored};
use crate::system::{Dependency, System};
use std::ops::ControlFlow;

/// A state on the path.
#[derive(Debug)]
struct Frame {
    id: StateId,
    /// Where its enabled transitions begin, and how many there are.
    enabled: usize,
    count: usize,
    /// Where its three bit sets begin: to explore, asleep, executed.
    sets: usize,
    /// The transition that leads to the next frame.
    taken: usize,
}

/// A depth-first search. `SLEEP` says whether sleep sets are used.
pub(crate) struct DepthFirst<'a, S: System, D, P: ?Sized, H, V, const SLEEP: bool> {
    pub(crate) system: &'a S,
    pub(crate) dependency: &'a D,
    pub(crate) persistent: &'a mut P,
    pub(crate) store: H,
    pub(crate) proviso: V,
    pub(crate) stack: Stack<S::Transition>,
    /// Per state: whether it is on the path.
    on_stack: Vec<u64>,
    sleep_sets: SleepSets,
    /// Delayed visits: a state of the path, and the sleep set to visit it with.
    delayed: Vec<(StateId, Vec<u64>)>,
    /// The sleep set of the next state, as transitions.
    asleep_next: Vec<S::Transition>,
    statistics: Statistics,
    scratch: Scratch,
}

/// The path and its arenas.
#[derive(Debug)]
pub(crate) struct Stack<T> {
    frames: Vec<Frame>,
    enabled: Vec<T>,
    sets: Vec<u64>,
}

#[derive(Debug, Default)]
struct Scratch {
    next: Vec<u8>,
    probe: Vec<u8>,
    candidate: BitSet,
    best: BitSet,
    asleep: BitSet,
    missing: BitSet,
    /// Per enabled transition, by the proviso: looked at, leads off the path.
    looked: BitSet,
    leaves: BitSet,
}

impl<T: Copy> Path<T> for Stack<T> {
    fn transitions(&self) -> Vec<T> {
        let taken = |f: &Frame| (f.taken < f.count).then(|| self.enabled[f.enabled + f.taken]);
        self.frames.iter().filter_map(taken).collect()
    }
}

impl Frame {
    fn words(&self) -> usize {
        bitset::words_for(self.count)
    }
}

/// How many bit sets a frame has.
const SETS: usize = 3;

impl<'a, S, D, P, H, V, const SLEEP: bool> DepthFirst<'a, S, D, P, H, V, SLEEP>
where
    S: System,
    D: Dependency<S::Transition>,
    P: PersistentSets<S::Transition> + ?Sized,
    H: Store,
    V: Proviso<S::Transition>,
{
    pub(crate) fn new(system: &'a S, dependency: &'a D, persistent: &'a mut P, store: H, proviso: V) -> Self {
        Self {
            system,
            dependency,
            persistent,
            store,
            proviso,
            stack: Stack {
                frames: Vec::new(),
                enabled: Vec::new(),
                sets: Vec::new(),
            },
            on_stack: Vec::new(),
            sleep_sets: SleepSets::default(),
            delayed: Vec::new(),
            asleep_next: Vec::new(),
            statistics: Statistics::default(),
            scratch: Scratch::default(),
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
        let mut next = std::mem::take(&mut self.scratch.next);
        self.system.initial(&mut next);
        let Stored::New(id) = self.store.insert(&next) else {
            return End::Limit(Limit::Cache);
        };
        if self.enter(id, observer).is_break() {
            return End::Stopped;
        }
        let mut truncated = false;
        while let Some(position) = self.advance() {
            let Some(k) = position else {
                continue;
            };
            let frame = &self.stack.frames[self.stack.frames.len() - 1];
            let (from, t) = (frame.id, self.stack.enabled[frame.enabled + k]);
            self.statistics.transitions += 1;
            if let Err(fault) = self.system.fire(self.store.get(from), t, &mut next) {
                observer.fault(fault, &self.stack);
                return End::Stopped;
            }
            if SLEEP {
                self.fall_asleep(k);
            }
            let seen = observer.transition(self.store.get(from), t, &next, &self.stack);
            if seen.is_break() {
                return End::Stopped;
            }
            let deep = watch.limits().depth.is_some_and(|max| self.stack.frames.len() > max);
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

    /// The position of the next transition to explore from the top of the stack;
    /// `Some(None)` if the top was left, `None` if the stack is empty.
    #[inline]
    fn advance(&mut self) -> Option<Option<usize>> {
        let frame = self.stack.frames.last_mut()?;
        let words = frame.words();
        let sets = &mut self.stack.sets[frame.sets..];
        if let Some(k) = bitset::pop_first(&mut sets[..words]) {
            frame.taken = k;
            if V::COMPONENTS {
                bitset::insert(&mut sets[2 * words..], k);
            }
            return Some(Some(k));
        }
        frame.taken = usize::MAX;
        if V::COMPONENTS && self.complete_component() {
            return Some(None);
        }
        self.leave();
        Some(None)
    }

    /// Enters a state for the first time: lines 9-12 of Fig. 6.2.
    fn enter<O: Observer<S::Transition>>(&mut self, id: StateId, observer: &mut O) -> ControlFlow<()> {
        self.statistics.states += 1;
        self.push(id);
        self.proviso.enter(id);
        let (stack, store) = (&self.stack, &self.store);
        let frame = stack.frames.last().expect("just pushed");
        let (enabled, count) = (frame.enabled, frame.count);
        self.statistics.depth = self.statistics.depth.max(stack.frames.len() - 1);
        observer.state(id, store.get(id), &stack.enabled[enabled..], stack)?;
        if SLEEP {
            let frame = &self.stack.frames[self.stack.frames.len() - 1];
            let (at, words) = (frame.sets, frame.words());
            let asleep = &mut self.stack.sets[at + words..at + 2 * words];
            sleep::positions(&self.asleep_next, &self.stack.enabled[enabled..], asleep);
            self.sleep_sets.set(id, asleep);
        }
        if count > 0 {
            self.select(id);
        }
        ControlFlow::Continue(())
    }

    /// Puts a state on the stack with nothing to explore and nothing asleep.
    fn push(&mut self, id: StateId) {
        self.store.pin(id);
        let word = bitset::words_for(id.index() + 1);
        if self.on_stack.len() < word {
            self.on_stack.resize(word, 0);
        }
        bitset::insert(&mut self.on_stack, id.index());
        let enabled = self.stack.enabled.len();
        self.system.enabled(self.store.get(id), &mut self.stack.enabled);
        let count = self.stack.enabled.len() - enabled;
        let sets = self.stack.sets.len();
        self.stack.sets.resize(sets + SETS * bitset::words_for(count), 0);
        self.stack.frames.push(Frame {
            id,
            enabled,
            count,
            sets,
            taken: usize::MAX,
        });
    }

    /// Chooses what to explore from the new state on top of the stack.
    fn select(&mut self, id: StateId) {
        let frame = self.stack.frames.last().expect("a state was entered");
        let (at, words, count) = (frame.sets, frame.words(), frame.count);
        let enabled = &self.stack.enabled[frame.enabled..];
        let Scratch {
            probe,
            candidate,
            best,
            looked,
            leaves,
            ..
        } = &mut self.scratch;
        let (system, store, on_stack) = (self.system, &self.store, &self.on_stack);
        let asleep = &self.stack.sets[at + words..at + 2 * words];
        let state = store.get(id);
        if V::LEAVES_STACK {
            looked.reset(count);
            leaves.reset(count);
        }
        // Whether the k-th transition leads off the path; asked once for each.
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
            !V::LEAVES_STACK || bitset::iter(set).any(|k| !(SLEEP && bitset::contains(asleep, k)) && leaves_path(k))
        };
        smallest(self.persistent, state, enabled, asleep, accept, candidate, best);
        for k in 0..words {
            let asleep = self.stack.sets[at + words + k];
            self.stack.sets[at + k] = best[k] & !asleep;
        }
    }

    /// Lines 20 and 29 of Fig. 6.2: makes `asleep_next` the sleep set after the
    /// `k`-th transition of the top frame, which itself falls asleep.
    #[inline]
    fn fall_asleep(&mut self, k: usize) {
        let frame = self.stack.frames.last().expect("there is a current state");
        let words = frame.words();
        let enabled = &self.stack.enabled[frame.enabled..];
        let asleep = &mut self.stack.sets[frame.sets + words..frame.sets + 2 * words];
        self.asleep_next.clear();
        let state = self.store.get(frame.id);
        for j in bitset::iter(asleep) {
            if self.dependency.independent(state, enabled[k], enabled[j]) {
                self.asleep_next.push(enabled[j]);
            }
        }
        bitset::insert(asleep, k);
    }

    /// A stored state with sleeping transitions was reached: lines 13-17 and
    /// 21-23 of Fig. 6.2.
    fn meet_again(&mut self, id: StateId) {
        let enabled = self.stack.enabled.len();
        self.system.enabled(self.store.get(id), &mut self.stack.enabled);
        let here = &self.stack.enabled[enabled..];
        let asleep = &mut self.scratch.asleep;
        asleep.reset(here.len());
        sleep::positions(&self.asleep_next, here, asleep);
        self.stack.enabled.truncate(enabled);
        if bitset::is_subset(self.sleep_sets.get(id), asleep) {
            return;
        }
        if bitset::contains(&self.on_stack, id.index()) {
            self.delayed.push((id, asleep.to_vec()));
        } else {
            self.visit_again(id);
        }
    }

    /// Visits a stored state again with the sleep set `scratch.asleep`.
    fn visit_again(&mut self, id: StateId) {
        self.push(id);
        let frame = self.stack.frames.last().expect("just pushed");
        let (at, words) = (frame.sets, frame.words());
        let stored = self.sleep_sets.get(id);
        for k in 0..words {
            let now = self.scratch.asleep[k];
            self.stack.sets[at + k] = stored[k] & !now;
            self.stack.sets[at + words + k] = stored[k] & now;
        }
        let asleep = &self.stack.sets[at + words..at + 2 * words];
        self.sleep_sets.set(id, asleep);
        self.statistics.depth = self.statistics.depth.max(self.stack.frames.len() - 1);
    }

    /// Leaves the state on top of the stack: lines 31-36 of Fig. 6.2.
    fn leave(&mut self) {
        let frame = self.stack.frames.pop().expect("there is a current state");
        let words = frame.words();
        let parent = self.stack.frames.last().map(|f| f.id);
        let store = &mut self.store;
        self.proviso.leave(
            frame.id,
            parent,
            &self.stack.enabled[frame.enabled..],
            &self.stack.sets[frame.sets + 2 * words..],
            |id| store.unpin(id),
        );
        self.stack.enabled.truncate(frame.enabled);
        self.stack.sets.truncate(frame.sets);
        bitset::remove(&mut self.on_stack, frame.id.index());
        if SLEEP && !self.delayed.is_empty() {
            self.visit_delayed(frame.id);
        }
    }

    fn visit_delayed(&mut self, id: StateId) {
        while let Some(k) = self.delayed.iter().position(|(d, _)| *d == id) {
            let (_, asleep) = self.delayed.swap_remove(k);
            if !bitset::is_subset(self.sleep_sets.get(id), &asleep) {
                self.scratch.asleep.copy_from(&asleep);
                self.visit_again(id);
                return;
            }
        }
    }

    /// Definition 6.15: whether the top of the stack has more to explore, as the
    /// root of a terminal component in which something was ignored.
    fn complete_component(&mut self) -> bool {
        let frame = self.stack.frames.last().expect("there is a current state");
        let (at, words, count) = (frame.sets, frame.words(), frame.count);
        let enabled = &self.stack.enabled[frame.enabled..];
        let Scratch {
            candidate,
            best,
            missing,
            ..
        } = &mut self.scratch;
        missing.reset(count);
        let executed = &self.stack.sets[at + 2 * words..at + 3 * words];
        if !self.proviso.missing(frame.id, enabled, executed, missing) {
            return false;
        }
        let state = self.store.get(frame.id);
        self.persistent
            .prepare(state, enabled, &self.stack.sets[at + words..at + 2 * words]);
        best.set_all(count);
        let mut size = count + 1;
        for start in bitset::iter(missing) {
            if self.persistent.containing(state, enabled, start, size - 1, candidate) {
                let found = bitset::len(candidate);
                if found < size {
                    size = found;
                    std::mem::swap(best, candidate);
                }
            }
        }
        for k in 0..words {
            let executed = self.stack.sets[at + 2 * words + k];
            self.stack.sets[at + k] = best[k] & !executed;
        }
        debug_assert!(!bitset::is_empty(&self.stack.sets[at..at + words]));
        true
    }

    fn bytes(&self) -> usize {
        self.store.bytes()
            + self.sleep_sets.bytes()
            + self.proviso.bytes()
            + self.on_stack.capacity() * 8
            + self.stack.frames.capacity() * size_of::<Frame>()
            + self.stack.enabled.capacity() * size_of::<S::Transition>()
            + self.stack.sets.capacity() * 8
    }
}
