//! Sequences of conditions: a search that remembers how many of them were passed.
//!
//! A state is a cut and the number of conditions that were passed on the way to it, each as soon as it
//! could be. To wait never helps: whatever comes after a later cut with `E1` also comes after an earlier one.
//!
//! **Persistent sets** are those of Possibly (`detection/ps_poss.rs`; paper, Fig. 2), for the next condition. As
//! long as one of its conjuncts is false and no process that it reads moves, it is not passed. So on each way to where it is,
//! one of the chosen events happens, each of which must happen before one of those processes moves. The
//! first of them may as well happen now: enabled events commute, before it no condition is passed in the one order, and after it
//! the cuts are the same in both. In between, the other order may pass conditions sooner, which does no harm.

use super::Found;
use super::letters::Letters;
use super::query::PatternError;
use crate::causality::{Cut, Event};
use crate::detection::{Explored, Histories, Width, follow};
use mazurka_core::bitset::{self, BitSet};
use mazurka_core::persistent::PersistentSets;
use mazurka_core::{AllDependent, Fault, Limits, Observer, Path, StateId, Strategy, System};
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

/// Looks for a history that passes all conditions in their order.
pub(super) fn search(letters: &Letters<'_>, reduce: bool, limits: Limits<'_>) -> Result<Found, PatternError> {
    let stages = Stages {
        letters,
        histories: Histories::new(letters.order()),
        width: Width::of(letters.order()),
        start: passed(letters, 0, &vec![0; letters.order().processes()])?,
        error: Mutex::new(None),
    };
    let mut observer = Finder {
        parts: letters.propositions.len(),
        history: None,
    };
    let mut sets = Needed {
        stages: &stages,
        reduce,
        cut: Cut::new(),
        candidate: BitSet::default(),
    };
    let strategy = Strategy {
        sleep: false,
        limits,
        ..Strategy::default()
    };
    let run = strategy.run_acyclic::<_, _, _, _, false>(&stages, &AllDependent, &mut sets, &mut observer);
    let (statistics, end) = run.expect("no sleep sets, no proviso, depth first");
    if let Some(error) = stages.error.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error);
    }
    Ok(Explored {
        result: observer.history,
        states: statistics.states,
        transitions: statistics.transitions,
        end,
    })
}

/// How many conditions are passed in a cut, if so many were before it.
fn passed(letters: &Letters<'_>, mut before: usize, cut: &[u32]) -> Result<usize, PatternError> {
    while before < letters.propositions.len() && letters.holds(before, cut)? {
        before += 1;
    }
    Ok(before)
}

struct Stages<'a> {
    letters: &'a Letters<'a>,
    histories: Histories<'a>,
    width: Width,
    /// How many conditions are passed in the first cut.
    start: usize,
    /// Why it is not known whether a condition is passed, if it is not.
    error: Mutex<Option<PatternError>>,
}

/// The cut of a state, and how many conditions were passed.
fn parts(state: &[u8]) -> (&[u8], usize) {
    let (stage, cut) = state.split_last().expect("a byte for the stage");
    (cut, usize::from(*stage))
}

fn byte(stage: usize) -> u8 {
    u8::try_from(stage).expect("a sequence has at most 255 parts")
}

impl System for Stages<'_> {
    type Transition = Event;
    type Scratch = Cut;

    fn scratch(&self) -> Cut {
        Cut::new()
    }

    fn initial(&self, state: &mut Vec<u8>) {
        self.histories.initial(state);
        state.push(byte(self.start));
    }

    fn enabled(&self, state: &[u8], out: &mut Vec<Event>) {
        let (cut, stage) = parts(state);
        if stage < self.letters.propositions.len() {
            self.histories.enabled(cut, out);
        }
    }

    fn fire(&self, scratch: &mut Cut, state: &[u8], t: Event, next: &mut Vec<u8>) -> Result<(), Fault> {
        let (cut, stage) = parts(state);
        self.histories.fire(&mut (), cut, t, next)?;
        self.width.decode(next, scratch);
        match passed(self.letters, stage, scratch) {
            Ok(stage) => {
                next.push(byte(stage));
                Ok(())
            }
            Err(error) => {
                let fault = Fault::new(error.to_string());
                *self.error.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                Err(fault)
            }
        }
    }

    fn state_len(&self) -> Option<usize> {
        self.histories.state_len().map(|cut| cut + 1)
    }
}

/// Events that must happen before the next condition can be passed.
struct Needed<'a> {
    stages: &'a Stages<'a>,
    reduce: bool,
    cut: Cut,
    candidate: BitSet,
}

impl PersistentSets<Event> for Needed<'_> {
    fn reduces(&self) -> bool {
        self.reduce
    }

    fn chosen(&mut self, state: &[u8], enabled: &[Event], out: &mut BitSet) -> bool {
        let (cut, stage) = parts(state);
        out.set_all(enabled.len());
        if !self.reduce || stage == self.stages.letters.propositions.len() {
            return true;
        }
        let letters = self.stages.letters;
        self.stages.width.decode(cut, &mut self.cut);
        let mut fewest = usize::MAX;
        for support in letters.false_supports(stage, &self.cut) {
            self.candidate.reset(enabled.len());
            for process in support {
                if let Some(p) = follow(letters.order(), &self.cut, *process) {
                    let at = enabled.iter().position(|event| event.process == p);
                    bitset::insert(&mut self.candidate, at.expect("its next event is enabled"));
                }
            }
            let size = bitset::len(&self.candidate);
            if size < fewest {
                fewest = size;
                std::mem::swap(out, &mut self.candidate);
            }
        }
        true
    }

    fn containing(&mut self, _: &[u8], enabled: &[Event], _: usize, _: usize, out: &mut BitSet) -> bool {
        out.set_all(enabled.len());
        true
    }
}

/// Stops when all conditions were passed.
struct Finder {
    parts: usize,
    history: Option<Vec<Event>>,
}

impl<'a> Observer<Stages<'a>> for Finder {
    fn state(&mut self, _: StateId, state: &[u8], _: &[Event], path: &dyn Path<Event>) -> ControlFlow<()> {
        if parts(state).1 < self.parts {
            return ControlFlow::Continue(());
        }
        self.history = Some(path.transitions());
        ControlFlow::Break(())
    }
}
