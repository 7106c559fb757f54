//! Formulas of linear temporal logic (LTL) over atoms that the caller understands.
//!
//! A formula is about an infinite word of states. Atoms are opaque: anything that
//! can be decided at one position is an atom, such as a Promela expression, or a
//! question about the past of the position, such as `snapshot(q)`. A parser gives a
//! `Formula<A>` over its own type of atoms; [`Formula::number_atoms`] replaces them
//! by numbers, on which everything else here works.
//!
//! Pnueli, *The temporal logic of programs* (FOCS 1977); the notation is Promela's.

use std::fmt;

/// The number of an atom: its index in a list that the caller keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AtomId(pub u32);

/// A formula of linear temporal logic.
///
/// ```
/// use mazurka_logic::{Formula, parse};
/// let p = || Box::new(Formula::Atom("p".to_string()));
/// let formula = Formula::Always(Box::new(Formula::Eventually(p())));
/// assert_eq!(parse("[]<> p"), Ok(formula.clone()));
/// assert_eq!(formula.negated().to_string(), "![]<>p");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Formula<A = AtomId> {
    /// Holds everywhere.
    True,
    /// Holds nowhere.
    False,
    /// Holds where the atom does.
    Atom(A),
    /// `! f`
    Not(Box<Formula<A>>),
    /// `f && g`
    And(Box<Formula<A>>, Box<Formula<A>>),
    /// `f || g`
    Or(Box<Formula<A>>, Box<Formula<A>>),
    /// `f -> g`
    Implies(Box<Formula<A>>, Box<Formula<A>>),
    /// `f <-> g`
    Equivalent(Box<Formula<A>>, Box<Formula<A>>),
    /// `X f`: at the next position.
    Next(Box<Formula<A>>),
    /// `<> f`: now or later.
    Eventually(Box<Formula<A>>),
    /// `[] f`: now and for ever.
    Always(Box<Formula<A>>),
    /// `f U g`: `g` now or later, and `f` until just before.
    Until(Box<Formula<A>>, Box<Formula<A>>),
    /// `f V g`: `g` for ever, or up to and including a position where `f` holds.
    Release(Box<Formula<A>>, Box<Formula<A>>),
    /// `f W g`: `f U g`, or `f` for ever.
    WeakUntil(Box<Formula<A>>, Box<Formula<A>>),
}

impl<A> Formula<A> {
    /// The same formula over other atoms.
    ///
    /// ```
    /// let formula = mazurka_logic::parse("p U q").unwrap();
    /// assert_eq!(formula.map(&mut |name| format!("{name}1")).to_string(), "p1 U q1");
    /// ```
    pub fn map<B>(self, atom: &mut impl FnMut(A) -> B) -> Formula<B> {
        use Formula::*;
        let mut go = |f: Box<Self>| Box::new(f.map(atom));
        match self {
            True => True,
            False => False,
            Atom(a) => Atom(atom(a)),
            Not(f) => Not(go(f)),
            And(f, g) => And(go(f), go(g)),
            Or(f, g) => Or(go(f), go(g)),
            Implies(f, g) => Implies(go(f), go(g)),
            Equivalent(f, g) => Equivalent(go(f), go(g)),
            Next(f) => Next(go(f)),
            Eventually(f) => Eventually(go(f)),
            Always(f) => Always(go(f)),
            Until(f, g) => Until(go(f), go(g)),
            Release(f, g) => Release(go(f), go(g)),
            WeakUntil(f, g) => WeakUntil(go(f), go(g)),
        }
    }

    /// Replaces each atom by its index in `atoms`, to which new atoms are added; equal atoms share an index.
    pub fn number_atoms(self, atoms: &mut Vec<A>) -> Formula
    where
        A: PartialEq,
    {
        self.map(&mut |atom| {
            let place = atoms.iter().position(|a| *a == atom).unwrap_or_else(|| {
                atoms.push(atom);
                atoms.len() - 1
            });
            AtomId(u32::try_from(place).expect("fewer than 2^32 atoms"))
        })
    }

