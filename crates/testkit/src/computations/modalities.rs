//! Possibly and Definitely by definition, and checks of their witnesses.
//!
//! A history is a sequence of consistent cuts from the first to the last, each an
//! immediate successor of the one before. Possibly Φ: some consistent cut
//! satisfies Φ. Definitely Φ: every history contains a cut that satisfies Φ
//! (paper, section 2). A history that avoids Φ is a path in the lattice through
//! cuts that do not satisfy it, so Definitely Φ is false iff such a path leads
//! from the first cut to the last.
//!
//! A predicate that is an error in a cut does not hold there: to satisfy is to be
//! [`Truth::True`]. [`error`] finds such cuts.

use super::lattice::{HappenedBefore, all_cuts, successors};
use super::truth::Truth;
use mazurka_trace::{Computation, Cut};
use std::collections::BTreeMap;

/// What it says of a cut.
pub type Predicate<'a> = dyn Fn(&[u32]) -> Truth + 'a;

/// Whether a predicate is true in a cut.
pub fn holds(predicate: &Predicate, cut: &[u32]) -> bool {
    predicate(cut) == Truth::True
}

/// A consistent cut that satisfies the predicate, with as few events as possible.
pub fn possibly(computation: &Computation, predicate: &Predicate) -> Option<Cut> {
    all_cuts(computation).into_iter().find(|cut| holds(predicate, cut))
}

/// Whether every history contains a cut that satisfies the predicate.
pub fn definitely(computation: &Computation, predicate: &Predicate) -> bool {
    avoiding_path(computation, predicate).is_none()
}

/// A history that contains no cut that satisfies the predicate.
pub fn avoiding_path(computation: &Computation, predicate: &Predicate) -> Option<Vec<Cut>> {
    let last = computation.causality().last_cut();
    let reached = reached_avoiding(computation, &last, predicate);
    let mut path = vec![last];
    while let Some(before) = reached.get(&path[path.len() - 1])? {
        path.push(before.clone());
    }
    path.reverse();
    Some(path)
}

/// The consistent cuts contained in the cut `bound` that can be reached from the
/// first cut without satisfying the predicate there or on the way and without
/// leaving `bound`, each with one that it was reached from.
pub fn reached_avoiding(computation: &Computation, bound: &[u32], predicate: &Predicate) -> BTreeMap<Cut, Option<Cut>> {
    let relation = HappenedBefore::of(computation);
    let mut reached = BTreeMap::new();
    let mut todo = vec![(vec![0; computation.processes()], None)];
    while let Some((cut, before)) = todo.pop() {
        if reached.contains_key(&cut) || !is_contained(&cut, bound) || holds(predicate, &cut) {
            continue;
        }
        for next in successors(&relation, &cut) {
            todo.push((next, Some(cut.clone())));
        }
        reached.insert(cut, before);
    }
    reached
}

/// Whether `path` is a history, and none of its cuts satisfies the predicate.
pub fn is_path_avoiding(computation: &Computation, path: &[Cut], predicate: &Predicate) -> bool {
    let n = computation.processes();
    let relation = HappenedBefore::of(computation);
    let last = computation.causality().last_cut();
    let in_range = |cut: &Cut| cut.len() == n && (0..n).all(|p| cut[p] <= last[p]);
    let one_event = |a: &Cut, b: &Cut| {
        let moved: Vec<usize> = (0..n).filter(|&p| a[p] != b[p]).collect();
        matches!(moved[..], [p] if b[p] == a[p] + 1)
    };
    path.iter()
        .all(|cut| in_range(cut) && relation.is_consistent(cut) && !holds(predicate, cut))
        && path.first() == Some(&vec![0; n])
        && path.last() == Some(&last)
        && path.windows(2).all(|step| one_event(&step[0], &step[1]))
}

/// All consistent cuts that satisfy the predicate while no smaller one does.
pub fn minimal(computation: &Computation, predicate: &Predicate) -> Vec<Cut> {
    let satisfying = satisfying(computation, predicate);
    let is_minimal = |cut: &&Cut| !satisfying.iter().any(|other| other != *cut && is_contained(other, cut));
    satisfying.iter().filter(is_minimal).cloned().collect()
}

/// Whether a cut is consistent and satisfies the predicate, and no smaller one does.
pub fn is_minimal(computation: &Computation, cut: &[u32], predicate: &Predicate) -> bool {
    minimal(computation, predicate).iter().any(|m| m == cut)
}

/// The consistent cut that satisfies the predicate and is contained in all
/// others that do, if there is one, as there is for conjunctions of 1-local
/// predicates that can be satisfied.
pub fn least(computation: &Computation, predicate: &Predicate) -> Option<Cut> {
    let satisfying = satisfying(computation, predicate);
    let is_least = |cut: &&Cut| satisfying.iter().all(|other| is_contained(cut, other));
    satisfying.iter().find(is_least).cloned()
}

/// The least number of events in a consistent cut that satisfies the predicate.
pub fn smallest_size(computation: &Computation, predicate: &Predicate) -> Option<u32> {
    let sizes = satisfying(computation, predicate)
        .into_iter()
        .map(|cut| cut.iter().sum());
    sizes.min()
}

/// A consistent cut in which the predicate is an error.
pub fn error(computation: &Computation, predicate: &Predicate) -> Option<Cut> {
    all_cuts(computation)
        .into_iter()
        .find(|cut| predicate(cut) == Truth::Error)
}

fn satisfying(computation: &Computation, predicate: &Predicate) -> Vec<Cut> {
    let mut cuts = all_cuts(computation);
    cuts.retain(|cut| holds(predicate, cut));
    cuts
}

fn is_contained(small: &[u32], large: &[u32]) -> bool {
    small.iter().zip(large).all(|(a, b)| a <= b)
}
