//! Collects the answers of a search: deadlocks, and the properties that one state settles.

use super::outcome::{Answer, Deadlock, Run, SearchError};
use super::property::Property;
use super::{Knowledge, Model, PropertyKind, Typed};
use crate::ids::StateId;
use crate::search::{Doubt, Observer, Path, Verdict};
use std::ops::ControlFlow;

/// Looks at every new state.
pub(super) struct Answers<'s, 'a, M: Model, K> {
    pub(super) system: Typed<'a, M>,
    pub(super) knowledge: &'s K,
    pub(super) properties: &'s [Property<'a, M>],
    pub(super) witnesses: usize,
    pub(super) first_only: bool,
    pub(super) deadlocks: Vec<Deadlock<M>>,
    pub(super) terminations: u64,
    /// Per property: the run to the state that settles it.
    pub(super) settled: Vec<Option<Run<M>>>,
    pub(super) error: Option<SearchError>,
}

/// The run along a path, executed on values, if it ends in the state with these bytes.
pub(super) fn replay<M: Model>(system: Typed<'_, M>, path: &[M::Action], bytes: &[u8]) -> Result<Run<M>, SearchError> {
    let run = system.run(path)?;
    let mut last = Vec::new();
    system.encode(run.last(), &mut last);
    match path.last() {
        _ if last == bytes => Ok(run),
        Some(action) => Err(SearchError::not_repeatable(path.len(), action)),
        None => Err(SearchError::not_repeatable(0, &"the initial state")),
    }
}

impl<M: Model, K: Knowledge<M>> Answers<'_, '_, M, K> {
    /// What `look` says, or the end of the search with its error.
    fn or_stop<T>(&mut self, answer: Result<T, SearchError>) -> ControlFlow<(), T> {
        match answer {
            Ok(answer) => ControlFlow::Continue(answer),
            Err(error) => {
                self.error = Some(error);
                ControlFlow::Break(())
            }
        }
    }

    fn look(&mut self, bytes: &[u8], stuck: bool, path: &dyn Path<M::Action>) -> Result<bool, SearchError> {
        let state = self.system.decode(bytes);
        let mut bad = false;
        for (property, settled) in self.properties.iter().zip(&mut self.settled) {
            let wanted = match property.kind {
                PropertyKind::Always => false,
                PropertyKind::Sometimes => true,
                PropertyKind::Eventually => continue,
            };
            if settled.is_none() && (property.holds)(&state) == wanted {
                *settled = Some(replay(self.system, &path.transitions(), bytes)?);
                bad |= property.kind == PropertyKind::Always;
            }
        }
        if stuck && self.system.model().may_end(&state) {
            self.terminations += 1;
        } else if stuck {
            bad = true;
            let witness = self.deadlocks.len() < self.witnesses;
            let run = witness.then(|| replay(self.system, &path.transitions(), bytes));
            let run = run.transpose()?;
            self.deadlocks.push(Deadlock { state, run });
        }
        Ok(bad)
    }

    /// The answer to a property that one state settles; `doubt` says why finding nothing proves nothing.
    pub(super) fn answer(&mut self, k: usize, doubt: Option<Doubt>) -> Answer<M> {
        let property = &self.properties[k];
        let run = self.settled[k].take();
        let verdict = match (property.kind, &run, doubt) {
            (PropertyKind::Sometimes, Some(_), _) => Verdict::Holds,
            (_, Some(_), _) => Verdict::Violated,
            (_, None, Some(doubt)) => Verdict::Inconclusive(doubt),
            (PropertyKind::Sometimes, None, None) => Verdict::Violated,
            (_, None, None) => Verdict::Holds,
        };
        Answer {
            name: property.name.clone(),
            kind: property.kind,
            verdict,
            run,
            statistics: None,
        }
    }
}

impl<'a, M: Model, K: Knowledge<M>> Observer<Typed<'a, M>> for Answers<'_, 'a, M, K> {
    fn state(
        &mut self,
        _: StateId,
        state: &[u8],
        enabled: &[M::Action],
        path: &dyn Path<M::Action>,
    ) -> ControlFlow<()> {
        if let Some(action) = enabled.iter().find(|action| !self.knowledge.expects(**action)) {
            return self.or_stop(Err(SearchError::not_in_alphabet(action)));
        }
        let open = |(property, settled): (&Property<'_, M>, &Option<_>)| {
            property.kind != PropertyKind::Eventually && settled.is_none()
        };
        if !enabled.is_empty() && !self.properties.iter().zip(&self.settled).any(open) {
            return ControlFlow::Continue(());
        }
        let looked = self.look(state, enabled.is_empty(), path);
        if self.or_stop(looked)? && self.first_only {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}
