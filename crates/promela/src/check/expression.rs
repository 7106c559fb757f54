//! Checks expressions.

use super::Checker;
use super::scope::{Meaning, nearest};
use crate::diagnostic::Diagnostic;
use crate::model::{Expr, ExprKind, ProctypeId, Type, Unary};
use crate::preprocess::expansion::At;
use crate::preprocess::macros::counted;
use crate::syntax::{self, Name, Reference};

impl Checker<'_> {
    /// Checks an expression that starts no process. An expression with an error becomes 0, which is never evaluated.
    pub(super) fn value(&mut self, expr: &syntax::Expr) -> Expr {
        if let syntax::ExprKind::Run { .. } = &expr.kind {
            let message = "`run` must stand alone, or be the whole value of an assignment";
            let diagnostic = Diagnostic::error("promela::run", expr.at.span, message);
            self.report(diagnostic.help("assign it to a variable first: `p = run …`"), expr.at);
        }
        self.value_or_run(expr)
    }

    /// Checks an expression that may start a process.
    pub(super) fn value_or_run(&mut self, expr: &syntax::Expr) -> Expr {
        let span = expr.at.span;
        let kind = self.expr_kind(expr).unwrap_or(ExprKind::Constant(0));
        Expr { kind, span }
    }

    fn boxed(&mut self, expr: &syntax::Expr) -> Box<Expr> {
        Box::new(self.value(expr))
    }

    fn expr_kind(&mut self, expr: &syntax::Expr) -> Option<ExprKind> {
        use syntax::ExprKind as Syntax;
        Some(match &expr.kind {
            Syntax::Constant(value) => ExprKind::Constant(*value),
            Syntax::Reference(reference) => return self.read(reference),
            Syntax::Unary(operator, operand) => self.unary(*operator, operand),
            Syntax::Binary(operator, left, right) => ExprKind::Binary(*operator, self.boxed(left), self.boxed(right)),
            Syntax::Conditional(condition, then, otherwise) => {
                ExprKind::Conditional(self.boxed(condition), self.boxed(then), self.boxed(otherwise))
            }
            Syntax::Run {
                proctype,
                arguments,
                priority,
            } => return self.run(expr, proctype, arguments, priority.as_deref()),
            Syntax::Len(channel) => ExprKind::Len(Box::new(self.channel_or_number(channel)?.0)),
            Syntax::Poll(test, channel) => ExprKind::Poll(*test, Box::new(self.channel_or_number(channel)?.0)),
            Syntax::CanReceive {
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
            Syntax::Timeout => self.timeout(expr.at),
            Syntax::NonProgress => self.non_progress(expr.at),
            Syntax::Enabled(process) => ExprKind::Enabled(self.boxed(process)),
            Syntax::ProgramCounter(process) => return self.program_counter(process, expr.at),
            Syntax::GetPriority(process) => ExprKind::GetPriority(self.boxed(process)),
            Syntax::SetPriority(process, priority) => ExprKind::SetPriority(self.boxed(process), self.boxed(priority)),
            Syntax::AtLabel {
                proctype,
                process,
                label,
            } => return self.at_label(proctype, process.as_deref(), label),
            Syntax::Remote {
                proctype,
                process,
                place,
            } => return self.remote(proctype, process.as_deref(), place),
        })
    }

    fn unary(&mut self, operator: Unary, operand: &syntax::Expr) -> ExprKind {
        let operand = self.boxed(operand);
        match operand.kind {
            // `-1` is a constant like any other.
            ExprKind::Constant(value) if operator != Unary::Not => {
                ExprKind::Constant(crate::arithmetic::unary(operator, value))
            }
            _ => ExprKind::Unary(operator, operand),
        }
    }

    fn timeout(&mut self, at: At) -> ExprKind {
        if self.body.proctype.is_none() {
            let message = "`timeout` is not supported in claims and formulas, only in processes";
            let diagnostic = Diagnostic::error("promela::timeout", at.span, message);
            let help = "let a process wait for it, and refer to what that process does";
            self.report(diagnostic.help(help), at);
        }
        ExprKind::Timeout
    }

    fn non_progress(&mut self, at: At) -> ExprKind {
        if self.body.proctype.is_some() {
            self.error(
                "promela::np",
                at,
                "`np_` is only allowed in `never` claims and formulas",
            );
        }
        ExprKind::NonProgress
    }

    fn program_counter(&mut self, process: &syntax::Expr, at: At) -> Option<ExprKind> {
        self.value(process);
        let message = "`pc_value` is not supported: its values are numbers of SPIN's internal tables";
        let diagnostic = Diagnostic::error("promela::pc-value", at.span, message);
        let help = "use a label to ask where a process is, as in `P[0]@label`";
        self.report(diagnostic.help(help), at);
        None
    }

    /// Checks `P[0]@label`.
    fn at_label(&mut self, proctype: &Name, process: Option<&syntax::Expr>, label: &Name) -> Option<ExprKind> {
        let id = self.proctype_of(proctype)?;
        let process = process.map(|process| self.boxed(process));
        if self.body.d_steps > 0 && self.body.proctype == Some(id.0 as usize) {
            let message = "inside a `d_step`, no process of the same proctype can be asked where it is";
            self.error("promela::remote", proctype.at, message);
            return None;
        }
        let outline = &self.outlines[id.0 as usize];
        let Some(label) = outline.label(&label.text) else {
            let near = nearest(&label.text, outline.labels.iter().map(|known| &*known.name));
            let message = format!("the proctype `{}` has no label `{}`", proctype.text, label.text);
            let mut diagnostic = Diagnostic::error("promela::undeclared", label.at.span, message);
            if let Some(near) = near {
                diagnostic = diagnostic.label(format!("did you mean `{near}`?"));
            }
            self.report(diagnostic, label.at);
            return None;
        };
        Some(ExprKind::AtLabel {
            proctype: id,
            process,
            label,
        })
    }

    /// Checks `P[0]:x`.
    fn remote(&mut self, proctype: &Name, process: Option<&syntax::Expr>, place: &Reference) -> Option<ExprKind> {
        let id = self.proctype_of(proctype)?;
        let process = process.map(|process| self.boxed(process));
        let target = self.target(place, Some(id.0 as usize))?;
        if target.length.is_some() || matches!(target.place.kind, Type::Record(_)) {
            let message = "a remote reference must lead to a single value";
            self.error("promela::type", place.at, message);
            return None;
        }
        Some(ExprKind::Remote {
            proctype: id,
            process,
            place: target.place,
        })
    }

    /// The proctype with this name.
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
