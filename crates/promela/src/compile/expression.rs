//! Compiles expressions and places: names become addresses.

use super::{Compiler, layout};
use crate::arithmetic::{binary, unary};
use crate::ir::{Index, Linear, Node, PatternNode, Run, Scalar, Scope, Target};
use crate::model::{Access, Base, Binary, Expr, ExprKind, Pattern, Place, Proctype, ProctypeId, Type, Unary, Variable};

impl Compiler<'_> {
    /// Compiles an expression that a process of proctype `scope` evaluates, or none.
    pub(super) fn expression(&mut self, expr: &Expr, scope: Option<&Proctype>) -> Node {
        self.note_features(&expr.kind);
        match &expr.kind {
            ExprKind::Constant(value) => Node::Constant(*value),
            ExprKind::Read(place) => self.place(place, scope).map_or_else(|failure| failure, Node::Load),
            ExprKind::Unary(operator, operand) => fold_unary(*operator, self.expression(operand, scope)),
            ExprKind::Binary(operator, left, right) => {
                let left = self.expression(left, scope);
                fold_binary(*operator, left, self.expression(right, scope))
            }
            ExprKind::Conditional(condition, then, otherwise) => {
                let condition = self.expression(condition, scope);
                let then = self.expression(then, scope);
                let otherwise = self.expression(otherwise, scope);
                Node::Conditional(Box::new((condition, then, otherwise)))
            }
            ExprKind::Run {
                proctype,
                arguments,
                priority,
            } => self.run(*proctype, arguments, *priority, scope),
            ExprKind::Len(channel) => Node::Len(self.boxed(channel, scope)),
            ExprKind::Poll(test, channel) => Node::Poll(*test, self.boxed(channel, scope)),
            ExprKind::CanReceive {
                channel,
                patterns,
                random,
            } => Node::CanReceive {
                channel: self.boxed(channel, scope),
                patterns: self.patterns(patterns, scope),
                random: *random,
            },
            ExprKind::Timeout => Node::Timeout,
            ExprKind::NonProgress => Node::NonProgress,
            ExprKind::Last => Node::Last,
            ExprKind::Pid => Node::Pid,
            ExprKind::ProcessCount => Node::ProcessCount,
            ExprKind::Enabled(process) => Node::Enabled(self.boxed(process, scope)),
            ExprKind::GetPriority(process) => Node::GetPriority(self.boxed(process, scope)),
            ExprKind::SetPriority(process, priority) => {
                let process = self.expression(process, scope);
                Node::SetPriority(Box::new((process, self.expression(priority, scope))))
            }
            ExprKind::AtLabel {
                proctype,
                process,
                label,
            } => Node::AtLabel {
                proctype: *proctype,
                process: process.as_ref().map(|p| self.boxed(p, scope)),
                label: *label,
            },
            ExprKind::Remote {
                proctype,
                process,
                place,
            } => self.remote(*proctype, process.as_deref(), place, scope),
        }
    }

    /// Notes what an expression asks of the compiled form.
    fn note_features(&mut self, kind: &ExprKind) {
        let features = &mut self.features;
        match kind {
            ExprKind::Timeout => features.timeout = true,
            ExprKind::NonProgress => features.non_progress = true,
            ExprKind::Last => features.last = true,
            ExprKind::Enabled(_) => features.introspection = true,
            ExprKind::GetPriority(_) | ExprKind::SetPriority(..) => features.priority = true,
            ExprKind::Run { priority, .. } => features.priority |= priority.is_some(),
            _ => {}
        }
    }

    /// Compiles `run`, whose value is the number of the process. The statement that contains it starts the process.
    fn run(
        &mut self,
        proctype: ProctypeId,
        arguments: &[Expr],
        priority: Option<u8>,
        scope: Option<&Proctype>,
    ) -> Node {
        let arguments = arguments.iter().map(|a| self.expression(a, scope)).collect();
        self.started = Some(Box::new(Run {
            proctype,
            arguments,
            priority,
        }));
        Node::Started
    }

    fn remote(&mut self, id: ProctypeId, process: Option<&Expr>, place: &Place, scope: Option<&Proctype>) -> Node {
        let process = process.map(|p| self.boxed(p, scope));
        let owner = &self.model.proctypes[id.0 as usize];
        match self.place_with_indices_of(place, Some(owner), scope) {
            Ok(target) => Node::Remote {
                proctype: id,
                process,
                target,
            },
            Err(failure) => failure,
        }
    }

    fn boxed(&mut self, expr: &Expr, scope: Option<&Proctype>) -> Box<Node> {
        Box::new(self.expression(expr, scope))
    }

    pub(super) fn patterns(&mut self, patterns: &[Pattern], scope: Option<&Proctype>) -> Box<[PatternNode]> {
        let mut pattern = |pattern: &Pattern| match pattern {
            Pattern::Store(place) => match self.place(place, scope) {
                Ok(target) => PatternNode::Store(target),
                Err(failure) => PatternNode::Match(failure),
            },
            Pattern::Match(value) => PatternNode::Match(self.expression(value, scope)),
            Pattern::Any(_) => PatternNode::Any,
        };
        patterns.iter().map(&mut pattern).collect()
    }

    /// The address of a place, or a node that fails.
    pub(super) fn place(&mut self, place: &Place, scope: Option<&Proctype>) -> Result<Target, Node> {
        self.place_with_indices_of(place, scope, scope)
    }

    /// The address of a place whose base belongs to `owner`, and whose indices are
    /// evaluated by a process of `scope`.
    fn place_with_indices_of(
        &mut self,
        place: &Place,
        owner: Option<&Proctype>,
        scope: Option<&Proctype>,
    ) -> Result<Target, Node> {
        let (part, mut at, variable): (Scope, usize, &Variable) = match place.base {
            Base::Global(id) => {
                let id = id.0 as usize;
                (Scope::Global, self.global_at[id], &self.model.globals[id])
            }
            Base::Local(id) => {
                let owner = owner.expect("a local belongs to a proctype");
                let before = &owner.locals[..id.0 as usize];
                let at = before.iter().map(|v| layout::size(self.model, v)).sum();
                (Scope::Local, at, &owner.locals[id.0 as usize])
            }
            Base::Scratch => {
                return Ok(Target {
                    scope: Scope::Scratch,
                    at: 0,
                    indices: Box::new([]),
                    scalar: Scalar::Int,
                });
            }
        };
        let mut variable = variable;
        let mut indices = Vec::new();
        for access in &place.path {
            match access {
                Access::Index(index) => {
                    let stride = layout::element_size(self.model, variable.kind);
                    let length = variable.length.unwrap_or(1) as i32;
                    match self.expression(index, scope) {
                        Node::Constant(value) if (0..length).contains(&value) => at += value as usize * stride,
                        Node::Constant(index) => return Err(Node::OutOfRange { index, length }),
                        value => indices.push(Index { value, length, stride }),
                    }
                }
                Access::Field(field) => {
                    let Type::Record(record) = variable.kind else {
                        unreachable!("only records have fields");
                    };
                    at += layout::field_offset(self.model, record, *field);
                    variable = &layout::fields(self.model, record)[*field as usize];
                }
            }
        }
        Ok(Target {
            scope: part,
            at,
            indices: indices.into(),
            scalar: layout::scalar(place.kind, variable.length.is_some()),
        })
    }
}

fn fold_unary(operator: Unary, operand: Node) -> Node {
    match operand {
        Node::Constant(value) => Node::Constant(unary(operator, value)),
        operand => Node::Unary(operator, Box::new(operand)),
    }
}

fn fold_binary(operator: Binary, left: Node, right: Node) -> Node {
    if let (Node::Constant(l), Node::Constant(r)) = (&left, &right)
        && let Some(value) = binary(operator, *l, *r)
    {
        return Node::Constant(value);
    }
    if let Some(linear) = Linear::combined(operator, &left, &right) {
        return Node::Linear(linear);
    }
    Node::Binary(operator, Box::new((left, right)))
}
