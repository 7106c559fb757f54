//! Binding: turns a predicate into a formula over the processes of a trace.
//!
//! Names become processes and reads. Macros over lists of known length (mostly `processes`,
//! and literals) are unrolled: each element takes the place of the macro's variable.
//! `exists` becomes a disjunction, `all` a conjunction, `map` and `filter` become lists
//! whose elements may have guards. Negations are pushed down to the atoms, so that conjuncts
//! are as small as the predicate allows. A variable that a process never assigns is
//! always null. It is replaced by `null` where that is no error, which makes supports smaller.
//!
//! Equal atoms are kept once: `!=` is the negation of `==`, `>` between two variables
//! is `<` with its operands exchanged, and the operands of `==` are sorted.

use super::check::Names;
use super::error::{PredicateError, PredicateErrors};
use super::formula::{Atom, Formula, Node};
use super::reads::Reads;
use super::syntax::{Expression, Kind, Quantifier};
use super::term::{Op, Term};
use super::unroll::elements;
use crate::narrow::short;
use crate::value::Value;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// How many steps unrolling may take. A larger formula could not be checked anyway.
const MAX_STEPS: usize = 1 << 24;
/// How many atoms there may be.
const MAX_ATOMS: usize = 1 << 18;

/// Binds a predicate, or its negation. `errors` are those that are known already.
pub(super) fn bind(
    root: &Expression,
    positive: bool,
    names: &Names,
    variables: &[String],
    mut errors: Vec<PredicateError>,
) -> Result<Formula, PredicateErrors> {
    let mut binder = Binder {
        names,
        reads: Reads::new(names),
        scope: Vec::new(),
        locals: 0,
        steps: 0,
        atoms: Vec::new(),
        atom_ids: HashMap::new(),
        process_names: names.processes.into(),
    };
    let node = binder.condition(root, positive);
    if binder.exhausted() {
        let message = format!("with {} processes, this predicate is too large", names.processes.len());
        errors.push(PredicateError::new(root.span, message).hint("use fewer nested quantifiers"));
    }
    errors.extend(binder.reads.never_assigned(variables));
    let formula = binder.formula(node);
    if errors.is_empty() {
        // An atom that reads nothing would have been replaced by its value, so it has none.
        for atom in formula.atoms.iter().filter(|atom| atom.reads.is_empty()) {
            if let Err(error) = atom.evaluate(&[]) {
                errors.push(PredicateError::new(
                    error.span,
                    format!("this always fails: {}", error.message),
                ));
            }
        }
    }
    match errors.is_empty() {
        true => Ok(formula),
        false => Err(PredicateErrors::new(errors)),
    }
}

/// A predicate being bound.
pub(super) struct Binder<'a, 'b> {
    pub(super) names: &'a Names<'a>,
    pub(super) reads: Reads<'a>,
    /// What the variables of macros stand for.
    pub(super) scope: Vec<(&'b str, Term)>,
    /// How many macros around this place are over lists that are known at run time only.
    pub(super) locals: u32,
    steps: usize,
    atoms: Vec<Atom>,
    atom_ids: HashMap<Term, usize>,
    process_names: Arc<[String]>,
}

impl<'b> Binder<'_, 'b> {
    /// The node of an expression that must be a boolean, or of its negation.
    fn condition(&mut self, e: &'b Expression, positive: bool) -> Node {
        if self.exhausted() {
            return Node::Constant(false);
        }
        match &e.kind {
            Kind::Not(inner) => self.condition(inner, !positive),
            Kind::And(members) | Kind::Or(members) => {
                let and = matches!(e.kind, Kind::And(_)) == positive;
                let mut nodes = Vec::with_capacity(members.len());
                for member in members {
                    match self.condition(member, positive) {
                        // Outside of macros, the rest is still checked for errors.
                        Node::Constant(b) if b != and && !self.scope.is_empty() => return Node::Constant(b),
                        node => nodes.push(node),
                    }
                }
                if and { Node::and(nodes) } else { Node::or(nodes) }
            }
            Kind::Conditional(three) => {
                let [condition, a, b] = &**three;
                let unless = vec![self.condition(condition, false), self.condition(a, positive)];
                let when = vec![self.condition(condition, true), self.condition(b, positive)];
                Node::and(vec![Node::or(unless), Node::or(when)])
            }
            Kind::Comprehension(c) if matches!(c.quantifier, Quantifier::Exists | Quantifier::All) => {
                let range = self.term(&c.range);
                let Some(elements) = elements(&range) else {
                    let term = self.comprehension(c, range, e.span);
                    return self.node(term, positive);
                };
                let exists = c.quantifier == Quantifier::Exists;
                let disjunction = exists == positive;
                let mut nodes = Vec::with_capacity(elements.len());
                for element in elements {
                    self.scope.push((&c.variable, element.value));
                    let body = self.condition(&c.body, positive);
                    self.scope.pop();
                    nodes.push(match element.guard {
                        None => body,
                        // `exists` requires the guard; `all` ignores elements without it.
                        Some(guard) if disjunction => Node::and(vec![self.node(guard, true), body]),
                        Some(guard) => Node::or(vec![self.node(guard, false), body]),
                    });
                }
                if disjunction { Node::or(nodes) } else { Node::and(nodes) }
            }
            _ => {
                let term = self.term(e);
                self.node(term, positive)
            }
        }
    }

