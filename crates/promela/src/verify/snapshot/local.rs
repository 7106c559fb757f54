//! Finds the components that a proposition inside `snapshot(…)` is about, and takes it apart if these are several.

use super::names::Names;
use super::residual::Value;
use super::symbolic::Leaf;
use crate::diagnostic::Diagnostic;
use crate::ir::{Node, PatternNode, Program, Scope, Target};
use crate::model::{Expr, Model};
use crate::reduce::Participants;
use crate::run::{Processes, View};
use std::collections::BTreeSet;

/// Finds the components that propositions read.
pub(super) struct Locality<'a, 'p> {
    pub(super) model: &'a Model,
    pub(super) program: &'p Program,
    pub(super) participants: &'a Participants<'p>,
    pub(super) names: &'a Names,
}

/// The components that a proposition reads.
#[derive(Default)]
struct Reads {
    components: BTreeSet<usize>,
    /// Why it reads more than can be listed, if it does.
    whole: Option<String>,
}

impl Locality<'_, '_> {
    /// The components that a proposition reads, in ascending order; none if its value is the same in all states.
    ///
    /// # Errors
    /// If it may read any.
    pub(super) fn components(&self, atom: &Expr, node: &Node) -> Result<Vec<usize>, Box<Diagnostic>> {
        let mut reads = Reads::default();
        self.node(node, &mut reads);
        match reads.whole {
            Some(reason) => Err(self.refused(atom, reason)),
            None => Ok(reads.components.into_iter().collect()),
        }
    }

    /// A property made of parts that read one component each; `leaves` has the parts.
    ///
    /// # Errors
    /// If a part cannot be taken apart.
    pub(super) fn residual(&self, atom: &Expr, node: &Node, leaves: &mut Vec<Leaf>) -> Result<Value, Box<Diagnostic>> {
        let parts = self.value(node, leaves);
        parts.map_err(|components| {
            let names: Vec<String> = components.iter().map(|c| self.names.component(*c)).collect();
            self.refused(atom, format!("has a part that reads {}", names.join(" and ")))
        })
    }

    /// An expression in parts, or the components of a part that cannot be taken apart.
    fn value(&self, node: &Node, leaves: &mut Vec<Leaf>) -> Result<Value, BTreeSet<usize>> {
        let mut reads = Reads::default();
        self.node(node, &mut reads);
        let mut components = reads.components.iter();
        match (components.next(), components.next()) {
            (None, _) => {
                let view = View::outside(self.program, &self.program.initial);
                return Ok(Value::Known(view.value(node).ok()));
            }
            (Some(component), None) => {
                leaves.push(Leaf {
                    component: *component,
                    node: node.clone(),
                });
                return Ok(Value::Leaf(leaves.len() - 1));
            }
            _ => {}
        }
        let mut of = |node: &Node| self.value(node, leaves);
        match node {
            Node::Unary(operator, operand) => Ok(Value::unary(*operator, of(operand)?)),
            Node::Binary(operator, operands) => Ok(Value::binary(*operator, of(&operands.0)?, of(&operands.1)?)),
            Node::Conditional(parts) => Ok(Value::conditional(of(&parts.0)?, of(&parts.1)?, of(&parts.2)?)),
            Node::Linear(linear) => {
                let mut terms = Vec::new();
                for term in &linear.terms {
                    terms.push((term.factor, of(&Node::Load(term.target.clone()))?));
                }
                Ok(Value::sum(linear.constant, terms))
            }
            _ => Err(reads.components),
        }
    }

    fn refused(&self, atom: &Expr, label: String) -> Box<Diagnostic> {
        let text = self.model.sources.slice(atom.span);
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let message = format!(
            "`{text}` cannot be taken apart into what each process or shared object contributes, as snapshots require"
        );
        Box::new(
            Diagnostic::error("promela::snapshot", atom.span, message).label(label).help(
                "write it with operators between parts that read one process, one variable or one channel each, such as \
                 `x + y > 3`; or use `--snapshot-method tracker`, whose cost is exponential",
            ),
        )
    }

