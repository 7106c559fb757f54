//! Every search gives the answers of the naive search.
//!
//! All combinations of persistent sets, sleep sets, provisos, stores and orders
//! run on random models. Deadlocks always agree. With a proviso or without
//! persistent sets, so do coverage and violations (thesis, Thms 4.3, 5.2, 6.11,
//! 6.16). Combinations without a theory are refused.

use mazurka_core::{
    Algorithm, Configuration, Coverage, Edge, Findings, Independence, Limits, Model, Observer, Order, Outcome, Path,
    ProvisoKind, Relation, Search, SearchError, StateId, Storage, TransitionId, Unsupported, Verdict,
};
use mazurka_testkit::definitions::{Edges, IndependenceTable, trace_automaton};
use mazurka_testkit::{RandomModel, Shape, StateSpace, random_model, seeds};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

const ALGORITHMS: [Algorithm; 6] = [
    Algorithm::AllEnabled,
    Algorithm::Conflicting,
    Algorithm::Overman,
    Algorithm::Stubborn,
    Algorithm::Conditional,
    Algorithm::Weak,
];
const PROVISOS: [ProvisoKind; 3] = [ProvisoKind::None, ProvisoKind::Stack, ProvisoKind::Component];
const RELATIONS: [Relation; 3] = [Relation::Constant, Relation::WeaklyUniform, Relation::Conditional];

/// One combination of settings, shown in messages.
#[derive(Clone, Copy, Debug)]
struct Combination {
    algorithm: Algorithm,
    sleep: bool,
    proviso: ProvisoKind,
    relation: Option<Relation>,
    order: Order,
    storage: Storage,
}

impl Combination {
    fn search<'m>(&self, model: &'m Model) -> Search<'m> {
        let search = Search::new(model)
            .persistent(self.algorithm)
            .sleep(self.sleep)
            .proviso(self.proviso)
            .order(self.order)
            .store(self.storage);
        match self.relation {
            Some(relation) => search.relation(relation),
            None => search,
        }
    }

    /// Whether the theory does not cover it (thesis 6.3, 6.5, 8.4).
    fn is_unsupported(&self, model: &Model) -> bool {
        let breadth_first = self.order == Order::BreadthFirst;
        let not_uniform = self.relation == Some(Relation::Conditional)
            && self.algorithm != Algorithm::AllEnabled
            && self.proviso != ProvisoKind::None
            && model.not_weakly_uniform().is_some();
        (self.sleep && (self.proviso == ProvisoKind::Component || not_uniform))
            || (breadth_first && (self.proviso != ProvisoKind::None || self.storage != Storage::Exact))
            || self.storage == Storage::Cache(0)
            || (self.algorithm == Algorithm::Weak && (self.sleep || self.proviso != ProvisoKind::None))
    }
}

fn combinations(storages: &[Storage], relations: &[Option<Relation>]) -> Vec<Combination> {
    let mut all = Vec::new();
    for algorithm in ALGORITHMS {
        for sleep in [false, true] {
            for proviso in PROVISOS {
                for order in [Order::DepthFirst, Order::BreadthFirst] {
                    for storage in storages {
                        for relation in relations {
                            all.push(Combination {
                                algorithm,
                                sleep,
                                proviso,
                                relation: *relation,
                                order,
                                storage: *storage,
                            });
                        }
                    }
                }
            }
        }
    }
    all
}

/// What the naive search finds.
struct Expected {
    deadlocks: BTreeSet<Configuration>,
    violated: BTreeSet<usize>,
    coverage: Coverage,
}

impl Expected {
    fn new(model: &Model, space: &StateSpace) -> Self {
        let all = (0..model.transitions()).map(TransitionId::new);
        let live: BTreeSet<&str> = space.executed().iter().map(|t| model.transition_name(*t)).collect();
        let mut dead: Vec<String> = Vec::new();
        for t in all {
            let name = model.transition_name(t);
            // The transitions of invariants are not the user's.
            if !name.starts_with("invariant ") && !live.contains(name) && !dead.iter().any(|d| d == name) {
                dead.push(name.into());
            }
        }
        let reached = space.reached();
        let locals = (0..model.locals()).map(mazurka_core::LocalId::new);
        let unreached = locals.filter(|l| !reached.contains(l) && !model.is_monitor(model.process_of(*l)));
        let mut coverage = Coverage::default();
        (coverage.dead_transitions, coverage.unreached) = (dead, unreached.collect());
        Self {
            deadlocks: space.deadlocks(model),
            violated: space.violated.iter().map(|p| p.index()).collect(),
            coverage,
        }
    }