    /// The node of a term that must be a boolean, or of its negation.
    fn node(&mut self, term: Term, positive: bool) -> Node {
        let term = self.or_null(term);
        match term.op {
            Op::Constant(Value::Bool(b)) => Node::Constant(b == positive),
            Op::Constant(Value::Null) => Node::Constant(!positive),
            Op::Not(inner) => self.node(*inner, !positive),
            Op::And(members) => {
                let nodes = members.into_iter().map(|m| self.node(m, positive)).collect();
                if positive { Node::and(nodes) } else { Node::or(nodes) }
            }
            Op::Or(members) => {
                let nodes = members.into_iter().map(|m| self.node(m, positive)).collect();
                if positive { Node::or(nodes) } else { Node::and(nodes) }
            }
            Op::Conditional(three) => {
                let [condition, a, b] = *three;
                let unless = vec![self.node(condition.clone(), false), self.node(a, positive)];
                let when = vec![self.node(condition, true), self.node(b, positive)];
                Node::and(vec![Node::or(unless), Node::or(when)])
            }
            _ => Node::Literal {
                atom: self.atom(term),
                positive,
            },
        }
    }

    /// The number of an atom.
    fn atom(&mut self, term: Term) -> usize {
        if let Some(atom) = self.atom_ids.get(&term) {
            return *atom;
        }
        let mut reads = Vec::new();
        term.collect_reads(&mut reads);
        reads.sort_unstable();
        reads.dedup();
        let mut named: Vec<_> = reads.iter().map(|read| (self.reads.named(*read), *read)).collect();
        named.sort();
        let number = |read: u32| {
            let at = named.iter().position(|(_, known)| *known == read);
            at.map_or(0, short)
        };
        let numbered = term.renumbered(&number);
        let reads = named.iter().map(|(read, _)| read.clone()).collect();
        self.atoms.push(Atom::new(reads, numbered, self.process_names.clone()));
        let atom = self.atoms.len() - 1;
        self.atom_ids.insert(term, atom);
        atom
    }

    /// The formula of a node, with only those atoms that occur in it.
    fn formula(self, mut root: Node) -> Formula {
        let mut used = vec![false; self.atoms.len()];
        root.for_each_atom(&mut |atom| used[atom] = true);
        let mut numbers = Vec::with_capacity(used.len());
        let mut next = 0;
        for used in &used {
            numbers.push(next);
            next += usize::from(*used);
        }
        root.renumber(&|atom| numbers[atom]);
        let atoms = self.atoms.into_iter().zip(used);
        Formula {
            atoms: atoms.filter(|(_, used)| *used).map(|(atom, _)| atom).collect(),
            root,
        }
    }

    /// Counts a step, and tells whether there were too many.
    pub(super) fn exhausted(&mut self) -> bool {
        self.steps += 1;
        let stop = self.names.stop.filter(|_| self.steps.is_multiple_of(256));
        if stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            // This ends binding.
            self.steps = MAX_STEPS + 1;
        }
        self.steps > MAX_STEPS || self.atoms.len() > MAX_ATOMS
    }
}
