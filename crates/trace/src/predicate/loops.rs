//! Functions and macros over lists, evaluated.

use super::evaluate::Frame;
use super::evaluated::Evaluated;
use super::fault::{Need, Outcome, Reason};
use super::syntax::{Function, Quantifier};
use super::term::{Loop, Op, Term};
use std::cmp::Ordering;

impl<'a> Frame<'a, '_> {
    /// `sum`, `min` and `max`.
    pub(super) fn aggregate(&mut self, term: &'a Term, function: Function, of: &'a Term) -> Outcome<'a, Evaluated<'a>> {
        let mut result = match function {
            Function::Sum => Some(Evaluated::Int(0)),
            _ => None,
        };
        if let Op::List(elements) = &of.op {
            // The list need not be built, and the element at fault is known.
            for element in elements {
                if let Some(guard) = &element.guard
                    && !self.truth(guard)?
                {
                    continue;
                }
                let given = self.value(&element.value)?;
                result = match aggregated(function, result, given) {
                    Ok(given) => Some(given),
                    Err(Some(found)) => {
                        return self.operand(term, &element.value, Need(function.name(), "a number"), &found);
                    }
                    Err(None) => return self.fault(term, term, Reason::Overflow(function.name())),
                };
            }
        } else {
            let list = self.value(of)?;
            let Some(length) = list.length() else {
                return self.operand(term, of, Need(function.name(), "a list"), &list);
            };
            for k in 0..length {
                let given = list.element(k).unwrap_or(Evaluated::Null);
                result = match aggregated(function, result, given) {
                    Ok(given) => Some(given),
                    Err(Some(found)) => {
                        let reason = Reason::Element(of, Need(function.name(), "numbers"), found.kind());
                        return self.fault(term, of, reason);
                    }
                    Err(None) => return self.fault(term, term, Reason::Overflow(function.name())),
                };
            }
        }
        match result {
            Some(given) => Ok(given),
            None => self.fault(term, of, Reason::Empty(function.name())),
        }
    }

    /// A macro over a list.
    pub(super) fn comprehension(&mut self, term: &'a Term, c: &'a Loop) -> Outcome<'a, Evaluated<'a>> {
        let range = self.value(&c.range)?;
        let Some(length) = range.length() else {
            return self.operand(term, &c.range, Need(c.quantifier.name(), "a list"), &range);
        };
        let source = self.blame(&c.range);
        let number = c.local.number as usize;
        self.locals.truncate(number);
        let mut first = None;
        let mut count = 0;
        let mut list = Vec::new();
        for k in 0..length {
            let element = range.element(k).unwrap_or(Evaluated::Null);
            self.locals.truncate(number);
            self.locals.push((element.clone(), source));
            if let Some(guard) = &c.guard
                && !self.truth(guard)?
            {
                continue;
            }
            match c.quantifier {
                Quantifier::Exists | Quantifier::All => {
                    let decisive = c.quantifier == Quantifier::Exists;
                    match self.truth(&c.body) {
                        Ok(truth) if truth == decisive => {
                            self.locals.truncate(number);
                            return Ok(Evaluated::Bool(decisive));
                        }
                        Ok(_) => {}
                        Err(fault) => first = first.or(Some(fault)),
                    }
                }
                Quantifier::ExistsOne => count += usize::from(self.truth(&c.body)?),
                Quantifier::Map => list.push(self.value(&c.body)?),
                Quantifier::Filter => {
                    if self.truth(&c.body)? {
                        list.push(element);
                    }
                }
            }
        }
        self.locals.truncate(number);
        if let Some(fault) = first {
            return Err(fault);
        }
        Ok(match c.quantifier {
            Quantifier::Exists => Evaluated::Bool(false),
            Quantifier::All => Evaluated::Bool(true),
            Quantifier::ExistsOne => Evaluated::Bool(count == 1),
            Quantifier::Map | Quantifier::Filter => Evaluated::List(list),
        })
    }
}

/// One step of `sum`, `min` or `max`. The error is the element that is not a number, or
/// `None` for an overflow.
fn aggregated<'a>(
    function: Function,
    so_far: Option<Evaluated<'a>>,
    next: Evaluated<'a>,
) -> Result<Evaluated<'a>, Option<Evaluated<'a>>> {
    if next.number().is_none() {
        return Err(Some(next));
    }
    let Some(so_far) = so_far else {
        return Ok(next);
    };
    match (function, &so_far, &next) {
        (Function::Sum, Evaluated::Int(m), Evaluated::Int(n)) => m.checked_add(*n).map(Evaluated::Int).ok_or(None),
        (Function::Sum, ..) => match (so_far.number(), next.number()) {
            (Some(x), Some(y)) => Ok(Evaluated::Double(x + y)),
            _ => Err(Some(next)),
        },
        _ => {
            let wanted = if function == Function::Min {
                Ordering::Less
            } else {
                Ordering::Greater
            };
            let better = next.order(&so_far).flatten() == Some(wanted);
            Ok(if better { next } else { so_far })
        }
    }
}
