//! Whether a `never` claim is stutter-invariant.
//!
//! A stutter-invariant claim can be checked on a [reduced graph](super::reduced). For a formula, its negation helps to
//! decide this; a claim has no negation, so this is a sufficient condition. Read as an automaton over
//! letters, which say what conditions hold in a state, let `q →l r` mean that the claim can move from
//! `q` to `r` in a state with letter `l`. The end of the claim, and every location from which it can always get
//! there, is one state that accepts whatever follows. If for each letter
//!
//! * `q →l r` implies `q →l x →l r` for some `x`, and
//! * `q →l x →l r` implies `q →l r`, where one of `q` and `r` is accepting if `x` is,
//!
//! then a run over a word becomes a run over a word with a letter repeated once more or once less,
//! between the same states, and it passes through accepting states at least as often up to those it
//! shares with the letters before and after. So the accepted words are closed under repeating
//! and not repeating letters. What SPIN makes of formulas without `X` satisfies this, mostly.

use crate::ir::{Action, Automaton, Edge, Graph, Node};
use crate::model::{Binary, Unary};
use mazurka_core::{Limit, Limits, bitset};

/// The greatest number of conditions: more would make too many letters.
const MOST_ATOMS: usize = 10;

/// The conditions of a claim, if it is known to be stutter-invariant.
///
/// # Errors
/// If a limit was reached.
pub(super) fn atoms_of_invariant(claim: &Automaton, limits: &Limits<'_>) -> Result<Option<Vec<Node>>, Limit> {
    let Some(atoms) = atoms_of(claim) else {
        return Ok(None);
    };
    let complete = complete(&claim.graph);
    for letter in 0..1 << atoms.len() {
        if let Some(limit) = limits.stop() {
            return Err(limit);
        }
        if !is_closed(&claim.graph, &complete, &atoms, letter) {
            return Ok(None);
        }
    }
    Ok(Some(atoms))
}

/// The conditions of a claim, if it consists of conditions only, and of few.
fn atoms_of(claim: &Automaton) -> Option<Vec<Node>> {
    if !claim.locals.is_empty() {
        return None;
    }
    let graph = &claim.graph;
    let mut atoms = Vec::new();
    for edge in &graph.edges {
        if edge.run.is_some() || edge.keeps {
            return None;
        }
        match &edge.action {
            Action::Condition(node) => collect(node, &mut atoms),
            Action::Else | Action::Skip => {}
            _ => return None,
        }
    }
    (atoms.len() <= MOST_ATOMS).then_some(atoms)
}

/// For each location, whether it is the end of the claim, or the claim can always get to its end from there.
fn complete(graph: &Graph) -> Vec<bool> {
    let mut complete: Vec<bool> = graph.locations.iter().map(|l| l.edges().is_empty()).collect();
    let is_free = |edge: &Edge| match &edge.action {
        Action::Condition(Node::Constant(value)) => *value != 0,
        action => matches!(action, Action::Skip),
    };
    let mut changed = true;
    while changed {
        changed = false;
        for (at, location) in graph.locations.iter().enumerate() {
            let leads_there = |edge: &Edge| is_free(edge) && edge.inhibitors.is_empty() && complete[edge.to.index()];
            if !complete[at] && graph.edges[location.edges()].iter().any(leads_there) {
                complete[at] = true;
                changed = true;
            }
        }
    }
    complete
}

/// Adds the atoms of a condition. A failure counts as true, which a negation does not invert, so a negation is split
/// only if its operand cannot fail.
fn collect(node: &Node, atoms: &mut Vec<Node>) {
    match node {
        Node::Constant(_) => {}
        Node::Binary(Binary::And | Binary::Or, operands) => {
            collect(&operands.0, atoms);
            collect(&operands.1, atoms);
        }
        Node::Unary(Unary::Not, operand) if operand.is_certain() => collect(operand, atoms),
        _ if atoms.contains(node) => {}
        _ => atoms.push(node.clone()),
    }
}

