//! Lowering: expressions become terms.
//!
//! What does not depend on the global state is computed here: names of processes, elements
//! and sizes of lists of known length, branches of known conditions. `unroll.rs` lowers macros.

use super::bind::Binder;
use super::error::Span;
use super::reads::Expected;
use super::syntax::{Comparison, Expression, Function, Kind, NAME, PROCESSES};
use super::term::{Element, Op, Term};
use crate::narrow::short;
use crate::value::Value;
use mazurka_core::ProcessId;
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
            Kind::Process(inner) => self.process(inner, span),
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
            Kind::Index(pair) => self.index(pair, span),
            Kind::Not(inner) => {
                let inner = self.term(inner);
                Op::Not(Box::new(self.or_null(inner))).at(span)
            }
            Kind::Negate(inner) => {
                let inner = self.term(inner);
                Op::Negate(Box::new(inner)).at(span)
            }
            Kind::And(members) => Term::and(self.conditions(members), span),
            Kind::Or(members) => Term::or(self.conditions(members), span),
            Kind::Compare(comparison, pair) => {
                let [a, b] = self.two(pair);
                self.compare(*comparison, a, b, span)
            }
            Kind::Arithmetic(operator, pair) => {
                let pair = self.two(pair);
                Op::Arithmetic(*operator, Box::new(pair)).at(span)
            }
            Kind::In(pair) => self.membership(pair, span),
            Kind::Conditional(three) => self.conditional(three, span),
            Kind::List(members) => self.list(members, span),
            Kind::Map(entries) => self.map(entries, span),
            Kind::Call(function, arguments) => self.call(*function, arguments, span),
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

    /// The members of a conjunction or a disjunction.
    fn conditions(&mut self, members: &'b [Expression]) -> Vec<Term> {
        let mut terms = Vec::with_capacity(members.len());
        for member in members {
            let term = self.term(member);
            terms.push(self.or_null(term));
        }
        terms
    }

    /// A process by its name, which may be known at run time only.
    fn process(&mut self, name: &'b Expression, span: Span) -> Term {
        let name = self.term(name);
        let known = match name.constant() {
            Some(Value::String(name)) => self.names.process(name),
            _ => None,
        };
        match known {
            Some(process) => Op::Process(short(process.index())).at(span),
            None => Op::Lookup(Box::new(name)).at(span),
        }
    }

    /// A variable of a process, or an element of a list or an object.
    fn index(&mut self, pair: &'b [Expression; 2], span: Span) -> Term {
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

    /// Whether something is in a list. For a process and a list of processes, the answer is known here.
    fn membership(&mut self, pair: &'b [Expression; 2], span: Span) -> Term {
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

    /// The branch that a known condition selects, or both.
    fn conditional(&mut self, [condition, a, b]: &'b [Expression; 3], span: Span) -> Term {
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

    fn list(&mut self, members: &'b [Expression], span: Span) -> Term {
        let mut list = Vec::with_capacity(members.len());
        for member in members {
            let value = self.term(member);
            list.push(Element { guard: None, value });
        }
        Op::List(list).at(span)
    }

    fn map(&mut self, entries: &'b [[Expression; 2]], span: Span) -> Term {
        let mut map = Vec::with_capacity(entries.len());
        for entry in entries {
            map.push(self.two(entry));
        }
        Op::Map(map).at(span)
    }

    /// A call of a function; the size of a list of known length is a number.
    fn call(&mut self, function: Function, arguments: &'b [Expression], span: Span) -> Term {
        let mut terms = Vec::with_capacity(arguments.len());
        for argument in arguments {
            terms.push(self.term(argument));
        }
        if let Function::Size = function
            && let [
                Term {
                    op: Op::List(elements), ..
                },
            ] = &terms[..]
            && elements.iter().all(|e| e.guard.is_none())
        {
            return Op::Constant(Value::Int(elements.len() as i64)).at(span);
        }
        Op::Call(function, terms).at(span)
    }

    fn two(&mut self, [a, b]: &'b [Expression; 2]) -> [Term; 2] {
        let a = self.term(a);
        [a, self.term(b)]
    }

    fn name(&mut self, name: &str, span: Span) -> Term {
        if let Some((_, term)) = self.scope.iter().rev().find(|(known, _)| *known == name) {
            return term.clone();
        }
        let process = |process: ProcessId| Op::Process(short(process.index())).at(span);
        if name == PROCESSES {
            let all = ProcessId::first(self.names.processes.len()).map(|p| Element {
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
                        // It is always null, and need not be read.
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

    /// The term, or null if it is a variable that is never assigned, or a part of one.
    pub(super) fn or_null(&self, term: Term) -> Term {
        match self.reads.is_null(&term) {
            true => Op::Constant(Value::Null).at(term.span),
            false => term,
        }
    }
}
