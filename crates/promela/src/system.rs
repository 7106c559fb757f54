//! A compiled model as a concurrent system of the engine.
//!
//! With *chains*, a transition continues through every state in which a single step is a
//! persistent set. Nothing branches there, so those states need not be stored. This is sound
//! wherever persistent sets are. The search sees a smaller graph, whose transitions are
//! sequences of steps. A transition that is enabled in a skipped state and executed nowhere in a terminal component
//! is enabled in the stored states of the component as well (see `ComponentProviso` of the engine). A sequence
//! ends where it comes round to its first state, or to another one for the second time, as Brent's algorithm
//! notices it. It has at most [`LONGEST`] steps. So cycles pass through stored states. A state in which a step fails is not
//! skipped, since whatever else is enabled there must be explored too.

use crate::ir::{EXCLUSIVE, Edge, Program};
use crate::reduce::StubbornSets;
use crate::run::{Broken, CHAIN, Failure, Step, Watched};
use mazurka_core::{Fault, System};

/// The greatest number of steps in a chain.
const LONGEST: usize = 100;

/// A compiled model as a [`System`].
#[derive(Debug)]
pub(crate) struct ModelSystem<'p> {
    pub(crate) program: &'p Program,
    /// The persistent sets for chains, if there are any.
    chains: Option<StubbornSets<'p>>,
    /// The greatest number of steps of an `atomic` that make one transition.
    most: u32,
}

/// Scratch space for firing, and what is known about the last transition.
#[derive(Debug)]
pub(crate) struct Scratch<'p> {
    chains: Option<Chains<'p>>,
    /// The statements that the transition has executed, including one that failed.
    pub(crate) statements: Vec<u32>,
    /// The last step that it has taken, which may have failed.
    pub(crate) last: Option<Step>,
    /// The number of steps after the first.
    pub(crate) passed: u64,
    /// The `xr` and `xs` promises that it has broken.
    pub(crate) broken: Vec<Broken>,
}

/// Scratch space for finding single steps that are persistent sets.
#[derive(Debug)]
struct Chains<'p> {
    sets: StubbornSets<'p>,
    enabled: Vec<Step>,
    /// The state before the last step of a chain, and what was recorded about that step.
    before: Vec<u8>,
    told: Vec<(Step, &'p Edge)>,
    /// States of the chain that later ones are compared with: its first, and one that moves along.
    origin: Vec<u8>,
    mark: Vec<u8>,
}

impl<'p> ModelSystem<'p> {
    pub(crate) fn new(program: &'p Program) -> Self {
        Self {
            program,
            chains: None,
            most: CHAIN,
        }
    }

    /// Every statement is a transition, also inside an `atomic`. So the number of transitions of a path is the number of
    /// steps that a reader sees.
    pub(crate) fn of_statements(program: &'p Program) -> Self {
        Self {
            most: 1,
            ..Self::new(program)
        }
    }

    /// Makes transitions continue through states where one of these sets is a single step.
    pub(crate) fn with_chains(self, sets: StubbornSets<'p>) -> Self {
        Self {
            chains: Some(sets),
            ..self
        }
    }

    /// Replaces a state by its successor, and calls `taken` for each step.
    pub(crate) fn advance(
        &self,
        scratch: &mut Scratch<'p>,
        state: &mut Vec<u8>,
        step: Step,
        mut taken: impl FnMut(Step, &'p Edge),
    ) -> Result<(), Failure> {
        scratch.passed = 0;
        scratch.broken.clear();
        if let Some(chains) = &mut scratch.chains {
            chains.origin.clone_from(state);
        }
        self.fire_one(&mut scratch.broken, state, step, &mut taken)?;
        let Some(Chains {
            sets,
            enabled,
            before,
            told,
            origin,
            mark,
        }) = &mut scratch.chains
        else {
            return Ok(());
        };
        mark.clone_from(state);
        let mut mover = step.pid;
        for length in 1..=LONGEST {
            if let Some(step) = sets.private_step_of(state, mover) {
                self.fire_one(&mut scratch.broken, state, step, &mut taken)?;
                scratch.passed += 1;
                if *state == *origin || *state == *mark {
                    break;
                }
                if length.is_power_of_two() {
                    mark.clone_from(state);
                }
                continue;
            }
            enabled.clear();
            self.program.steps(state, enabled);
            let Some(step) = sets.single(state, enabled, mover) else {
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
            mover = step.pid;
            scratch.passed += 1;
            told.iter().for_each(|(step, edge)| taken(*step, edge));
            if *state == *origin || *state == *mark {
                break;
            }
            if length.is_power_of_two() {
                mark.clone_from(state);
            }
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
            return self.program.fire(state, step, self.most, taken);
        }
        self.program
            .fire_watched(state, step, self.most, taken, &mut |state, watched| {
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
            origin: Vec::new(),
            mark: Vec::new(),
        });
        Scratch {
            chains,
            statements: Vec::new(),
            last: None,
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
    fn is_suspended(&self, state: &[u8]) -> bool {
        state[EXCLUSIVE] != 0
    }

    #[inline]
    fn fire(&self, scratch: &mut Scratch<'p>, state: &[u8], step: Step, next: &mut Vec<u8>) -> Result<(), Fault> {
        next.clear();
        next.extend_from_slice(state);
        let mut statements = std::mem::take(&mut scratch.statements);
        statements.clear();
        let mut last_step = step;
        let advanced = self.advance(scratch, next, step, |step, edge| {
            statements.push(edge.statement);
            last_step = step;
        });
        scratch.last = Some(last_step);
        let last = statements.last().copied().unwrap_or(0);
        scratch.statements = statements;
        advanced.map_err(|failure| Fault {
            reason: failure.to_string(),
            place: u64::from(last) << 32 | u64::from(failure.part.map_or(0, |part| part + 1)),
        })
    }
}
