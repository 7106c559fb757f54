//! What is left of a property once some components are frozen.
//!
//! Niebert and Peled, section 5: if the property is `x1 + x2 > 5` and process 1 is frozen with `x1 = 3`, then `x2 > 2` remains.
//! Here an expression consists of *leaves*, each of which reads one component, and of operators between them. To freeze a
//! component is to put in the values of its leaves and to simplify: constants are folded, the constants of a sum are added up
//! (arithmetic wraps, so the order of a sum does not matter), and members of conjunctions and disjunctions that are decided go. What
//! remains is the same for all values that cannot be told apart by it, such as all with the same sum.
//!
//! A proposition that cannot be evaluated does not hold. An expression without a value is a constant of its own, and a
//! leaf that may have none is kept where another operand would decide, unless that operand is evaluated first.

use crate::arithmetic;
use crate::model::{Binary, Unary};
use std::cmp::Ordering;

/// An expression over leaves, whose value is a number, or nothing if it cannot be evaluated.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Value {
    Known(Option<i32>),
    Leaf(usize),
    /// A constant and multiples of expressions, in ascending order.
    Sum(i32, Vec<(i32, Value)>),
    Unary(Unary, Box<Value>),
    Binary(Binary, Box<(Value, Value)>),
    Conditional(Box<(Value, Value, Value)>),
}

/// A boolean combination of conditions that a value is not 0.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Residual {
    Known(bool),
    Holds(Value),
    Not(Box<Residual>),
    And(Vec<Residual>),
    Or(Vec<Residual>),
    Same(Box<(Residual, Residual)>),
}

/// The value of a leaf that is frozen, `None` if its component is not; the value may be that it has none.
pub(super) type Frozen<'a> = &'a dyn Fn(usize) -> Option<Option<i32>>;

impl Value {
    /// The sum of a constant and multiples.
    pub(super) fn sum(constant: i32, terms: Vec<(i32, Self)>) -> Self {
        let (mut constant, mut left) = (constant, Vec::new());
        for (factor, value) in terms {
            match value {
                Self::Known(None) => return Self::Known(None),
                Self::Known(Some(value)) => constant = constant.wrapping_add(factor.wrapping_mul(value)),
                Self::Sum(more, inner) => {
                    constant = constant.wrapping_add(factor.wrapping_mul(more));
                    left.extend(inner.into_iter().map(|(f, value)| (f.wrapping_mul(factor), value)));
                }
                value => left.push((factor, value)),
            }
        }
        match left.is_empty() {
            true => Self::Known(Some(constant)),
            false => {
                left.sort_by(|(f, v), (g, w)| v.compare(w).then(f.cmp(g)));
                Self::Sum(constant, left)
            }
        }
    }

    /// An operator on two values.
    pub(super) fn binary(operator: Binary, left: Self, right: Self) -> Self {
        let truth = |value: &Self| match value {
            Self::Known(Some(value)) => Some(*value != 0),
            _ => None,
        };
        match (operator, &left, &right) {
            (Binary::Add, ..) => Self::sum(0, vec![(1, left), (1, right)]),
            (Binary::Subtract, ..) => Self::sum(0, vec![(1, left), (-1, right)]),
            // The second operand is evaluated only if the first does not decide.
            (Binary::And | Binary::Or, Self::Known(None), _) => Self::Known(None),
            (Binary::And, first, _) if truth(first) == Some(false) => Self::Known(Some(0)),
            (Binary::Or, first, _) if truth(first) == Some(true) => Self::Known(Some(1)),
            (Binary::And | Binary::Or, first, Self::Known(value)) if truth(first).is_some() => {
                Self::Known(value.map(|value| i32::from(value != 0)))
            }
            (Binary::And | Binary::Or, ..) => Self::Binary(operator, Box::new((left, right))),
            (_, Self::Known(None), _) | (_, _, Self::Known(None)) => Self::Known(None),
            (_, Self::Known(Some(a)), Self::Known(Some(b))) => Self::Known(arithmetic::binary(operator, *a, *b)),
            _ => Self::Binary(operator, Box::new((left, right))),
        }
    }

    pub(super) fn unary(operator: Unary, value: Self) -> Self {
        match value {
            Self::Known(value) => Self::Known(value.map(|value| arithmetic::unary(operator, value))),
            value => Self::Unary(operator, Box::new(value)),
        }
    }

    pub(super) fn conditional(condition: Self, yes: Self, no: Self) -> Self {
        match condition {
            Self::Known(None) => Self::Known(None),
            Self::Known(Some(0)) => no,
            Self::Known(Some(_)) => yes,
            condition => Self::Conditional(Box::new((condition, yes, no))),
        }
    }

    /// What is left with some leaves frozen.
    fn frozen(&self, leaf: Frozen<'_>) -> Self {
        match self {
            Self::Known(_) => self.clone(),
            Self::Leaf(k) => leaf(*k).map_or(Self::Leaf(*k), Self::Known),
            Self::Sum(constant, terms) => Self::sum(
                *constant,
                terms
                    .iter()
                    .map(|(factor, value)| (*factor, value.frozen(leaf)))
                    .collect(),
            ),
            Self::Unary(operator, value) => Self::unary(*operator, value.frozen(leaf)),
            Self::Binary(operator, operands) => {
                Self::binary(*operator, operands.0.frozen(leaf), operands.1.frozen(leaf))
            }
            Self::Conditional(parts) => {
                Self::conditional(parts.0.frozen(leaf), parts.1.frozen(leaf), parts.2.frozen(leaf))
            }
        }
    }

