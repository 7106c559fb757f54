//! The audit of footprints: the definitions, checked on every reachable state.
//!
//! Whether a footprint describes its action cannot be seen from the code, but the conclusions that a search draws from it
//! can be checked:
//!
//! * Def. 3.1: in every reachable state, actions that are independent by their footprints neither enable nor disable
//!   each other, and if both can happen, both orders lead to the same state;
//! * Def. 4.14: the obstacles of a class of actions are real: from a state where none of them can happen, none can happen
//!   before a class of the necessary enabling set was executed, whatever the sequence;
//! * every action that can happen has a representative in the alphabet;
//! * an action that changes no part that a property reads does not change the property.
//!
//! The graph is explored completely first ([`Graph`]), and each definition is a loop over it. If there are more states than
//! the limit, the explored part is checked.

mod graph;
mod mistake;

pub use mistake::Mistake;

use super::footprint::Footprint;
use super::property::Property;
use super::table::Footprints;
use super::{Run, Typed};
use crate::bitset::{self, BitSet};
use crate::ids::TransitionId;
use graph::Graph;
use std::collections::BTreeMap;

/// What an audit has checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Audit {
    /// The number of states.
    pub states: usize,
    /// The number of pairs of independent actions, summed over the states.
    pub pairs: u64,
    /// Whether these are all reachable states.
    pub complete: bool,
}

/// Checks the footprints and the stated parts of properties.
pub(super) fn audit<'a, M: Footprint>(
    system: Typed<'a, M>,
    footprints: &Footprints<'_, M>,
    properties: &[Property<'a, M>],
    limit: Option<u64>,
) -> Result<Audit, Box<Mistake<M>>> {
    let graph = Graph::explore(system, limit);
    let auditor = Auditor {
        system,
        footprints,
        graph,
    };
    auditor.check_alphabet()?;
    let pairs = auditor.check_independence()?;
    auditor.check_obstacles()?;
    for property in properties {
        if let Some(visible) = &property.visible {
            auditor.check_property(property, visible)?;
        }
    }
    Ok(Audit {
        states: auditor.graph.edges.len(),
        pairs,
        complete: auditor.graph.complete,
    })
}

struct Auditor<'s, 'a, M: Footprint> {
    system: Typed<'a, M>,
    footprints: &'s Footprints<'s, M>,
    graph: Graph<M::Action>,
}

impl<M: Footprint> Auditor<'_, '_, M> {
    fn run(&self, state: usize) -> Run<M> {
        let path = self.graph.path(state);
        self.system.run(&path).expect("the graph was explored by these actions")
    }

    fn class(&self, action: M::Action) -> TransitionId {
        self.footprints.class(action).expect("the alphabet was checked")
    }

    fn check_alphabet(&self) -> Result<(), Box<Mistake<M>>> {
        for (state, edges) in self.graph.edges.iter().enumerate() {
            if let Some((action, _)) = edges
                .iter()
                .find(|(action, _)| self.footprints.class(*action).is_none())
            {
                return Err(Box::new(Mistake::NotInAlphabet {
                    action: *action,
                    run: self.run(state),
                }));
            }
        }
        Ok(())
    }

    /// Def. 3.1. Returns how many pairs were compared.
    fn check_independence(&self) -> Result<u64, Box<Mistake<M>>> {
        let mut pairs = 0;
        for (state, edges) in self.graph.edges.iter().enumerate() {
            for (first, to) in edges {
                let Some(after) = self.graph.edges.get(*to) else {
                    continue;
                };
                let dependent = self.footprints.dependent(self.class(*first));
                let independent = |u: M::Action| !bitset::contains(dependent, self.class(u).index());
                let leads = |edges: &[(M::Action, usize)], u| edges.iter().find(|(v, _)| *v == u).map(|(_, to)| *to);
                for (second, aside) in edges.iter().filter(|(u, _)| independent(*u)) {
                    pairs += 1;
                    let (first, second, run) = (*first, *second, || self.run(state));
                    let Some(one) = leads(after, second) else {
                        return Err(Box::new(Mistake::Disables {
                            first,
                            second,
                            run: run(),
                        }));
                    };
                    let Some(after) = self.graph.edges.get(*aside) else {
                        continue;
                    };
                    // If it is not there, this is found when the other goes first.
                    if leads(after, first).is_some_and(|other| other != one) {
                        return Err(Box::new(Mistake::DoNotCommute {
                            first,
                            second,
                            run: run(),
                        }));
                    }
                }
                let new = |u: &M::Action| independent(*u) && leads(edges, *u).is_none();
                if let Some((second, _)) = after.iter().find(|(u, _)| new(u)) {
                    return Err(Box::new(Mistake::Enables {
                        first: *first,
                        second: *second,
                        run: self.run(state),
                    }));
                }
            }
        }
        Ok(pairs)
    }

    /// Def. 4.14. States where a class has the same necessary enabling set are looked at together.
    fn check_obstacles(&self) -> Result<(), Box<Mistake<M>>> {
        let mut sets: BTreeMap<(usize, Vec<u64>), Vec<usize>> = BTreeMap::new();
        let mut enabled = BitSet::default();
        for (state, edges) in self.graph.edges.iter().enumerate() {
            enabled.reset(self.footprints.len());
            for (action, _) in edges {
                bitset::insert(&mut enabled, self.class(*action).index());
            }
            let value = self.system.decode(&self.graph.states[state]);
            for class in (0..self.footprints.len()).filter(|class| !bitset::contains(&enabled, *class)) {
                self.footprints.enabling_sets(&value, TransitionId::new(class), |set| {
                    sets.entry((class, set.to_vec())).or_default().push(state);
                });
            }
        }
        for ((class, set), states) in sets {
            let is_enabled = |edges: &[(M::Action, usize)]| edges.iter().any(|(u, _)| self.class(*u).index() == class);
            let outside = |u: M::Action| !bitset::contains(&set, self.class(u).index());
            let reaching = self.graph.reaching(is_enabled, outside);
            if let Some(state) = states.into_iter().find(|state| reaching[*state]) {
                return Err(Box::new(Mistake::NoObstacle {
                    action: self.footprints.representative(TransitionId::new(class)),
                    run: self.run(state),
                }));
            }
        }
        Ok(())
    }

    fn check_property(&self, property: &Property<'_, M>, visible: &BitSet) -> Result<(), Box<Mistake<M>>> {
        let holds = |state: usize| (property.holds)(&self.system.decode(&self.graph.states[state]));
        for (state, edges) in self.graph.edges.iter().enumerate() {
            for (action, to) in edges {
                if !bitset::contains(visible, self.class(*action).index()) && holds(state) != holds(*to) {
                    return Err(Box::new(Mistake::ChangesProperty {
                        property: property.name.clone(),
                        action: *action,
                        run: self.run(state),
                    }));
                }
            }
        }
        Ok(())
    }
}
