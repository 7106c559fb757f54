//! Formulas: predicates bound to the processes of a trace, in negation normal form.
//!
//! A formula consists of conjunctions and disjunctions over literals; a literal is an
//! atom or the negation of one. The persistent sets of Stoller, Unnikrishnan and Liu
//! (CAV 2000, section 4) are computed from the conjuncts of a formula and their
//! *supports*, the processes whose variables they read. Both are found here, so the user
//! need not give them.
//!
//! Negation normal form preserves the truth value, also where atoms have none: De
//! Morgan's laws hold for CEL's `&&` and `||`, which absorb errors as Kleene's do. Two
//! steps can turn an error into an answer, but never one answer into another: a condition
//! `c ? a : b` becomes `(!c || a) && (c || b)`, and a disjunct that contains a literal and
//! its negation is dropped.

use super::error::EvaluationError;
use super::evaluate::Frame;
use super::print::Printed;
use super::syntax::Comparison;
use super::term::{Op, Term};
use crate::value::Value;
use mazurka_core::ProcessId;
use std::collections::BTreeSet;
use std::fmt::{self, Display};
use std::sync::Arc;

/// A predicate bound to a trace.
#[derive(Clone, Debug)]
pub struct Formula {
    /// The atoms, each once.
    pub atoms: Vec<Atom>,
    /// How they are combined.
    pub root: Node,
}

/// A formula or a part of one.
///
/// A conjunction or a disjunction has at least two members. They are sorted and distinct,
/// and none is a constant or of the same kind as the whole.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Node {
    /// Always true, or always false.
    Constant(bool),
    /// An atom or its negation.
    Literal {
        /// Its position in the formula's atoms.
        atom: usize,
        /// Whether this is the atom itself, not its negation.
        positive: bool,
    },
    /// All of these.
    And(Vec<Node>),
    /// Some of these.
    Or(Vec<Node>),
}

/// A variable of a process.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Read {
    /// The process, by its position in the list that the predicate was bound to.
    pub process: ProcessId,
    /// The variable.
    pub variable: String,
}

/// An indivisible condition.
#[derive(Clone, Debug)]
pub struct Atom {
    /// What it reads, sorted, each once.
    pub reads: Vec<Read>,
    term: Term,
    names: Arc<[String]>,
}

impl Node {
    /// The conjunction of some nodes.
    pub(crate) fn and(members: Vec<Self>) -> Self {
        Self::connective(members, true)
    }

    /// The disjunction of some nodes.
    pub(crate) fn or(members: Vec<Self>) -> Self {
        Self::connective(members, false)
    }

    fn connective(members: Vec<Self>, and: bool) -> Self {
        let mut flat = Vec::with_capacity(members.len());
        for member in members {
            match member {
                Self::Constant(b) if b == and => {}
                Self::Constant(_) => return Self::Constant(!and),
                Self::And(inner) if and => flat.extend(inner),
                Self::Or(inner) if !and => flat.extend(inner),
                other => flat.push(other),
            }
        }
        flat.sort_unstable();
        flat.dedup();
        match (flat.len(), and) {
            (0, _) => Self::Constant(and),
            (1, _) => flat.swap_remove(0),
            (_, true) => Self::And(flat),
            (_, false) => Self::Or(flat),
        }
    }

    /// Its truth value, given those of the atoms. An error counts only if the other
    /// members do not decide.
    pub fn evaluate(
        &self,
        truth: &mut dyn FnMut(usize) -> Result<bool, EvaluationError>,
    ) -> Result<bool, EvaluationError> {
        let (members, decisive) = match self {
            Self::Constant(b) => return Ok(*b),
            Self::Literal { atom, positive } => return Ok(truth(*atom)? == *positive),
            Self::And(members) => (members, false),
            Self::Or(members) => (members, true),
        };
        let mut first = None;
        for member in members {
            match member.evaluate(truth) {
                Ok(b) if b == decisive => return Ok(b),
                Ok(_) => {}
                Err(error) => first = first.or(Some(error)),
            }
        }
        first.map_or(Ok(!decisive), Err)
    }

