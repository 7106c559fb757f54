//! Finds something anywhere inside an expression or an edge.

use super::{Action, Edge, Graph, Node, PatternNode, Target};

/// What is looked for.
type Wanted<'a> = &'a dyn Fn(&Node) -> bool;

impl Node {
    /// Calls `f` with each direct part of the expression, including indices.
    pub(crate) fn each_part<'a>(&'a self, visit: &mut dyn FnMut(&'a Node)) {
        match self {
            Self::Load(target) => indices(target, visit),
            Self::Remote { process, target, .. } => {
                process.iter().for_each(|process| visit(process));
                indices(target, visit);
            }
            Self::AtLabel { process, .. } => process.iter().for_each(|process| visit(process)),
            Self::CanReceive { channel, patterns, .. } => {
                visit(channel);
                values(patterns, visit);
            }
            Self::Unary(_, inner)
            | Self::Len(inner)
            | Self::Poll(_, inner)
            | Self::Enabled(inner)
            | Self::GetPriority(inner) => visit(inner),
            Self::Binary(_, parts) | Self::SetPriority(parts) => {
                visit(&parts.0);
                visit(&parts.1);
            }
            Self::Conditional(parts) => {
                visit(&parts.0);
                visit(&parts.1);
                visit(&parts.2);
            }
            // The variables of a sum have no indices.
            Self::Linear(_) | Self::Started | Self::OutOfRange { .. } => {}
            simple => debug_assert!(simple.is_certain()),
        }
    }

    /// Whether the expression, or some part of it, passes the test.
    pub(crate) fn mentions(&self, wanted: Wanted<'_>) -> bool {
        let mut found = wanted(self);
        self.each_part(&mut |part| found = found || part.mentions(wanted));
        found
    }
}

impl Edge {
    /// Calls `f` with each expression that the edge evaluates, without those of its inhibitors.
    pub(crate) fn each_expression<'a>(&'a self, visit: &mut dyn FnMut(&'a Node)) {
        let arguments = self.run.iter().flat_map(|run| &run.arguments);
        arguments.for_each(&mut *visit);
        match &self.action {
            Action::Condition(node) | Action::Assert(node) => visit(node),
            Action::Assign(target, node) => {
                indices(target, visit);
                visit(node);
            }
            Action::Send { channel, message, .. } => {
                visit(channel);
                message.iter().for_each(visit);
            }
            Action::Receive { channel, patterns, .. } => {
                visit(channel);
                values(patterns, visit);
            }
            Action::DStep(inner) => inner.edges.iter().for_each(|edge| edge.each_expression(visit)),
            Action::Else | Action::Skip | Action::End => {}
        }
    }

    /// Whether some part of an expression that the edge evaluates passes the test.
    pub(crate) fn mentions(&self, wanted: Wanted<'_>) -> bool {
        let mut found = false;
        self.each_expression(&mut |node| found = found || node.mentions(wanted));
        found
    }
}

impl Graph {
    /// Calls `visit` with each place that a statement assigns, also inside of a `d_step`.
    pub(crate) fn each_assigned<'a>(&'a self, visit: &mut dyn FnMut(&'a Target)) {
        for edge in &self.edges {
            match &edge.action {
                Action::Assign(target, _) => visit(target),
                Action::Receive { patterns, .. } => {
                    for pattern in patterns {
                        if let PatternNode::Store(target) = pattern {
                            visit(target);
                        }
                    }
                }
                Action::DStep(inner) => inner.each_assigned(visit),
                Action::Condition(_)
                | Action::Else
                | Action::Skip
                | Action::Send { .. }
                | Action::Assert(_)
                | Action::End => {}
            }
        }
    }
}

fn indices<'a>(target: &'a Target, visit: &mut dyn FnMut(&'a Node)) {
    target.indices.iter().for_each(|index| visit(&index.value));
}

fn values<'a>(patterns: &'a [PatternNode], visit: &mut dyn FnMut(&'a Node)) {
    for pattern in patterns {
        match pattern {
            PatternNode::Match(value) => visit(value),
            PatternNode::Store(target) => indices(target, visit),
            PatternNode::Any => {}
        }
    }
}
