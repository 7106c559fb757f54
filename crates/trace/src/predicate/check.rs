//! Errors that can be found without values: wrong types and unknown processes.
//!
//! An expression whose operands can never have the right types is an error at its place.
//! After these checks it is known of each expression whether it is a process. Binding
//! relies on that.

use super::error::{PredicateError, Span, did_you_mean};
use super::syntax::{Comparison, Comprehension, Expression, Function, Kind, NAME, Operator, PROCESSES, Quantifier};
use super::types::Type;
use crate::value::Value;
use mazurka_core::ProcessId;
use std::sync::atomic::AtomicBool;

/// What names mean in a trace.
pub(super) struct Names<'a> {
    pub(super) processes: &'a [String],
    /// Whether a process assigns a variable.
    pub(super) assigned: &'a dyn Fn(ProcessId, &str) -> bool,
    /// Binding ends early when this is set.
    pub(super) stop: Option<&'a AtomicBool>,
}

impl Names<'_> {
    pub(super) fn process(&self, name: &str) -> Option<ProcessId> {
        self.processes
            .iter()
            .position(|known| known == name)
            .map(ProcessId::new)
    }

    fn unknown(&self, name: &str, span: Span, called: bool) -> PredicateError {
        let similar = did_you_mean(name, self.processes.iter().map(String::as_str));
        let owners: Vec<_> = ProcessId::first(self.processes.len())
            .filter(|p| (self.assigned)(*p, name))
            .take(4)
            .collect();
        let hint = match (owners.first(), self.processes.len()) {
            (Some(owner), _) if !called => {
                let owner = &self.processes[owner.index()];
                Some(format!("`{name}` is a variable: write `{owner}.{name}`"))
            }
            (_, 0) => Some("the trace has no processes".to_owned()),
            (_, 1..=8) => {
                let list = format!("processes: {}", self.processes.join(", "));
                Some(similar.map_or(list.clone(), |similar| format!("{similar} {list}")))
            }
            _ => similar,
        };
        PredicateError::new(span, format!("there is no process `{name}`")).perhaps(hint)
    }
}

/// Finds type errors and unknown processes.
pub(super) fn check(root: &Expression, names: &Names) -> Vec<PredicateError> {
    let mut checker = Checker {
        names,
        scope: Vec::new(),
        errors: Vec::new(),
    };
    let found = checker.infer(root);
    if !found.may_be(|t| matches!(t, Type::Bool | Type::Null)) {
        let message = format!("a predicate must be true or false; this is {}", found.name());
        let error = PredicateError::new(root.span, message);
        checker.errors.push(match found {
            Type::Process => error.hint("select a variable of it"),
            _ => error.hint("compare it with something"),
        });
    }
    checker.errors
}

struct Checker<'a, 'b> {
    names: &'a Names<'a>,
    scope: Vec<(&'b str, Type)>,
    errors: Vec<PredicateError>,
}

impl<'b> Checker<'_, 'b> {
    fn error(&mut self, span: Span, message: String) -> Type {
        self.errors.push(PredicateError::new(span, message));
        Type::Invalid
    }

    /// Reports an operand that is not what is needed.
    fn demand(&mut self, e: &'b Expression, what: &str, needs: &str, test: impl Fn(&Type) -> bool) -> Type {
        let found = self.infer(e);
        if !found.may_be(|t| *t == Type::Null || test(t)) {
            self.error(e.span, format!("{what} needs {needs}; this is {}", found.name()));
            return Type::Invalid;
        }
        found
    }

    fn condition(&mut self, e: &'b Expression, what: &str) {
        self.demand(e, what, "a boolean", |t| *t == Type::Bool);
    }

