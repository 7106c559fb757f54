//! Stubborn sets of a model, for its product with a claim.

use super::product::Joint;
use crate::reduce::StubbornSets;
use crate::run::Step;
use mazurka_core::bitset::{self, BitSet};
use mazurka_core::persistent::{PersistentSets, smallest};

/// In each state of the product, the moves with steps of a persistent set of the model.
///
/// With the cycle proviso of the search this is the usual reduction on the fly. Whether a step is left out then depends on
/// the state of the claim too, and the theorem does not hold for that in general (Siegel, *What's wrong with on-the-fly partial order
/// reduction*, CAV 2019). So it serves to find violations, which are executions of the model in any case, and not to exclude them.
#[derive(Debug)]
pub(super) struct JointSets<'p> {
    sets: StubbornSets<'p>,
    /// The length of the claim's state.
    claim: usize,
    steps: Vec<Step>,
    candidate: BitSet,
    best: BitSet,
}

impl<'p> JointSets<'p> {
    pub(super) fn new(sets: StubbornSets<'p>, claim: usize) -> Self {
        Self {
            sets,
            claim,
            steps: Vec::new(),
            candidate: BitSet::default(),
            best: BitSet::default(),
        }
    }
}

impl PersistentSets<Joint> for JointSets<'_> {
    fn chosen(&mut self, state: &[u8], enabled: &[Joint], out: &mut BitSet) -> bool {
        // Each move of the claim comes with each step of the model, in the same order.
        let Some(first) = enabled.first() else { return false };
        let of_first = enabled.iter().take_while(|joint| joint.claim == first.claim);
        self.steps.clear();
        self.steps.extend(of_first.filter_map(|joint| joint.step));
        if self.steps.len() < 2 {
            return false;
        }
        let model = &state[..state.len() - self.claim];
        smallest(
            &mut self.sets,
            model,
            &self.steps,
            |_| true,
            &mut self.candidate,
            &mut self.best,
        );
        out.reset(enabled.len());
        for k in 0..enabled.len() {
            if bitset::contains(&self.best, k % self.steps.len()) {
                bitset::insert(out, k);
            }
        }
        true
    }

    fn containing(&mut self, _: &[u8], enabled: &[Joint], _: usize, most: usize, out: &mut BitSet) -> bool {
        out.set_all(enabled.len());
        enabled.len() <= most
    }
}
