//! Which values are known when the operations of a step are collected.
//!
//! How much is known depends on the question. For the step that a process would take *now*, all its
//! locals are known. For its *future*, only those locals are known that nothing assigns after the start
//! (`LocalCell::stable`), such as the channels that a process was started with, and its number. For processes that do not
//! exist yet, nothing is known.

use super::accesses::Accesses;
use crate::ir::{Automaton, LocalCell, Node, Program, Scope, Target};
use crate::run::View;

/// Which values of variables are known.
#[derive(Clone, Copy)]
pub(super) enum Knowledge<'a> {
    /// All of them, in this state.
    Now(View<'a, 'a>),
    /// Those that nothing assigns, in this state.
    Always(View<'a, 'a>, &'a Automaton),
    /// None.
    Nothing(&'a Program),
}

impl Accesses<'_> {
    /// Whether the value of an expression is known.
    fn is_known(&self, node: &Node) -> bool {
        match node {
            Node::Constant(_) => true,
            Node::Pid => !matches!(self.knowledge, Knowledge::Nothing(_)),
            Node::Load(target) => self.is_known_at(target),
            Node::Unary(_, operand) => self.is_known(operand),
            Node::Binary(_, operands) => self.is_known(&operands.0) && self.is_known(&operands.1),
            Node::Linear(linear) => linear.terms.iter().all(|term| self.is_known_at(&term.target)),
            Node::Conditional(parts) => self.is_known(&parts.0) && self.is_known(&parts.1) && self.is_known(&parts.2),
            _ => false,
        }
    }

    /// Whether the value at a place is known.
    fn is_known_at(&self, target: &Target) -> bool {
        if !target.indices.iter().all(|i| self.is_known(&i.value)) {
            return false;
        }
        match target.scope {
            Scope::Global => {
                matches!(self.knowledge, Knowledge::Now(_))
                    || (target.indices.is_empty() && self.constant[target.at])
                    || self.whole_is_constant(target)
            }
            Scope::Scratch => false,
            Scope::Local => match self.knowledge {
                Knowledge::Now(_) => true,
                Knowledge::Always(_, automaton) => {
                    let holds = |l: &&LocalCell| l.bytes().contains(&target.at);
                    automaton.locals.iter().find(holds).is_some_and(|l| l.stable)
                }
                Knowledge::Nothing(_) => false,
            },
        }
    }

    /// Whether nothing assigns any element of the global variable.
    fn whole_is_constant(&self, target: &Target) -> bool {
        let cell = self.program.cell_at(target.at);
        cell.is_some_and(|cell| self.constant[cell.bytes()].iter().all(|b| *b))
    }

    /// The value of an expression, if it is known and does not fail.
    pub(super) fn known(&self, node: &Node) -> Option<i32> {
        if !self.is_known(node) {
            return None;
        }
        let view = match self.knowledge {
            Knowledge::Now(view) | Knowledge::Always(view, _) => view,
            Knowledge::Nothing(program) => View::outside(program, &program.initial),
        };
        view.value(node).ok()
    }
}
