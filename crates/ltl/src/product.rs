//! The product of a system and an automaton, which move in turns (thesis 7.2).
//!
//! A state of the product is a state of the system, the state of the automaton, and the events of the transition that
//! led there. The automaton reads the letter of the system's state and of these events and moves, then the system takes
//! a transition. If the system cannot move, its state is repeated for ever, without events.
//!
//! The acceptance sets are the accepting states of the automaton, and those of fairness: for each fair process the
//! edges on which it moves or cannot (thesis 7.4).

use crate::outcome::LtlError;
use mazurka_core::persistent::AllEnabled;
use mazurka_core::{Acceptance, CycleSearch, End, Fault, Observer, Path, ReducedGraph, Statistics, System};
use mazurka_logic::{Buchi, BuchiError, BuchiState, Formula};
use std::ops::ControlFlow;

/// A system whose executions are words: letters are sets of atoms, as bits.
pub(crate) trait Writes: System<Scratch = ()> {
    /// How many atoms are about transitions.
    fn events(&self) -> usize;

    /// The events that a transition is: bit `k` for the `k`-th of them.
    fn happens(&self, t: Self::Transition) -> u64;

    /// The letter of a state, after these events.
    fn letter(&self, state: &[u8], happened: u64) -> u64;

    /// How many assumptions of weak fairness there are.
    fn fair(&self) -> usize;

    /// The assumptions that an edge meets, as bits: who is assumed to be fair moves with `taken`, or cannot move in
    /// `state`.
    fn just(&self, state: &[u8], taken: Option<Self::Transition>) -> u64;
}

/// What came of searching a product.
pub(crate) struct Searched<T> {
    /// An execution that violates the formula. Its cycle is empty if it ends.
    pub(crate) lasso: Option<(Vec<T>, Vec<T>)>,
    pub(crate) statistics: Statistics,
    pub(crate) end: End,
    /// Whether some transition failed.
    pub(crate) failed: bool,
}

/// Looks for an execution of a system, or of its reduced graph, that violates a formula.
pub(crate) fn violation<W: Writes>(
    search: &CycleSearch<'_>,
    system: &W,
    formula: &Formula,
    reduced: Option<&ReducedGraph>,
) -> Result<Searched<W::Transition>, LtlError> {
    let before = reduced.map(ReducedGraph::statistics).unwrap_or_default();
    let mut failures = Failures(reduced.is_some_and(ReducedGraph::failed));
    if let Some(graph) = reduced.filter(|graph| graph.end() != End::Complete) {
        return Ok(Searched {
            lasso: None,
            statistics: before,
            end: graph.end(),
            failed: failures.0,
        });
    }
    let automaton = automaton_of(&formula.clone().negated())?;
    let product = Product {
        system,
        automaton: &automaton,
        reduced,
    };
    let emptiness = search.run(&product, &mut AllEnabled, &product, &mut failures)?;
    let taken = |joints: Vec<Joint<W::Transition>>| joints.into_iter().filter_map(|joint| joint.taken).collect();
    Ok(Searched {
        lasso: emptiness.lasso.map(|lasso| (taken(lasso.prefix), taken(lasso.cycle))),
        statistics: Statistics {
            bytes: emptiness.statistics.bytes + before.bytes,
            time: emptiness.statistics.time + before.time,
            ..emptiness.statistics
        },
        end: emptiness.end,
        failed: failures.0,
    })
}

/// Notes whether a transition failed, and lets the search go on.
#[derive(Default)]
pub(crate) struct Failures(bool);

impl<S: System> Observer<S> for Failures {
    fn fault(&mut self, _: Fault, _: &S::Scratch, _: &dyn Path<S::Transition>) -> ControlFlow<()> {
        self.0 = true;
        ControlFlow::Continue(())
    }
}

/// The bytes of an automaton's state.
const STATE: usize = 2;

/// The automaton of a formula, if its states and the edges of each can be numbered in [`STATE`] bytes.
fn automaton_of(formula: &Formula) -> Result<Buchi, BuchiError> {
    let automaton = Buchi::new(formula)?;
    let most = usize::from(u16::MAX);
    let mut states = automaton.states();
    match states.len() <= most && states.all(|q| automaton.edges(q).len() <= most) {
        true => Ok(automaton),
        false => Err(BuchiError::TooLarge),
    }
}

