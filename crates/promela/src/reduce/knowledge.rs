//! Which values are known when the operations of a step are collected.
//!
//! How much is known depends on the question. For the step that a process would take *now*, all its
//! locals are known. For its *future*, only those locals are known that nothing assigns after the start and that [decide on
//! objects](super::steering), such as the channels that a process was started with, and its number. For processes that do not
//! exist yet, nothing is known.

use super::accesses::Accesses;
use super::inquiry::Inquiry;
use crate::ir::{Node, Scope, Target};
use crate::run::{Processes, View};

/// Which values of variables are known.
#[derive(Clone, Copy)]
pub(super) enum Knowledge<'a> {
    /// All of them, in this state.
    Now(Inquiry<'a>),
    /// Those that nothing assigns, in this state.
    Always(View<'a, 'a>),
    /// None.
    Nothing,
}

impl<'a> Knowledge<'a> {
    /// The state as a process sees it, if there is one.
    pub(super) fn view(self) -> Option<View<'a, 'a>> {
        match self {
            Self::Now(inquiry) => Some(inquiry.view),
            Self::Always(view) => Some(view),
            Self::Nothing => None,
        }
    }
}

impl Accesses<'_> {
    /// Whether the value of an expression is known, if those at places are.
    fn is_known(&self, node: &Node, at: &dyn Fn(&Target) -> bool, pid: bool) -> bool {
        match node {
            Node::Constant(_) => true,
            Node::Pid => pid,
            Node::Load(target) => at(target),
            Node::Unary(_, operand) => self.is_known(operand, at, pid),
            Node::Binary(_, operands) => self.is_known(&operands.0, at, pid) && self.is_known(&operands.1, at, pid),
            Node::Linear(linear) => linear.terms.iter().all(|term| at(&term.target)),
            Node::Conditional(parts) => {
                let (condition, yes, no) = &**parts;
                [condition, yes, no].iter().all(|part| self.is_known(part, at, pid))
            }
            _ => false,
        }
    }

    /// The proctype of the process that is asked about, if it exists.
    fn proctype(&self) -> Option<usize> {
        let view = self.knowledge.view()?;
        let process = Processes::new(self.program, view.state).nth(view.pid as usize);
        process.map(|process| process.proctype.0 as usize)
    }

    /// Whether the value of an expression is the same for all processes of a kind, at all times.
    fn is_fixed(&self, node: &Node) -> bool {
        let has_number = self.proctype().is_some_and(|proctype| !self.is_anonymous[proctype]);
        self.is_known(node, &|target| self.is_fixed_at(target), has_number)
    }

    /// Whether the value at a place is the same for all processes of a kind, at all times.
    fn is_fixed_at(&self, target: &Target) -> bool {
        if !target.indices.iter().all(|i| self.is_fixed(&i.value)) {
            return false;
        }
        match target.scope {
            Scope::Global => (target.indices.is_empty() && self.constant[target.at]) || self.whole_is_constant(target),
            Scope::Scratch => false,
            Scope::Local => {
                let steering = self.proctype().map(|proctype| &self.steering[proctype]);
                steering.is_some_and(|all| all.iter().any(|(from, to)| (*from..*to).contains(&target.at)))
            }
        }
    }

    /// Whether the value at a place is known now.
    fn is_known_at(&self, target: &Target) -> bool {
        let is_known = |node| self.is_known(node, &|target| self.is_known_at(target), true);
        target.scope != Scope::Scratch && target.indices.iter().all(|i| is_known(&i.value))
    }

    /// Whether nothing assigns any element of the global variable.
    fn whole_is_constant(&self, target: &Target) -> bool {
        let cell = self.program.cell_at(target.at);
        cell.is_some_and(|cell| self.constant[cell.bytes()].iter().all(|b| *b))
    }

    /// The value of an expression, if it is known and does not fail.
    pub(super) fn known(&self, node: &Node) -> Option<i32> {
        if self.is_fixed(node) {
            let view = self.knowledge.view();
            let view = view.unwrap_or_else(|| View::outside(self.program, &self.program.initial));
            return view.value(node).ok();
        }
        match self.knowledge {
            Knowledge::Now(inquiry) if self.is_known(node, &|target| self.is_known_at(target), true) => {
                inquiry.value(node)
            }
            _ => None,
        }
    }
}
