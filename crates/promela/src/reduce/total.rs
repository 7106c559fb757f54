//! Whether evaluating an expression can come to fail.
//!
//! A condition that fails counts as executable, so that its execution reports the failure. So a conjunct that is false keeps a
//! condition from being executable only as long as none of the conjuncts before it fails. The same holds for the message of a
//! rendezvous, which is evaluated before a partner is looked for.

use super::inquiry::Inquiry;
use crate::ir::{Automaton, Node, Scope, Target};
use crate::model::Binary;

/// What keeps its value.
#[derive(Clone, Copy, Debug)]
pub(super) enum Settled<'a> {
    /// The process stays where it is: all its locals.
    Here,
    /// The process moves: those locals that nothing assigns.
    Elsewhere(&'a Automaton),
}

impl Settled<'_> {
    fn has(self, node: &Node) -> bool {
        let is_settled = |target: &Target| match (target.scope, self) {
            (Scope::Local, Self::Here) => true,
            (Scope::Local, Self::Elsewhere(automaton)) => {
                let local = automaton.locals.iter().find(|l| l.bytes().contains(&target.at));
                local.is_some_and(|local| local.stable)
            }
            (Scope::Global | Scope::Scratch, _) => false,
        };
        !node.mentions(&|part| match part {
            Node::Load(target) => !is_settled(target),
            Node::Linear(linear) => linear.terms.iter().any(|term| !is_settled(&term.target)),
            Node::Constant(_) | Node::Pid | Node::Unary(..) | Node::Binary(..) | Node::Conditional(_) => false,
            _ => true,
        })
    }

    /// Whether evaluating an expression fails neither in this state nor later, whatever else changes.
    pub(super) fn makes_total(self, inquiry: &Inquiry<'_>, node: &Node) -> bool {
        match node {
            Node::Constant(_) | Node::Pid | Node::ProcessCount | Node::Timeout | Node::Linear(_) => true,
            Node::Load(target) => target.indices.iter().all(|index| {
                let in_range = |value| (0..index.length).contains(&value);
                self.has(&index.value) && inquiry.value(&index.value).is_some_and(in_range)
            }),
            Node::Unary(_, operand) => self.makes_total(inquiry, operand),
            Node::Binary(Binary::Divide | Binary::Remainder, operands) => {
                let divisor = &operands.1;
                self.makes_total(inquiry, &operands.0)
                    && self.has(divisor)
                    && inquiry.value(divisor).is_some_and(|value| value != 0)
            }
            Node::Binary(_, operands) => {
                self.makes_total(inquiry, &operands.0) && self.makes_total(inquiry, &operands.1)
            }
            Node::Conditional(parts) => {
                let (condition, yes, no) = &**parts;
                [condition, yes, no].iter().all(|part| self.makes_total(inquiry, part))
            }
            // Channels of processes may come to be closed.
            Node::Len(channel) | Node::Poll(_, channel) => {
                let open = 1..=inquiry.view.program.channels.len();
                let is_open = |number| usize::try_from(number).is_ok_and(|number| open.contains(&number));
                self.has(channel) && inquiry.value(channel).is_some_and(is_open)
            }
            _ => false,
        }
    }
}
