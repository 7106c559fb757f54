//! The naive automaton: all states that an execution has passed in some order.
//!
//! Section 3.1 of the paper: a set of pairs `(s, A)` for the ways to write the execution as
//! `u1 u2`, where `s` is the state after `u1` and `A` says which steps could be
//! moved before `u2`. A step `a` turns `(s, A)` into `(s, A + a)` and, if it is
//! independent of `A`, also into `(δ(s, a), A)`.
//!
//! Departure: `A` is the set of participants of `u2`, not of its labels. As independence means
//! that there is no common participant, this is equivalent and needs fewer pairs.

use std::collections::BTreeSet;

use mazurka_core::bitset;

use super::{ComponentId, SnapshotAutomaton};

/// All subsumed states, as lists of the components' local states `L`.
///
/// ```
/// use mazurka_logic::snapshot::Tracker;
/// let mut tracker = Tracker::new(vec!['a', 'x']);
/// tracker.advance(&[0b01], |_| 'b'); // component 0 moves
/// tracker.advance(&[0b10], |_| 'y'); // then component 1
/// // The moves are independent, so component 1 could have been first.
/// assert!(tracker.states().any(|state| state == ['a', 'y']));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tracker<L> {
    pairs: BTreeSet<(Vec<L>, Vec<u64>)>,
}

impl<L: Clone + Ord> Tracker<L> {
    /// The automaton before the first step.
    pub fn new(initial: Vec<L>) -> Self {
        let nobody = vec![0; bitset::words_for(initial.len())];
        Self {
            pairs: BTreeSet::from([(initial, nobody)]),
        }
    }

    /// Reads a step; `after` gives the local state of a participant after it.
    pub fn advance(&mut self, participants: &[u64], after: impl Fn(ComponentId) -> L) {
        let mut next = BTreeSet::new();
        for (state, later) in &self.pairs {
            if !bitset::intersects(later, participants) {
                let mut moved = state.clone();
                bitset::iter(participants).for_each(|component| moved[component] = after(ComponentId::new(component)));
                next.insert((moved, later.clone()));
            }
            let mut later = later.clone();
            bitset::union(&mut later, participants);
            next.insert((state.clone(), later));
        }
        self.pairs = next;
    }

    /// The states that were passed, some of them more than once.
    pub fn states(&self) -> impl Iterator<Item = &[L]> {
        self.pairs.iter().map(|(state, _)| &**state)
    }

    /// The number of pairs that are remembered.
    pub fn size(&self) -> usize {
        self.pairs.len()
    }
}

/// Here a local state is the truth value of the component's conjunct.
impl SnapshotAutomaton for Tracker<bool> {
    fn step(&mut self, participants: &[u64], satisfied: &[u64]) {
        self.advance(participants, |component| bitset::contains(satisfied, component.index()));
    }

    fn is_passed(&self) -> bool {
        self.states().any(|state| state.iter().all(|holds| *holds))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two processes that move alone: all four combinations are passed, two of them not on the way.
    #[test]
    fn independent_steps_pass_through_every_combination() {
        let mut tracker = Tracker::new(vec![0, 0]);
        tracker.advance(&[0b01], |_| 1);
        tracker.advance(&[0b10], |_| 1);
        let states: BTreeSet<_> = tracker.states().collect();
        assert_eq!(states.len(), 4);
        assert!(states.contains(&[0, 1][..]));
    }

    /// A third one that meets both orders them.
    #[test]
    fn a_common_partner_orders_steps() {
        let mut tracker = Tracker::new(vec![0, 0, 0]);
        tracker.advance(&[0b101], |_| 1);
        tracker.advance(&[0b110], |_| 2);
        assert!(!tracker.states().any(|state| state[0] == 0 && state[1] == 2));
    }
}
