//! Compares the native engine with the interpreter, state by state.
//!
//! In each state that is reached, both must have the same steps in the same order, and each step must lead to the same bytes or fail
//! in the same way, after the same statements. The interpreter leads the way, so that a state that only the native engine reaches is
//! noticed where it comes up. The program is compiled as for searches, both with and without what they forget.

use super::{CheckError, Options, Reduction, forget};
use crate::compile::compile;
use crate::ir::Program;
use crate::model::Model;
use crate::native::{Native, SHAPES};
use crate::run::Step;
use crate::system::{ModelSystem, Scratch};
use mazurka_core::{Fault, System};
use std::collections::{BTreeSet, HashSet, VecDeque};

/// The kinds of operations that translations consist of.
pub const NATIVE_SHAPES: &[&str] = &SHAPES;

/// What two engines agree on.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct EnginesCompared {
    /// The number of states that were compared.
    pub states: usize,
    /// The number of steps that were executed by both.
    pub steps: usize,
    /// The number of steps that failed.
    pub failures: usize,
    /// The kinds of operations in the translation, among [`NATIVE_SHAPES`].
    pub shapes: BTreeSet<&'static str>,
}

/// Where two engines differ.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}: in state {state:?} the interpreter has {interpreted}, the native engine {native}")]
#[non_exhaustive]
pub struct EngineDifference {
    /// What they differ in.
    pub what: &'static str,
    /// The state, as bytes.
    pub state: Vec<u8>,
    /// What the interpreter says.
    pub interpreted: String,
    /// What the native engine says.
    pub native: String,
}

/// Compares both engines in the first `limit` states of a model.
///
/// # Errors
/// The first difference.
///
/// # Panics
/// If the initial state of the model cannot be computed.
pub fn compare_engines(model: &Model, limit: usize) -> Result<EnginesCompared, EngineDifference> {
    let mut compared = EnginesCompared::default();
    for reduction in [Reduction::None, Reduction::Full] {
        let mut compiled = compile(model, &[])
            .map_err(CheckError::Start)
            .expect("the model can start");
        let options = Options {
            reduction,
            ..Options::default()
        };
        forget(&mut compiled, &options);
        for asserts in [true, false] {
            compiled.program.asserts = asserts;
            for by_statement in [false, true] {
                explore(&compiled.program, by_statement, limit, &mut compared)?;
            }
        }
    }
    Ok(compared)
}

/// A step as an engine takes it: the state that it leads to or why it fails, and the statements on the way.
type Taken<'a> = (Result<&'a [u8], &'a Fault>, &'a [u32], Option<Step>, usize);

fn explore(
    program: &Program,
    by_statement: bool,
    limit: usize,
    compared: &mut EnginesCompared,
) -> Result<(), EngineDifference> {
    let system = || match by_statement {
        true => ModelSystem::of_statements(program),
        false => ModelSystem::new(program),
    };
    let (interpreter, native) = (system(), system().natively());
    let (mut one, mut other) = (interpreter.scratch(), native.scratch());
    let mut seen = HashSet::from([program.initial.clone()]);
    let mut open = VecDeque::from([program.initial.clone()]);
    let (mut steps, mut native_steps) = (Vec::new(), Vec::new());
    while let Some(state) = open.pop_front() {
        compared.states += 1;
        steps.clear();
        native_steps.clear();
        interpreter.enabled(&state, &mut steps);
        native.enabled(&state, &mut native_steps);
        let differ = |what, interpreted: String, native: String| EngineDifference {
            what,
            state: state.clone(),
            interpreted,
            native,
        };
        if steps != native_steps {
            let (interpreted, native) = (format!("{steps:?}"), format!("{native_steps:?}"));
            return Err(differ("the executable steps", interpreted, native));
        }
        for step in &steps {
            let (mut next, mut native_next) = (Vec::new(), Vec::new());
            let fired = interpreter.fire(&mut one, &state, *step, &mut next);
            let native_fired = native.fire(&mut other, &state, *step, &mut native_next);
            let here = taken(&fired, &next, &one);
            let there = taken(&native_fired, &native_next, &other);
            if here != there {
                return Err(differ("a step", format!("{step:?} {here:?}"), format!("{there:?}")));
            }
            compared.steps += 1;
            compared.failures += usize::from(fired.is_err());
            if fired.is_ok() && seen.len() < limit && !seen.contains(&next) {
                seen.insert(next.clone());
                open.push_back(next);
            }
        }
    }
    compared
        .shapes
        .extend(native.native().map(Native::shapes).unwrap_or_default());
    Ok(())
}

fn taken<'a>(fired: &'a Result<(), Fault>, next: &'a [u8], scratch: &'a Scratch<'_>) -> Taken<'a> {
    let result = fired.as_ref().map(|()| next);
    (result, &scratch.statements, scratch.last, scratch.broken.len())
}
