//! Algorithms 3 (stubborn sets) and 4 (conditional stubborn sets).
//!
//! Thesis 4.5 and 4.7, Figs 4.4 and 4.5. A closure over transitions, enabled or
//! not: an enabled one brings in what is in conflict or might interfere with it,
//! a disabled one a necessary enabling set. The enabled members are persistent
//! (Thms 4.16, 4.18, 4.23, 4.27). The two algorithms differ in the relation that
//! says what might interfere: over all states for Algorithm 3, from the current
//! state on (`▷s`) for Algorithm 4.
//!
//! [`Strength::Weak`] is beyond the thesis (Note 4.31; Valmari's weak stubborn
//! sets): only the transition one starts from, the *key*, brings in everything
//! that might interfere. Any other enabled member `t` brings in that or, if it is
//! less, the transitions `u` for which "`u`, then `t`" does not imply "`t`, then
//! `u`": what merely disables `t` stays out. Then
//!
//! * D1: if a sequence of non-members and then a member `t` can be executed, `t`
//!   can be executed first, with the same result: `t` moves to the left one step
//!   at a time, and what could enable it on the way is a member;
//! * D2: no sequence of non-members disables the key.
//!
//! Every sequence to a deadlock contains a member (D2), the first of which can be
//! moved to the front (D1): every deadlock is found, by the induction of Thm 4.3.
//! The sets are not persistent and the sequence moved is not trace-equivalent,
//! so neither sleep sets nor provisos can be used with them.
//!
//! Departures: a transition that begins and ends at a control point is not in
//! the necessary enabling sets of those that wait for its process to arrive
//! there; an operation that is not defined is its own condition, which saves the
//! explicit guard that the thesis asks for and is finer for Algorithm 4.

use super::PersistentSets;
use super::enabling::{EnablingChoice, Fewest, Gathered};
use crate::bitset::{self, BitSet};
use crate::ids::TransitionId;
use crate::structure::{Precision, Structure};

/// How much the enabled members of a stubborn set bring in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strength {
    /// Each brings in everything that might interfere: the set is persistent.
    Strong,
    /// Only the first brings in everything; the others may bring in less.
    Weak,
}

/// Algorithm 3 or 4, depending on the precision.
#[derive(Debug)]
pub struct Stubborn<'a, S, C = Fewest> {
    system: &'a S,
    precision: Precision,
    strength: Strength,
    choice: C,
    enabled: BitSet,
    avoided: BitSet,
    /// The stubborn set, and those of its members that were not looked at yet.
    set: BitSet,
    work: BitSet,
    scratch: BitSet,
    gathered: Gathered,
}

impl<'a, S: Structure> Stubborn<'a, S> {
    /// The algorithm, for this system, with the cheapest necessary enabling sets.
    pub fn new(system: &'a S, precision: Precision) -> Self {
        Self::with_choice(system, precision, Fewest)
    }
}

impl<'a, S: Structure, C: EnablingChoice> Stubborn<'a, S, C> {
    /// The algorithm with another choice of necessary enabling sets.
    pub fn with_choice(system: &'a S, precision: Precision, choice: C) -> Self {
        let transitions = system.transitions();
        Self {
            system,
            precision,
            strength: Strength::Strong,
            choice,
            enabled: BitSet::default(),
            avoided: BitSet::default(),
            set: BitSet::default(),
            work: BitSet::default(),
            scratch: BitSet::new(transitions),
            gathered: Gathered::default(),
        }
    }

    /// The same algorithm with another strength.
    pub fn with_strength(mut self, strength: Strength) -> Self {
        self.strength = strength;
        self
    }

    /// The members of the last set, enabled or not.
    pub fn members(&self) -> &[u64] {
        &self.set
    }
}

/// A stubborn set under construction.
struct Closure<'a> {
    set: &'a mut [u64],
    work: &'a mut [u64],
    enabled: &'a [u64],
    avoided: &'a [u64],
    /// Enabled members.
    count: usize,
    /// Whether a member is to be avoided.
    spoilt: bool,
}

impl Closure<'_> {
    #[inline]
    fn add(&mut self, more: &[u64]) {
        for (k, word) in more.iter().enumerate() {
            let new = word & !self.set[k];
            self.set[k] |= new;
            self.work[k] |= new;
            self.count += (new & self.enabled[k]).count_ones() as usize;
            self.spoilt |= new & self.avoided[k] != 0;
        }
    }

    /// Adds one of the sets gathered for `t`; any of them would do.
    #[inline]
    fn add_one_of(&mut self, gathered: &Gathered, t: TransitionId, choice: &mut impl EnablingChoice) {
        let candidates = gathered.of(self.set.len());
        let chosen = choice.choose(t, candidates, self.set, self.enabled);
        self.add(candidates.nth(chosen));
    }

    /// The members among `enabled`, as positions there.
    fn enabled_members(&self, enabled: &[TransitionId], out: &mut BitSet) {
        out.reset(enabled.len());
        for (k, t) in enabled.iter().enumerate() {
            if bitset::contains(self.set, t.index()) {
                bitset::insert(out, k);
            }
        }
    }
}

impl<S: Structure, C: EnablingChoice> PersistentSets<TransitionId> for Stubborn<'_, S, C> {
    fn prepare(&mut self, _: &[u8], enabled: &[TransitionId]) {
        self.enabled.reset(self.system.transitions());
        self.avoided.reset(self.system.transitions());
        for t in enabled {
            bitset::insert(&mut self.enabled, t.index());
        }
    }

    fn avoid(&mut self, t: TransitionId) {
        // Within a weak set, `t` brings in less than as the key of its own.
        if self.strength == Strength::Weak {
            return;
        }
        bitset::insert(&mut self.avoided, t.index());
    }

    fn is_last_choice(&self, t: TransitionId) -> bool {
        self.system.grows(t)
    }

    fn containing(
        &mut self,
        state: &[u8],
        enabled: &[TransitionId],
        start: usize,
        most: usize,
        out: &mut BitSet,
    ) -> bool {
        let Self {
            system,
            precision,
            strength,
            choice,
            enabled: is_enabled,
            avoided,
            set,
            work,
            scratch,
            gathered,
        } = self;
        set.reset(system.transitions());
        work.reset(system.transitions());
        bitset::insert(set, enabled[start].index());
        bitset::insert(work, enabled[start].index());
        let mut closure = Closure {
            spoilt: bitset::contains(avoided, enabled[start].index()),
            set,
            work,
            enabled: is_enabled,
            avoided,
            count: 1,
        };
        while closure.count <= most && !closure.spoilt {
            let Some(t) = bitset::pop_first(closure.work) else {
                closure.enabled_members(enabled, out);
                return true;
            };
            let t = TransitionId::new(t);
            if !bitset::contains(is_enabled, t.index()) {
                gathered.0.clear();
                system.enabling_sets(state, t, *precision, scratch, |set| gathered.0.extend_from_slice(set));
                closure.add_one_of(gathered, t, choice);
                continue;
            }
            scratch.copy_from(system.in_conflict(t));
            system.interfering(state, t, *precision, scratch);
            if *strength == Strength::Weak && t != enabled[start] {
                // Either is enough for D1.
                gathered.0.clear();
                gathered.0.extend_from_slice(scratch);
                gathered.0.extend_from_slice(system.not_left_commuting(t));
                closure.add_one_of(gathered, t, choice);
            } else {
                closure.add(scratch);
            }
        }
        false
    }
}
