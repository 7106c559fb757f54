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

/// Sets of nodes, as rows of bits.
#[derive(Clone)]
struct Rows {
    words: usize,
    bits: Vec<u64>,
}

/// The numbers in a set.
fn members(set: &[u64]) -> impl Iterator<Item = usize> + '_ {
    set.iter().enumerate().flat_map(|(word, &bits)| {
        let rest = |bits: &u64| Some(bits & (bits - 1)).filter(|bits| *bits != 0);
        let each = std::iter::successors(Some(bits).filter(|bits| *bits != 0), rest);
        each.map(move |bits| word * 64 + bits.trailing_zeros() as usize)
    })
}

fn insert(set: &mut [u64], node: usize) {
    set[node / 64] |= 1 << (node % 64);
}

fn join(set: &mut [u64], other: &[u64]) {
    for (mine, theirs) in set.iter_mut().zip(other) {
        *mine |= theirs;
    }
}

fn intersection<'a>(set: &'a [u64], other: &'a [u64]) -> Vec<u64> {
    set.iter().zip(other).map(|(a, b)| a & b).collect()
}

impl Rows {
    /// So many empty sets of numbers below `nodes`.
    fn new(sets: usize, nodes: usize) -> Rows {
        let words = nodes.div_ceil(64).max(1);
        Rows {
            words,
            bits: vec![0; words * sets],
        }
    }

    fn len(&self) -> usize {
        self.bits.len() / self.words
    }

    fn row(&self, a: usize) -> &[u64] {
        &self.bits[a * self.words..(a + 1) * self.words]
    }

    fn row_mut(&mut self, a: usize) -> &mut [u64] {
        &mut self.bits[a * self.words..(a + 1) * self.words]
    }

    /// The members of all sets whose numbers are in this one.
    fn of_all(&self, set: &[u64]) -> Vec<u64> {
        let mut all = vec![0; self.words];
        for a in members(set) {
            join(&mut all, self.row(a));
        }
        all
    }
}

/// The relations that do not depend on the modification order, each as the set of the nodes that come after a node.
struct Fixed<'a> {
    graph: &'a Graph,
    /// The nodes of each thread and of each location.
    threads: Rows,
    locations: Rows,
    writes: Vec<u64>,
    fences: Vec<u64>,
    /// The sequentially consistent nodes.
    strict: Vec<u64>,
    happened: Rows,
}

