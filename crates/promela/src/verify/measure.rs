//! Searches with the parts chosen one by one, for experiments.

use super::{CheckError, why_unreduced};
use crate::compile::compile;
use crate::model::Model;
use crate::reduce::{Independence, PersistentAlgorithm, StubbornSets};
use crate::run::Step;
use crate::system::ModelSystem;
use mazurka_core::persistent::{AllEnabled, PersistentSets};
use mazurka_core::{End, Statistics, Strategy};

/// Explores a model and counts, one state for each step, whatever the verdict.
///
/// With `persistent`, persistent sets are used; the rest is in the strategy.
///
/// # Errors
/// If the model cannot start, cannot be reduced, or the parts do not fit together.
pub fn measure(
    model: &Model,
    persistent: Option<PersistentAlgorithm>,
    strategy: &Strategy<'_>,
) -> Result<(Statistics, End), CheckError> {
    let compiled = compile(model, &[]).map_err(CheckError::Start)?;
    let program = &compiled.program;
    if let Some(reason) = why_unreduced(program)
        && (persistent.is_some() || strategy.sleep)
    {
        return Err(CheckError::NotReducible(reason));
    }
    let system = ModelSystem::new(program);
    let independence = Independence::new(program);
    let mut sets: Box<dyn PersistentSets<Step> + '_> = match persistent {
        Some(algorithm) => Box::new(StubbornSets::new(program, algorithm, None)),
        None => Box::new(AllEnabled),
    };
    Ok(strategy.run(&system, &independence, &mut *sets, &mut ())?)
}
