//! The native engine: the compiled form translated for each process, in-process and without `unsafe`.
//!
//! The interpreter (`run/`) walks trees. Here each process of a state has a translation of its own ([`Instance`]), made when the
//! search first meets it. Its guards and effects are short rows of specialised operations on absolute addresses
//! (`guard.rs`, `value.rs`, `effect.rs`, `queue.rs`, `block.rs`), in which everything that cannot change for this process is a constant.
//!
//! The interpreter has the last word. What has no translation, and whatever would fail, is [`Undecided`]
//! here, and the interpreter executes it from the same state. So failures, `timeout`, `run`, `unless`,
//! trace assertions and the like exist once. What has a translation is compared with the interpreter, state by
//! state (`verify/engines.rs`).
//!
//! Models with priorities or `provided` clauses are not translated, since there whether a process may move is up to the others.

mod block;
mod effect;
mod fixed;
mod guard;
mod instance;
mod queue;
mod shapes;
mod translate;
mod unroll;
mod value;

pub(crate) use shapes::SHAPES;

use crate::ir::{COUNT, EXCLUSIVE, Edge, LAST, Program};
use crate::run::{Failure, Step, Watched};
use fixed::Fixed;
use instance::Instance;
use std::collections::BTreeSet;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The number of instances that there can be of each number of a process.
const VARIANTS: usize = 8;
/// Those from this one on take no locals for constants, so they fit more processes.
const GENERAL: usize = 6;
/// The number of edges of all instances together beyond which no more are made.
const EDGES: usize = 200_000;

