//! The edges that depend on `timeout`, which concerns all processes.

use crate::ir::{Action, Edge, Graph, Node, Program};
use crate::model::Binary;

/// For each proctype and edge, whether it may be executable only because of a timeout.
pub(super) fn timeouts(program: &Program) -> Vec<Vec<bool>> {
    let of = |graph: &Graph| {
        graph
            .edges
            .iter()
            .map(|edge| edge_mentions_timeout(edge, graph))
            .collect()
    };
    program.automata.iter().map(|a| of(&a.graph)).collect()
}

/// Whether an edge, or one that inhibits it, depends on `timeout`.
pub(super) fn edge_mentions_timeout(edge: &Edge, graph: &Graph) -> bool {
    let mentions = |edge: &Edge| edge.mentions(&|node| matches!(node, Node::Timeout));
    let mut inhibitors = edge.inhibitors.iter().map(|i| &graph.edges[*i as usize]);
    inhibitors.any(mentions) || mentions(edge)
}

/// Whether an edge is executable only when nothing else is.
pub(super) fn needs_timeout(edge: &Edge) -> bool {
    match &edge.action {
        Action::Condition(node) => implies_timeout(node),
        Action::DStep(inner) => inner.at(inner.start).iter().all(needs_timeout),
        _ => false,
    }
}

fn implies_timeout(node: &Node) -> bool {
    match node {
        Node::Timeout => true,
        Node::Binary(Binary::And, operands) => implies_timeout(&operands.0) || implies_timeout(&operands.1),
        Node::Binary(Binary::Or, operands) => implies_timeout(&operands.0) && implies_timeout(&operands.1),
        _ => false,
    }
}
