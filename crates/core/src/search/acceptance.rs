//! Acceptance cycles: is there an infinite execution that a generalised Büchi condition accepts?
//!
//! An execution is accepted if it has infinitely many edges of each of a number of
//! sets. There is one iff a strongly connected component that can be reached has
//! edges of all sets inside it (thesis 7.2). One depth-first pass finds it on the
//! fly (Couvreur 1999; Geldenhuys and Valmari 2004): [`Components`] merges what each
//! edge closes, and the search ends as soon as the component on top has every mark,
//! which is when the last edge of an accepting cycle was explored.
//!
//! Why not a nested depth-first search, as SPIN's: its second search must see the
//! same reduced graph as the first, but which set is chosen depends on the path
//! (Holzmann, Peled and Yannakakis 1996), so choices would have to be stored; and
//! several acceptance sets, as fairness of each process needs, multiply its states.
//! The price is a bit per stored state and that hashing without ids
//! ([`Storage::Bitstate`]) is out.
//!
//! **Reduction.** The caller's [`PersistentSets`] proposes only sets that visibility
//! allows. That no transition is ignored for ever is seen to here, by a proviso that
//! every cycle of the explored graph has a state where everything enabled is
//! explored (Peled 1994; the second requirement of thesis 7.3). Every cycle has an
//! edge that leads back to the path when it is explored, since along all others the
//! search leaves states in ascending order. So it is enough that of each such edge
//! one end is explored fully. Peled takes the source, and has to fire each candidate
//! in advance to know. Taking the destination, as here, needs no look ahead, and
//! serves all edges that lead to the same state (Evangelista and Pajault 2010
//! compare such choices). What a state has left out is explored when the rest is.
//!
//! **What the caller has to know.** With on-the-fly products, the conditions on the
//! sets are subtle: Siegel (CAV 2019) has a counterexample to the usual theorem if
//! the property automaton is not in a stutter-invariant form. Weak fairness of
//! processes (thesis 7.4) may be stated as sets, "it moved, or it is disabled", but
//! the second half is a fact about states: where a process has several transitions to
//! wait for, or waits for an object whose operations commute, the steps of others that can
//! enable or disable it must be visible or dependent. Otherwise accepted executions are lost,
//! since whether it is always enabled depends on the order of independent steps
//! (`tests/it/liveness.rs` has a model).

use super::components::Components;
use super::lasso::{Lasso, all_sets, lasso, marks};
use super::observer::Observer;
use super::stack::{Frame, Stack};
use super::strategy::Unsupported;
use super::take::{Step, Taken, Worker};
use crate::bitset::{self, BitSet};
use crate::ids::StateId;
use crate::persistent::{PersistentSets, smallest};
use crate::store::{KnownStates, Readable, Storage, Store, Stored};
use crate::system::System;
use mazurka_outcome::{End, Limit, Limits, Statistics, Watch};
use std::ops::ControlFlow;

/// A generalised Büchi condition on the executions of a system: of each set, an
/// accepted execution has infinitely many members, be they states or transitions.
pub trait Acceptance<T> {
    /// How many sets there are, at most 64. If there are none, every infinite
    /// execution is accepted.
    fn sets(&self) -> usize;

    /// The sets that a state is in: bit `i` is set `i`.
    fn state_marks(&self, _state: &[u8]) -> u64 {
        0
    }

    /// The sets that a transition between two states is in.
    fn transition_marks(&self, _from: &[u8], _t: T, _to: &[u8]) -> u64 {
        0
    }
}

/// How to look for acceptance cycles.
#[derive(Clone, Copy, Debug)]
pub struct CycleSearch<'a> {
    /// What to remember: it must be every state.
    pub storage: Storage,
    /// Bounds.
    pub limits: Limits<'a>,
}

impl Default for CycleSearch<'_> {
    fn default() -> Self {
        Self {
            storage: Storage::Exact,
            limits: Limits::default(),
        }
    }
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct Emptiness<T> {
    /// An accepted execution, if one was found. If there is none and the end is
    /// [`End::Complete`], none exists.
    pub lasso: Option<Lasso<T>>,
    /// What it cost.
    pub statistics: Statistics,
    /// How the search ended: [`End::Stopped`] with a lasso.
    pub end: End,
}

