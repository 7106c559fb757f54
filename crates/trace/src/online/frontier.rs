//! On-line Definitely of any predicate.
//!
//! The cuts that are reached from the first without passing through one that satisfies
//! the predicate, as far as states have arrived. A cut is *live* while some process may
//! still make a move from it that has not arrived; however the run goes on,
//! it can have passed through that cut and avoided the predicate so far. So Definitely can no
//! longer be undone iff no cut is live (compare the paper, which announces it when the
//! to-do set is empty).
//!
//! One live cut is enough. So cuts are explored depth first, and only until one is live;
//! those that were reached and not explored stay to be done. As long as it is easy to go
//! around the predicate, this follows one history, and takes as many looks as there are
//! states. Cuts to be explored keep the states that they consist of: if many of these are known to
//! every process, the cuts are explored after all, in the order of their size, and forgotten.
//! Cuts that were explored are remembered as long as they can be reached once more.
//!
//! A live cut waits for a process only in the last state of it that has arrived. It is
//! ready when the next state arrives, or when an event that changes nothing knows so much
//! that the process cannot move there any more. So live cuts are listed by the processes
//! that they wait for, and looked at only when one of these has a new state or knows more.

use super::live::{Live, LiveCut, Truth};
use super::stream::{Clock, Stream};
use foldhash::HashMap;
use std::collections::BTreeMap;

/// A search for a history that avoids the predicate.
#[derive(Debug, Default)]
pub(super) struct Frontier {
    /// Per live cut: whose moves have not arrived, and whether it was reached without
    /// passing through cuts in which the predicate has no value.
    live: HashMap<LiveCut, (Vec<usize>, bool)>,
    /// Per place in the support: live cuts that wait for it. Cuts that are not live any more may be named.
    waiting_for: Vec<Vec<LiveCut>>,
    /// Cuts that were reached and not explored, by their size; whether they were reached without
    /// passing through cuts in which the predicate has no value.
    todo: BTreeMap<u64, HashMap<LiveCut, bool>>,
    /// How many there are of these: it is asked for after every record.
    todo_cuts: usize,
    /// Cuts that were explored, likewise.
    explored: HashMap<LiveCut, bool>,
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

    /// How many cuts are kept.
    pub(super) fn held(&self) -> usize {
        debug_assert!(self.todo.len() > 8 || self.todo_cuts == self.todo.values().map(HashMap::len).sum::<usize>());
        self.live.len() + self.todo_cuts + self.explored.len()
    }

    /// The lowest state of a process that may be looked at.
    pub(super) fn floor(&self, k: usize) -> u32 {
        match self.started {
            true => self.kept().map(|cut| cut[k]).min().unwrap_or(u32::MAX),
            false => 0,
        }
    }

    /// The cuts from which others may be reached.
    fn kept(&self) -> impl Iterator<Item = &LiveCut> {
        let todo = self.todo.values().flat_map(HashMap::keys);
        self.live.keys().chain(todo)
    }

    /// Goes on as far as what has arrived allows.
    pub(super) fn advance(&mut self, live: &Live, stream: &Stream) {
        let n = live.support.len();
        if !self.started {
            if live.support.iter().any(|p| stream.last(*p).is_none()) {
                return;
            }
            self.started = true;
            self.waiting_for = vec![Vec::new(); n];
            self.seen = live.support.iter().map(|p| look(stream, *p)).collect();
            self.reach(vec![0; n], true);
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
                self.expand(live, stream, cut, waits, surely);
            }
        }
        // Once the last cut was reached, it is asked whether it is reached surely.
        while self.live.is_empty() && !self.last_surely {
            let Some(mut largest) = self.todo.last_entry() else {
                break;
            };
            let Some((cut, surely)) = next_of(largest.get_mut()) else {
                largest.remove();
                continue;
            };
            self.todo_cuts -= 1;
            self.explore(live, stream, &cut, surely);
            self.explored.insert(cut, surely);
        }
    }

    /// Drops what is of no use. If every process knows most of the states that are kept, explores the remaining cuts,
    /// so that these states can be dropped.
    pub(super) fn tidy(&mut self, live: &Live, stream: &Stream) {
        if !self.started {
            return;
        }
        let (mut kept, mut left) = (0, 0);
        for (k, &p) in live.support.iter().enumerate() {
            let Some(last) = stream.last(p) else { continue };
            let moving = live.support.iter().filter(|q| !stream.lanes[**q].ended);
            let known = moving.map(|&q| match p == q {
                true => last,
                false => stream.known(stream.lanes[q].clock(), p),
            });
            kept += last.saturating_sub(self.floor(k));
            left += last - known.min().unwrap_or(last).min(last);
        }
        if left < kept / 8 {
            while let Some((_, cuts)) = self.todo.pop_first() {
                self.todo_cuts -= cuts.len();
                // In this order, what was explored is not reached again.
                for (cut, surely) in cuts {
                    self.explore(live, stream, &cut, surely);
                }
            }
        }
        // What a live cut leads to has states that have not arrived, so it was not explored.
        let mut floor = vec![u32::MAX; live.support.len()];
        for cut in self.todo.values().flat_map(HashMap::keys) {
            for (least, state) in floor.iter_mut().zip(cut) {
                *least = (*least).min(*state);
            }
        }
        let above = |cut: &LiveCut| cut.iter().zip(&floor).all(|(state, floor)| state >= floor);
        self.explored.retain(|cut, _| above(cut));
    }

    /// A cut is reached.
    fn reach(&mut self, cut: LiveCut, surely: bool) {
        let known = self.explored.get(&cut);
        if known.is_some_and(|before| *before || !surely) {
            return;
        }
        let size = cut.iter().map(|k| u64::from(*k)).sum();
        let cuts = self.todo.entry(size).or_default();
        let before = cuts.len();
        *cuts.entry(cut).or_insert(false) |= surely;
        self.todo_cuts += cuts.len() - before;
    }

    /// Looks at a cut, and reaches those that follow.
    fn explore(&mut self, live: &Live, stream: &Stream, cut: &LiveCut, surely: bool) {
        self.states += 1;
        let truth = live.truth(stream, cut);
        if truth == Truth::True {
            return;
        }
        let surely = surely && truth == Truth::False;
        let listed = self.live.contains_key(cut);
        self.expand(live, stream, cut.clone(), (0..cut.len()).collect(), surely);
        // It is listed once; who moves it later leaves it where it is.
        if !listed {
            for &k in self.live.get(cut).iter().flat_map(|(waits, _)| waits) {
                self.waiting_for[k].push(cut.clone());
            }
        }
    }

    /// Moves those in `waits` whose next state has arrived.
    fn expand(&mut self, live: &Live, stream: &Stream, cut: LiveCut, waits: Vec<usize>, surely: bool) {
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
                self.reach(after, surely);
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

/// A cut of these, one that was reached surely if there is one.
fn next_of(cuts: &mut HashMap<LiveCut, bool>) -> Option<(LiveCut, bool)> {
    let next = cuts.iter().find(|(_, surely)| **surely).or_else(|| cuts.iter().next());
    let next = next.map(|(cut, _)| cut.clone())?;
    cuts.remove_entry(&next)
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
