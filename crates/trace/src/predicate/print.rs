//! Terms as text that CEL would read, with the names of processes and variables.

use super::formula::Read;
use super::syntax::{Operator, PROCESSES, Quantifier, is_identifier};
use super::term::{Element, Loop, Op, Term};
use crate::value::Value;
use std::fmt::{self, Display, Write};

/// How tightly an expression binds. Operands that bind less tightly need brackets.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    Conditional,
    Or,
    And,
    Relation,
    Sum,
    Product,
    Unary,
    Member,
}

/// A term as text.
pub(super) struct Printed<'a> {
    pub(super) term: &'a Term,
    pub(super) names: &'a [String],
    pub(super) reads: &'a [Read],
    /// Whether to print its negation.
    pub(super) negated: bool,
}

impl Display for Printed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.negated {
            return self.term(f, self.term, Level::Conditional);
        }
        f.write_str("!")?;
        self.term(f, self.term, Level::Member)
    }
}

impl Printed<'_> {
    fn term(&self, f: &mut fmt::Formatter<'_>, term: &Term, least: Level) -> fmt::Result {
        let brackets = level(term) < least;
        if brackets {
            f.write_char('(')?;
        }
        self.inner(f, term)?;
        if brackets {
            f.write_char(')')?;
        }
        Ok(())
    }

    fn infix(&self, f: &mut fmt::Formatter<'_>, [a, b]: &[Term; 2], symbol: &str, level: Level) -> fmt::Result {
        // Operators group to the left, so only a right operand of the same level needs brackets.
        self.term(f, a, level)?;
        write!(f, " {symbol} ")?;
        let tighter = match level {
            Level::Sum => Level::Product,
            Level::Product => Level::Unary,
            _ => Level::Sum,
        };
        self.term(f, b, tighter)
    }

    fn joined(&self, f: &mut fmt::Formatter<'_>, terms: &[Term], separator: &str, least: Level) -> fmt::Result {
        for (k, term) in terms.iter().enumerate() {
            f.write_str(if k == 0 { "" } else { separator })?;
            self.term(f, term, least)?;
        }
        Ok(())
    }

    fn call(&self, f: &mut fmt::Formatter<'_>, name: &str, terms: &[Term], method: bool) -> fmt::Result {
        match terms {
            [of, rest @ ..] if method => {
                self.term(f, of, Level::Member)?;
                write!(f, ".{name}(")?;
                self.joined(f, rest, ", ", Level::Conditional)?;
            }
            all => {
                write!(f, "{name}(")?;
                self.joined(f, all, ", ", Level::Conditional)?;
            }
        }
        f.write_char(')')
    }

    fn inner(&self, f: &mut fmt::Formatter<'_>, term: &Term) -> fmt::Result {
        match &term.op {
            Op::Constant(value) => value.fmt(f),
            Op::Read(read) => match self.reads.get(*read as usize) {
                Some(read) => {
                    process(f, self.names.get(read.process.index()).map_or("?", String::as_str))?;
                    field(f, &read.variable)
                }
                None => f.write_char('?'),
            },
            Op::Local(local) => f.write_str(&local.name),
            Op::Process(number) => process(f, self.names.get(*number as usize).map_or("?", String::as_str)),
            Op::Lookup(name) => self.enclosed(f, "process(", name, ")"),
            Op::Select(of, _, name) | Op::Field(of, name) => {
                self.term(f, of, Level::Member)?;
                field(f, name)
            }
            Op::Index(pair) => {
                self.term(f, &pair[0], Level::Member)?;
                self.enclosed(f, "[", &pair[1], "]")
            }
            Op::Has(of) => self.enclosed(f, "has(", of, ")"),
            Op::Not(of) => {
                f.write_char('!')?;
                self.term(f, of, Level::Member)
            }
            Op::Negate(of) => {
                f.write_char('-')?;
                self.term(f, of, Level::Member)
            }
            Op::And(members) => self.joined(f, members, " && ", Level::Relation),
            Op::Or(members) => self.joined(f, members, " || ", Level::And),
            Op::Compare(comparison, pair) => self.infix(f, pair, comparison.symbol(), Level::Relation),
            Op::In(pair) => self.infix(f, pair, "in", Level::Relation),
            Op::Arithmetic(operator, pair) => self.infix(f, pair, operator.symbol(), level(term)),
            Op::Conditional(three) => self.conditional(f, three),
            Op::List(elements) => self.list(f, elements),
            Op::Map(entries) => self.map(f, entries),
            Op::Call(function, arguments) => self.call(f, function.name(), arguments, function.is_method()),
            Op::Matches(of, pattern) => {
                self.term(f, of, Level::Member)?;
                write!(f, ".matches({})", Value::string(pattern.0.as_str()))
            }
            Op::One(members) => {
                f.write_char('[')?;
                self.joined(f, members, ", ", Level::Conditional)?;
                f.write_str("].exists_one(b, b)")
            }
            Op::Comprehension(c) => self.comprehension(f, c),
        }
    }

    /// A term between `open` and `close`.
    fn enclosed(&self, f: &mut fmt::Formatter<'_>, open: &str, term: &Term, close: &str) -> fmt::Result {
        f.write_str(open)?;
        self.term(f, term, Level::Conditional)?;
        f.write_str(close)
    }

    fn conditional(&self, f: &mut fmt::Formatter<'_>, [condition, a, b]: &[Term; 3]) -> fmt::Result {
        self.term(f, condition, Level::Or)?;
        f.write_str(" ? ")?;
        self.term(f, a, Level::Or)?;
        f.write_str(" : ")?;
        self.term(f, b, Level::Conditional)
    }

    fn map(&self, f: &mut fmt::Formatter<'_>, entries: &[[Term; 2]]) -> fmt::Result {
        f.write_char('{')?;
        for (k, [key, value]) in entries.iter().enumerate() {
            f.write_str(if k == 0 { "" } else { ", " })?;
            self.term(f, key, Level::Conditional)?;
            f.write_str(": ")?;
            self.term(f, value, Level::Conditional)?;
        }
        f.write_char('}')
    }

    fn comprehension(&self, f: &mut fmt::Formatter<'_>, c: &Loop) -> fmt::Result {
        self.term(f, &c.range, Level::Member)?;
        write!(f, ".{}({}, ", c.quantifier.name(), c.local.name)?;
        if let (Some(guard), Quantifier::Map) = (&c.guard, c.quantifier) {
            self.term(f, guard, Level::Conditional)?;
            f.write_str(", ")?;
        }
        self.term(f, &c.body, Level::Conditional)?;
        f.write_char(')')
    }

    /// An element with a guard becomes a list of its own, with one element or none.
    fn list(&self, f: &mut fmt::Formatter<'_>, elements: &[Element]) -> fmt::Result {
        let mut open = false;
        for (k, Element { guard, value }) in elements.iter().enumerate() {
            match guard {
                None => {
                    f.write_str(match (k, open) {
                        (0, _) => "[",
                        (_, true) => ", ",
                        (_, false) => " + [",
                    })?;
                    open = true;
                    self.term(f, value, Level::Conditional)?;
                }
                Some(guard) => {
                    f.write_str(if open { "]" } else { "" })?;
                    open = false;
                    f.write_str(if k == 0 { "(" } else { " + (" })?;
                    self.term(f, guard, Level::Or)?;
                    f.write_str(" ? [")?;
                    self.term(f, value, Level::Conditional)?;
                    f.write_str("] : [])")?;
                }
            }
        }
        f.write_str(match (elements.len(), open) {
            (0, _) => "[]",
            (_, true) => "]",
            _ => "",
        })
    }
}

