//! On-line Definitely of any predicate.
//!
//! The cuts that are reached from the first without passing through one that satisfies
//! the predicate, as far as states have arrived. A cut is *live* while some process may
//! still make a move from it that has not arrived; whatever the run is like that goes on,
//! it can pass through that cut and avoid the predicate so far. So Definitely can no
//! longer be undone iff no cut is live (compare the paper, which announces it when the
//! to-do set is empty). Cuts that are not live any more are forgotten: all cuts below a
//! cut are explored before it, so none of them is reached again.
//!
//! A live cut waits for a process only in the last state of it that has arrived. It is
//! ready when the next state arrives, or when an event that changes nothing knows so much
//! that the process cannot move there any more. So live cuts are listed by the processes
//! that they wait for, and looked at only when one of these has a new state or knows more.

use super::live::{Live, LiveCut, Truth};
use super::stream::{Clock, Stream};
use std::collections::{BTreeMap, HashMap};

/// A search for a history that avoids the predicate.
#[derive(Debug, Default)]
pub(super) struct Frontier {
    /// Per live cut: whose moves have not arrived, and whether it was reached without
    /// passing through cuts in which the predicate has no value.
    live: HashMap<LiveCut, (Vec<usize>, bool)>,
    /// Per place in the support: live cuts that wait for it. Cuts that are not live any more may be named.
    waiting_for: Vec<Vec<LiveCut>>,
    /// Per place in the support: the last state, the last event's clock and whether it had ended, when it was looked at.
    seen: Vec<(Option<u32>, Clock, bool)>,
    started: bool,
    /// The last cut was reached (once all processes have ended), and how.
    pub(super) last_reached: bool,
    pub(super) last_surely: bool,
    pub(super) states: u64,
}

impl Frontier {
    /// Whether every history has passed through the predicate, whatever comes.
    pub(super) fn is_certain(&self) -> bool {
        self.started && self.live.is_empty() && !self.last_reached
    }

    /// How many cuts are live.
    pub(super) fn held(&self) -> usize {
        self.live.len()
    }

    /// The lowest state of a process that may be looked at.
    pub(super) fn floor(&self, k: usize) -> u32 {
        match self.started {
            true => self.live.keys().map(|cut| cut[k]).min().unwrap_or(u32::MAX),
            false => 0,
        }
    }

    /// Goes on as far as what has arrived allows.
    pub(super) fn advance(&mut self, live: &Live, stream: &Stream) {
        let n = live.support.len();
        // Cuts to look at, by their size, so that all below a cut come before it.
        let mut todo: BTreeMap<u64, HashMap<LiveCut, bool>> = BTreeMap::new();
        let size = |cut: &[u32]| cut.iter().map(|k| u64::from(*k)).sum::<u64>();
        if !self.started {
            if live.support.iter().any(|p| stream.last(*p).is_none()) {
                return;
            }
            self.started = true;
            self.waiting_for = vec![Vec::new(); n];
            self.seen = live.support.iter().map(|p| look(stream, *p)).collect();
            todo.entry(0).or_default().insert(vec![0; n], true);
        }
        for k in 0..n {
            let now = look(stream, live.support[k]);
            if self.seen[k] == now {
                continue;
            }
            self.seen[k] = now;
            for cut in std::mem::take(&mut self.waiting_for[k]) {
                // Another process may have moved it meanwhile.
                if !self.live.get(&cut).is_some_and(|(waits, _)| waits.contains(&k)) {
                    continue;
                }
                let p = live.support[k];
                let arrived = stream.last(p).is_some_and(|last| cut[k] < last);
                if !arrived && !stream.lanes[p].ended && may_move(live, stream, &cut, k) {
                    self.waiting_for[k].push(cut);
                    continue;
                }
                let (waits, surely) = self.live.remove(&cut).expect("just seen");
                self.expand(live, stream, cut, waits, surely, &mut |cut, surely| {
                    let known = todo.entry(size(&cut)).or_default().entry(cut).or_insert(false);
                    *known |= surely;
                });
            }
        }
        while let Some((_, cuts)) = todo.pop_first() {
            for (cut, surely) in cuts {
                self.states += 1;
                let truth = self.truth(live, stream, &cut);
                if truth == Truth::True {
                    continue;
                }
                let surely = surely && truth == Truth::False;
                self.expand(
                    live,
                    stream,
                    cut.clone(),
                    (0..n).collect(),
                    surely,
                    &mut |cut, surely| {
                        let known = todo.entry(size(&cut)).or_default().entry(cut).or_insert(false);
                        *known |= surely;
                    },
                );
                // It is listed once; who moves it later leaves it where it is.
                for &k in self.live.get(&cut).iter().flat_map(|(waits, _)| waits) {
                    self.waiting_for[k].push(cut.clone());
                }
            }
        }
    }

    fn truth(&self, live: &Live, stream: &Stream, cut: &[u32]) -> Truth {
        let mut truth = Truth::True;
        for c in 0..live.conjuncts.len() {
            match live.conjunct(stream, c, cut) {
                Truth::False => return Truth::False,
                Truth::Undefined => truth = Truth::Undefined,
                Truth::True => {}
            }
        }
        truth
    }

    /// Moves those in `waits` whose next state has arrived.
    fn expand(
        &mut self,
        live: &Live,
        stream: &Stream,
        cut: LiveCut,
        waits: Vec<usize>,
        surely: bool,
        next: &mut dyn FnMut(LiveCut, bool),
    ) {
        let mut left = Vec::new();
        for k in waits {
            let p = live.support[k];
            if stream.last(p).is_none_or(|last| cut[k] >= last) {
                if !stream.lanes[p].ended && may_move(live, stream, &cut, k) {
                    left.push(k);
                }
                continue;
            }
            let clock = &stream.state(p, cut[k] + 1).clock;
            let mut others = live.support.iter().enumerate();
            if others.all(|(j, &q)| j == k || stream.known(clock, q) <= cut[j]) {
                let mut after = cut.clone();
                after[k] += 1;
                next(after, surely);
            }
        }
        let last = |k: usize| {
            let p = live.support[k];
            stream.lanes[p].ended && stream.last(p) == Some(cut[k])
        };
        if left.is_empty() && (0..cut.len()).all(last) {
            self.last_reached = true;
            self.last_surely |= surely;
        }
        if !left.is_empty() {
            let entry = self.live.entry(cut).or_insert((left, false));
            entry.1 |= surely;
        }
    }
}

/// What decides whether cuts that wait for a process go on.
fn look(stream: &Stream, p: usize) -> (Option<u32>, Clock, bool) {
    let lane = &stream.lanes[p];
    (stream.last(p), lane.clock().clone(), lane.ended)
}

/// Whether a process that is in its last arrived state in a cut may have its next one
/// there: whatever comes knows what its last delivered event knows.
fn may_move(live: &Live, stream: &Stream, cut: &[u32], k: usize) -> bool {
    let clock = stream.lanes[live.support[k]].clock();
    let mut others = live.support.iter().enumerate();
    others.all(|(j, &q)| j == k || stream.known(clock, q) <= cut[j])
}
