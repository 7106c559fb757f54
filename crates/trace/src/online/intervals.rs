//! On-line Definitely of a conjunction of 1-local predicates.
//!
//! Garg and Waldecker's algorithm, one arrival at a time: per process, the first
//! interval of true states that was not ruled out. Definitely is announced when each of
//! them is known to begin before each other one ends, whatever comes: an interval that
//! has not ended yet is known to end after the beginning of another only if its last
//! arrived event knows that beginning, or if nothing more will come. Intervals are
//! recorded as their states arrive, so that no state is needed twice.

use super::live::{Live, Locals};
use super::stream::{Clock, Stream};
use std::collections::VecDeque;

/// An interval of true states: the event that begins it, what the event that ends it
/// knows (or the last event so far), and whether it has ended.
#[derive(Clone, Debug)]
struct Interval {
    begin: u32,
    last: Clock,
    ended: bool,
}

/// A search for intervals that overlap.
#[derive(Debug)]
pub(super) struct Intervals {
    locals: Locals,
    queues: Vec<VecDeque<Interval>>,
    /// Per process of the support: the next state to look at.
    pub(super) next: Vec<u32>,
    pub(super) found: bool,
}

impl Intervals {
    pub(super) fn new(live: &Live, stream: &Stream, perhaps: bool) -> Self {
        let n = live.support.len();
        Self {
            locals: Locals::new(live, stream, perhaps),
            queues: vec![VecDeque::new(); n],
            next: vec![0; n],
            found: false,
        }
    }

    /// Goes on as far as what has arrived allows.
    pub(super) fn advance(&mut self, live: &Live, stream: &Stream) {
        if self.locals.never || self.found {
            return;
        }
        for k in 0..self.queues.len() {
            self.record(live, stream, k);
        }
        self.rule_out(live, stream);
    }

    /// Records the intervals of a process.
    fn record(&mut self, live: &Live, stream: &Stream, k: usize) {
        let p = live.support[k];
        let Some(last) = stream.last(p) else { return };
        while self.next[k] <= last {
            let state = stream.state(p, self.next[k]);
            let holds = self.locals.hold(live, stream, k, self.next[k]);
            let open = self.queues[k].back_mut().filter(|i| !i.ended);
            match (open, holds) {
                (None, true) => self.queues[k].push_back(Interval {
                    begin: state.event,
                    last: state.clock.clone(),
                    ended: false,
                }),
                (Some(interval), _) => {
                    interval.last = state.clock.clone();
                    interval.ended = !holds;
                }
                (None, false) => {}
            }
            self.next[k] += 1;
        }
        // Events that change no state can know more, too.
        if let Some(interval) = self.queues[k].back_mut().filter(|i| !i.ended) {
            interval.last = stream.lanes[p].clock().clone();
        }
    }

    /// The last event of the k-th process for which it does not matter any more which processes know
    /// it: the one before the first interval that is left, or the last one delivered.
    pub(super) fn first_begin(&self, k: usize, stream: &Stream, p: usize) -> u32 {
        match self.queues[k].front() {
            Some(interval) => interval.begin.saturating_sub(1),
            None => stream.lanes[p].delivered(),
        }
    }

    fn rule_out(&mut self, live: &Live, stream: &Stream) {
        let n = self.queues.len();
        let mut certain = true;
        let mut again = true;
        while again {
            (again, certain) = (false, true);
            for i in 0..n {
                for j in 0..n {
                    if i == j {
                        continue;
                    }
                    let (Some(a), Some(b)) = (self.queues[i].front(), self.queues[j].front()) else {
                        certain = false;
                        // The next interval of `i` begins after all that has arrived of it.
                        let begins_later = self.queues[i].is_empty() && stream.last(live.support[i]).is_some();
                        if begins_later && self.queues[j].front().is_some_and(|b| b.ended) {
                            self.queues[j].pop_front();
                            again = true;
                        }
                        continue;
                    };
                    let begins = a.begin == 0 || b.last.get(live.support[i]).is_some_and(|k| *k >= a.begin);
                    if begins || (!b.ended && stream.lanes[live.support[j]].ended) {
                        continue;
                    }
                    certain = false;
                    if b.ended {
                        self.queues[j].pop_front();
                        again = true;
                    }
                }
            }
        }
        self.found = certain && self.queues.iter().all(|q| !q.is_empty());
    }
}
