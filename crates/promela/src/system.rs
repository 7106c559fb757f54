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
//!
//! In a depth-first search, chains also end in states that were seen before, so nothing is worked out about those
//! ([`System::fire_through`]). On the path of such a search every transition led to a state that was new, and no state on the way
//! to it was stored either. So [`ModelSystem::advance`], which knows of no store, executes the same steps again.
//!
//! With or without chains, steps can be *merged* with the private steps after them (`compile/merge.rs`).

use crate::ir::{EXCLUSIVE, Edge, Program};
use crate::native::{self, Native};
use crate::reduce::StubbornSets;
use crate::run::{Broken, CHAIN, Failure, Processes, Step, Watched};
use mazurka_core::persistent::PersistentSets;
use mazurka_core::{Fault, Passing, System};

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
    /// Whether private steps are taken at once.
    merges: bool,
    /// The translation, if it is used.
    native: Option<Native<'p>>,
}

/// Scratch space for firing, and what is known about the last transition.
#[derive(Debug)]
pub(crate) struct Scratch<'p> {
    chains: Option<Chains<'p>>,
    /// For chains that the search makes.
    room: Room<'p>,
    /// The processes that may go on at once.
    movers: Vec<u8>,
    /// For the native engine.
    native: native::Room,
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
    room: Room<'p>,
}

/// Room for chains.
#[derive(Debug, Default)]
struct Room<'p> {
    /// The state before the last step of a chain, and what was recorded about that step.
    before: Vec<u8>,
    told: Vec<(Step, &'p Edge)>,
    /// States of the chain that later ones are compared with: its first, and one that moves along.
    origin: Vec<u8>,
    mark: Vec<u8>,
}

/// Passes through all states.
struct All<'a, 'p>(&'a mut StubbornSets<'p>);

impl Passing<Step> for All<'_, '_> {
    fn at_once(&mut self, state: &[u8], last: Step) -> Option<Step> {
        self.0.at_once(state, last)
    }

    fn ends(&mut self, _: &[u8]) -> bool {
        false
    }

    fn single(&mut self, state: &[u8], enabled: &[Step], last: Step) -> Option<Step> {
        self.0.single(state, enabled, last)
    }
}

impl<'p> ModelSystem<'p> {
    pub(crate) fn new(program: &'p Program) -> Self {
        Self {
            program,
            chains: None,
            most: CHAIN,
            merges: false,
            native: None,
        }
    }

    /// Executes a translation of the model, unless it is one that has none.
    pub(crate) fn natively(self) -> Self {
        Self {
            native: Native::new(self.program),
            ..self
        }
    }

