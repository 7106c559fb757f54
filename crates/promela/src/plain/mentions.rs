//! Finds constructs in pieces of the tree, such as `timeout` and receives.

use crate::model::{Access, Expr, ExprKind, GlobalId, Model, Sequence, StatementKind, Type};

/// Whether an expression depends on more than values of variables.
pub(super) fn asks_beyond_values(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Constant(_) | ExprKind::Pid | ExprKind::Read(_) => false,
        ExprKind::Unary(_, e) => asks_beyond_values(e),
        ExprKind::Binary(_, a, b) => asks_beyond_values(a) || asks_beyond_values(b),
        ExprKind::Conditional(a, b, c) => [a, b, c].into_iter().any(|e| asks_beyond_values(e)),
        _ => true,
    }
}

/// Whether an index is a number.
pub(super) fn is_fixed(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Constant(_) => true,
        ExprKind::Unary(_, e) => is_fixed(e),
        ExprKind::Binary(_, a, b) => is_fixed(a) && is_fixed(b),
        _ => false,
    }
}

/// The statements with which a sequence may begin.
pub(super) fn first_statements(sequence: &Sequence) -> Vec<&StatementKind> {
    match sequence.first().map(|statement| &statement.kind) {
        None => vec![],
        Some(StatementKind::If(options) | StatementKind::Do(options)) => {
            options.iter().flat_map(first_statements).collect()
        }
        Some(StatementKind::Atomic(body) | StatementKind::DStep(body) | StatementKind::Block(body)) => {
            first_statements(body)
        }
        Some(StatementKind::Unless { main, escape }) => [first_statements(main), first_statements(escape)].concat(),
        Some(kind) => vec![kind],
    }
}

pub(super) fn statement_asks_timeout(kind: &StatementKind) -> bool {
    match kind {
        StatementKind::Expression(e) | StatementKind::Assert(e) => asks_timeout(e),
        StatementKind::Assign { value, .. } => asks_timeout(value),
        StatementKind::DStep(body) => sequence_asks_timeout(body),
        _ => false,
    }
}

fn sequence_asks_timeout(sequence: &Sequence) -> bool {
    sequence.iter().any(|statement| match &statement.kind {
        StatementKind::If(options) | StatementKind::Do(options) => options.iter().any(sequence_asks_timeout),
        StatementKind::Atomic(body) | StatementKind::Block(body) => sequence_asks_timeout(body),
        StatementKind::Unless { main, escape } => sequence_asks_timeout(main) || sequence_asks_timeout(escape),
        kind => statement_asks_timeout(kind),
    })
}

fn asks_timeout(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Timeout => true,
        ExprKind::Unary(_, e) => asks_timeout(e),
        ExprKind::Binary(_, a, b) => asks_timeout(a) || asks_timeout(b),
        ExprKind::Conditional(a, b, c) => [a, b, c].into_iter().any(|e| asks_timeout(e)),
        _ => false,
    }
}

/// The number of elements at each step of a path, 1 for fields.
pub(super) fn lengths(model: &Model, global: GlobalId, path: &[Access]) -> Vec<u32> {
    let mut variable = &model.globals[global.0 as usize];
    let mut lengths = Vec::new();
    for access in path {
        match access {
            Access::Index(_) => lengths.push(variable.length.unwrap_or(1)),
            Access::Field(field) => {
                lengths.push(1);
                if let Type::Record(record) = variable.kind {
                    variable = &model.records[record.0 as usize].fields[*field as usize];
                }
            }
        }
    }
    lengths
}

pub(super) fn receives(sequence: &Sequence) -> bool {
    sequence.iter().any(|statement| match &statement.kind {
        StatementKind::Receive { .. } => true,
        StatementKind::If(options) | StatementKind::Do(options) => options.iter().any(receives),
        StatementKind::Atomic(body) | StatementKind::DStep(body) | StatementKind::Block(body) => receives(body),
        StatementKind::Unless { main, escape } => receives(main) || receives(escape),
        _ => false,
    })
}
