//! The locals that decide on which objects a process operates.
//!
//! These are the locals that occur in indices and as channels. If nothing assigns them, they belong to the
//! [kind](super::instance) of a process. What another local is, even one that nothing assigns, such as the number that a process bears in an
//! election, does not matter there.

use crate::ir::{Action, Automaton, Edge, Node, PatternNode, Scope, Target};

/// Is told what decides on objects: a variable, or the number of the process.
type Mark<'a> = &'a mut dyn FnMut(Option<&Target>);

/// The bytes of the locals, relative to the frame, that nothing assigns and that decide on which objects a process of this proctype
/// operates.
pub(super) fn steering(automaton: &Automaton) -> Vec<(usize, usize)> {
    let mut steers = vec![false; automaton.locals.len()];
    let mut mark = |target: Option<&Target>| {
        let Some(target) = target.filter(|target| target.scope == Scope::Local) else {
            return;
        };
        if let Some(k) = automaton.locals.iter().position(|l| l.bytes().contains(&target.at)) {
            steers[k] = true;
        }
    };
    for edge in &automaton.graph.edges {
        of_edge(edge, &mut mark);
    }
    let locals = automaton.locals.iter().zip(steers);
    let chosen = locals.filter(|(local, steers)| local.stable && *steers);
    chosen.map(|(local, _)| (local.at, local.at + local.size)).collect()
}

/// Whether nothing that a process of this proctype does to objects depends on which process it is.
pub(super) fn is_anonymous(automaton: &Automaton) -> bool {
    let mut has_number = false;
    for edge in &automaton.graph.edges {
        of_edge(edge, &mut |target| has_number |= target.is_none());
    }
    !has_number && automaton.channels.is_empty() && steering(automaton).is_empty()
}

fn of_edge(edge: &Edge, mark: Mark<'_>) {
    edge.each_expression(&mut |node| of_expression(node, mark));
    match &edge.action {
        Action::Assign(target, _) => of_indices(target, mark),
        Action::Send { channel, .. } => all_in(channel, mark),
        Action::Receive { channel, patterns, .. } => {
            all_in(channel, mark);
            of_patterns(patterns, mark);
        }
        Action::DStep(inner) => inner.edges.iter().for_each(|edge| of_edge(edge, mark)),
        Action::Condition(_) | Action::Assert(_) | Action::Else | Action::Skip | Action::End => {}
    }
}

fn of_expression(node: &Node, mark: Mark<'_>) {
    match node {
        Node::Load(target) | Node::Remote { target, .. } => of_indices(target, mark),
        Node::Len(channel) | Node::Poll(_, channel) => all_in(channel, mark),
        Node::CanReceive { channel, patterns, .. } => {
            all_in(channel, mark);
            of_patterns(patterns, mark);
        }
        _ => {}
    }
    node.each_part(&mut |part| of_expression(part, mark));
}

fn of_patterns(patterns: &[PatternNode], mark: Mark<'_>) {
    for pattern in patterns {
        if let PatternNode::Store(target) = pattern {
            of_indices(target, mark);
        }
    }
}

fn of_indices(target: &Target, mark: Mark<'_>) {
    for index in &target.indices {
        all_in(&index.value, mark);
    }
}

/// Marks all that an expression loads, and the number of the process.
fn all_in(node: &Node, mark: Mark<'_>) {
    match node {
        Node::Load(target) => mark(Some(target)),
        Node::Linear(linear) => linear.terms.iter().for_each(|term| mark(Some(&term.target))),
        Node::Pid => mark(None),
        _ => {}
    }
    node.each_part(&mut |part| all_in(part, mark));
}
