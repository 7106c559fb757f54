//! The meaning of a predicate on a cut.

use super::{Comparison, Formula, Number, Who};
use crate::computations::Truth;
use mazurka_trace::{Computation, ProcessId, Value};

/// A failed evaluation.
struct Failed;

/// Where a predicate is evaluated.
pub(super) struct Scope<'a> {
    pub(super) computation: &'a Computation,
    pub(super) cut: &'a [u32],
}

impl Scope<'_> {
    /// `bound` are the current processes of the enclosing quantifiers.
    pub(super) fn truth(&self, formula: &Formula, bound: &[usize]) -> Truth {
        match formula {
            Formula::Constant(holds) => Truth::from(*holds),
            Formula::Flag(who, variable) => match self.value(who, variable, bound) {
                Ok(Value::Null) => Truth::False,
                Ok(Value::Bool(holds)) => Truth::from(*holds),
                _ => Truth::Error,
            },
            Formula::Compare(a, comparison, b) => match (self.number(a, bound), self.number(b, bound)) {
                // Whether a number is there, if null is what it is compared with.
                (Ok(x), Ok(y)) if matches!((a, b), (Number::Null, _) | (_, Number::Null)) => match comparison {
                    Comparison::Equal => Truth::from(x == y),
                    Comparison::Unequal => Truth::from(x != y),
                    _ => Truth::False,
                },
                (Ok(a), Ok(b)) => Truth::from(comparison.holds(a, b)),
                _ => Truth::Error,
            },
            Formula::Different(a, b) => match (self.process(a, bound), self.process(b, bound)) {
                (Ok(a), Ok(b)) => Truth::from(self.computation.names()[a] != self.computation.names()[b]),
                _ => Truth::Error,
            },
            Formula::Not(a) => !self.truth(a, bound),
            Formula::And(all) => all
                .iter()
                .map(|a| self.truth(a, bound))
                .fold(Truth::True, |a, b| a.and(b)),
            Formula::Or(all) => all
                .iter()
                .map(|a| self.truth(a, bound))
                .fold(Truth::False, |a, b| a.or(b)),
            Formula::Implies(a, b) => (!self.truth(a, bound)).or(self.truth(b, bound)),
            Formula::Exists(a) => self.each(a, bound).fold(Truth::False, |a, b| a.or(b)),
            Formula::All(a) => self.each(a, bound).fold(Truth::True, |a, b| a.and(b)),
        }
    }

    /// The values of a formula for each process in turn.
    fn each(&self, formula: &Formula, bound: &[usize]) -> impl Iterator<Item = Truth> {
        (0..self.computation.processes()).map(move |p| {
            let mut bound = bound.to_vec();
            bound.push(p);
            self.truth(formula, &bound)
        })
    }

    /// `None` is null.
    fn number(&self, number: &Number, bound: &[usize]) -> Result<Option<i64>, Failed> {
        match number {
            Number::Null => Ok(None),
            Number::Constant(n) => Ok(Some(*n)),
            Number::Variable(who, variable) => number_in(self.value(who, variable, bound)?),
            Number::Plus(a, b) => {
                let (a, b) = (self.number(a, bound)?, self.number(b, bound)?);
                Ok(Some(a.ok_or(Failed)? + b.ok_or(Failed)?))
            }
            Number::Sum(variable) => {
                let mut sum = 0;
                for p in 0..self.computation.processes() {
                    sum += number_in(self.value_of(p, variable))?.ok_or(Failed)?;
                }
                Ok(Some(sum))
            }
            Number::Count(a) => {
                let each: Vec<Truth> = self.each(a, bound).collect();
                match each.contains(&Truth::Error) {
                    true => Err(Failed),
                    false => Ok(Some(each.iter().filter(|t| **t == Truth::True).count() as i64)),
                }
            }
        }
    }

    fn value(&self, who: &Who, variable: &str, bound: &[usize]) -> Result<&Value, Failed> {
        let p = self.process(who, bound)?;
        Ok(self.value_of(p, variable))
    }

    /// A variable that no process assigns is null as well.
    fn value_of(&self, p: usize, variable: &str) -> &Value {
        match self.computation.variable(variable) {
            Some(variable) => self.computation.value(ProcessId::new(p), variable, self.cut[p]),
            None => &Value::Null,
        }
    }

    fn process(&self, who: &Who, bound: &[usize]) -> Result<usize, Failed> {
        match who {
            Who::Named(name) => self.computation.process(name).map(ProcessId::index).ok_or(Failed),
            Who::Bound(depth) => bound.get(*depth).copied().ok_or(Failed),
        }
    }
}

fn number_in(value: &Value) -> Result<Option<i64>, Failed> {
    match value {
        Value::Null => Ok(None),
        Value::Int(n) => Ok(Some(*n)),
        _ => Err(Failed),
    }
}

impl Comparison {
    fn holds(self, a: Option<i64>, b: Option<i64>) -> bool {
        match (self, a, b) {
            (Self::Equal, Some(a), Some(b)) => a == b,
            (Self::Unequal, Some(a), Some(b)) => a != b,
            (Self::Less, Some(a), Some(b)) => a < b,
            (Self::AtMost, Some(a), Some(b)) => a <= b,
            (Self::More, Some(a), Some(b)) => a > b,
            (Self::AtLeast, Some(a), Some(b)) => a >= b,
            _ => false,
        }
    }
}
