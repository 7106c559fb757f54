//! The product of a model and an automaton, which move in turns (thesis 7.2).
//!
//! A state of the product is a state of the model, the state of the automaton, and the events of the transition that led there. The
//! automaton reads the letter of the model's state and of these events and moves, then the model takes a transition. If the model
//! cannot move, its state is repeated for ever, without events.
//!
//! The acceptance sets are the accepting states of the automaton, and for each fair process the edges on which it moves or cannot
//! (thesis 7.4).

use crate::alphabet::Alphabet;
use crate::executions::Executions;
use mazurka_core::{Acceptance, Fault, ProcessId, ReducedGraph, System, TransitionId};
use mazurka_logic::{Buchi, BuchiError, BuchiState, Formula};

/// The bytes of an automaton's state.
const STATE: usize = 2;

/// The automaton of a formula, if its states and the edges of each can be numbered in [`STATE`] bytes.
pub(crate) fn automaton_of(formula: &Formula) -> Result<Buchi, BuchiError> {
    let automaton = Buchi::new(formula)?;
    let most = usize::from(u16::MAX);
    let mut states = automaton.states();
    match states.len() <= most && states.all(|q| automaton.edges(q).len() <= most) {
        true => Ok(automaton),
        false => Err(BuchiError::TooLarge),
    }
}

/// A transition of the product: the automaton moves, and the model takes a transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Joint {
    /// `None` if the model stays where it is.
    pub(crate) taken: Option<TransitionId>,
    /// The state of the automaton after it.
    to: u16,
}

/// The product.
#[derive(Debug)]
pub(crate) struct Product<'a, 'm> {
    pub(crate) executions: Executions<'m>,
    pub(crate) alphabet: &'a Alphabet<'m>,
    pub(crate) automaton: &'a Buchi,
    /// The transitions to take in each state, if the model is reduced.
    pub(crate) reduced: Option<&'a ReducedGraph>,
    /// The processes that are assumed to be fair.
    pub(crate) fair: &'a [ProcessId],
}

/// A state of the product, in its parts.
struct Parts<'s> {
    model: &'s [u8],
    automaton: BuchiState,
    /// What happened just before.
    happened: u64,
}

impl Product<'_, '_> {
    /// The bytes for events in a state.
    fn event_bytes(&self) -> usize {
        self.alphabet.events().div_ceil(8)
    }

    fn parts<'s>(&self, state: &'s [u8]) -> Parts<'s> {
        let events = self.event_bytes();
        let (rest, happened) = state.split_at(state.len() - events);
        let (model, automaton) = rest.split_at(rest.len() - STATE);
        let mut word = [0; 8];
        word[..events].copy_from_slice(happened);
        Parts {
            model,
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

impl System for Product<'_, '_> {
    type Transition = Joint;
    type Scratch = ();

    fn scratch(&self) {}

    fn initial(&self, state: &mut Vec<u8>) {
        self.executions.initial(state);
        self.append(number(self.automaton.initial()), 0, state);
    }

    fn enabled(&self, state: &[u8], out: &mut Vec<Joint>) {
        let parts = self.parts(state);
        let edges = self.automaton.edges(parts.automaton);
        if edges.is_empty() {
            return;
        }
        let letter = self.alphabet.letter(parts.model, parts.happened);
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
                self.executions.enabled(parts.model, &mut transitions);
                if let Some(reduced) = self.reduced {
                    reduced.select(parts.model, &mut transitions);
                }
            }
            let to = number(edge.to);
            let joint = |taken| Joint { taken, to };
            out.extend(transitions.iter().map(|t| joint(Some(*t))));
            out.extend(transitions.is_empty().then(|| joint(None)));
        }
    }

    fn fire(&self, scratch: &mut (), state: &[u8], joint: Joint, next: &mut Vec<u8>) -> Result<(), Fault> {
        let parts = self.parts(state);
        match joint.taken {
            Some(t) => self.executions.fire(scratch, parts.model, t, next)?,
            None => {
                next.clear();
                next.extend_from_slice(parts.model);
            }
        }
        let happens = joint.taken.map_or(0, |t| self.alphabet.happens(t));
        self.append(joint.to, happens, next);
        Ok(())
    }

    fn state_len(&self) -> Option<usize> {
        let model = self.executions.state_len()?;
        Some(model + STATE + self.event_bytes())
    }
}

impl Acceptance<Joint> for Product<'_, '_> {
    fn sets(&self) -> usize {
        1 + self.fair.len()
    }

    fn state_marks(&self, state: &[u8]) -> u64 {
        u64::from(self.automaton.is_accepting(self.parts(state).automaton))
    }

    /// Weak fairness: the process moves, or it cannot.
    fn transition_marks(&self, from: &[u8], joint: Joint, _: &[u8]) -> u64 {
        if self.fair.is_empty() {
            return 0;
        }
        let mut enabled = Vec::new();
        self.executions.enabled(self.parts(from).model, &mut enabled);
        let moves = |t: &TransitionId, process| self.executions.model.active(*t).contains(process);
        let mut marks = 0;
        for (k, process) in self.fair.iter().enumerate() {
            let can = enabled.iter().any(|t| moves(t, process));
            let does = joint.taken.is_some_and(|t| moves(&t, process));
            if !can || does {
                marks |= 2 << k;
            }
        }
        marks
    }
}
