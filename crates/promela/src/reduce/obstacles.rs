//! Why an edge is not executable, and which operations could change that.
//!
//! Each reason why an edge is not executable comes with a set of operations. The edge
//! stays not executable as long as no other process performs one of them. These are the
//! necessary enabling sets of the thesis (Def. 4.14), as operations.
//!
//! A reason is *lasting* if it does not depend on where the process is and on local variables that change. Then it
//! also prevents an edge that the process has not reached yet, until somebody, perhaps the
//! process itself, removes it.
//!
//! For `timeout` the empty set is enough: a stubborn set contains an executable edge and everything that
//! could make that edge not executable, and while something is
//! executable there is no timeout.

use super::accesses::Accesses;
use super::inquiry::{Fill, Inquiry};
use super::operations::{ChannelOp, TableOp};
use super::total::Settled;
use crate::ir::{Action, Automaton, Edge, Node, PatternNode, Scope, Target};
use crate::model::Binary;

/// A reason why an edge is not executable.
pub(super) enum Obstacle<'a> {
    /// A condition that does not hold, one of several that must.
    False(&'a Node),
    /// A channel is full.
    Full(&'a Node),
    /// No message matches.
    NoMessage {
        channel: &'a Node,
        patterns: &'a [PatternNode],
        /// Whether there is no message at all.
        is_empty: bool,
        /// Whether any message may be received, not only the oldest.
        random: bool,
    },
    /// There is no partner.
    NoPartner {
        channel: &'a Node,
        offers: bool,
        message: &'a [Node],
        patterns: &'a [PatternNode],
    },
    /// The process is not the youngest, or there are too many processes.
    Processes,
    /// None of the first edges of a `d_step` is executable.
    NoWay(Vec<Obstacle<'a>>),
}

/// The reasons why an edge is not executable, apart from its inhibitors.
pub(super) fn obstacles<'a>(inquiry: &Inquiry<'_>, edge: &'a Edge, out: &mut Vec<Obstacle<'a>>) {
    match &edge.action {
        Action::Condition(node) => {
            if edge.run.is_some() {
                out.push(Obstacle::Processes);
            }
            false_conjuncts(inquiry, node, Settled::Here, &|_| true, out);
        }
        Action::Send { channel, message, .. } => match inquiry.channel(channel) {
            Fill::Rendezvous => out.push(Obstacle::NoPartner {
                channel,
                offers: true,
                message,
                patterns: &[],
            }),
            _ => out.push(Obstacle::Full(channel)),
        },
        Action::Receive {
            channel,
            patterns,
            random,
            ..
        } => match inquiry.channel(channel) {
            Fill::Rendezvous => out.push(Obstacle::NoPartner {
                channel,
                offers: false,
                message: &[],
                patterns,
            }),
            Fill::Fails => out.push(Obstacle::False(channel)),
            fill => out.push(Obstacle::NoMessage {
                channel,
                patterns,
                is_empty: fill == Fill::Empty,
                random: *random,
            }),
        },
        Action::DStep(inner) => {
            let mut ways = Vec::new();
            for edge in inner.at(inner.start) {
                let mut reasons = Vec::new();
                obstacles(inquiry, edge, &mut reasons);
                // One reason for each first edge.
                ways.extend(reasons.into_iter().next());
            }
            out.push(Obstacle::NoWay(ways));
        }
        Action::Else | Action::Skip | Action::Assign(..) | Action::Assert(_) | Action::End => {
            out.push(Obstacle::Processes);
        }
    }
}

/// The lasting reasons why an edge would not be executable in this state if its process were there.
pub(super) fn lasting_obstacles<'a>(
    inquiry: &Inquiry<'_>,
    automaton: &Automaton,
    edge: &'a Edge,
    out: &mut Vec<Obstacle<'a>>,
) {
    let lasts = |node: &Node| is_lasting(node, automaton);
    match &edge.action {
        Action::Condition(node) => {
            false_conjuncts(inquiry, node, Settled::Elsewhere(automaton), &lasts, out);
        }
        Action::Send { channel, .. }
            if lasts(channel) && !inquiry.view.program.lossy && inquiry.channel(channel) == Fill::Full =>
        {
            out.push(Obstacle::Full(channel));
        }
        Action::Receive { channel, random, .. } if lasts(channel) && inquiry.channel(channel) == Fill::Empty => {
            out.push(Obstacle::NoMessage {
                channel,
                patterns: &[],
                is_empty: true,
                random: *random,
            });
        }
        Action::DStep(inner) => {
            let mut ways = Vec::new();
            for edge in inner.at(inner.start) {
                let mut reasons = Vec::new();
                lasting_obstacles(inquiry, automaton, edge, &mut reasons);
                match reasons.into_iter().next() {
                    Some(reason) => ways.push(reason),
                    None => return,
                }
            }
            out.push(Obstacle::NoWay(ways));
        }
        _ => {}
    }
}

