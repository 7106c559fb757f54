//! Trace automata (thesis, Def. 6.4), for sequences of bounded length.
//!
//! A reduced state space is a trace automaton if every sequence `w` from the
//! initial state is, up to trace equivalence, the beginning of one of its paths:
//! `w ∈ Pref([w'])`. Paths are followed with what is left of `w`. Taking an edge
//! `u` from a state where `w` is left,
//!
//! * if `u v` is equivalent to `w`, leaves `v`;
//! * if `w` can be extended by `u` and `u` moves to the front of it, leaves `w`.
//!
//! Equivalence is taken by its definition: all sequences that swaps of adjacent
//! transitions reach, each swap in a state where the two are independent.

use super::IndependenceTable;
use crate::StateSpace;
use mazurka_core::{Model, TransitionId};
use std::collections::{BTreeMap, BTreeSet};

/// The edges that a search explored: per state, transitions.
pub type Edges = BTreeMap<usize, BTreeSet<TransitionId>>;

type Word = Vec<TransitionId>;

/// Whether these edges are a trace automaton, as far as sequences of at most
/// `length` transitions tell.
///
/// # Errors
/// A sequence that no path covers.
pub fn trace_automaton(
    model: &Model,
    space: &StateSpace,
    relation: &IndependenceTable,
    edges: &Edges,
    length: usize,
) -> Result<(), String> {
    let mut words = Vec::new();
    maximal_words(space, 0, length, &mut Vec::new(), &mut words);
    let mut covered = BTreeSet::new();
    for word in words {
        if !covers(space, relation, edges, &word, &mut covered) {
            let names: Vec<&str> = word.iter().map(|t| model.transition_name(*t)).collect();
            return Err(format!("no path covers {}", names.join(" ")));
        }
    }
    Ok(())
}

/// The sequences of this length, and the shorter ones that end in a deadlock;
/// their prefixes are covered with them.
fn maximal_words(space: &StateSpace, state: usize, length: usize, word: &mut Word, out: &mut Vec<Word>) {
    let mut stuck = true;
    if word.len() < length {
        for (t, to) in space.edges(state) {
            stuck = false;
            word.push(t);
            maximal_words(space, to, length, word, out);
            word.pop();
        }
    }
    if stuck {
        out.push(word.clone());
    }
}

/// Whether some path from the initial state covers the word. `covered` has pairs
/// of a state and what is left that are known to be covered.
fn covers(
    space: &StateSpace,
    relation: &IndependenceTable,
    edges: &Edges,
    word: &Word,
    covered: &mut BTreeSet<(usize, Word)>,
) -> bool {
    let mut from: BTreeMap<(usize, Word), Option<(usize, Word)>> = BTreeMap::from([((0, word.clone()), None)]);
    let mut open = vec![(0, word.clone())];
    while let Some(here) = open.pop() {
        if here.1.is_empty() || covered.contains(&here) {
            // Everything on the way here is covered as well.
            let mut at = Some(here);
            while let Some(pair) = at {
                at = from[&pair].clone();
                covered.insert(pair);
            }
            return true;
        }
        let (state, left) = &here;
        let class = trace(space, relation, *state, left);
        for u in edges.get(state).into_iter().flatten() {
            let to = space.after(*state, *u).expect("an explored edge is enabled");
            for other in &class {
                let rest = if other[0] == *u {
                    other[1..].to_vec()
                } else if !other.contains(u) && moves_to_front(space, relation, *state, other, *u) {
                    other.clone()
                } else {
                    continue;
                };
                let pair = (to, rest);
                if !from.contains_key(&pair) {
                    from.insert(pair.clone(), Some(here.clone()));
                    open.push(pair);
                }
            }
        }
    }
    false
}

/// The conditional trace `[word]` from a state (thesis 3.4.2).
fn trace(space: &StateSpace, relation: &IndependenceTable, state: usize, word: &Word) -> BTreeSet<Word> {
    let mut class = BTreeSet::from([word.clone()]);
    let mut open = vec![word.clone()];
    while let Some(w) = open.pop() {
        let mut s = state;
        for i in 0..w.len() {
            if i + 1 < w.len() && relation.independent(s, w[i], w[i + 1]) {
                let mut swapped = w.clone();
                swapped.swap(i, i + 1);
                if class.insert(swapped.clone()) {
                    open.push(swapped);
                }
            }
            s = space.after(s, w[i]).expect("equivalent words are executable");
        }
    }
    class
}

/// Whether `word u` is equivalent to `u word` by moving `u` alone.
fn moves_to_front(
    space: &StateSpace,
    relation: &IndependenceTable,
    state: usize,
    word: &Word,
    u: TransitionId,
) -> bool {
    let mut s = state;
    for t in word {
        if !relation.independent(s, *t, u) {
            return false;
        }
        s = space.after(s, *t).expect("a word is executable");
    }
    true
}
