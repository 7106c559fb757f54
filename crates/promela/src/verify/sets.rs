//! Compares persistent sets that are remembered with sets that are worked out anew.
//!
//! In each state that is reached without reduction, the sets of one that remembers rules and sets must be those of one that forgets
//! everything: the smallest set, and the single step after each step that may have led there.

use super::{CheckError, Options, PersistentAlgorithm, forget};
use crate::compile::compile;
use crate::ir::Program;
use crate::model::Model;
use crate::reduce::StubbornSets;
use crate::run::Step;
use crate::system::ModelSystem;
use mazurka_core::System;
use mazurka_core::bitset::BitSet;
use mazurka_core::persistent::{PersistentSets, smallest};
use std::collections::{HashSet, VecDeque};

/// What was compared.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct SetsCompared {
    /// The number of states.
    pub states: usize,
    /// The number of states in which a set has fewer than all steps.
    pub reduced: usize,
    /// The number of sets that were remembered.
    pub remembered: u64,
}

/// Where a set that was remembered differs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("in state {state:?} with {steps}: remembered {remembered}, worked out {worked_out}")]
#[non_exhaustive]
pub struct SetDifference {
    /// The state, as bytes.
    pub state: Vec<u8>,
    /// Its executable steps.
    pub steps: String,
    /// What was remembered.
    pub remembered: String,
    /// What comes out otherwise.
    pub worked_out: String,
}

/// Compares sets in the first `limit` states of a model.
///
/// # Errors
/// The first difference.
///
/// # Panics
/// If the initial state of the model cannot be computed.
pub fn compare_sets(
    model: &Model,
    algorithm: PersistentAlgorithm,
    limit: usize,
) -> Result<SetsCompared, SetDifference> {
    let mut compiled = compile(model, &[])
        .map_err(CheckError::Start)
        .expect("the model can start");
    forget(&mut compiled, &Options::default());
    let mut compared = SetsCompared::default();
    for branching in [false, true] {
        explore(&compiled.program, algorithm, branching, limit, &mut compared)?;
    }
    Ok(compared)
}

fn explore(
    program: &Program,
    algorithm: PersistentAlgorithm,
    branching: bool,
    limit: usize,
    compared: &mut SetsCompared,
) -> Result<(), SetDifference> {
    let sets = || {
        let sets = StubbornSets::new(program, algorithm, None).chaining();
        if branching { sets.branching() } else { sets }
    };
    let (mut remembering, mut forgetting) = (sets(), sets().forgetting());
    let system = ModelSystem::new(program);
    let mut scratch = system.scratch();
    let mut seen = HashSet::from([program.initial.clone()]);
    let mut open: VecDeque<(Vec<u8>, Option<Step>)> = VecDeque::from([(program.initial.clone(), None)]);
    let mut steps = Vec::new();
    while let Some((state, last)) = open.pop_front() {
        compared.states += 1;
        steps.clear();
        system.enabled(&state, &mut steps);
        let one = chosen(&mut remembering, &state, &steps, last);
        let other = chosen(&mut forgetting, &state, &steps, last);
        if one != other {
            return Err(SetDifference {
                state,
                steps: format!("{steps:?}"),
                remembered: format!("{one:?}"),
                worked_out: format!("{other:?}"),
            });
        }
        compared.reduced += usize::from(one.1.len() < steps.len());
        for step in &steps {
            let mut next = Vec::new();
            if system.fire(&mut scratch, &state, *step, &mut next).is_ok()
                && seen.len() < limit
                && seen.insert(next.clone())
            {
                open.push_back((next, Some(*step)));
            }
        }
    }
    compared.remembered += remembering.remembered();
    Ok(())
}

/// The single step after another, and the smallest set.
fn chosen(sets: &mut StubbornSets<'_>, state: &[u8], steps: &[Step], last: Option<Step>) -> (Option<Step>, Vec<usize>) {
    let single = last.and_then(|last| sets.single(state, steps, last));
    let (mut candidate, mut best) = <(BitSet, BitSet)>::default();
    smallest(sets, state, steps, |_| true, &mut candidate, &mut best);
    (single, mazurka_core::bitset::iter(&best).collect())
}
