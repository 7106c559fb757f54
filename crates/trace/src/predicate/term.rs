//! Terms: expressions bound to the processes of a trace, ready to be evaluated.
//!
//! There are no names. A variable of a process is a numbered read, and the variable of a
//! macro over a list that is only known at run time is a numbered local. Macros
//! over lists of known length, such as `processes`, were unrolled, so they do not
//! occur. While terms are built, operations on constants are carried out.

use super::error::Span;
use super::evaluate::fold;
use super::syntax::{Comparison, Function, Operator, Pattern, Quantifier};
use crate::value::Value;
use std::sync::Arc;

/// A term. Terms that differ only in their places are equal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Term {
    pub(super) op: Op,
    pub(super) span: Span,
}

/// What a term is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Op {
    Constant(Value),
    /// A variable of a process: while binding, its number in the table of all
    /// reads; in an atom, its position among the atom's reads.
    Read(u32),
    /// The variable of the `n`th enclosing macro, counted from outside.
    Local(Local),
    /// A process itself.
    Process(u32),
    /// `process(e)` with a name that is known at run time only.
    Lookup(Box<Term>),
    /// A variable of a process that is known at run time only: the read for each
    /// process, or the process's name.
    Select(Box<Term>, Arc<[Option<u32>]>, Arc<str>),
    /// A field of an object.
    Field(Box<Term>, Arc<str>),
    Index(Box<[Term; 2]>),
    /// Whether a value is there.
    Has(Box<Term>),
    Not(Box<Term>),
    Negate(Box<Term>),
    And(Vec<Term>),
    Or(Vec<Term>),
    Compare(Comparison, Box<[Term; 2]>),
    Arithmetic(Operator, Box<[Term; 2]>),
    In(Box<[Term; 2]>),
    Conditional(Box<[Term; 3]>),
    List(Vec<Element>),
    Map(Vec<[Term; 2]>),
    Call(Function, Vec<Term>),
    Matches(Box<Term>, Pattern),
    /// Exactly one of these holds.
    One(Vec<Term>),
    Comprehension(Box<Loop>),
}

/// A member of a list, present only if the guard holds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Element {
    pub(super) guard: Option<Term>,
    pub(super) value: Term,
}

/// The variable of a macro.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Local {
    pub(super) number: u32,
    pub(super) name: Arc<str>,
    /// Whether it stands for a process.
    pub(super) process: bool,
}

/// A macro over a list that is known at run time only.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Loop {
    pub(super) quantifier: Quantifier,
    pub(super) range: Term,
    pub(super) local: Local,
    pub(super) guard: Option<Term>,
    pub(super) body: Term,
}

impl Op {
    /// The term of this operation at this place, evaluated if it is constant.
    pub(super) fn at(self, span: Span) -> Term {
        fold(Term { op: self, span })
    }
}

impl Term {
    pub(super) fn boolean(value: bool, span: Span) -> Self {
        let op = Op::Constant(Value::Bool(value));
        Self { op, span }
    }

    pub(super) fn constant(&self) -> Option<&Value> {
        match &self.op {
            Op::Constant(value) => Some(value),
            _ => None,
        }
    }

    /// `a && b && …`, with constants removed. A boolean value is not looked into:
    /// as a member, null counts as false.
    pub(super) fn and(members: Vec<Self>, span: Span) -> Self {
        Self::connective(members, span, true)
    }

    /// `a || b || …`, with constants removed.
    pub(super) fn or(members: Vec<Self>, span: Span) -> Self {
        Self::connective(members, span, false)
    }

    fn connective(members: Vec<Self>, span: Span, and: bool) -> Self {
        let mut kept: Vec<Self> = Vec::new();
        for member in members {
            match member.op {
                Op::Constant(Value::Bool(b)) if b == and => {}
                Op::Constant(Value::Null) if !and => {}
                Op::Constant(Value::Bool(_) | Value::Null) => return Self::boolean(!and, span),
                _ => kept.push(member),
            }
        }
        match (kept.len(), and) {
            (0, _) => Self::boolean(and, span),
            (_, true) => Op::And(kept).at(span),
            (_, false) => Op::Or(kept).at(span),
        }
    }

    /// Whether its value is a process.
    pub(super) fn is_process(&self) -> bool {
        match &self.op {
            Op::Process(_) | Op::Lookup(_) => true,
            Op::Local(local) => local.process,
            Op::Conditional(three) => three[1].is_process(),
            Op::Index(pair) => pair[0].lists_processes(),
            _ => false,
        }
    }

