//! The meaning of a formula, by definition, on words that end in a cycle.
//!
//! A lasso `u v^ω` has finitely many distinct suffixes, one for each position of `u v`,
//! so truth at the positions is a vector. `f U g` is the least solution of
//! `x = g || (f && X x)` and `f V g` the greatest of `x = g && (f || X x)`; both are
//! found by passing backwards over the positions until nothing changes.
//!
//! This shares no code with the construction of automata: it is the oracle of their
//! tests, and checks counterexamples before they are shown.

use crate::formula::{AtomId, Formula};

/// The shape of an infinite word: positions `0..len`, the last followed by position `cycle`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lasso {
    len: usize,
    cycle: usize,
}

impl Lasso {
    /// A word of `len` positions, the last of which is followed by position `cycle`;
    /// `None` unless `cycle < len`.
    pub fn new(len: usize, cycle: usize) -> Option<Self> {
        (cycle < len).then_some(Self { len, cycle })
    }

    /// The number of positions.
    #[expect(clippy::len_without_is_empty, reason = "a lasso is never empty")]
    pub fn len(self) -> usize {
        self.len
    }

    /// The position after `position`.
    pub fn next(self, position: usize) -> usize {
        if position + 1 < self.len {
            position + 1
        } else {
            self.cycle
        }
    }
}

impl Formula {
    /// Whether the formula holds on the word in which atom `a` holds at position `i` iff `atom(a, i)`.
    ///
    /// ```
    /// use mazurka_logic::{Lasso, parse};
    /// let formula = parse("[]<> p && <> q").unwrap().number_atoms(&mut vec![]);
    /// // p holds in every other position, q only in the first.
    /// let word = Lasso::new(3, 1).unwrap();
    /// assert!(formula.holds_on(word, |atom, i| if atom.0 == 0 { i == 2 } else { i == 0 }));
    /// ```
    pub fn holds_on(&self, lasso: Lasso, atom: impl Fn(AtomId, usize) -> bool) -> bool {
        self.truth(lasso, &atom)[0]
    }

    /// Where on the lasso the formula holds.
    fn truth(&self, lasso: Lasso, atom: &dyn Fn(AtomId, usize) -> bool) -> Vec<bool> {
        use Formula::*;
        let at = |f: &Formula| f.truth(lasso, atom);
        let each = |f: &Formula, g: &Formula, op: fn(bool, bool) -> bool| -> Vec<bool> {
            at(f).into_iter().zip(at(g)).map(|(f, g)| op(f, g)).collect()
        };
        let all = |value| vec![value; lasso.len];
        match self {
            True => all(true),
            False => all(false),
            Atom(a) => (0..lasso.len).map(|i| atom(*a, i)).collect(),
            Not(f) => at(f).into_iter().map(|f| !f).collect(),
            And(f, g) => each(f, g, |f, g| f && g),
            Or(f, g) => each(f, g, |f, g| f || g),
            Implies(f, g) => each(f, g, |f, g| !f || g),
            Equivalent(f, g) => each(f, g, |f, g| f == g),
            Next(f) => {
                let f = at(f);
                (0..lasso.len).map(|i| f[lasso.next(i)]).collect()
            }
            Eventually(f) => least(lasso, &all(true), &at(f)),
            Always(f) => greatest(lasso, &all(false), &at(f)),
            Until(f, g) => least(lasso, &at(f), &at(g)),
            Release(f, g) => greatest(lasso, &at(f), &at(g)),
            WeakUntil(f, g) => {
                let (f, g) = (at(f), at(g));
                let either: Vec<bool> = f.iter().zip(&g).map(|(f, g)| *f || *g).collect();
                greatest(lasso, &g, &either)
            }
        }
    }
}

/// The least `x` with `x = g || (f && X x)`.
fn least(lasso: Lasso, f: &[bool], g: &[bool]) -> Vec<bool> {
    fixpoint(lasso, false, |i, next| g[i] || (f[i] && next))
}

/// The greatest `x` with `x = g && (f || X x)`.
fn greatest(lasso: Lasso, f: &[bool], g: &[bool]) -> Vec<bool> {
    fixpoint(lasso, true, |i, next| g[i] && (f[i] || next))
}

fn fixpoint(lasso: Lasso, start: bool, step: impl Fn(usize, bool) -> bool) -> Vec<bool> {
    let mut x = vec![start; lasso.len];
    loop {
        let before = x.clone();
        for i in (0..lasso.len).rev() {
            x[i] = step(i, x[lasso.next(i)]);
        }
        if x == before {
            return x;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    /// The letters of a word, `p` and `q` where they hold; the cycle begins after `|`.
    fn holds(text: &str, word: &str) -> bool {
        let mut atoms = vec!["p".to_string(), "q".to_string()];
        let formula = parse(text).unwrap().number_atoms(&mut atoms);
        let letters: Vec<&str> = word.split(' ').collect();
        let cycle = letters.iter().position(|l| *l == "|").unwrap();
        let letters: Vec<&str> = letters.into_iter().filter(|l| *l != "|").collect();
        let lasso = Lasso::new(letters.len(), cycle).unwrap();
        formula.holds_on(lasso, |a, i| letters[i].contains(&atoms[a.0 as usize]))
    }

    #[test]
    fn operators_mean_what_they_say() {
        assert!(holds("p U q", "p p q | -"));
        assert!(!holds("p U q", "p - q | -"));
        assert!(!holds("p U q", "p | p"));
        assert!(holds("p W q", "p | p"));
        assert!(!holds("p W q", "p - | q"));
        assert!(holds("q V p", "p | p"));
        assert!(holds("q V p", "p pq | -"));
        assert!(!holds("q V p", "p q | -"));
        assert!(holds("[]<> p", "- | - p"));
        assert!(!holds("<>[] p", "- | - p"));
        assert!(holds("<>[] p", "- | p p"));
        assert!(holds("X p", "- p | -"));
        assert!(holds("X X p", "- | p -") != holds("X p", "- | p -"));
        assert!(holds("p -> X q", "- | -"));
        assert!(holds("p <-> q", "pq | -"));
    }
}