    fn infer(&mut self, e: &'b Expression) -> Type {
        match &e.kind {
            Kind::Invalid => Type::Invalid,
            Kind::Constant(value) => Type::of(value),
            Kind::Name(name) => self.name(name, e.span),
            Kind::Process(inner) => self.process(inner),
            Kind::Field(of, field) => self.field(of, field),
            Kind::Has(of, field) => {
                self.field(of, field);
                Type::Bool
            }
            Kind::Index(pair) => self.index(pair),
            Kind::Not(inner) => {
                self.condition(inner, "`!`");
                Type::Bool
            }
            Kind::Negate(inner) => match self.demand(inner, "`-`", "a number", Type::is_number) {
                found if found.is_number() => found,
                Type::Invalid => Type::Invalid,
                Type::Null => self.error(inner.span, "`-` cannot be applied to null".to_owned()),
                _ => Type::Number,
            },
            Kind::And(members) | Kind::Or(members) => {
                let symbol = if matches!(e.kind, Kind::And(_)) { "`&&`" } else { "`||`" };
                members.iter().for_each(|member| self.condition(member, symbol));
                Type::Bool
            }
            Kind::Compare(comparison, pair) => self.compare(*comparison, pair, e.span),
            Kind::Arithmetic(operator, pair) => self.arithmetic(*operator, pair, e.span),
            Kind::In(pair) => self.membership(pair, e.span),
            Kind::Conditional(three) => {
                self.condition(&three[0], "`?`");
                let (a, b) = (self.infer(&three[1]), self.infer(&three[2]));
                if (a == Type::Process) != (b == Type::Process) && a != Type::Invalid && b != Type::Invalid {
                    self.error(e.span, format!("this is either {} or {}", a.name(), b.name()));
                }
                a.either(b)
            }
            Kind::List(members) => self.list(members),
            Kind::Map(entries) => {
                for [key, value] in entries {
                    self.demand(key, "an object", "names of fields", |t| *t == Type::Text);
                    self.demand(value, "an object", "values", |t| *t != Type::Process);
                }
                Type::Map
            }
            Kind::Call(function, arguments) => self.call(*function, arguments),
            Kind::Matches(inner, _) => {
                self.demand(inner, "`matches`", "a string", |t| *t == Type::Text);
                Type::Bool
            }
            Kind::Comprehension(c) => self.comprehension(c),
        }
    }

    fn process(&mut self, name: &'b Expression) -> Type {
        if let Kind::Constant(Value::String(known)) = &name.kind {
            if self.names.process(known).is_none() {
                self.errors.push(self.names.unknown(known, name.span, true));
                return Type::Invalid;
            }
        } else {
            self.demand(name, "`process`", "a name", |t| *t == Type::Text);
        }
        Type::Process
    }

    fn membership(&mut self, [element, list]: &'b [Expression; 2], span: Span) -> Type {
        let element = self.infer(element);
        let list = self.demand(list, "`in`", "a list or an object", |t| {
            matches!(t, Type::List(_) | Type::Map)
        });
        if let Type::List(of) = &list
            && !of.comparable(&element)
        {
            self.error(
                span,
                format!("{} is never in a list of {}", element.name(), of.plural()),
            );
        }
        Type::Bool
    }

    fn list(&mut self, members: &'b [Expression]) -> Type {
        let mut of = None;
        for member in members {
            let found = self.infer(member);
            of = Some(match of {
                None => found,
                Some(Type::Invalid) => Type::Invalid,
                Some(of) if (of == Type::Process) != (found == Type::Process) && found != Type::Invalid => {
                    self.error(member.span, format!("{} in a list of {}", found.name(), of.plural()))
                }
                Some(of) => found.either(of),
            });
        }
        Type::List(Box::new(of.unwrap_or(Type::Any)))
    }

    fn name(&mut self, name: &str, span: Span) -> Type {
        if let Some((_, found)) = self.scope.iter().rev().find(|(known, _)| *known == name) {
            return found.clone();
        }
        if name == PROCESSES {
            return Type::List(Box::new(Type::Process));
        }
        if self.names.process(name).is_some() {
            return Type::Process;
        }
        self.errors.push(self.names.unknown(name, span, false));
        Type::Invalid
    }

    fn field(&mut self, of: &'b Expression, field: &str) -> Type {
        match self.infer(of) {
            Type::Process if field == NAME => Type::Text,
            Type::Any | Type::Process | Type::Map | Type::Null => Type::Any,
            Type::Invalid => Type::Invalid,
            found => {
                let error = PredicateError::new(of.span, format!("{} has no fields", found.name()));
                let hint = (found == Type::List(Box::new(Type::Process)))
                    .then(|| format!("write `processes.exists(p, p.{field} …)`"));
                self.errors.push(error.perhaps(hint));
                Type::Invalid
            }
        }
    }

    fn index(&mut self, [of, index]: &'b [Expression; 2]) -> Type {
        match self.infer(of) {
            Type::Process => match &index.kind {
                Kind::Constant(Value::String(field)) => self.field(of, field),
                _ => self.error(
                    index.span,
                    "the variable of a process must be a literal string".to_owned(),
                ),
            },
            Type::List(element) => {
                self.demand(index, "a list", "an int as index", |t| *t == Type::Int);
                *element
            }
            Type::Map => {
                self.demand(index, "an object", "a string as index", |t| *t == Type::Text);
                Type::Any
            }
            Type::Any | Type::Null | Type::Invalid => {
                self.demand(index, "`[…]`", "an int or a string", |t| {
                    matches!(t, Type::Int | Type::Text)
                });
                Type::Any
            }
            Type::Sum => Type::Any,
            found => self.error(of.span, format!("{} has no elements", found.name())),
        }
    }

