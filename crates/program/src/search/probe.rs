//! Random executions before the search is over.
//!
//! A search that backtracks changes the end of an execution first. What goes wrong because something early happens in another
//! order, or because of an early fault, is met late, when all continuations of the first executions have been
//! seen. So now and then the search makes *probes*: executions that choose at random, and of which only what is wrong
//! counts. Whatever a probe sees the search would see later; so probes change neither what a complete search proves nor its count of
//! executions.
//!
//! Half of the probes walk at random, and half have random priorities (Burckhardt, Kothari, Musuvathi, Nagarakatte, ASPLOS 2010), which find
//! what needs a few orderings. They come in batches, after [`FIRST`] executions and then whenever their number has doubled, a
//! batch being a quarter of the executions so far but not more than [`MOST`]. A search of fewer executions makes none; any other runs at
//! most a quarter more executions, and a long one hardly more. A search for all violations makes none either.

use super::driver::{Search, Stop};
use super::pct::Pct;
use super::random::RandomWalk;
use super::{ExecutionEnd, Pick};
use crate::execution::Execution;
use crate::fiber::Body;
use crate::ids::ThreadId;
use crate::strategy::Strategy;
use mazurka_outcome::Doubt;

/// After so many executions, the first probes are made.
const FIRST: u64 = 32;

/// The size of the largest batch.
const MOST: u64 = 512;

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
        let walks = RandomWalk::new(number, half);
        let priorities = Pct::new(number, half, DEPTH);
        let stop = self.sample(half, walks, body);
        let stop = stop.or_else(|| self.sample(half, priorities, body));
        (self.signatures, self.cut) = kept;
        stop
    }

    /// Runs so many executions of a random strategy.
    fn sample(&mut self, many: u64, strategy: impl super::Strategy + 'static, body: &dyn Fn() -> Body) -> Option<Stop> {
        let (transitions, depth) = (self.report.transitions, self.report.depth);
        let bounded = Bounded {
            strategy,
            most: LONGER * depth.max(SHORT),
        };
        let search = std::mem::replace(&mut self.strategy, Box::new(bounded));
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

/// A random strategy that gives up executions that are much longer than those of the search: a thread that waits in a loop might
/// never let go.
struct Bounded<S> {
    strategy: S,
    most: usize,
}

impl<S: super::Strategy> super::Strategy for Bounded<S> {
    fn pick(&mut self, execution: &Execution, enabled: &[ThreadId], depth: usize) -> Pick {
        if depth >= self.most {
            return Pick::Redundant;
        }
        self.strategy.pick(execution, enabled, depth)
    }

    fn finished(&mut self, execution: &mut Execution, end: ExecutionEnd) {
        self.strategy.finished(execution, end);
    }

    fn advance(&mut self, execution: &Execution) -> Option<usize> {
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
        assert!((1..100_000).map(batch).sum::<u64>() < 4_000);
    }
}
