//! All interleavings with a bounded number of preemptions.
//!
//! A preemption interrupts a thread that could go on. Most bugs need few preemptions (Musuvathi,
//! Qadeer, PLDI 2007). Nothing is reduced: within the bound, every interleaving is seen.

use super::{ExecutionEnd, Pick, Strategy, natural};
use crate::execution::Execution;
use crate::ids::ThreadId;
use mazurka_outcome::{Doubt, Limit};

struct Node {
    branches: Vec<(ThreadId, u32)>,
    /// Preemptions before this state.
    spent: u32,
    natural: Option<ThreadId>,
}

pub(super) struct Preemptions {
    bound: u32,
    nodes: Vec<Node>,
    bounded: bool,
}

impl Preemptions {
    pub(super) fn new(bound: u32) -> Preemptions {
        Preemptions {
            bound,
            nodes: Vec::new(),
            bounded: false,
        }
    }
}

impl Strategy for Preemptions {
    fn pick(&mut self, execution: &Execution, enabled: &[ThreadId], depth: usize) -> Pick {
        if depth == self.nodes.len() {
            let spent = match self.nodes.last() {
                Some(Node {
                    branches,
                    spent,
                    natural: Some(natural),
                }) if branches[branches.len() - 1].0 != *natural => spent + 1,
                Some(node) => node.spent,
                None => 0,
            };
            let last = execution.events.last().map(|e| e.thread);
            let keep = last.filter(|t| enabled.contains(t));
            let first = natural(execution, enabled);
            let mut branches = Vec::new();
            for &thread in enabled.iter().rev().filter(|t| **t != first).chain([&first]) {
                if keep.is_some_and(|k| k != thread) && spent >= self.bound {
                    self.bounded = true;
                    continue;
                }
                branches.extend(execution.ways(thread).iter().rev().map(|c| (thread, c)));
            }
            self.nodes.push(Node {
                branches,
                spent,
                natural: keep,
            });
        }
        let branches = &self.nodes[depth].branches;
        let (thread, choice) = branches[branches.len() - 1];
        Pick::Run(thread, choice)
    }

    fn finished(&mut self, _: &mut Execution, _: ExecutionEnd) {}

    fn advance(&mut self, _: &Execution) -> Option<usize> {
        while let Some(node) = self.nodes.last_mut() {
            node.branches.pop();
            if !node.branches.is_empty() {
                return Some(self.nodes.len() - 1);
            }
            self.nodes.pop();
        }
        None
    }

    fn doubt(&self) -> Option<Doubt> {
        self.bounded.then_some(Doubt::Limit(Limit::Preemptions))
    }
}
