//! An order of events, judged by the definition before it is shown.
//!
//! Nothing that is compiled or projected is used here: each condition is evaluated on the values of the variables in each
//! global state, and the formula on the word of these (`Formula::holds_on`).

use super::PatternOrder;
use super::query::{Kind, Pattern, PatternError, Proposition};
use crate::causality::{Cut, Event};
use crate::computation::Computation;
use crate::detection::truth;
use mazurka_logic::Lasso;

/// An order that is to be shown.
pub(super) struct Shown<'a> {
    computation: &'a Computation,
    propositions: &'a [Proposition],
    events: Vec<Event>,
}

impl<'a> Shown<'a> {
    pub(super) fn new(computation: &'a Computation, propositions: &'a [Proposition], events: Vec<Event>) -> Self {
        Self {
            computation,
            propositions,
            events,
        }
    }

    /// The order, if it is one of all events, causes before effects, and has what was searched for.
    ///
    /// # Errors
    /// If not: that is a defect of this program.
    pub(super) fn checked(self, pattern: &Pattern) -> Result<PatternOrder, PatternError> {
        let order = self.computation.causality();
        let mut cut: Cut = vec![0; order.processes()];
        let mut path = vec![cut.clone()];
        for event in &self.events {
            let p = event.process.index();
            if cut[p] + 1 != event.index || !order.is_enabled(event.process, &cut) {
                return Err(defect("an order puts an event before its cause"));
            }
            cut[p] += 1;
            path.push(cut.clone());
        }
        if cut != order.last_cut() {
            return Err(defect("an order lacks events"));
        }
        // What has no value is where the pattern is settled already, whatever it is.
        let holds = |condition: usize, at: usize| {
            let formula = &self.propositions[condition].formula;
            truth(self.computation, formula, &path[at]).unwrap_or(false)
        };
        let reached = match pattern.kind() {
            Kind::Sequence(_) => {
                let mut at = 0;
                let next = (0..self.propositions.len()).map(|part| {
                    at = (at..path.len()).find(|k| holds(part, *k))?;
                    Some(at)
                });
                let reached: Option<Vec<usize>> = next.collect();
                reached.ok_or_else(|| defect("an order does not pass through the sequence"))?
            }
            Kind::Formula(_) => {
                let word = Lasso::new(path.len(), path.len() - 1).expect("a path has a first cut");
                if !pattern.searched().holds_on(word, |atom, at| holds(atom.0 as usize, at)) {
                    return Err(defect("an order does not show what it should"));
                }
                Vec::new()
            }
        };
        Ok(PatternOrder { path, reached })
    }
}

fn defect(what: &str) -> PatternError {
    PatternError::general(format!("internal error: {what} (please report it)"))
}
