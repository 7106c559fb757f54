//! Whether a command can fail, decided with intervals.
//!
//! A fault (a value out of its domain, an expression without a value) is a
//! violation, so a search that may overlook violations must not say that all is
//! well unless there can be no fault. Each expression gets an interval that
//! contains its values; a fault that the intervals do not exclude counts as possible.

use super::expr::{Binary, Node, Query};
use super::{Model, Operate, Transition, TransitionStep};
use crate::ids::ProcessId;
use crate::objects::Op;
use std::ops::RangeInclusive;

/// Least and greatest value, in a type that does not overflow.
type Interval = (i128, i128);

const ANYTHING: Interval = (i64::MIN as i128, i64::MAX as i128);

/// Whether executing the transition might fail.
pub(crate) fn can_fault(model: &Model, t: &Transition) -> bool {
    let mut output = (0, 0);
    for step in &t.command {
        match step {
            TransitionStep::Assert { holds, .. } => {
                if values(model, holds, output).is_none() {
                    return true;
                }
            }
            TransitionStep::Operate(Operate { op, input, .. }) => {
                let object = model.object_type(op.object);
                if let Some(node) = input {
                    let Some((low, high)) = values(model, node, output) else {
                        return true;
                    };
                    // What does not fit a variable was refused above.
                    let (Ok(low), Ok(high)) = (i64::try_from(low), i64::try_from(high)) else {
                        return true;
                    };
                    if !object.accepts_all(op.op, low..=high) {
                        return true;
                    }
                }
                output = object.answers(op.op).map_or(ANYTHING, interval);
            }
        }
    }
    false
}

fn interval(range: RangeInclusive<i64>) -> Interval {
    (i128::from(*range.start()), i128::from(*range.end()))
}

/// An interval that contains the values of an expression; `None` if it may have
/// no value. `output` is that of the operation before.
fn values(model: &Model, node: &Node, output: Interval) -> Option<Interval> {
    let (low, high) = match node {
        Node::Const(c) => (i128::from(*c), i128::from(*c)),
        Node::Output => output,
        Node::Query(Query { object, kind, .. }) => {
            let op = Op {
                kind: *kind,
                by: ProcessId::new(0),
            };
            let range = model.object_type(*object).answers(op);
            range.map_or(ANYTHING, interval)
        }
        Node::HasValue(_) => (0, 1),
        Node::Not(e) => {
            values(model, e, output)?;
            (0, 1)
        }
        Node::Neg(e) => {
            let (low, high) = values(model, e, output)?;
            (-high, -low)
        }
        Node::Binary(op, a, b) => {
            let (a, b) = (values(model, a, output)?, values(model, b, output)?);
            combined(*op, a, b)?
        }
    };
    (ANYTHING.0 <= low && high <= ANYTHING.1).then_some((low, high))
}

fn combined(op: Binary, a: Interval, b: Interval) -> Option<Interval> {
    let corners = |f: fn(i128, i128) -> i128| {
        let all = [f(a.0, b.0), f(a.0, b.1), f(a.1, b.0), f(a.1, b.1)];
        let (low, high) = (all.iter().min(), all.iter().max());
        (*low.expect("four"), *high.expect("four"))
    };
    let zero = b.0 <= 0 && 0 <= b.1;
    Some(match op {
        Binary::Add => corners(|x, y| x + y),
        Binary::Sub => corners(|x, y| x - y),
        Binary::Mul => corners(|x, y| x * y),
        Binary::Div | Binary::Rem if zero => return None,
        Binary::Div => corners(|x, y| x / y),
        // The least number has no remainder by -1: the division overflows.
        Binary::Rem if a.0 == ANYTHING.0 && b.0 <= -1 => return None,
        Binary::Rem => {
            // The sign of the dividend, and nearer to zero than the divisor.
            let most = b.0.abs().max(b.1.abs()) - 1;
            ((-most).max(a.0).min(0), most.min(a.1).max(0))
        }
        Binary::Eq | Binary::Ne | Binary::Lt | Binary::Le | Binary::And | Binary::Or => (0, 1),
    })
}

#[cfg(test)]
mod tests {
    use crate::model::Builder;
    use crate::{ChannelType, Expr, VariableType};

    /// Whether `x := expression` might fail, with x in 0..=3, y in -2..=5.
    fn fails(expression: impl Fn(Expr, Expr) -> Expr) -> bool {
        let mut m = Builder::new("m");
        let [a] = m.process("A", ["a"]);
        let x = m.variable("x", VariableType::range(0..=3));
        let y = m.variable("y", VariableType::range(-2..=5));
        let value = expression(x.read(), y.read());
        m.transition("t", a, a).then(x.write(value));
        m.build().unwrap().can_fault()
    }

    #[test]
    fn what_fits_and_what_may_not() {
        assert!(!fails(|x, _| x));
        assert!(fails(|_, y| y));
        assert!(fails(|x, _| x + 1));
        assert!(!fails(|x, _| (x + 1) % 4));
        assert!(fails(|_, y| y % 4), "-2 % 4 is -2");
        assert!(!fails(|_, y| (y + 2) % 4));
        assert!(fails(|x, y| x / y));
        assert!(!fails(|x, _| x / 2));
        assert!(!fails(|x, y| x.is(y)));
        assert!(fails(|x, _| (x * i64::MAX).lt(5)), "it overflows");
    }

    #[test]
    fn messages_into_variables() {
        for (messages, fits) in [(0..=3, true), (0..=4, false)] {
            let mut m = Builder::new("m");
            let [a] = m.process("A", ["a"]);
            let x = m.variable("x", VariableType::range(0..=3));
            let q = m.channel("q", ChannelType::bounded(1).messages(messages));
            m.transition("t", a, a).then(q.receive_into(x));
            assert_eq!(m.build().unwrap().can_fault(), !fits);
        }
    }
}
