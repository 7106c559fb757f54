//! Freeze sets, by their definition: sets of sets.
//!
//! A set `F` of components is *frozen* after `u` if `u` is equivalent to some `u1 u2` such that
//! after `u1` the conjuncts of `F` hold, and no component outside `F` takes part in `u2`: for the
//! snapshot, the members of `F` have stopped there, and the others may still reach states where
//! their conjuncts hold. The snapshot is passed when all are frozen (Lemma 1, Corollary 1 of the paper).
//!
//! The successor of a set of freeze sets has two rules (4.1). *Extension*: a set without any
//! participant may be joined by participants whose conjunct holds after the step.
//! *Propagation*: a set that contains all participants stays.
//!
//! There are exponentially many sets; this is for tests of [`FreezeBasis`](super::FreezeBasis).

use std::collections::BTreeSet;

use super::SnapshotAutomaton;

/// All frozen sets of at most 64 components.
///
/// ```
/// use mazurka_logic::snapshot::{FreezeSets, SnapshotAutomaton};
/// let mut sets = FreezeSets::new(2, &[0b01]).expect("at most 64 components");
/// sets.step(&[0b10], &[0b10]); // the conjunct of component 1 holds after its step
/// assert!(sets.is_passed());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FreezeSets {
    all: u64,
    sets: BTreeSet<u64>,
    passed: bool,
}

impl FreezeSets {
    /// The automaton before the first step, where the conjuncts of `satisfied` hold; `None` for more than 64
    /// components.
    pub fn new(components: usize, satisfied: &[u64]) -> Option<Self> {
        let all = match components {
            0 => 0,
            1..=64 => u64::MAX >> (64 - components),
            _ => return None,
        };
        let satisfied = satisfied.first().map_or(0, |word| word & all);
        Some(Self {
            all,
            sets: subsets(satisfied).collect(),
            passed: satisfied == all,
        })
    }

    /// The frozen sets, each as the bits of a word.
    pub fn sets(&self) -> impl Iterator<Item = u64> {
        self.sets.iter().copied()
    }
}

impl SnapshotAutomaton for FreezeSets {
    fn step(&mut self, participants: &[u64], satisfied: &[u64]) {
        let word = |set: &[u64]| set.first().map_or(0, |word| word & self.all);
        let (participants, satisfied) = (word(participants), word(satisfied));
        let mut next = BTreeSet::new();
        for set in &self.sets {
            if set & participants == 0 {
                next.extend(subsets(participants & satisfied).map(|joins| set | joins));
            }
            if participants & !set == 0 {
                next.insert(*set);
            }
        }
        self.sets = next;
        self.passed |= self.sets.contains(&self.all);
    }

    fn is_passed(&self) -> bool {
        self.passed
    }
}

/// The subsets of a set, the empty one included.
fn subsets(set: u64) -> impl Iterator<Item = u64> {
    let mut next = Some(0_u64);
    std::iter::from_fn(move || {
        let this = next?;
        // Counting in the positions of the members only.
        next = (this != set).then(|| (this | !set).wrapping_add(1) & set);
        Some(this)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_subsets_come_out_once() {
        assert_eq!(
            subsets(0b1011).collect::<Vec<_>>(),
            [0, 1, 0b10, 0b11, 0b1000, 0b1001, 0b1010, 0b1011]
        );
        assert_eq!(subsets(0).collect::<Vec<_>>(), [0]);
    }

    #[test]
    fn extension_needs_a_set_without_participants() {
        // Component 0 is frozen, then meets 1, whose conjunct holds afterwards, 0's not: {0, 1} is not
        // frozen, as 0 would have to be frozen before the step and 1 after it.
        let mut sets = FreezeSets::new(2, &[0b01]).unwrap();
        sets.step(&[0b11], &[0b10]);
        assert_eq!(sets.sets().collect::<Vec<_>>(), [0, 0b10]);
        assert!(!sets.is_passed());
    }
}
