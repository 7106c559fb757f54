//! Possibility detection by decomposition (Stoller and Schneider, WDAG 1995).
//!
//! If the local states of some processes are fixed, each conjunct that reads at most
//! one other process becomes a predicate of that process alone, and conjunctions of
//! such predicates are easy. So: choose a small *fixed set* F of processes such that
//! every conjunct reads at most one process outside F; for each combination of
//! pairwise concurrent local states of F, look for the least cut that contains it and
//! satisfies the rest, as [`super::conjunctive`] does. The combinations are visited
//! in lexical order, as in [`super::enumerate`].

use super::Explored;
use crate::causality::{Causality, Cut};
use crate::clocks::Clocks;
use crate::condition::Condition;
use mazurka_core::{End, Limits, ProcessId, Watch};

/// A smallest set of processes such that every conjunct reads at most one process
/// outside it, or a small one if there are many processes.
pub(crate) fn fixed_set(condition: &Condition<'_>) -> Vec<ProcessId> {
    let edges: Vec<&[ProcessId]> = condition.conjuncts().iter().map(|c| c.support.as_slice()).collect();
    let wide = |chosen: &[ProcessId]| {
        edges
            .iter()
            .find(|e| e.iter().filter(|p| !chosen.contains(p)).count() > 1)
            .copied()
    };
    // Iterative deepening: some process of an uncovered conjunct, except one, is chosen.
    fn cover<'e>(
        wide: &dyn Fn(&[ProcessId]) -> Option<&'e [ProcessId]>,
        chosen: &mut Vec<ProcessId>,
        size: usize,
        budget: &mut u32,
    ) -> bool {
        let Some(edge) = wide(chosen) else { return true };
        if chosen.len() == size || *budget == 0 {
            return false;
        }
        *budget -= 1;
        for &p in edge {
            if !chosen.contains(&p) {
                chosen.push(p);
                if cover(wide, chosen, size, budget) {
                    return true;
                }
                chosen.pop();
            }
        }
        false
    }
    let mut budget = 20_000;
    for size in 0..=condition.processes() {
        let mut chosen = Vec::new();
        if cover(&wide, &mut chosen, size, &mut budget) {
            chosen.sort_unstable();
            return chosen;
        }
    }
    ProcessId::first(condition.processes()).collect()
}

/// Looks for a cut in which the condition holds.
pub(crate) fn possibly(
    order: &Causality,
    clocks: &Clocks,
    condition: &Condition<'_>,
    limits: Limits<'_>,
) -> Explored<Option<Cut>> {
    let fixed = fixed_set(condition);
    let mut watch = Watch::new(limits);
    let (mut states, mut transitions) = (0u64, 0u64);
    // The combination of fixed states: `picked[d]` for the d-th process of the set.
    let mut picked: Vec<u32> = Vec::with_capacity(fixed.len());
    let mut next = 0;
    loop {
        let depth = picked.len();
        if depth == fixed.len() {
            states += 1;
            let found = complete(order, clocks, condition, &fixed, &picked, &mut transitions);
            let exceeded = watch.exceeded(states, || 0);
            if found.is_some() || exceeded.is_some() {
                return Explored {
                    end: exceeded.filter(|_| found.is_none()).map_or(End::Stopped, End::Limit),
                    result: found,
                    states,
                    transitions,
                };
            }
        } else {
            let p = fixed[depth];
            let fits = |state: u32| (0..depth).all(|d| clocks.concurrent(fixed[d], picked[d], p, state));
            if let Some(state) = (next..=order.events(p)).find(|&s| fits(s)) {
                picked.push(state);
                next = 0;
                continue;
            }
        }
        match picked.pop() {
            Some(state) => next = state + 1,
            None => break,
        }
    }
    Explored {
        result: None,
        states,
        transitions,
        end: End::Complete,
    }
}

/// The least cut with these states of the fixed processes in which the condition
/// holds, if there is one.
fn complete(
    order: &Causality,
    clocks: &Clocks,
    condition: &Condition<'_>,
    fixed: &[ProcessId],
    picked: &[u32],
    transitions: &mut u64,
) -> Option<Cut> {
    let mut cut: Cut = order
        .process_ids()
        .map(|p| {
            let known = fixed.iter().zip(picked).map(|(f, state)| clocks.known(*f, *state, p));
            known.max().unwrap_or(0)
        })
        .collect();
    for (f, state) in fixed.iter().zip(picked) {
        if cut[f.index()] != *state {
            return None;
        }
    }
    loop {
        let wrong = (0..condition.conjuncts().len()).find(|&c| !condition.conjunct_holds(c, &cut));
        let Some(c) = wrong else { return Some(cut) };
        // A process that is not fixed must go on; if there is none, this combination fails.
        let support = &condition.conjuncts()[c].support;
        let p = *support.iter().find(|p| !fixed.contains(p))?;
        if cut[p.index()] == order.events(p) {
            return None;
        }
        *transitions += 1;
        cut[p.index()] += 1;
        for q in order.process_ids().filter(|q| *q != p) {
            let known = clocks.known(p, cut[p.index()], q);
            if known > cut[q.index()] {
                if fixed.contains(&q) {
                    return None;
                }
                cut[q.index()] = known;
            }
        }
    }
}
