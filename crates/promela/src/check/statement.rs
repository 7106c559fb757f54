//! Checks statements.

use super::Checker;
use super::loops::LoopOutput;
use super::print::unescaped;
use super::scope::nearest;
use crate::diagnostic::Diagnostic;
use crate::model::{Binary, Exclusive, Expr, ExprKind, LabelId, Place, Sequence, Statement, StatementKind, Type};
use crate::preprocess::expansion::At;
use crate::source::Span;
use crate::syntax::{self, Reference};

impl Checker<'_> {
    /// Checks a sequence of statements. With `option`, the first may be `else`.
    pub(super) fn sequence(&mut self, statements: &[syntax::Statement], option: bool) -> Sequence {
        let mut out = Vec::new();
        let mut left = None;
        for (k, statement) in statements.iter().enumerate() {
            let is_declaration = matches!(statement.kind, syntax::StatementKind::Declaration(_));
            if left.is_some() && statement.labels.is_empty() && !is_declaration {
                self.warning("promela::unreachable", statement.at, "this statement cannot be reached");
            }
            self.statement(statement, option && k == 0, &mut out);
            let leaves = matches!(
                statement.kind,
                syntax::StatementKind::Goto(_) | syntax::StatementKind::Break
            );
            left = leaves.then_some(statement.at);
        }
        out
    }

    /// Checks statements that have a scope of their own.
    pub(super) fn block(&mut self, statements: &[syntax::Statement], option: bool) -> Sequence {
        self.body.beginning = false;
        self.body.blocks += 1;
        let number = self.body.blocks;
        self.body.path.push(number);
        self.scopes.open();
        let mut sequence = self.sequence(statements, option);
        self.scopes.close();
        self.body.path.pop();
        if sequence.is_empty() {
            let span = statements
                .first()
                .map(|statement| statement.at.span)
                .unwrap_or_default();
            sequence.push(skip(span));
        }
        sequence
    }

    fn options(&mut self, options: &[syntax::Sequence]) -> Vec<Sequence> {
        self.body.beginning = false;
        let mut elses = options.iter().filter_map(|option| first_else(option));
        if let (Some(first), Some(second)) = (elses.next(), elses.next()) {
            let diagnostic = Diagnostic::error("promela::else", second.span, "this selection already has an `else`");
            self.report(diagnostic.note(first.span, "the first one is here"), second);
        }
        let options = options.iter().map(|option| {
            let mut sequence = self.sequence(option, true);
            if sequence.is_empty() {
                let span = option.first().map(|statement| statement.at.span).unwrap_or_default();
                sequence.push(skip(span));
            }
            sequence
        });
        options.collect()
    }

    fn statement(&mut self, statement: &syntax::Statement, option: bool, out: &mut Sequence) {
        let at = statement.at;
        let first = self.body.next_label;
        self.body.next_label += crate::narrow::index(statement.labels.len());
        let labels: Vec<LabelId> = (first..self.body.next_label).map(LabelId).collect();
        for label in &statement.labels {
            self.label_name(label);
        }
        let output = LoopOutput {
            out: &mut *out,
            labels: labels.clone(),
            at,
        };
        if self.body.is_trace && !is_event(&statement.kind) {
            let message = "a trace assertion can only contain sends and receives";
            self.error("promela::not-an-event", at, message);
        }
        let kind = match &statement.kind {
            syntax::StatementKind::Declaration(declaration) => {
                self.local(declaration, out);
                return;
            }
            syntax::StatementKind::Exclusive { receive, channels } => {
                self.exclusive(*receive, channels);
                return;
            }
            syntax::StatementKind::For { index, from, to, body } => {
                self.for_range(index, from, to, body, output);
                self.body.beginning = false;
                return;
            }
            syntax::StatementKind::ForIn {
                index,
                collection,
                body,
            } => {
                self.for_in(index, collection, body, output);
                self.body.beginning = false;
                return;
            }
            syntax::StatementKind::Select {
                index,
                from,
                to,
                textual,
            } => {
                self.select(index, from, to, *textual, output);
                self.body.beginning = false;
                return;
            }
            syntax::StatementKind::Wrong => None,
            kind => self.simple(kind, at, option, out),
        };
        self.body.beginning = false;
        out.extend(kind.map(|kind| Statement {
            labels,
            kind,
            span: at.span,
        }));
    }

    /// Checks a statement that becomes one statement of the model.
    fn simple(
        &mut self,
        kind: &syntax::StatementKind,
        at: At,
        option: bool,
        out: &mut Sequence,
    ) -> Option<StatementKind> {
        use syntax::StatementKind as Syntax;
        Some(match kind {
            Syntax::Expression(value) => StatementKind::Expression(self.value_or_run(value)),
            Syntax::Else if option => StatementKind::Else,
            Syntax::Else => self.misplaced_else(at),
            Syntax::Assign { place, value } => self.assign(place, value, at)?,
            Syntax::Send {
                channel,
                message,
                sorted,
            } => self.send(channel, message, *sorted, at)?,
            Syntax::Receive {
                channel,
                patterns,
                random,
                copy,
            } => self.receive(channel, patterns, (*random, *copy), at)?,
            Syntax::If(options) => StatementKind::If(self.options(options)),
            Syntax::Do(options) => {
                self.body.loops += 1;
                let options = self.options(options);
                self.body.loops -= 1;
                StatementKind::Do(options)
            }
            Syntax::Break if self.body.loops == 0 => {
                self.error("promela::break", at, "there is no loop to leave");
                return None;
            }
            Syntax::Break => StatementKind::Break,
            Syntax::Goto(label) => StatementKind::Goto(self.jump(label)?),
            Syntax::Atomic(body) => StatementKind::Atomic(self.block(body, option)),
            Syntax::DStep(body) => {
                self.body.d_steps += 1;
                let body = self.block(body, option);
                self.body.d_steps -= 1;
                StatementKind::DStep(body)
            }
            Syntax::Block(body) => StatementKind::Block(self.block(body, option)),
            Syntax::Unless { main, escape } => self.unless(main, escape, option, out),
            Syntax::Assert(value) => StatementKind::Assert(self.value(value)),
            Syntax::Print { format, at, arguments } => self.print(format, *at, arguments),
            Syntax::PrintName(name) => StatementKind::Print {
                format: "%e".to_owned(),
                arguments: vec![self.value(name)],
            },
            _ => return None,
        })
    }

    fn misplaced_else(&mut self, at: At) -> StatementKind {
        let message = "`else` does nothing here: it belongs at the beginning of an option";
        self.warning("promela::else", at, message);
        skip(at.span).kind
    }

    fn send(&mut self, channel: &Reference, message: &[syntax::Expr], sorted: bool, at: At) -> Option<StatementKind> {
        let found = self.channel_of(channel);
        let fields = found.as_ref().and_then(|(_, fields)| fields.as_deref());
        let message = self.sent(message, fields, at);
        Some(StatementKind::Send {
            channel: found?.0,
            message,
            sorted,
        })
    }

    fn receive(
        &mut self,
        channel: &Reference,
        patterns: &[syntax::Pattern],
        (random, copy): (bool, bool),
        at: At,
    ) -> Option<StatementKind> {
        let found = self.channel_of(channel);
        let fields = found.as_ref().and_then(|(_, fields)| fields.as_deref());
        let patterns = self.patterns(patterns, fields, at, false);
        Some(StatementKind::Receive {
            channel: found?.0,
            patterns,
            random,
            copy,
        })
    }

    /// Checks `main unless escape`. `out` lends its end to the statements of `main`.
    fn unless(
        &mut self,
        main: &syntax::Statement,
        escape: &syntax::Statement,
        option: bool,
        out: &mut Sequence,
    ) -> StatementKind {
        self.statement(main, option, out);
        let main = unwrapped(out.pop());
        let mut before = Vec::new();
        self.statement(escape, false, &mut before);
        let last = before.pop();
        let escape = match before.is_empty() {
            true => unwrapped(last),
            false => before.into_iter().chain(last).collect(),
        };
        StatementKind::Unless { main, escape }
    }

    fn print(&mut self, format: &str, at: At, arguments: &[syntax::Expr]) -> StatementKind {
        let format = unescaped(format);
        self.conversions(&format, at, arguments.len());
        let arguments = arguments.iter().map(|argument| self.value(argument)).collect();
        StatementKind::Print { format, arguments }
    }

    fn assign(&mut self, place: &Reference, value: &syntax::Expr, at: At) -> Option<StatementKind> {
        match (&*place.parts[0].name.text, place.parts.len()) {
            (name @ ("_pid" | "_nr_pr" | "_last"), 1) => {
                self.error("promela::read-only", place.at, format!("`{name}` cannot be assigned"));
                return None;
            }
            ("_priority", 1) => {
                let span = at.span;
                let pid = Box::new(Expr {
                    kind: ExprKind::Pid,
                    span,
                });
                let kind = ExprKind::SetPriority(pid, Box::new(self.value(value)));
                return Some(StatementKind::Expression(Expr { kind, span }));
            }
            _ => {}
        }
        let target = self.assigned(place);
        let checked = self.value_or_run(value);
        let target = target?;
        self.fits(value, target.kind);
        self.assignable(&target, value, &checked);
        Some(StatementKind::Assign {
            place: target,
            value: checked,
        })
    }

    /// Reports numbers that are assigned to channels, and symbolic names of another set.
    fn assignable(&mut self, place: &Place, value: &syntax::Expr, checked: &Expr) {
        if let (Type::Mtype(own), syntax::ExprKind::Reference(reference)) = (place.kind, &value.kind) {
            // SPIN compares constants with the set of the variable, if that has a name.
            match self.symbol(reference) {
                Some((set, _)) if set != own && own.0 != 0 => {
                    self.error("promela::type", value.at, "this symbolic name belongs to another set");
                }
                Some((set, _)) if set != own => {
                    self.warning("promela::type", value.at, "this symbolic name belongs to another set");
                }
                _ => {}
            }
        }
        let is_channel = |expr: &Expr| matches!(&expr.kind, ExprKind::Read(place) if place.kind == Type::Chan);
        match &checked.kind {
            ExprKind::Constant(_) if place.kind == Type::Chan && place.path.is_empty() => {
                self.error("promela::type", value.at, "a number is not a channel");
            }
            ExprKind::Binary(operator, left, right)
                if is_arithmetic(*operator) && (is_channel(left) || is_channel(right)) =>
            {
                self.error("promela::type", value.at, "there is no arithmetic on channels");
            }
            _ => {}
        }
    }

    fn exclusive(&mut self, receive: bool, channels: &[Reference]) {
        for reference in channels {
            if let Some((channel, _)) = self.channel_of(reference) {
                self.body.exclusive.push(Exclusive {
                    receive,
                    channel,
                    span: reference.at.span,
                });
            }
        }
    }

    fn label_name(&mut self, label: &syntax::Name) {
        if let Some(entry) = self.scopes.find(&label.text) {
            let message = format!("the name of the label `{}` is already declared", label.text);
            let diagnostic = Diagnostic::error("promela::redeclared", label.at.span, message);
            self.report(diagnostic.note(entry.span, "declared here"), label.at);
        }
    }

    fn jump(&mut self, label: &syntax::Name) -> Option<LabelId> {
        let outline = self.body.outline.clone();
        let found = outline.jump(&label.text, &self.body.path);
        if found.is_none() {
            let message = format!("there is no label `{}`", label.text);
            let mut diagnostic = Diagnostic::error("promela::undeclared", label.at.span, message);
            if let Some(near) = nearest(&label.text, outline.labels.iter().map(|label| &*label.name)) {
                diagnostic = diagnostic.label(format!("did you mean `{near}`?"));
            }
            self.report(diagnostic, label.at);
        }
        found
    }
}

