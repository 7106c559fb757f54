//! All interleavings, without any reduction: the oracle of the tests.

use super::{ExecutionEnd, Pick, Strategy};
use crate::execution::Execution;
use crate::ids::ThreadId;
use mazurka_outcome::Doubt;

/// The branches of a state that remain, the current one last.
#[derive(Default)]
pub(super) struct Exhaustive {
    nodes: Vec<Vec<(ThreadId, u32)>>,
}

impl Strategy for Exhaustive {
    fn pick(&mut self, execution: &Execution, enabled: &[ThreadId], depth: usize) -> Pick {
        if depth == self.nodes.len() {
            let mut branches = Vec::new();
            for &thread in enabled.iter().rev() {
                branches.extend(execution.ways(thread).iter().rev().map(|c| (thread, c)));
            }
            self.nodes.push(branches);
        }
        let (thread, choice) = self.nodes[depth][self.nodes[depth].len() - 1];
        Pick::Run(thread, choice)
    }

    fn finished(&mut self, _: &mut Execution, _: ExecutionEnd) {}

    fn advance(&mut self, _: &Execution) -> Option<usize> {
        while let Some(node) = self.nodes.last_mut() {
            node.pop();
            if !node.is_empty() {
                return Some(self.nodes.len() - 1);
            }
            self.nodes.pop();
        }
        None
    }

    fn doubt(&self) -> Option<Doubt> {
        None
    }
}
