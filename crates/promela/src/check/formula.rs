//! Checks formulas. Their atoms are expressions outside all processes.

use super::Checker;
use super::outline::Outline;
use super::process::Body;
use super::scope::Meaning;
use crate::diagnostic::Diagnostic;
use crate::model::{Expr, GlobalId, Ltl, Model, MtypeId, ProctypeId, Snapshot};
use crate::narrow::index;
use crate::preprocess::expansion::{At, Expansions};
use crate::source::Span;
use crate::syntax::{self, AtomKind, Name};
use mazurka_logic::{AtomId, Formula};
use std::rc::Rc;

/// Checks a formula about a complete model. Returns it with its diagnostics.
pub(crate) fn check_formula(
    model: &mut Model,
    expansions: &Expansions,
    formula: &Formula<syntax::Atom>,
    (name, text, span): (String, String, Span),
) -> (Ltl, Vec<Diagnostic>) {
    let mut checker = Checker::new(std::mem::take(model), expansions);
    checker.known();
    let ltl = checker.ltl(name, text, span, formula);
    *model = checker.model;
    (ltl, checker.diagnostics)
}

/// The atoms of a formula so far. Atoms with the same text are the same atom.
#[derive(Default)]
struct Atoms {
    texts: Vec<String>,
    values: Vec<Expr>,
    snapshots: Vec<Snapshot>,
}

/// The list that an atom is in.
enum Place {
    Value(usize),
    Snapshot(usize),
}

impl Checker<'_> {
    /// Checks a formula.
    pub(super) fn ltl(&mut self, name: String, text: String, span: Span, formula: &Formula<syntax::Atom>) -> Ltl {
        self.scopes.unit = usize::MAX;
        self.body = Body::default();
        let mut atoms = Atoms::default();
        let formula = mapped(formula, &mut |atom| self.atom(atom, &mut atoms));
        let values = atoms.values.len();
        let formula = formula.map(&mut |place| match place {
            Place::Value(k) => AtomId(index(k)),
            Place::Snapshot(k) => AtomId(index(values + k)),
        });
        Ltl {
            name,
            text,
            formula,
            atoms: atoms.values,
            texts: atoms.texts,
            snapshots: atoms.snapshots,
            span,
        }
    }

    fn atom(&mut self, atom: &syntax::Atom, atoms: &mut Atoms) -> Place {
        match &atom.kind {
            AtomKind::Value(value) => {
                if let Some(k) = atoms.texts.iter().position(|text| *text == atom.text) {
                    return Place::Value(k);
                }
                atoms.texts.push(atom.text.clone());
                atoms.values.push(self.value(value));
                Place::Value(atoms.values.len() - 1)
            }
            AtomKind::Snapshot(q) => {
                if let Some(k) = atoms.snapshots.iter().position(|other| other.text == atom.text) {
                    return Place::Snapshot(k);
                }
                let q = mapped(q, &mut |inner| match self.atom(inner, atoms) {
                    // The parser allows no snapshot inside a snapshot.
                    Place::Value(k) | Place::Snapshot(k) => AtomId(index(k)),
                });
                let text = atom.text.clone();
                atoms.snapshots.push(Snapshot { text, q });
                Place::Snapshot(atoms.snapshots.len() - 1)
            }
        }
    }

    /// Declares the names of a complete model.
    fn known(&mut self) {
        let named = |text: &str, span| Name {
            text: text.into(),
            at: At { span, ..At::default() },
        };
        let mut names: Vec<(Name, Meaning)> = Vec::new();
        for (k, variable) in self.model.globals.iter().enumerate() {
            let meaning = Meaning::Global(GlobalId(index(k)));
            names.push((named(&variable.name, variable.span), meaning));
        }
        for (k, proctype) in self
            .model
            .proctypes
            .iter()
            .enumerate()
            .filter(|(_, proctype)| !proctype.is_init)
        {
            let meaning = Meaning::Proctype(ProctypeId(index(k)));
            names.push((named(&proctype.name, proctype.span), meaning));
        }
        for (k, mtype) in self.model.mtypes.iter().enumerate() {
            for (text, value) in &mtype.names {
                let meaning = Meaning::Symbol(MtypeId(index(k)), *value);
                names.push((named(text, Span::default()), meaning));
            }
        }
        self.outlines = self
            .model
            .proctypes
            .iter()
            .map(|head| Rc::new(Outline::of(head)))
            .collect();
        for (name, meaning) in names {
            self.declare(&name, meaning);
        }
    }
}

/// A formula with its atoms replaced.
fn mapped<A, B>(formula: &Formula<A>, atom: &mut impl FnMut(&A) -> B) -> Formula<B> {
    let mut go = |inner: &Formula<A>| Box::new(mapped(inner, atom));
    match formula {
        Formula::True => Formula::True,
        Formula::False => Formula::False,
        Formula::Atom(inner) => Formula::Atom(atom(inner)),
        Formula::Not(f) => Formula::Not(go(f)),
        Formula::And(f, g) => Formula::And(go(f), go(g)),
        Formula::Or(f, g) => Formula::Or(go(f), go(g)),
        Formula::Implies(f, g) => Formula::Implies(go(f), go(g)),
        Formula::Equivalent(f, g) => Formula::Equivalent(go(f), go(g)),
        Formula::Next(f) => Formula::Next(go(f)),
        Formula::Eventually(f) => Formula::Eventually(go(f)),
        Formula::Always(f) => Formula::Always(go(f)),
        Formula::Until(f, g) => Formula::Until(go(f), go(g)),
        Formula::Release(f, g) => Formula::Release(go(f), go(g)),
        Formula::WeakUntil(f, g) => Formula::WeakUntil(go(f), go(g)),
    }
}
