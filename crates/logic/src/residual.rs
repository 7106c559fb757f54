//! Residuals: what is left of a formula after a finite word, as the states of a deterministic machine.
//!
//! A search that follows a formula along the executions of a system has to know what is still to come, and no
//! more. After a word `u`, that is the *residual* `u⁻¹L`: the words `v` with `uv` in the language `L` of the formula. Here
//! a residual is the set of states in which the automaton can be after `u`, together with that of the negation
//! ([`crate::Monitor`]); sets are numbered as they come up.
//!
//! **Which atoms matter.** The language of a residual depends only on the atoms in guards that can still be reached, in
//! the automaton, and likewise in that of the negation. It therefore depends only on atoms that are in both
//! ([`Residuals::relevant`]): all others may be changed in one step for the first automaton, and in a second step for the other.
//! Only those atoms of a letter are read.
//!
//! **Stuttering.** If the formula is stutter-invariant, so is each of its residuals: if `v` and `w` differ only in
//! repetitions, so do `uv` and `uw`. That is not true of the states of the automaton themselves, which is what is wrong with
//! some reductions on the fly (Siegel, CAV 2019). It also follows that reading the last letter once more leaves the residual as it is, so
//! a letter that repeats the last one in the atoms that matter is not read at all.

use std::collections::{BTreeSet, HashMap};

use crate::buchi::{Buchi, BuchiError, BuchiState};
use crate::formula::Formula;
use crate::monitor::Runs;
use crate::stutter::StutterInvariance;

/// The number of a residual.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ResidualId(pub u32);

/// The residuals of a formula that came up so far.
#[derive(Clone, Debug)]
pub struct Residuals {
    holds: Runs,
    fails: Runs,
    invariant: bool,
    states: Vec<Residual>,
    numbers: HashMap<Key, ResidualId>,
    steps: HashMap<(ResidualId, u64), ResidualId>,
}

/// Two sets of states, and the last letter in the atoms that matter from there.
type Key = (BTreeSet<BuchiState>, BTreeSet<BuchiState>, u64);

#[derive(Clone, Debug)]
struct Residual {
    holds: BTreeSet<BuchiState>,
    fails: BTreeSet<BuchiState>,
    last: u64,
    relevant: u64,
}

impl Residuals {
    /// The machine of a formula.
    ///
    /// ```
    /// use mazurka_logic::{Residuals, parse};
    /// let formula = parse("<> (p && <> q)").unwrap().number_atoms(&mut vec![]);
    /// let mut residuals = Residuals::new(&formula).unwrap();
    /// let start = residuals.initial();
    /// let after = residuals.step(start, 0b01);
    /// assert_eq!((residuals.relevant(start), residuals.relevant(after)), (0b11, 0b10));
    /// let done = residuals.step(after, 0b10);
    /// assert_eq!(residuals.verdict(done), Some(true));
    /// ```
    ///
    /// # Errors
    /// If the formula has no automaton of reasonable size.
    pub fn new(formula: &Formula) -> Result<Self, BuchiError> {
        let mut residuals = Self {
            holds: Runs::new(formula)?,
            fails: Runs::new(&formula.clone().negated())?,
            invariant: formula.stutter_invariance() == StutterInvariance::Invariant,
            states: Vec::new(),
            numbers: HashMap::new(),
            steps: HashMap::new(),
        };
        let (holds, fails) = (residuals.holds.at.clone(), residuals.fails.at.clone());
        residuals.number(holds, fails, 0);
        Ok(residuals)
    }

    /// What is to come before the first letter.
    pub fn initial(&self) -> ResidualId {
        ResidualId(0)
    }

    /// Whether repetitions of letters do not matter, as far as is known.
    pub fn is_stutter_invariant(&self) -> bool {
        self.invariant
    }

    /// The residual after another letter: bit `i` says whether atom `i` holds.
    pub fn step(&mut self, from: ResidualId, letter: u64) -> ResidualId {
        let residual = &self.states[from.0 as usize];
        let letter = letter & residual.relevant;
        // Before the first letter there is none to repeat.
        if self.invariant && from != self.initial() && letter == residual.last {
            return from;
        }
        if let Some(known) = self.steps.get(&(from, letter)) {
            return *known;
        }
        let holds = self.holds.successors(&residual.holds, letter);
        let fails = self.fails.successors(&residual.fails, letter);
        let to = self.number(holds, fails, letter);
        self.steps.insert((from, letter), to);
        to
    }

