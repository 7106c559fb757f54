//! Claims: automata that observe the states of a model.
//!
//! A claim reads a state and moves, then the model takes a step, and so on. An infinite
//! execution is forbidden if the claim can follow it and passes through accepting states
//! infinitely often; a finite one is forbidden if the claim reaches its end.

use crate::ir::{Action, Automaton, Node, Program};
use crate::narrow::place;
use crate::run::View;
use mazurka_logic::{Buchi, BuchiError, BuchiState, Formula};

/// A claim, as the product needs it. Its state has two bytes, followed by its variables.
pub(super) trait Claim: Sync {
    /// The size of its state.
    fn len(&self) -> usize;

    /// Appends its initial state.
    fn initial(&self, out: &mut Vec<u8>);

    /// Appends the moves that it can make in a state of the model; `claim` is its state.
    fn moves(&self, state: &[u8], claim: &[u8], out: &mut Vec<u16>);

    /// Makes a move.
    fn make(&self, state: &[u8], number: u16, claim: &mut [u8]);

    /// Whether its state is accepting.
    fn is_accepting(&self, claim: &[u8]) -> bool;

    /// Whether it has reached its end.
    fn is_complete(&self, _claim: &[u8]) -> bool {
        false
    }
}

/// The greatest number of atoms in a formula: the bits of a letter.
const MOST_ATOMS: usize = 64;
/// How many states an automaton may have, and each of them moves. One number is left for [`Joint::WAITS`](super::product::Joint::WAITS).
const MOST: usize = 65_535;

/// The automaton of a formula over this many atoms.
///
/// # Errors
/// If its letters, states or moves are too many to be numbered in a product. Atoms count also where the automaton needs none of them.
pub(super) fn automaton_of(formula: &Formula, atoms: usize) -> Result<Buchi, BuchiError> {
    if atoms > MOST_ATOMS {
        return Err(BuchiError::TooManyAtoms);
    }
    let automaton = Buchi::new(formula)?;
    match is_numbered(&automaton, MOST) {
        true => Ok(automaton),
        false => Err(BuchiError::TooLarge),
    }
}

/// Whether an automaton has at most this many states, and each of them moves.
fn is_numbered(automaton: &Buchi, most: usize) -> bool {
    let mut states = automaton.states();
    states.len() <= most && states.all(|state| automaton.edges(state).len() <= most)
}

/// The number of a state.
pub(super) fn number_of(state: BuchiState) -> u16 {
    place(state.0 as usize)
}

/// A Büchi automaton over atoms.
#[derive(Debug)]
pub(super) struct BuchiClaim<'a> {
    pub(super) program: &'a Program,
    pub(super) automaton: Buchi,
    pub(super) atoms: &'a [Node],
}

impl BuchiClaim<'_> {
    /// Which atoms hold. One that cannot be evaluated does not.
    fn letter(&self, state: &[u8]) -> u64 {
        let view = View::outside(self.program, state);
        let holds = |atom: &Node| view.value(atom).is_ok_and(|value| value != 0);
        let bits = self.atoms.iter().enumerate().filter(|(_, atom)| holds(atom));
        bits.fold(0, |letter, (k, _)| letter | 1 << k)
    }
}

fn number(claim: &[u8]) -> u16 {
    u16::from_le_bytes([claim[0], claim[1]])
}

fn set_number(claim: &mut [u8], number: u16) {
    claim[..2].copy_from_slice(&number.to_le_bytes());
}

impl Claim for BuchiClaim<'_> {
    fn len(&self) -> usize {
        2
    }

    fn initial(&self, out: &mut Vec<u8>) {
        out.extend(number_of(self.automaton.initial()).to_le_bytes());
    }

    fn moves(&self, state: &[u8], claim: &[u8], out: &mut Vec<u16>) {
        let letter = self.letter(state);
        let edges = self.automaton.edges(BuchiState(u32::from(number(claim))));
        let open = edges.iter().enumerate().filter(|(_, edge)| edge.guard.contains(letter));
        out.extend(open.map(|(k, _)| place(k)));
    }

    fn make(&self, _: &[u8], edge: u16, claim: &mut [u8]) {
        let from = BuchiState(u32::from(number(claim)));
        set_number(claim, number_of(self.automaton.edges(from)[edge as usize].to));
    }

    fn is_accepting(&self, claim: &[u8]) -> bool {
        self.automaton.is_accepting(BuchiState(u32::from(number(claim))))
    }
}

