//! Linear temporal logic by the textbook: does some fair execution violate a formula?
//!
//! Everything is explicit: all states of the model, and for each of them all choices which `X` and `U` subformulas hold
//! there (Vardi and Wolper 1986). A choice leads to those that agree with what it says about the next position. An
//! execution counts if each `U` that holds is fulfilled at last, and if each fair process moves or is disabled
//! infinitely often. The states with such an execution are a fixpoint (Emerson and Lei 1986): those from which each
//! acceptance set can be reached again within the fixpoint. It shares with `mazurka-ltl` the formulas, but no
//! automaton, no search, no bytes and no strongly connected components.

use crate::StateSpace;
use fastrand::Rng;
use mazurka_core::{Model, ProcessId, TransitionId};
use mazurka_logic::{AtomId, Formula};
use std::collections::HashMap;

/// A part of a formula. Operands come before their operators.
enum Part {
    True,
    Atom(u32),
    Not(usize),
    And(usize, usize),
    /// With the number of its bit in a choice.
    Next(usize, usize),
    Until(usize, usize, usize),
}

/// The parts of a formula; the last is the formula itself.
struct Parts {
    parts: Vec<Part>,
    /// How many of them a choice decides.
    free: usize,
}

impl Parts {
    fn push(&mut self, part: Part) -> usize {
        self.parts.push(part);
        self.parts.len() - 1
    }

    fn not(&mut self, f: usize) -> usize {
        self.push(Part::Not(f))
    }

    fn until(&mut self, f: usize, g: usize) -> usize {
        self.free += 1;
        self.push(Part::Until(f, g, self.free - 1))
    }

    fn or(&mut self, f: usize, g: usize) -> usize {
        let (f, g) = (self.not(f), self.not(g));
        let neither = self.push(Part::And(f, g));
        self.not(neither)
    }

    fn add(&mut self, formula: &Formula) -> usize {
        use Formula::*;
        match formula {
            True => self.push(Part::True),
            False => {
                let yes = self.push(Part::True);
                self.not(yes)
            }
            Atom(a) => self.push(Part::Atom(a.0)),
            Not(f) => {
                let f = self.add(f);
                self.not(f)
            }
            Next(f) => {
                let f = self.add(f);
                self.free += 1;
                self.push(Part::Next(f, self.free - 1))
            }
            Eventually(f) => {
                let (yes, f) = (self.push(Part::True), self.add(f));
                self.until(yes, f)
            }
            Always(f) => {
                let (yes, f) = (self.push(Part::True), self.add(f));
                let otherwise = self.not(f);
                let eventually = self.until(yes, otherwise);
                self.not(eventually)
            }
            And(f, g) | Or(f, g) | Implies(f, g) | Equivalent(f, g) | Until(f, g) | Release(f, g) | WeakUntil(f, g) => {
                let (f, g) = (self.add(f), self.add(g));
                self.binary(formula, f, g)
            }
        }
    }

    fn binary(&mut self, operator: &Formula, f: usize, g: usize) -> usize {
        match operator {
            Formula::And(..) => self.push(Part::And(f, g)),
            Formula::Or(..) => self.or(f, g),
            Formula::Implies(..) => {
                let f = self.not(f);
                self.or(f, g)
            }
            Formula::Equivalent(..) => {
                let both = self.push(Part::And(f, g));
                let (f, g) = (self.not(f), self.not(g));
                let neither = self.push(Part::And(f, g));
                self.or(both, neither)
            }
            Formula::Until(..) => self.until(f, g),
            // f V g is !(!f U !g).
            Formula::Release(..) => {
                let (f, g) = (self.not(f), self.not(g));
                let until = self.until(f, g);
                self.not(until)
            }
            // f W g is !(!g U (!f && !g)).
            Formula::WeakUntil(..) => {
                let (f, g) = (self.not(f), self.not(g));
                let neither = self.push(Part::And(f, g));
                let until = self.until(g, neither);
                self.not(until)
            }
            _ => unreachable!("it has two operands"),
        }
    }

    /// Whether each part holds, for a letter and a choice.
    fn values(&self, letter: u64, choice: u64) -> Vec<bool> {
        let mut values: Vec<bool> = Vec::new();
        for part in &self.parts {
            values.push(match *part {
                Part::True => true,
                Part::Atom(a) => letter >> a & 1 != 0,
                Part::Not(f) => !values[f],
                Part::And(f, g) => values[f] && values[g],
                Part::Next(_, bit) | Part::Until(_, _, bit) => choice >> bit & 1 != 0,
            });
        }
        values
    }

    /// Whether what holds now agrees with what holds at the next position.
    fn agree(&self, now: &[bool], next: &[bool]) -> bool {
        self.parts.iter().enumerate().all(|(k, part)| match *part {
            Part::Next(f, _) => now[k] == next[f],
            Part::Until(f, g, _) => now[k] == (now[g] || (now[f] && next[k])),
            _ => true,
        })
    }

    /// The acceptance sets of a position, one for each `U`: it does not hold, or its right side does.
    fn fulfilled(&self, now: &[bool]) -> Vec<bool> {
        let until = |(k, part): (usize, &Part)| match *part {
            Part::Until(_, g, _) => Some(!now[k] || now[g]),
            _ => None,
        };
        self.parts.iter().enumerate().filter_map(until).collect()
    }
}

