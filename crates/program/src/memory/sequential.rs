//! The order of sequentially consistent operations, as RC11 defines it.
//!
//! Lahav, Vafeiadis, Kang, Hur, Dreyer, *Repairing Sequential Consistency in C/C++11* (PLDI 2017), section 3: the relation `psc`
//! among sequentially consistent accesses and fences must not have a cycle. It is made of program order (`sb`), happened-before
//! (`hb`), modification order (`mo`), reads-from (`rf`) and reads-before (`fr`). C++20 means the same.
//!
//! The modification order is open as far as coherence does not force it ([`Order`]), so the question is whether some completion
//! avoids a cycle. What is forced may show a cycle already. Otherwise the order in which the writes happened is tried, which nearly
//! always works, and then each pair of writes is ordered both ways.

use super::graph::{Action, Graph, NONE};
use super::order::Order;

/// A relation among nodes.
#[derive(Clone)]
struct Relation {
    words: usize,
    rows: Vec<u64>,
}

impl Relation {
    fn new(nodes: usize) -> Relation {
        let words = nodes.div_ceil(64).max(1);
        Relation {
            words,
            rows: vec![0; words * nodes],
        }
    }

    fn row(&self, a: usize) -> &[u64] {
        &self.rows[a * self.words..(a + 1) * self.words]
    }

    fn add(&mut self, a: usize, b: usize) {
        self.rows[a * self.words + b / 64] |= 1 << (b % 64);
    }

    fn has(&self, a: usize, b: usize) -> bool {
        self.rows[a * self.words + b / 64] >> (b % 64) & 1 == 1
    }

    fn len(&self) -> usize {
        self.rows.len() / self.words
    }

    fn union(mut self, other: &Relation) -> Relation {
        for (mine, theirs) in self.rows.iter_mut().zip(&other.rows) {
            *mine |= theirs;
        }
        self
    }

    /// First this relation, then the other one.
    fn then(&self, other: &Relation) -> Relation {
        let mut result = Relation::new(self.len());
        for a in 0..self.len() {
            for b in (0..self.len()).filter(|b| self.has(a, *b)) {
                for word in 0..self.words {
                    result.rows[a * self.words + word] |= other.rows[b * self.words + word];
                }
            }
        }
        result
    }

    fn closure(mut self) -> Relation {
        for via in 0..self.len() {
            let row = self.row(via).to_vec();
            for a in 0..self.len() {
                if self.has(a, via) {
                    for (word, bits) in row.iter().enumerate() {
                        self.rows[a * self.words + word] |= bits;
                    }
                }
            }
        }
        self
    }

    fn has_cycle(&self) -> bool {
        let closure = self.clone().closure();
        (0..self.len()).any(|a| closure.has(a, a))
    }

    /// The part of the relation for which `holds`.
    fn filter(&self, holds: impl Fn(usize, usize) -> bool) -> Relation {
        let mut result = Relation::new(self.len());
        for a in 0..self.len() {
            for b in (0..self.len()).filter(|b| self.has(a, *b) && holds(a, *b)) {
                result.add(a, b);
            }
        }
        result
    }
}

/// The relations that do not depend on the modification order.
struct Fixed<'a> {
    graph: &'a Graph,
    happened: Relation,
    /// The part of `scb` that does not depend on the modification order.
    order: Relation,
}

impl Fixed<'_> {
    fn new(graph: &Graph) -> Fixed<'_> {
        let n = graph.nodes.len();
        let (mut happened, mut program) = (Relation::new(n), Relation::new(n));
        for b in 0..n {
            for a in (0..n).filter(|a| *a != b) {
                if graph.happened_before(a, b) {
                    happened.add(a, b);
                    if graph.in_one_thread(a, b) {
                        program.add(a, b);
                    }
                }
            }
        }
        let location = |a: usize| graph.nodes[a].location;
        let together = |a: usize, b: usize| location(a) != NONE && location(a) == location(b);
        // `sb` without those pairs that have the same location.
        let elsewhere = program.filter(|a, b| !together(a, b));
        let around = elsewhere.then(&happened).then(&elsewhere);
        let order = program.union(&around).union(&happened.filter(together));
        Fixed { graph, happened, order }
    }

    /// True if `psc` has a cycle, given what is known of the modification orders.
    fn has_cycle(&self, orders: &[Order]) -> bool {
        let nodes = &self.graph.nodes;
        let n = nodes.len();
        let mut communication = Relation::new(n);
        let mut order = self.order.clone();
        for a in (0..n).filter(|a| nodes[*a].location != NONE) {
            if nodes[a].reads() {
                communication.add(nodes[a].source as usize, a);
            }
            // `mo` from what it writes, and `fr` from what it reads.
            let place = match nodes[a].action {
                Action::Read => nodes[nodes[a].source as usize].place,
                _ => nodes[a].place,
            };
            for b in (0..n).filter(|b| *b != a && nodes[*b].writes() && nodes[*b].location == nodes[a].location) {
                let modifications = &orders[nodes[a].location as usize];
                if modifications.before(place, nodes[b].place) {
                    communication.add(a, b);
                    order.add(a, b);
                }
            }
        }
        let communication = communication.closure();
        let fence = |a: usize| nodes[a].sequential && nodes[a].action == Action::Fence;
        let access = |a: usize| nodes[a].sequential && nodes[a].action != Action::Fence;
        // [Esc] ∪ [Fsc]; hb? and [Esc] ∪ hb?; [Fsc]
        let (mut from, mut to) = (
            self.happened.filter(|a, _| fence(a)),
            self.happened.filter(|_, b| fence(b)),
        );
        for a in (0..n).filter(|a| fence(*a) || access(*a)) {
            from.add(a, a);
            to.add(a, a);
        }
        let base = from.then(&order).then(&to);
        let around = self.happened.then(&communication).then(&self.happened);
        let fences = around.union(&self.happened).filter(|a, b| fence(a) && fence(b));
        base.union(&fences).has_cycle()
    }

    /// True if some completion of the modification orders has no cycle.
    fn can_be_completed(&self, orders: &[Order]) -> bool {
        if self.has_cycle(orders) {
            return false;
        }
        let Some((location, (a, b))) = orders.iter().enumerate().find_map(|(i, o)| Some((i, o.open()?))) else {
            return true;
        };
        let mut as_happened = orders.to_vec();
        for order in &mut as_happened {
            while let Some((first, second)) = order.open() {
                order.force(first, second);
            }
        }
        if !self.has_cycle(&as_happened) {
            return true;
        }
        [(a, b), (b, a)].into_iter().any(|(first, second)| {
            let mut orders = orders.to_vec();
            orders[location].force(first, second);
            self.can_be_completed(&orders)
        })
    }
}

impl Graph {
    /// True if the graph, which is coherent, has a modification order with which the order of sequentially consistent
    /// operations has no cycle.
    pub(super) fn is_sequentially_consistent(&self) -> bool {
        Fixed::new(self).can_be_completed(&self.orders())
    }
}
