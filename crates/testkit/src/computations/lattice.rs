//! Consistent cuts by definition.
//!
//! An event happened before another iff it comes earlier in its process, or it
//! sends what the other receives, or so by transitivity (Lamport 1978). This is
//! kept as one entry for every pair of events and closed by adding pairs until
//! nothing changes. A local state s1 happened before a local state s2 iff s1
//! finished before s2 started (paper, section 2): the event that ends s1 is the
//! event that begins s2 or happened before it. A cut is consistent iff its local
//! states are pairwise concurrent: neither happened before the other. Neither
//! [`mazurka_trace::Clocks`] nor the methods of [`mazurka_trace::Causality`] that
//! compare cuts are used.
//!
//! Departure: the paper closes the relation between states, not the one between
//! events. That is the same as long as no event both sends and receives. With an
//! event that does, as the trace format allows, it is too little: let event 1 of p1
//! send to event 1 of p2, which sends to event 1 of p3. The states before these
//! events are then related to the states after them as 1 to 2 and 2 to 3, but the
//! state of p2 in the middle is a different one, so nothing follows for 1 and 3.

use mazurka_trace::{Computation, Cut};

/// Which local states happened before which.
#[derive(Clone, Debug)]
pub struct HappenedBefore {
    /// All events, as process and number from 1.
    events: Vec<(usize, u32)>,
    /// Per process: the place of its first event in `events`, or where it would be.
    first: Vec<usize>,
    /// Per pair of places in `events`: whether the one happened before the other.
    before: Vec<Vec<bool>>,
}

impl HappenedBefore {
    /// The relation of a computation.
    pub fn of(computation: &Computation) -> Self {
        let causality = computation.causality();
        let mut events = Vec::new();
        let mut first = Vec::new();
        for p in computation.process_ids() {
            first.push(events.len());
            events.extend((1..=causality.events(p)).map(|k| (p.index(), k)));
        }
        let before = vec![vec![false; events.len()]; events.len()];
        let mut relation = Self { events, first, before };
        for process in computation.process_ids() {
            let p = process.index();
            for k in 1..=causality.events(process) {
                if k > 1 {
                    relation.add((p, k - 1), (p, k));
                }
                for cause in causality.causes(process, k) {
                    relation.add((cause.process.index(), cause.index), (p, k));
                }
            }
        }
        relation.close();
        relation
    }

    /// Whether state `k` of `p` happened before state `l` of `q`.
    pub fn holds(&self, (p, k): (usize, u32), (q, l): (usize, u32)) -> bool {
        // The last state of a process does not end, an initial state does not begin.
        if k == self.number_of_events(p) || l == 0 {
            return false;
        }
        let (ends, begins) = (self.place(p, k + 1), self.place(q, l));
        ends == begins || self.before[ends][begins]
    }

    /// Whether neither state happened before the other.
    pub fn concurrent(&self, s: (usize, u32), t: (usize, u32)) -> bool {
        !self.holds(s, t) && !self.holds(t, s)
    }

    /// Whether the local states of a cut are pairwise concurrent.
    pub fn is_consistent(&self, cut: &[u32]) -> bool {
        (0..cut.len()).all(|p| (0..p).all(|q| self.concurrent((p, cut[p]), (q, cut[q]))))
    }

    /// The vector timestamp of a state: how many states of each process happened before it.
    ///
    /// State j of q happened before it iff event j + 1 of q did or is the event
    /// that leads to it, so these are also the numbers of events that it knows,
    /// its own event included: the clocks of the trace format.
    pub fn timestamp(&self, p: usize, k: u32) -> Vec<u32> {
        let count = |q: usize| {
            let states = 0..=self.number_of_events(q);
            states.map(|j| u32::from(self.holds((q, j), (p, k)))).sum()
        };
        (0..self.first.len()).map(count).collect()
    }

    fn number_of_events(&self, p: usize) -> u32 {
        let end = self.first.get(p + 1).copied().unwrap_or(self.events.len());
        u32::try_from(end - self.first[p]).expect("events are numbered with 32 bits")
    }

    fn place(&self, p: usize, k: u32) -> usize {
        let place = self.first[p] + k as usize - 1;
        debug_assert_eq!(self.events[place], (p, k));
        place
    }

    fn add(&mut self, (p, k): (usize, u32), (q, l): (usize, u32)) {
        let (from, to) = (self.place(p, k), self.place(q, l));
        self.before[from][to] = true;
    }

    fn close(&mut self) {
        let n = self.events.len();
        let mut changed = true;
        while changed {
            changed = false;
            for a in 0..n {
                for b in 0..n {
                    for c in 0..n {
                        if self.before[a][b] && self.before[b][c] && !self.before[a][c] {
                            self.before[a][c] = true;
                            changed = true;
                        }
                    }
                }
            }
        }
    }
}

/// All consistent cuts, those with fewer events first.
pub fn all_cuts(computation: &Computation) -> Vec<Cut> {
    let relation = HappenedBefore::of(computation);
    // The cuts of the first processes alone, one process more each time.
    let mut cuts: Vec<Cut> = vec![vec![]];
    for p in computation.process_ids() {
        let mut longer = Vec::new();
        for cut in &cuts {
            for k in 0..=computation.causality().events(p) {
                let mut cut = cut.clone();
                cut.push(k);
                if relation.is_consistent(&cut) {
                    longer.push(cut);
                }
            }
        }
        cuts = longer;
    }
    cuts.sort_by_key(|cut| cut.iter().sum::<u32>());
    cuts
}

/// The consistent cuts that have one event more than a consistent cut.
///
/// Among consistent cuts these are its immediate successors.
pub fn successors(relation: &HappenedBefore, cut: &[u32]) -> Vec<Cut> {
    let mut found = Vec::new();
    for p in 0..cut.len() {
        if cut[p] < relation.number_of_events(p) {
            let mut next = cut.to_vec();
            next[p] += 1;
            if relation.is_consistent(&next) {
                found.push(next);
            }
        }
    }
    found
}

/// How many pairs of a consistent cut and an immediate successor there are.
pub fn edges(computation: &Computation) -> usize {
    let relation = HappenedBefore::of(computation);
    let cuts = all_cuts(computation);
    cuts.iter().map(|cut| successors(&relation, cut).len()).sum()
}
