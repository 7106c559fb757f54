//! A full search over typed states, and the answers that follow from it by definition.

use super::world::{Action, State, World};
use mazurka_core::typed::Model;
use std::collections::{HashMap, HashSet};

/// Everything that can be reached: per state, what can happen there and where it leads.
pub(crate) struct Everything {
    pub(crate) edges: HashMap<State, Vec<(Action, State)>>,
}

/// Everything that can be reached, unless that is more than `most` states.
pub(crate) fn everything(world: &World, most: usize) -> Option<Everything> {
    let mut edges = HashMap::new();
    let mut work = vec![world.initial()];
    while let Some(state) = work.pop() {
        if edges.contains_key(&state) {
            continue;
        }
        if edges.len() == most {
            return None;
        }
        let mut actions = Vec::new();
        world.actions(&state, &mut actions);
        let step = |action: Action| {
            let mut next = state.clone();
            world.apply(&mut next, action);
            (action, next)
        };
        let steps: Vec<_> = actions.into_iter().map(step).collect();
        work.extend(steps.iter().map(|(_, next)| next.clone()));
        edges.insert(state, steps);
    }
    Some(Everything { edges })
}

impl Everything {
    pub(crate) fn transitions(&self) -> usize {
        self.edges.values().map(Vec::len).sum()
    }

    /// The deadlocks, and how many other states have no successors.
    pub(crate) fn deadlocks(&self, world: &World) -> (HashSet<State>, u64) {
        let stuck = self.edges.iter().filter(|(_, steps)| steps.is_empty());
        let (ends, deadlocks): (Vec<_>, Vec<_>) = stuck.map(|(state, _)| state).partition(|s| world.may_end(s));
        (deadlocks.into_iter().cloned().collect(), ends.len() as u64)
    }

    pub(crate) fn sometimes(&self, holds: impl Fn(&State) -> bool) -> bool {
        self.edges.keys().any(holds)
    }

    /// Whether every execution passes a state where it is true. The states from which it can stay false for ever are
    /// found by repeatedly removing, from the states where it is false, those from which it cannot.
    pub(crate) fn eventually(&self, world: &World, holds: impl Fn(&State) -> bool) -> bool {
        let mut never: HashSet<&State> = self.edges.keys().filter(|state| !holds(state)).collect();
        loop {
            let stays = |state: &&State| {
                let steps = &self.edges[*state];
                steps.is_empty() || steps.iter().any(|(_, next)| never.contains(next))
            };
            let left: HashSet<&State> = never.iter().copied().filter(stays).collect();
            if left.len() == never.len() {
                return !never.contains(&world.initial());
            }
            never = left;
        }
    }
}
