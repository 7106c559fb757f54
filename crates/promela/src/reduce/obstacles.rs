//! Why an edge is not executable, and which operations could change that.
//!
//! Each reason why an edge is not executable comes with a set of operations. The edge
//! stays not executable as long as no other process performs one of them. These are the
//! necessary enabling sets of the thesis (Def. 4.14), as operations.
//!
//! For `timeout` the empty set is enough: a stubborn set contains an executable edge and everything that
//! could make that edge not executable, and while something is
//! executable there is no timeout.

use super::accesses::Accesses;
use super::operations::{ChannelOp, TableOp};
use crate::ir::{Action, Edge, Node, PatternNode};
use crate::model::Binary;
use crate::run::View;

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
pub(super) fn obstacles<'a>(view: &View<'_, '_>, edge: &'a Edge, out: &mut Vec<Obstacle<'a>>) {
    match &edge.action {
        Action::Condition(node) => {
            if edge.run.is_some() {
                out.push(Obstacle::Processes);
            }
            false_conjuncts(view, node, out);
        }
        Action::Send { channel, message, .. } => match view.channel(channel) {
            Ok(c) if c.layout.capacity == 0 => out.push(Obstacle::NoPartner {
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
        } => match view.channel(channel) {
            Ok(c) if c.layout.capacity == 0 => out.push(Obstacle::NoPartner {
                channel,
                offers: false,
                message: &[],
                patterns,
            }),
            Ok(c) => out.push(Obstacle::NoMessage {
                channel,
                patterns,
                is_empty: c.len(view.state) == 0,
                random: *random,
            }),
            Err(_) => out.push(Obstacle::False(channel)),
        },
        Action::DStep(inner) => {
            let mut ways = Vec::new();
            for edge in inner.at(inner.start) {
                let mut reasons = Vec::new();
                obstacles(view, edge, &mut reasons);
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

/// Those reasons that are about receives waiting for a rendezvous to be offered.
pub(super) fn offers_wanted<'a>(view: &View<'_, '_>, edge: &'a Edge, out: &mut Vec<Obstacle<'a>>) {
    match &edge.action {
        Action::Receive { .. } => {
            let before = out.len();
            obstacles(view, edge, out);
            if !matches!(out[before..], [Obstacle::NoPartner { .. }]) {
                out.truncate(before);
            }
        }
        Action::DStep(inner) => inner
            .at(inner.start)
            .iter()
            .for_each(|edge| offers_wanted(view, edge, out)),
        _ => {}
    }
}

fn false_conjuncts<'a>(view: &View<'_, '_>, node: &'a Node, out: &mut Vec<Obstacle<'a>>) {
    if let Node::Binary(Binary::And, operands) = node {
        false_conjuncts(view, &operands.0, out);
        false_conjuncts(view, &operands.1, out);
    } else if view.holds(node) == Ok(false) {
        out.push(Obstacle::False(node));
    }
}

impl Obstacle<'_> {
    /// Adds the operations that could remove the reason.
    pub(super) fn removers(&self, out: &mut Accesses<'_>) {
        match self {
            Obstacle::False(node) => out.could_become_true(node),
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
