//! Small models for the tests of this module, without a front end.

use crate::model::*;
use crate::source::Span;

pub(super) fn variable(name: &str, kind: Type, initial: Initial) -> Variable {
    Variable {
        name: name.to_owned(),
        kind,
        length: None,
        initial,
        hidden: false,
        span: Span::default(),
    }
}

pub(super) fn channel(name: &str, capacity: u32) -> Variable {
    let fields = vec![Type::Byte];
    variable(name, Type::Chan, Initial::Channel { capacity, fields })
}

/// An active proctype without variables.
pub(super) fn active(name: &str, body: Sequence) -> Proctype {
    Proctype {
        name: name.to_owned(),
        parameters: 0,
        locals: Vec::new(),
        active: 1,
        is_init: false,
        deterministic: false,
        provided: None,
        priority: None,
        exclusive: Vec::new(),
        body,
        labels: Vec::new(),
        span: Span::default(),
    }
}

pub(super) fn model(globals: Vec<Variable>, proctypes: Vec<Proctype>) -> Model {
    Model {
        globals,
        proctypes,
        ..Model::default()
    }
}

pub(super) fn statement(kind: StatementKind) -> Statement {
    Statement {
        labels: Vec::new(),
        kind,
        span: Span::default(),
    }
}

fn expr(kind: ExprKind) -> Expr {
    Expr {
        kind,
        span: Span::default(),
    }
}

pub(super) fn number(value: i32) -> Expr {
    expr(ExprKind::Constant(value))
}

/// The global scalar with this index.
pub(super) fn place(global: u32, kind: Type) -> Place {
    Place {
        base: Base::Global(GlobalId(global)),
        path: Vec::new(),
        kind,
        span: Span::default(),
    }
}

pub(super) fn read(global: u32) -> Expr {
    expr(ExprKind::Read(place(global, Type::Byte)))
}

pub(super) fn binary(operator: Binary, left: Expr, right: Expr) -> Expr {
    expr(ExprKind::Binary(operator, Box::new(left), Box::new(right)))
}

pub(super) fn when(condition: Expr) -> Statement {
    statement(StatementKind::Expression(condition))
}

pub(super) fn skip() -> Statement {
    when(number(1))
}

pub(super) fn timeout() -> Statement {
    when(expr(ExprKind::Timeout))
}

pub(super) fn assign(global: u32, value: Expr) -> Statement {
    let place = place(global, Type::Byte);
    statement(StatementKind::Assign { place, value })
}

pub(super) fn send(global: u32, value: i32) -> Statement {
    statement(StatementKind::Send {
        channel: read(global),
        message: vec![number(value)],
        sorted: false,
    })
}

pub(super) fn receive(global: u32, into: u32) -> Statement {
    statement(StatementKind::Receive {
        channel: read(global),
        patterns: vec![Pattern::Store(place(into, Type::Byte))],
        random: false,
        copy: false,
    })
}

pub(super) fn choose(options: Vec<Sequence>) -> Statement {
    statement(StatementKind::If(options))
}

pub(super) fn repeat(options: Vec<Sequence>) -> Statement {
    statement(StatementKind::Do(options))
}

pub(super) fn otherwise() -> Statement {
    statement(StatementKind::Else)
}

pub(super) fn leave() -> Statement {
    statement(StatementKind::Break)
}
