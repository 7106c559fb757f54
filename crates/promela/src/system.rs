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
use crate::run::{Broken, Failure, Step, Watched};
use mazurka_core::{Fault, System};

/// How many steps a chain has at most.
const LONGEST: usize = 100;

/// A model, to be searched.
#[derive(Debug)]
pub(crate) struct ModelSystem<'p> {
    pub(crate) program: &'p Program,
    /// To go on through states where one of these sets is a single step.
    chains: Option<StubbornSets<'p>>,
}

/// What firing computes in, and what it tells of the last transition.
#[derive(Debug)]
pub(crate) struct Scratch<'p> {
    chains: Option<Chains<'p>>,
    /// The statements that the transition has executed, also the one that failed.
    pub(crate) statements: Vec<u32>,
    /// How many steps it has beside the first.
    pub(crate) passed: u64,
    /// The promises that it has broken.
    pub(crate) broken: Vec<Broken>,
}

/// What it takes to find single steps that are persistent sets.
#[derive(Debug)]
struct Chains<'p> {
    sets: StubbornSets<'p>,
    enabled: Vec<Step>,
    /// The state before the last step of a chain, and what was told of the step.
    before: Vec<u8>,
    told: Vec<(Step, &'p Edge)>,
}

impl<'p> ModelSystem<'p> {
    pub(crate) fn new(program: &'p Program) -> Self {
        Self { program, chains: None }
    }

    /// Goes on through states where one of these sets is a single step.
    pub(crate) fn with_chains(self, sets: StubbornSets<'p>) -> Self {
        Self {
            chains: Some(sets),
            ..self
        }
    }

    /// Replaces a state by its successor; `taken` is told each step.
    pub(crate) fn advance(
        &self,
        scratch: &mut Scratch<'p>,
        state: &mut Vec<u8>,
        step: Step,
        mut taken: impl FnMut(Step, &'p Edge),
    ) -> Result<(), Failure> {
        scratch.passed = 0;
        scratch.broken.clear();
        self.fire_one(&mut scratch.broken, state, step, &mut taken)?;
        let Some(Chains {
            sets,
            enabled,
            before,
            told,
        }) = &mut scratch.chains
        else {
            return Ok(());
        };
        for _ in 0..LONGEST {
            enabled.clear();
            self.program.steps(state, enabled);
            let Some(step) = sets.single(state, enabled) else {
                break;
            };
            before.clone_from(state);
            told.clear();
            let broken = scratch.broken.len();
            let tell = &mut |step, edge| told.push((step, edge));
            if self.fire_one(&mut scratch.broken, state, step, tell).is_err() {
                scratch.broken.truncate(broken);
                std::mem::swap(state, before);
                break;
            }
            scratch.passed += 1;
            told.iter().for_each(|(step, edge)| taken(*step, edge));
        }
        Ok(())
    }

    #[inline]
    fn fire_one(
        &self,
        broken: &mut Vec<Broken>,
        state: &mut Vec<u8>,
        step: Step,
        taken: &mut impl FnMut(Step, &'p Edge),
    ) -> Result<(), Failure> {
        if !self.program.features.promises {
            return self.program.fire(state, step, taken);
        }
        self.program.fire_watched(state, step, taken, &mut |state, watched| {
            if let Watched::Takes(step) = watched {
                self.program.broken_promises(state, step, broken);
            }
        })
    }
}

impl<'p> System for ModelSystem<'p> {
    type Transition = Step;
    type Scratch = Scratch<'p>;

    fn scratch(&self) -> Scratch<'p> {
        let chains = self.chains.as_ref().map(|sets| Chains {
            sets: sets.clone(),
            enabled: Vec::new(),
            before: Vec::new(),
            told: Vec::new(),
        });
        Scratch {
            chains,
            statements: Vec::new(),
            passed: 0,
            broken: Vec::new(),
        }
    }

    fn initial(&self, state: &mut Vec<u8>) {
        state.extend(&self.program.initial);
    }

    #[inline]
    fn enabled(&self, state: &[u8], out: &mut Vec<Step>) {
        self.program.steps(state, out);
    }

    #[inline]
    fn fire(&self, scratch: &mut Scratch<'p>, state: &[u8], step: Step, next: &mut Vec<u8>) -> Result<(), Fault> {
        next.clear();
        next.extend_from_slice(state);
        let mut statements = std::mem::take(&mut scratch.statements);
        statements.clear();
        let advanced = self.advance(scratch, next, step, |_, edge| statements.push(edge.statement));
        let last = statements.last().copied().unwrap_or(0);
        scratch.statements = statements;
        advanced.map_err(|failure| Fault {
            reason: failure.to_string(),
            place: u64::from(last) << 32 | u64::from(failure.part.map_or(0, |part| part + 1)),
        })
    }
}
