//! The control flow of a proctype, as stubborn sets ask for it.
//!
//! A transition begins with an edge at the location where its process rests. It ends at the edge's end, or, inside
//! `atomic`, wherever the process gives up exclusive control. So an edge *enters* a location if the transition that
//! begins with it may leave its process there. For an edge of a process that rests elsewhere, the edges that enter its location
//! are a necessary enabling set (thesis, Def. 4.14): the process has to arrive first.

use super::obstacles::may_last;
use crate::ir::{Automaton, Graph, LocationId};
use mazurka_core::bitset::{self, BitMatrix};

/// Proctypes with more edges than this are looked at less closely: a matrix of all pairs of edges would be too large.
const FINE: usize = 1024;

/// The control flow of one proctype.
#[derive(Clone, Debug)]
pub(super) struct Flow {
    /// For each location, the edges that can be executed from there on.
    reach: BitMatrix,
    /// For each location, the edges that enter it from elsewhere.
    entering: Vec<Vec<u32>>,
    /// For each edge, its location.
    from: Vec<LocationId>,
    /// The edges that may be impossible for a lasting reason.
    cuts: Vec<u64>,
    /// Those, and all that come after one.
    cuttable: Vec<u64>,
    /// For each edge, those that it forces.
    forced: BitMatrix,
}

impl Flow {
    /// The control flow of a proctype, unless it is too large.
    pub(super) fn of(automaton: &Automaton) -> Option<Self> {
        let graph = &automaton.graph;
        if graph.edges.len() > FINE {
            return None;
        }
        let mut from = vec![LocationId(0); graph.edges.len()];
        for (l, location) in graph.locations.iter().enumerate() {
            from[location.edges()].fill(LocationId(u16::try_from(l).expect("locations have such numbers")));
        }
        let reach = reach(graph);
        let mut cuts = vec![0; bitset::words_for(graph.edges.len())];
        let mut cuttable = cuts.clone();
        for (k, edge) in graph
            .edges
            .iter()
            .enumerate()
            .filter(|(_, edge)| may_last(edge, automaton))
        {
            bitset::insert(&mut cuts, k);
            bitset::insert(&mut cuttable, k);
            bitset::union(&mut cuttable, reach.row(edge.to.index()));
        }
        let entering = entering(graph, &from);
        Some(Self {
            forced: forced(graph, &from, &entering, &cuts),
            cuts,
            cuttable,
            entering,
            reach,
            from,
        })
    }

    /// The edges that can be executed by a process that is at a location, there or later.
    #[inline]
    pub(super) fn reach(&self, location: LocationId) -> &[u64] {
        self.reach.row(location.index())
    }

    /// The location of an edge.
    pub(super) fn from(&self, edge: usize) -> LocationId {
        self.from[edge]
    }

    /// The edges that enter the location of an edge from elsewhere.
    #[inline]
    pub(super) fn entering(&self, edge: usize) -> &[u32] {
        &self.entering[self.from[edge].index()]
    }

    /// The edges from which a process comes to an edge without passing one that may be impossible for a lasting reason or is at the
    /// same location as the first: see [`arrivals`](super::arrivals).
    pub(super) fn forced(&self, edge: usize) -> &[u64] {
        self.forced.row(edge)
    }

    /// Whether an edge may be impossible for a lasting reason.
    #[inline]
    pub(super) fn may_cut(&self, edge: usize) -> bool {
        bitset::contains(&self.cuts, edge)
    }

    /// The edges that may be impossible for a lasting reason, and all that come after one.
    pub(super) fn cuttable(&self) -> &[u64] {
        &self.cuttable
    }
}

/// For each location, the edges that can be executed from there on.
fn reach(graph: &Graph) -> BitMatrix {
    let mut reach = BitMatrix::new(graph.locations.len(), graph.edges.len());
    let mut next = Vec::new();
    let mut changed = true;
    while changed {
        changed = false;
        for (l, location) in graph.locations.iter().enumerate().rev() {
            next.clear();
            next.extend_from_slice(reach.row(l));
            for k in location.edges() {
                bitset::insert(&mut next, k);
                bitset::union(&mut next, reach.row(graph.edges[k].to.index()));
            }
            if next != reach.row(l) {
                reach.row_mut(l).copy_from_slice(&next);
                changed = true;
            }
        }
    }
    reach
}

/// For each location, the edges that enter it from elsewhere. `from` has the location of each edge.
fn entering(graph: &Graph, from: &[LocationId]) -> Vec<Vec<u32>> {
    let mut into = vec![Vec::new(); graph.locations.len()];
    for (k, edge) in graph.edges.iter().enumerate() {
        into[edge.to.index()].push(crate::narrow::index(k));
    }
    let keeps = |k: &u32| graph.edges[*k as usize].keeps;
    let entering = (0..graph.locations.len()).map(|l| {
        let mut found: Vec<u32> = into[l].clone();
        let mut seen = vec![false; graph.edges.len()];
        found.iter().for_each(|k| seen[*k as usize] = true);
        let mut at = 0;
        while let Some(k) = found.get(at) {
            for before in into[from[*k as usize].index()].iter().filter(|k| keeps(k)) {
                if !std::mem::replace(&mut seen[*before as usize], true) {
                    found.push(*before);
                }
            }
            at += 1;
        }
        found.retain(|k| from[*k as usize].index() != l);
        found
    });
    entering.collect()
}

/// For each edge, those that it [forces](Flow::forced).
fn forced(graph: &Graph, from: &[LocationId], entering: &[Vec<u32>], cuts: &[u64]) -> BitMatrix {
    let count = graph.edges.len();
    // For each edge, the locations that it enters.
    let mut enters = vec![Vec::new(); count];
    for (location, edges) in entering.iter().enumerate() {
        edges.iter().for_each(|edge| enters[*edge as usize].push(location));
    }
    let mut forced = BitMatrix::new(count, count);
    let mut seen = vec![usize::MAX; count];
    let mut todo = Vec::new();
    for (first, here) in from.iter().enumerate() {
        todo.clear();
        todo.push(first);
        while let Some(edge) = todo.pop() {
            for location in enters[edge].iter().filter(|l| **l != here.index()) {
                for next in graph.locations[*location].edges() {
                    if seen[next] != first && !bitset::contains(cuts, next) {
                        seen[next] = first;
                        bitset::insert(forced.row_mut(next), first);
                        todo.push(next);
                    }
                }
            }
        }
    }
    forced
}
