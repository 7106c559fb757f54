//! The executions of a model that a formula is about, without the monitors of its invariants.
//!
//! A monitor would add steps of its own. Its transitions change nothing that others see, but they would be positions of
//! the word, and the processes that take part in them, without moving, would seem to move.

use crate::alphabet::Alphabet;
use crate::product::Writes;
use mazurka_core::{Fault, Model, ProcessId, System, TransitionId};

/// The model without monitors, as a formula sees it.
#[derive(Debug)]
pub(crate) struct Executions<'a, 'm> {
    pub(crate) model: &'m Model,
    pub(crate) alphabet: &'a Alphabet<'m>,
    /// The processes that are assumed to be fair.
    pub(crate) fair: Vec<ProcessId>,
    /// Whether there is anything to leave out.
    monitored: bool,
}

impl<'a, 'm> Executions<'a, 'm> {
    pub(crate) fn new(model: &'m Model, alphabet: &'a Alphabet<'m>, fair: Vec<ProcessId>) -> Self {
        let mut all = (0..model.transitions()).map(TransitionId::new);
        Self {
            model,
            alphabet,
            fair,
            monitored: all.any(|t| model.is_monitors(t)),
        }
    }
}

impl System for Executions<'_, '_> {
    type Transition = TransitionId;
    type Scratch = ();

    fn scratch(&self) {}

    fn initial(&self, state: &mut Vec<u8>) {
        self.model.initial(state);
    }

    #[inline]
    fn enabled(&self, state: &[u8], out: &mut Vec<TransitionId>) {
        self.model.enabled(state, out);
        if self.monitored {
            out.retain(|t| !self.model.is_monitors(*t));
        }
    }

    #[inline]
    fn fire(&self, scratch: &mut (), state: &[u8], t: TransitionId, next: &mut Vec<u8>) -> Result<(), Fault> {
        self.model.fire(scratch, state, t, next)
    }

    fn state_len(&self) -> Option<usize> {
        self.model.state_len()
    }
}

impl Writes for Executions<'_, '_> {
    fn events(&self) -> usize {
        self.alphabet.events()
    }

    fn happens(&self, t: TransitionId) -> u64 {
        self.alphabet.happens(t)
    }

    fn letter(&self, state: &[u8], happened: u64) -> u64 {
        self.alphabet.letter(state, happened)
    }

    fn fair(&self) -> usize {
        self.fair.len()
    }

    /// Weak fairness: the process moves, or it cannot.
    fn just(&self, state: &[u8], taken: Option<TransitionId>) -> u64 {
        let mut enabled = Vec::new();
        self.enabled(state, &mut enabled);
        let moves = |t: &TransitionId, process| self.model.active(*t).contains(process);
        let mut just = 0;
        for (k, process) in self.fair.iter().enumerate() {
            let can = enabled.iter().any(|t| moves(t, process));
            let does = taken.is_some_and(|t| moves(&t, process));
            if !can || does {
                just |= 1 << k;
            }
        }
        just
    }
}
