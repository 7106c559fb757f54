//! From marks on transitions to accepting states.
//!
//! A state of the result is a state and a level: how many of the marks, in a fixed order,
//! were collected since the last time that all were. At the highest level the state is
//! accepting and the count starts again. A transition with several marks climbs several
//! levels at once.
//!
//! Gastin and Oddoux (CAV 2001), 5. After Babiak et al., *Compositional approach to
//! suspension and other improvements to LTL translation* (SPIN 2013), 4, levels are kept
//! within a strongly connected component only: a run enters another one at any level, so
//! we take one that the state has already, or one that suits the whole component.

use std::collections::HashMap;

use super::components::bits;
use super::generalised::{Arc, Generalised};

/// Choices that change only the size of the result.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    /// The marks in the order in which they are collected.
    pub(super) order: Vec<u64>,
    /// Whether a component is entered as if all marks had just been collected.
    pub(super) enter_high: bool,
}

impl Choice {
    /// Choices that are worth trying: all orders of a few marks, or all rotations of more.
    pub(super) fn all(marks: u64) -> Vec<Self> {
        let marks: Vec<u64> = bits(marks).collect();
        let mut orders = vec![];
        if marks.len() <= 3 {
            permutations(&mut marks.clone(), 0, &mut orders);
        } else {
            for start in 0..marks.len().min(6) {
                let mut order = marks.clone();
                order.rotate_left(start);
                orders.push(order);
            }
        }
        let both = |order: Vec<u64>| {
            [false, true].map(|enter_high| Self {
                order: order.clone(),
                enter_high,
            })
        };
        orders.into_iter().flat_map(both).collect()
    }
}

fn permutations(marks: &mut [u64], fixed: usize, orders: &mut Vec<Vec<u64>>) {
    if fixed == marks.len() {
        return orders.push(marks.to_vec());
    }
    for i in fixed..marks.len() {
        marks.swap(fixed, i);
        permutations(marks, fixed + 1, orders);
        marks.swap(fixed, i);
    }
}

impl Generalised {
    /// An automaton with the same language and one mark, which all arcs of a state carry or none does.
    ///
    /// Its marks must be in the standard places ([`Generalised::standardise_marks`]).
    pub(super) fn degeneralised(&self, choice: &Choice) -> Generalised {
        let component = self.components();
        let kinds = self.kinds(&component);
        let top = choice.order.len();
        let climb = |level: usize, marks: u64| {
            let from = if level == top { 0 } else { level };
            from + choice.order[from..]
                .iter()
                .take_while(|&&mark| marks & mark != 0)
                .count()
        };
        let mut states: Vec<(usize, usize)> = vec![];
        let mut numbers: HashMap<(usize, usize), usize> = HashMap::new();
        let mut first_level: HashMap<usize, usize> = HashMap::new();
        let mut number = |q: usize, level: usize, states: &mut Vec<(usize, usize)>| {
            *numbers.entry((q, level)).or_insert_with(|| {
                states.push((q, level));
                states.len() - 1
            })
        };
        let mut enter = |q: usize| {
            let kind = kinds[component[q]];
            if !kind.accepting {
                0
            } else if kind.always == self.marks {
                top
            } else {
                *first_level.entry(q).or_insert(if choice.enter_high { top } else { 0 })
            }
        };
        let initial = number(self.initial, enter(self.initial), &mut states);
        let mut arcs: Vec<Vec<Arc>> = vec![];
        while let Some(&(q, level)) = states.get(arcs.len()) {
            let accepting = level == top && kinds[component[q]].accepting;
            let mut own = vec![];
            for arc in &self.arcs[q] {
                let inside = component[arc.to] == component[q] && kinds[component[q]].accepting;
                let level = if inside { climb(level, arc.marks) } else { enter(arc.to) };
                let to = number(arc.to, level, &mut states);
                own.push(Arc {
                    to,
                    marks: u64::from(accepting),
                    guard: arc.guard,
                });
            }
            arcs.push(own);
        }
        Generalised {
            arcs,
            initial,
            marks: 1,
        }
    }

    /// As [`Generalised::standardise_marks`], for an automaton with one mark in which all arcs of a
    /// state carry it or none does; keeps it that way.
    pub(super) fn standardise_accepting(&mut self) {
        let component = self.components();
        let kinds = self.kinds(&component);
        for (q, arcs) in self.arcs.iter_mut().enumerate() {
            let kind = kinds[component[q]];
            let was = arcs.first().is_some_and(|arc| arc.marks != 0);
            let accepting = kind.accepting && (was || kind.always != 0);
            arcs.iter_mut().for_each(|arc| arc.marks = u64::from(accepting));
        }
    }
}
