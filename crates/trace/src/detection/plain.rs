//! The definitions, checked directly on what is about to be shown.
//!
//! No class, table or projection is used here: a predicate is evaluated on the values
//! that the variables have in a cut, and a history is followed event by event. Every
//! witness passes through here before it leaves the crate.

use crate::causality::{Causality, Cut, Event};
use crate::computation::Computation;
use crate::predicate::{EvaluationError, Formula, Node};
use crate::value::Value;

/// The truth of a predicate in a cut, or `Err` with the atom that has no value there.
pub(crate) fn truth(
    computation: &Computation,
    formula: &Formula,
    cut: &[u32],
) -> Result<bool, (usize, EvaluationError)> {
    node(computation, formula, &formula.root, cut)
}

fn node(
    computation: &Computation,
    formula: &Formula,
    at: &Node,
    cut: &[u32],
) -> Result<bool, (usize, EvaluationError)> {
    // "And" is false if a member is, else undefined if a member is; "or" likewise.
    let all = |nodes: &[Node], decided: bool| {
        let mut error = None;
        for n in nodes {
            match node(computation, formula, n, cut) {
                Ok(truth) if truth == decided => return Ok(decided),
                Ok(_) => {}
                Err(e) => error = error.or(Some(e)),
            }
        }
        error.map_or(Ok(!decided), Err)
    };
    match at {
        Node::Constant(truth) => Ok(*truth),
        Node::And(nodes) => all(nodes, false),
        Node::Or(nodes) => all(nodes, true),
        Node::Literal { atom, positive } => {
            let values: Vec<&Value> = formula.atoms[*atom]
                .reads
                .iter()
                .map(|read| match computation.variable(&read.variable) {
                    Some(v) => computation.value(read.process, v, cut[read.process.index()]),
                    None => &Value::Null,
                })
                .collect();
            match formula.atoms[*atom].evaluate(&values) {
                Ok(truth) => Ok(truth == *positive),
                Err(e) => Err((*atom, e)),
            }
        }
    }
}

/// Whether a path goes from the first cut to the last, one event at a time, through
/// consistent cuts in which the predicate is not true.
pub(crate) fn avoids(computation: &Computation, formula: &Formula, path: &[Cut]) -> bool {
    let order = computation.causality();
    let first = vec![0; order.processes()];
    path.first() == Some(&first)
        && path.last() == Some(&order.last_cut())
        && path.windows(2).all(|w| is_step(order, &w[0], &w[1]))
        && path
            .iter()
            .all(|cut| !matches!(truth(computation, formula, cut), Ok(true)))
}

/// Whether one event that is enabled in the consistent cut `from` leads to `to`.
fn is_step(order: &Causality, from: &[u32], to: &[u32]) -> bool {
    let mut moved = order.process_ids().filter(|p| from[p.index()] != to[p.index()]);
    match (moved.next(), moved.next()) {
        (Some(p), None) => to[p.index()] == from[p.index()] + 1 && order.is_enabled(p, from),
        _ => false,
    }
}

/// The events between two consistent cuts, `from` below `to`, causes before effects.
pub(crate) fn run_between(order: &Causality, from: &[u32], to: &[u32]) -> Vec<Event> {
    let mut cut = from.to_vec();
    let mut run = Vec::new();
    loop {
        let before = run.len();
        for process in order.process_ids() {
            let p = process.index();
            while cut[p] < to[p] && order.is_enabled(process, &cut) {
                cut[p] += 1;
                run.push(Event::new(process, cut[p]));
            }
        }
        if run.len() == before {
            debug_assert_eq!(cut, to, "a consistent cut is reached event by event");
            return run;
        }
    }
}
