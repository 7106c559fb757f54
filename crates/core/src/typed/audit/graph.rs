//! The reachable states of a typed model as a graph, breadth first.

use crate::system::System;
use crate::typed::{Model, Typed};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// States by their numbers. The first `edges.len()` of them were explored.
pub(super) struct Graph<A> {
    pub(super) states: Vec<Vec<u8>>,
    /// Per explored state: what can happen, and where it leads.
    pub(super) edges: Vec<Vec<(A, usize)>>,
    /// Per state but the first: where it was reached from, and how.
    reached: Vec<(usize, A)>,
    pub(super) complete: bool,
}

impl<A: Copy> Graph<A> {
    /// Explores states as long as there are not more than the limit.
    pub(super) fn explore<M: Model<Action = A>>(system: Typed<'_, M>, limit: Option<u64>) -> Self
    where
        A: Eq,
    {
        let mut first = Vec::new();
        system.initial(&mut first);
        let mut numbers = HashMap::from([(first.clone(), 0)]);
        let mut graph = Self {
            states: vec![first],
            edges: Vec::new(),
            reached: Vec::new(),
            complete: true,
        };
        let (mut enabled, mut next) = (Vec::new(), Vec::new());
        while graph.edges.len() < graph.states.len() {
            let from = graph.edges.len();
            if limit.is_some_and(|limit| from as u64 >= limit) {
                graph.complete = false;
                break;
            }
            enabled.clear();
            system.enabled(&graph.states[from], &mut enabled);
            let mut edges = Vec::new();
            for action in &enabled {
                system
                    .fire(&mut (), &graph.states[from], *action, &mut next)
                    .expect("typed models do not fail");
                let to = match numbers.entry(next.clone()) {
                    Entry::Occupied(known) => *known.get(),
                    Entry::Vacant(new) => {
                        graph.states.push(next.clone());
                        graph.reached.push((from, *action));
                        *new.insert(graph.states.len() - 1)
                    }
                };
                edges.push((*action, to));
            }
            graph.edges.push(edges);
        }
        graph
    }

    /// A shortest path to a state.
    pub(super) fn path(&self, mut state: usize) -> Vec<A> {
        let mut path = Vec::new();
        while state > 0 {
            let (from, action) = self.reached[state - 1];
            path.push(action);
            state = from;
        }
        path.reverse();
        path
    }

    /// Per explored state: whether a state whose edges are a `goal` can be reached from it by edges that are `open`.
    pub(super) fn reaching(&self, goal: impl Fn(&[(A, usize)]) -> bool, open: impl Fn(A) -> bool) -> Vec<bool> {
        let mut back = vec![Vec::new(); self.states.len()];
        let mut reaching = vec![false; self.states.len()];
        let mut work = Vec::new();
        for (from, edges) in self.edges.iter().enumerate() {
            for (_, to) in edges.iter().filter(|(action, _)| open(*action)) {
                back[*to].push(from);
            }
            if goal(edges) {
                reaching[from] = true;
                work.push(from);
            }
        }
        while let Some(to) = work.pop() {
            for from in &back[to] {
                if !std::mem::replace(&mut reaching[*from], true) {
                    work.push(*from);
                }
            }
        }
        reaching
    }
}
