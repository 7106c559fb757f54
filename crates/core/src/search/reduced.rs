//! A reduced state graph that has the executions of the full one, up to stuttering.
//!
//! In each state either everything is explored or a persistent set of transitions that no property sees, and each cycle
//! has a state where everything is explored ([`CycleSearch`]). So every execution of the system has one of the graph
//! with the same visible transitions in the same order (thesis 7.3; Peled 1994), and a property that cannot tell the
//! two apart holds in the system iff it holds in the graph.
//!
//! The graph is built first, without the automaton of the property, and the chosen transitions of each state are
//! stored. Reducing the product with the automaton on the fly would avoid this, but then whether a state is explored
//! fully depends on the state of the automaton too, and the theorem does not hold for that in general (Siegel, *What's
//! wrong with on-the-fly partial order reduction*, CAV 2019).

use super::acceptance::{Acceptance, CycleSearch};
use super::observer::{Edge, Observer, Path};
use super::strategy::Unsupported;
use crate::bitset::{self, BitSet};
use crate::ids::StateId;
use crate::persistent::PersistentSets;
use crate::state_sets::StateSets;
use crate::store::KnownStates;
use crate::system::{Fault, System};
use mazurka_outcome::{End, Statistics};
use std::ops::ControlFlow;

/// Which transitions to take in each state of a system.
///
/// ```
/// # use mazurka_core::{Algorithm, Builder, CycleSearch, Enabling, Independence, ReducedGraph, Relation, System};
/// # let mut m = Builder::new("m");
/// let [a0, a1] = m.process("A", ["a0", "a1"]);
/// let [b0, b1] = m.process("B", ["b0", "b1"]);
/// m.transition("a", a0, a1);
/// m.transition("b", b0, b1);
/// let model = m.build()?;
/// let independence = Independence::new(&model, Relation::Conditional);
/// let mut sets = Algorithm::Conditional.open(&independence, Enabling::Fewest);
/// let graph = ReducedGraph::new(&CycleSearch::default(), &model, &mut *sets, &mut ())?;
/// assert_eq!(graph.statistics().states, 3);
///
/// let (mut state, mut enabled) = (Vec::new(), Vec::new());
/// model.initial(&mut state);
/// model.enabled(&state, &mut enabled);
/// graph.select(&state, &mut enabled);
/// assert_eq!(enabled.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ReducedGraph {
    states: KnownStates,
    /// For each state, the positions of the chosen transitions among those enabled.
    chosen: StateSets,
    statistics: Statistics,
    end: End,
    failed: bool,
}

impl ReducedGraph {
    /// Explores a system. `sets` proposes the sets that visibility allows; `observer` looks on.
    ///
    /// # Errors
    /// If the storage of the search forgets states.
    pub fn new<S, P, O>(
        search: &CycleSearch<'_>,
        system: &S,
        sets: &mut P,
        observer: &mut O,
    ) -> Result<Self, Unsupported>
    where
        S: System,
        P: PersistentSets<S::Transition> + ?Sized,
        O: Observer<S> + ?Sized,
    {
        let mut record = Record {
            observer,
            chosen: StateSets::default(),
            enabled: Vec::new(),
            failed: false,
            set: BitSet::default(),
        };
        let (emptiness, states) = search.run_and_keep(system, sets, &NothingAccepted, &mut record)?;
        let mut statistics = emptiness.statistics;
        statistics.bytes += record.chosen.bytes();
        Ok(Self {
            states,
            chosen: record.chosen,
            statistics,
            end: emptiness.end,
            failed: record.failed,
        })
    }

    /// Keeps only the chosen ones of all transitions that are enabled in a state.
    pub fn select<T>(&self, state: &[u8], enabled: &mut Vec<T>) {
        let Some(id) = self.states.find(state).filter(|id| self.chosen.any(*id)) else {
            return;
        };
        let chosen = self.chosen.get(id);
        let mut k = 0;
        enabled.retain(|_| {
            k += 1;
            bitset::contains(chosen, k - 1)
        });
    }

    /// What it cost.
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// How the exploration ended. Unless it is complete, nothing follows from the graph.
    pub fn end(&self) -> End {
        self.end
    }

    /// Whether some transition failed. What would come after it is not known.
    pub fn failed(&self) -> bool {
        self.failed
    }
}

/// Accepts no cycle, so that the search runs to its end.
struct NothingAccepted;

impl<T> Acceptance<T> for NothingAccepted {
    fn sets(&self) -> usize {
        1
    }
}

/// Records which transitions are explored.
struct Record<'o, O: ?Sized> {
    observer: &'o mut O,
    chosen: StateSets,
    /// For each state, the number of enabled transitions.
    enabled: Vec<usize>,
    failed: bool,
    /// Scratch space.
    set: BitSet,
}

impl<S: System, O: Observer<S> + ?Sized> Observer<S> for Record<'_, O> {
    fn state(
        &mut self,
        id: StateId,
        state: &[u8],
        enabled: &[S::Transition],
        path: &dyn Path<S::Transition>,
    ) -> ControlFlow<()> {
        debug_assert_eq!(id.index(), self.enabled.len(), "ids are dense");
        self.enabled.push(enabled.len());
        self.observer.state(id, state, enabled, path)
    }

    fn transition(&mut self, edge: &Edge<'_, S>, path: &dyn Path<S::Transition>) -> ControlFlow<()> {
        self.set.reset(self.enabled[edge.from.index()]);
        if self.chosen.any(edge.from) {
            self.set.copy_from_slice(self.chosen.get(edge.from));
        }
        bitset::insert(&mut self.set, edge.position);
        self.chosen.set(edge.from, &self.set);
        self.observer.transition(edge, path)
    }

    fn fault(&mut self, fault: Fault, scratch: &S::Scratch, path: &dyn Path<S::Transition>) -> ControlFlow<()> {
        self.failed = true;
        self.observer.fault(fault, scratch, path)
    }
}
