//! On-line Possibly of a conjunction of 1-local predicates.
//!
//! Garg and Waldecker's algorithm as in [`crate::detection`], one arrival at a time: a
//! candidate state for each process, which only moves on. What lies before the
//! candidates is never looked at again.

use super::live::{Live, LiveCut, Truth};
use super::stream::Stream;

/// A search for the least cut.
#[derive(Debug)]
pub(super) struct Linear {
    /// How to take a conjunct without a value.
    perhaps: bool,
    /// The conjuncts of each process of the support.
    conjuncts: Vec<Vec<usize>>,
    /// The candidates; not known to be true or consistent before `settled`.
    pub(super) cut: LiveCut,
    settled: Vec<bool>,
    /// A conjunct that reads nobody is false.
    never: bool,
    pub(super) found: bool,
}

impl Linear {
    pub(super) fn new(live: &Live, stream: &Stream, perhaps: bool) -> Self {
        let n = live.support.len();
        let mut conjuncts = vec![Vec::new(); n];
        let mut never = false;
        for (c, conjunct) in live.conjuncts.iter().enumerate() {
            match conjunct.support[..] {
                [p] => conjuncts[live.position(p)].push(c),
                _ => never |= live.local(stream, c, 0) == Truth::False,
            }
        }
        Self {
            perhaps,
            conjuncts,
            cut: vec![0; n],
            settled: vec![false; n],
            never,
            found: false,
        }
    }

    /// Goes on as far as what has arrived allows.
    pub(super) fn advance(&mut self, live: &Live, stream: &Stream) {
        if self.never || self.found {
            return;
        }
        let mut todo: Vec<usize> = (0..self.cut.len()).filter(|k| !self.settled[*k]).collect();
        while let Some(k) = todo.pop() {
            let p = live.support[k];
            let Some(last) = stream.last(p) else { continue };
            self.settled[k] = false;
            while self.cut[k] <= last && !self.holds(live, stream, k) {
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

    fn holds(&self, live: &Live, stream: &Stream, k: usize) -> bool {
        self.conjuncts[k]
            .iter()
            .all(|c| match live.local(stream, *c, self.cut[k]) {
                Truth::True => true,
                Truth::False => false,
                Truth::Undefined => self.perhaps,
            })
    }
}