    /// The negation.
    pub fn negated(self) -> Self {
        match self {
            Formula::True => Formula::False,
            Formula::False => Formula::True,
            Formula::Not(f) => *f,
            f => Formula::Not(Box::new(f)),
        }
    }

    /// The number of operators, atoms and constants.
    pub fn size(&self) -> usize {
        1 + self.children().into_iter().flatten().map(Self::size).sum::<usize>()
    }

    /// Whether `X` occurs in the formula.
    pub fn has_next(&self) -> bool {
        matches!(self, Formula::Next(_)) || self.children().into_iter().flatten().any(Self::has_next)
    }

    /// The operands, in order.
    fn children(&self) -> [Option<&Self>; 2] {
        use Formula::*;
        match self {
            True | False | Atom(_) => [None, None],
            Not(f) | Next(f) | Eventually(f) | Always(f) => [Some(f), None],
            And(f, g) | Or(f, g) | Implies(f, g) | Equivalent(f, g) => [Some(f), Some(g)],
            Until(f, g) | Release(f, g) | WeakUntil(f, g) => [Some(f), Some(g)],
        }
    }
}

impl fmt::Display for AtomId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "p{}", self.0)
    }
}

/// Promela's notation, which the parser reads back as the same formula.
///
/// An operand with an operator of its own is in parentheses, except in chains of
/// `&&` and of `||`, so that readers need not know how operators bind.
impl<A: fmt::Display> fmt::Display for Formula<A> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        use Formula::*;
        let (left, operator, right) = match self {
            True => return out.write_str("true"),
            False => return out.write_str("false"),
            Atom(a) => return write!(out, "{a}"),
            Not(f) => return write!(out, "!{}", Operand(f)),
            Next(f) => return write!(out, "X {}", Operand(f)),
            Eventually(f) => return write!(out, "<>{}", Operand(f)),
            Always(f) => return write!(out, "[]{}", Operand(f)),
            And(f, g) => (f, "&&", g),
            Or(f, g) => (f, "||", g),
            Implies(f, g) => (f, "->", g),
            Equivalent(f, g) => (f, "<->", g),
            Until(f, g) => (f, "U", g),
            Release(f, g) => (f, "V", g),
            WeakUntil(f, g) => (f, "W", g),
        };
        match (self, &**left) {
            (And(..), And(..)) | (Or(..), Or(..)) => write!(out, "{left}")?,
            _ => write!(out, "{}", Operand(left))?,
        }
        write!(out, " {operator} {}", Operand(right))
    }
}

/// A formula as an operand, in parentheses when it needs them.
struct Operand<'a, A>(&'a Formula<A>);

impl<A: fmt::Display> fmt::Display for Operand<'_, A> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        use Formula::*;
        let plain = match self.0 {
            True | False | Not(_) | Next(_) | Eventually(_) | Always(_) => true,
            // An atom may be an expression of several words, to only the first of which `[]` would apply.
            Atom(a) => {
                let word = |c: char| c.is_alphanumeric() || "_.@:[]".contains(c);
                a.to_string().chars().all(word)
            }
            _ => false,
        };
        if plain {
            write!(out, "{}", self.0)
        } else {
            write!(out, "({})", self.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::parse;

    #[test]
    fn parentheses_say_how_operators_bind() {
        for (text, shown) in [
            ("[] p -> <> q", "[]p -> <>q"),
            ("[] (p -> <> q)", "[](p -> <>q)"),
            ("p U q U r", "(p U q) U r"),
            ("a && b && c || d", "(a && b && c) || d"),
            ("! (x > 3) && X p", "!(x > 3) && X p"),
        ] {
            let formula = parse(text).unwrap();
            assert_eq!(formula.to_string(), shown);
            assert_eq!(parse(shown).unwrap(), formula);
        }
    }

    #[test]
    fn equal_atoms_share_a_number() {
        let mut atoms = vec![];
        let formula = parse("p U (q && p)").unwrap().number_atoms(&mut atoms);
        assert_eq!(formula.to_string(), "p0 U (p1 && p0)");
        assert_eq!(atoms, ["p", "q"]);
    }
}
