//! The executions that a formula is about: those of the model without the monitors of its invariants.
//!
//! A monitor would add steps of its own. Its transitions change nothing that others see, but they would be positions of the word, and
//! the processes that take part in them, without moving, would seem to move.

use mazurka_core::{Fault, Model, System, TransitionId};

/// The model without monitors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Executions<'m> {
    pub(crate) model: &'m Model,
    /// Whether there is anything to leave out.
    monitored: bool,
}

impl<'m> Executions<'m> {
    pub(crate) fn new(model: &'m Model) -> Self {
        let mut all = (0..model.transitions()).map(TransitionId::new);
        Self {
            model,
            monitored: all.any(|t| model.is_monitors(t)),
        }
    }
}

impl System for Executions<'_> {
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
