//! Expressions.

use super::Checker;
use super::scope::Meaning;
use crate::diagnostic::Diagnostic;
use crate::model::{Expr, ExprKind, ProctypeId, Type};
use crate::preprocess::macros::counted;
use crate::syntax::{self, Name};

impl Checker<'_> {
    /// A value. What is wrong is reported, and 0 in its place: the model is not used.
    pub(super) fn value(&mut self, expr: &syntax::Expr) -> Expr {
        if let syntax::ExprKind::Run { .. } = &expr.kind {
            let message = "`run` must stand alone, or be all that is assigned";
            let diagnostic = Diagnostic::error("promela::run", expr.at.span, message);
            self.report(diagnostic.help("assign it to a variable first: `p = run …`"), expr.at);
        }
        self.value_or_run(expr)
    }

    /// A value that may start a process.
    pub(super) fn value_or_run(&mut self, expr: &syntax::Expr) -> Expr {
        let span = expr.at.span;
        let kind = self.expr_kind(expr).unwrap_or(ExprKind::Constant(0));
        Expr { kind, span }
    }

    fn boxed(&mut self, expr: &syntax::Expr) -> Box<Expr> {
        Box::new(self.value(expr))
    }

    fn expr_kind(&mut self, expr: &syntax::Expr) -> Option<ExprKind> {
        Some(match &expr.kind {
            syntax::ExprKind::Constant(value) => ExprKind::Constant(*value),
            syntax::ExprKind::Reference(reference) => return self.read(reference),
            syntax::ExprKind::Unary(operator, operand) => {
                let operand = self.boxed(operand);
                match operand.kind {
                    // `-1` is a constant like any other.
                    ExprKind::Constant(value) if *operator != crate::model::Unary::Not => {
                        ExprKind::Constant(crate::arithmetic::unary(*operator, value))
                    }
                    _ => ExprKind::Unary(*operator, operand),
                }
            }
            syntax::ExprKind::Binary(operator, left, right) => {
                let left = self.boxed(left);
                let right = self.boxed(right);
                ExprKind::Binary(*operator, left, right)
            }
            syntax::ExprKind::Conditional(condition, then, otherwise) => {
                let condition = self.boxed(condition);
                let then = self.boxed(then);
                let otherwise = self.boxed(otherwise);
                ExprKind::Conditional(condition, then, otherwise)
            }
            syntax::ExprKind::Run {
                proctype,
                arguments,
                priority,
            } => return self.run(expr, proctype, arguments, priority.as_deref()),
            syntax::ExprKind::Len(channel) => {
                let (channel, _) = self.channel_or_number(channel)?;
                ExprKind::Len(Box::new(channel))
            }
            syntax::ExprKind::Poll(test, channel) => {
                let (channel, _) = self.channel_or_number(channel)?;
                ExprKind::Poll(*test, Box::new(channel))
            }
            syntax::ExprKind::CanReceive {
                channel,
                patterns,
                random,
            } => {
                let (channel, known) = self.channel_of(channel)?;
                let patterns = self.patterns(patterns, known.as_deref(), expr.at, true);
                ExprKind::CanReceive {
                    channel: Box::new(channel),
                    patterns,
                    random: *random,
                }
            }
            syntax::ExprKind::Timeout => {
                if self.body.proctype.is_none() {
                    let message = "`timeout` is not supported in claims and formulas: it is for processes";
                    let diagnostic = Diagnostic::error("promela::timeout", expr.at.span, message);
                    let help = "let a process wait for it, and ask about what that process does";
                    self.report(diagnostic.help(help), expr.at);
                }
                ExprKind::Timeout
            }
            syntax::ExprKind::NonProgress => {
                if self.body.proctype.is_some() {
                    self.error("promela::np", expr.at, "`np_` is for `never` claims and formulas");
                }
                ExprKind::NonProgress
            }
            syntax::ExprKind::Enabled(process) => ExprKind::Enabled(self.boxed(process)),
            syntax::ExprKind::ProgramCounter(process) => {
                self.value(process);
                let message = "`pc_value` is not supported: the numbers are those of SPIN's own tables";
                let diagnostic = Diagnostic::error("promela::pc-value", expr.at.span, message);
                let help = "a label says where a process is, as in `P[0]@label`";
                self.report(diagnostic.help(help), expr.at);
                return None;
            }
            syntax::ExprKind::GetPriority(process) => ExprKind::GetPriority(self.boxed(process)),
            syntax::ExprKind::SetPriority(process, priority) => {
                let process = self.boxed(process);
                let priority = self.boxed(priority);
                ExprKind::SetPriority(process, priority)
            }
            syntax::ExprKind::AtLabel {
                proctype,
                process,
                label,
            } => {
                let id = self.proctype_of(proctype)?;
                let process = process.as_ref().map(|process| self.boxed(process));
                let Some(label) = self.outlines[id.0 as usize].label(&label.text) else {
                    let names = self.outlines[id.0 as usize].labels.iter().map(|known| &*known.name);
                    let near = super::scope::nearest(&label.text, names).map(str::to_owned);
                    let message = format!("the proctype `{}` has no label `{}`", proctype.text, label.text);
                    let mut diagnostic = Diagnostic::error("promela::undeclared", label.at.span, message);
                    if let Some(near) = near {
                        diagnostic = diagnostic.label(format!("did you mean `{near}`?"));
                    }
                    self.report(diagnostic, label.at);
                    return None;
                };
                ExprKind::AtLabel {
                    proctype: id,
                    process,
                    label,
                }
            }
            syntax::ExprKind::Remote {
                proctype,
                process,
                place,
            } => {
                let id = self.proctype_of(proctype)?;
                let process = process.as_ref().map(|process| self.boxed(process));
                let target = self.target(place, Some(id.0 as usize))?;
                if target.length.is_some() || matches!(target.place.kind, Type::Record(_)) {
                    self.error(
                        "promela::type",
                        place.at,
                        "a remote reference must lead to a single value",
                    );
                    return None;
                }
                ExprKind::Remote {
                    proctype: id,
                    process,
                    place: target.place,
                }
            }
        })
    }

    /// The proctype of that name.
    pub(super) fn proctype_of(&mut self, name: &Name) -> Option<ProctypeId> {
        match self.scopes.find(&name.text).map(|entry| entry.meaning) {
            Some(Meaning::Proctype(id)) => Some(id),
            _ => {
                self.undeclared("proctype", name, |meaning| matches!(meaning, Meaning::Proctype(_)));
                None
            }
        }
    }

    fn run(
        &mut self,
        expr: &syntax::Expr,
        name: &Name,
        arguments: &[syntax::Expr],
        priority: Option<&syntax::Expr>,
    ) -> Option<ExprKind> {
        if self.body.d_steps > 0 {
            let diagnostic = Diagnostic::error("promela::run", expr.at.span, "no process can be started in a `d_step`");
            self.report(diagnostic.help("`atomic` may start processes"), expr.at);
        }
        let proctype = self.proctype_of(name)?;
        let checked = self.message(arguments);
        let head = &self.model.proctypes[proctype.0 as usize];
        let parameters = head.locals.iter().take(head.parameters as usize);
        let expected: u64 = parameters.map(|parameter| self.count(parameter)).sum();
        let expected = usize::try_from(expected).unwrap_or(usize::MAX);
        if expected != checked.len() {
            let message = format!(
                "the proctype `{}` takes {}, not {}",
                name.text,
                counted(expected, "argument"),
                checked.len()
            );
            let diagnostic = Diagnostic::error("promela::arity", expr.at.span, message);
            let diagnostic = diagnostic.note(head.span, "declared here");
            self.report(diagnostic, expr.at);
            return None;
        }
        let priority = priority.and_then(|value| self.constant(value, "the priority", 1..=255));
        Some(ExprKind::Run {
            proctype,
            arguments: checked,
            priority,
        })
    }
}
