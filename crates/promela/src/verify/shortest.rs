//! Finds a shortest counterexample to safety (`--shortest`).
//!
//! The length of a path is the number of its statements, inside an `atomic` too; a `d_step` is one, and so is a
//! rendezvous. All searches here are breadth first where a statement is a transition.
//!
//! **Invalid end states: persistent sets preserve lengths.** Let `w` be a path from a state `s` to an end state, and `T` a
//! nonempty persistent set in `s`. Some transition of `w` is in `T`; otherwise all of `w` is independent of a member of `T`,
//! which is then executable in the end state. Let `t` be the first one in `w`. What comes before it in `w` is independent of it, so
//! `t` can be moved to the front, and the rest of `w` leads from its successor to the same end state. By
//! induction, a path through the reduced state space takes the same transitions in another order (thesis, Thm 4.3), and so as many
//! statements. Here a transition is a whole `atomic`, or its part up to where it waits: what is independent of it leaves each of
//! its statements as it is. In a state inside an `atomic` the set is everything executable, so nothing is lost
//! by looking at its statements one by one. Neither a proviso nor sleep sets are used. So a breadth-first search
//! with persistent sets finds a shortest path to an end state.
//!
//! **Failures: they do not.** A path to a failing statement need not contain a transition of `T`. Then a member of `T` can be put in
//! front of it, which makes it longer. So a shortest path to a failure is looked for without reduction.
//!
//! **Both.** The nearest violation is an end state if nothing can fail at all. A depth-first search with reduction and a proviso
//! can prove that. Whether it is worth while is not known beforehand: sometimes a failure is near, and sometimes the model is small
//! only with reduction. So searches with and without reduction take turns, and each turn may store [`FACTOR`] times as many
//! states as the one before. The answer is that of the first search which is not cut short. Altogether this costs little more than twice the
//! better way.

use super::checked::ReductionUsed;
use super::findings::{Findings, Until};
use super::options::Options;
use super::safety::{Found, Wanted, first};
use super::{CheckError, executed, searched, why_unreduced};
use crate::ir::Program;
use crate::reduce::{Independence, StubbornSets};
use crate::run::Step;
use crate::system::ModelSystem;
use mazurka_core::persistent::{AllEnabled, PersistentSets};
use mazurka_core::{End, Limit, Limits, Order, ProvisoKind, Reduction, Strategy};
use std::time::Duration;

/// The number of states of the first turn.
const FIRST: u64 = 64;
/// How much larger each turn is.
const FACTOR: u64 = 8;

/// Searches for a violation of which none is shorter.
///
/// # Errors
/// If the options do not fit together.
pub(super) fn search<'p>(program: &'p Program, wanted: Wanted, options: &Options<'p>) -> Result<Found<'p>, CheckError> {
    let mut found = nearest(program, wanted, options)?;
    if matches!(found.end, End::Limit(_)) && !found.observer.found.is_empty() {
        found.is_shortest = false;
        found.used.note = Some(PERHAPS.to_string());
    }
    Ok(found)
}

/// The nearest violation, or if there is a limit perhaps another.
fn nearest<'p>(program: &'p Program, wanted: Wanted, options: &Options<'p>) -> Result<Found<'p>, CheckError> {
    let cannot = why_unreduced(program);
    if cannot.is_some() || !options.reduction.persistent() {
        return breadth_first(program, wanted, options, Persistent::No(cannot));
    }
    if !wanted.errors {
        return breadth_first(program, wanted, options, Persistent::Yes);
    }
    if options.all {
        return breadth_first(program, wanted, options, Persistent::No(Some(LONGER.to_string())));
    }
    in_turns(program, wanted, options)
}

/// Why there is no reduction where there could be.
const LONGER: &str = "no reduction: with it, a shortest path to a failing statement may be longer";
/// Why there is no shortest path.
const PERHAPS: &str = "a limit was reached, so there may be a shorter counterexample";

/// Whether to use persistent sets, and why not.
enum Persistent {
    Yes,
    No(Option<String>),
}