impl Fixed<'_> {
    fn new(graph: &Graph) -> Fixed<'_> {
        let n = graph.nodes.len();
        let threads = graph
            .nodes
            .iter()
            .map(|node| node.thread.index() + 1)
            .max()
            .unwrap_or(0);
        let mut fixed = Fixed {
            graph,
            threads: Rows::new(threads, n),
            locations: Rows::new(graph.locations() as usize, n),
            writes: vec![0; n.div_ceil(64).max(1)],
            fences: vec![0; n.div_ceil(64).max(1)],
            strict: vec![0; n.div_ceil(64).max(1)],
            happened: Rows::new(n, n),
        };
        for (a, node) in graph.nodes.iter().enumerate() {
            if !graph.is_first(a) {
                insert(fixed.threads.row_mut(node.thread.index()), a);
            }
            if node.location != NONE {
                insert(fixed.locations.row_mut(node.location as usize), a);
            }
            if node.writes() {
                insert(&mut fixed.writes, a);
            }
            if node.sequential {
                insert(&mut fixed.strict, a);
                if node.action == Action::Fence {
                    insert(&mut fixed.fences, a);
                }
            }
        }
        fixed.happened = fixed.happened_before();
        fixed
    }

    /// Who comes after each node by `hb`. What a thread knows grows, so of each thread these are its nodes from some node on.
    fn happened_before(&self) -> Rows {
        let n = self.graph.nodes.len();
        let mut happened = Rows::new(n, n);
        let threads: Vec<Vec<usize>> = (0..self.threads.len())
            .map(|t| members(self.threads.row(t)).collect())
            .collect();
        for a in 0..n {
            for (t, of_thread) in threads.iter().enumerate() {
                let later = of_thread.partition_point(|b| !self.graph.happened_before(a, *b));
                let Some(&from) = of_thread.get(later) else { continue };
                let row = happened.row_mut(a);
                for (word, (mine, theirs)) in row.iter_mut().zip(self.threads.row(t)).enumerate().skip(from / 64) {
                    let mask = if word == from / 64 {
                        u64::MAX << (from % 64)
                    } else {
                        u64::MAX
                    };
                    *mine |= theirs & mask;
                }
            }
        }
        happened
    }

    /// What a node is followed by in program order.
    fn program(&self, a: usize) -> Vec<u64> {
        if self.graph.is_first(a) {
            return vec![0; self.happened.words];
        }
        let thread = self.graph.nodes[a].thread.index();
        intersection(self.happened.row(a), self.threads.row(thread))
    }

    /// The same, but only at other locations.
    fn elsewhere(&self, a: usize) -> Vec<u64> {
        let mut after = self.program(a);
        let location = self.graph.nodes[a].location;
        if location != NONE {
            for (word, here) in after.iter_mut().zip(self.locations.row(location as usize)) {
                *word &= !here;
            }
        }
        after
    }

    /// The nodes of its location that come after a node by `mo` from what it writes, or by `fr` from what it reads.
    fn modified_after(&self, a: usize, orders: &[Order]) -> Vec<u64> {
        let nodes = &self.graph.nodes;
        let mut after = vec![0; self.happened.words];
        let location = nodes[a].location;
        if location == NONE {
            return after;
        }
        let place = match nodes[a].action {
            Action::Read => nodes[nodes[a].source as usize].place,
            _ => nodes[a].place,
        };
        let there = intersection(self.locations.row(location as usize), &self.writes);
        for b in members(&there).filter(|b| *b != a) {
            if orders[location as usize].before(place, nodes[b].place) {
                insert(&mut after, b);
            }
        }
        after
    }

    /// The relation `scb` of the nodes of a set: `sb`, `sb` to other locations around `hb`, `hb` at one location, `mo` and `fr`.
    fn order(&self, set: &[u64], modified: &Rows) -> Vec<u64> {
        let mut after = modified.of_all(set);
        let mut elsewhere = vec![0; self.happened.words];
        for a in members(set) {
            join(&mut after, &self.program(a));
            join(&mut elsewhere, &self.elsewhere(a));
            let location = self.graph.nodes[a].location;
            if location != NONE {
                let here = intersection(self.happened.row(a), self.locations.row(location as usize));
                join(&mut after, &here);
            }
        }
        let beyond = self.happened.of_all(&elsewhere);
        for a in members(&beyond) {
            join(&mut after, &self.elsewhere(a));
        }
        after
    }

    /// True if `psc` has a cycle, given what is known of the modification orders.
    fn has_cycle(&self, orders: &[Order]) -> bool {
        let n = self.graph.nodes.len();
        let mut modified = Rows::new(n, n);
        for a in 0..n {
            let after = self.modified_after(a, orders);
            join(modified.row_mut(a), &after);
        }
        let strict: Vec<usize> = members(&self.strict).collect();
        let mut psc = Rows::new(n, n);
        for &a in &strict {
            let after = self.strictly_after(a, &modified);
            join(psc.row_mut(a), &after);
        }
        for &via in &strict {
            let row = psc.row(via).to_vec();
            for &a in &strict {
                if psc.row(a)[via / 64] >> (via % 64) & 1 == 1 {
                    join(psc.row_mut(a), &row);
                }
            }
        }
        strict.iter().any(|&a| psc.row(a)[a / 64] >> (a % 64) & 1 == 1)
    }

    /// The relation `psc` of a sequentially consistent node.
    fn strictly_after(&self, a: usize, modified: &Rows) -> Vec<u64> {
        let fence = self.graph.nodes[a].action == Action::Fence;
        let mut from = vec![0; self.happened.words];
        insert(&mut from, a);
        if fence {
            // [Fsc]; hb?
            join(&mut from, self.happened.row(a));
        }
        let reached = self.order(&from, modified);
        // [Esc] ∪ hb?; [Fsc]
        let mut after = intersection(&reached, &self.strict);
        let beyond = self.happened.of_all(&reached);
        join(&mut after, &intersection(&beyond, &self.fences));
        if fence {
            // [Fsc]; hb ∪ hb; eco; hb; [Fsc]
            let known = self.happened.row(a);
            let beyond = self.happened.of_all(&self.communicates(known, modified));
            join(&mut after, &intersection(known, &self.fences));
            join(&mut after, &intersection(&beyond, &self.fences));
        }
        after
    }

    /// What the nodes of a set reach by reads-from, modification order and reads-before.
    fn communicates(&self, set: &[u64], modified: &Rows) -> Vec<u64> {
        let mut after = modified.of_all(set);
        let mut written = after.clone();
        join(&mut written, set);
        // The modification order is transitive, so `rf`, or one more step and perhaps `rf`, is all that there is.
        join(&mut after, &self.readers(&written));
        after
    }

    /// Who reads from the nodes of a set.
    fn readers(&self, set: &[u64]) -> Vec<u64> {
        let mut readers = vec![0; self.happened.words];
        for (a, node) in self.graph.nodes.iter().enumerate() {
            let source = node.source as usize;
            if node.reads() && set[source / 64] >> (source % 64) & 1 == 1 {
                insert(&mut readers, a);
            }
        }
        readers
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
