//! Operators between two operands.

use super::lexer::Token;
use super::{Parsed, Part, node};
use crate::predicate::syntax::{Comparison, Expression, Kind, Operator};
use std::ops::Range;

/// An operator between two operands.
#[derive(Clone, Copy)]
pub(super) enum Infix {
    Or,
    And,
    Compare(Comparison),
    In,
    Arithmetic(Operator),
}

/// The operator that a token is, and how tightly it binds.
pub(super) fn infix(token: &Token<'_>) -> Option<(Infix, u8)> {
    let Token::Symbol(symbol) = token else { return None };
    Some(match *symbol {
        "||" => (Infix::Or, 1),
        "&&" => (Infix::And, 2),
        "==" => (Infix::Compare(Comparison::Equal), 3),
        "!=" => (Infix::Compare(Comparison::Unequal), 3),
        "<" => (Infix::Compare(Comparison::Less), 3),
        "<=" => (Infix::Compare(Comparison::LessOrEqual), 3),
        ">" => (Infix::Compare(Comparison::Greater), 3),
        ">=" => (Infix::Compare(Comparison::GreaterOrEqual), 3),
        "in" => (Infix::In, 3),
        "+" => (Infix::Arithmetic(Operator::Add), 4),
        "-" => (Infix::Arithmetic(Operator::Subtract), 4),
        "*" => (Infix::Arithmetic(Operator::Multiply), 5),
        "/" => (Infix::Arithmetic(Operator::Divide), 5),
        "%" => (Infix::Arithmetic(Operator::Remainder), 5),
        _ => return None,
    })
}

/// The expression of an operator; conjunctions and disjunctions are flattened.
pub(super) fn join(infix: Infix, left: Part, right: Part) -> Parsed<Part> {
    let place = left.place.start..right.place.end;
    let depth = 1 + left.depth.max(right.depth);
    let kind = match infix {
        Infix::And | Infix::Or => return flattened(infix, left, right, place),
        Infix::Compare(comparison) => Kind::Compare(comparison, Box::new([left.tree, right.tree])),
        Infix::In => Kind::In(Box::new([left.tree, right.tree])),
        Infix::Arithmetic(operator) => Kind::Arithmetic(operator, Box::new([left.tree, right.tree])),
    };
    node(kind, depth, place)
}

/// A conjunction or a disjunction. An operand of the same kind gives its members.
fn flattened(infix: Infix, left: Part, right: Part, place: Range<usize>) -> Parsed<Part> {
    let mut depth = 0;
    let mut members_of = |part: Part| match (infix, part.tree.kind) {
        (Infix::And, Kind::And(members)) | (Infix::Or, Kind::Or(members)) => {
            depth = depth.max(part.depth);
            members
        }
        (_, kind) => {
            depth = depth.max(part.depth + 1);
            let span = part.tree.span;
            vec![Expression { kind, span }]
        }
    };
    // The members on the left stay where they are, so that a long chain takes linear time.
    let mut members = members_of(left);
    members.append(&mut members_of(right));
    let kind = match infix {
        Infix::And => Kind::And(members),
        _ => Kind::Or(members),
    };
    node(kind, depth, place)
}
