//! Direct simulation: merging states, and dropping arcs for which there is a better one.
//!
//! `r` *simulates* `q` if for each arc of `q` and each letter of its guard there is an arc
//! of `r` with that letter, at least the same marks and a target that simulates the
//! target. Two states that simulate each other are merged, and an arc is dropped if, for each of
//! its letters, another arc of the same state has as many marks and a target that
//! simulates its target, one of them strictly more. *Backwards*, `r` simulates `q` if
//! every way into `q` has one into `r` that is as good; states that do so mutually are
//! merged too, and keep all of their arcs.
//!
//! Etessami and Holzmann (CONCUR 2000), 4; Somenzi and Bloem (CAV 2000), 4; Clemente and
//! Mayr, *Advanced automata minimization* (POPL 2013), for pruning with a strict relation.
//! That merging with the backward relation is right follows from König's lemma: each
//! prefix of a run of the quotient is one of a run with at least its marks. Departure: a
//! guard may be covered by several arcs together.

use mazurka_core::bitset::{self, BitMatrix};

use super::cube::Cube;
use super::generalised::{Arc, Generalised};

/// Automata with more states are not compared state by state.
const MAX_STATES: usize = 500;

impl Generalised {
    /// Merges states and drops arcs by the forward relation.
    pub(super) fn reduce_forwards(&mut self) {
        if self.len() > MAX_STATES {
            return;
        }
        let simulates = self.forward_simulation();
        let class = classes(&simulates, self.len());
        // The arcs of a representative are as good as those of its whole class.
        for q in 0..self.len() {
            for arc in &mut self.arcs[q] {
                arc.to = class[arc.to];
            }
            if class[q] != q {
                self.arcs[q].clear();
            }
        }
        self.initial = class[self.initial];
        self.join_arcs();
        for arcs in &mut self.arcs {
            let at_least = |b: &Arc, a: &Arc| a.marks & !b.marks == 0 && bitset::contains(simulates.row(a.to), b.to);
            let all = arcs.clone();
            arcs.retain(|a| {
                let better = all.iter().filter(|b| at_least(b, a) && !at_least(a, b));
                let guards: Vec<Cube> = better.map(|b| b.guard).collect();
                !a.guard.is_covered(&guards)
            });
        }
    }

    /// Merges states by the backward relation; `state_marks` as in [`Self::backward_simulation`].
    pub(super) fn reduce_backwards(&mut self, state_marks: bool) {
        if self.len() > MAX_STATES {
            return;
        }
        let simulates = self.backward_simulation(state_marks);
        let class = classes(&simulates, self.len());
        for q in 0..self.len() {
            let mut arcs = std::mem::take(&mut self.arcs[q]);
            arcs.iter_mut().for_each(|arc| arc.to = class[arc.to]);
            self.arcs[class[q]].append(&mut arcs);
        }
        self.initial = class[self.initial];
        self.join_arcs();
    }

    /// Row `q` has the states that simulate `q`.
    fn forward_simulation(&self) -> BitMatrix {
        greatest(
            self.len(),
            |_, _| true,
            |q, r, simulates| self.matches(q, r, simulates, false),
        )
    }

    /// Whether the arcs of `r` match those of `q`; `lenient` does not compare their marks.
    fn matches(&self, q: usize, r: usize, simulates: &BitMatrix, lenient: bool) -> bool {
        self.arcs[q].iter().all(|a| {
            let fits = |b: &&Arc| (lenient || a.marks & !b.marks == 0) && bitset::contains(simulates.row(a.to), b.to);
            let guards: Vec<Cube> = self.arcs[r].iter().filter(fits).map(|b| b.guard).collect();
            a.guard.is_covered(&guards)
        })
    }

    /// Row `q` has the states that simulate `q` backwards. With `state_marks`, all arcs of a
    /// state carry the same marks and must do so after merging.
    fn backward_simulation(&self, state_marks: bool) -> BitMatrix {
        let mut into: Vec<Vec<(usize, Arc)>> = vec![vec![]; self.len()];
        for (q, arcs) in self.arcs.iter().enumerate() {
            for arc in arcs {
                into[arc.to].push((q, *arc));
            }
        }
        let marks = |q: usize| self.arcs[q].first().map_or(0, |arc| arc.marks);
        let start = |q: usize, r: usize| (q != self.initial || r == q) && (!state_marks || marks(q) & !marks(r) == 0);
        greatest(self.len(), start, |q, r, simulates| {
            into[q].iter().all(|(p, a)| {
                let fits = |(o, b): &&(usize, Arc)| a.marks & !b.marks == 0 && bitset::contains(simulates.row(*p), *o);
                let guards: Vec<Cube> = into[r].iter().filter(fits).map(|(_, b)| b.guard).collect();
                a.guard.is_covered(&guards)
            })
        })
    }

    /// Replaces a state that is on no cycle by one with the same language.
    ///
    /// The marks of the arcs of such a state do not matter, so they are not compared. The
    /// other must not lead back to the state, or a cycle would arise that was not there.
    pub(super) fn merge_transient(&mut self) {
        if self.len() > MAX_STATES {
            return;
        }
        let component = self.components();
        let transient = |q: usize| self.arcs[q].iter().all(|arc| component[arc.to] != component[q]);
        let simulates = self.forward_simulation();
        let mut target: Vec<usize> = (0..self.len()).collect();
        for q in (0..self.len()).filter(|&q| transient(q)) {
            // A component that reaches that of `q` has a larger number.
            let other = (0..self.len()).find(|&r| {
                component[r] < component[q]
                    && self.matches(q, r, &simulates, true)
                    && self.matches(r, q, &simulates, true)
            });
            if let Some(r) = other {
                target[q] = r;
            }
        }
        let last = |mut q: usize| {
            while target[q] != q {
                q = target[q];
            }
            q
        };
        self.arcs.iter_mut().flatten().for_each(|arc| arc.to = last(arc.to));
        self.initial = last(self.initial);
    }
}

/// The largest relation within `start` in which every pair `matches` with respect to the relation itself.
fn greatest(
    len: usize,
    start: impl Fn(usize, usize) -> bool,
    matches: impl Fn(usize, usize, &BitMatrix) -> bool,
) -> BitMatrix {
    let mut relation = BitMatrix::new(len, len);
    for q in 0..len {
        for r in (0..len).filter(|&r| start(q, r)) {
            bitset::insert(relation.row_mut(q), r);
        }
    }
    loop {
        let mut changed = false;
        for q in 0..len {
            for r in 0..len {
                if q != r && bitset::contains(relation.row(q), r) && !matches(q, r, &relation) {
                    bitset::remove(relation.row_mut(q), r);
                    changed = true;
                }
            }
        }
        if !changed {
            return relation;
        }
    }
}

/// The smallest state that is mutually related to each state.
fn classes(relation: &BitMatrix, len: usize) -> Vec<usize> {
    let mutual = |q: usize, r: usize| bitset::contains(relation.row(q), r) && bitset::contains(relation.row(r), q);
    (0..len).map(|q| (0..=q).find(|&r| mutual(q, r)).unwrap_or(q)).collect()
}
