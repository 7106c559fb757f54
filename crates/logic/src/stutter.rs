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
//!
//! **Events.** Some atoms may be *events*: they say what happened on the way to a position, such as "the transition
//! just taken has this label". If nothing happens, the next position is not a repetition: its events are false. What a
//! reduction inserts and removes are such positions, with the same states and no events (thesis 7.2: the automaton does
//! not move along with transitions that are not in its alphabet). So a path of the closure reads a letter, and after it
//! only the letter without its events. Without `X`, a formula over events need not be invariant: `a U b` says that `b`
//! follows at once.

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
        self.stutter_invariance_with(|_| false)
    }

    /// Whether the formula is invariant under positions where nothing happens: those that repeat the position before,
    /// but where all atoms that are events are false. Without events, these are the repetitions of a letter.
    ///
    /// ```
    /// use mazurka_logic::{StutterInvariance, parse};
    /// // Capital letters are events.
    /// let decide = |text| {
    ///     let mut atoms = vec![];
    ///     let formula = parse(text).unwrap().number_atoms(&mut atoms);
    ///     formula.stutter_invariance_with(|atom| atoms[atom.0 as usize].starts_with(char::is_uppercase))
    /// };
    /// assert_eq!(decide("[] (A -> <> B)"), StutterInvariance::Invariant);
    /// assert_eq!(decide("[] (A -> p)"), StutterInvariance::Invariant);
    /// assert_eq!(decide("[] (A -> X (!A W B))"), StutterInvariance::Invariant);
    /// assert_eq!(decide("<> (A && A U B)"), StutterInvariance::Sensitive); // B comes at once
    /// assert_eq!(decide("[] (p -> A)"), StutterInvariance::Sensitive);
    /// ```
    pub fn stutter_invariance_with(&self, is_event: impl Fn(AtomId) -> bool) -> StutterInvariance {
        let simplified = self.simplified();
        let mut eventful = false;
        simplified.clone().map(&mut |atom| eventful |= is_event(atom));
        if !eventful && (!self.has_next() || !simplified.has_next()) {
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
        let events = (0..atoms.len()).filter(|k| is_event(atoms[*k]));
        let events = events.fold(0, |events, k| events | 1 << k);
        if have_common_word(
            &Closure::new(&inside, atoms.len(), events),
            &Closure::new(&outside, atoms.len(), events),
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
    /// For each letter, row `q`: the states at the end of a path from `q` that reads it, and after it nothing but the
    /// letter without its events.
    paths: Vec<BitMatrix>,
    /// The same, of paths through an accepting state before their end.
    accepting: Vec<BitMatrix>,
}

impl Closure {
    fn new(automaton: &Buchi, atoms: usize, events: u64) -> Self {
        let mut closure = Self {
            states: automaton.states().len(),
            paths: vec![],
            accepting: vec![],
        };
        for letter in 0..1 << atoms {
            let (all, marked) = if letter & events == 0 {
                closure.repeated(automaton, letter)
            } else {
                // A smaller number, so it was done before.
                closure.followed(automaton, letter, usize::try_from(letter & !events).expect("few atoms"))
            };
            closure.paths.push(all);
            closure.accepting.push(marked);
        }
        closure
    }

    /// The steps that read a letter.
    fn steps(&self, automaton: &Buchi, letter: u64) -> BitMatrix {
        let mut steps = BitMatrix::new(self.states, self.states);
        for q in automaton.states() {
            for edge in automaton.edges(q).iter().filter(|edge| edge.guard.contains(letter)) {
                bitset::insert(steps.row_mut(q.0 as usize), edge.to.0 as usize);
            }
        }
        steps
    }

    /// The paths that read a letter once or more, and those of them through an accepting state.
    fn repeated(&self, automaton: &Buchi, letter: u64) -> (BitMatrix, BitMatrix) {
        let states = self.states;
        let mut all = self.steps(automaton, letter);
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
        (all, marked)
    }

    /// The paths that read a letter and then any number of times the one with number `quiet`.
    fn followed(&self, automaton: &Buchi, letter: u64, quiet: usize) -> (BitMatrix, BitMatrix) {
        let steps = self.steps(automaton, letter);
        let mut all = steps.clone();
        let mut marked = BitMatrix::new(self.states, self.states);
        for q in 0..self.states {
            for middle in bitset::iter(steps.row(q)) {
                bitset::union(all.row_mut(q), self.paths[quiet].row(middle));
                bitset::union(marked.row_mut(q), self.accepting[quiet].row(middle));
            }
            if automaton.is_accepting(BuchiState::new(q)) {
                let all = all.row(q).to_vec();
                bitset::union(marked.row_mut(q), &all);
            }
        }
        (all, marked)
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