    fn check(&self, model: &Model, combination: &Combination, outcome: &Outcome<Findings>) {
        let found: BTreeSet<Configuration> = outcome.deadlocks.iter().map(|d| d.state.clone()).collect();
        assert_eq!(
            found.len(),
            outcome.deadlocks.len(),
            "a deadlock twice: {combination:?}"
        );
        assert_eq!(found, self.deadlocks, "deadlocks: {combination:?}");
        let properties = outcome.violations.iter();
        let violated: BTreeSet<usize> = properties.map(|v| v.property.expect("no fault").index()).collect();
        assert!(violated.is_subset(&self.violated), "false alarm: {combination:?}");
        let tells_all = combination.search(model).is_trace_automaton();
        if tells_all {
            assert_eq!(violated, self.violated, "violations: {combination:?}");
            let mut coverage = outcome
                .coverage
                .clone()
                .expect("a complete search of a trace automaton");
            let mut expected = self.coverage.clone();
            coverage.dead_transitions.sort();
            expected.dead_transitions.sort();
            assert_eq!(coverage, expected, "coverage: {combination:?}");
        } else {
            assert_eq!(outcome.coverage, None, "coverage is not known: {combination:?}");
        }
        let bad = !found.is_empty() || !violated.is_empty();
        match outcome.verdict {
            Verdict::Violated => assert!(bad, "{combination:?}"),
            Verdict::Holds => assert!(
                !bad && (tells_all || model.properties().is_empty() && !model.can_fault()),
                "{combination:?}"
            ),
            Verdict::Inconclusive(_) => assert!(
                !bad && !tells_all && (model.can_fault() || !model.properties().is_empty()),
                "{combination:?}"
            ),
        }
    }
}

#[test]
fn exact_searches_agree_with_the_naive_search() {
    seeds(200, |seed| {
        let RandomModel { model, space, .. } = random_model(seed, &Shape::small());
        let expected = Expected::new(&model, &space);
        let relation = RELATIONS[seed as usize % 3];
        for combination in combinations(&[Storage::Exact], &[None, Some(relation)]) {
            if combination.is_unsupported(&model) {
                continue;
            }
            let outcome = combination.search(&model).run().expect("supported");
            assert!(outcome.is_complete(), "{combination:?}");
            expected.check(&model, &combination, &outcome);
            let states = space.states.len() as u64;
            assert!(outcome.statistics.states <= states, "{combination:?}");
            if combination.algorithm == Algorithm::AllEnabled {
                assert_eq!(
                    outcome.statistics.states, states,
                    "sleep sets remove no states: {combination:?}"
                );
            }
        }
    });
}

#[test]
fn searches_with_a_cache_agree_with_the_naive_search() {
    let shape = Shape {
        states: 60,
        ..Shape::small()
    };
    seeds(150, |seed| {
        let RandomModel { model, space, .. } = random_model(seed, &shape);
        let expected = Expected::new(&model, &space);
        let all = space.states.len();
        let storages = [1, 3, all / 2 + 1, all].map(Storage::Cache);
        let relation = RELATIONS[seed as usize % 3];
        for mut combination in combinations(&storages, &[None, Some(relation)]) {
            if combination.is_unsupported(&model) {
                continue;
            }
            // With a cache that is smaller than the current path, there is no answer. With one
            // that forgets much, a search may take for ever.
            let limits = Limits {
                states: Some(3_000),
                ..Limits::default()
            };
            loop {
                let outcome = combination.search(&model).limits(limits).run().expect("supported");
                if outcome.is_complete() {
                    expected.check(&model, &combination, &outcome);
                    break;
                }
                let Storage::Cache(size) = combination.storage else {
                    unreachable!("only caches are too small")
                };
                assert!(size < all, "a cache for all states is large enough: {combination:?}");
                combination.storage = Storage::Cache(size * 2);
            }
        }
    });
}

/// Remembers which states and edges of the naive state space were explored.
struct Recorder<'a> {
    model: &'a Model,
    space: &'a StateSpace,
    states: BTreeSet<usize>,
    /// For each id of the search, the number of the state and the transitions enabled there.
    ids: BTreeMap<StateId, (usize, Vec<TransitionId>)>,
    edges: Edges,
}

impl<'a> Recorder<'a> {
    fn new(model: &'a Model, space: &'a StateSpace) -> Self {
        Self {
            model,
            space,
            states: BTreeSet::new(),
            ids: BTreeMap::new(),
            edges: Edges::new(),
        }
    }

    fn number(&self, state: &[u8]) -> usize {
        let state = Configuration::decode(self.model, state);
        *self.space.number.get(&state).expect("a state that is not reachable")
    }
}

