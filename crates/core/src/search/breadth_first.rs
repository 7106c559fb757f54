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
    statistics: Statistics,
}

/// Something to do.
#[derive(Debug)]
enum Visit {
    /// Explore a state that has not been explored.
    First(StateId),
    /// Explore these positions with this sleep set.
    Again(StateId, Slot, Slot),
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
            statistics: Statistics::default(),
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
            bytes: self.bytes(),
            ..self.statistics
        }
    }

    fn explore<O: Observer<S> + ?Sized>(&mut self, observer: &mut O, watch: &mut Watch<'_>) -> End {
        let (mut state, mut next) = (Vec::new(), Vec::new());
        let mut enabled = Vec::new();
        let mut enabled_next = Vec::new();
        let mut asleep_next = Vec::new();
        let (mut todo, mut asleep) = (BitSet::default(), BitSet::default());
        let (mut candidate, mut there) = (BitSet::default(), BitSet::default());
        let mut explored = BitSet::default();
        let (mut both, mut awake) = (BitSet::default(), BitSet::default());
        let mut truncated = false;

        self.worker.system.initial(&mut next);
        let Stored::New(initial) = self.worker.store.insert(&next) else {
            return End::Limit(Limit::States);
        };
        self.tree.reached.push(None);
        self.queue.push_back(Visit::First(initial));

        while let Some(visit) = self.queue.pop_front() {
            enabled.clear();
            let (Visit::First(from) | Visit::Again(from, ..)) = visit;
            self.worker.store.read(from, &mut state);
            self.worker.system.enabled(&state, &mut enabled);
            match visit {
                Visit::First(_) => {
                    self.statistics.states += 1;
                    bitset::insert_growing(&mut self.visited, from.index());
                    asleep.reset(enabled.len());
                    if SLEEP && self.sleep_sets.any(from) {
                        asleep.copy_from(self.sleep_sets.get(from));
                    }
                    let path = Branch(&self.tree, from, None);
                    if observer.state(from, &state, &enabled, &path).is_break() {
                        return End::Stopped;
                    }
                    smallest(self.persistent, &state, &enabled, |_| true, &mut candidate, &mut todo);
                    for (todo, asleep) in todo.iter_mut().zip(asleep.iter()) {
                        *todo &= !asleep;
                    }
                }
                Visit::Again(_, again, sleep) => {
                    todo.copy_from(self.visit_sets.get(again));
                    asleep.copy_from(self.visit_sets.get(sleep));
                    self.visit_sets.release(again);
                    self.visit_sets.release(sleep);
                }
            }
            let depth = self.tree.depth(from);
            self.statistics.depth = self.statistics.depth.max(depth as usize);
            explored.reset(enabled.len());
            while let Some(k) = bitset::pop_last(&mut todo) {
                let t = enabled[k];
                bitset::insert(&mut explored, k);
                self.statistics.transitions += 1;
                let path = Branch(&self.tree, from, Some(t));
                let step = Step {
                    from,
                    position: k,
                    transition: t,
                    too_deep: watch.limits().depth.is_some_and(|max| depth as usize >= max),
                };
                let taken = match self.worker.take(&step, Some(&state), &mut next, observer, &path) {
                    ControlFlow::Continue(taken) => taken,
                    ControlFlow::Break(()) => return End::Stopped,
                };
                if SLEEP && !matches!(taken, Taken::Failed) {
                    sleep::fall_asleep(self.dependency, &state, &enabled, k, &mut asleep, &mut asleep_next);
                }
                match taken {
                    // As in a depth-first search: nothing commutes with a failure.
                    Taken::Failed if self.persistent.reduces() => {
                        todo.set_all(enabled.len());
                        for (w, todo) in todo.iter_mut().enumerate() {
                            *todo &= !explored[w] & !asleep[w];
                        }
                    }
                    Taken::Failed => {}
                    Taken::TooDeep => truncated = true,
                    Taken::Offered(Stored::New(id)) => {
                        self.tree.reached.push(Some((from, t, depth + 1)));
                        self.queue.push_back(Visit::First(id));
                        if SLEEP && !asleep_next.is_empty() {
                            self.positions(&next, &asleep_next, &mut enabled_next, &mut there);
                            self.sleep_sets.set(id, &there);
                        }
                    }
                    Taken::Offered(Stored::Known(id)) => {
                        self.statistics.matched += 1;
                        if SLEEP && self.sleep_sets.any(id) {
                            self.positions(&next, &asleep_next, &mut enabled_next, &mut there);
                            self.meet_again(id, &there, &mut both, &mut awake);
                        }
                    }
                    Taken::Offered(Stored::Seen | Stored::Full) => return End::Limit(Limit::States),
                }
                if let Some(limit) = watch.exceeded_by(self.worker.store.len() as u64, || self.so_far()) {
                    return End::Limit(limit);
                }
            }
        }
        if truncated {
            return End::Limit(Limit::Depth);
        }
        End::Complete
    }

    /// The sleep set `asleep` as positions among what is enabled in `state`.
    fn positions(&self, state: &[u8], asleep: &[S::Transition], enabled: &mut Vec<S::Transition>, out: &mut BitSet) {
        enabled.clear();
        self.worker.system.enabled(state, enabled);
        out.reset(enabled.len());
        sleep::positions(asleep, enabled, out);
    }

    /// A stored state with sleeping transitions was generated with this sleep set.
    /// `both` and `awake` are room to work in.
    fn meet_again(&mut self, id: StateId, asleep: &BitSet, both: &mut BitSet, awake: &mut BitSet) {
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
