//! The tableau as in textbooks: a state is a consistent choice of which subformulas hold.
//!
//! Vardi and Wolper (1986); Baier and Katoen, *Principles of Model Checking*, 5.2. The formula
//! is decomposed into atoms, `!`, `&&`, `X` and `U`. A state chooses which of the atoms, the `X` and
//! the `U` subformulas hold now; the others follow. It leads to another state if its choices for `X`
//! and `U` agree with that state; a run is accepting if for each `U`, infinitely often, it does not
//! hold or its right side does. Shares no code with the library.

use std::collections::{HashMap, HashSet};

use mazurka_logic::{Buchi, Formula};

enum Part {
    True,
    Atom(u32),
    Not(usize),
    And(usize, usize),
    Next(usize),
    Until(usize, usize),
}

/// The tableau of a formula: all of its states, with what each says about each part.
pub struct Tableau {
    parts: Vec<Part>,
    states: Vec<Vec<bool>>,
    atoms: u32,
    /// For each state, those that agree with what it says about the next position.
    successors: Vec<Vec<usize>>,
}

impl Tableau {
    /// `None` if it would be too large.
    pub fn new(formula: &Formula, atoms: u32) -> Option<Self> {
        let mut parts = vec![];
        add(formula, &mut parts);
        let free = parts
            .iter()
            .filter(|part| matches!(part, Part::Next(_) | Part::Until(..)))
            .count();
        if free + atoms as usize > 9 {
            return None;
        }
        let mut states = vec![];
        for choice in 0..1_u64 << (free + atoms as usize) {
            let mut says: Vec<bool> = vec![];
            let mut bit = atoms as usize;
            let mut consistent = true;
            for part in &parts {
                let value = match *part {
                    Part::True => true,
                    Part::Atom(a) => choice >> a & 1 != 0,
                    Part::Not(f) => !says[f],
                    Part::And(f, g) => says[f] && says[g],
                    Part::Next(_) => {
                        bit += 1;
                        choice >> (bit - 1) & 1 != 0
                    }
                    Part::Until(f, g) => {
                        bit += 1;
                        let value = choice >> (bit - 1) & 1 != 0;
                        consistent &= (!says[g] || value) && (!value || says[f] || says[g]);
                        value
                    }
                };
                says.push(value);
            }
            // The letter of the state comes last.
            says.extend((0..atoms).map(|a| choice >> a & 1 != 0));
            if consistent {
                states.push(says);
            }
        }
        let follows = |s: &[bool], t: &[bool]| {
            parts.iter().enumerate().all(|(i, part)| match *part {
                Part::Next(f) => s[i] == t[f],
                Part::Until(f, g) => s[i] == (s[g] || (s[f] && t[i])),
                _ => true,
            })
        };
        let successors = states
            .iter()
            .map(|s| (0..states.len()).filter(|&t| follows(s, &states[t])).collect());
        let successors = successors.collect();
        Some(Self {
            parts,
            states,
            atoms,
            successors,
        })
    }

    fn letter(&self, state: usize) -> u64 {
        let says = &self.states[state];
        (0..self.atoms as usize)
            .filter(|a| says[self.parts.len() + a])
            .map(|a| 1 << a)
            .sum()
    }

    /// Whether the tableau and the automaton accept a common word.
    pub fn meets(&self, automaton: &Buchi) -> bool {
        let graph = self.product(automaton);
        let untils = self.parts.iter().enumerate().filter_map(|(i, part)| match part {
            Part::Until(_, g) => Some((i, *g)),
            _ => None,
        });
        let mut conditions: Vec<HashSet<Pair>> = vec![graph.keys().copied().collect()];
        conditions[0].retain(|&(_, q)| automaton.is_accepting(automaton.states().nth(q).unwrap()));
        for (until, right) in untils {
            let fulfilled = |&(t, _): &Pair| !self.states[t][until] || self.states[t][right];
            conditions.push(graph.keys().copied().filter(fulfilled).collect());
        }
        // Repeatedly drop what cannot reach each condition within what is left (Emerson and Lei 1986).
        let mut left: HashSet<Pair> = graph.keys().copied().collect();
        loop {
            let before = left.len();
            for condition in &conditions {
                left = reaching(&graph, &left, condition);
            }
            if left.len() == before {
                return !left.is_empty();
            }
        }
    }

