//! A conditional dependency relation written out over a state space.
//!
//! The definitions need the same pairs again and again, so the relation is asked
//! once for each state and pair.

use crate::StateSpace;
use mazurka_core::{Dependency, TransitionId};

/// For each state and pair of transitions, whether the relation calls them independent.
#[derive(Clone, Debug)]
pub struct IndependenceTable {
    transitions: usize,
    independent: Vec<bool>,
}

impl IndependenceTable {
    /// Asks `dependency` about everything.
    pub fn new(space: &StateSpace, dependency: &dyn Dependency<TransitionId>) -> Self {
        let transitions = space.next[0].len();
        let mut independent = Vec::with_capacity(space.states.len() * transitions * transitions);
        for state in &space.bytes {
            for t in 0..transitions {
                for u in 0..transitions {
                    let (t, u) = (TransitionId::new(t), TransitionId::new(u));
                    independent.push(dependency.independent(state, t, u));
                }
            }
        }
        Self {
            transitions,
            independent,
        }
    }

    /// Whether `t` and `u` are independent in the state with this number.
    pub fn independent(&self, state: usize, t: TransitionId, u: TransitionId) -> bool {
        self.independent[(state * self.transitions + t.index()) * self.transitions + u.index()]
    }
}
