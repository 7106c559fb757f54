//! Features of a model that affect the whole system.
//!
//! Three features change states or steps everywhere, wherever in the model they are
//! used: `_last` is part of the state only if something reads it, priorities apply as soon
//! as one is given, and a label with a remote reference is a position of its own.

use std::collections::HashSet;

use crate::model::{
    Access, Expr, ExprKind, Initial, LabelId, Model, Pattern, Place, Proctype, Statement, StatementKind,
};

/// What was found.
#[derive(Clone, Debug, Default)]
pub(super) struct Uses {
    pub(super) last: bool,
    pub(super) priorities: bool,
    pub(super) enabled: bool,
    pub(super) labels: HashSet<(u32, LabelId)>,
}

impl Uses {
    pub(super) fn of(model: &Model) -> Self {
        let mut uses = Uses::default();
        let claims = model.never.iter().chain(model.trace.iter().map(|trace| &trace.body));
        for variable in &model.globals {
            uses.initial(&variable.initial);
        }
        for proctype in model.proctypes.iter().chain(claims) {
            uses.proctype(proctype);
        }
        uses
    }

    fn proctype(&mut self, proctype: &Proctype) {
        self.priorities |= proctype.priority.is_some();
        for variable in &proctype.locals {
            self.initial(&variable.initial);
        }
        if let Some(provided) = &proctype.provided {
            self.expr(provided);
        }
        self.sequence(&proctype.body);
    }

    fn initial(&mut self, initial: &Initial) {
        match initial {
            Initial::Zero | Initial::Channel { .. } => {}
            Initial::Value(value) => self.expr(value),
            Initial::List(values) => values.iter().for_each(|value| self.expr(value)),
        }
    }

    pub(super) fn sequence(&mut self, sequence: &[Statement]) {
        for statement in sequence {
            match &statement.kind {
                StatementKind::Expression(e) | StatementKind::Assert(e) => self.expr(e),
                StatementKind::Assign { place, value } => {
                    self.place(place);
                    self.expr(value);
                }
                StatementKind::Send { channel, message, .. } => {
                    self.expr(channel);
                    message.iter().for_each(|field| self.expr(field));
                }
                StatementKind::Receive { channel, patterns, .. } => {
                    self.expr(channel);
                    self.patterns(patterns);
                }
                StatementKind::If(options) | StatementKind::Do(options) => {
                    options.iter().for_each(|option| self.sequence(option));
                }
                StatementKind::Atomic(body) | StatementKind::DStep(body) | StatementKind::Block(body) => {
                    self.sequence(body);
                }
                StatementKind::Unless { main, escape } => {
                    self.sequence(main);
                    self.sequence(escape);
                }
                StatementKind::Print { arguments, .. } => arguments.iter().for_each(|e| self.expr(e)),
                StatementKind::Else | StatementKind::Break | StatementKind::Goto(_) => {}
            }
        }
    }

    fn patterns(&mut self, patterns: &[Pattern]) {
        for pattern in patterns {
            match pattern {
                Pattern::Store(place) => self.place(place),
                Pattern::Match(value) => self.expr(value),
                Pattern::Any(_) => {}
            }
        }
    }

    fn place(&mut self, place: &Place) {
        for access in &place.path {
            if let Access::Index(index) = access {
                self.expr(index);
            }
        }
    }

    pub(super) fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Constant(_)
            | ExprKind::Timeout
            | ExprKind::NonProgress
            | ExprKind::Pid
            | ExprKind::ProcessCount => {}
            ExprKind::Last => self.last = true,
            ExprKind::Read(place) => self.place(place),
            ExprKind::Unary(_, e) | ExprKind::Len(e) | ExprKind::Poll(_, e) => self.expr(e),
            ExprKind::Enabled(e) => {
                self.enabled = true;
                self.expr(e);
            }
            ExprKind::GetPriority(e) => {
                self.priorities = true;
                self.expr(e);
            }
            ExprKind::SetPriority(a, b) => {
                self.priorities = true;
                self.expr(a);
                self.expr(b);
            }
            ExprKind::Binary(_, a, b) => {
                self.expr(a);
                self.expr(b);
            }
            ExprKind::Conditional(a, b, c) => {
                self.expr(a);
                self.expr(b);
                self.expr(c);
            }
            ExprKind::Run {
                arguments, priority, ..
            } => {
                self.priorities |= priority.is_some();
                arguments.iter().for_each(|e| self.expr(e));
            }
            ExprKind::CanReceive { channel, patterns, .. } => {
                self.expr(channel);
                self.patterns(patterns);
            }
            ExprKind::AtLabel {
                proctype,
                process,
                label,
            } => {
                self.labels.insert((proctype.0, *label));
                if let Some(process) = process {
                    self.expr(process);
                }
            }
            ExprKind::Remote { process, place, .. } => {
                if let Some(process) = process {
                    self.expr(process);
                }
                self.place(place);
            }
        }
    }
}