/// What a turn with reduction says.
enum Turn<'p> {
    /// The answer.
    Answer(Found<'p>),
    /// Some statement can fail.
    Fails(Found<'p>),
    /// The turn was too short, but an invalid end state may have been found.
    Cut(Found<'p>),
}

/// Searches with and without reduction in turns.
fn in_turns<'p>(program: &'p Program, wanted: Wanted, options: &Options<'p>) -> Result<Found<'p>, CheckError> {
    let mut spent = Duration::ZERO;
    let mut most = FIRST;
    // A violation that need not be nearest.
    let mut known: Option<Found<'p>> = None;
    loop {
        let turn = at_most(options, most);
        let mut plain = breadth_first(program, wanted, &turn, Persistent::No(Some(LONGER.to_string())))?;
        plain.add_time(&mut spent);
        if matches!(plain.end, End::Complete | End::Stopped) {
            return Ok(plain);
        }
        let limit = plain.end;
        let is_longest = limit != End::Limit(Limit::States) || turn.limits.states == options.limits.states;
        if most < u64::MAX && options.limits.stop().is_none() {
            let turn = if is_longest { options } else { &turn };
            match with_reduction(program, wanted, options, turn, &mut spent)? {
                Turn::Answer(found) => return Ok(found),
                Turn::Fails(found) => (known, most) = (Some(found), u64::MAX),
                Turn::Cut(found) => {
                    most = most.saturating_mul(FACTOR);
                    known = known.or_else(|| (!found.observer.found.is_empty()).then_some(found));
                }
            }
        }
        if is_longest {
            let mut found = known.filter(|_| plain.observer.found.is_empty()).unwrap_or(plain);
            found.observer.keep_shortest();
            found.statistics.time = spent;
            // What was found is a violation, however the search for it ended; it is the search for the nearest that did not.
            found.end = limit;
            return Ok(found);
        }
    }
}

/// A turn with reduction.
fn with_reduction<'p>(
    program: &'p Program,
    wanted: Wanted,
    options: &Options<'p>,
    turn: &Options<'p>,
    spent: &mut Duration,
) -> Result<Turn<'p>, CheckError> {
    let mut reduced = first(program, wanted, turn, Until::Failure)?;
    reduced.add_time(spent);
    let found = &reduced.observer.found;
    if found.iter().any(|found| !found.is_deadlock) {
        return Ok(Turn::Fails(reduced));
    }
    if reduced.end != End::Complete {
        return Ok(Turn::Cut(reduced));
    }
    if found.is_empty() {
        return Ok(Turn::Answer(reduced));
    }
    let ends = Wanted {
        errors: false,
        ..wanted
    };
    let mut end_state = breadth_first(program, ends, options, Persistent::Yes)?;
    end_state.add_time(spent);
    // Without a result a limit was reached.
    Ok(match end_state.observer.found.is_empty() {
        true => Turn::Cut(reduced),
        false => Turn::Answer(end_state),
    })
}

/// The same options with at most this many states.
fn at_most<'p>(options: &Options<'p>, states: u64) -> Options<'p> {
    let states = match states {
        u64::MAX => options.limits.states,
        states => Some(options.limits.states.map_or(states, |limit| limit.min(states))),
    };
    Options {
        limits: Limits {
            states,
            ..options.limits
        },
        ..*options
    }
}

/// Searches breadth first, one statement at a time.
fn breadth_first<'p>(
    program: &'p Program,
    wanted: Wanted,
    options: &Options<'p>,
    persistent: Persistent,
) -> Result<Found<'p>, CheckError> {
    let strategy = Strategy {
        sleep: false,
        proviso: ProvisoKind::None,
        order: Order::BreadthFirst,
        storage: options.storage,
        limits: options.limits,
    };
    let mut used = ReductionUsed::default();
    let mut sets: Box<dyn PersistentSets<Step> + '_> = match persistent {
        Persistent::Yes => {
            used.persistent = Some(options.persistent.name());
            Box::new(StubbornSets::new(program, options.persistent, None).within(options.limits))
        }
        Persistent::No(note) => {
            used.note = note.filter(|_| options.reduction != Reduction::None);
            Box::new(AllEnabled)
        }
    };
    let until = match options.all {
        true => Until::Nothing,
        false => Until::Shortest,
    };
    let mut observer = Findings::new(program, wanted, until);
    let system = executed(ModelSystem::of_statements(program), options);
    let independence = Independence::new(program);
    let (statistics, end) = searched(&strategy, &system, &independence, &mut *sets, &mut observer)?;
    if !options.all {
        observer.keep_shortest();
    }
    Ok(Found {
        observer,
        used,
        statistics,
        end,
        is_shortest: true,
    })
}