/// Whether a condition holds in states with a letter.
fn holds(node: &Node, atoms: &[Node], letter: u32) -> bool {
    match node {
        Node::Constant(value) => *value != 0,
        Node::Binary(Binary::And, operands) => holds(&operands.0, atoms, letter) && holds(&operands.1, atoms, letter),
        Node::Binary(Binary::Or, operands) => holds(&operands.0, atoms, letter) || holds(&operands.1, atoms, letter),
        Node::Unary(Unary::Not, operand) if operand.is_certain() => !holds(operand, atoms, letter),
        _ => {
            let at = atoms.iter().position(|atom| atom == node).expect("it was collected");
            letter & (1 << at) != 0
        }
    }
}

/// Whether moves in states with a letter can be repeated and omitted.
fn is_closed(graph: &Graph, complete: &[bool], atoms: &[Node], letter: u32) -> bool {
    let count = graph.locations.len();
    let words = bitset::words_for(count);
    // The first of those where it is complete stands for all.
    let end = complete.iter().position(|is| *is);
    let state = |at: usize| end.filter(|_| complete[at]).unwrap_or(at);
    // By location: the bits of those that it can move to.
    let mut moves = vec![vec![0_u64; words]; count];
    let mut accepting = vec![0_u64; words];
    let open = |edge: &Edge| match &edge.action {
        Action::Condition(node) => holds(node, atoms, letter),
        _ => true,
    };
    let accepts = |at: usize| graph.locations[at].is_accept || complete[at];
    for (from, location) in graph.locations.iter().enumerate() {
        if complete[from] {
            let end = state(from);
            bitset::insert(&mut moves[end], end);
            continue;
        }
        for edge in &graph.edges[location.edges()] {
            let inhibited = edge.inhibitors.iter().any(|i| open(&graph.edges[*i as usize]));
            if !inhibited && open(edge) {
                bitset::insert(&mut moves[from], state(edge.to.index()));
            }
        }
    }
    (0..count)
        .filter(|at| accepts(*at))
        .for_each(|at| bitset::insert(&mut accepting, at));
    let mut twice = vec![0_u64; words];
    (0..count).all(|q| {
        twice.fill(0);
        for x in bitset::iter(&moves[q]) {
            let lost = accepts(x) && !accepts(q) && !bitset::is_subset(&moves[x], &accepting);
            if lost {
                return false;
            }
            bitset::union(&mut twice, &moves[x]);
        }
        twice == moves[q]
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::compile;

    fn atoms(claim: &str) -> Option<usize> {
        let text = format!("byte x; bool p, q; active proctype P() {{ x = 1; p = 1; q = 1 }} never {{ {claim} }}");
        let model = crate::load("m.pml", text, &crate::Options::default()).unwrap().model;
        let compiled = compile(&model, &[]).unwrap();
        let atoms = atoms_of_invariant(&compiled.never.unwrap(), &Limits::default()).unwrap();
        atoms.map(|atoms| atoms.len())
    }

    #[test]
    fn what_spin_makes_of_formulas_is_invariant() {
        // !([] (p -> <> q)), !(p U q), !([] <> p)
        let response = "T0: do :: p && !q -> goto accept_1 :: true od; accept_1: do :: !q od";
        assert_eq!(atoms(response), Some(2));
        let release = "accept_0: do :: !q :: !p && !q -> goto accept_all od; accept_all: skip";
        assert_eq!(atoms(release), Some(2));
        assert_eq!(atoms("T0: do :: true :: !p -> break od; accept: do :: !p od"), Some(1));
    }

    #[test]
    fn counting_steps_is_noticed() {
        assert_eq!(atoms("p; q"), None);
        assert_eq!(atoms("do :: p -> q; break :: else od"), None);
        assert_eq!(atoms("accept: do :: p; !p od"), None);
        // Only every second state is looked at.
        assert_eq!(atoms("do :: true; !p; break :: true; true od"), None);
    }

    #[test]
    fn variables_of_its_own_are_a_memory() {
        assert_eq!(atoms("byte n; do :: n < 2 -> n++ :: else -> break od"), None);
    }
}
