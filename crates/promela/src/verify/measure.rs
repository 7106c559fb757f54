//! Searches with a chosen strategy, for experiments.

use super::{CheckError, why_unreduced};
use crate::compile::compile;
use crate::model::Model;
use crate::reduce::{Independence, PersistentAlgorithm, StubbornSets};
use crate::run::Step;
use crate::system::{ModelSystem, Scratch};
use mazurka_core::persistent::{AllEnabled, PersistentSets};
use mazurka_core::{End, Fault, Observer, Path, ProvisoKind, StateId, Statistics, Strategy};
use std::ops::ControlFlow;

/// The measurements of a search.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Measured {
    /// The statistics of the search.
    pub statistics: Statistics,
    /// How it ended.
    pub end: End,
    /// The number of states in which nothing can be executed. With an exact store, every complete search of a
    /// model finds the same number (thesis, Thm 4.3).
    pub stopped: u64,
    /// The number of steps that failed.
    pub faults: u64,
}

#[derive(Debug, Default)]
struct Counts {
    stopped: u64,
    faults: u64,
}

impl Observer<ModelSystem<'_>> for Counts {
    fn state(&mut self, _: StateId, _: &[u8], enabled: &[Step], _: &dyn Path<Step>) -> ControlFlow<()> {
        self.stopped += u64::from(enabled.is_empty());
        ControlFlow::Continue(())
    }

    fn fault(&mut self, _: Fault, _: &Scratch<'_>, _: &dyn Path<Step>) -> ControlFlow<()> {
        self.faults += 1;
        ControlFlow::Continue(())
    }
}

/// Explores a model and counts states, whatever the verdict. Every state is stored: there are no chains of steps.
///
/// With `persistent`, persistent sets are used. The strategy determines everything else.
///
/// ```
/// use mazurka_core::Strategy;
/// use mazurka_promela::verify::{PersistentAlgorithm, measure};
/// use mazurka_promela::{Options, load};
///
/// let text = "byte x, y; active proctype P() { x = 1 } active proctype Q() { y = 1 }";
/// let model = load("m.pml", text, &Options::default())?.model;
/// let full = measure(&model, None, &Strategy::default())?;
/// let reduced = measure(&model, Some(PersistentAlgorithm::Conditional), &Strategy::default())?;
/// assert!(reduced.statistics.states < full.statistics.states);
/// assert_eq!(reduced.stopped, full.stopped);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the model cannot start, cannot be reduced, or the parts do not fit together.
pub fn measure(
    model: &Model,
    persistent: Option<PersistentAlgorithm>,
    strategy: &Strategy<'_>,
) -> Result<Measured, CheckError> {
    let mut compiled = compile(model, &[]).map_err(CheckError::Start)?;
    compiled.forget_hidden();
    let program = &compiled.program;
    if let Some(reason) = why_unreduced(program)
        && (persistent.is_some() || strategy.sleep)
    {
        return Err(CheckError::NotReducible(reason));
    }
    let system = ModelSystem::new(program).natively();
    // Sleep sets with a proviso need a dependency relation that is weakly uniform.
    let is_uniform = strategy.sleep && strategy.proviso != ProvisoKind::None;
    let independence = match is_uniform {
        true => Independence::uniform(program),
        false => Independence::new(program),
    };
    let mut sets: Box<dyn PersistentSets<Step> + '_> = match persistent {
        Some(PersistentAlgorithm::Conditional) if is_uniform => {
            Box::new(StubbornSets::new(program, PersistentAlgorithm::Stubborn, None))
        }
        Some(algorithm) => Box::new(StubbornSets::new(program, algorithm, None)),
        None => Box::new(AllEnabled),
    };
    let mut counts = Counts::default();
    let (statistics, end) = super::searched(strategy, &system, &independence, &mut *sets, &mut counts)?;
    Ok(Measured {
        statistics,
        end,
        stopped: counts.stopped,
        faults: counts.faults,
    })
}
