//! Monitors: what a prefix of a word says about a formula.
//!
//! A finite word settles a formula if the formula holds on all continuations of the word, or on none (Bauer, Leucker and
//! Schallhart, *Runtime verification for LTL and TLTL*, TOSEM 2011). The automaton of the formula
//! and that of its negation read the word along all their runs at once. States that accept nothing were
//! removed, so an automaton with no run left accepts no continuation.

use std::collections::BTreeSet;

use crate::buchi::{Buchi, BuchiError, BuchiState};
use crate::formula::Formula;

/// Reads a word letter by letter, and tells when the formula is settled.
#[derive(Clone, Debug)]
pub struct Monitor {
    holds: Runs,
    fails: Runs,
}

/// All runs of an automaton.
#[derive(Clone, Debug)]
pub(crate) struct Runs {
    pub(crate) automaton: Buchi,
    pub(crate) at: BTreeSet<BuchiState>,
}

impl Monitor {
    /// A monitor before the first letter.
    ///
    /// ```
    /// use mazurka_logic::{Monitor, parse};
    /// let formula = parse("[] (p -> <> q) && [] !r").unwrap().number_atoms(&mut vec![]);
    /// let mut monitor = Monitor::new(&formula).unwrap();
    /// monitor.step(0b001);  // p
    /// assert_eq!(monitor.verdict(), None);
    /// // If nothing else happens, there is no q after p.
    /// assert!(!monitor.ends(0b001));
    /// monitor.step(0b110);  // q and r
    /// assert_eq!(monitor.verdict(), Some(false));
    /// ```
    ///
    /// # Errors
    /// If the formula has no automaton of reasonable size.
    pub fn new(formula: &Formula) -> Result<Self, BuchiError> {
        Ok(Self {
            holds: Runs::new(formula)?,
            fails: Runs::new(&formula.clone().negated())?,
        })
    }

    /// Reads a letter: bit `i` says whether atom `i` holds.
    pub fn step(&mut self, letter: u64) {
        self.holds.step(letter);
        self.fails.step(letter);
    }

    /// Whether the formula holds, if that is settled whatever letters follow.
    pub fn verdict(&self) -> Option<bool> {
        match (self.holds.at.is_empty(), self.fails.at.is_empty()) {
            (true, _) => Some(false),
            (_, true) => Some(true),
            _ => None,
        }
    }

    /// Whether the formula holds if `letter` is repeated for ever from now on.
    pub fn ends(&self, letter: u64) -> bool {
        self.holds.accept(&self.holds.at, letter)
    }
}

impl Runs {
    pub(crate) fn new(formula: &Formula) -> Result<Self, BuchiError> {
        let automaton = Buchi::new(formula)?;
        let initial = automaton.initial();
        let mut runs = Self {
            at: BTreeSet::from([initial]),
            automaton,
        };
        // An automaton that accepts nothing has its initial state all the same.
        if runs.automaton.edges(initial).is_empty() {
            runs.at.clear();
        }
        Ok(runs)
    }

    pub(crate) fn successors(&self, from: &BTreeSet<BuchiState>, letter: u64) -> BTreeSet<BuchiState> {
        let edges = from.iter().flat_map(|q| self.automaton.edges(*q));
        edges
            .filter(|edge| edge.guard.contains(letter))
            .map(|edge| edge.to)
            .collect()
    }

    fn step(&mut self, letter: u64) {
        self.at = self.successors(&self.at, letter);
    }

    /// Whether some run from these states accepts the letter repeated for ever: it reaches an accepting state that
    /// reaches itself.
    pub(crate) fn accept(&self, at: &BTreeSet<BuchiState>, letter: u64) -> bool {
        let reach = |from: BTreeSet<BuchiState>| {
            let (mut found, mut open) = (from.clone(), from);
            while !open.is_empty() {
                open = self.successors(&open, letter).difference(&found).copied().collect();
                found.extend(&open);
            }
            found
        };
        let comes_back = |q: &BuchiState| {
            let next = self.successors(&BTreeSet::from([*q]), letter);
            self.automaton.is_accepting(*q) && reach(next).contains(q)
        };
        reach(at.clone()).iter().any(comes_back)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AtomId, Lasso};
    use fastrand::Rng;

    fn random_formula(random: &mut Rng, size: usize) -> Formula {
        use Formula::*;
        if size <= 1 {
            return Atom(AtomId(random.u32(..2)));
        }
        let f = Box::new(random_formula(random, size - 1));
        let g = Box::new(random_formula(random, size / 2));
        match random.u32(..8) {
            0 => Not(f),
            1 => Next(f),
            2 => Eventually(f),
            3 => Always(f),
            4 => Until(f, g),
            5 => And(f, g),
            6 => Or(f, g),
            _ => WeakUntil(f, g),
        }
    }

    /// Verdicts are those of the definition on all continuations that stay with a letter after a few others.
    #[test]
    fn a_verdict_is_right_for_every_continuation() {
        let mut settled = 0;
        for seed in 0..1500 {
            let mut random = Rng::with_seed(seed);
            let size = random.usize(1..6);
            let formula = random_formula(&mut random, size);
            let mut monitor = Monitor::new(&formula).unwrap();
            let mut word: Vec<u64> = vec![];
            for _ in 0..4 {
                word.push(random.u64(..4));
                monitor.step(word[word.len() - 1]);
                let holds = |more: &[u64]| {
                    let all = [&word[..], more].concat();
                    let lasso = Lasso::new(all.len(), all.len() - 1).unwrap();
                    formula.holds_on(lasso, |atom, i| all[i] >> atom.0 & 1 == 1)
                };
                for last in 0..4 {
                    assert_eq!(
                        monitor.ends(last),
                        holds(&[last]),
                        "seed {seed}: {formula} after {word:?}"
                    );
                    for middle in 0..4 {
                        let verdict = monitor.verdict().unwrap_or_else(|| holds(&[middle, last]));
                        assert_eq!(verdict, holds(&[middle, last]), "seed {seed}: {formula} after {word:?}");
                    }
                }
            }
            settled += u32::from(monitor.verdict().is_some());
        }
        assert!(settled > 500, "{settled}");
    }

    #[test]
    fn what_always_holds_is_settled_at_once() {
        assert_eq!(Monitor::new(&Formula::True).unwrap().verdict(), Some(true));
        assert_eq!(Monitor::new(&Formula::False).unwrap().verdict(), Some(false));
    }
}