    fn compare(&mut self, comparison: Comparison, [a, b]: &'b [Expression; 2], span: Span) -> Type {
        if matches!(comparison, Comparison::Equal | Comparison::Unequal) {
            let (left, right) = (self.infer(a), self.infer(b));
            if !left.comparable(&right) {
                let message = format!("{} is never equal to {}", left.name(), right.name());
                let hint = (left == Type::Process || right == Type::Process).then(|| "compare its `.name`".to_owned());
                self.errors.push(PredicateError::new(span, message).perhaps(hint));
            }
            return Type::Bool;
        }
        let what = format!("`{}`", comparison.symbol());
        let ordered = |t: &Type| t.is_number() || matches!(t, Type::Text | Type::Bool);
        let left = self.demand(a, &what, "numbers or strings", ordered);
        let right = self.demand(b, &what, "numbers or strings", ordered);
        if !left.comparable(&right) {
            self.error(
                span,
                format!("{what} cannot compare {} with {}", left.name(), right.name()),
            );
        }
        Type::Bool
    }

    fn arithmetic(&mut self, operator: Operator, [a, b]: &'b [Expression; 2], span: Span) -> Type {
        let what = format!("`{}`", operator.symbol());
        let (needs, test): (_, fn(&Type) -> bool) = match operator {
            Operator::Add => ("numbers, strings or lists", |t| {
                t.is_number() || matches!(t, Type::Text | Type::List(_))
            }),
            Operator::Remainder => ("ints", |t| *t == Type::Int),
            _ => ("numbers", Type::is_number),
        };
        let (left, right) = (self.demand(a, &what, needs, test), self.demand(b, &what, needs, test));
        for (operand, found) in [(a, &left), (b, &right)] {
            if *found == Type::Null {
                return self.error(operand.span, format!("{what} cannot be applied to null"));
            }
        }
        match (left, right) {
            (Type::Invalid, _) | (_, Type::Invalid) => Type::Invalid,
            (Type::Int, Type::Int) => Type::Int,
            (Type::Number, Type::Int | Type::Number) | (Type::Int, Type::Number) => Type::Number,
            (a, b) if a.is_number() && b.is_number() => Type::Double,
            (a, b) if !a.comparable(&b) => self.error(
                span,
                format!("{what} cannot be applied to {} and {}", a.name(), b.name()),
            ),
            (Type::Text, _) | (_, Type::Text) => Type::Text,
            (Type::List(a), Type::List(b)) => Type::List(Box::new(a.either(*b))),
            (Type::List(_), _) | (_, Type::List(_)) => Type::List(Box::new(Type::Any)),
            (Type::Any | Type::Sum, Type::Any | Type::Sum) if operator == Operator::Add => Type::Sum,
            _ => Type::Number,
        }
    }

    fn call(&mut self, function: Function, arguments: &'b [Expression]) -> Type {
        let what = format!("`{}`", function.name());
        let (needs, test): (_, fn(&Type) -> bool) = match function {
            Function::Size => ("a list, a string or an object", |t| {
                matches!(t, Type::List(_) | Type::Text | Type::Map)
            }),
            Function::Sum | Function::Min | Function::Max => ("a list of numbers", |t| match t {
                Type::List(of) => of.may_be(|t| t.is_number() || *t == Type::Null),
                _ => false,
            }),
            Function::StartsWith | Function::EndsWith | Function::Contains => ("strings", |t| *t == Type::Text),
            Function::Int | Function::Double => ("a number or a string", |t| t.is_number() || *t == Type::Text),
            Function::String => ("a number, a boolean or a string", |t| {
                t.is_number() || matches!(t, Type::Text | Type::Bool)
            }),
        };
        let mut found = Type::Any;
        for argument in arguments {
            found = self.demand(argument, &what, needs, test);
        }
        match function {
            Function::Size | Function::Int => Type::Int,
            Function::Double => Type::Double,
            Function::String => Type::Text,
            Function::StartsWith | Function::EndsWith | Function::Contains => Type::Bool,
            Function::Sum | Function::Min | Function::Max => match found {
                Type::List(of) if of.is_number() => *of,
                Type::Invalid => Type::Invalid,
                _ => Type::Number,
            },
        }
    }

