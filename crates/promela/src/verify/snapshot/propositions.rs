//! The truth of propositions in a state.

use crate::ir::{Node, Program};
use crate::run::View;
use mazurka_logic::{AtomId, Formula};

/// Propositions, compiled.
#[derive(Clone, Copy, Debug)]
pub(super) struct Propositions<'a> {
    pub(super) program: &'a Program,
    pub(super) atoms: &'a [Node],
}

impl Propositions<'_> {
    /// Whether a proposition holds. One that cannot be evaluated does not.
    pub(super) fn holds(&self, atom: AtomId, model: &[u8]) -> bool {
        let view = View::outside(self.program, model);
        view.value(&self.atoms[atom.0 as usize]).is_ok_and(|value| value != 0)
    }

    /// Whether a boolean combination of propositions holds.
    pub(super) fn hold(&self, q: &Formula, model: &[u8]) -> bool {
        holds(q, &|atom| self.holds(atom, model))
    }
}

/// The truth of a boolean combination of atoms. (There are no temporal operators in snapshots.)
pub(super) fn holds(q: &Formula, atom: &dyn Fn(AtomId) -> bool) -> bool {
    let of = |f: &Formula| holds(f, atom);
    match q {
        Formula::True => true,
        Formula::False => false,
        Formula::Atom(a) => atom(*a),
        Formula::Not(f) => !of(f),
        Formula::And(f, g) => of(f) && of(g),
        Formula::Or(f, g) => of(f) || of(g),
        Formula::Implies(f, g) => !of(f) || of(g),
        Formula::Equivalent(f, g) => of(f) == of(g),
        Formula::Next(f) | Formula::Eventually(f) | Formula::Always(f) => of(f),
        Formula::Until(_, g) | Formula::Release(_, g) | Formula::WeakUntil(_, g) => of(g),
    }
}
