//! Strongly connected components: which states can be dropped, and which marks do not matter.
//!
//! A run ends up in one component. So a state from which no component with all marks is
//! reachable accepts nothing; marks outside of such components do not matter; and a mark
//! that every cycle of a component carries may as well be on all of its arcs. Putting
//! marks where they do not matter in one standard way makes more states equal.
//!
//! Tarjan (1972), without recursion. Couvreur, *On-the-fly verification of LTL* (FM 1999)
//! and Somenzi and Bloem (CAV 2000), 5, use components in the same way.

use super::generalised::{Arc, Generalised};

/// The component of each node of a graph of `len` nodes; a component is numbered after those that it reaches.
pub(crate) fn components(len: usize, successors: impl Fn(usize) -> Vec<usize>) -> Vec<usize> {
    const NEW: usize = usize::MAX;
    let mut component = vec![NEW; len];
    let mut order = vec![NEW; len];
    let mut low = vec![0; len];
    let (mut next_order, mut next_component) = (0, 0);
    let mut open = vec![];
    for root in 0..len {
        if order[root] != NEW {
            continue;
        }
        let mut path: Vec<(usize, Vec<usize>)> = vec![];
        let mut entering = Some(root);
        loop {
            if let Some(v) = entering.take() {
                order[v] = next_order;
                low[v] = next_order;
                next_order += 1;
                open.push(v);
                path.push((v, successors(v)));
            }
            let Some((v, rest)) = path.last_mut() else { break };
            let v = *v;
            if let Some(w) = rest.pop() {
                if order[w] == NEW {
                    entering = Some(w);
                } else if component[w] == NEW {
                    low[v] = low[v].min(order[w]);
                }
                continue;
            }
            path.pop();
            if let Some((parent, _)) = path.last() {
                low[*parent] = low[*parent].min(low[v]);
            }
            if low[v] == order[v] {
                while let Some(w) = open.pop() {
                    component[w] = next_component;
                    if w == v {
                        break;
                    }
                }
                next_component += 1;
            }
        }
    }
    component
}

/// Which marks matter in a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kind {
    /// Whether some cycle carries all marks.
    pub(super) accepting: bool,
    /// The marks that every cycle carries.
    pub(super) always: u64,
}

impl Generalised {
    /// The component of each state.
    pub(super) fn components(&self) -> Vec<usize> {
        components(self.len(), |q| self.arcs[q].iter().map(|arc| arc.to).collect())
    }

    /// Which marks matter in each component.
    pub(super) fn kinds(&self, component: &[usize]) -> Vec<Kind> {
        let count = component.iter().max().map_or(0, |max| max + 1);
        let mut seen = vec![0; count];
        let mut cyclic = vec![false; count];
        for (q, arcs) in self.arcs.iter().enumerate() {
            for arc in arcs.iter().filter(|arc| component[arc.to] == component[q]) {
                seen[component[q]] |= arc.marks;
                cyclic[component[q]] = true;
            }
        }
        let mut always = vec![self.marks; count];
        for mark in bits(self.marks) {
            // A cycle without the mark is a component of the arcs without it.
            let lacking = |q: usize| {
                let inside = self.arcs[q]
                    .iter()
                    .filter(move |a| a.marks & mark == 0 && component[a.to] == component[q]);
                inside.map(|arc| arc.to).collect::<Vec<_>>()
            };
            let inner = components(self.len(), lacking);
            for q in 0..self.len() {
                if lacking(q).into_iter().any(|to| inner[to] == inner[q]) {
                    always[component[q]] &= !mark;
                }
            }
        }
        let kind = |c: usize| Kind {
            accepting: cyclic[c] && seen[c] == self.marks,
            always: always[c],
        };
        (0..count).map(kind).collect()
    }

    /// Drops the states that are not reachable or accept nothing, except for the initial one.
    pub(super) fn prune(&mut self) {
        let component = self.components();
        let kinds = self.kinds(&component);
        let mut order: Vec<usize> = (0..self.len()).collect();
        order.sort_unstable_by_key(|&q| component[q]);
        // Components come after those that they reach, so one pass in each direction is enough.
        let mut useful: Vec<bool> = kinds.iter().map(|kind| kind.accepting).collect();
        for &q in &order {
            useful[component[q]] |= self.arcs[q].iter().any(|arc| useful[component[arc.to]]);
        }
        let mut number = vec![usize::MAX; self.len()];
        let mut kept = vec![self.initial];
        number[self.initial] = 0;
        let mut arcs: Vec<Vec<Arc>> = vec![];
        while let Some(&q) = kept.get(arcs.len()) {
            let mut own = vec![];
            for arc in self.arcs[q].iter().filter(|arc| useful[component[arc.to]]) {
                if number[arc.to] == usize::MAX {
                    number[arc.to] = kept.len();
                    kept.push(arc.to);
                }
                own.push(Arc {
                    to: number[arc.to],
                    ..*arc
                });
            }
            arcs.push(own);
        }
        self.arcs = arcs;
        self.initial = 0;
    }

    /// Puts marks only where they matter, and on all arcs of a component where they are on every cycle.
    pub(super) fn standardise_marks(&mut self) {
        let component = self.components();
        let kinds = self.kinds(&component);
        for (q, arcs) in self.arcs.iter_mut().enumerate() {
            let kind = kinds[component[q]];
            for arc in arcs {
                let inside = component[arc.to] == component[q] && kind.accepting;
                arc.marks = if inside { arc.marks | kind.always } else { 0 };
            }
        }
    }

    /// Removes each mark that is on every arc that carries some other mark.
    pub(super) fn drop_implied_marks(&mut self) {
        for mark in bits(self.marks) {
            let implied = bits(self.marks & !mark).any(|other| {
                self.arcs
                    .iter()
                    .flatten()
                    .all(|arc| arc.marks & other == 0 || arc.marks & mark != 0)
            });
            if implied {
                self.marks &= !mark;
                self.arcs.iter_mut().flatten().for_each(|arc| arc.marks &= !mark);
            }
        }
    }
}

/// The bits of a word, as words.
pub(super) fn bits(mut word: u64) -> impl Iterator<Item = u64> {
    std::iter::from_fn(move || {
        let bit = word & word.wrapping_neg();
        word &= !bit;
        (bit != 0).then_some(bit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_are_numbered_after_those_they_reach() {
        let graph = [vec![1], vec![2, 3], vec![1], vec![3], vec![0]];
        assert_eq!(components(5, |v| graph[v].clone()), [2, 1, 1, 0, 3]);
    }
}