impl CycleSearch<'_> {
    /// Looks for an execution of `system` that `acceptance` accepts. `persistent`
    /// proposes the sets that visibility allows; `observer` looks on, as in other
    /// searches.
    ///
    /// # Errors
    /// If the storage forgets states, or there are too many sets.
    pub fn run<S, P, A, O>(
        &self,
        system: &S,
        persistent: &mut P,
        acceptance: &A,
        observer: &mut O,
    ) -> Result<Emptiness<S::Transition>, Unsupported>
    where
        S: System,
        P: PersistentSets<S::Transition> + ?Sized,
        A: Acceptance<S::Transition>,
        O: Observer<S> + ?Sized,
    {
        let (emptiness, _) = self.run_and_keep(system, persistent, acceptance, observer)?;
        Ok(emptiness)
    }

    /// The same; also hands over the states that were stored.
    ///
    /// # Errors
    /// As above.
    pub fn run_and_keep<S, P, A, O>(
        &self,
        system: &S,
        persistent: &mut P,
        acceptance: &A,
        observer: &mut O,
    ) -> Result<(Emptiness<S::Transition>, KnownStates), Unsupported>
    where
        S: System,
        P: PersistentSets<S::Transition> + ?Sized,
        A: Acceptance<S::Transition>,
        O: Observer<S> + ?Sized,
    {
        if acceptance.sets() > 64 {
            return Err(Unsupported::AcceptanceSets(acceptance.sets()));
        }
        let watch = &mut Watch::new(self.limits);
        let store = self.storage.open_readable(system.state_len());
        let store = store.ok_or(Unsupported::CyclesWithoutStates)?;
        Ok(Driver::new(system, persistent, acceptance, store).run(observer, watch))
    }
}

/// The search. Stores are told apart at run time: a call costs little beside a step of a product, and a search for each
/// of them would be compiled for each product.
struct Driver<'a, S: System, P: ?Sized, A> {
    worker: Worker<'a, S, Box<dyn Readable + Send + Sync>>,
    persistent: &'a mut P,
    acceptance: &'a A,
    /// The second set of a frame is what was selected: what is to be explored now
    /// or has been.
    stack: Stack<S::Transition>,
    components: Components,
    lasso: Option<Lasso<S::Transition>>,
    statistics: Statistics,
    candidate: BitSet,
    best: BitSet,
}

/// How many bit sets a frame has.
const SETS: usize = 2;

