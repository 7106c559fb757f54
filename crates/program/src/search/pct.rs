//! Probabilistic concurrency testing: random priorities, changed at a few random moments.
//!
//! Burckhardt, Kothari, Musuvathi, Nagarakatte, ASPLOS 2010: a bug of depth `d` in a program with
//! `n` threads and `k` steps is found by one execution with probability at least
//! `1 / (n k^(d-1))`. The number of steps is not known beforehand; the longest execution so far
//! stands for it.

use super::{ExecutionEnd, Pick, Strategy};
use crate::execution::Execution;
use crate::ids::ThreadId;
use mazurka_outcome::Doubt;

pub(super) struct Pct {
    random: fastrand::Rng,
    left: u64,
    depth: u32,
    /// Steps of the longest execution so far.
    steps: usize,
    /// By thread; higher goes first.
    priorities: Vec<i64>,
    /// Where priorities drop.
    changes: Vec<usize>,
}

impl Pct {
    pub(super) fn new(seed: u64, executions: u64, depth: u32) -> Pct {
        let mut pct = Pct {
            random: fastrand::Rng::with_seed(seed),
            left: executions,
            depth: depth.max(1),
            steps: 10,
            priorities: Vec::new(),
            changes: Vec::new(),
        };
        pct.prepare();
        pct
    }

    fn prepare(&mut self) {
        self.priorities.clear();
        let steps = self.steps.max(1);
        self.changes = (1..self.depth).map(|_| self.random.usize(..steps)).collect();
    }

    fn priority(&mut self, thread: ThreadId) -> i64 {
        while self.priorities.len() <= thread.index() {
            let priority = i64::from(self.depth) + self.random.i64(0..1 << 40);
            self.priorities.push(priority);
        }
        self.priorities[thread.index()]
    }
}

impl Strategy for Pct {
    fn pick(&mut self, execution: &Execution, enabled: &[ThreadId], depth: usize) -> Pick {
        let highest = |pct: &mut Pct| {
            let mut best = enabled[0];
            for &thread in enabled {
                if pct.priority(thread) > pct.priority(best) {
                    best = thread;
                }
            }
            best
        };
        let mut thread = highest(self);
        if let Some(change) = self.changes.iter().position(|c| *c == depth) {
            self.priorities[thread.index()] = change as i64;
            thread = highest(self);
        }
        let ways = execution.ways(thread);
        Pick::Run(thread, ways.at(self.random.u32(..ways.len())))
    }

    fn finished(&mut self, execution: &mut Execution, _: ExecutionEnd) {
        self.steps = self.steps.max(execution.events.len());
    }

    fn advance(&mut self, _: &Execution) -> Option<usize> {
        self.left = self.left.saturating_sub(1);
        self.prepare();
        (self.left > 0).then_some(0)
    }

    fn doubt(&self) -> Option<Doubt> {
        Some(Doubt::Sample)
    }
}
