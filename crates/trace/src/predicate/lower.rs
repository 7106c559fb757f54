//! Lowering: expressions become terms.
//!
//! Macros over lists of known length are unrolled here as far as values are
//! concerned; those that are conditions are unrolled by `bind.rs`, which makes
//! conjuncts of them.

use super::bind::Binder;
use super::error::Span;
use super::reads::Expected;
use super::syntax::{Comparison, Comprehension, Expression, Function, Kind, NAME, PROCESSES, Quantifier};
use super::term::{Element, Local, Loop, Op, Term};
use crate::narrow::short;
use crate::value::Value;
use std::sync::Arc;

impl<'b> Binder<'_, 'b> {
    /// The term of an expression.
    pub(super) fn term(&mut self, e: &'b Expression) -> Term {
        let span = e.span;
        if self.exhausted() {
            return Op::Constant(Value::Null).at(span);
        }
        match &e.kind {
            Kind::Invalid => Op::Constant(Value::Null).at(span),
            Kind::Constant(value) => Op::Constant(value.clone()).at(span),
            Kind::Name(name) => self.name(name, span),
            Kind::Process(inner) => {
                let name = self.term(inner);
                let known = match name.constant() {
                    Some(Value::String(name)) => self.names.process(name),
                    _ => None,
                };
                match known {
                    Some(process) => Op::Process(short(process)).at(span),
                    None => Op::Lookup(Box::new(name)).at(span),
                }
            }
            Kind::Field(of, field) => {
                let expected = self.expected(of);
                let of = self.term(of);
                self.select(of, field, span, expected)
            }
            Kind::Has(of, field) => {
                let of = self.term(of);
                let value = self.select(of, field, span, Expected::Nobody);
                Op::Has(Box::new(self.or_null(value))).at(span)
            }
            Kind::Index(pair) => {
                let expected = self.expected(&pair[0]);
                let [of, index] = self.two(pair);
                match (&of.op, index.constant()) {
                    (_, Some(Value::String(field))) if of.is_process() => {
                        let field = field.clone();
                        self.select(of, &field, span, expected)
                    }
                    (Op::List(elements), Some(Value::Int(k))) if elements.iter().all(|e| e.guard.is_none()) => {
                        let element = usize::try_from(*k).ok().and_then(|k| elements.get(k));
                        match element {
                            Some(element) => element.value.clone(),
                            None => Op::Index(Box::new([of, index])).at(span),
                        }
                    }
                    _ => Op::Index(Box::new([of, index])).at(span),
                }
            }
            Kind::Not(inner) => {
                let inner = self.term(inner);
                Op::Not(Box::new(self.or_null(inner))).at(span)
            }
            Kind::Negate(inner) => {
                let inner = self.term(inner);
                Op::Negate(Box::new(inner)).at(span)
            }
            Kind::And(members) | Kind::Or(members) => {
                let mut terms = Vec::with_capacity(members.len());
                for member in members {
                    let term = self.term(member);
                    terms.push(self.or_null(term));
                }
                match &e.kind {
                    Kind::And(_) => Term::and(terms, span),
                    _ => Term::or(terms, span),
                }
            }
            Kind::Compare(comparison, pair) => {
                let [a, b] = self.two(pair);
                self.compare(*comparison, a, b, span)
            }
            Kind::Arithmetic(operator, pair) => {
                let pair = self.two(pair);
                Op::Arithmetic(*operator, Box::new(pair)).at(span)
            }
            Kind::In(pair) => {
                let [element, list] = self.two(pair);
                if let (Op::Process(process), Op::List(elements)) = (&element.op, &list.op)
                    && elements
                        .iter()
                        .all(|e| e.guard.is_none() && matches!(e.value.op, Op::Process(_)))
                {
                    let found = elements.iter().any(|e| e.value.op == Op::Process(*process));
                    return Term::boolean(found, span);
                }
                let pair = [self.or_null(element), self.or_null(list)];
                Op::In(Box::new(pair)).at(span)
            }
            Kind::Conditional(three) => {
                let [condition, a, b] = &**three;
                let condition = self.term(condition);
                let condition = self.or_null(condition);
                match condition.constant() {
                    Some(Value::Bool(true)) => self.term(a),
                    Some(Value::Bool(false) | Value::Null) => self.term(b),
                    _ => {
                        let (a, b) = (self.term(a), self.term(b));
                        Op::Conditional(Box::new([condition, a, b])).at(span)
                    }
                }
            }
            Kind::List(members) => {
                let mut list = Vec::with_capacity(members.len());
                for member in members {
                    let value = self.term(member);
                    list.push(Element { guard: None, value });
                }
                Op::List(list).at(span)
            }
            Kind::Map(entries) => {
                let mut map = Vec::with_capacity(entries.len());
                for entry in entries {
                    map.push(self.two(entry));
                }
                Op::Map(map).at(span)
            }
            Kind::Call(function, arguments) => {
                let mut terms = Vec::with_capacity(arguments.len());
                for argument in arguments {
                    terms.push(self.term(argument));
                }
                if let (
                    Function::Size,
                    [
                        Term {
                            op: Op::List(elements), ..
                        },
                    ],
                ) = (function, &terms[..])
                    && elements.iter().all(|e| e.guard.is_none())
                {
                    return Op::Constant(Value::Int(elements.len() as i64)).at(span);
                }
                Op::Call(*function, terms).at(span)
            }
            Kind::Matches(of, pattern) => {
                let of = self.term(of);
                Op::Matches(Box::new(self.or_null(of)), pattern.clone()).at(span)
            }
            Kind::Comprehension(c) => {
                let range = self.term(&c.range);
                self.comprehension(c, range, span)
            }
        }
    }

    fn two(&mut self, [a, b]: &'b [Expression; 2]) -> [Term; 2] {
        let a = self.term(a);
        [a, self.term(b)]
    }

    fn name(&mut self, name: &str, span: Span) -> Term {
        if let Some((_, term)) = self.scope.iter().rev().find(|(known, _)| *known == name) {
            return term.clone();
        }
        let process = |process: usize| Op::Process(short(process)).at(span);
        if name == PROCESSES {
            let all = (0..self.names.processes.len()).map(|p| Element {
                guard: None,
                value: process(p),
            });
            return Op::List(all.collect()).at(span);
        }
        match self.names.process(name) {
            Some(found) => process(found),
            None => Op::Constant(Value::Null).at(span),
        }
    }

    /// Who is expected to assign a variable of `of`.
    fn expected(&self, of: &Expression) -> Expected {
        match &of.kind {
            Kind::Name(name) if !self.scope.iter().any(|(known, _)| known == name) => Expected::This,
            Kind::Process(inner) if matches!(inner.kind, Kind::Constant(_)) => Expected::This,
            _ => Expected::Some,
        }
    }

    /// A variable of a process, or a field of an object.
    fn select(&mut self, of: Term, field: &Arc<str>, span: Span, expected: Expected) -> Term {
        if !of.is_process() {
            return Op::Field(Box::new(of), field.clone()).at(span);
        }
        match of.op {
            Op::Process(process) if **field == *NAME => {
                let name = &self.names.processes[process as usize];
                Op::Constant(Value::string(name)).at(span)
            }
            Op::Process(process) => {
                let op = Op::Read(self.reads.read(process, field, span, expected));
                Term { op, span }
            }
            Op::Conditional(three) => {
                let [condition, a, b] = *three;
                let (a, b) = (
                    self.select(a, field, span, expected),
                    self.select(b, field, span, expected),
                );
                Op::Conditional(Box::new([condition, a, b])).at(span)
            }
            _ => {
                let count = short(self.names.processes.len());
                let slots = (0..count).map(|process| match **field == *NAME {
                    true => None,
                    false => {
                        let read = self.reads.read(process, field, span, expected);
                        // Null for ever: it need not be read.
                        self.reads.is_assigned(read).then_some(read)
                    }
                });
                let slots = slots.collect();
                Op::Select(Box::new(of), slots, field.clone()).at(span)
            }
        }
    }

    fn compare(&mut self, comparison: Comparison, a: Term, b: Term, span: Span) -> Term {
        let (a, b) = (self.or_null(a), self.or_null(b));
        let is_null = |term: &Term| matches!(term.op, Op::Constant(Value::Null));
        match (&a.op, &b.op) {
            (Op::Process(a), Op::Process(b)) => {
                return Term::boolean((a == b) == (comparison == Comparison::Equal), span);
            }
            // Nothing is different from itself; it is equal to itself unless it is null.
            (Op::Read(a), Op::Read(b)) if a == b && comparison == Comparison::Unequal => {
                return Term::boolean(false, span);
            }
            (Op::Read(_), Op::Constant(Value::Null)) | (Op::Constant(Value::Null), Op::Read(_))
                if !matches!(comparison, Comparison::Equal | Comparison::Unequal) =>
            {
                return Term::boolean(false, span);
            }
            (Op::Process(_), _) | (_, Op::Process(_)) if is_null(&a) || is_null(&b) => {
                return Term::boolean(comparison == Comparison::Unequal, span);
            }
            _ => {}
        }
        let exchange = match (a.constant().is_some(), b.constant().is_some()) {
            (true, false) => true,
            (false, true) | (true, true) => false,
            (false, false) => match comparison {
                Comparison::Equal | Comparison::Unequal => self.reads.order(&b) < self.reads.order(&a),
                Comparison::Greater | Comparison::GreaterOrEqual => true,
                Comparison::Less | Comparison::LessOrEqual => false,
            },
        };
        let (comparison, pair) = match exchange {
            true => (comparison.exchanged(), [b, a]),
            false => (comparison, [a, b]),
        };
        Op::Compare(comparison, Box::new(pair)).at(span)
    }

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

    /// The term, or null if it is a variable that is never assigned or part of one.
    pub(super) fn or_null(&self, term: Term) -> Term {
        match self.reads.is_null(&term) {
            true => Op::Constant(Value::Null).at(term.span),
            false => term,
        }
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
