//! `eventually`: does every execution pass a state where the condition is true?
//!
//! The executions that do not are those of the system in which nothing can happen any more once the condition is true:
//! the infinite ones, which the search for acceptance cycles finds (no acceptance set, so every cycle counts), and the
//! finite ones that end where the condition is false.
//!
//! With persistent sets: from a state, let `w` be such an execution, and `T` the set to explore. If `T` is not everything, no
//! member changes what the condition reads. Moving the first member of `T` in `w` to the front, or putting one
//! in front if there is none, leaves the condition false all the way. So some explored action leads to a state with such
//! an execution, a finite one being shorter, and one is found.

use super::answers::replay;
use super::outcome::{Run, SearchError};
use super::property::Condition;
use super::{Model, Typed};
use crate::ids::StateId;
use crate::persistent::PersistentSets;
use crate::search::{Acceptance, CycleSearch, End, Observer, Path, Statistics};
use crate::system::{Fault, System};
use std::ops::ControlFlow;

/// The model until the condition is true.
struct Until<'s, 'a, M: Model> {
    system: Typed<'a, M>,
    holds: &'s Condition<'a, M>,
}

impl<M: Model> System for Until<'_, '_, M> {
    type Transition = M::Action;
    type Scratch = ();

    fn scratch(&self) {}

    fn initial(&self, state: &mut Vec<u8>) {
        self.system.initial(state);
    }

    fn enabled(&self, state: &[u8], out: &mut Vec<M::Action>) {
        if !(self.holds)(&self.system.decode(state)) {
            self.system.enabled(state, out);
        }
    }

    fn fire(&self, (): &mut (), state: &[u8], t: M::Action, next: &mut Vec<u8>) -> Result<(), Fault> {
        self.system.fire(&mut (), state, t, next)
    }

    fn state_len(&self) -> Option<usize> {
        self.system.state_len()
    }
}

/// Every infinite execution.
struct Infinite;

impl<T> Acceptance<T> for Infinite {
    fn sets(&self) -> usize {
        0
    }
}

/// Stops where nothing can happen although the condition is false.
struct Ends<'s, 'a, M: Model> {
    until: &'s Until<'s, 'a, M>,
    expects: &'s dyn Fn(M::Action) -> bool,
    found: Option<Result<Run<M>, SearchError>>,
}

impl<'s, 'a, M: Model> Observer<Until<'s, 'a, M>> for Ends<'s, 'a, M> {
    fn state(
        &mut self,
        _: StateId,
        bytes: &[u8],
        enabled: &[M::Action],
        path: &dyn Path<M::Action>,
    ) -> ControlFlow<()> {
        let system = self.until.system;
        if let Some(action) = enabled.iter().find(|action| !(self.expects)(**action)) {
            self.found = Some(Err(SearchError::not_in_alphabet(action)));
            return ControlFlow::Break(());
        }
        if enabled.is_empty() && !(self.until.holds)(&system.decode(bytes)) {
            self.found = Some(replay(system, &path.transitions(), bytes));
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

/// An execution that never passes a state where `holds` is true, if there is one, and how the search for it ended.
///
/// `expects` says which actions can happen, as far as is known.
pub(super) fn never<'a, M: Model>(
    search: &CycleSearch<'_>,
    system: Typed<'a, M>,
    expects: &dyn Fn(M::Action) -> bool,
    holds: &Condition<'a, M>,
    sets: &mut dyn PersistentSets<M::Action>,
) -> Result<(Option<Run<M>>, Statistics, End), SearchError> {
    let until = Until { system, holds };
    let mut ends = Ends {
        until: &until,
        expects,
        found: None,
    };
    let emptiness = search.run(&until, sets, &Infinite, &mut ends)?;
    let run = match (ends.found, emptiness.lasso) {
        (Some(run), _) => Some(run?),
        (None, None) => None,
        (None, Some(lasso)) => {
            let path = [lasso.prefix.as_slice(), &lasso.cycle].concat();
            let (start, mut bytes) = (system.run(&lasso.prefix)?, Vec::new());
            system.encode(start.last(), &mut bytes);
            let run = replay(system, &path, &bytes)?;
            Some(Run {
                back_to: Some(lasso.prefix.len()),
                ..run
            })
        }
    };
    debug_assert!(run.as_ref().is_none_or(|run| !run.states().any(holds)));
    Ok((run, emptiness.statistics, emptiness.end))
}
