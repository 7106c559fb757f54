//! A compiled model as a concurrent system of the engine.
//!
//! With *chains*, a transition goes on through every state in which a single step is a
//! persistent set: nothing branches there, so those states need not be stored. That is sound
//! wherever persistent sets are. The search sees a smaller graph, whose transitions are
//! sequences; a transition that is enabled in a passed state and executed nowhere in a terminal component
//! is enabled in its stored states as well (see `ComponentProviso` of the engine), and a sequence
//! is cut after [`LONGEST`] steps, so that cycles pass through stored states. A step that fails is not
//! passed over: the state in which it fails is one of the graph, since whatever else is enabled there
//! is explored too.

use crate::ir::{Edge, Program};
use crate::reduce::StubbornSets;
use crate::run::{Failure, Step};
use mazurka_core::{Fault, System};
use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};

/// How many steps a chain has at most.
const LONGEST: usize = 100;

/// A model, to be searched.
#[derive(Debug)]
pub(crate) struct ModelSystem<'p> {
    pub(crate) program: &'p Program,
    /// Per statement: whether it was ever executed.
    executed: Vec<AtomicU64>,
    chains: Option<RefCell<Chains<'p>>>,
}

/// What it takes to find single steps that are persistent sets.
#[derive(Debug)]
struct Chains<'p> {
    sets: StubbornSets<'p>,
    enabled: Vec<Step>,
    /// The state before the last step of a chain, and what was told of the step.
    before: Vec<u8>,
    told: Vec<(Step, &'p Edge)>,
    /// Steps beyond the first of the last chain.
    passed: u64,
}

impl<'p> ModelSystem<'p> {
    pub(crate) fn new(program: &'p Program) -> Self {
        let words = (program.statements as usize).div_ceil(64);
        Self {
            program,
            executed: (0..words).map(|_| AtomicU64::new(0)).collect(),
            chains: None,
        }
    }

    /// Goes on through states where one of these sets is a single step.
    pub(crate) fn with_chains(self, sets: StubbornSets<'p>) -> Self {
        let chains = Chains {
            sets,
            enabled: Vec::new(),
            before: Vec::new(),
            told: Vec::new(),
            passed: 0,
        };
        Self {
            chains: Some(RefCell::new(chains)),
            ..self
        }
    }

    /// How many steps the transition that was fired last has beside the first. An observer asks it of each transition
    /// that is explored; probes and replays are nobody's to count.
    pub(crate) fn passed(&self) -> u64 {
        self.chains.as_ref().map_or(0, |chains| chains.borrow().passed)
    }

    /// Whether a statement was executed.
    pub(crate) fn was_executed(&self, statement: u32) -> bool {
        let word = self.executed[statement as usize / 64].load(Ordering::Relaxed);
        word & (1 << (statement % 64)) != 0
    }

    #[inline]
    fn executed(&self, statement: u32) {
        let word = &self.executed[statement as usize / 64];
        let bit = 1 << (statement % 64);
        // Most of the time it is there already, and writing costs more than reading.
        if word.load(Ordering::Relaxed) & bit == 0 {
            word.fetch_or(bit, Ordering::Relaxed);
        }
    }

    /// Replaces a state by its successor; `taken` is told each step.
    pub(crate) fn advance(
        &self,
        state: &mut Vec<u8>,
        step: Step,
        mut taken: impl FnMut(Step, &'p Edge),
    ) -> Result<(), Failure> {
        let fired = self.program.fire(state, step, &mut taken);
        let Some(chains) = &self.chains else {
            return fired;
        };
        let Chains {
            sets,
            enabled,
            before,
            told,
            passed,
        } = &mut *chains.borrow_mut();
        *passed = 0;
        fired?;
        for _ in 0..LONGEST {
            enabled.clear();
            self.program.steps(state, enabled);
            let Some(step) = sets.single(state, enabled) else {
                break;
            };
            before.clone_from(state);
            told.clear();
            if self
                .program
                .fire(state, step, |step, edge| told.push((step, edge)))
                .is_err()
            {
                std::mem::swap(state, before);
                break;
            }
            *passed += 1;
            told.iter().for_each(|(step, edge)| taken(*step, edge));
        }
        Ok(())
    }
}

impl System for ModelSystem<'_> {
    type Transition = Step;

    fn initial(&self, state: &mut Vec<u8>) {
        state.extend(&self.program.initial);
    }

    #[inline]
    fn enabled(&self, state: &[u8], out: &mut Vec<Step>) {
        self.program.steps(state, out);
    }

    #[inline]
    fn fire(&self, state: &[u8], step: Step, next: &mut Vec<u8>) -> Result<(), Fault> {
        next.clear();
        next.extend_from_slice(state);
        let mut statement = 0;
        let advanced = self.advance(next, step, |_, edge| {
            statement = edge.statement;
            self.executed(statement);
        });
        advanced.map_err(|failure| Fault {
            reason: failure.to_string(),
            place: u64::from(statement) << 32 | u64::from(failure.part.map_or(0, |part| part + 1)),
        })
    }
}