impl<'a, S, P, A> Driver<'a, S, P, A>
where
    S: System,
    P: PersistentSets<S::Transition> + ?Sized,
    A: Acceptance<S::Transition>,
{
    fn new(system: &'a S, persistent: &'a mut P, acceptance: &'a A, store: Box<dyn Readable + Send + Sync>) -> Self {
        Self {
            worker: Worker::new(system, store),
            persistent,
            acceptance,
            stack: Stack::default(),
            components: Components::default(),
            lasso: None,
            statistics: Statistics::default(),
            candidate: BitSet::default(),
            best: BitSet::default(),
        }
    }

    fn run<O: Observer<S> + ?Sized>(
        mut self,
        observer: &mut O,
        watch: &mut Watch<'_>,
    ) -> (Emptiness<S::Transition>, KnownStates) {
        let end = self.explore(observer, watch);
        let time = watch.elapsed();
        let emptiness = Emptiness {
            statistics: Statistics { time, ..self.so_far() },
            lasso: self.lasso,
            end,
        };
        (emptiness, KnownStates::of(self.worker.store))
    }

    fn explore<O: Observer<S> + ?Sized>(&mut self, observer: &mut O, watch: &mut Watch<'_>) -> End {
        let all = all_sets(self.acceptance.sets());
        let mut next = Vec::new();
        self.worker.system.initial(&mut next);
        let Stored::New(id) = self.worker.store.insert(&next) else {
            return End::Limit(Limit::States);
        };
        if self.enter(id, &next, 0, observer).is_break() {
            return End::Stopped;
        }
        let mut truncated = false;
        while let Some(Frame { id: from, .. }) = self.stack.last() {
            let Some(k) = self.stack.next_position() else {
                if !self.complete() {
                    self.leave();
                }
                continue;
            };
            self.stack.know_enabled(self.worker.system, &mut self.worker.store);
            let t = self.stack.enabled[k];
            self.stack.take(t);
            self.statistics.transitions += 1;
            let step = Step {
                from,
                position: k,
                transition: t,
                too_deep: watch.limits().depth.is_some_and(|max| self.stack.depth() >= max),
            };
            let taken = match self.worker.take(&step, None, &mut next, observer, &self.stack.path) {
                ControlFlow::Continue(taken) => taken,
                ControlFlow::Break(()) => return End::Stopped,
            };
            match taken {
                // Nothing commutes with a failure.
                Taken::Failed => self.stack.fill(self.stack.depth()),
                Taken::TooDeep => truncated = true,
                Taken::Offered(Stored::New(id)) => {
                    let marks = marks(self.acceptance, self.worker.store.top(from), t, &next);
                    if self.enter(id, &next, marks, observer).is_break() {
                        return End::Stopped;
                    }
                }
                Taken::Offered(Stored::Known(id)) => {
                    self.statistics.matched += 1;
                    if let Some(number) = self.components.number(id)
                        && self.close(from, t, number, &next) == all
                    {
                        self.found(watch);
                        return End::Stopped;
                    }
                }
                Taken::Offered(Stored::Seen | Stored::Full) => return End::Limit(Limit::States),
            }
            if let Some(limit) = watch.exceeded_by(self.statistics.states, || self.so_far()) {
                return End::Limit(limit);
            }
        }
        match truncated {
            true => End::Limit(Limit::Depth),
            false => End::Complete,
        }
    }

    #[inline]
    fn enter<O: Observer<S> + ?Sized>(
        &mut self,
        id: StateId,
        state: &[u8],
        marks: u64,
        observer: &mut O,
    ) -> ControlFlow<()> {
        self.statistics.states += 1;
        self.worker.store.push(id, state);
        self.components.enter(id, marks);
        let at = self.stack.push(self.worker.system, id, state, SETS);
        self.statistics.depth = self.statistics.depth.max(self.stack.depth());
        let enabled = &self.stack.enabled;
        observer.state(id, state, enabled, &self.stack.path)?;
        smallest(
            self.persistent,
            state,
            enabled,
            |_| true,
            &mut self.candidate,
            &mut self.best,
        );
        if bitset::len(&self.best) == enabled.len() {
            self.stack.fill(self.stack.depth());
        }
        let words = self.best.len();
        self.stack.sets[at..at + words].copy_from_slice(&self.best);
        self.stack.sets[at + words..].copy_from_slice(&self.best);
        ControlFlow::Continue(())
    }

    /// An edge leads from the state on top to an open one: merges what it closes, and returns the marks of that.
    #[inline]
    fn close(&mut self, from: StateId, t: S::Transition, to: u32, state: &[u8]) -> u64 {
        let marks = marks(self.acceptance, self.worker.store.top(from), t, state);
        self.fill_destination(to);
        self.components.close(to, marks)
    }

    /// The proviso: of the edge that leads from the state on top to an open one, if
    /// that is on the path, one end is explored fully.
    #[inline]
    fn fill_destination(&mut self, to: u32) {
        if self.stack.last().is_some_and(|top| top.is_full()) {
            return;
        }
        // States of the path are open, and entered in the order of the path.
        let to = Some(to);
        let path = &self.stack.ids;
        let at = path.partition_point(|id| self.components.number(*id) < to);
        if path.get(at).is_some_and(|id| self.components.number(*id) == to) {
            self.stack.fill(at);
        }
    }

    /// Whether the state on top, with nothing left to explore, has more to explore
    /// after all, because it is to be explored fully.
    #[inline]
    fn complete(&mut self) -> bool {
        let frame = self.stack.last().expect("there is a current state");
        if !frame.is_full() {
            return false;
        }
        self.best.set_all(frame.count());
        let (todo, selected) = self.stack.sets.split_at_mut(frame.words());
        for (w, all) in self.best.iter().enumerate() {
            todo[w] = all & !selected[w];
        }
        selected.copy_from_slice(&self.best);
        !bitset::is_empty(todo)
    }

    #[inline]
    fn leave(&mut self) {
        let frame = self.stack.last().expect("there is a current state");
        self.components.leave(frame.id);
        self.worker.store.unpin(frame.id);
        self.worker.store.pop();
        self.stack.pop(SETS);
    }

    /// The component on top is accepting.
    #[cold]
    fn found(&mut self, watch: &mut Watch<'_>) {
        let root = self.components.top_root();
        let (store, components) = (&self.worker.store, &self.components);
        let number = |id| components.number(id);
        let member = |state: &[u8]| {
            store
                .find(state)
                .and_then(number)
                .is_some_and(|number| Some(number) >= root)
        };
        let depth = self.stack.ids.partition_point(|id| components.number(*id) < root);
        let lasso = lasso(
            self.worker.system,
            self.acceptance,
            &|state| store.find(state).is_some(),
            &member,
            &self.stack.path.0[..depth],
            &mut || watch.exceeded_by(0, || self.so_far()).is_some(),
        );
        self.lasso = Some(lasso);
    }

    /// The counts, but for the time.
    #[cold]
    fn so_far(&self) -> Statistics {
        Statistics {
            stored: self.worker.store.len() as u64,
            bytes: self.worker.store.bytes() + self.components.bytes() + self.stack.bytes(),
            ..self.statistics
        }
    }
}