    /// The translation, if it is used.
    pub(crate) fn native(&self) -> Option<&Native<'p>> {
        self.native.as_ref()
    }

    /// Every statement is a transition, also inside an `atomic`. So the number of transitions of a path is the number of
    /// steps that a reader sees.
    pub(crate) fn of_statements(program: &'p Program) -> Self {
        Self {
            most: 1,
            ..Self::new(program)
        }
    }

    /// Makes transitions continue through the locations that the compiler has marked as left at once.
    pub(crate) fn merging(self) -> Self {
        Self { merges: true, ..self }
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
        taken: impl FnMut(Step, &'p Edge),
    ) -> Result<(), Failure> {
        let Some(mut chains) = scratch.chains.take() else {
            scratch.passed = 0;
            scratch.broken.clear();
            return self.fire_one(scratch, state, step, &mut { taken });
        };
        let advanced = self.pass(
            (scratch, &mut chains.room),
            state,
            step,
            &mut All(&mut chains.sets),
            &mut chains.enabled,
            taken,
        );
        scratch.chains = Some(chains);
        advanced.map(|_| ())
    }

    /// Replaces a state by the one that a step and those after it lead to. Returns whether `enabled` is what is executable there.
    fn pass(
        &self,
        (scratch, room): (&mut Scratch<'p>, &mut Room<'p>),
        state: &mut Vec<u8>,
        step: Step,
        passing: &mut (impl Passing<Step> + ?Sized),
        enabled: &mut Vec<Step>,
        mut taken: impl FnMut(Step, &'p Edge),
    ) -> Result<bool, Failure> {
        scratch.passed = 0;
        scratch.broken.clear();
        room.origin.clone_from(state);
        self.fire_one(scratch, state, step, &mut taken)?;
        if *state == room.origin {
            return Ok(false);
        }
        let mut last = step;
        for length in 1..=LONGEST {
            if let Some(step) = passing.at_once(state, last) {
                if length == 1 {
                    room.mark.clone_from(state);
                }
                self.fire_one(scratch, state, step, &mut taken)?;
            } else {
                if passing.ends(state) {
                    return Ok(false);
                }
                enabled.clear();
                self.enabled(state, enabled);
                let Some(step) = passing.single(state, enabled, last) else {
                    return Ok(true);
                };
                if length == 1 {
                    room.mark.clone_from(state);
                }
                room.before.clone_from(state);
                room.told.clear();
                let broken = scratch.broken.len();
                let tell = &mut |step, edge| room.told.push((step, edge));
                if self.fire_one(scratch, state, step, tell).is_err() {
                    scratch.broken.truncate(broken);
                    std::mem::swap(state, &mut room.before);
                    return Ok(true);
                }
                last = step;
                room.told.iter().for_each(|(step, edge)| taken(*step, edge));
            }
            scratch.passed += 1;
            if *state == room.origin || *state == room.mark {
                break;
            }
            if length.is_power_of_two() {
                room.mark.clone_from(state);
            }
        }
        Ok(false)
    }

    /// Takes the private steps of a process. Returns their number.
    fn go_on(
        &self,
        scratch: &mut Scratch<'p>,
        state: &mut Vec<u8>,
        pid: u8,
        taken: &mut impl FnMut(Step, &'p Edge),
    ) -> u64 {
        let mut steps = 0;
        loop {
            let process = Processes::new(self.program, state).nth(usize::from(pid));
            let Some(location) = process.map(|p| p.location(state)).filter(|location| location.passed) else {
                return steps;
            };
            let mut told = None;
            let step = Step::alone(pid, location.edges().start);
            let tell = &mut |step, edge| told = Some((step, edge));
            let fired = match &self.native {
                Some(native) => native.fire(&mut scratch.native, state, step, 1, tell, &mut |_, _| {}),
                None => self.program.fire(state, step, 1, tell),
            };
            // A step that fails leaves the state as it was.
            if fired.is_err() {
                return steps;
            }
            if let Some((step, edge)) = told {
                taken(step, edge);
            }
            steps += 1;
        }
    }

    /// Takes a step, and the private steps after it if steps are merged.
    #[inline]
    fn fire_one(
        &self,
        scratch: &mut Scratch<'p>,
        state: &mut Vec<u8>,
        step: Step,
        taken: &mut impl FnMut(Step, &'p Edge),
    ) -> Result<(), Failure> {
        if !self.merges {
            return self.fire_alone((&mut scratch.broken, &mut scratch.native), state, step, taken);
        }
        scratch.movers.clear();
        let movers = &mut scratch.movers;
        let fired = (&mut scratch.broken, &mut scratch.native);
        self.fire_alone(fired, state, step, &mut |step, edge| {
            taken(step, edge);
            if edge.goes_on {
                movers.push(step.pid);
                movers.extend(step.has_partner().then_some(step.partner));
            }
        })?;
        if state[EXCLUSIVE] == 0 {
            for k in 0..scratch.movers.len() {
                scratch.passed += self.go_on(scratch, state, scratch.movers[k], taken);
            }
        }
        Ok(())
    }

    #[inline]
    fn fire_alone(
        &self,
        (broken, room): (&mut Vec<Broken>, &mut native::Room),
        state: &mut Vec<u8>,
        step: Step,
        taken: &mut impl FnMut(Step, &'p Edge),
    ) -> Result<(), Failure> {
        if self.program.features.promises {
            let watch = &mut |state: &[u8], watched| {
                if let Watched::Takes(step) = watched {
                    self.program.broken_promises(state, step, broken);
                }
            };
            return match &self.native {
                Some(native) => native.fire(room, state, step, self.most, taken, watch),
                None => self.program.fire_watched(state, step, self.most, taken, watch),
            };
        }
        match &self.native {
            Some(native) => native.fire(room, state, step, self.most, taken, &mut |_, _| {}),
            None => self.program.fire(state, step, self.most, taken),
        }
    }
}

impl<'p> System for ModelSystem<'p> {
    type Transition = Step;
    type Scratch = Scratch<'p>;

    fn scratch(&self) -> Scratch<'p> {
        let chains = self.chains.as_ref().map(|sets| Chains {
            sets: sets.clone(),
            enabled: Vec::new(),
            room: Room::default(),
        });
        Scratch {
            chains,
            room: Room::default(),
            movers: Vec::new(),
            native: native::Room::default(),
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
        match &self.native {
            Some(native) => native.steps(state, out),
            None => self.program.steps(state, out),
        }
    }

    #[inline]
    fn is_suspended(&self, state: &[u8]) -> bool {
        state[EXCLUSIVE] != 0
    }

    #[inline]
    fn fire(&self, scratch: &mut Scratch<'p>, state: &[u8], step: Step, next: &mut Vec<u8>) -> Result<(), Fault> {
        next.clear();
        next.extend_from_slice(state);
        if scratch.chains.is_some() {
            return recorded(scratch, step, |scratch, taken| self.advance(scratch, next, step, taken));
        }
        let mut statements = std::mem::take(&mut scratch.statements);
        statements.clear();
        scratch.broken.clear();
        scratch.passed = 0;
        let mut last = step;
        let fired = self.fire_one(scratch, next, step, &mut |step, edge| {
            statements.push(edge.statement);
            last = step;
        });
        scratch.statements = statements;
        scratch.last = Some(last);
        fired.map_err(|failure| fault(failure, &scratch.statements))
    }

    #[inline]
    fn fire_through(
        &self,
        scratch: &mut Scratch<'p>,
        state: &[u8],
        step: Step,
        passing: &mut dyn Passing<Step>,
        next: &mut Vec<u8>,
        enabled: &mut Vec<Step>,
    ) -> Result<bool, Fault> {
        next.clear();
        next.extend_from_slice(state);
        recorded(scratch, step, |scratch, taken| {
            let mut room = std::mem::take(&mut scratch.room);
            let passed = self.pass((scratch, &mut room), next, step, passing, enabled, taken);
            scratch.room = room;
            passed
        })
    }
}

/// Fires a transition, and keeps what it executes.
#[inline]
fn recorded<'p, R>(
    scratch: &mut Scratch<'p>,
    step: Step,
    fire: impl FnOnce(&mut Scratch<'p>, &mut dyn FnMut(Step, &'p Edge)) -> Result<R, Failure>,
) -> Result<R, Fault> {
    let mut statements = std::mem::take(&mut scratch.statements);
    statements.clear();
    let mut last_step = step;
    let fired = fire(scratch, &mut |step, edge| {
        statements.push(edge.statement);
        last_step = step;
    });
    scratch.last = Some(last_step);
    scratch.statements = statements;
    fired.map_err(|failure| fault(failure, &scratch.statements))
}

/// A failure after these statements, the last of which has failed.
#[cold]
fn fault(failure: Failure, statements: &[u32]) -> Fault {
    let last = statements.last().copied().unwrap_or(0);
    Fault {
        reason: failure.to_string(),
        place: u64::from(last) << 32 | u64::from(failure.part.map_or(0, |part| part + 1)),
    }
}
