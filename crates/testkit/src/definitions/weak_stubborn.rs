//! Weak stubborn sets (thesis, Note 4.31; Valmari's conditions D1 and D2).

use crate::StateSpace;
use mazurka_core::{Model, TransitionId};
use std::collections::BTreeSet;

/// Whether `set`, of transitions enabled or not, is a weak stubborn set in a state:
///
/// * D1: whenever a sequence of non-members and then a member `t` can be executed,
///   `t` and then the sequence can be executed, and leads to the same state;
/// * D2: some enabled member stays enabled whatever non-members are executed.
///
/// # Errors
/// What is wrong.
pub fn weak_stubborn(
    model: &Model,
    space: &StateSpace,
    state: usize,
    set: &BTreeSet<TransitionId>,
) -> Result<(), String> {
    let name = |t: TransitionId| model.transition_name(t);
    for t in set {
        // Pairs of a state that non-members reach, and where the same sequence
        // leads after `t`; `None` if it cannot be executed there.
        let start = (state, space.after(state, *t));
        let mut seen = BTreeSet::from([start]);
        let mut open = vec![start];
        while let Some((here, after)) = open.pop() {
            if let Some(end) = space.after(here, *t)
                && after != Some(end)
            {
                return Err(format!("D1: `{}` cannot be moved to the front", name(*t)));
            }
            for (u, to) in space.edges(here).filter(|(u, _)| !set.contains(u)) {
                let pair = (to, after.and_then(|s| space.after(s, u)));
                if seen.insert(pair) {
                    open.push(pair);
                }
            }
        }
    }
    let outside = reached_without(space, state, set);
    let stays = |t: &&TransitionId| outside.iter().all(|s| space.after(*s, **t).is_some());
    match set.iter().find(stays) {
        Some(_) => Ok(()),
        None => Err("D2: every member can be disabled".into()),
    }
}

/// The states that non-members reach.
fn reached_without(space: &StateSpace, state: usize, set: &BTreeSet<TransitionId>) -> BTreeSet<usize> {
    let mut seen = BTreeSet::from([state]);
    let mut open = vec![state];
    while let Some(here) = open.pop() {
        for (_, to) in space.edges(here).filter(|(u, _)| !set.contains(u)) {
            if seen.insert(to) {
                open.push(to);
            }
        }
    }
    seen
}
