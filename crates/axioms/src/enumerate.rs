//! The enumerator that is used: the same candidates as [`enumerate_unpruned`](crate::enumerate_unpruned), but one is
//! given up as soon as an axiom is violated whatever comes later.
//!
//! - Only traces are combined whose reads find their values in an order of all events that begins with nothing
//!   (NO-THIN-AIR).
//! - A read does not read from a write that is `sb`-after it (NO-THIN-AIR), and two updates do not read from the same
//!   write (both would have to be next in `mo`: ATOMICITY).
//! - `hb` and NO-THIN-AIR do not depend on `mo`, and so are settled before it.
//! - COHERENCE and ATOMICITY speak of each location alone: `eco` relates events of one location. So the orders of a
//!   location are filtered before those of several locations are combined, and SC is asked last. The relations only
//!   grow with `mo`, so what the beginning of an order violates is violated by all of it.

use std::collections::BTreeSet;

use crate::choices::product;
use crate::graph::{Graph, Outcome};
use crate::program::Program;
use crate::rc11;
use crate::relation::Relation;
use crate::traces::{self, Partial, Trace};
use crate::unpruned::{every_lock_order, relation, total};

/// What the consistent executions of a program are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Executions {
    /// What they end with.
    pub outcomes: BTreeSet<Outcome>,
    /// How many consistent graphs there are. They differ in events (also in whether a weak compare-and-swap failed
    /// spuriously), `rf`, `mo`, or the order of critical sections.
    pub graphs: u64,
    /// How many classes of them, if `mo` does not matter.
    pub rf_classes: u64,
    /// How many of the graphs have a data race.
    pub racy_graphs: u64,
}

impl Executions {
    /// Whether any consistent graph has a data race: then the program's behaviour is undefined.
    pub fn racy(&self) -> bool {
        self.racy_graphs > 0
    }

    pub(crate) fn add(&mut self, graph: &Graph, hb: &Relation, new_class: bool) {
        self.outcomes.insert(graph.outcome());
        self.graphs += 1;
        self.rf_classes += u64::from(new_class);
        self.racy_graphs += u64::from(rc11::is_racy(graph, hb));
    }
}

/// All consistent executions of a program.
///
/// ```
/// use mazurka_axioms::{enumerate, parse_litmus};
///
/// let tests = parse_litmus("test SB
///     thread { store(x, 1, rel); r0 = load(y, acq) }
///     thread { store(y, 1, rel); r0 = load(x, acq) }
///     exists 0:r0 == 0 && 1:r0 == 0
///     allowed because release and acquire do not order a store before a later load
/// ")?;
/// let executions = enumerate(&tests[0].program);
/// assert_eq!((executions.graphs, executions.outcomes.len()), (4, 4));
/// # Ok::<(), mazurka_axioms::ParseError>(())
/// ```
///
/// # Panics
/// If the program is not [valid](Program::validate), or has more than 64 events.
pub fn enumerate(program: &Program) -> Executions {
    let mut executions = Executions::default();
    for_each_graph(program, &mut |graph, hb, new_class| {
        executions.add(graph, hb, new_class)
    });
    executions
}

/// The consistent graphs themselves.
///
/// # Panics
/// If the program is not [valid](Program::validate), or has more than 64 events.
pub fn consistent_graphs(program: &Program) -> Vec<Graph> {
    let mut graphs = Vec::new();
    for_each_graph(program, &mut |graph, _, _| graphs.push(graph.clone()));
    graphs
}

/// What is called with each consistent graph, its `hb`, and whether it is the first with its `rf` and `lo`.
type Visit<'a> = dyn FnMut(&Graph, &Relation, bool) + 'a;

fn for_each_graph(program: &Program, visit: &mut Visit) {
    program.validate().unwrap_or_else(|error| panic!("{error}\n{program}"));
    for chosen in justified_traces(program) {
        choose_rf(Graph::of_traces(program, &chosen.iter().collect::<Vec<_>>()), visit);
    }
}

