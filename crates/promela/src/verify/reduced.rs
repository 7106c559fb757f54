//! A reduced state graph that is equivalent to the full graph for a formula.
//!
//! A stutter-invariant formula holds in a system iff it holds in
//! every system with the same executions up to stuttering (thesis 7.3; Peled 1994). The reduced graph is
//! such a system: in each state either everything is explored or a persistent set of steps that
//! change no atom, and each cycle has a state where everything is explored.
//!
//! The graph is built first, without the automaton of the formula, and the steps of each state are stored.
//! Reducing the product on the fly would avoid this, but then whether a state is explored fully
//! depends on the state of the automaton too, and the theorem does not hold for that
//! in general (Siegel, *What's wrong with on-the-fly partial order reduction*, CAV 2019).

use crate::reduce::StubbornSets;
use crate::run::Step;
use crate::system::{ModelSystem, Scratch};
use mazurka_core::bitset::{self, BitSet};
use mazurka_core::{
    Acceptance, CycleSearch, Edge, End, Fault, KnownStates, Limits, Observer, Path, StateId, StateSets, Statistics,
    Storage, Unsupported,
};
use std::ops::ControlFlow;

/// The steps to take in each state.
#[derive(Debug)]
pub(super) struct ReducedGraph {
    states: KnownStates,
    /// For each state, the positions of the steps among those enabled.
    chosen: StateSets,
    pub(super) statistics: Statistics,
    pub(super) end: End,
    /// Whether some execution ended in a runtime error.
    pub(super) failed: bool,
}

impl ReducedGraph {
    /// Explores the graph.
    pub(super) fn new(
        system: &ModelSystem<'_>,
        sets: &mut StubbornSets<'_>,
        storage: Storage,
        limits: Limits<'_>,
    ) -> Result<Self, Unsupported> {
        let mut record = Record::default();
        let search = CycleSearch { storage, limits };
        let (emptiness, states) = search.run_and_keep(system, sets, &NothingAccepted, &mut record)?;
        let mut statistics = emptiness.statistics;
        statistics.transitions += record.passed;
        statistics.bytes += record.chosen.bytes();
        Ok(Self {
            states,
            chosen: record.chosen,
            statistics,
            end: emptiness.end,
            failed: record.failed,
        })
    }

    /// Keeps only the chosen steps of all enabled ones.
    pub(super) fn select(&self, state: &[u8], steps: &mut Vec<Step>) {
        let Some(id) = self.states.find(state).filter(|id| self.chosen.any(*id)) else {
            return;
        };
        let chosen = self.chosen.get(id);
        let mut k = 0;
        steps.retain(|_| {
            k += 1;
            bitset::contains(chosen, k - 1)
        });
    }
}

/// Accepts no cycle, so that the search runs to its end.
struct NothingAccepted;

impl Acceptance<Step> for NothingAccepted {
    fn sets(&self) -> usize {
        1
    }
}

/// Records which steps are explored.
#[derive(Default)]
struct Record {
    chosen: StateSets,
    /// For each state, the number of enabled steps.
    enabled: Vec<u32>,
    failed: bool,
    /// The number of steps of the explored transitions, not counting the first of each.
    passed: u64,
    /// Scratch space.
    set: BitSet,
}

impl<'p> Observer<ModelSystem<'p>> for Record {
    fn state(&mut self, id: StateId, _: &[u8], enabled: &[Step], _: &dyn Path<Step>) -> ControlFlow<()> {
        debug_assert_eq!(id.index(), self.enabled.len(), "ids are dense");
        self.enabled.push(crate::narrow::index(enabled.len()));
        ControlFlow::Continue(())
    }

    fn transition(&mut self, edge: &Edge<'_, ModelSystem<'p>>, _: &dyn Path<Step>) -> ControlFlow<()> {
        self.set.reset(self.enabled[edge.from.index()] as usize);
        if self.chosen.any(edge.from) {
            self.set.copy_from_slice(self.chosen.get(edge.from));
        }
        bitset::insert(&mut self.set, edge.position);
        self.chosen.set(edge.from, &self.set);
        self.passed += edge.scratch.passed;
        ControlFlow::Continue(())
    }

    fn fault(&mut self, _: Fault, _: &Scratch<'p>, _: &dyn Path<Step>) -> ControlFlow<()> {
        self.failed = true;
        ControlFlow::Continue(())
    }
}