/// Whether an edge may have a lasting reason in some state.
pub(super) fn may_last(edge: &Edge, automaton: &Automaton) -> bool {
    match &edge.action {
        Action::Condition(node) => any_conjunct(node, &|part| is_lasting(part, automaton)),
        Action::Send { channel, .. } | Action::Receive { channel, .. } => is_lasting(channel, automaton),
        Action::DStep(inner) => inner.at(inner.start).iter().all(|edge| may_last(edge, automaton)),
        _ => false,
    }
}

fn any_conjunct(node: &Node, wanted: &dyn Fn(&Node) -> bool) -> bool {
    match node {
        Node::Binary(Binary::And, operands) => any_conjunct(&operands.0, wanted) || any_conjunct(&operands.1, wanted),
        _ => wanted(node),
    }
}

/// Whether the value of an expression depends on nothing but shared objects and local variables that nothing assigns.
pub(super) fn is_lasting(node: &Node, automaton: &Automaton) -> bool {
    let changes = |target: &Target| match target.scope {
        Scope::Global => false,
        Scope::Local => {
            let local = automaton.locals.iter().find(|l| l.bytes().contains(&target.at));
            !local.is_some_and(|local| local.stable)
        }
        Scope::Scratch => true,
    };
    !node.mentions(&|part| match part {
        Node::Load(target) => changes(target),
        Node::Linear(linear) => linear.terms.iter().any(|term| changes(&term.target)),
        Node::Constant(_)
        | Node::Unary(..)
        | Node::Binary(..)
        | Node::Conditional(_)
        | Node::Len(_)
        | Node::Poll(..)
        | Node::Pid => false,
        _ => true,
    })
}

/// Those reasons that are about receives waiting for a rendezvous to be offered.
pub(super) fn offers_wanted<'a>(inquiry: &Inquiry<'_>, edge: &'a Edge, out: &mut Vec<Obstacle<'a>>) {
    match &edge.action {
        Action::Receive { .. } => {
            let before = out.len();
            obstacles(inquiry, edge, out);
            if !matches!(out[before..], [Obstacle::NoPartner { .. }]) {
                out.truncate(before);
            }
        }
        Action::DStep(inner) => inner
            .at(inner.start)
            .iter()
            .for_each(|edge| offers_wanted(inquiry, edge, out)),
        _ => {}
    }
}

/// The conjuncts that are false, of those that are wanted. One after a conjunct that may come to fail is no reason by itself, but
/// both together are.
fn false_conjuncts<'a>(
    inquiry: &Inquiry<'_>,
    node: &'a Node,
    settled: Settled<'_>,
    is_wanted: &dyn Fn(&Node) -> bool,
    out: &mut Vec<Obstacle<'a>>,
) {
    if let Node::Binary(Binary::And, operands) = node {
        false_conjuncts(inquiry, &operands.0, settled, is_wanted, out);
        if settled.makes_total(inquiry, &operands.0) {
            return false_conjuncts(inquiry, &operands.1, settled, is_wanted, out);
        }
    }
    if is_wanted(node) && inquiry.holds(node) == Some(false) {
        out.push(Obstacle::False(node));
    }
}

impl Obstacle<'_> {
    /// Adds the operations that could remove the reason.
    pub(super) fn removers(&self, out: &mut Accesses<'_>) {
        match self {
            Obstacle::False(node) => out.could_become(node, true),
            Obstacle::Full(channel) => {
                out.could_change(channel);
                out.operation_on(channel, ChannelOp::Receive);
                out.operation_on(channel, ChannelOp::ReceiveAny);
            }
            Obstacle::NoMessage {
                channel,
                patterns,
                is_empty,
                random,
            } => {
                out.could_change(channel);
                out.operation_on(channel, ChannelOp::SendSorted);
                // A message behind the oldest does not help a receive of the oldest.
                if *is_empty || *random {
                    out.operation_on(channel, ChannelOp::Send);
                }
                if !is_empty {
                    out.operation_on(channel, ChannelOp::Receive);
                    out.operation_on(channel, ChannelOp::ReceiveAny);
                    matched(patterns, out);
                }
            }
            Obstacle::NoPartner {
                channel,
                offers,
                message,
                patterns,
            } => {
                out.could_change(channel);
                let partner = if *offers { ChannelOp::Accept } else { ChannelOp::Offer };
                out.operation_on(channel, partner);
                for value in *message {
                    out.could_change(value);
                }
                matched(patterns, out);
            }
            Obstacle::Processes => out.table(TableOp::End),
            Obstacle::NoWay(reasons) => {
                for reason in reasons {
                    reason.removers(out);
                }
            }
        }
    }
}

fn matched(patterns: &[PatternNode], out: &mut Accesses<'_>) {
    for pattern in patterns {
        if let PatternNode::Match(value) = pattern {
            out.could_change(value);
        }
    }
}
