//! Random walks: each execution picks among the enabled threads at random.

use super::{ExecutionEnd, Pick, Strategy};
use crate::execution::Execution;
use crate::ids::ThreadId;
use mazurka_outcome::Doubt;

pub(super) struct RandomWalk {
    random: fastrand::Rng,
    left: u64,
}

impl RandomWalk {
    pub(super) fn new(seed: u64, executions: u64) -> RandomWalk {
        RandomWalk {
            random: fastrand::Rng::with_seed(seed),
            left: executions,
        }
    }
}

impl Strategy for RandomWalk {
    fn pick(&mut self, execution: &Execution, enabled: &[ThreadId], _: usize) -> Pick {
        let thread = enabled[self.random.usize(..enabled.len())];
        let ways = execution.ways(thread);
        Pick::Run(thread, ways.at(self.random.u32(..ways.len())))
    }

    fn finished(&mut self, _: &mut Execution, _: ExecutionEnd) {}

    fn advance(&mut self, _: &Execution) -> Option<usize> {
        self.left = self.left.saturating_sub(1);
        (self.left > 0).then_some(0)
    }

    fn doubt(&self) -> Option<Doubt> {
        Some(Doubt::Sample)
    }
}
