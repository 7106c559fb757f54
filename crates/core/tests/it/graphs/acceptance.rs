//! Acceptance cycles on random graphs, against transitive closure.
//!
//! The reduction proposes arbitrary sets. Every explored cycle must have a fully
//! explored state, and the answer must be right for the explored part.

use crate::graphs::graph::{Anything, Explored, Graph, reachable};
use mazurka_core::persistent::AllEnabled;
use mazurka_core::{CycleSearch, Emptiness, End, Limits, Storage, Unsupported};
use mazurka_seeds::seeds;
use std::collections::BTreeMap;

/// Per pair of states: whether there is a path of one edge or more.
fn closure(size: usize, edges: &BTreeMap<(usize, usize), usize>) -> Vec<Vec<bool>> {
    let mut reach = vec![vec![false; size]; size];
    for ((from, _), to) in edges {
        reach[*from][*to] = true;
    }
    for via in 0..size {
        for from in 0..size {
            for to in 0..size {
                reach[from][to] |= reach[from][via] && reach[via][to];
            }
        }
    }
    reach
}

/// Whether some cycle of `edges`, all of which can be reached, has all marks.
fn accepts(graph: &Graph, edges: &BTreeMap<(usize, usize), usize>) -> bool {
    let reach = closure(graph.states.len(), edges);
    (0..graph.states.len()).any(|s| {
        let with_s = |v: usize| v == s || (reach[s][v] && reach[v][s]);
        let inside = edges
            .iter()
            .filter(|((from, _), to)| reach[s][s] && with_s(*from) && with_s(**to));
        let marks = inside.fold(0, |marks, ((from, t), _)| {
            marks | graph.states[*from].0 | graph.states[*from].1[*t].1
        });
        reach[s][s] && marks == (1 << graph.sets) - 1
    })
}

/// The lasso is an execution with all marks on its cycle.
fn check_lasso(graph: &Graph, emptiness: &Emptiness<usize>) {
    let lasso = emptiness.lasso.as_ref().expect("there is one");
    let step = |at: usize, t: usize| graph.states[at].1[t].0.expect("it does not fail");
    let start = lasso.prefix.iter().fold(0, |at, t| step(at, *t));
    let (mut at, mut marks) = (start, 0);
    assert!(!lasso.cycle.is_empty());
    for t in &lasso.cycle {
        marks |= graph.states[at].0 | graph.states[at].1[*t].1;
        at = step(at, *t);
    }
    assert_eq!((at, marks), (start, (1 << graph.sets) - 1));
}

#[test]
fn without_reduction_the_answer_is_that_of_transitive_closure() {
    seeds(20_000, |seed| {
        let mut rng = fastrand::Rng::with_seed(seed);
        let graph = Graph::random(&mut rng, seed % 4 == 0);
        let mut explored = Explored::default();
        let storage = [Storage::Exact, Storage::Collapse][seed as usize / 4 % 2];
        let search = CycleSearch {
            storage,
            ..CycleSearch::default()
        };
        let found = search.run(&graph, &mut AllEnabled, &graph, &mut explored).unwrap();
        let all = reachable(&graph);
        assert_eq!(found.lasso.is_some(), accepts(&graph, &all));
        if found.lasso.is_some() {
            assert_eq!(found.end, End::Stopped);
            check_lasso(&graph, &found);
            // On the fly: the last edge explored was needed.
            let Some(last) = explored.edges.keys().next_back() else {
                panic!()
            };
            assert!(accepts(&graph, &explored.edges), "{last:?}");
        } else {
            assert_eq!(found.end, End::Complete);
            assert_eq!(explored.edges, all);
            assert_eq!(found.statistics.states as usize, explored.states.len());
            assert_eq!(found.statistics.transitions as usize, all.len() + explored.faults.len());
        }
    });
}

#[test]
fn every_cycle_that_is_explored_has_a_fully_explored_state() {
    seeds(20_000, |seed| {
        let mut rng = fastrand::Rng::with_seed(seed);
        let graph = Graph::random(&mut rng, seed % 4 == 0);
        let mut explored = Explored::default();
        let found = CycleSearch::default()
            .run(&graph, &mut Anything(seed), &graph, &mut explored)
            .unwrap();
        assert_eq!(found.lasso.is_some(), accepts(&graph, &explored.edges));
        if found.lasso.is_some() {
            check_lasso(&graph, &found);
            return;
        }
        let full = |s: usize| {
            let count = explored
                .edges
                .keys()
                .chain(&explored.faults)
                .filter(|(from, _)| *from == s)
                .count();
            count == graph.states[s].1.len()
        };
        let mut reduced = explored.edges.clone();
        reduced.retain(|(from, _), _| !full(*from));
        let reach = closure(graph.states.len(), &reduced);
        assert!(
            (0..graph.states.len()).all(|s| !reach[s][s]),
            "a cycle without a full state"
        );
        assert!(explored.faults.iter().all(|(from, _)| full(*from)));
    });
}

#[test]
fn limits_are_respected_and_what_cannot_be_done_is_refused() {
    let line = Graph {
        sets: 1,
        states: (0..100).map(|k| (0, vec![(Some((k + 1).min(99)), 0)])).collect(),
    };
    let run = |limits| {
        let search = CycleSearch {
            limits,
            ..CycleSearch::default()
        };
        search.run(&line, &mut AllEnabled, &line, &mut ()).unwrap()
    };
    assert_eq!(run(Limits::default()).end, End::Complete);
    let few = run(Limits {
        states: Some(10),
        ..Limits::default()
    });
    assert!(matches!(few.end, End::Limit(_)) && few.statistics.states == 11);
    let shallow = run(Limits {
        depth: Some(10),
        ..Limits::default()
    });
    assert!(matches!(shallow.end, End::Limit(_)) && shallow.statistics.depth == 10);
    let many = Graph { sets: 65, ..line };
    let refused = CycleSearch::default().run(&many, &mut AllEnabled, &many, &mut ());
    assert_eq!(refused.unwrap_err(), Unsupported::AcceptanceSets(65));
}