    fn comprehension(&mut self, c: &'b Comprehension) -> Type {
        let what = format!("`{}`", c.quantifier.name());
        let range = self.demand(&c.range, &what, "a list", |t| matches!(t, Type::List(_)));
        let of = match range {
            Type::List(of) => *of,
            Type::Invalid => Type::Invalid,
            _ => Type::Any,
        };
        self.scope.push((&c.variable, of.clone()));
        if let Some(guard) = &c.guard {
            self.condition(guard, &what);
        }
        let result = match c.quantifier {
            Quantifier::Map => Type::List(Box::new(self.infer(&c.body))),
            Quantifier::Filter => {
                self.condition(&c.body, &what);
                Type::List(Box::new(of))
            }
            Quantifier::Exists | Quantifier::All | Quantifier::ExistsOne => {
                self.condition(&c.body, &what);
                Type::Bool
            }
        };
        self.scope.pop();
        result
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse::parse;
    use super::*;

    /// Errors as `text: message (hint)`.
    fn errors(text: &str) -> Vec<String> {
        let (tree, errors) = parse(text).unwrap();
        assert_eq!(errors, vec![]);
        let processes = ["p1".to_owned(), "p2".to_owned(), "node-1".to_owned()];
        let names = Names {
            processes: &processes,
            assigned: &|_, variable| variable == "x",
            stop: None,
        };
        let errors = check(&tree, &names).into_iter();
        errors.map(|e| format!("{}: {e}", &text[e.span.clone()])).collect()
    }

    #[test]
    fn well_typed_predicates_pass() {
        for text in [
            "p1.x == 1 && p2.y > 3",
            "processes.exists(p, processes.exists(q, p.name != q.name && p.cs && q.cs))",
            "process(\"node-1\").leader",
            "processes.map(p, p.counter).sum() < 0",
            "p1.x + 1.5 > 2 && p1.s + 'a' == 'ba' && size(p1.l + [1]) == 2",
            "(p1.c ? p1 : p2).x == null",
            "process(p1.leader).x == 1",
            "p1 != p2 && p1 in processes",
            "p1['x'] == p1.o.f[0]['g']",
            "[1, 2].exists(v, v == p1.x) && {'a': 1}.a == 1",
            "processes.filter(p, p.x > 0).size() > 1",
        ] {
            assert_eq!(errors(text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn errors_name_the_exact_place() {
        let only = |text: &str| {
            let errors = errors(text);
            assert_eq!(errors.len(), 1, "{text}: {errors:?}");
            errors[0].clone()
        };
        assert_eq!(
            only("p1.x == 1 + true"),
            "true: `+` needs numbers, strings or lists; this is a boolean"
        );
        assert_eq!(only("p1.x && 3"), "3: `&&` needs a boolean; this is an int");
        assert_eq!(
            only("1 + p1.x"),
            "1 + p1.x: a predicate must be true or false; this is a number (compare it with something)"
        );
        assert_eq!(
            only("size(p1.x)"),
            "size(p1.x): a predicate must be true or false; this is an int (compare it with something)"
        );
        assert_eq!(
            only("p1"),
            "p1: a predicate must be true or false; this is a process (select a variable of it)"
        );
        assert_eq!(only("p1.name == 3"), "p1.name == 3: a string is never equal to an int");
        assert_eq!(
            only("p1 == 'p1'"),
            "p1 == 'p1': a process is never equal to a string (compare its `.name`)"
        );
        assert_eq!(
            only("p1.x < 'a' + 'b' || 1 < 'a'"),
            "1 < 'a': `<` cannot compare an int with a string"
        );
        assert_eq!(
            only("processes.x == 1"),
            "processes: a list has no fields (write `processes.exists(p, p.x …)`)"
        );
        assert_eq!(only("!p1.x.size()"), "p1.x.size(): `!` needs a boolean; this is an int");
        assert_eq!(only("p1.x == p1.y + null"), "null: `+` cannot be applied to null");
        assert_eq!(
            only("processes.sum() == 1"),
            "processes: `sum` needs a list of numbers; this is a list"
        );
        assert_eq!(only("p1.x % 1.5 == 0"), "1.5: `%` needs ints; this is a double");
        assert_eq!(only("'a' in [1]"), "'a' in [1]: a string is never in a list of ints");
        assert_eq!(only("'a'[0] == 1"), "'a': a string has no elements");
        assert_eq!(
            only("p1[p2.x] == 1"),
            "p2.x: the variable of a process must be a literal string"
        );
    }

    #[test]
    fn unknown_processes_are_named_with_what_may_be_meant() {
        assert_eq!(
            errors("p7.x == 1 && process('nod-1').y"),
            [
                "p7: there is no process `p7` (processes: p1, p2, node-1)",
                "'nod-1': there is no process `nod-1` (did you mean `node-1`? processes: p1, p2, node-1)",
            ]
        );
        assert_eq!(
            errors("x == 1"),
            ["x: there is no process `x` (`x` is a variable: write `p1.x`)"]
        );
        assert_eq!(
            errors("nothing.x"),
            ["nothing: there is no process `nothing` (processes: p1, p2, node-1)"]
        );
    }

    #[test]
    fn all_errors_are_found() {
        assert_eq!(errors("(1 + true == 2) && 3 && p9.x").len(), 3);
    }
}
