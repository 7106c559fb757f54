//! Persistent sets of a typed model that a formula does not notice.

use super::executions::Executions;
use crate::product::Writes;
use mazurka_core::bitset::{self, BitSet};
use mazurka_core::persistent::PersistentSets;
use mazurka_core::typed::{Knowledge, Model, SearchError};
use mazurka_core::{Observer, Path, StateId};
use std::ops::ControlFlow;

/// Persistent sets without actions that an atom is true of, or with everything.
pub(super) struct Quiet<'s, 'x, 'a, M: Model> {
    pub(super) sets: &'s mut dyn PersistentSets<M::Action>,
    pub(super) executions: &'s Executions<'x, 'a, M>,
}

impl<M: Model> PersistentSets<M::Action> for Quiet<'_, '_, '_, M> {
    fn prepare(&mut self, state: &[u8], enabled: &[M::Action]) {
        self.sets.prepare(state, enabled);
    }

    fn reduces(&self) -> bool {
        self.sets.reduces()
    }

    fn is_last_choice(&self, action: M::Action) -> bool {
        self.sets.is_last_choice(action)
    }

    fn avoid(&mut self, action: M::Action) {
        self.sets.avoid(action);
    }

    fn containing(&mut self, state: &[u8], enabled: &[M::Action], start: usize, most: usize, out: &mut BitSet) -> bool {
        let is_event = |k: usize| self.executions.happens(enabled[k]) != 0;
        self.sets.containing(state, enabled, start, most, out)
            && (bitset::len(out) == enabled.len() || !bitset::iter(out).any(is_event))
    }
}

/// Sees to it that only actions happen that the footprint knows.
pub(super) struct Expected<'s, K> {
    pub(super) knowledge: &'s K,
    pub(super) error: Option<SearchError>,
}

impl<'x, 'a, M: Model, K: Knowledge<M>> Observer<Executions<'x, 'a, M>> for Expected<'_, K> {
    fn state(&mut self, _: StateId, _: &[u8], enabled: &[M::Action], _: &dyn Path<M::Action>) -> ControlFlow<()> {
        match enabled.iter().find(|action| !self.knowledge.expects(**action)) {
            None => ControlFlow::Continue(()),
            Some(action) => {
                let action = format!("{action:?}");
                self.error = Some(SearchError::NotInAlphabet { action });
                ControlFlow::Break(())
            }
        }
    }
}