    /// Some order, so that equal sums are written in one way.
    fn compare(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Leaf(a), Self::Leaf(b)) => a.cmp(b),
            (Self::Leaf(_), _) => Ordering::Less,
            (_, Self::Leaf(_)) => Ordering::Greater,
            _ => format!("{self:?}").cmp(&format!("{other:?}")),
        }
    }
}

impl Residual {
    pub(super) fn not(self) -> Self {
        match self {
            Self::Known(truth) => Self::Known(!truth),
            Self::Not(inner) => *inner,
            other => Self::Not(Box::new(other)),
        }
    }

    /// The conjunction of some members, or their disjunction.
    pub(super) fn joined(members: Vec<Self>, and: bool) -> Self {
        let mut left: Vec<Self> = Vec::new();
        for member in members {
            let inner = match member {
                Self::Known(truth) if truth == and => continue,
                Self::Known(_) => return Self::Known(!and),
                Self::And(inner) if and => inner,
                Self::Or(inner) if !and => inner,
                other => vec![other],
            };
            for member in inner {
                if !left.contains(&member) {
                    left.push(member);
                }
            }
        }
        match (left.len(), and) {
            (0, _) => Self::Known(and),
            (1, _) => left.swap_remove(0),
            (_, true) => Self::And(left),
            (_, false) => Self::Or(left),
        }
    }

    pub(super) fn same(a: Self, b: Self) -> Self {
        match (a, b) {
            (Self::Known(true), other) | (other, Self::Known(true)) => other,
            (Self::Known(false), other) | (other, Self::Known(false)) => other.not(),
            (a, b) => Self::Same(Box::new((a, b))),
        }
    }

    /// A condition that a value is not 0.
    pub(super) fn holds(value: Value) -> Self {
        match value {
            Value::Known(value) => Self::Known(value.is_some_and(|value| value != 0)),
            value => Self::Holds(value),
        }
    }

    /// What is left with some leaves frozen.
    pub(super) fn frozen(&self, leaf: Frozen<'_>) -> Self {
        let all = |members: &[Self]| members.iter().map(|member| member.frozen(leaf)).collect();
        match self {
            Self::Known(truth) => Self::Known(*truth),
            Self::Holds(value) => Self::holds(value.frozen(leaf)),
            Self::Not(inner) => inner.frozen(leaf).not(),
            Self::And(members) => Self::joined(all(members), true),
            Self::Or(members) => Self::joined(all(members), false),
            Self::Same(two) => Self::same(two.0.frozen(leaf), two.1.frozen(leaf)),
        }
    }

    /// Its truth, if all leaves have these values.
    pub(super) fn is_true(&self, values: &[Option<i32>]) -> bool {
        self.frozen(&|leaf| Some(values[leaf])) == Self::Known(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(parts: &[usize]) -> Value {
        Value::sum(0, parts.iter().map(|leaf| (1, Value::Leaf(*leaf))).collect())
    }

    #[test]
    fn equal_sums_leave_the_same() {
        let five = Value::Known(Some(5));
        let property = Residual::holds(Value::binary(Binary::Greater, sum(&[0, 1, 2]), five));
        let freeze = |values: [i32; 2]| property.frozen(&|leaf| values.get(leaf).map(|value| Some(*value)));
        assert_eq!(freeze([1, 2]), freeze([3, 0]));
        assert_ne!(freeze([1, 2]), freeze([3, 1]));
        assert!(freeze([1, 2]).is_true(&[None, None, Some(3)]));
        assert!(!freeze([1, 2]).is_true(&[None, None, Some(2)]));
    }

    #[test]
    fn what_decides_leaves_nothing() {
        let is = |leaf: usize| Residual::holds(Value::Leaf(leaf));
        let both = Residual::joined(vec![is(0), is(1)], true);
        assert_eq!(
            both.frozen(&|leaf| (leaf == 0).then_some(Some(0))),
            Residual::Known(false)
        );
        assert_eq!(both.frozen(&|leaf| (leaf == 0).then_some(Some(7))), is(1));
        assert_eq!(both.frozen(&|leaf| (leaf == 0).then_some(None)), Residual::Known(false));
        // `!(a == 1 && b == 2)` holds if `a` has another value, whatever `b` is.
        let neither = both.not();
        assert_eq!(
            neither.frozen(&|leaf| (leaf == 0).then_some(Some(0))),
            Residual::Known(true)
        );
    }

    #[test]
    fn an_operand_without_a_value_spoils_what_is_evaluated() {
        let quotient = |first: Value| Value::binary(Binary::And, first, Value::Leaf(1));
        let frozen = |value: Value| Residual::holds(value.frozen(&|leaf| (leaf == 1).then_some(None)));
        assert_eq!(frozen(quotient(Value::Known(Some(0)))), Residual::Known(false));
        // Whether it has a value depends on what is not frozen yet.
        assert!(matches!(frozen(quotient(Value::Leaf(0))), Residual::Holds(_)));
        assert_eq!(frozen(sum(&[0, 1])), Residual::Known(false));
        let spoilt = Value::binary(Binary::Or, Value::Known(None), Value::Known(Some(1)));
        assert_eq!(Residual::holds(spoilt), Residual::Known(false));
    }
}
