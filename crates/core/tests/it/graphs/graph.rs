//! Random graphs as systems, the part that a search explored, and everything reachable.

use mazurka_core::bitset::{self, BitSet};
use mazurka_core::persistent::PersistentSets;
use mazurka_core::{Acceptance, Fault, Observer, Path, StateId, System};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// A graph with marks on states and edges. A state is its number and some bytes
/// after it, so that states have several lengths.
pub(crate) struct Graph {
    pub(crate) sets: usize,
    /// Per state: its marks, and its edges.
    pub(crate) states: Vec<(u64, Vec<Edge>)>,
}

/// The target of an edge, `None` if it fails, and its marks.
pub(crate) type Edge = (Option<usize>, u64);

pub(crate) fn state(number: usize) -> Vec<u8> {
    let mut bytes = vec![number as u8];
    bytes.resize(1 + number % 3, 7);
    bytes
}

impl Graph {
    pub(crate) fn random(rng: &mut fastrand::Rng, faults: bool) -> Self {
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

    pub(crate) fn edge(&self, from: &[u8], t: usize) -> Edge {
        self.states[from[0] as usize].1[t]
    }
}

impl System for Graph {
    type Transition = usize;
    type Scratch = ();

    fn scratch(&self) {}

    fn initial(&self, out: &mut Vec<u8>) {
        *out = state(0);
    }

    fn enabled(&self, state: &[u8], out: &mut Vec<usize>) {
        out.extend(0..self.states[state[0] as usize].1.len());
    }

    fn fire(&self, (): &mut (), from: &[u8], t: usize, next: &mut Vec<u8>) -> Result<(), Fault> {
        *next = state(self.edge(from, t).0.ok_or(Fault::new("it fails"))?);
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

/// Arbitrary sets, the same whenever a state is met.
pub(crate) struct Anything(pub(crate) u64);

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
pub(crate) struct Explored {
    pub(crate) edges: BTreeMap<(usize, usize), usize>,
    pub(crate) faults: Vec<(usize, usize)>,
    pub(crate) states: Vec<usize>,
}

impl Observer<Graph> for Explored {
    fn state(&mut self, _: StateId, state: &[u8], _: &[usize], _: &dyn Path<usize>) -> ControlFlow<()> {
        self.states.push(state[0] as usize);
        ControlFlow::Continue(())
    }

    fn transition(&mut self, edge: &mazurka_core::Edge<'_, Graph>, _: &dyn Path<usize>) -> ControlFlow<()> {
        let (from, to) = (edge.before[0] as usize, edge.after[0] as usize);
        let twice = self.edges.insert((from, edge.transition), to);
        assert_eq!(twice, None, "no edge is explored twice");
        ControlFlow::Continue(())
    }

    fn fault(&mut self, _: Fault, (): &(), path: &dyn Path<usize>) -> ControlFlow<()> {
        let path = path.transitions();
        let from = path[..path.len() - 1].iter().fold(0, |at, t| self.edges[&(at, *t)]);
        self.faults.push((from, path[path.len() - 1]));
        ControlFlow::Continue(())
    }
}

/// Everything that can be reached.
pub(crate) fn reachable(graph: &Graph) -> BTreeMap<(usize, usize), usize> {
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
