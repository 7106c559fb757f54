//! The dependency that weak fairness adds: what decides whether a process can move (thesis 7.4).
//!
//! An execution is fair if each process moves infinitely often or is disabled infinitely often. The
//! second half is a fact about states, and independent steps in another order pass through other
//! states: with a message in a channel of two, `send, receive` never leaves it empty and `receive, send`
//! does, and who waits for a message has to move in one of them only. So for each place where a process may
//! wait, the steps of *other* processes that can change whether it may go on are made dependent among
//! each other.
//!
//! That is enough. Let ρ be a fair execution, and explore persistent sets for the larger dependency,
//! with a state on each cycle where everything is explored.
//!
//! * At each state, the set contains a step of what is left of ρ. Otherwise an executable step α of the
//!   set is independent of all of it and stays executable, hence so does its process, which moves since ρ
//!   is fair; but all steps of one process are dependent. (The states inside an `atomic`
//!   where it branches are the exception, since nobody else is enabled there. If ρ has infinitely many
//!   of them, nobody else is required to move, and α is an invisible step that may be added.)
//! * So ρ can be followed by taking that step first, and no step of ρ is put off for ever, since
//!   everything is explored infinitely often. What is followed, ρ', is a permutation of ρ that keeps the
//!   order of dependent steps; atoms do not notice the difference (see `verify/reduced.rs`).
//! * ρ' is fair. Who moves infinitely often in ρ does so in ρ'. Let i be a process that moves for the
//!   last time, to a location where it waits, and is disabled infinitely often. The steps of others that can
//!   change that are pairwise dependent, so they come in the same order. Take a prefix of ρ and one of ρ', both
//!   with the last move of i and with the same number of such steps: what one has and the other
//!   has not cannot change whether i is enabled, so it is in both or in neither, and is
//!   infinitely often not.

use super::accesses::Accesses;
use super::instance::Instances;
use super::knowledge::Knowledge;
use super::operations::READ;
use crate::ir::{Action, Automaton, Edge};
use mazurka_core::bitset;

impl Instances<'_> {
    /// For each location where a process may wait, the operations that can change whether it may go on. The
    /// sets are consecutive, and each occurs once.
    pub(super) fn waits(&self, automaton: &Automaton, knowledge: Knowledge<'_>) -> Vec<u64> {
        let words = self.alphabet.words;
        let mut waits: Vec<u64> = Vec::new();
        let mut looks = vec![0; words];
        let mut changes = vec![0; words];
        let graph = &automaton.graph;
        for location in &graph.locations {
            let edges = &graph.edges[location.edges()];
            if edges.iter().any(is_always_executable) {
                continue;
            }
            looks.fill(0);
            changes.fill(0);
            let mut accesses = self.accesses(knowledge, &mut looks);
            for edge in edges {
                looks_of(&mut accesses, edge);
            }
            self.alphabet.add_conflicts(&looks, &mut changes);
            if !bitset::is_empty(&changes) && !waits.chunks(words).any(|known| known == changes) {
                waits.extend(&changes);
            }
        }
        waits
    }
}

/// Adds the operations that decide whether an edge is executable.
fn looks_of(accesses: &mut Accesses<'_>, edge: &Edge) {
    accesses.absence(edge);
    if !accesses.program.has_rendezvous() {
        return;
    }
    match &edge.action {
        Action::Send { .. } => partners(accesses, |action| matches!(action, Action::Receive { .. })),
        Action::Receive { .. } => partners(accesses, |action| matches!(action, Action::Send { .. })),
        Action::DStep(inner) => inner.at(inner.start).iter().for_each(|edge| looks_of(accesses, edge)),
        _ => {}
    }
}

/// Whether there is a partner for a rendezvous: where the others are, and what they would exchange.
fn partners(accesses: &mut Accesses<'_>, may_be_one: impl Fn(&Action) -> bool) {
    for (k, automaton) in accesses.program.automata.iter().enumerate() {
        for edge in automaton.graph.edges.iter().flat_map(with_inner) {
            if may_be_one(&edge.action) {
                bitset::insert(accesses.does, accesses.alphabet.inside(k, READ));
                accesses.of_anybody().edge(edge, &automaton.graph);
            }
        }
    }
}

/// An edge, and those of the `d_step` that it is.
fn with_inner(edge: &Edge) -> impl Iterator<Item = &Edge> {
    let inner = match &edge.action {
        Action::DStep(inner) => &inner.edges[..],
        _ => &[],
    };
    std::iter::once(edge).chain(inner)
}

/// Whether it is executable, or else another edge of its location that inhibits it.
fn is_always_executable(edge: &Edge) -> bool {
    match &edge.action {
        Action::Else | Action::Skip | Action::Assign(..) | Action::Assert(_) => true,
        Action::DStep(inner) => inner.at(inner.start).iter().any(is_always_executable),
        Action::Condition(_) | Action::Send { .. } | Action::Receive { .. } | Action::End => false,
    }
}
