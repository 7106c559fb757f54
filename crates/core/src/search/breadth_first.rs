//! Breadth-first selective search: persistent sets and sleep sets, shortest paths.
//!
//! Figure 5.2 of the thesis with a queue: it needs no particular order. A state
//! is stored when it is generated. If it is generated again before its turn, its
//! sleep set shrinks to the intersection; if after, what slept and is awake now
//! is queued as another visit. Sleep sets that are too small only cost time.
//! Provisos are about the path, so there is none here.

use super::observer::{Observer, Path};
use super::take::{Step, Taken, Worker};
use crate::bitset::{self, BitSet};
use crate::ids::StateId;
use crate::persistent::{PersistentSets, smallest};
use crate::sleep;
use crate::state_sets::{SetPool, Slot, StateSets};
use crate::store::{Readable, Stored};
use crate::system::{Dependency, System};
use mazurka_outcome::{End, Limit, Statistics, Watch};
use std::collections::VecDeque;
use std::ops::ControlFlow;

/// A breadth-first search. `SLEEP` says whether sleep sets are used.
pub(crate) struct BreadthFirst<'a, S: System, D, P: ?Sized, H, const SLEEP: bool> {
    worker: Worker<'a, S, H>,
    dependency: &'a D,
    persistent: &'a mut P,
    tree: Tree<S::Transition>,
    queue: VecDeque<Visit>,
    /// States whose first visit is over.
    visited: Vec<u64>,
    sleep_sets: StateSets,
    /// The sets of later visits.
    visit_sets: SetPool,
    /// Working space for the choice of persistent sets.
    candidate: BitSet,
    /// Whether a state was too deep to be stored.
    truncated: bool,
    statistics: Statistics,
}

/// An entry of the queue: a state to explore.
#[derive(Debug)]
enum Visit {
    /// Explore a state that has not been explored.
    First(StateId),
    /// Explore these positions with this sleep set.
    Again(StateId, Slot, Slot),
}

/// The state that is being explored.
struct Current<T> {
    id: StateId,
    depth: u32,
    state: Vec<u8>,
    enabled: Vec<T>,
    /// Positions in `enabled`: still to be explored, explored on this visit, asleep.
    todo: BitSet,
    explored: BitSet,
    asleep: BitSet,
}

impl<T> Current<T> {
    fn new() -> Self {
        Self {
            id: StateId::new(0),
            depth: 0,
            state: Vec::new(),
            enabled: Vec::new(),
            todo: BitSet::default(),
            explored: BitSet::default(),
            asleep: BitSet::default(),
        }
    }

    /// Everything enabled is to be explored, unless it was, or sleeps.
    fn explore_all(&mut self) {
        self.todo.set_all(self.enabled.len());
        for (w, todo) in self.todo.iter_mut().enumerate() {
            *todo &= !self.explored[w] & !self.asleep[w];
        }
    }
}

/// The state that a transition leads to.
struct Successor<T> {
    state: Vec<u8>,
    /// Its sleep set, and the same as positions in `enabled`.
    sleep: Vec<T>,
    asleep: BitSet,
    enabled: Vec<T>,
    /// Working space: what sleeps now as before, and what slept before and is awake now.
    both: BitSet,
    awake: BitSet,
}

impl<T: Copy + Eq> Successor<T> {
    fn new() -> Self {
        Self {
            state: Vec::new(),
            sleep: Vec::new(),
            asleep: BitSet::default(),
            enabled: Vec::new(),
            both: BitSet::default(),
            awake: BitSet::default(),
        }
    }

    /// Finds the positions of the sleep set.
    fn find_asleep(&mut self, system: &impl System<Transition = T>) {
        self.enabled.clear();
        system.enabled(&self.state, &mut self.enabled);
        self.asleep.reset(self.enabled.len());
        sleep::positions(&self.sleep, &self.enabled, &mut self.asleep);
    }
}

/// How each state was first reached.
#[derive(Debug)]
struct Tree<T> {
    /// Predecessor, transition and depth; none for the initial state.
    reached: Vec<Option<(StateId, T, u32)>>,
}

impl<T: Copy> Tree<T> {
    fn depth(&self, id: StateId) -> u32 {
        self.reached[id.index()].map_or(0, |(_, _, depth)| depth)
    }

    fn path(&self, mut id: StateId, last: Option<T>) -> Vec<T> {
        let mut path: Vec<T> = last.into_iter().collect();
        while let Some((from, t, _)) = self.reached[id.index()] {
            path.push(t);
            id = from;
        }
        path.reverse();
        path
    }
}

