//! What PS_Def asks of a computation that is still arriving (paper, long version, section 6).
//!
//! The local states of a process that have arrived may be followed by others. It is asked only in cuts in
//! which no process may make a move that has not arrived. There every answer is for good, so a set that is
//! persistent in what has arrived is persistent however the run goes on:
//!
//! * Whose next event is known can move there or waits for others, now and later.
//! * Of a process that is in its last state, the next event knows at least what the last delivered event knows.
//!   It waits for something that has arrived, since it may not move, and will wait for that when it has come.
//! * A conjunct is false until the end (formula (5)) if its process meets an event that waits for the set
//!   before it goes beyond a state in which the conjunct is true. The paper says no if the states of the process
//!   up to there have not arrived. Here it may also be yes if what comes after the last one waits for the set.

use super::live::{Live, Truth};
use super::stream::Clock;
use super::tracks::Sight;
use crate::detection::Lattice;
use mazurka_core::bitset::{self, BitSet};
use std::cell::{Cell, RefCell};

/// How a search reads conjuncts that have no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Doubt {
    /// None was met.
    None,
    /// They count as false.
    IsFalse,
    /// They count as true.
    IsTrue,
}

/// The questions and where they are answered from. Processes are places in the support, and their states are stretches.
pub(super) struct Arriving<'a> {
    pub(super) sight: Sight<'a>,
    pub(super) doubt: Doubt,
    /// A conjunct without a value was met before it was decided how to read it.
    pub(super) met: Cell<bool>,
    pub(super) runs: &'a FalseRuns,
}

/// Per conjunct of one process: states `from..to` in which it is false, so that they are not looked at again.
#[derive(Clone, Debug, Default)]
pub(super) struct FalseRuns(RefCell<Vec<(u32, u32)>>);

impl FalseRuns {
    pub(super) fn of(live: &Live) -> Self {
        Self(RefCell::new(vec![(0, 0); live.conjuncts.len()]))
    }

    /// They were read in another way.
    pub(super) fn forget(&mut self) {
        self.0.get_mut().fill((0, 0));
    }
}

impl Arriving<'_> {
    /// Whether the predicate holds.
    pub(super) fn is_true(&self, cut: &[u32]) -> bool {
        (0..self.conjuncts()).all(|c| self.holds(c, cut))
    }

    fn decide(&self, truth: Truth) -> bool {
        self.met
            .set(self.met.get() || (truth == Truth::Undefined && self.doubt == Doubt::None));
        match truth {
            Truth::True => true,
            Truth::False => false,
            Truth::Undefined => self.doubt == Doubt::IsTrue,
        }
    }

    /// Whether the next state of a process has arrived.
    pub(super) fn has_next(&self, cut: &[u32], k: usize) -> bool {
        cut[k] < self.sight.last(k)
    }

    /// Whether a process will not move any more.
    pub(super) fn has_ended(&self, cut: &[u32], k: usize) -> bool {
        self.sight.has_ended(k) && !self.has_next(cut, k)
    }

    /// The processes that must move before a process does.
    fn missing(&self, cut: &[u32], k: usize) -> impl Iterator<Item = usize> {
        let clock = self.sight.clock(k, cut[k] + 1);
        let knows_more = move |j: &usize| *j != k && self.knows_more(clock, *j, cut);
        (0..cut.len()).filter(knows_more)
    }

    fn knows_more(&self, clock: &Clock, j: usize, cut: &[u32]) -> bool {
        self.sight.known(clock, j) > cut[j]
    }

    /// Whether a process can make its next move if it has arrived, or else may come to make it.
    pub(super) fn may_move(&self, cut: &[u32], k: usize) -> bool {
        !self.has_ended(cut, k) && self.missing(cut, k).next().is_none()
    }

    /// The first state from `from` on, before `to`, in which a conjunct of the k-th process may be true.
    fn first_true(&self, conjunct: usize, k: usize, from: u32, to: u32) -> Option<u32> {
        let mut runs = self.runs.0.borrow_mut();
        let run = &mut runs[conjunct];
        if !(run.0..=run.1).contains(&from) {
            *run = (from, from);
        }
        while run.1 < to {
            let state = |_| self.sight.tracks.begin(k, run.1);
            if self.decide(self.sight.live.conjunct_in(self.sight.stream, conjunct, &state)) {
                return Some(run.1);
            }
            run.1 += 1;
        }
        None
    }
}

impl Lattice for Arriving<'_> {
    fn processes(&self) -> usize {
        self.sight.live.support.len()
    }

    fn conjuncts(&self) -> usize {
        self.sight.live.conjuncts.len()
    }

    fn reads(&self, conjunct: usize, k: usize) -> Option<usize> {
        let live = self.sight.live;
        live.conjuncts[conjunct].support.get(k).map(|p| live.position(*p))
    }

    fn holds(&self, conjunct: usize, cut: &[u32]) -> bool {
        let Sight { live, stream, tracks } = self.sight;
        let state = |process: usize| {
            let k = live.position(process);
            tracks.begin(k, cut[k])
        };
        self.decide(live.conjunct_in(stream, conjunct, &state))
    }

    fn follow(&self, cut: &[u32], process: usize) -> Option<usize> {
        if self.has_ended(cut, process) {
            return None;
        }
        let mut at = process;
        while let Some(next) = self.missing(cut, at).next() {
            at = next;
        }
        debug_assert!(self.has_next(cut, at), "no move that has not arrived is possible");
        Some(at)
    }

    fn waits(&self, cut: &[u32], process: usize, members: &BitSet) -> bool {
        // Clocks are transitive: it waits for whatever those wait for that it waits for.
        self.has_ended(cut, process) || self.missing(cut, process).any(|j| bitset::contains(members, j))
    }

    fn stops(&self, conjunct: usize, cut: &[u32], members: &BitSet) -> bool {
        let Some(j) = self.reads(conjunct, 0) else { return false };
        if bitset::contains(members, j) {
            return true;
        }
        let last = self.sight.last(j);
        let held_up = |state: u32| {
            let clock = self.sight.clock(j, state);
            bitset::iter(members).any(|i| self.knows_more(clock, i, cut))
        };
        // The first of the next states that it does not reach without the set; what one event knows, all later ones know.
        let (mut low, mut high) = (cut[j] + 1, last + 2);
        while low < high {
            let middle = low + (high - low) / 2;
            match held_up(middle) {
                true => high = middle,
                false => low = middle + 1,
            }
        }
        let out_of_reach = low;
        match out_of_reach > last + 1 {
            // Nothing holds it up; then it must stay false up to the end, or become true in the last state.
            true => self.sight.has_ended(j) && self.first_true(conjunct, j, cut[j], last).is_none(),
            false => self.first_true(conjunct, j, cut[j], out_of_reach - 1).is_none(),
        }
    }
}
