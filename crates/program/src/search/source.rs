//! Dynamic partial-order reduction with source sets.
//!
//! Abdulla, Aronis, Jonsson, Sagonas, JACM 2017, Algorithm 1: for each race, some thread that can
//! begin the other order must be explored from the state before it. This is simpler than wakeup
//! trees and nearly as good, but sleep sets may end an execution that was started.

use super::reversal::Reversal;
use super::sleep::{self, Sleeper};
use super::{ExecutionEnd, Pick, Strategy};
use crate::execution::Execution;
use crate::ids::ThreadId;
use mazurka_outcome::Doubt;

struct Node {
    thread: ThreadId,
    choice: u32,
    sleep: Vec<Sleeper>,
    /// Threads to explore, including those that were explored.
    source: Vec<ThreadId>,
    done: Vec<ThreadId>,
    fresh: bool,
}

#[derive(Default)]
pub(super) struct SourceSets {
    nodes: Vec<Node>,
}

impl SourceSets {
    /// Takes a branch of the source set that does not sleep.
    fn enter(node: &mut Node, execution: &Execution, enabled: &[ThreadId]) -> bool {
        node.fresh = false;
        for &thread in &node.source {
            if !node.done.contains(&thread)
                && enabled.contains(&thread)
                && let Some(choice) = sleep::awake(&node.sleep, execution, thread)
            {
                node.thread = thread;
                node.choice = choice;
                return true;
            }
        }
        false
    }
}

impl Strategy for SourceSets {
    fn pick(&mut self, execution: &Execution, enabled: &[ThreadId], depth: usize) -> Pick {
        if depth == self.nodes.len() {
            let before = self.nodes.last().map(|parent| &parent.sleep[..]);
            let sleep = sleep::after_last(before, execution, true);
            let Some(thread) = sleep::first_awake(&sleep, execution, enabled) else {
                return Pick::Redundant;
            };
            self.nodes.push(Node {
                thread,
                choice: 0,
                sleep,
                source: vec![thread],
                done: Vec::new(),
                fresh: true,
            });
        }
        let node = &mut self.nodes[depth];
        if node.fresh && !Self::enter(node, execution, enabled) {
            return Pick::Redundant;
        }
        Pick::Run(node.thread, node.choice)
    }

    fn finished(&mut self, execution: &mut Execution, _: ExecutionEnd) {
        execution.races_of_blocked();
        for i in 0..execution.races.len() {
            let race = execution.races[i];
            let Some(node) = self.nodes.get_mut(race.first.index()) else {
                continue;
            };
            let initials = Reversal::new(execution, race).initials();
            if !initials.iter().any(|t| node.source.contains(t))
                && let Some(&thread) = initials.first()
            {
                node.source.push(thread);
            }
        }
    }

    fn advance(&mut self, execution: &Execution) -> Option<usize> {
        loop {
            let depth = self.nodes.len().checked_sub(1)?;
            let node = &mut self.nodes[depth];
            // If the last branch turned out to be impossible, there is no event.
            if let Some(event) = execution.events.get(depth) {
                node.sleep.push(Sleeper::of(event));
                if !(0..event.choices).any(|c| !sleep::asleep(&node.sleep, event.thread, c)) {
                    node.done.push(event.thread);
                }
                if node.source.iter().any(|t| !node.done.contains(t)) {
                    node.fresh = true;
                    return Some(depth);
                }
            }
            self.nodes.pop();
        }
    }

    fn doubt(&self) -> Option<Doubt> {
        None
    }
}