/// One trace of each thread, in all ways in which each read finds its value already written when the events come one
/// after the other: if `sb ∪ rf` is acyclic, they can come in an order that it agrees with.
fn justified_traces(program: &Program) -> BTreeSet<Vec<Trace>> {
    let start: Vec<_> = (0..program.threads.len())
        .map(|thread| Partial::new(program, thread))
        .collect();
    let mut complete = BTreeSet::new();
    let mut seen = BTreeSet::from([start.clone()]);
    let mut todo = vec![start];
    while let Some(partials) = todo.pop() {
        if partials.iter().all(Partial::is_complete) {
            complete.insert(partials.into_iter().map(|partial| partial.trace).collect());
            continue;
        }
        let mut written = traces::initial_domain(program);
        partials
            .iter()
            .for_each(|partial| partial.trace.add_written(&mut written));
        // What does not read may come at once: it adds to what is written, and depends on nobody.
        let ready = |partial: &Partial| !partial.is_complete() && partial.reads_next().is_none();
        let threads = match partials.iter().position(ready) {
            Some(thread) => thread..thread + 1,
            None => 0..partials.len(),
        };
        for thread in threads {
            for next in partials[thread].step(&written) {
                let mut partials = partials.clone();
                partials[thread] = next;
                if seen.insert(partials.clone()) {
                    todo.push(partials);
                }
            }
        }
    }
    complete
}

/// Chooses a write for each read, and an order of the critical sections of each mutex.
fn choose_rf(mut graph: Graph, visit: &mut Visit) {
    let sources = |read: usize| {
        let may = |write: &usize| {
            graph.events[*write].writes()
                && graph.same_location(*write, read)
                && graph.events[*write].value() == graph.events[read].value()
                && !graph.sb.contains(read, *write)
        };
        (0..graph.events.len()).filter(may).collect::<Vec<_>>()
    };
    let reads: Vec<_> = graph.reads().into_iter().map(|read| (read, sources(read))).collect();
    for lo in every_lock_order(&graph) {
        graph.lo = lo;
        assign_sources(&mut graph, &reads, &mut Vec::new(), visit);
    }
}

fn assign_sources(
    graph: &mut Graph,
    reads: &[(usize, Vec<usize>)],
    pairs: &mut Vec<(usize, usize)>,
    visit: &mut Visit,
) {
    let Some((read, sources)) = reads.get(pairs.len()) else {
        graph.rf = relation(graph, pairs);
        return choose_mo(graph, visit);
    };
    let updates = |event: usize| graph.rmw.successors(event) != 0;
    let taken: Vec<usize> = if updates(*read) {
        pairs
            .iter()
            .filter(|(_, other)| updates(*other))
            .map(|(write, _)| *write)
            .collect()
    } else {
        Vec::new()
    };
    for write in sources.iter().filter(|write| !taken.contains(write)) {
        pairs.push((*write, *read));
        assign_sources(graph, reads, pairs, visit);
        pairs.pop();
    }
}

/// Chooses an order of the writes of each location.
fn choose_mo(graph: &mut Graph, visit: &mut Visit) {
    if !rc11::no_thin_air(graph) {
        return;
    }
    let hb = rc11::happens_before(graph);
    let locations = graph.events.iter().take_while(|event| event.thread.is_none()).count();
    let mut orders = Vec::new();
    for location in 0..locations {
        let mut coherent = Vec::new();
        extend(
            graph,
            &hb,
            &mut vec![location],
            &graph.writes_to(location),
            &mut coherent,
        );
        if coherent.is_empty() {
            return;
        }
        orders.push(coherent);
    }
    let mut new_class = true;
    let any_sc = graph.events.iter().any(|event| event.is_sc());
    for chosen in product(&orders) {
        graph.mo = chosen
            .iter()
            .fold(Relation::empty(graph.events.len()), |mo, order| mo.union(order));
        if !any_sc || rc11::sc(graph, &hb) {
            visit(graph, &hb, new_class);
            new_class = false;
        }
    }
}

/// The orders of the writes of one location that begin like this and satisfy the axioms about it.
fn extend(graph: &Graph, hb: &Relation, order: &mut Vec<usize>, left: &[usize], found: &mut Vec<Relation>) {
    let so_far: Vec<_> = order.iter().chain(left).copied().collect();
    let settled = |a: usize, _: usize| !left.contains(&a);
    let known = Graph {
        mo: total(graph, &so_far).filter(settled),
        ..graph.clone()
    };
    if !rc11::coherence(&known, hb) || !rc11::atomicity(&known) {
        return;
    }
    if left.is_empty() {
        found.push(known.mo);
        return;
    }
    for next in left {
        let others: Vec<_> = left.iter().copied().filter(|other| other != next).collect();
        order.push(*next);
        extend(graph, hb, order, &others, found);
        order.pop();
    }
}
