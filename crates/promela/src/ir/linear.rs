//! Sums of multiples of variables, such as `25 * which + 5 * x + y`: the indices of tables.
//!
//! Promela's arithmetic wraps, so numbers are residues modulo 2³² and the laws of a ring hold
//! without exception: a sum of sums can be multiplied out and keeps its value. Only operands that
//! cannot fail are combined, so no failure is moved.

use super::{Node, Scope, Target};
use crate::model::Binary;

/// A constant plus multiples of variables.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Linear {
    pub(crate) constant: i32,
    pub(crate) terms: Vec<Term>,
}

/// A multiple of a variable.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Term {
    pub(crate) factor: i32,
    /// The variable, which has no indices.
    pub(crate) target: Target,
}

impl Linear {
    /// An operation on two expressions as such a sum, if it has more than one operator.
    /// A single operator is as fast by itself.
    pub(crate) fn combined(operator: Binary, left: &Node, right: &Node) -> Option<Self> {
        let is_compound = |node: &Node| matches!(node, Node::Binary(..) | Node::Linear(_));
        if !is_compound(left) && !is_compound(right) {
            return None;
        }
        Self::operation(operator, left, right)
    }

    fn operation(operator: Binary, left: &Node, right: &Node) -> Option<Self> {
        let (left, right) = (Self::of(left)?, Self::of(right)?);
        match operator {
            Binary::Add => Some(left.plus(right)),
            Binary::Subtract => Some(left.plus(right.times(-1))),
            Binary::Multiply if right.terms.is_empty() => Some(left.times(right.constant)),
            Binary::Multiply if left.terms.is_empty() => Some(right.times(left.constant)),
            _ => None,
        }
    }

    fn of(node: &Node) -> Option<Self> {
        match node {
            Node::Constant(constant) => Some(Self {
                constant: *constant,
                terms: Vec::new(),
            }),
            Node::Load(target) if target.indices.is_empty() && target.scope != Scope::Scratch => Some(Self {
                constant: 0,
                terms: vec![Term {
                    factor: 1,
                    target: target.clone(),
                }],
            }),
            Node::Linear(linear) => Some(linear.clone()),
            Node::Binary(operator, operands) => Self::operation(*operator, &operands.0, &operands.1),
            _ => None,
        }
    }

    fn plus(mut self, other: Self) -> Self {
        self.constant = self.constant.wrapping_add(other.constant);
        self.terms.extend(other.terms);
        self
    }

    fn times(mut self, factor: i32) -> Self {
        self.constant = self.constant.wrapping_mul(factor);
        for term in &mut self.terms {
            term.factor = term.factor.wrapping_mul(factor);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Scalar;

    fn variable(at: usize) -> Node {
        Node::Load(Target {
            scope: Scope::Global,
            at,
            indices: Box::new([]),
            scalar: Scalar::Int,
        })
    }

    fn binary(operator: Binary, left: Node, right: Node) -> Node {
        Node::Binary(operator, Box::new((left, right)))
    }

    fn shown(linear: &Linear) -> (i32, Vec<(i32, usize)>) {
        let terms = linear.terms.iter().map(|t| (t.factor, t.target.at));
        (linear.constant, terms.collect())
    }

    #[test]
    fn an_index_into_a_table_is_multiplied_out() {
        let row = binary(Binary::Subtract, variable(0), Node::Constant(1));
        let row = binary(Binary::Multiply, row, Node::Constant(5));
        let index = Linear::combined(Binary::Add, &row, &variable(4)).expect("linear");
        assert_eq!(shown(&index), (-5, vec![(5, 0), (1, 4)]));
    }

    #[test]
    fn products_of_variables_stay_as_they_are() {
        let product = binary(Binary::Multiply, variable(0), variable(4));
        assert!(Linear::combined(Binary::Add, &product, &variable(0)).is_none());
    }

    #[test]
    fn a_single_operator_stays_as_it_is() {
        assert!(Linear::combined(Binary::Add, &variable(0), &Node::Constant(1)).is_none());
    }
}
