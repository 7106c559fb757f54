//! What an expression or an edge mentions, wherever in it.

use super::{Action, Edge, Node, PatternNode, Target};

/// What is looked for.
type Wanted<'a> = &'a dyn Fn(&Node) -> bool;

impl Node {
    /// Whether it is wanted, or a part of it.
    pub(crate) fn mentions(&self, wanted: Wanted<'_>) -> bool {
        wanted(self)
            || match self {
                Self::Load(target) => in_target(target, wanted),
                // Its variables have no indices.
                Self::Linear(_) => false,
                Self::Remote { process, target, .. } => {
                    process.iter().any(|p| p.mentions(wanted)) || in_target(target, wanted)
                }
                Self::AtLabel { process, .. } => process.iter().any(|p| p.mentions(wanted)),
                Self::CanReceive { channel, patterns, .. } => channel.mentions(wanted) || in_patterns(patterns, wanted),
                Self::Unary(_, inner)
                | Self::Len(inner)
                | Self::Poll(_, inner)
                | Self::Enabled(inner)
                | Self::ProgramCounter(inner)
                | Self::GetPriority(inner) => inner.mentions(wanted),
                Self::Binary(_, parts) | Self::SetPriority(parts) => {
                    parts.0.mentions(wanted) || parts.1.mentions(wanted)
                }
                Self::Conditional(parts) => {
                    parts.0.mentions(wanted) || parts.1.mentions(wanted) || parts.2.mentions(wanted)
                }
                Self::Constant(_)
                | Self::Started
                | Self::Timeout
                | Self::NonProgress
                | Self::Accepting
                | Self::Last
                | Self::Pid
                | Self::ProcessCount
                | Self::OutOfRange { .. } => false,
            }
    }
}

impl Edge {
    /// Whether what it evaluates mentions something; inhibitors aside.
    pub(crate) fn mentions(&self, wanted: Wanted<'_>) -> bool {
        let mut arguments = self.run.iter().flat_map(|run| &run.arguments);
        arguments.any(|node| node.mentions(wanted))
            || match &self.action {
                Action::Condition(node) | Action::Assert(node) => node.mentions(wanted),
                Action::Assign(target, node) => in_target(target, wanted) || node.mentions(wanted),
                Action::Send { channel, message, .. } => {
                    channel.mentions(wanted) || message.iter().any(|node| node.mentions(wanted))
                }
                Action::Receive { channel, patterns, .. } => channel.mentions(wanted) || in_patterns(patterns, wanted),
                Action::DStep(inner) => inner.edges.iter().any(|edge| edge.mentions(wanted)),
                Action::Else | Action::Skip | Action::End => false,
            }
    }
}

fn in_target(target: &Target, wanted: Wanted<'_>) -> bool {
    target.indices.iter().any(|index| index.value.mentions(wanted))
}

fn in_patterns(patterns: &[PatternNode], wanted: Wanted<'_>) -> bool {
    patterns.iter().any(|pattern| match pattern {
        PatternNode::Match(value) => value.mentions(wanted),
        PatternNode::Store(target) => in_target(target, wanted),
        PatternNode::Any => false,
    })
}
