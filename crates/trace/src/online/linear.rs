//! On-line Possibly of a conjunction of 1-local predicates.
//!
//! Garg and Waldecker's algorithm as in [`crate::detection`], one arrival at a time: a
//! candidate state for each process, which only moves on. What lies before the
//! candidates is never looked at again.

use super::live::{Live, LiveCut, Locals};
use super::stream::Stream;

/// A search for the least cut.
#[derive(Debug)]
pub(super) struct Linear {
    locals: Locals,
    /// The candidates; not known to be true or consistent before `settled`.
    pub(super) cut: LiveCut,
    settled: Vec<bool>,
    pub(super) found: bool,
}

impl Linear {
    pub(super) fn new(live: &Live, stream: &Stream, perhaps: bool) -> Self {
        let n = live.support.len();
        Self {
            locals: Locals::new(live, stream, perhaps),
            cut: vec![0; n],
            settled: vec![false; n],
            found: false,
        }
    }

    /// Goes on as far as what has arrived allows.
    pub(super) fn advance(&mut self, live: &Live, stream: &Stream) {
        if self.locals.never || self.found {
            return;
        }
        let mut todo: Vec<usize> = (0..self.cut.len()).filter(|k| !self.settled[*k]).collect();
        while let Some(k) = todo.pop() {
            let p = live.support[k];
            let Some(last) = stream.last(p) else { continue };
            self.settled[k] = false;
            while self.cut[k] <= last && !self.locals.hold(live, stream, k, self.cut[k]) {
                self.cut[k] += 1;
            }
            // Even if its true state has not arrived, it will know what is known so far.
            self.settled[k] = self.cut[k] <= last;
            let clock = match self.settled[k] {
                true => stream.state(p, self.cut[k]).clock.clone(),
                false => stream.lanes[p].clock().clone(),
            };
            for (j, &q) in live.support.iter().enumerate() {
                if j != k && stream.last(q).is_some() {
                    let known = stream.known(&clock, q);
                    if known > self.cut[j] {
                        self.cut[j] = known;
                        self.settled[j] = false;
                        todo.push(j);
                    }
                }
            }
        }
        self.found = self.settled.iter().all(|s| *s);
    }
}
