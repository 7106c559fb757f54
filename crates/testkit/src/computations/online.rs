//! What a prefix of the input settles, whatever comes after it.
//!
//! Local states arrive one at a time, those of each process in order, without any
//! order between processes (paper, the paragraphs "On-line Detection"). A verdict
//! may be announced as soon as it holds in every continuation: every computation
//! that has the arrived states as prefixes of its processes, goes on as it likes
//! in processes that have not ended, and there has any values and any order. Of
//! states that have not arrived nothing is known, so a predicate may be false in
//! every cut that contains one; [`definitely_after`] relaxes this for processes
//! on which the predicate does not depend.
//!
//! **Possibly** is certain iff a consistent cut of arrived states satisfies Φ.
//! Whether a cut is consistent depends on its past alone, and the past of a cut
//! of arrived states that is consistent has arrived, so it remains a consistent
//! cut whatever comes. Otherwise Φ may be false in all other cuts. An event
//! whose causes have not all arrived is in no such cut.
//!
//! **Definitely** is certain iff no history of any continuation avoids Φ. Let R be
//! the cuts of arrived states that are reached from the first cut through cuts
//! that do not satisfy Φ. Take a history that avoids Φ. While it stays within the
//! arrived states it stays within R. Either it leaves them: from a cut in R, by an
//! event of a process that has not ended and that stands at its last arrived
//! state. Or it never does, and then its last cut, in which every process has
//! ended and stands at its last arrived state, is in R. Conversely, if a cut in R
//! has a process p that has not ended and stands at its last arrived state, there
//! is a continuation with a history that avoids Φ: it follows the path to that
//! cut, then p does something that follows nothing and is false from there on,
//! and then everything else happens, for in each of these cuts p is in a state
//! that has not arrived. So Definitely is certain iff
//!
//! * no cut in R has a process that has not ended and stands at its last arrived
//!   state, and
//! * if all processes have ended, the last cut is not in R: the definition of
//!   Definitely for complete computations.
//!
//! Departure: the paper announces Definitely "as soon as all histories consistent
//! with the known prefix of the computation contain a CGS satisfying Φ". Read as
//! Definitely of the prefix taken for a complete computation, that would be
//! premature: two processes without messages, each false then true, satisfy
//! Definitely (both are true), because every history ends in the last cut. With
//! one more event, a history can pass by that cut.
//!
//! That Possibly or Definitely is false is never certain before all processes
//! have ended, since Φ may be true in the next state that arrives.

use super::chance::chance;
use super::continuation::freest_continuation;
use super::lattice::{HappenedBefore, all_cuts};
use super::modalities::{Predicate, definitely, holds, reached_avoiding};
use super::truth::Truth;
use fastrand::Rng;
use mazurka_trace::{Computation, Cut};

/// What has arrived of a computation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrived {
    /// How many local states of each process: none, its initial state, and so on.
    pub states: Vec<u32>,
    /// Which processes have ended, so that no state of theirs will follow, even if
    /// the computation that the states were taken from has some.
    pub ended: Vec<bool>,
}

/// What is certain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certain {
    /// If Possibly is certain, a cut that shows it, with as few events as possible.
    pub possibly: Option<Cut>,
    /// Whether Definitely is certain.
    pub definitely: bool,
}

impl Arrived {
    /// Nothing has arrived.
    pub fn nothing(processes: usize) -> Self {
        Self {
            states: vec![0; processes],
            ended: vec![false; processes],
        }
    }

    /// All initial states, and this many events of each process.
    pub fn events(events: &[u32]) -> Self {
        Self {
            states: events.iter().map(|k| k + 1).collect(),
            ended: vec![false; events.len()],
        }
    }

    /// The same, and the input has ended.
    pub fn then_end(mut self) -> Self {
        self.ended.fill(true);
        self
    }

    /// Some of a computation. Processes end only where nothing that has arrived
    /// says that they went on.
    pub fn random(rng: &mut Rng, computation: &Computation) -> Self {
        let last = computation.causality().last_cut();
        let mut states: Vec<u32> = last.iter().map(|&k| rng.u32(0..=k + 1)).collect();
        // Mostly all initial states are there and something is certain.
        for (k, &last) in states.iter_mut().zip(&last) {
            *k = match rng.u8(0..10) {
                0 => *k,
                1..5 => (*k).max(1),
                _ => last + 1 - rng.u32(0..=1).min(last),
            };
        }
        let mut arrived = Self::nothing(last.len());
        arrived.states = states;
        let known = arrived.known(computation);
        for (p, known) in known.into_iter().enumerate() {
            arrived.ended[p] = arrived.states[p] == known + 1 && chance(rng, 30);
        }
        arrived
    }

    /// How many events of each process have arrived.
    pub fn cut(&self) -> Cut {
        self.states.iter().map(|k| k.saturating_sub(1)).collect()
    }

    /// Whether a state has arrived.
    pub fn contains(&self, process: usize, state: u32) -> bool {
        state < self.states[process]
    }

    /// How many events of each process are known to have happened: those that
    /// have arrived, and those that happened before them.
    pub fn known(&self, computation: &Computation) -> Cut {
        let relation = HappenedBefore::of(computation);
        let mut known = self.cut();
        for (p, &events) in self.cut().iter().enumerate() {
            for (known, k) in known.iter_mut().zip(relation.timestamp(p, events)) {
                *known = k.max(*known);
            }
        }
        known
    }
}

/// What is certain of a predicate on the cuts of a computation after some of it
/// has arrived. The predicate is asked about cuts of arrived states only.
pub fn certain_after(computation: &Computation, arrived: &Arrived, predicate: &Predicate) -> Certain {
    if arrived.states.contains(&0) {
        // No cut has arrived, not even the first one.
        return Certain {
            possibly: None,
            definitely: false,
        };
    }
    let bound = arrived.cut();
    let mut cuts = all_cuts(computation);
    cuts.retain(|cut| (0..cut.len()).all(|p| arrived.contains(p, cut[p])));
    let reached = reached_avoiding(computation, &bound, predicate);
    let leaves = |cut: &Cut| (0..cut.len()).any(|p| !arrived.ended[p] && cut[p] == bound[p]);
    let ends = |cut: &Cut| arrived.ended.iter().all(|ended| *ended) && *cut == bound;
    Certain {
        possibly: cuts.into_iter().find(|cut| holds(predicate, cut)),
        definitely: !reached.keys().any(|cut| leaves(cut) || ends(cut)),
    }
}

/// Whether Definitely is certain of a predicate that depends on the states of the
/// processes in `support` alone.
///
/// Here states of other processes that have not arrived do not matter, so this
/// can be certain earlier than [`certain_after`], never later. Of all continuations,
/// [`freest_continuation`] has the most histories: what has not arrived follows
/// nothing. If Φ is false wherever a process of `support` is in a state that has
/// not arrived, and Definitely Φ still holds there, it holds in all of them. There
/// is no such greatest continuation for Possibly, where more order means fewer cuts.
pub fn definitely_after(
    computation: &Computation,
    arrived: &Arrived,
    support: &[usize],
    predicate: &Predicate,
) -> bool {
    let bound = arrived.cut();
    let pessimistic = |cut: &[u32]| match support.iter().all(|&p| arrived.contains(p, cut[p])) {
        true => predicate(&cut.iter().zip(&bound).map(|(a, b)| *a.min(b)).collect::<Cut>()),
        false => Truth::False,
    };
    definitely(&freest_continuation(computation, arrived), &pessimistic)
}
