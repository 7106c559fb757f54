//! Random formulas and random words.

use fastrand::Rng;
use mazurka_logic::{AtomId, Formula};

use super::lassos::Word;

/// A formula with at most `size` operators and atoms, over the first `atoms` atoms.
pub fn formula(random: &mut Rng, size: usize, atoms: u32) -> Formula {
    use Formula::*;
    if size <= 1 {
        return match random.u32(..12) {
            0 => True,
            1 => False,
            _ => Atom(AtomId(random.u32(..atoms))),
        };
    }
    let kind = random.u32(..if size == 2 { 5 } else { 15 });
    if kind < 5 {
        let f = Box::new(formula(random, size - 1, atoms));
        return match kind {
            0 => Not(f),
            1 => Next(f),
            2 => Eventually(f),
            3 => Always(f),
            _ => *f,
        };
    }
    let left = random.usize(1..size - 1);
    let f = Box::new(formula(random, left, atoms));
    let g = Box::new(formula(random, size - 1 - left, atoms));
    match kind {
        5 | 6 => And(f, g),
        7 | 8 => Or(f, g),
        9 => Implies(f, g),
        10 => Equivalent(f, g),
        11 | 12 => Until(f, g),
        13 => Release(f, g),
        _ => WeakUntil(f, g),
    }
}

/// A formula without `X`.
pub fn without_next(f: Formula) -> Formula {
    use Formula::*;
    let go = |f: Box<Formula>| Box::new(without_next(*f));
    match f {
        Next(f) => without_next(*f),
        True | False | Atom(_) => f,
        Not(f) => Not(go(f)),
        Eventually(f) => Eventually(go(f)),
        Always(f) => Always(go(f)),
        And(f, g) => And(go(f), go(g)),
        Or(f, g) => Or(go(f), go(g)),
        Implies(f, g) => Implies(go(f), go(g)),
        Equivalent(f, g) => Equivalent(go(f), go(g)),
        Until(f, g) => Until(go(f), go(g)),
        Release(f, g) => Release(go(f), go(g)),
        WeakUntil(f, g) => WeakUntil(go(f), go(g)),
    }
}

/// A word that ends in a cycle, of at most `len` letters over the first `atoms` atoms.
pub fn word(random: &mut Rng, len: usize, atoms: u32) -> Word {
    let len = random.usize(1..=len);
    Word {
        letters: (0..len).map(|_| random.u64(..1 << atoms)).collect(),
        cycle: random.usize(..len),
    }
}
