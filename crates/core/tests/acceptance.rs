//! Acceptance cycles on random graphs, against transitive closure.
//!
//! The reduction proposes any sets at all: what is explored must have a fully
//! explored state on every cycle, and the answer must be right about what is explored.

use mazurka_core::bitset::{self, BitSet};
use mazurka_core::persistent::{AllEnabled, PersistentSets};
use mazurka_core::{
    Acceptance, CycleSearch, Emptiness, End, Fault, Limits, Observer, Path, StateId, Storage, System, Unsupported,
};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// A graph with marks on states and edges. A state is its number and some bytes
/// after it, so that states have several lengths.
struct Graph {
    sets: usize,
    /// Per state: its marks, and its edges.
    states: Vec<(u64, Vec<Edge>)>,
}

/// Where it leads, `None` if it fails, and its marks.
type Edge = (Option<usize>, u64);

/// Calls `check` with many seeds, or with `MAZURKA_SEED` alone, and says which failed.
fn seeds(cases: u64, check: impl Fn(u64)) {
    let one = std::env::var("MAZURKA_SEED").ok().and_then(|seed| seed.parse().ok());
    for seed in one.map_or(0..cases, |seed| seed..seed + 1) {
        let check = std::panic::AssertUnwindSafe(|| check(seed));
        if let Err(panic) = std::panic::catch_unwind(check) {
            eprintln!("failed: run it again with MAZURKA_SEED={seed}");
            std::panic::resume_unwind(panic);
        }
    }
}

fn state(number: usize) -> Vec<u8> {
    let mut bytes = vec![number as u8];
    bytes.resize(1 + number % 3, 7);
    bytes
}

impl Graph {
    fn random(rng: &mut fastrand::Rng, faults: bool) -> Self {
        let size = rng.usize(1..14);
        let sets = rng.usize(0..4);
        let rare = rng.u32(1..8);
        let marks = |rng: &mut fastrand::Rng| {
            (0..sets).fold(0, |marks, set| marks | u64::from(rng.u32(0..4 * rare) == 0) << set)
        };
        let most = rng.usize(1..4);
        let states = (0..size).map(|_| {
            let edges = (0..rng.usize(0..=most)).map(|_| {
                let fails = faults && rng.u32(0..8) == 0;
                ((!fails).then(|| rng.usize(0..size)), marks(rng))
            });
            let edges = edges.collect();
            (marks(rng), edges)
        });
        Self {
            sets,
            states: states.collect(),
        }
    }

    fn edge(&self, from: &[u8], t: usize) -> Edge {
        self.states[from[0] as usize].1[t]
    }
}

impl System for Graph {
    type Transition = usize;

    fn initial(&self, out: &mut Vec<u8>) {
        *out = state(0);
    }

    fn enabled(&self, state: &[u8], out: &mut Vec<usize>) {
        out.extend(0..self.states[state[0] as usize].1.len());
    }

    fn fire(&self, from: &[u8], t: usize, next: &mut Vec<u8>) -> Result<(), Fault> {
        *next = state(self.edge(from, t).0.ok_or(Fault("it fails".into()))?);
        Ok(())
    }
}

impl Acceptance<usize> for Graph {
    fn sets(&self) -> usize {
        self.sets
    }

    fn state_marks(&self, state: &[u8]) -> u64 {
        self.states[state[0] as usize].0
    }

    fn transition_marks(&self, from: &[u8], t: usize, _: &[u8]) -> u64 {
        self.edge(from, t).1
    }
}

/// Any sets at all, the same whenever a state is met.
struct Anything(u64);

impl PersistentSets<usize> for Anything {
    fn containing(&mut self, state: &[u8], enabled: &[usize], start: usize, _: usize, out: &mut BitSet) -> bool {
        let mut rng = fastrand::Rng::with_seed(self.0 << 16 | u64::from(state[0]) << 8 | start as u64);
        out.reset(enabled.len());
        bitset::insert(out, start);
        (0..enabled.len())
            .filter(|_| rng.bool())
            .for_each(|k| bitset::insert(out, k));
        true
    }
}

/// The edges that were explored: from, transition.
#[derive(Default)]
struct Explored {
    edges: BTreeMap<(usize, usize), usize>,
    faults: Vec<(usize, usize)>,
    states: Vec<usize>,
}

impl Observer<usize> for Explored {
    fn state(&mut self, _: StateId, state: &[u8], _: &[usize], _: &dyn Path<usize>) -> ControlFlow<()> {
        self.states.push(state[0] as usize);
        ControlFlow::Continue(())
    }

    fn transition(&mut self, from: &[u8], t: usize, to: &[u8], _: &dyn Path<usize>) -> ControlFlow<()> {
        let twice = self.edges.insert((from[0] as usize, t), to[0] as usize);
        assert_eq!(twice, None, "no edge is explored twice");
        ControlFlow::Continue(())
    }

    fn fault(&mut self, _: Fault, path: &dyn Path<usize>) -> ControlFlow<()> {
        let path = path.transitions();
        let from = path[..path.len() - 1].iter().fold(0, |at, t| self.edges[&(at, *t)]);
        self.faults.push((from, path[path.len() - 1]));
        ControlFlow::Continue(())
    }
}

/// Per pair of states: whether there is a way of one edge or more.
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

/// Everything that can be reached.
fn reachable(graph: &Graph) -> BTreeMap<(usize, usize), usize> {
    let mut edges = BTreeMap::new();
    let mut seen = vec![0];
    let mut k = 0;
    while k < seen.len() {
        let from = seen[k];
        for (t, (to, _)) in graph.states[from].1.iter().enumerate() {
            let Some(to) = *to else { continue };
            edges.insert((from, t), to);
            if !seen.contains(&to) {
                seen.push(to);
            }
        }
        k += 1;
    }
    edges
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