impl Observer<Model> for Recorder<'_> {
    fn state(
        &mut self,
        id: StateId,
        state: &[u8],
        enabled: &[TransitionId],
        path: &dyn Path<TransitionId>,
    ) -> ControlFlow<()> {
        let number = self.number(state);
        self.ids.insert(id, (number, enabled.to_vec()));
        assert!(self.states.insert(number), "an exact store has every state once");
        let mut enabled = enabled.to_vec();
        enabled.sort();
        assert!(enabled.iter().copied().eq(self.space.enabled(number)), "enabled");
        let mut at = 0;
        for t in path.transitions() {
            at = self.space.after(at, t).expect("the path is executable");
        }
        assert_eq!(at, number, "the path leads to the state");
        ControlFlow::Continue(())
    }

    fn transition(&mut self, edge: &Edge<'_, Model>, _: &dyn Path<TransitionId>) -> ControlFlow<()> {
        let (from, to) = (self.number(edge.before), self.number(edge.after));
        assert_eq!(self.space.after(from, edge.transition), Some(to));
        let (known, enabled) = &self.ids[&edge.from];
        assert_eq!(*known, from, "the id of the state that it leaves");
        assert_eq!(
            enabled[edge.position], edge.transition,
            "the position among what is enabled"
        );
        match self
            .ids
            .get(&edge.to.expect("an exact store has an id for every state"))
        {
            Some((known, _)) => assert_eq!(*known, to, "the id of the state that it leads to"),
            None => assert!(!self.states.contains(&to), "a new id for a known state"),
        }
        self.edges.entry(from).or_default().insert(edge.transition);
        ControlFlow::Continue(())
    }
}

#[test]
fn explored_states_and_edges_are_part_of_the_state_space() {
    seeds(80, |seed| {
        let RandomModel { model, space, .. } = random_model(seed, &Shape::small());
        for combination in combinations(&[Storage::Exact], &[None]) {
            let mut recorder = Recorder::new(&model, &space);
            if combination.is_unsupported(&model) {
                continue;
            }
            combination.search(&model).observe(&mut recorder).expect("supported");
            if combination.algorithm == Algorithm::AllEnabled {
                assert_eq!(recorder.states.len(), space.states.len(), "{combination:?}");
                if !combination.sleep {
                    let edges: usize = recorder.edges.values().map(BTreeSet::len).sum();
                    let all: usize = (0..space.states.len()).map(|s| space.enabled(s).count()).sum();
                    assert_eq!(edges, all, "{combination:?}");
                }
            }
        }
    });
}

#[test]
fn searches_with_a_proviso_explore_trace_automata() {
    let shape = Shape {
        states: 24,
        ..Shape::tiny()
    };
    seeds(80, |seed| {
        let RandomModel { model, space, .. } = random_model(seed, &shape);
        let tables = RELATIONS.map(|r| IndependenceTable::new(&space, &Independence::new(&model, r)));
        for combination in combinations(&[Storage::Exact], &[None, Some(RELATIONS[seed as usize % 3])]) {
            let search = combination.search(&model);
            if combination.is_unsupported(&model) || !search.is_trace_automaton() {
                continue;
            }
            let mut recorder = Recorder::new(&model, &space);
            search.observe(&mut recorder).expect("supported");
            let relation = search.supported().expect("supported");
            let table = &tables[RELATIONS.iter().position(|r| *r == relation).expect("one of them")];
            trace_automaton(&model, &space, table, &recorder.edges, 5)
                .unwrap_or_else(|e| panic!("{combination:?}: {e}"));
        }
    });
}

#[test]
fn combinations_without_a_theory_are_refused() {
    let mut seen = BTreeSet::new();
    for seed in 0..20 {
        let RandomModel { model, .. } = random_model(seed, &Shape::tiny());
        let storages = [Storage::Exact, Storage::Cache(0), Storage::Cache(5)];
        for combination in combinations(&storages, &[None, Some(Relation::Conditional)]) {
            let refused = combination.search(&model).run();
            assert_eq!(refused.is_err(), combination.is_unsupported(&model), "{combination:?}");
            if let Err(error) = refused {
                let SearchError::Unsupported(reason) = error else {
                    panic!("{combination:?}: {error}")
                };
                seen.insert(match reason {
                    Unsupported::ComponentWithSleep => 0,
                    Unsupported::ProvisoWithoutDepthFirst => 1,
                    Unsupported::CacheWithoutDepthFirst => 2,
                    Unsupported::NotWeaklyUniform { .. } => 3,
                    Unsupported::EmptyCache => 4,
                    Unsupported::WeakWithMore => 5,
                    other => panic!("{other}"),
                });
            }
        }
    }
    assert_eq!(seen.len(), 6, "every reason is met");
}

#[test]
fn invariants_are_violated_where_their_formula_is_false() {
    seeds(250, |seed| {
        let RandomModel {
            model,
            space,
            invariants,
            ..
        } = random_model(seed, &Shape::small());
        for (name, formula) in invariants {
            let somewhere_false = space.states.iter().any(|s| !formula.holds(s));
            let property = model.properties().iter().position(|p| p.name == name).expect("stated");
            let violated = space.violated.iter().any(|p| p.index() == property);
            assert_eq!(violated, somewhere_false, "{name}: {formula:?}");
        }
    });
}