/// A transition of the product: the automaton moves, and the system takes a transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Joint<T> {
    /// `None` if the system stays where it is.
    taken: Option<T>,
    /// The state of the automaton after it.
    to: u16,
}

/// The product.
struct Product<'a, W> {
    system: &'a W,
    automaton: &'a Buchi,
    /// The transitions to take in each state, if the system is reduced.
    reduced: Option<&'a ReducedGraph>,
}

/// A state of the product, in its parts.
struct Parts<'s> {
    system: &'s [u8],
    automaton: BuchiState,
    /// What happened just before.
    happened: u64,
}

impl<W: Writes> Product<'_, W> {
    /// The bytes for events in a state.
    fn event_bytes(&self) -> usize {
        self.system.events().div_ceil(8)
    }

    fn parts<'s>(&self, state: &'s [u8]) -> Parts<'s> {
        let events = self.event_bytes();
        let (rest, happened) = state.split_at(state.len() - events);
        let (system, automaton) = rest.split_at(rest.len() - STATE);
        let mut word = [0; 8];
        word[..events].copy_from_slice(happened);
        Parts {
            system,
            automaton: BuchiState(u32::from(u16::from_le_bytes([automaton[0], automaton[1]]))),
            happened: u64::from_le_bytes(word),
        }
    }

    fn append(&self, automaton: u16, happened: u64, state: &mut Vec<u8>) {
        state.extend(automaton.to_le_bytes());
        state.extend(&happened.to_le_bytes()[..self.event_bytes()]);
    }
}

/// A number that [`automaton_of`] has checked.
fn number(state: BuchiState) -> u16 {
    u16::try_from(state.0).expect("the automaton is small")
}

impl<W: Writes> System for Product<'_, W> {
    type Transition = Joint<W::Transition>;
    type Scratch = ();

    fn scratch(&self) {}

    fn initial(&self, state: &mut Vec<u8>) {
        self.system.initial(state);
        self.append(number(self.automaton.initial()), 0, state);
    }

    fn enabled(&self, state: &[u8], out: &mut Vec<Joint<W::Transition>>) {
        let parts = self.parts(state);
        let edges = self.automaton.edges(parts.automaton);
        if edges.is_empty() {
            return;
        }
        let letter = self.system.letter(parts.system, parts.happened);
        let mut transitions = Vec::new();
        let mut known = false;
        for (k, edge) in edges.iter().enumerate() {
            // Two edges may lead to the same state.
            let twin = |e: &mazurka_logic::Edge| e.to == edge.to && e.guard.contains(letter);
            if !edge.guard.contains(letter) || edges[..k].iter().any(twin) {
                continue;
            }
            if !known {
                known = true;
                self.system.enabled(parts.system, &mut transitions);
                if let Some(reduced) = self.reduced {
                    reduced.select(parts.system, &mut transitions);
                }
            }
            let to = number(edge.to);
            let joint = |taken| Joint { taken, to };
            out.extend(transitions.iter().map(|t| joint(Some(*t))));
            out.extend(transitions.is_empty().then(|| joint(None)));
        }
    }

    fn fire(&self, scratch: &mut (), state: &[u8], joint: Self::Transition, next: &mut Vec<u8>) -> Result<(), Fault> {
        let parts = self.parts(state);
        match joint.taken {
            Some(t) => self.system.fire(scratch, parts.system, t, next)?,
            None => {
                next.clear();
                next.extend_from_slice(parts.system);
            }
        }
        let happens = joint.taken.map_or(0, |t| self.system.happens(t));
        self.append(joint.to, happens, next);
        Ok(())
    }

    fn state_len(&self) -> Option<usize> {
        let system = self.system.state_len()?;
        Some(system + STATE + self.event_bytes())
    }
}

impl<W: Writes> Acceptance<Joint<W::Transition>> for Product<'_, W> {
    fn sets(&self) -> usize {
        1 + self.system.fair()
    }

    fn state_marks(&self, state: &[u8]) -> u64 {
        u64::from(self.automaton.is_accepting(self.parts(state).automaton))
    }

    fn transition_marks(&self, from: &[u8], joint: Joint<W::Transition>, _: &[u8]) -> u64 {
        match self.system.fair() {
            0 => 0,
            _ => self.system.just(self.parts(from).system, joint.taken) << 1,
        }
    }
}
