//! Witnesses: what shows an answer, in terms of the whole computation.
//!
//! Methods work on the events that matter. A cut of those is the least cut of the
//! whole that contains them; a history of those is completed by the others, each as
//! soon as it is needed. Both are then checked against the definitions.

use super::{DetectError, Witness, plain, sequences};
use crate::causality::{Causality, Cut, Event};
use crate::computation::Computation;
use crate::condition::{Condition, Reading};
use crate::narrow::short;
use crate::predicate::{Formula, Read};
use mazurka_core::{End, Limits, ProcessId};
use std::collections::HashSet;

/// States that may be looked at to make a witness smaller.
const EFFORT: u64 = 200_000;

/// The least cut of the whole order that contains a cut of the kept events.
pub(super) fn raw_cut(order: &Causality, condition: &Condition<'_>, cut: &[u32]) -> Cut {
    let states = order.process_ids().zip(cut);
    let mut raw: Cut = states.map(|(p, state)| condition.changes(p)[*state as usize]).collect();
    order.close(&vec![0; raw.len()], &mut raw);
    raw
}

/// The cuts of a history, given its events.
pub(super) fn cuts_of(order: &Causality, run: &[Event]) -> Vec<Cut> {
    let mut cut = vec![0; order.processes()];
    let mut path = vec![cut.clone()];
    for event in run {
        cut[event.process.index()] = event.index;
        path.push(cut.clone());
    }
    path
}

/// A history of the whole computation, given its kept events in order.
pub(super) fn raw_path(order: &Causality, condition: &Condition<'_>, run: &[Event]) -> Vec<Cut> {
    let mut cut = vec![0; order.processes()];
    let mut events = Vec::new();
    let mut go_to = |target: Cut| {
        events.extend(plain::run_between(order, &cut, &target));
        cut = target;
        cut.clone()
    };
    let mut now = vec![0; order.processes()];
    for event in run {
        let mut target = now.clone();
        target[event.process.index()] = condition.changes(event.process)[event.index as usize];
        order.close(&now, &mut target);
        now = go_to(target);
    }
    go_to(order.last_cut());
    cuts_of(order, &events)
}

/// A history through the levels of a lattice, from the last back to the first.
pub(super) fn path_through(order: &Causality, levels: &[HashSet<Cut>]) -> Vec<Cut> {
    let mut path = vec![order.last_cut()];
    for level in levels.iter().rev().skip(1) {
        let cut = path.last().expect("there is one").clone();
        let before = (0..cut.len()).find_map(|p| {
            let mut before = cut.clone();
            before[p] = before[p].checked_sub(1)?;
            level.contains(&before).then_some(before)
        });
        path.push(before.expect("each level is reached from the one before"));
    }
    path.reverse();
    path
}

/// A cut as a witness: made smaller, and checked.
pub(super) fn cut(
    computation: &Computation,
    formula: &Formula,
    found: Cut,
    minimal: bool,
    limits: Limits<'_>,
) -> Result<Witness, DetectError> {
    let (cut, minimal) = match minimal {
        true => (found, true),
        false => minimise(computation, formula, found, limits),
    };
    let holds = matches!(plain::truth(computation, formula, &cut), Ok(true));
    if !holds || !computation.causality().is_consistent(&cut) {
        return Err(DetectError::Internal(format!("{cut:?} is not a witness")));
    }
    let order = computation.causality();
    Ok(Witness::Cut {
        run: plain::run_between(order, &vec![0; cut.len()], &cut),
        observed: observed(computation, formula),
        cut,
        minimal,
    })
}

/// A history as a witness, checked.
pub(super) fn path(computation: &Computation, formula: &Formula, path: Vec<Cut>) -> Result<Witness, DetectError> {
    match plain::avoids(computation, formula, &path) {
        true => Ok(Witness::Path(path)),
        false => Err(DetectError::Internal(
            "a history does not avoid the predicate".to_owned(),
        )),
    }
}

/// The error for a cut in which the predicate has no value.
pub(super) fn undefined(computation: &Computation, formula: &Formula, cut: Cut) -> DetectError {
    match plain::truth(computation, formula, &cut) {
        Ok(_) => DetectError::Internal("a predicate without a value has one".to_owned()),
        Err((atom, error)) => {
            let read = error.read.and_then(|at| formula.atoms[atom].reads.get(at));
            DetectError::Undefined {
                message: error.message,
                span: error.span,
                record: read.map(|r| undefined_record(computation, r, &cut)),
                cut,
            }
        }
    }
}

