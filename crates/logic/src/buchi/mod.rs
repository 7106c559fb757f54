//! Büchi automata of formulas, with few states.
//!
//! A formula in negation normal form ([`crate::normal`]) is translated to a very weak
//! alternating automaton ([`alternating`]), that to a generalised Büchi automaton with marks
//! on transitions ([`generalised`]), and that to one with accepting states ([`degeneralise`]).
//! The last two are simplified: useless states are removed ([`mod@components`]), states that
//! simulate each other are merged ([`simulation`]). Gastin and Oddoux, *Fast LTL to Büchi
//! automata translation* (CAV 2001), describe all steps; each file says what it adds.
//!
//! Degeneralisation depends on choices whose effect is not known beforehand. On small
//! automata, all are tried and the smallest result is kept.

mod alternating;
mod components;
mod cube;
mod degeneralise;
mod generalised;
mod hoa;
mod never;
mod simulation;

pub(crate) use components::components;
pub use cube::Cube;

use degeneralise::Choice;
use generalised::Generalised;
use mazurka_core::bitset::{self, BitSet};

use crate::formula::Formula;
use crate::normal::Nodes;

/// The most transitions that an intermediate automaton may have.
const MAX_TRANSITIONS: usize = 20_000;

/// Intermediate automata with more states are degeneralised in one way only.
const MANY_STATES: usize = 100;

/// A state of a Büchi automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BuchiState(pub u32);

impl BuchiState {
    /// The state with this number. Automata are bounded long before numbers are.
    pub(crate) fn new(index: usize) -> Self {
        Self(u32::try_from(index).expect("an automaton has at most 4,294,967,295 states"))
    }
}

/// A transition: it may be taken in a position whose letter satisfies the guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Edge {
    /// What must hold in the position.
    pub guard: Cube,
    /// The state after it.
    pub to: BuchiState,
}

/// Why there is no automaton for a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BuchiError {
    /// An atom has a number above 63.
    #[error("the formula has more than 64 atoms")]
    TooManyAtoms,
    /// The automaton would be too large to be of use.
    #[error("the automaton of the formula is too large")]
    TooLarge,
}

/// A Büchi automaton: a run is accepting if it passes through accepting states infinitely often.
#[derive(Clone, Debug)]
pub struct Buchi {
    edges: Vec<Vec<Edge>>,
    accepting: BitSet,
}

impl Buchi {
    /// The automaton that accepts the words on which the formula holds.
    ///
    /// ```
    /// use mazurka_logic::{Buchi, parse};
    /// let mut atoms = vec![];
    /// let formula = parse("[] (p -> <> q)").unwrap().number_atoms(&mut atoms);
    /// // To check it, look for a run that the automaton of the negation accepts.
    /// let automaton = Buchi::new(&formula.negated()).unwrap();
    /// assert_eq!(automaton.states().count(), 2);
    /// let guards = automaton.edges(automaton.initial()).iter().map(|edge| edge.guard);
    /// assert!(guards.clone().all(|guard| guard.contains(0b01)));  // p and not q
    /// assert_eq!(guards.filter(|guard| guard.contains(0b11)).count(), 1);
    /// ```
    ///
    /// # Errors
    /// If the formula has too many atoms or its automaton too many transitions.
    pub fn new(formula: &Formula) -> Result<Self, BuchiError> {
        let mut nodes = Nodes::new();
        let node = nodes.normal_form(formula);
        let mut automaton = Generalised::new(&mut nodes, node)?;
        simplify_generalised(&mut automaton);
        let mut choices = Choice::all(automaton.marks);
        if automaton.len() > MANY_STATES {
            choices.truncate(1);
        }
        let candidates = choices.iter().map(|choice| {
            let mut candidate = automaton.degeneralised(choice);
            simplify_accepting(&mut candidate);
            candidate
        });
        let smallest = candidates.min_by_key(|candidate| (candidate.len(), candidate.arc_count()));
        Ok(Self::from_generalised(&smallest.unwrap_or(automaton)))
    }

    /// Takes an automaton with one mark, which all arcs of a state carry or none does, and initial state 0.
    fn from_generalised(automaton: &Generalised) -> Self {
        let mut accepting = BitSet::new(automaton.len());
        for (q, arcs) in automaton.arcs.iter().enumerate() {
            if arcs.first().is_some_and(|arc| arc.marks != 0) {
                bitset::insert(&mut accepting, q);
            }
        }
        let edge = |arc: &generalised::Arc| Edge {
            guard: arc.guard,
            to: BuchiState::new(arc.to),
        };
        let edges = automaton.arcs.iter().map(|arcs| arcs.iter().map(edge).collect());
        Self {
            edges: edges.collect(),
            accepting,
        }
    }

    /// The states, the initial one first.
    pub fn states(&self) -> impl ExactSizeIterator<Item = BuchiState> + use<> {
        (0..self.edges.len()).map(BuchiState::new)
    }

    /// The initial state.
    pub fn initial(&self) -> BuchiState {
        BuchiState(0)
    }

    /// The transitions from a state.
    #[inline]
    pub fn edges(&self, state: BuchiState) -> &[Edge] {
        &self.edges[state.0 as usize]
    }

    /// Whether a state is accepting.
    #[inline]
    pub fn is_accepting(&self, state: BuchiState) -> bool {
        bitset::contains(&self.accepting, state.0 as usize)
    }
}

/// Simplifies until nothing changes.
fn simplify_generalised(automaton: &mut Generalised) {
    loop {
        let before = (automaton.len(), automaton.arc_count(), automaton.marks);
        automaton.join_arcs();
        automaton.prune();
        automaton.standardise_marks();
        automaton.drop_implied_marks();
        automaton.reduce_forwards();
        automaton.prune();
        automaton.reduce_backwards(false);
        automaton.prune();
        if (automaton.len(), automaton.arc_count(), automaton.marks) == before {
            break;
        }
    }
    automaton.standardise_marks();
}

