//! The global state space `A_G` (thesis 2.2), by the plain interpreter alone.
//!
//! Every reachable state is explored with [`Configuration`], which shares no bytes
//! and no tables with the searches. The result tells what a search must find:
//! deadlocks, executed transitions, reached control points, violated properties.

use mazurka_core::{Configuration, LocalId, Model, ProcessId, PropertyId, TransitionId};
use std::collections::{BTreeMap, BTreeSet};

/// All reachable states of a model and all edges between them.
#[derive(Debug)]
pub struct StateSpace {
    /// The states; the initial one is the first.
    pub states: Vec<Configuration>,
    /// The bytes of each state, for questions to the engine.
    pub bytes: Vec<Vec<u8>>,
    /// The number of each state.
    pub number: BTreeMap<Configuration, usize>,
    /// Per state and transition: the successor, if the transition is enabled.
    pub next: Vec<Vec<Option<usize>>>,
    /// Properties that executing some transition somewhere violates.
    pub violated: BTreeSet<PropertyId>,
}

impl StateSpace {
    /// Explores everything; `None` if there are more than `limit` states.
    ///
    /// # Panics
    /// If a transition fails: the models of these tests have no faults.
    pub fn explore(model: &Model, limit: usize) -> Option<Self> {
        let initial = Configuration::initial(model);
        let mut space = Self {
            states: vec![initial.clone()],
            bytes: Vec::new(),
            number: BTreeMap::from([(initial, 0)]),
            next: Vec::new(),
            violated: BTreeSet::new(),
        };
        while space.next.len() < space.states.len() {
            if space.states.len() > limit {
                return None;
            }
            let state = space.states[space.next.len()].clone();
            let mut successors = vec![None; model.transitions()];
            for t in state.enabled(model) {
                let stepped = state.fire(model, t).expect("a model without faults");
                space.violated.extend(stepped.violated);
                let fresh = space.states.len();
                let number = *space.number.entry(stepped.next.clone()).or_insert(fresh);
                if number == fresh {
                    space.states.push(stepped.next);
                }
                successors[t.index()] = Some(number);
            }
            let mut bytes = Vec::new();
            state.encode(model, &mut bytes);
            assert_eq!(Configuration::decode(model, &bytes), state, "encoding loses something");
            space.bytes.push(bytes);
            space.next.push(successors);
        }
        Some(space)
    }

    /// The transitions enabled in a state, ascending.
    pub fn enabled(&self, state: usize) -> impl Iterator<Item = TransitionId> + '_ {
        self.edges(state).map(|(t, _)| t)
    }

    /// The edges that leave a state.
    pub fn edges(&self, state: usize) -> impl Iterator<Item = (TransitionId, usize)> + '_ {
        let next = self.next[state].iter().enumerate();
        next.filter_map(|(t, to)| to.map(|to| (TransitionId::new(t), to)))
    }

    /// The successor of a state, if the transition is enabled there.
    pub fn after(&self, state: usize, t: TransitionId) -> Option<usize> {
        self.next[state][t.index()]
    }

    /// The states without enabled transitions. Monitors only watch, so states
    /// that differ in monitors alone are the same deadlock: monitors are put
    /// back to where they start, as in an `Outcome`.
    pub fn deadlocks(&self, model: &Model) -> BTreeSet<Configuration> {
        let dead = (0..self.states.len()).filter(|s| self.enabled(*s).next().is_none());
        dead.map(|s| without_monitors(model, &self.states[s])).collect()
    }

    /// The transitions that are executed somewhere.
    pub fn executed(&self) -> BTreeSet<TransitionId> {
        (0..self.states.len()).flat_map(|s| self.enabled(s)).collect()
    }

    /// The control points that some process reaches.
    pub fn reached(&self) -> BTreeSet<LocalId> {
        self.states.iter().flat_map(|s| s.control.iter().copied()).collect()
    }
}

/// A state with every monitor back at its initial control point.
fn without_monitors(model: &Model, state: &Configuration) -> Configuration {
    let mut state = state.clone();
    for (p, local) in state.control.iter_mut().enumerate() {
        if model.is_monitor(ProcessId::new(p)) {
            *local = model.initial_local(ProcessId::new(p));
        }
    }
    state
}