fn level(term: &Term) -> Level {
    match &term.op {
        Op::Conditional(_) => Level::Conditional,
        Op::And(members) | Op::Or(members) if members.len() == 1 => level(&members[0]),
        Op::Or(_) => Level::Or,
        Op::And(_) => Level::And,
        Op::Compare(..) | Op::In(_) => Level::Relation,
        Op::Arithmetic(Operator::Add | Operator::Subtract, _) => Level::Sum,
        Op::Arithmetic(..) => Level::Product,
        Op::Not(_) | Op::Negate(_) => Level::Unary,
        Op::Constant(Value::Int(n)) if *n < 0 => Level::Unary,
        Op::Constant(Value::Double(x)) if x.is_sign_negative() => Level::Unary,
        Op::List(elements) if elements.iter().any(|e| e.guard.is_some()) => Level::Sum,
        _ => Level::Member,
    }
}

/// A process, as it is written in a predicate.
pub(super) fn process(f: &mut dyn Write, name: &str) -> fmt::Result {
    match is_identifier(name) && name != PROCESSES {
        true => f.write_str(name),
        false => write!(f, "process({})", Value::string(name)),
    }
}

fn field(f: &mut fmt::Formatter<'_>, name: &str) -> fmt::Result {
    match is_identifier(name) {
        true => write!(f, ".{name}"),
        false => write!(f, "[{}]", Value::string(name)),
    }
}
