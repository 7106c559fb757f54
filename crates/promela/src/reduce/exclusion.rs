//! Guards that exclude each other, so that a selection is no choice.
//!
//! `x == 1` and `x == 2`, `a` and `!a`, `x < y` and `x >= y` are never true together. A conjunction excludes what one of its
//! parts excludes, a disjunction what both of its parts exclude. Only guards that cannot fail are
//! compared, since one that fails counts as executable.

use crate::ir::{Action, Edge, Node};
use crate::model::{Binary, Unary};

/// Whether more than one of the edges of a location can be executable at a time.
pub(super) fn may_choose(edges: &[Edge]) -> bool {
    let pairs = (0..edges.len()).flat_map(|i| (0..i).map(move |j| (j, i)));
    pairs.into_iter().any(|(j, i)| !exclude(&edges[j], &edges[i]))
}

/// Whether two edges of a location, in their order there, are never executable together.
fn exclude(one: &Edge, other: &Edge) -> bool {
    // `else` comes last, and all others inhibit it.
    if matches!(other.action, Action::Else) {
        return true;
    }
    match (guard(one), guard(other)) {
        (Some(one), Some(other)) => refutes((one, true), (other, true)),
        _ => false,
    }
}

/// The condition of an edge that has no other effect and cannot fail.
fn guard(edge: &Edge) -> Option<&Node> {
    match &edge.action {
        Action::Condition(node) if edge.run.is_none() && node.is_certain() => Some(node),
        _ => None,
    }
}

/// A condition, and whether it is true.
type Claim<'a> = (&'a Node, bool);

/// Whether two claims cannot both be right.
fn refutes(one: Claim<'_>, other: Claim<'_>) -> bool {
    match split(one) {
        Split::Not(inner) => return refutes(inner, other),
        Split::All(a, b) => return refutes(a, other) || refutes(b, other),
        Split::Any(a, b) => return refutes(a, other) && refutes(b, other),
        Split::Nothing => {}
    }
    match split(other) {
        Split::Not(inner) => refutes(one, inner),
        Split::All(a, b) => refutes(one, a) || refutes(one, b),
        Split::Any(a, b) => refutes(one, a) && refutes(one, b),
        Split::Nothing => contradict(one, other),
    }
}

/// A claim as claims about parts.
enum Split<'a> {
    Not(Claim<'a>),
    All(Claim<'a>, Claim<'a>),
    Any(Claim<'a>, Claim<'a>),
    Nothing,
}

fn split((node, holds): Claim<'_>) -> Split<'_> {
    match node {
        Node::Unary(Unary::Not, inner) => Split::Not((inner, !holds)),
        Node::Binary(operator @ (Binary::And | Binary::Or), parts) => {
            let (a, b) = ((&parts.0, holds), (&parts.1, holds));
            match (operator == &Binary::And) == holds {
                true => Split::All(a, b),
                false => Split::Any(a, b),
            }
        }
        _ => Split::Nothing,
    }
}

/// Whether two claims without logical operators contradict each other.
fn contradict((one, one_holds): Claim<'_>, (other, other_holds): Claim<'_>) -> bool {
    if one == other {
        return one_holds != other_holds;
    }
    let (Node::Binary(a, left), Node::Binary(b, right)) = (one, other) else {
        return false;
    };
    let (Some(a), Some(b)) = (orders(*a, one_holds), orders(*b, other_holds)) else {
        return false;
    };
    if left.0 == right.0 && left.1 == right.1 {
        return a & b == 0;
    }
    // Comparisons of one expression with two numbers.
    match (left.0 == right.0, &left.1, &right.1) {
        (true, Node::Constant(m), Node::Constant(n)) => match m < n {
            // It is not below or at `m` and also above or at `n`.
            true => a & ABOVE == 0 && b & BELOW == 0,
            false => b & ABOVE == 0 && a & BELOW == 0,
        },
        _ => false,
    }
}

const BELOW: u8 = 1;
const EQUAL: u8 = 2;
const ABOVE: u8 = 4;

/// The orders of two operands in which a comparison holds, or does not.
fn orders(operator: Binary, holds: bool) -> Option<u8> {
    let orders = match operator {
        Binary::Less => BELOW,
        Binary::LessEqual => BELOW | EQUAL,
        Binary::Greater => ABOVE,
        Binary::GreaterEqual => ABOVE | EQUAL,
        Binary::Equal => EQUAL,
        Binary::NotEqual => BELOW | ABOVE,
        _ => return None,
    };
    Some(if holds {
        orders
    } else {
        !orders & (BELOW | EQUAL | ABOVE)
    })
}
