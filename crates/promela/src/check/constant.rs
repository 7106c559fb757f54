//! Constant expressions: lengths, capacities, widths.

use super::Checker;
use super::scope::Meaning;
use crate::arithmetic::{binary, unary};
use crate::model;
use crate::preprocess::expansion::At;
use crate::syntax::{Expr, ExprKind};
use std::fmt::Display;
use std::ops::RangeInclusive;

impl Checker<'_> {
    /// The value of a constant expression within a range. Anything else is reported.
    pub(super) fn constant<T>(&mut self, expr: &Expr, what: &str, range: RangeInclusive<T>) -> Option<T>
    where
        T: TryFrom<i32> + PartialOrd + Display,
    {
        let Some(value) = self.fold(expr) else {
            self.error("promela::not-constant", expr.at, format!("{what} must be a constant"));
            return None;
        };
        let inside = T::try_from(value).ok().filter(|value| range.contains(value));
        if inside.is_none() {
            let (least, most) = (range.start(), range.end());
            let message = format!("{what} must be between {least} and {most}, not {value}");
            self.error("promela::out-of-range", expr.at, message);
        }
        inside
    }

    /// The value of an expression without variables. A variable stands for its
    /// initial value if that is a constant, as it does in SPIN's array bounds.
    pub(super) fn fold(&mut self, expr: &Expr) -> Option<i32> {
        match &expr.kind {
            ExprKind::Constant(value) => Some(*value),
            ExprKind::Unary(operator, operand) => Some(unary(*operator, self.fold(operand)?)),
            ExprKind::Binary(operator, left, right) => binary(*operator, self.fold(left)?, self.fold(right)?),
            ExprKind::Conditional(condition, then, otherwise) => match self.fold(condition)? {
                0 => self.fold(otherwise),
                _ => self.fold(then),
            },
            ExprKind::Reference(reference) => {
                let [part] = &reference.parts[..] else { return None };
                match self.scopes.find(&part.name.text)?.meaning {
                    Meaning::Symbol(_, value) => Some(value),
                    Meaning::Global(id) => {
                        let value = initial(&self.model.globals[id.0 as usize])?;
                        self.frozen(&part.name.text, value, reference.at);
                        Some(value)
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn frozen(&mut self, name: &str, value: i32, at: At) {
        let message = format!("the variable `{name}` stands for its initial value here, {value}");
        self.warning("promela::variable-as-constant", at, message);
    }
}

fn initial(variable: &model::Variable) -> Option<i32> {
    match &variable.initial {
        model::Initial::Value(model::Expr {
            kind: model::ExprKind::Constant(value),
            ..
        }) => Some(*value),
        _ => None,
    }
}