/// A path in the tree, and perhaps one transition more.
struct Branch<'a, T>(&'a Tree<T>, StateId, Option<T>);

impl<T: Copy> Path<T> for Branch<'_, T> {
    fn transitions(&self) -> Vec<T> {
        self.0.path(self.1, self.2)
    }
}

impl<'a, S, D, P, H, const SLEEP: bool> BreadthFirst<'a, S, D, P, H, SLEEP>
where
    S: System,
    D: Dependency<S::Transition>,
    P: PersistentSets<S::Transition> + ?Sized,
    H: Readable,
{
    pub(crate) fn new(system: &'a S, dependency: &'a D, persistent: &'a mut P, store: H) -> Self {
        Self {
            worker: Worker::new(system, store),
            dependency,
            persistent,
            tree: Tree { reached: Vec::new() },
            queue: VecDeque::new(),
            visited: Vec::new(),
            sleep_sets: StateSets::default(),
            visit_sets: SetPool::default(),
            candidate: BitSet::default(),
            truncated: false,
            statistics: Statistics::default(),
        }
    }

    /// Searches from the initial state.
    pub(crate) fn run<O: Observer<S> + ?Sized>(mut self, observer: &mut O, watch: &mut Watch<'_>) -> (Statistics, End) {
        let end = match self.explore(observer, watch) {
            ControlFlow::Break(end) => end,
            ControlFlow::Continue(()) if self.truncated => End::Limit(Limit::Depth),
            ControlFlow::Continue(()) => End::Complete,
        };
        let time = watch.elapsed();
        (Statistics { time, ..self.so_far() }, end)
    }

    /// The counts, but for the time.
    #[cold]
    fn so_far(&self) -> Statistics {
        Statistics {
            stored: self.worker.store.len() as u64,
            bytes: self.bytes(),
            ..self.statistics
        }
    }

    /// Visits states until the queue is empty, or breaks with the reason to end earlier.
    fn explore<O: Observer<S> + ?Sized>(&mut self, observer: &mut O, watch: &mut Watch<'_>) -> ControlFlow<End> {
        let (mut current, mut successor) = (Current::new(), Successor::new());
        self.store_initial(&mut successor.state)?;
        while let Some(visit) = self.queue.pop_front() {
            self.begin(visit, &mut current, observer)?;
            while let Some(k) = bitset::pop_last(&mut current.todo) {
                self.take(k, &mut current, &mut successor, observer, watch)?;
                if let Some(limit) = watch.exceeded_by(self.worker.store.len() as u64, || self.so_far()) {
                    return ControlFlow::Break(End::Limit(limit));
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn store_initial(&mut self, state: &mut Vec<u8>) -> ControlFlow<End> {
        self.worker.system.initial(state);
        let Stored::New(initial) = self.worker.store.insert(state) else {
            return ControlFlow::Break(End::Limit(Limit::States));
        };
        self.tree.reached.push(None);
        self.queue.push_back(Visit::First(initial));
        ControlFlow::Continue(())
    }

    /// Makes the state of a visit the current one, with what is to be explored from it.
    fn begin<O: Observer<S> + ?Sized>(
        &mut self,
        visit: Visit,
        current: &mut Current<S::Transition>,
        observer: &mut O,
    ) -> ControlFlow<End> {
        let (Visit::First(id) | Visit::Again(id, ..)) = visit;
        current.id = id;
        current.enabled.clear();
        self.worker.store.read(id, &mut current.state);
        self.worker.system.enabled(&current.state, &mut current.enabled);
        match visit {
            Visit::First(_) => self.begin_first(current, observer)?,
            Visit::Again(_, again, sleep) => {
                current.todo.copy_from(self.visit_sets.get(again));
                current.asleep.copy_from(self.visit_sets.get(sleep));
                self.visit_sets.release(again);
                self.visit_sets.release(sleep);
            }
        }
        current.depth = self.tree.depth(id);
        self.statistics.depth = self.statistics.depth.max(current.depth as usize);
        current.explored.reset(current.enabled.len());
        ControlFlow::Continue(())
    }

    /// On the first visit, a persistent set is explored, but for what sleeps.
    fn begin_first<O: Observer<S> + ?Sized>(
        &mut self,
        current: &mut Current<S::Transition>,
        observer: &mut O,
    ) -> ControlFlow<End> {
        let Current { id, state, enabled, .. } = current;
        self.statistics.states += 1;
        bitset::insert_growing(&mut self.visited, id.index());
        current.asleep.reset(enabled.len());
        if SLEEP && self.sleep_sets.any(*id) {
            current.asleep.copy_from(self.sleep_sets.get(*id));
        }
        let path = Branch(&self.tree, *id, None);
        if observer.state(*id, state, enabled, &path).is_break() {
            return ControlFlow::Break(End::Stopped);
        }
        smallest(
            self.persistent,
            state,
            enabled,
            |_| true,
            &mut self.candidate,
            &mut current.todo,
        );
        for (todo, asleep) in current.todo.iter_mut().zip(current.asleep.iter()) {
            *todo &= !asleep;
        }
        ControlFlow::Continue(())
    }

    /// Takes the `k`-th of the transitions enabled in the current state.
    #[inline]
    fn take<O: Observer<S> + ?Sized>(
        &mut self,
        k: usize,
        current: &mut Current<S::Transition>,
        successor: &mut Successor<S::Transition>,
        observer: &mut O,
        watch: &Watch<'_>,
    ) -> ControlFlow<End> {
        let (from, depth, t) = (current.id, current.depth, current.enabled[k]);
        bitset::insert(&mut current.explored, k);
        self.statistics.transitions += 1;
        let step = Step {
            from,
            position: k,
            transition: t,
            too_deep: watch.limits().depth.is_some_and(|max| depth as usize >= max),
        };
        let path = Branch(&self.tree, from, Some(t));
        let taken = self
            .worker
            .take(&step, Some(&current.state), &mut successor.state, observer, &path);
        let ControlFlow::Continue(taken) = taken else {
            return ControlFlow::Break(End::Stopped);
        };
        if SLEEP && !matches!(taken, Taken::Failed) {
            let Current {
                state, enabled, asleep, ..
            } = current;
            sleep::fall_asleep(self.dependency, state, enabled, k, asleep, &mut successor.sleep);
        }
        match taken {
            // As in a depth-first search: nothing commutes with a failure.
            Taken::Failed if self.persistent.reduces() => current.explore_all(),
            Taken::Failed => {}
            Taken::TooDeep => self.truncated = true,
            Taken::Offered(Stored::New(id)) => {
                self.tree.reached.push(Some((from, t, depth + 1)));
                self.queue.push_back(Visit::First(id));
                if SLEEP && !successor.sleep.is_empty() {
                    successor.find_asleep(self.worker.system);
                    self.sleep_sets.set(id, &successor.asleep);
                }
            }
            Taken::Offered(Stored::Known(id)) => {
                self.statistics.matched += 1;
                if SLEEP && self.sleep_sets.any(id) {
                    successor.find_asleep(self.worker.system);
                    self.meet_again(id, successor);
                }
            }
            Taken::Offered(Stored::Seen | Stored::Full) => return ControlFlow::Break(End::Limit(Limit::States)),
        }
        ControlFlow::Continue(())
    }

    /// A stored state with sleeping transitions was generated again: shrinks its sleep set to the intersection. If it was
    /// visited before, what is awake now is queued.
    fn meet_again(&mut self, id: StateId, successor: &mut Successor<S::Transition>) {
        let Successor {
            asleep, both, awake, ..
        } = successor;
        let stored = self.sleep_sets.get(id);
        if bitset::is_subset(stored, asleep) {
            return;
        }
        both.copy_from(stored);
        awake.copy_from(stored);
        for (k, now) in asleep.iter().enumerate() {
            both[k] &= now;
            awake[k] &= !now;
        }
        self.sleep_sets.set(id, both);
        if self.is_visited(id) {
            let (awake, both) = (self.visit_sets.put(awake), self.visit_sets.put(both));
            self.queue.push_back(Visit::Again(id, awake, both));
        }
    }

    fn is_visited(&self, id: StateId) -> bool {
        id.index() / 64 < self.visited.len() && bitset::contains(&self.visited, id.index())
    }

    fn bytes(&self) -> usize {
        self.worker.store.bytes()
            + self.sleep_sets.bytes()
            + self.visit_sets.bytes()
            + self.visited.capacity() * 8
            + self.queue.capacity() * size_of::<Visit>()
            + self.tree.reached.capacity() * size_of::<Option<(StateId, S::Transition, u32)>>()
    }
}
