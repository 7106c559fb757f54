//! References to channels that are not open.
//!
//! The channels of a process end with it, and their numbers are reused. A process that still has such a number fails
//! while the number is free, and uses another channel afterwards. So the start of a process with channels of its own
//! conflicts with every operation on a channel with such a number.
//!
//! This cannot happen in most models. A process passes the numbers of its channels to processes that it starts, which end
//! before it does. So as long as variables that are used as channels keep the values that they were declared with, or that
//! they got as parameters in this way, they refer to open channels or to none (0).

use super::participants::elements;
use crate::ir::{Action, Automaton, Edge, Node, Program, Scope, Target};

/// Whether the number of a channel may be used before the channel is opened, or after it has ended.
/// `constant` tells which bytes of the global variables are never assigned.
pub(super) fn may_dangle(program: &Program, constant: &[bool]) -> bool {
    let opens = |edge: &Edge| {
        let run = edge.run.as_ref();
        run.is_some_and(|run| !program.automata[run.proctype.0 as usize].channels.is_empty())
    };
    if !program.automata.iter().any(|a| a.graph.edges.iter().any(opens)) {
        return false;
    }
    let mut settled = Settled {
        program,
        constant,
        looked: program.automata.iter().map(|a| vec![false; a.locals.len()]).collect(),
    };
    (0..program.automata.len()).any(|k| settled.uses_others(k))
}

/// Looks for channels that are not settled.
struct Settled<'p> {
    program: &'p Program,
    constant: &'p [bool],
    /// For each proctype and local variable, whether it was visited, or is being visited.
    looked: Vec<Vec<bool>>,
}

impl<'p> Settled<'p> {
    /// Whether a proctype uses a channel that is not settled.
    fn uses_others(&mut self, proctype: usize) -> bool {
        let automaton = &self.program.automata[proctype];
        let mut channels = Vec::new();
        automaton
            .initial
            .iter()
            .for_each(|(_, node)| inside(node, &mut channels));
        automaton.provided.iter().for_each(|node| inside(node, &mut channels));
        automaton
            .graph
            .edges
            .iter()
            .for_each(|edge| of_edge(edge, &mut channels));
        channels.into_iter().any(|channel| !self.holds(proctype, channel))
    }

    /// Whether an expression that a process uses as a channel is settled.
    fn holds(&mut self, proctype: usize, channel: &'p Node) -> bool {
        let is_global = |number: i32| (0..=crate::narrow::value(self.program.channels.len())).contains(&number);
        match channel {
            Node::Constant(number) => is_global(*number),
            Node::Load(target) => match target.scope {
                Scope::Global => {
                    let value = |at| target.scalar.load(&self.program.initial, at);
                    self.constant[target.at] && elements(target).into_iter().all(|at| is_global(value(at)))
                }
                Scope::Local => self.local_holds(proctype, target),
                Scope::Scratch => false,
            },
            _ => false,
        }
    }

    fn local_holds(&mut self, proctype: usize, target: &Target) -> bool {
        let program = self.program;
        let automaton: &'p Automaton = &program.automata[proctype];
        let number = automaton.locals.iter().position(|l| l.bytes().contains(&target.at));
        let Some((number, local)) = number.map(|n| (n, &automaton.locals[n])) else {
            return false;
        };
        if std::mem::replace(&mut self.looked[proctype][number], true) {
            // If the variable is not settled, another visit finds that out.
            return true;
        }
        let is_here = |target: &Target| local.bytes().contains(&target.at);
        let mut initial = automaton.initial.iter().filter(|(target, _)| is_here(target));
        if !local.stable || !initial.all(|(_, node)| self.holds(proctype, node)) {
            return false;
        }
        for (k, _) in automaton.parameters.iter().enumerate().filter(|(_, p)| is_here(p)) {
            for (other, automaton) in program.automata.iter().enumerate() {
                let runs = automaton.graph.edges.iter().filter_map(|edge| edge.run.as_ref());
                let mut given = runs
                    .filter(|run| run.proctype.0 as usize == proctype)
                    .map(|run| &run.arguments[k]);
                if !given.all(|node| self.holds(other, node)) {
                    return false;
                }
            }
        }
        true
    }
}

/// Adds the expressions that an edge uses as channels.
fn of_edge<'p>(edge: &'p Edge, channels: &mut Vec<&'p Node>) {
    if let Action::Send { channel, .. } | Action::Receive { channel, .. } = &edge.action {
        channels.push(channel);
    }
    if let Action::DStep(inner) = &edge.action {
        inner.edges.iter().for_each(|edge| of_edge(edge, channels));
    }
    edge.each_expression(&mut |node| inside(node, channels));
}

/// Adds the parts of an expression that are used as channels.
fn inside<'p>(node: &'p Node, channels: &mut Vec<&'p Node>) {
    if let Node::Len(channel) | Node::Poll(_, channel) | Node::CanReceive { channel, .. } = node {
        channels.push(channel);
    }
    node.each_part(&mut |part| inside(part, channels));
}