/// The same for an automaton whose marks belong to states.
fn simplify_accepting(automaton: &mut Generalised) {
    loop {
        let before = (automaton.len(), automaton.arc_count());
        automaton.join_arcs();
        automaton.prune();
        automaton.standardise_accepting();
        automaton.merge_transient();
        automaton.prune();
        automaton.reduce_forwards();
        automaton.prune();
        automaton.reduce_backwards(true);
        automaton.prune();
        if (automaton.len(), automaton.arc_count()) == before {
            return;
        }
    }
}

/// Each step of simplification on random automata, which are wilder than those of formulas.
#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use fastrand::Rng;

    use super::components::bits;
    use super::generalised::{Arc, Generalised};
    use super::*;
    use crate::formula::AtomId;

    fn random_automaton(random: &mut Rng, marks: u64, state_marks: bool) -> Generalised {
        let len = random.usize(1..8);
        let arcs = (0..len).map(|_| {
            let own = random.u64(..=marks);
            let count = random.usize(..4);
            let arcs = (0..count).map(|_| Arc {
                to: random.usize(..len),
                marks: if state_marks { own } else { random.u64(..=marks) },
                guard: match random.u32(..3) {
                    0 => Cube::TRUE,
                    sign => Cube::literal(AtomId(0), sign == 1).unwrap(),
                },
            });
            arcs.collect()
        });
        Generalised {
            arcs: arcs.collect(),
            initial: 0,
            marks,
        }
    }

    /// Whether the automaton accepts the word whose last letter is followed by that at `cycle`: some
    /// state of the product is reached, and reaches itself through each mark.
    fn accepts(automaton: &Generalised, letters: &[u64], cycle: usize) -> bool {
        let steps = |(i, q, seen): (usize, usize, u64)| {
            let next = if i + 1 < letters.len() { i + 1 } else { cycle };
            let arcs = automaton.arcs[q]
                .iter()
                .filter(move |arc| arc.guard.contains(letters[i]));
            arcs.map(move |arc| (next, arc.to, seen | arc.marks))
        };
        let closure = |from: (usize, usize)| {
            let mut found = HashSet::new();
            let mut open: Vec<_> = steps((from.0, from.1, 0)).collect();
            while let Some(v) = open.pop() {
                if found.insert(v) {
                    open.extend(steps(v));
                }
            }
            found
        };
        let start = (0, automaton.initial);
        let reached = closure(start).into_iter().map(|(i, q, _)| (i, q)).chain([start]);
        let reached: HashSet<(usize, usize)> = reached.collect();
        reached
            .into_iter()
            .any(|(i, q)| closure((i, q)).contains(&(i, q, automaton.marks)))
    }

    fn check(seed: u64, what: &str, before: &Generalised, after: &Generalised) {
        for len in 1..=4 {
            for code in 0..1_u64 << len {
                let letters: Vec<u64> = (0..len).map(|i| code >> i & 1).collect();
                for cycle in 0..len {
                    let expected = accepts(before, &letters, cycle);
                    assert_eq!(
                        accepts(after, &letters, cycle),
                        expected,
                        "{what}, seed {seed}: {letters:?} {cycle}"
                    );
                }
            }
        }
    }

    #[test]
    fn steps_on_automata_with_marks_keep_the_language() {
        type Step = (&'static str, fn(&mut Generalised));
        let steps: [Step; 9] = [
            ("join", Generalised::join_arcs),
            ("prune", Generalised::prune),
            ("standardise", Generalised::standardise_marks),
            ("drop marks", Generalised::drop_implied_marks),
            ("forwards", Generalised::reduce_forwards),
            ("backwards", |automaton| automaton.reduce_backwards(false)),
            ("transient", Generalised::merge_transient),
            ("all", simplify_generalised),
            ("all and degeneralise", |automaton| {
                simplify_generalised(automaton);
                let choices = Choice::all(automaton.marks);
                *automaton = automaton.degeneralised(&choices[choices.len() - 1]);
            }),
        ];
        for seed in 0..600 {
            let automaton = random_automaton(&mut Rng::with_seed(seed), [0, 1, 3][seed as usize % 3], false);
            for (what, step) in steps {
                let mut changed = automaton.clone();
                step(&mut changed);
                check(seed, what, &automaton, &changed);
            }
        }
    }

    #[test]
    fn steps_on_automata_with_accepting_states_keep_the_language() {
        type Step = (&'static str, fn(&mut Generalised));
        let steps: [Step; 5] = [
            ("standardise", Generalised::standardise_accepting),
            ("forwards", Generalised::reduce_forwards),
            ("backwards", |automaton| automaton.reduce_backwards(true)),
            ("transient", Generalised::merge_transient),
            ("all", simplify_accepting),
        ];
        for seed in 0..1000 {
            let automaton = random_automaton(&mut Rng::with_seed(seed), 1, true);
            for (what, step) in steps {
                let mut changed = automaton.clone();
                step(&mut changed);
                check(seed, what, &automaton, &changed);
                // A state is accepting or not: its arcs agree.
                for arcs in &changed.arcs {
                    assert!(arcs.iter().all(|arc| arc.marks == arcs[0].marks), "{what}, seed {seed}");
                }
            }
        }
    }

    #[test]
    fn choices_cover_all_orders_of_few_marks() {
        assert_eq!(Choice::all(0b111).len(), 12);
        assert_eq!(Choice::all(0).len(), 2);
        assert_eq!(bits(0b1010).collect::<Vec<_>>(), [0b10, 0b1000]);
    }
}