    /// Whether its value is a list of processes.
    pub(super) fn lists_processes(&self) -> bool {
        match &self.op {
            Op::List(elements) => elements.first().is_some_and(|e| e.value.is_process()),
            Op::Conditional(three) => three[1..].iter().any(Self::lists_processes),
            Op::Arithmetic(_, pair) => pair.iter().any(Self::lists_processes),
            Op::Comprehension(c) => match c.quantifier {
                Quantifier::Filter => c.range.lists_processes(),
                Quantifier::Map => c.body.is_process(),
                _ => false,
            },
            Op::Index(pair) => match &pair[0].op {
                Op::List(elements) => elements.iter().any(|e| e.value.lists_processes()),
                _ => false,
            },
            _ => false,
        }
    }

    /// Calls `f` for each part.
    pub(super) fn for_each<'a>(&'a self, f: &mut dyn FnMut(&'a Self)) {
        match &self.op {
            Op::Constant(_) | Op::Read(_) | Op::Local(_) | Op::Process(_) => {}
            Op::Lookup(e)
            | Op::Select(e, ..)
            | Op::Field(e, _)
            | Op::Has(e)
            | Op::Not(e)
            | Op::Negate(e)
            | Op::Matches(e, _) => f(e),
            Op::Index(pair) | Op::Compare(_, pair) | Op::Arithmetic(_, pair) | Op::In(pair) => pair.iter().for_each(f),
            Op::Conditional(three) => three.iter().for_each(f),
            Op::And(all) | Op::Or(all) | Op::One(all) | Op::Call(_, all) => all.iter().for_each(f),
            Op::Map(entries) => entries.iter().flatten().for_each(f),
            Op::List(elements) => elements.iter().for_each(|element| {
                element.guard.iter().for_each(&mut *f);
                f(&element.value);
            }),
            Op::Comprehension(c) => {
                f(&c.range);
                c.guard.iter().for_each(&mut *f);
                f(&c.body);
            }
        }
    }

    /// Adds the reads of the term to `reads`.
    pub(super) fn collect_reads(&self, reads: &mut Vec<u32>) {
        match &self.op {
            Op::Read(read) => reads.push(*read),
            Op::Select(_, slots, _) => reads.extend(slots.iter().flatten()),
            _ => {}
        }
        self.for_each(&mut |part| part.collect_reads(reads));
    }

    /// The same term with its reads renumbered.
    pub(super) fn renumbered(&self, number: &dyn Fn(u32) -> u32) -> Self {
        let same = |term: &Self| term.renumbered(number);
        let boxed = |term: &Self| Box::new(same(term));
        let all = |terms: &[Self]| terms.iter().map(same).collect::<Vec<_>>();
        let two = |[a, b]: &[Self; 2]| Box::new([same(a), same(b)]);
        let op = match &self.op {
            Op::Constant(_) | Op::Local(_) | Op::Process(_) => self.op.clone(),
            Op::Read(read) => Op::Read(number(*read)),
            Op::Lookup(e) => Op::Lookup(boxed(e)),
            Op::Select(e, slots, field) => {
                let slots = slots.iter().map(|slot| slot.map(number)).collect();
                Op::Select(boxed(e), slots, field.clone())
            }
            Op::Field(e, field) => Op::Field(boxed(e), field.clone()),
            Op::Index(pair) => Op::Index(two(pair)),
            Op::Has(e) => Op::Has(boxed(e)),
            Op::Not(e) => Op::Not(boxed(e)),
            Op::Negate(e) => Op::Negate(boxed(e)),
            Op::And(terms) => Op::And(all(terms)),
            Op::Or(terms) => Op::Or(all(terms)),
            Op::Compare(comparison, pair) => Op::Compare(*comparison, two(pair)),
            Op::Arithmetic(operator, pair) => Op::Arithmetic(*operator, two(pair)),
            Op::In(pair) => Op::In(two(pair)),
            Op::Conditional(three) => {
                let [a, b, c] = &**three;
                Op::Conditional(Box::new([same(a), same(b), same(c)]))
            }
            Op::List(elements) => {
                let element = |e: &Element| Element {
                    guard: e.guard.as_ref().map(same),
                    value: same(&e.value),
                };
                Op::List(elements.iter().map(element).collect())
            }
            Op::Map(entries) => Op::Map(entries.iter().map(|[k, v]| [same(k), same(v)]).collect()),
            Op::Call(function, terms) => Op::Call(*function, all(terms)),
            Op::Matches(e, pattern) => Op::Matches(boxed(e), pattern.clone()),
            Op::One(terms) => Op::One(all(terms)),
            Op::Comprehension(c) => Op::Comprehension(Box::new(Loop {
                quantifier: c.quantifier,
                range: same(&c.range),
                local: c.local.clone(),
                guard: c.guard.as_ref().map(same),
                body: same(&c.body),
            })),
        };
        Self { op, span: self.span }
    }
}