    /// The last letter that was read, in the atoms that matter.
    pub fn last(&self, at: ResidualId) -> u64 {
        self.states[at.0 as usize].last
    }

    /// The atoms on which it depends which words are to come.
    pub fn relevant(&self, at: ResidualId) -> u64 {
        self.states[at.0 as usize].relevant
    }

    /// Whether the formula holds, if that is settled whatever letters follow.
    pub fn verdict(&self, at: ResidualId) -> Option<bool> {
        let residual = &self.states[at.0 as usize];
        match (residual.holds.is_empty(), residual.fails.is_empty()) {
            (true, _) => Some(false),
            (_, true) => Some(true),
            _ => None,
        }
    }

    /// Whether the formula holds if the last letter is repeated for ever.
    pub fn ends(&self, at: ResidualId) -> bool {
        let residual = &self.states[at.0 as usize];
        self.holds.accept(&residual.holds, residual.last)
    }

    /// The number of a residual, a new one if need be.
    fn number(&mut self, holds: BTreeSet<BuchiState>, fails: BTreeSet<BuchiState>, letter: u64) -> ResidualId {
        let relevant = mentioned(&self.holds.automaton, &holds) & mentioned(&self.fails.automaton, &fails);
        let last = letter & relevant;
        let key = (holds, fails, last);
        // The initial residual has read no letter, so none that has is the same.
        if let Some(known) = self.numbers.get(&key) {
            return *known;
        }
        let id = ResidualId(u32::try_from(self.states.len()).expect("fewer than 2^32 residuals"));
        let (holds, fails, _) = key.clone();
        self.states.push(Residual {
            holds,
            fails,
            last,
            relevant,
        });
        if id != self.initial() {
            self.numbers.insert(key, id);
        }
        id
    }
}

/// The atoms of the guards that can be reached from some states.
fn mentioned(automaton: &Buchi, from: &BTreeSet<BuchiState>) -> u64 {
    let (mut seen, mut open) = (from.clone(), Vec::from_iter(from.iter().copied()));
    let mut atoms = 0;
    while let Some(state) = open.pop() {
        for edge in automaton.edges(state) {
            atoms |= edge.guard.positive() | edge.guard.negative();
            if seen.insert(edge.to) {
                open.push(edge.to);
            }
        }
    }
    atoms
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AtomId, Lasso};
    use fastrand::Rng;

    fn random_formula(random: &mut Rng, size: usize) -> Formula {
        use Formula::*;
        if size <= 1 {
            return Atom(AtomId(random.u32(..3)));
        }
        let f = Box::new(random_formula(random, size - 1));
        let g = Box::new(random_formula(random, size / 2));
        match random.u32(..9) {
            0 => Not(f),
            1 if random.u32(..3) == 0 => Next(f),
            1 | 2 => Eventually(f),
            3 => Always(f),
            4 => Until(f, g),
            5 => And(f, g),
            6 => Or(f, g),
            7 => Release(f, g),
            _ => WeakUntil(f, g),
        }
    }

    /// The definition decides on words that stay with their last letter, also if atoms that do not matter change.
    #[test]
    fn residuals_are_right_about_words_that_end() {
        let (mut settled, mut forgotten) = (0, 0);
        for seed in 0..4000 {
            let mut random = Rng::with_seed(seed);
            let size = random.usize(1..7);
            let formula = random_formula(&mut random, size);
            let mut residuals = Residuals::new(&formula).unwrap();
            let mut at = residuals.initial();
            let mut word: Vec<u64> = vec![];
            let mut verdict = None;
            for _ in 0..random.usize(1..7) {
                let letter = random.u64(..8);
                // What is read may differ in what does not matter.
                let relevant = residuals.relevant(at);
                forgotten += u32::from(relevant != 7);
                at = residuals.step(at, letter & relevant | random.u64(..8) & !relevant);
                word.push(letter);
                verdict = verdict.or(residuals.verdict(at));
            }
            let lasso = Lasso::new(word.len(), word.len() - 1).unwrap();
            let holds = formula.holds_on(lasso, |atom, i| word[i] >> atom.0 & 1 == 1);
            assert_eq!(residuals.ends(at), holds, "seed {seed}: {formula} on {word:?}");
            assert!(verdict.is_none_or(|v| v == holds), "seed {seed}: {formula} on {word:?}");
            settled += u32::from(verdict.is_some());
        }
        assert!(settled > 1000 && forgotten > 1000, "{settled} {forgotten}");
    }
}