    /// The pairs of states that can be reached together, with their successors.
    fn product(&self, automaton: &Buchi) -> HashMap<Pair, Vec<Pair>> {
        let whole = self.parts.len() - 1;
        let starts = (0..self.states.len()).filter(|&t| self.states[t][whole]);
        let mut open: Vec<Pair> = starts.map(|t| (t, automaton.initial().0 as usize)).collect();
        let mut graph = HashMap::new();
        while let Some((t, q)) = open.pop() {
            if graph.contains_key(&(t, q)) {
                continue;
            }
            let state = automaton.states().nth(q).unwrap();
            let edges = automaton
                .edges(state)
                .iter()
                .filter(|edge| edge.guard.contains(self.letter(t)));
            let targets: Vec<usize> = edges.map(|edge| edge.to.0 as usize).collect();
            let next = self.successors[t]
                .iter()
                .flat_map(|&u| targets.iter().map(move |&r| (u, r)));
            let next: Vec<Pair> = next.collect();
            open.extend(&next);
            graph.insert((t, q), next);
        }
        graph
    }
}

/// A state of the tableau and one of the automaton.
type Pair = (usize, usize);

/// What can reach `goal` within `left`, in at least one step.
fn reaching(graph: &HashMap<Pair, Vec<Pair>>, left: &HashSet<Pair>, goal: &HashSet<Pair>) -> HashSet<Pair> {
    let mut found: HashSet<Pair> = HashSet::new();
    loop {
        let leads = |v: &&Pair| {
            graph[v]
                .iter()
                .any(|w| left.contains(w) && (goal.contains(w) || found.contains(w)))
        };
        let more: Vec<Pair> = left
            .iter()
            .filter(|v| !found.contains(v))
            .filter(leads)
            .copied()
            .collect();
        if more.is_empty() {
            return found;
        }
        found.extend(more);
    }
}

/// Adds the parts of a formula in an order in which operands come first; the number of the whole.
fn add(formula: &Formula, parts: &mut Vec<Part>) -> usize {
    use Formula::*;
    let mut put = |part| {
        parts.push(part);
        parts.len() - 1
    };
    match formula {
        True => put(Part::True),
        Atom(a) => put(Part::Atom(a.0)),
        False => {
            let f = put(Part::True);
            put(Part::Not(f))
        }
        Not(f) => {
            let f = add(f, parts);
            parts.push(Part::Not(f));
            parts.len() - 1
        }
        And(f, g) => {
            let (f, g) = (add(f, parts), add(g, parts));
            parts.push(Part::And(f, g));
            parts.len() - 1
        }
        Or(f, g) => add(&not(and(not(*f.clone()), not(*g.clone()))), parts),
        Implies(f, g) => add(&not(and(*f.clone(), not(*g.clone()))), parts),
        Equivalent(f, g) => {
            let (f, g) = (*f.clone(), *g.clone());
            add(&and(not(and(f.clone(), not(g.clone()))), not(and(g, not(f)))), parts)
        }
        Next(f) => {
            let f = add(f, parts);
            parts.push(Part::Next(f));
            parts.len() - 1
        }
        Until(f, g) => {
            let (f, g) = (add(f, parts), add(g, parts));
            parts.push(Part::Until(f, g));
            parts.len() - 1
        }
        Eventually(f) => add(&until(True, *f.clone()), parts),
        Always(f) => add(&not(until(True, not(*f.clone()))), parts),
        Release(f, g) => add(&not(until(not(*f.clone()), not(*g.clone()))), parts),
        WeakUntil(f, g) => {
            let (f, g) = (*f.clone(), *g.clone());
            add(&not(until(and(f.clone(), not(g.clone())), and(not(f), not(g)))), parts)
        }
    }
}

fn not(f: Formula) -> Formula {
    Formula::Not(Box::new(f))
}

fn and(f: Formula, g: Formula) -> Formula {
    Formula::And(Box::new(f), Box::new(g))
}

fn until(f: Formula, g: Formula) -> Formula {
    Formula::Until(Box::new(f), Box::new(g))
}