/// A compiled model, translated as far as it was needed.
#[derive(Debug)]
pub(crate) struct Native<'p> {
    program: &'p Program,
    fixed: Fixed,
    /// For each number of a process, the instances that were met, in that order.
    instances: Box<[[OnceLock<Box<Instance<'p>>>; VARIANTS]]>,
    /// The number of edges that may still be translated.
    budget: AtomicUsize,
    /// The size of the processes of each proctype.
    sizes: Box<[usize]>,
    /// The offsets of the processes, if they never change because none is started.
    offsets: Option<Box<[usize]>>,
}

/// Room to work in.
#[derive(Debug, Default)]
pub(crate) struct Room {
    /// The state before a step.
    before: Vec<u8>,
    /// The steps of a process inside `atomic`.
    ways: Vec<Step>,
}

impl<'p> Native<'p> {
    /// A model to be translated, unless it is one of those that are not.
    pub(crate) fn new(program: &'p Program) -> Option<Self> {
        if program.features.priority || program.features.provided {
            return None;
        }
        let edges = || program.automata.iter().flat_map(|automaton| &automaton.graph.edges);
        let starts_processes = edges().any(|edge| edge.run.is_some());
        let processes = crate::run::Processes::new(program, &program.initial);
        let most = match starts_processes {
            true => usize::from(u8::MAX),
            false => usize::from(program.initial[COUNT]),
        };
        Some(Self {
            program,
            fixed: Fixed::new(program),
            instances: (0..most).map(|_| [const { OnceLock::new() }; VARIANTS]).collect(),
            budget: AtomicUsize::new(EDGES),
            sizes: program.automata.iter().map(|automaton| automaton.size).collect(),
            offsets: (!starts_processes).then(|| processes.map(|process| process.at).collect()),
        })
    }

    /// The translation of the process with this number, whose first byte is at `at`.
    #[inline]
    fn instance(&self, state: &[u8], pid: u8, at: usize) -> Option<&Instance<'p>> {
        for (k, variant) in self.instances[usize::from(pid)].iter().enumerate() {
            let instance = match variant.get() {
                Some(instance) => instance,
                None => self.translated(variant, k >= GENERAL, state, pid, at),
            };
            if instance.fits(state, at) {
                return Some(instance);
            }
        }
        None
    }

    /// Translates a process.
    #[cold]
    fn translated<'a>(
        &self,
        variant: &'a OnceLock<Box<Instance<'p>>>,
        is_general: bool,
        state: &[u8],
        pid: u8,
        at: usize,
    ) -> &'a Instance<'p> {
        variant.get_or_init(|| {
            let process = self.program.process_at(state, pid, at);
            let left = self.budget.load(Ordering::Relaxed);
            if left < process.automaton.graph.edges.len() {
                return Box::new(Instance::of_nothing());
            }
            let instance = Instance::new(self.program, &self.fixed, is_general, state, process);
            self.budget
                .store(left.saturating_sub(instance.weight), Ordering::Relaxed);
            Box::new(instance)
        })
    }

    /// Appends all executable steps, as [`Program::steps`] does.
    pub(crate) fn steps(&self, state: &[u8], out: &mut Vec<Step>) {
        if state[EXCLUSIVE] != 0 {
            let pid = state[EXCLUSIVE] - 1;
            self.steps_of(state, pid, self.offset(state, pid), out);
            return;
        }
        let before = out.len();
        let mut at = self.program.processes;
        for pid in 0..state[COUNT] {
            at += self.steps_of(state, pid, at, out);
        }
        if out.len() == before && self.program.features.timeout {
            self.program.steps(state, out);
        }
    }

    /// Appends the executable steps of a process. Returns its size.
    #[inline]
    fn steps_of(&self, state: &[u8], pid: u8, at: usize, out: &mut Vec<Step>) -> usize {
        if let Some(instance) = self.instance(state, pid, at) {
            instance.steps(self.program, state, out);
            return instance.size;
        }
        let process = self.program.process_at(state, pid, at);
        self.program.steps_of(state, process, false, out);
        process.automaton.size
    }

    /// The offset of a process.
    #[inline]
    fn offset(&self, state: &[u8], pid: u8) -> usize {
        if let Some(offsets) = &self.offsets {
            return offsets[usize::from(pid)];
        }
        let mut at = self.program.processes;
        for _ in 0..pid {
            at += self.sizes[usize::from(state[at])];
        }
        at
    }

    /// Replaces `state` by its successor after `step`, as [`Program::fire_watched`] does.
    pub(crate) fn fire(
        &self,
        room: &mut Room,
        state: &mut Vec<u8>,
        step: Step,
        most: u32,
        taken: &mut impl FnMut(Step, &'p Edge),
        watch: &mut impl FnMut(&[u8], Watched),
    ) -> Result<(), Failure> {
        let mut step = step;
        for _ in 0..most {
            watch(state, Watched::Takes(step));
            let Some(pid) = self.take(&mut room.before, state, step, taken)? else {
                state[EXCLUSIVE] = 0;
                return Ok(());
            };
            state[EXCLUSIVE] = pid + 1;
            room.ways.clear();
            self.steps_of(state, pid, self.offset(state, pid), &mut room.ways);
            match room.ways[..] {
                [] => {
                    watch(state, Watched::Waits(pid));
                    state[EXCLUSIVE] = 0;
                    return Ok(());
                }
                [only] => step = only,
                _ => return Ok(()),
            }
        }
        Ok(())
    }

    /// Takes one step. Returns the process that keeps exclusive control, if any.
    #[inline]
    fn take(
        &self,
        before: &mut Vec<u8>,
        state: &mut Vec<u8>,
        step: Step,
        taken: &mut impl FnMut(Step, &'p Edge),
    ) -> Result<Option<u8>, Failure> {
        if !step.has_partner()
            && let Some(instance) = self.instance(state, step.pid, self.offset(state, step.pid))
        {
            let movement = &instance.moves[usize::from(step.edge)];
            if !movement.is_sudden {
                before.clone_from(state);
            }
            if movement.effect.apply(state).is_ok() {
                taken(step, movement.edge);
                instance.arrive(state, movement);
                if self.program.features.last {
                    state[LAST] = step.pid;
                }
                return Ok(movement.keeps.then_some(step.pid));
            }
            if !movement.is_sudden {
                state.clone_from(before);
            }
        }
        self.program.take(state, step, taken)
    }

    /// The kinds of operations in what was translated so far.
    pub(crate) fn shapes(&self) -> BTreeSet<&'static str> {
        let mut found = BTreeSet::new();
        for variant in self.instances.iter().flatten() {
            if let Some(instance) = variant.get() {
                shapes::of(instance, &mut found);
            }
        }
        found
    }
}