    fn node(&self, node: &Node, reads: &mut Reads) {
        let whole = |reads: &mut Reads, reason: &str| {
            reads.whole.get_or_insert_with(|| reason.to_string());
        };
        match node {
            Node::Constant(_) | Node::Pid | Node::Started | Node::OutOfRange { .. } => {}
            Node::Load(target) => self.target(target, reads),
            Node::Unary(_, operand) => self.node(operand, reads),
            Node::Binary(_, operands) => {
                self.node(&operands.0, reads);
                self.node(&operands.1, reads);
            }
            Node::Linear(linear) => {
                for term in &linear.terms {
                    self.target(&term.target, reads);
                }
            }
            Node::Conditional(parts) => {
                self.node(&parts.0, reads);
                self.node(&parts.1, reads);
                self.node(&parts.2, reads);
            }
            Node::Len(channel) | Node::Poll(_, channel) => self.channel(channel, reads),
            Node::CanReceive { channel, patterns, .. } => {
                self.channel(channel, reads);
                for pattern in patterns {
                    if let PatternNode::Match(value) = pattern {
                        self.node(value, reads);
                    }
                }
            }
            Node::ProcessCount => {
                reads.components.insert(self.participants.table());
            }
            Node::AtLabel { proctype, process, .. } => {
                self.process(proctype.0 as usize, process.as_deref(), reads);
            }
            Node::Remote {
                proctype,
                process,
                target,
            } => {
                self.process(proctype.0 as usize, process.as_deref(), reads);
                target.indices.iter().for_each(|index| self.node(&index.value, reads));
            }
            Node::Timeout
            | Node::NonProgress
            | Node::Accepting
            | Node::Last
            | Node::Enabled(_)
            | Node::GetPriority(_)
            | Node::SetPriority(_) => whole(reads, "asks about the whole system"),
        }
    }

    fn target(&self, target: &Target, reads: &mut Reads) {
        if target.scope != Scope::Global {
            return;
        }
        let mut at = Some(target.at);
        for index in &target.indices {
            self.node(&index.value, reads);
            let value = self.participants.constant(&index.value);
            let inside = value.filter(|value| (0..index.length).contains(value));
            at = at.zip(inside).map(|(at, value)| at + value as usize * index.stride);
        }
        let places = at.map_or_else(|| Participants::elements(target), |at| vec![at]);
        let components = places.into_iter().filter_map(|at| self.participants.variable(at));
        reads.components.extend(components);
    }

    fn channel(&self, channel: &Node, reads: &mut Reads) {
        self.node(channel, reads);
        match self.participants.constant(channel) {
            Some(number) if number > 0 => reads.components.extend(self.participants.channel(number as usize)),
            Some(_) => {}
            None => {
                reads
                    .whole
                    .get_or_insert_with(|| "which channel it is about may change".to_string());
            }
        }
    }

    fn process(&self, proctype: usize, process: Option<&Node>, reads: &mut Reads) {
        match process {
            Some(number) => {
                self.node(number, reads);
                match self.participants.constant(number) {
                    Some(pid) if (0..255).contains(&pid) => {
                        reads.components.insert(self.participants.process(pid as usize));
                    }
                    // Such a process never exists.
                    Some(_) => {}
                    None => {
                        reads
                            .whole
                            .get_or_insert_with(|| "which process it is about may change".to_string());
                    }
                }
            }
            None => {
                let automata = self.program.automata.iter();
                let mut runs = automata.flat_map(|a| &a.graph.edges).filter_map(|e| e.run.as_ref());
                let name = &self.program.automata[proctype].name;
                if runs.any(|run| run.proctype.0 as usize == proctype) {
                    let reason = format!("which process is meant may change: write `{name}[pid]`");
                    reads.whole.get_or_insert(reason);
                    return;
                }
                let mut first = Processes::new(self.program, &self.program.initial);
                let first = first.find(|p| p.proctype.0 as usize == proctype);
                reads
                    .components
                    .extend(first.map(|p| self.participants.process(p.pid as usize)));
            }
        }
    }
}
