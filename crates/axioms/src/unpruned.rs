//! The enumerator as the definitions have it: every candidate, and the axioms.
//!
//! A candidate is one trace of each thread, for each read a write of the same location and value, for each location an
//! order of its writes (the initial one first), and for each mutex an order of its critical sections. Nothing is left
//! out before the axioms are asked. This is for programs of about six accesses.

use std::collections::BTreeSet;

use crate::choices::{permutations, product};
use crate::enumerate::Executions;
use crate::graph::Graph;
use crate::program::Program;
use crate::rc11;
use crate::relation::Relation;
use crate::traces;

/// As [`enumerate`](crate::enumerate), without any short cut.
///
/// # Panics
/// If the program is not [valid](Program::validate), or too large.
pub fn enumerate_unpruned(program: &Program) -> Executions {
    program.validate().unwrap_or_else(|error| panic!("{error}\n{program}"));
    let mut executions = Executions::default();
    let mut classes = BTreeSet::new();
    let per_thread = traces::of_threads(program);
    for chosen in product(
        &per_thread
            .iter()
            .map(|traces| traces.iter().collect())
            .collect::<Vec<_>>(),
    ) {
        let graph = Graph::of_traces(program, &chosen);
        for rf in every_rf(&graph) {
            for lo in every_lock_order(&graph) {
                for mo in every_mo(&graph, program.initial.len()) {
                    let graph = Graph {
                        rf: rf.clone(),
                        mo,
                        lo: lo.clone(),
                        ..graph.clone()
                    };
                    if rc11::is_consistent(&graph) {
                        let class = (graph.events.clone(), graph.rmw.clone(), rf.clone(), lo.clone());
                        executions.add(&graph, &rc11::happens_before(&graph), classes.insert(class));
                    }
                }
            }
        }
    }
    executions
}

/// For each read a write of the same location and value, in every way.
fn every_rf(graph: &Graph) -> Vec<Relation> {
    let sources = |read: usize| {
        let may = |write: &usize| {
            graph.events[*write].writes()
                && graph.same_location(*write, read)
                && graph.events[*write].value() == graph.events[read].value()
        };
        (0..graph.events.len())
            .filter(may)
            .map(|write| (write, read))
            .collect::<Vec<_>>()
    };
    let pairs = product(&graph.reads().into_iter().map(sources).collect::<Vec<_>>());
    pairs.iter().map(|pairs| relation(graph, pairs)).collect()
}

/// For each location an order of its writes, in every way.
fn every_mo(graph: &Graph, locations: usize) -> Vec<Relation> {
    let orders = |location: usize| {
        let mut orders = permutations(&graph.writes_to(location));
        orders.iter_mut().for_each(|order| order.insert(0, location));
        orders
    };
    let orders = product(&(0..locations).map(orders).collect::<Vec<_>>());
    orders
        .iter()
        .map(|orders| {
            orders
                .iter()
                .fold(graph.mo.clone(), |mo, order| mo.union(&total(graph, order)))
        })
        .collect()
}

/// For each mutex an order of its critical sections, in every way.
pub(crate) fn every_lock_order(graph: &Graph) -> Vec<Relation> {
    let orders = graph
        .critical_sections()
        .iter()
        .map(|sections| permutations(sections))
        .collect::<Vec<_>>();
    let of = |orders: Vec<Vec<(usize, usize)>>| {
        let pairs: Vec<_> = orders
            .iter()
            .flat_map(|order| order.windows(2).map(|w| (w[0].1, w[1].0)))
            .collect();
        relation(graph, &pairs)
    };
    product(&orders).into_iter().map(of).collect()
}

/// A total order, as a transitive relation.
pub(crate) fn total(graph: &Graph, order: &[usize]) -> Relation {
    let pairs: Vec<_> = (0..order.len())
        .flat_map(|b| (0..b).map(move |a| (order[a], order[b])))
        .collect();
    relation(graph, &pairs)
}

/// A relation over the events of the graph.
pub(crate) fn relation(graph: &Graph, pairs: &[(usize, usize)]) -> Relation {
    let mut relation = Relation::empty(graph.events.len());
    for &(a, b) in pairs {
        relation.insert(a, b);
    }
    relation
}
