//! Macros over lists: `all`, `exists`, `exists_one`, `map` and `filter`.
//!
//! Over a list of known length, a macro is unrolled: its body is lowered once for each element, with the
//! variable standing for the element. Over any other list, it becomes a loop that runs when the predicate is evaluated.
//! `bind.rs` unrolls macros that are conditions themselves, and makes conjuncts of them.

use super::bind::Binder;
use super::error::Span;
use super::syntax::{Comprehension, Quantifier};
use super::term::{Element, Local, Loop, Op, Term};
use crate::value::Value;

impl<'b> Binder<'_, 'b> {
    /// A macro.
    pub(super) fn comprehension(&mut self, c: &'b Comprehension, range: Term, span: Span) -> Term {
        let Some(elements) = elements(&range) else {
            return self.at_run_time(c, range, span);
        };
        let mut members = Vec::with_capacity(elements.len());
        for Element { guard, value } in elements {
            self.scope.push((&c.variable, value.clone()));
            let body = self.term(&c.body);
            let mut guards: Vec<Term> = guard.into_iter().collect();
            if let Some(guard) = &c.guard {
                let guard = self.term(guard);
                guards.push(self.or_null(guard));
            }
            self.scope.pop();
            members.push((guards, value, body));
        }
        let listed = |guards: Vec<Term>, value: Term| {
            let guard = Term::and(guards, span);
            match guard.constant() {
                Some(Value::Bool(true)) => Some(Element { guard: None, value }),
                Some(Value::Bool(false) | Value::Null) => None,
                _ => Some(Element {
                    guard: Some(guard),
                    value,
                }),
            }
        };
        let mut terms = Vec::new();
        let mut list = Vec::new();
        for (mut guards, value, body) in members {
            match c.quantifier {
                Quantifier::Map => list.extend(listed(guards, body)),
                Quantifier::Filter => {
                    guards.push(self.or_null(body));
                    list.extend(listed(guards, value));
                }
                Quantifier::All if !guards.is_empty() => {
                    let unless = Op::Not(Box::new(Term::and(guards, span))).at(span);
                    terms.push(Term::or(vec![unless, self.or_null(body)], span));
                }
                Quantifier::Exists | Quantifier::ExistsOne if !guards.is_empty() => {
                    guards.push(self.or_null(body));
                    terms.push(Term::and(guards, span));
                }
                _ => terms.push(self.or_null(body)),
            }
        }
        match c.quantifier {
            Quantifier::Exists => Term::or(terms, span),
            Quantifier::All => Term::and(terms, span),
            Quantifier::ExistsOne => {
                let possible = |t: &Term| !matches!(t.op, Op::Constant(Value::Bool(false) | Value::Null));
                Op::One(terms.into_iter().filter(possible).collect()).at(span)
            }
            Quantifier::Map | Quantifier::Filter => Op::List(list).at(span),
        }
    }

    /// A macro over a list that is known at run time only.
    fn at_run_time(&mut self, c: &'b Comprehension, range: Term, span: Span) -> Term {
        let local = Local {
            number: self.locals,
            name: c.variable.clone(),
            process: range.lists_processes(),
        };
        let variable = Op::Local(local.clone()).at(c.range.span);
        self.scope.push((&c.variable, variable));
        self.locals += 1;
        let guard = c.guard.as_ref().map(|guard| self.term(guard));
        let body = self.term(&c.body);
        self.locals -= 1;
        self.scope.pop();
        let quantifier = c.quantifier;
        Op::Comprehension(Box::new(Loop {
            quantifier,
            range,
            local,
            guard,
            body,
        }))
        .at(span)
    }
}

/// The elements of a list whose length is known.
pub(super) fn elements(range: &Term) -> Option<Vec<Element>> {
    match &range.op {
        Op::List(elements) => Some(elements.clone()),
        Op::Constant(Value::List(items)) => {
            let element = |item: &Value| Element {
                guard: None,
                value: Op::Constant(item.clone()).at(range.span),
            };
            Some(items.iter().map(element).collect())
        }
        _ => None,
    }
}
