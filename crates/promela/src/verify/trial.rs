//! Whether reduction saves states, as far as short searches can tell.
//!
//! What leaving out a step saves is not seen where it is left out. On `fischer` and on `alternating_bit` of the benchmark, about one of
//! a hundred steps is left out; the first has nearly all states all the same, the second a tenth of them. So where a depth-first
//! [trial](crate::reduce::Experience) has left out little, the states up to some distance from the first one are counted, with
//! reduction and without. If they are as many, but for a hundredth, reduction is switched off: looking for sets takes longer than
//! the steps that they save.
//!
//! That is a guess. What it costs if it is wrong is bounded: without reduction, a search has a few million states, and if they are not enough, all
//! begins anew with reduction. The answer is a matter of speed alone, since a search without reduction is always right.

use super::options::Options;
use super::{CheckError, executed, searched};
use crate::ir::Program;
use crate::reduce::{Independence, StubbornSets};
use crate::run::Step;
use crate::system::ModelSystem;
use mazurka_core::persistent::{AllEnabled, PersistentSets};
use mazurka_core::{End, Limit, Limits, Order, ProvisoKind, Statistics, Storage, Strategy};

/// The number of states of each search.
const STATES: u64 = 20_000;

/// Reduction must leave out more than one of so many states.
const SHARE: u64 = 100;

/// Whether these sets leave out a good part of the states near the first one. If that cannot be told, the answer is that they do.
///
/// # Errors
/// If the searches cannot be started.
pub(super) fn saves_states<'p>(
    program: &'p Program,
    options: &Options<'p>,
    sets: impl Fn() -> StubbornSets<'p>,
) -> Result<bool, CheckError> {
    let count = |is_reduced: bool, depth: Option<usize>| -> Result<(Statistics, End), CheckError> {
        let strategy = Strategy {
            sleep: false,
            proviso: ProvisoKind::None,
            order: Order::BreadthFirst,
            storage: Storage::Exact,
            limits: Limits {
                states: Some(STATES),
                depth,
                progress: None,
                ..options.limits
            },
        };
        let system = executed(ModelSystem::new(program), options).merging();
        let (mut sets, mut all) = (sets(), AllEnabled);
        let sets: &mut dyn PersistentSets<Step> = if is_reduced { &mut sets } else { &mut all };
        Ok(searched(
            &strategy,
            &system,
            &Independence::new(program),
            sets,
            &mut (),
        )?)
    };
    let (reduced, end) = count(true, None)?;
    let Some(depth) = reduced
        .depth
        .checked_sub(1)
        .filter(|_| end == End::Limit(Limit::States))
    else {
        return Ok(true);
    };
    let (reduced, end) = count(true, Some(depth))?;
    let (full, other_end) = count(false, Some(depth))?;
    let are_counted = [end, other_end] == [End::Limit(Limit::Depth); 2];
    Ok(!are_counted || (full.states - reduced.states.min(full.states)) * SHARE > full.states)
}