    /// Calls `f` for each atom that occurs.
    pub(crate) fn for_each_atom(&self, f: &mut dyn FnMut(usize)) {
        match self {
            Self::Constant(_) => {}
            Self::Literal { atom, .. } => f(*atom),
            Self::And(members) | Self::Or(members) => members.iter().for_each(|m| m.for_each_atom(f)),
        }
    }

    /// Renumbers the atoms. Members stay sorted if the new numbers keep the order of the atoms.
    pub(super) fn renumber(&mut self, number: &dyn Fn(usize) -> usize) {
        match self {
            Self::Constant(_) => {}
            Self::Literal { atom, .. } => *atom = number(*atom),
            Self::And(members) | Self::Or(members) => members.iter_mut().for_each(|m| m.renumber(number)),
        }
    }
}

impl Atom {
    pub(super) fn new(reads: Vec<Read>, term: Term, names: Arc<[String]>) -> Self {
        Self { reads, term, names }
    }

    pub(super) fn op(&self) -> &Op {
        &self.term.op
    }

    /// The names of all processes.
    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// The processes whose variables it reads, sorted.
    pub fn support(&self) -> Vec<ProcessId> {
        let mut support: Vec<_> = self.reads.iter().map(|read| read.process).collect();
        support.dedup();
        support
    }

    /// Its truth value, given the values of its reads, in their order.
    pub fn evaluate(&self, values: &[&Value]) -> Result<bool, EvaluationError> {
        let mut frame = Frame::new(values, &self.names);
        frame.truth(&self.term).map_err(|fault| self.explain(&fault))
    }

    /// Whether it says that two variables are equal (`Some(true)`) or different
    /// (`Some(false)`), and nothing else.
    pub(crate) fn is_equality(&self) -> Option<bool> {
        let Op::Compare(comparison, sides) = &self.term.op else {
            return None;
        };
        let equal = match comparison {
            Comparison::Equal => true,
            Comparison::Unequal => false,
            _ => return None,
        };
        let two = matches!((&sides[0].op, &sides[1].op), (Op::Read(a), Op::Read(b)) if a != b);
        two.then_some(equal)
    }

    /// Where it is in the predicate's text, in bytes.
    pub fn span(&self) -> std::ops::Range<usize> {
        self.term.span.into()
    }

    /// Its text, such as `p1.x == 1`.
    pub fn text(&self) -> String {
        self.to_string()
    }

    pub(super) fn printed<'a>(&'a self, term: &'a Term, negated: bool) -> Printed<'a> {
        Printed {
            term,
            names: &self.names,
            reads: &self.reads,
            negated,
        }
    }
}

impl Display for Atom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.printed(&self.term, false).fmt(f)
    }
}

impl Formula {
    /// The conjuncts: the members of the conjunction, or the root alone.
    pub fn conjuncts(&self) -> Vec<&Node> {
        match &self.root {
            Node::And(members) => members.iter().collect(),
            root => vec![root],
        }
    }

    /// The processes that a part of the formula depends on.
    pub fn support(&self, node: &Node) -> BTreeSet<ProcessId> {
        let mut support = BTreeSet::new();
        node.for_each_atom(&mut |atom| {
            support.extend(self.atoms[atom].reads.iter().map(|read| read.process));
        });
        support
    }

    /// A part of the formula as text.
    pub fn display<'a>(&'a self, node: &'a Node) -> impl Display + 'a {
        Shown { formula: self, node }
    }
}

impl Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.display(&self.root).fmt(f)
    }
}

struct Shown<'a> {
    formula: &'a Formula,
    node: &'a Node,
}

impl Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (members, separator) = match self.node {
            Node::Constant(b) => return b.fmt(f),
            Node::Literal { atom, positive } => {
                let atom = &self.formula.atoms[*atom];
                return atom.printed(&atom.term, !positive).fmt(f);
            }
            Node::And(members) => (members, " && "),
            Node::Or(members) => (members, " || "),
        };
        for (k, node) in members.iter().enumerate() {
            let separator = if k == 0 { "" } else { separator };
            let shown = Shown {
                formula: self.formula,
                node,
            };
            match node {
                Node::And(_) | Node::Or(_) => write!(f, "{separator}({shown})")?,
                _ => write!(f, "{separator}{shown}")?,
            }
        }
        Ok(())
    }
}