/// The `never` claim of a model.
#[derive(Debug)]
pub(super) struct NeverClaim<'a> {
    pub(super) program: &'a Program,
    pub(super) automaton: &'a Automaton,
}

impl NeverClaim<'_> {
    /// The state of the model followed by the claim's variables.
    fn with<R>(&self, state: &[u8], claim: &[u8], look: impl FnOnce(&[u8], usize) -> R) -> R {
        let mut all = Vec::with_capacity(state.len() + claim.len());
        all.extend_from_slice(state);
        all.extend_from_slice(claim);
        look(&all, state.len() + 2)
    }

    fn timeout(&self, state: &[u8]) -> bool {
        let mut steps = Vec::new();
        self.program.steps(state, &mut steps);
        steps.is_empty()
    }
}

impl Claim for NeverClaim<'_> {
    fn len(&self) -> usize {
        2 + self.automaton.size
    }

    fn initial(&self, out: &mut Vec<u8>) {
        out.extend(self.automaton.graph.start.0.to_le_bytes());
        out.resize(out.len() + self.automaton.size, 0);
    }

    fn moves(&self, state: &[u8], claim: &[u8], out: &mut Vec<u16>) {
        let graph = &self.automaton.graph;
        let location = &graph.locations[number(claim) as usize];
        let timeout = self.timeout(state);
        self.with(state, claim, |all, frame| {
            let view = View {
                program: self.program,
                state: all,
                pid: 0,
                frame,
                timeout,
            };
            for k in location.edges() {
                let inhibits = |i: &u32| self.program.can_start_alone(&view, &graph.edges[*i as usize]);
                let edge = &graph.edges[k];
                if !edge.inhibitors.iter().any(inhibits) && self.program.can_start_alone(&view, edge) {
                    out.push(place(k));
                }
            }
        });
    }

    fn make(&self, state: &[u8], edge: u16, claim: &mut [u8]) {
        let edge = &self.automaton.graph.edges[edge as usize];
        let mut all = state.to_vec();
        all.extend_from_slice(claim);
        let frame = state.len() + 2;
        // A claim only looks; what it assigns is its own.
        let timeout = matches!(edge.action, Action::Assign(..)) && self.timeout(state);
        if self.program.execute(&mut all, 0, frame, timeout, &edge.action).is_ok() {
            claim.copy_from_slice(&all[state.len()..]);
        }
        set_number(claim, edge.to.0);
    }

    fn is_accepting(&self, claim: &[u8]) -> bool {
        self.automaton.graph.locations[number(claim) as usize].is_accept
    }

    fn is_complete(&self, claim: &[u8]) -> bool {
        let location = &self.automaton.graph.locations[number(claim) as usize];
        location.first == location.end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_automaton_is_small_enough_to_be_numbered() {
        let mut atoms = Vec::new();
        let formula = mazurka_logic::parse("<> p && <> q").unwrap().number_atoms(&mut atoms);
        let automaton = automaton_of(&formula, atoms.len()).unwrap();
        assert_eq!(automaton.states().len(), 4);
        assert_eq!(automaton.edges(automaton.initial()).len(), 4);
        assert!(is_numbered(&automaton, 4));
        assert!(!is_numbered(&automaton, 3));
        let formula = mazurka_logic::parse("X X X p").unwrap().number_atoms(&mut atoms);
        let chain = automaton_of(&formula, atoms.len()).unwrap();
        assert!(!is_numbered(&chain, chain.states().len() - 1));
        assert_eq!(automaton_of(&formula, 65).unwrap_err(), BuchiError::TooManyAtoms);
    }
}
