//! A reduced state graph that is as good as the whole for what a formula observes.
//!
//! A formula that does not notice stuttering holds in a system iff it holds in
//! every system with the same executions up to stuttering (thesis 7.3; Peled 1994). The graph made here is
//! one: from each state either everything is explored or a persistent set of steps that
//! change no atom, and each cycle has a state from which everything is.
//!
//! The graph is made first, without the automaton of the formula, and remembered: for each state, which
//! steps. Reducing the product on the fly would save that, but whether a state is explored fully then
//! depends on the state of the automaton too, and for that the theorem does not hold
//! in general (Siegel, *What's wrong with on-the-fly partial order reduction*, CAV 2019).

use crate::reduce::StubbornSets;
use crate::run::Step;
use crate::system::ModelSystem;
use mazurka_core::{
    Acceptance, CycleSearch, End, Fault, Limits, Observer, Path, StateId, Statistics, Storage, Unsupported,
};
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::ops::ControlFlow;

/// Which steps to take in each state.
#[derive(Debug)]
pub(super) struct ReducedGraph {
    hasher: [RandomState; 2],
    /// By two hashes of a state: the positions of the steps among those enabled.
    chosen: HashMap<(u64, u64), Vec<u64>>,
    pub(super) statistics: Statistics,
    pub(super) end: End,
    /// Some execution ended in a runtime error.
    pub(super) failed: bool,
    /// Steps of the explored transitions beside the first of each.
    passed: u64,
}

impl ReducedGraph {
    /// Explores the graph.
    pub(super) fn new(
        system: &ModelSystem<'_>,
        sets: &mut StubbornSets<'_>,
        storage: Storage,
        limits: Limits<'_>,
    ) -> Result<Self, Unsupported> {
        let mut graph = Self {
            hasher: [RandomState::new(), RandomState::new()],
            chosen: HashMap::new(),
            statistics: Statistics::default(),
            end: End::Complete,
            failed: false,
            passed: 0,
        };
        let emptiness = CycleSearch { storage, limits }.run(
            system,
            sets,
            &NothingAccepted,
            &mut Record {
                graph: &mut graph,
                system,
                enabled: Vec::new(),
            },
        )?;
        graph.statistics = emptiness.statistics;
        graph.statistics.transitions += graph.passed;
        graph.end = emptiness.end;
        Ok(graph)
    }

    fn key(&self, state: &[u8]) -> (u64, u64) {
        (self.hasher[0].hash_one(state), self.hasher[1].hash_one(state))
    }

    /// Keeps the chosen ones of all enabled steps.
    pub(super) fn select(&self, state: &[u8], steps: &mut Vec<Step>) {
        let Some(chosen) = self.chosen.get(&self.key(state)) else {
            return;
        };
        let mut k = 0;
        steps.retain(|_| {
            k += 1;
            mazurka_core::bitset::contains(chosen, k - 1)
        });
    }
}

/// No cycle is of interest: the search goes on to the end.
struct NothingAccepted;

impl Acceptance<Step> for NothingAccepted {
    fn sets(&self) -> usize {
        1
    }
}

/// Remembers which steps are explored.
struct Record<'a, 'p> {
    graph: &'a mut ReducedGraph,
    system: &'a ModelSystem<'p>,
    enabled: Vec<Step>,
}

impl Record<'_, '_> {
    fn taken(&mut self, from: &[u8], step: Step) {
        self.enabled.clear();
        self.system.program.steps(from, &mut self.enabled);
        let k = self.enabled.iter().position(|s| *s == step).expect("it is enabled");
        let words = mazurka_core::bitset::words_for(self.enabled.len());
        let key = self.graph.key(from);
        let chosen = self.graph.chosen.entry(key).or_insert_with(|| vec![0; words]);
        mazurka_core::bitset::insert(chosen, k);
    }
}

impl Observer<Step> for Record<'_, '_> {
    fn state(&mut self, _: StateId, _: &[u8], _: &[Step], _: &dyn Path<Step>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn transition(&mut self, from: &[u8], step: Step, _: &[u8], _: &dyn Path<Step>) -> ControlFlow<()> {
        self.taken(from, step);
        self.graph.passed += self.system.passed();
        ControlFlow::Continue(())
    }

    fn fault(&mut self, _: Fault, _: &dyn Path<Step>) -> ControlFlow<()> {
        self.graph.failed = true;
        ControlFlow::Continue(())
    }
}