/// The event that assigned a value in a cut, or that of the state in which there is none.
pub(crate) fn undefined_record(computation: &Computation, read: &Read, cut: &[u32]) -> Event {
    let variable = computation.variable(&read.variable);
    let column = variable.map_or(&[][..], |v| computation.assignments(read.process, v));
    let now = cut[read.process.index()];
    let given = column.iter().rev().find(|(event, _)| *event <= now);
    Event::new(read.process, given.map_or(now, |(event, _)| *event))
}

/// A smallest cut, if one is found soon; otherwise a cut that has none below it, or
/// the one that was found first.
fn minimise(computation: &Computation, formula: &Formula, found: Cut, limits: Limits<'_>) -> (Cut, bool) {
    let condition = Condition::new(computation, formula, Reading::Certain);
    let order = condition.projected_order();
    let state = |p: ProcessId, events: u32| short(condition.changes(p).partition_point(|k| *k <= events)) - 1;
    let mut cut: Cut = order.process_ids().zip(&found).map(|(p, k)| state(p, *k)).collect();
    let mut effort = EFFORT;
    let weight = |cut: &[u32]| {
        let raw = raw_cut(computation.causality(), &condition, cut);
        raw.iter().map(|k| u64::from(*k)).sum()
    };
    // The kept events and those before them in their processes, without what they follow.
    let at_least = |cut: &[u32]| {
        let states = order.process_ids().zip(cut);
        states.map(|(p, k)| u64::from(condition.changes(p)[*k as usize])).sum()
    };
    let scales = sequences::Scales {
        bound: weight(&cut),
        weight: &weight,
        at_least: &at_least,
    };
    let mut bounded = limits;
    bounded.states = Some(EFFORT);
    let lighter = sequences::lightest(&order, &condition, scales, bounded);
    if let Some(smaller) = lighter.result {
        cut = smaller;
    }
    if lighter.end == End::Complete {
        return (raw_cut(computation.causality(), &condition, &cut), true);
    }
    // A smaller cut lacks the last event of some process; those that lack one that was
    // searched for in vain need no second search, since later cuts are below.
    let mut p = 0;
    while p < cut.len() {
        let mut ceiling = cut.clone();
        if cut[p] == 0 {
            p += 1;
            continue;
        }
        ceiling[p] -= 1;
        lower(&order, &mut ceiling);
        let mut limits = limits;
        limits.states = Some(effort);
        let explored = sequences::possibly(&order, &condition, &ceiling, limits);
        effort = effort.saturating_sub(explored.states);
        match (explored.result, explored.end) {
            (Some(smaller), _) => cut = smaller,
            (None, End::Limit(_)) => return (raw_cut(computation.causality(), &condition, &cut), false),
            (None, _) => p += 1,
        }
    }
    (raw_cut(computation.causality(), &condition, &cut), true)
}

/// Makes `cut` the largest consistent cut below it.
fn lower(order: &Causality, cut: &mut [u32]) {
    loop {
        let mut changed = false;
        for p in order.process_ids() {
            let ok = |index: u32, cut: &[u32]| order.causes(p, index).iter().all(|c| c.index <= cut[c.process.index()]);
            if let Some(bad) = (1..=cut[p.index()]).find(|&index| !ok(index, cut)) {
                cut[p.index()] = bad - 1;
                changed = true;
            }
        }
        if !changed {
            return;
        }
    }
}

/// Whether the order of the input passed through a state that satisfies the predicate.
fn observed(computation: &Computation, formula: &Formula) -> Option<bool> {
    let order = computation.causality();
    let mut events = Vec::with_capacity(usize::try_from(order.total()).unwrap_or(0));
    for p in order.process_ids() {
        for index in 1..=order.events(p) {
            let place = computation.place(p, index)?;
            events.push((place.file, place.offset, Event::new(p, index)));
        }
    }
    events.sort_unstable();
    if events.first().map(|e| e.0) != events.last().map(|e| e.0) {
        return None;
    }
    let condition = Condition::new(computation, formula, Reading::Certain);
    let mut cut = vec![0; order.processes()];
    let mut states = cut.clone();
    let mut passed = condition.holds(&states);
    for (_, _, event) in events {
        let p = event.process.index();
        if cut[p] + 1 != event.index || !order.is_enabled(event.process, &cut) {
            return None;
        }
        cut[p] += 1;
        if condition.changes(event.process).get(states[p] as usize + 1) == Some(&event.index) {
            states[p] += 1;
            passed |= condition.holds(&states);
        }
    }
    Some(passed)
}
