//! Random executions before the search is over.
//!
//! A search that backtracks changes the end of an execution first. What goes wrong because something early happens in another
//! order, or because of an early fault, is met late, when all continuations of the first executions have been
//! seen. So now and then the search makes *probes*: executions that choose at random, and of which only what is wrong
//! counts. Whatever a probe sees the search would see later; so probes change neither what a complete search proves nor its count of
//! executions.
//!
//! Half of the probes walk at random ([`Walk`]), and half have random priorities (Burckhardt, Kothari, Musuvathi, Nagarakatte, ASPLOS 2010),
//! which find what needs a few orderings. They come in batches, after [`FIRST`] executions and then whenever their number has doubled, a
//! batch being a quarter of the executions so far but not more than [`MOST`]. A search of fewer executions makes none; any other runs at
//! most a quarter more executions, and a long one hardly more. A search for all violations makes none either.

use super::driver::{Search, Stop};
use super::pct::Pct;
use super::{ExecutionEnd, Pick};
use crate::execution::Execution;
use crate::fiber::Body;
use crate::ids::ThreadId;
use crate::strategy::Strategy;
use mazurka_outcome::Doubt;

/// After so many executions, the first probes are made.
const FIRST: u64 = 32;

/// The size of the largest batch.
const MOST: u64 = 4096;

/// A probe may be so many times as long as the longest execution of the search, or as this many steps.
const LONGER: usize = 4;
const SHORT: usize = 50;

/// The number of orderings that probes with priorities look for.
const DEPTH: u32 = 3;

/// How many probes are made after the execution with this number.
fn batch(number: u64) -> u64 {
    if number.is_power_of_two() && number >= FIRST {
        (number / 4).min(MOST)
    } else {
        0
    }
}

impl Search<'_> {
    /// Makes the probes that are due after so many executions.
    pub(super) fn probe(&mut self, number: u64, body: &dyn Fn() -> Body) -> Option<Stop> {
        let asks =
            |strategy: &Option<Strategy>| matches!(strategy, None | Some(Strategy::Optimal | Strategy::SourceSets));
        let stops = self.checker.probes && !self.checker.all_violations;
        if !stops || !asks(&self.checker.strategy) || batch(number) == 0 {
            return None;
        }
        let half = batch(number) / 2;
        let kept = (std::mem::take(&mut self.signatures), self.cut);
        let walks = Walk::new(number);
        let priorities = Pct::new(number, half, DEPTH);
        let stop = self.sample(half, walks, body);
        let stop = stop.or_else(|| self.sample(half, priorities, body));
        (self.signatures, self.cut) = kept;
        stop
    }

    /// Runs so many executions of a random strategy.
    fn sample(&mut self, many: u64, strategy: impl super::Strategy + 'static, body: &dyn Fn() -> Body) -> Option<Stop> {
        let (transitions, depth) = (self.report.transitions, self.report.depth);
        let probe = Probe {
            strategy,
            random: fastrand::Rng::with_seed(many),
            patience: 1,
            longest: LONGER * depth.max(SHORT),
            hopeful: Vec::new(),
        };
        let search = std::mem::replace(&mut self.strategy, Box::new(probe));
        self.probing = true;
        let mut stop = None;
        for _ in 0..many {
            stop = self.execution(0, body);
            if matches!(stop, Some(Stop::Violation)) {
                stop = self.again(0, body).or(stop);
            }
            if stop.is_some() {
                break;
            }
            self.strategy.advance(&self.runtime.execution.borrow());
        }
        self.probing = false;
        self.strategy = search;
        (self.report.transitions, self.report.depth) = (transitions, depth);
        stop
    }
}

/// A random walk in which most things go as they should: there are few faults. Some threads are slow, as datagrams are that others
/// overtake: they go on only if the others cannot, mostly. How many faults there are and which threads are slow is chosen for each walk.
struct Walk {
    random: fastrand::Rng,
    /// Another way than the natural one is taken if a number below this is 0.
    against: u32,
    /// A thread is slow if its own number below this is 0.
    slow: u32,
    /// By thread.
    is_slow: Vec<bool>,
}

/// A slow thread is passed over unless a number below this is 0.
const SLOW: u32 = 32;

impl Walk {
    fn new(seed: u64) -> Walk {
        Walk {
            random: fastrand::Rng::with_seed(seed),
            against: 2,
            slow: u32::MAX,
            is_slow: Vec::new(),
        }
    }

    fn passes_over(&mut self, thread: ThreadId) -> bool {
        while self.is_slow.len() <= thread.index() {
            self.is_slow.push(self.random.u32(..self.slow) == 0);
        }
        self.is_slow[thread.index()] && self.random.u32(..SLOW) > 0
    }
}

impl super::Strategy for Walk {
    fn pick(&mut self, execution: &Execution, enabled: &[ThreadId], _: usize) -> Pick {
        let start = self.random.usize(..enabled.len());
        let others = || enabled.iter().cycle().skip(start).take(enabled.len());
        let thread = *others().find(|id| !self.passes_over(**id)).unwrap_or(&enabled[start]);
        let ways = execution.ways(thread);
        let natural = ways.len() == 1 || self.random.u32(..self.against) > 0;
        let way = if natural { 0 } else { self.random.u32(1..ways.len()) };
        Pick::Run(thread, ways.at(way))
    }

    fn finished(&mut self, _: &mut Execution, _: ExecutionEnd) {}

    fn advance(&mut self, _: &Execution) -> Option<usize> {
        self.against = 1 << self.random.u32(1..5);
        self.slow = [u32::MAX, 2, 4, 8][self.random.usize(..4)];
        self.is_slow.clear();
        Some(0)
    }

    fn doubt(&self) -> Option<Doubt> {
        Some(Doubt::Sample)
    }
}

/// A random strategy that is kept from wasting executions. A thread that would find nothing now is passed over, mostly: otherwise hardly any
/// wait with a timeout would end before the timeout. And an execution that is much longer than those of the search is given up: a thread
/// that waits in a loop might never let go.
struct Probe<S> {
    strategy: S,
    random: fastrand::Rng,
    /// A thread that would find nothing is not passed over if a number below this is 0.
    patience: u32,
    longest: usize,
    /// Those that are not passed over.
    hopeful: Vec<ThreadId>,
}

impl<S: super::Strategy> super::Strategy for Probe<S> {
    fn pick(&mut self, execution: &Execution, enabled: &[ThreadId], depth: usize) -> Pick {
        if depth >= self.longest {
            return Pick::Redundant;
        }
        self.hopeful.clear();
        let (random, patience) = (&mut self.random, self.patience);
        self.hopeful.extend(enabled.iter().copied().filter(|id| {
            let thread = &execution.threads[id.index()];
            !thread.pending.kind.misses(execution, thread) || random.u32(..patience) == 0
        }));
        let among = if self.hopeful.is_empty() {
            enabled
        } else {
            &self.hopeful
        };
        self.strategy.pick(execution, among, depth)
    }

    fn finished(&mut self, execution: &mut Execution, end: ExecutionEnd) {
        self.strategy.finished(execution, end);
    }

    fn advance(&mut self, execution: &Execution) -> Option<usize> {
        self.patience = 1 << self.random.u32(..8);
        self.strategy.advance(execution)
    }

    fn doubt(&self) -> Option<Doubt> {
        self.strategy.doubt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_searches_make_no_probes_and_large_ones_few() {
        assert_eq!((1..32).map(batch).sum::<u64>(), 0);
        assert_eq!(batch(32), 8);
        assert!((1..100_000).map(batch).sum::<u64>() < 25_000);
    }
}