/// An edge between two positions, with the acceptance sets that it is in.
struct Edge {
    from: usize,
    to: usize,
    accepted: Vec<bool>,
}

/// The executions of a model, and what a formula says about them.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    /// The model.
    pub model: &'a Model,
    /// All of its states.
    pub space: &'a StateSpace,
    /// The formula.
    pub formula: &'a Formula,
    /// The atoms that hold in a state to which this transition has led.
    pub letter: &'a dyn Fn(usize, Option<TransitionId>) -> u64,
    /// The processes that are weakly fair.
    pub fair: &'a [ProcessId],
}

/// Whether some fair execution violates a formula; `None` if the graph has more than `limit` positions.
pub fn is_violated(question: &Question<'_>, limit: usize) -> Option<bool> {
    let (positions, edges) = graph(question, limit)?;
    Some(has_accepted_execution(positions, &edges))
}

/// All positions that can be reached from one where the formula is false, and the edges between them.
fn graph(question: &Question<'_>, limit: usize) -> Option<(usize, Vec<Edge>)> {
    let mut parts = Parts {
        parts: Vec::new(),
        free: 0,
    };
    let whole = parts.add(question.formula);
    let mut number: HashMap<(usize, u64, u64), usize> = HashMap::new();
    let mut positions = Vec::new();
    let mut position = |key: (usize, u64, u64), positions: &mut Vec<_>| {
        *number.entry(key).or_insert_with(|| {
            positions.push(key);
            positions.len() - 1
        })
    };
    let first = (question.letter)(0, None);
    for choice in 0..1 << parts.free {
        if !parts.values(first, choice)[whole] {
            position((0, first, choice), &mut positions);
        }
    }
    let mut edges = Vec::new();
    let mut from = 0;
    while from < positions.len() {
        if positions.len() > limit {
            return None;
        }
        let (state, letter, choice) = positions[from];
        let now = parts.values(letter, choice);
        for (taken, next) in steps(question, state) {
            let mut accepted = parts.fulfilled(&now);
            accepted.extend(question.fair.iter().map(|p| is_just(question, state, taken, *p)));
            let letter = (question.letter)(next, taken);
            for choice in 0..1 << parts.free {
                if parts.agree(&now, &parts.values(letter, choice)) {
                    edges.push(Edge {
                        from,
                        to: position((next, letter, choice), &mut positions),
                        accepted: accepted.clone(),
                    });
                }
            }
        }
        from += 1;
    }
    Some((positions.len(), edges))
}

/// The transitions of a state, but for those of monitors. Where there are none, the state is repeated.
fn steps(question: &Question<'_>, state: usize) -> Vec<(Option<TransitionId>, usize)> {
    let edges = question.space.edges(state);
    let mut steps: Vec<_> = edges
        .filter(|(t, _)| !question.model.is_monitors(*t))
        .map(|(t, to)| (Some(t), to))
        .collect();
    if steps.is_empty() {
        steps.push((None, state));
    }
    steps
}

/// Whether a process moves with this transition, or cannot move in this state.
fn is_just(question: &Question<'_>, state: usize, taken: Option<TransitionId>, process: ProcessId) -> bool {
    let moves = |t: TransitionId| question.model.active(t).contains(&process);
    let can = steps(question, state).iter().any(|(t, _)| t.is_some_and(moves));
    !can || taken.is_some_and(moves)
}

/// Emerson and Lei's fixpoint.
fn has_accepted_execution(positions: usize, edges: &[Edge]) -> bool {
    let sets = edges.first().map_or(0, |edge| edge.accepted.len());
    let mut inside = vec![true; positions];
    loop {
        let before = inside.clone();
        // Without acceptance sets, an edge within the fixpoint is enough.
        for set in 0..sets.max(1) {
            let mut reaches = vec![false; positions];
            let mut changed = true;
            while changed {
                changed = false;
                for edge in edges.iter().rev().filter(|e| inside[e.from] && inside[e.to]) {
                    let good = edge.accepted.get(set).is_none_or(|accepted| *accepted) || reaches[edge.to];
                    if good && !reaches[edge.from] {
                        reaches[edge.from] = true;
                        changed = true;
                    }
                }
            }
            inside = reaches;
        }
        if inside == before {
            return inside.contains(&true);
        }
    }
}

/// A formula with at most `size` operators and atoms, over the first `atoms` atoms.
pub fn random_formula(rng: &mut Rng, size: usize, atoms: u32, next: bool) -> Formula {
    use Formula::*;
    if size <= 1 {
        return Atom(AtomId(rng.u32(..atoms)));
    }
    let kind = rng.u32(..if size == 2 { 6 } else { 15 });
    if kind < 6 {
        let f = Box::new(random_formula(rng, size - 1, atoms, next));
        return match kind {
            0 => Not(f),
            1 if next => Next(f),
            2 | 3 => Eventually(f),
            _ => Always(f),
        };
    }
    let left = rng.usize(1..size - 1);
    let f = Box::new(random_formula(rng, left, atoms, next));
    let g = Box::new(random_formula(rng, size - 1 - left, atoms, next));
    match kind {
        6 | 7 => And(f, g),
        8 | 9 => Or(f, g),
        10 | 11 => Implies(f, g),
        12 => Until(f, g),
        13 => Release(f, g),
        _ => WeakUntil(f, g),
    }
}
