//! Stutter-invariance: whether it matters how often a letter is repeated.
//!
//! A partial-order reduction may change how often a state is repeated, so it is right only
//! for formulas to which that does not matter. Every formula without `X` is one (Lamport
//! 1983). Some with `X` are too, and this decides which: a language is not stutter-invariant if and
//! only if a word in it and a word outside become the same word when repetitions are
//! removed. The *closure* of an automaton may skip repetitions: where it has a path that
//! reads the same letter all along, it may read the letter once. So the formula is
//! stutter-invariant if and only if the closures of its automaton and of its negation's
//! have no word in common.
//!
//! Etessami, *Stutter-invariant languages* (CAV 1999); Michaud and Duret-Lutz, *Practical
//! stutter-invariance checks for ω-regular languages* (SPIN 2015), 4. Departure: the
//! closure is computed letter by letter, for few atoms.

use mazurka_core::bitset::{self, BitMatrix, BitSet};

use crate::buchi::{Buchi, BuchiState, components};
use crate::formula::{AtomId, Formula};

/// A formula with an `X` and more atoms than this is not decided.
const MAX_ATOMS: usize = 8;

/// A formula whose product has more pairs of states and letters than this is not decided.
const MAX_WORK: usize = 1 << 16;

/// Whether repetitions of a letter matter to a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StutterInvariance {
    /// They do not matter.
    Invariant,
    /// They matter: of two words that differ only in repetitions, it holds on just one.
    Sensitive,
    /// The formula is too large to decide.
    Unknown,
}

impl Formula {
    /// Whether the formula is stutter-invariant.
    ///
    /// ```
    /// use mazurka_logic::{StutterInvariance, parse};
    /// let decide = |text| parse(text).unwrap().number_atoms(&mut vec![]).stutter_invariance();
    /// assert_eq!(decide("[] (p -> <> q)"), StutterInvariance::Invariant);
    /// assert_eq!(decide("p && X q"), StutterInvariance::Sensitive);
    /// assert_eq!(decide("<> (p && X (!p U q))"), StutterInvariance::Sensitive);
    /// assert_eq!(decide("<> (p && X (!p && q))"), StutterInvariance::Invariant);
    /// ```
    pub fn stutter_invariance(&self) -> StutterInvariance {
        if !self.has_next() || !self.simplified().has_next() {
            return StutterInvariance::Invariant;
        }
        // Numbers from 0, so that letters are numbers below a power of two.
        let mut atoms: Vec<AtomId> = vec![];
        let formula = self.clone().number_atoms(&mut atoms);
        if atoms.len() > MAX_ATOMS {
            return StutterInvariance::Unknown;
        }
        let (Ok(inside), Ok(outside)) = (Buchi::new(&formula), Buchi::new(&formula.negated())) else {
            return StutterInvariance::Unknown;
        };
        let pairs = inside.states().len() * outside.states().len();
        if pairs << atoms.len() > MAX_WORK {
            return StutterInvariance::Unknown;
        }
        if have_common_word(
            &Closure::new(&inside, atoms.len()),
            &Closure::new(&outside, atoms.len()),
        ) {
            StutterInvariance::Sensitive
        } else {
            StutterInvariance::Invariant
        }
    }
}

/// An automaton that may skip repetitions of letters.
struct Closure {
    states: usize,
    /// For each letter, row `q`: the states at the end of a path from `q` that reads nothing else.
    paths: Vec<BitMatrix>,
    /// The same, of paths through an accepting state before their end.
    accepting: Vec<BitMatrix>,
}

impl Closure {
    fn new(automaton: &Buchi, atoms: usize) -> Self {
        let states = automaton.states().len();
        let (mut paths, mut accepting) = (vec![], vec![]);
        for letter in 0..1 << atoms {
            let mut all = BitMatrix::new(states, states);
            for q in automaton.states() {
                for edge in automaton.edges(q).iter().filter(|edge| edge.guard.contains(letter)) {
                    bitset::insert(all.row_mut(q.0 as usize), edge.to.0 as usize);
                }
            }
            // Warshall's algorithm.
            for middle in 0..states {
                let row = all.row(middle).to_vec();
                for q in 0..states {
                    if bitset::contains(all.row(q), middle) {
                        bitset::union(all.row_mut(q), &row);
                    }
                }
            }
            // A path through an accepting state is one to it, or none, and one from it.
            let mut marked = BitMatrix::new(states, states);
            for middle in (0..states).filter(|&m| automaton.is_accepting(BuchiState::new(m))) {
                for q in 0..states {
                    if q == middle || bitset::contains(all.row(q), middle) {
                        bitset::union(marked.row_mut(q), all.row(middle));
                    }
                }
            }
            paths.push(all);
            accepting.push(marked);
        }
        Self {
            states,
            paths,
            accepting,
        }
    }
}

/// Whether some component of the product that is reachable has an accepting step of both.
fn have_common_word(a: &Closure, b: &Closure) -> bool {
    let len = a.states * b.states;
    let successors = |a_steps: &[BitMatrix], b_steps: &[BitMatrix], pair: usize| -> Vec<usize> {
        let mut found = BitSet::new(len);
        for (a_step, b_step) in a_steps.iter().zip(b_steps) {
            for q in bitset::iter(a_step.row(pair / b.states)) {
                bitset::iter(b_step.row(pair % b.states)).for_each(|r| bitset::insert(&mut found, q * b.states + r));
            }
        }
        bitset::iter(&found).collect()
    };
    let mut reached = BitSet::new(len);
    bitset::insert(&mut reached, 0);
    let mut open = vec![0];
    while let Some(pair) = open.pop() {
        for next in successors(&a.paths, &b.paths, pair) {
            if !bitset::contains(&reached, next) {
                bitset::insert(&mut reached, next);
                open.push(next);
            }
        }
    }
    let component = components(len, |pair| successors(&a.paths, &b.paths, pair));
    let (mut accepts_a, mut accepts_b) = (BitSet::new(len), BitSet::new(len));
    for pair in bitset::iter(&reached) {
        let inside = |next: usize| component[next] == component[pair];
        if successors(&a.accepting, &b.paths, pair).into_iter().any(inside) {
            bitset::insert(&mut accepts_a, component[pair]);
        }
        if successors(&a.paths, &b.accepting, pair).into_iter().any(inside) {
            bitset::insert(&mut accepts_b, component[pair]);
        }
    }
    bitset::intersects(&accepts_a, &accepts_b)
}