/// Whether a statement may be in a trace assertion.
fn is_event(kind: &syntax::StatementKind) -> bool {
    match kind {
        syntax::StatementKind::Send { sorted, .. } => !sorted,
        syntax::StatementKind::Receive { random, copy, .. } => !random && !copy,
        // A label at the end of a sequence is followed by a `skip` that nobody wrote.
        syntax::StatementKind::Expression(value) => matches!(value.kind, syntax::ExprKind::Constant(1)),
        syntax::StatementKind::If(_)
        | syntax::StatementKind::Do(_)
        | syntax::StatementKind::Goto(_)
        | syntax::StatementKind::Break
        | syntax::StatementKind::Declaration(_)
        | syntax::StatementKind::Wrong => true,
        _ => false,
    }
}

/// The place of the `else` that an option begins with, also inside braces.
fn first_else(option: &[syntax::Statement]) -> Option<At> {
    let first = option.first()?;
    match &first.kind {
        syntax::StatementKind::Else => Some(first.at),
        syntax::StatementKind::Atomic(body)
        | syntax::StatementKind::DStep(body)
        | syntax::StatementKind::Block(body) => first_else(body),
        _ => None,
    }
}

/// The statements of a block without labels, or else the statement itself.
fn unwrapped(statement: Option<Statement>) -> Sequence {
    match statement {
        Some(Statement {
            labels,
            kind: StatementKind::Block(sequence),
            ..
        }) if labels.is_empty() => sequence,
        statement => statement.into_iter().collect(),
    }
}

fn is_arithmetic(operator: Binary) -> bool {
    matches!(
        operator,
        Binary::Add | Binary::Subtract | Binary::Multiply | Binary::Divide | Binary::Remainder
    )
}

pub(super) fn number(value: i32, span: Span) -> Expr {
    let kind = ExprKind::Constant(value);
    Expr { kind, span }
}

pub(super) fn skip(span: Span) -> Statement {
    Statement {
        labels: Vec::new(),
        kind: StatementKind::Expression(number(1, span)),
        span,
    }
}
