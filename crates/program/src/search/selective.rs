//! Stateless selective search with persistent and sleep sets.
//!
//! Stoller, Fig. 1 (SSS): in each state, explore a persistent set except what sleeps. With
//! invisible operations done at once after the visible one before them it is Fig. 2 (IF-SSS), and
//! with critical sections that only read as one transition, it is SSS on C(A), section 5: that is
//! a matter of the granularity, not of the search. Dependency is judged after a
//! transition has happened, with what was recorded of it (section 7).

use super::persistent::persistent_set;
use super::sleep::{self, Sleeper};
use super::{ExecutionEnd, Pick, Strategy};
use crate::execution::Execution;
use crate::ids::ThreadId;
use mazurka_outcome::Doubt;

struct Node {
    sleep: Vec<Sleeper>,
    /// Branches to come, the current one first.
    branches: Vec<(ThreadId, u32)>,
}

#[derive(Default)]
pub(super) struct Selective {
    nodes: Vec<Node>,
}

impl Strategy for Selective {
    fn pick(&mut self, execution: &Execution, enabled: &[ThreadId], depth: usize) -> Pick {
        if depth == self.nodes.len() {
            let before = self.nodes.last().map(|parent| &parent.sleep[..]);
            let sleep = sleep::after_last(before, execution, true);
            let mut branches = Vec::new();
            for thread in persistent_set(execution, enabled) {
                let ways = execution.ways(thread);
                let awake = ways.iter().filter(|c| !sleep::asleep(&sleep, thread, *c));
                branches.extend(awake.map(|c| (thread, c)));
            }
            if branches.is_empty() {
                return Pick::Redundant;
            }
            self.nodes.push(Node { sleep, branches });
        }
        let (thread, choice) = self.nodes[depth].branches[0];
        Pick::Run(thread, choice)
    }

    fn finished(&mut self, _: &mut Execution, _: ExecutionEnd) {}

    fn advance(&mut self, execution: &Execution) -> Option<usize> {
        loop {
            let depth = self.nodes.len().checked_sub(1)?;
            let node = &mut self.nodes[depth];
            if let Some(event) = execution.events.get(depth) {
                node.sleep.push(Sleeper::of(event));
            }
            node.branches.remove(0);
            if !node.branches.is_empty() {
                return Some(depth);
            }
            self.nodes.pop();
        }
    }

    fn doubt(&self) -> Option<Doubt> {
        None
    }
}
