//! From an accepting component to a counterexample that can be read.
//!
//! The depth-first search knows that a component is accepting, and a way to it that
//! may be very long. The lasso is looked for breadth first: a shortest way through
//! stored states to the component; on to the nearest edge inside it with a mark;
//! from there, always the nearest edge with a mark that is still missing; and back.
//! Each piece is shortest, their sum need not be: a shortest cycle through all sets
//! is NP-hard to find. All enabled transitions are looked at, also those that the
//! reduction left out, since an edge between members is part of a cycle of the
//! system in any case.

use super::acceptance::Acceptance;
use crate::ids::StateId;
use crate::store::{FlatStore, Readable, Store, Stored};
use crate::system::System;

/// An infinite execution: the prefix, and then the cycle for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lasso<T> {
    /// From the initial state to the first state of the cycle.
    pub prefix: Vec<T>,
    /// From there back to it; never empty.
    pub cycle: Vec<T>,
}

/// The marks of an edge: what its transition has, and what the state has that it leaves.
#[inline]
pub(super) fn marks<T: Copy>(acceptance: &(impl Acceptance<T> + ?Sized), from: &[u8], t: T, to: &[u8]) -> u64 {
    acceptance.state_marks(from) | acceptance.transition_marks(from, t, to)
}

/// A way by shortest pieces, and the state that it leads to.
struct Way<T> {
    transitions: Vec<T>,
    to: Vec<u8>,
}

/// Says of an edge whether it is the one that is looked for.
type Goal<'a, T> = &'a dyn Fn(&[u8], T, &[u8]) -> bool;

/// The shortest way from `start` through states that are `inside` whose last edge is
/// a `goal`; `None` if there is none or it was time to `stop`.
fn nearest<S: System>(
    system: &S,
    start: &[u8],
    inside: &dyn Fn(&[u8]) -> bool,
    goal: Goal<'_, S::Transition>,
    stop: &mut dyn FnMut() -> bool,
) -> Option<Way<S::Transition>> {
    let mut seen = FlatStore::new(system.state_len());
    // Per seen state but the first: where it was reached from, and how.
    let mut reached: Vec<(usize, S::Transition)> = Vec::new();
    let (mut from, mut next, mut enabled, mut scratch) = (Vec::new(), Vec::new(), Vec::new(), system.scratch());
    seen.insert(start);
    let mut k = 0;
    while k < seen.len() {
        seen.read(StateId::new(k), &mut from);
        enabled.clear();
        system.enabled(&from, &mut enabled);
        for t in &enabled {
            if system.fire(&mut scratch, &from, *t, &mut next).is_err() || !inside(&next) {
                continue;
            }
            if goal(&from, *t, &next) {
                let mut transitions = vec![*t];
                while k > 0 {
                    let (before, t) = reached[k - 1];
                    transitions.push(t);
                    k = before;
                }
                transitions.reverse();
                return Some(Way { transitions, to: next });
            }
            if let Stored::New(_) = seen.insert(&next) {
                reached.push((k, *t));
            }
        }
        if stop() {
            return None;
        }
        k += 1;
    }
    None
}

/// The lasso of an accepting component: `member` says which states are in it,
/// `stored` which states to go through to get there, `known` is a way to a member,
/// to be taken if it is time to `stop` looking for a shorter one.
pub(super) fn lasso<S: System>(
    system: &S,
    acceptance: &dyn Acceptance<S::Transition>,
    stored: &dyn Fn(&[u8]) -> bool,
    member: &dyn Fn(&[u8]) -> bool,
    known: &[S::Transition],
    stop: &mut dyn FnMut() -> bool,
) -> Lasso<S::Transition> {
    let (mut state, mut next, mut scratch) = (Vec::new(), Vec::new(), system.scratch());
    system.initial(&mut state);
    let mut prefix = Vec::new();
    if !member(&state) {
        match nearest(system, &state, stored, &|_, _, to| member(to), stop) {
            Some(way) => (prefix, state) = (way.transitions, way.to),
            None => {
                for t in known {
                    system
                        .fire(&mut scratch, &state, *t, &mut next)
                        .expect("it was executed before");
                    std::mem::swap(&mut state, &mut next);
                }
                prefix.extend_from_slice(known);
            }
        }
    }
    let found = "an accepting component has an edge with each mark and a way back";
    let never = &mut || false;
    let mut missing = all_sets(acceptance.sets());
    let mut cycle = Vec::new();
    let mut start = state.clone();
    while missing != 0 {
        let wanted = |from: &[u8], t, to: &[u8]| marks(acceptance, from, t, to) & missing != 0;
        let mut way = nearest(system, &state, member, &wanted, never).expect(found);
        let last = way.transitions.pop().expect("a way has a last edge");
        for t in &way.transitions {
            system
                .fire(&mut scratch, &state, *t, &mut next)
                .expect("it was executed before");
            std::mem::swap(&mut state, &mut next);
        }
        missing &= !marks(acceptance, &state, last, &way.to);
        if cycle.is_empty() {
            // The cycle begins at the first mark: what comes before is prefix.
            prefix.append(&mut way.transitions);
            start.clone_from(&state);
        }
        cycle.append(&mut way.transitions);
        cycle.push(last);
        state = way.to;
    }
    if cycle.is_empty() || state != start {
        let back = nearest(system, &state, member, &|_, _, to| to == start, never);
        cycle.append(&mut back.expect(found).transitions);
    }
    Lasso { prefix, cycle }
}

/// The marks of this many sets, at most 64.
pub(super) fn all_sets(sets: usize) -> u64 {
    match sets {
        0 => 0,
        _ => u64::MAX >> (64 - sets),
    }
}
