//! Optimal dynamic partial-order reduction: every Mazurkiewicz trace once, and nothing else.
//!
//! Abdulla, Aronis, Jonsson, Sagonas, *Source Sets: A Foundation for Optimal Dynamic Partial Order
//! Reduction*, JACM 2017, Algorithm 2. Each maximal execution is searched for races; for each
//! race, a continuation in which it goes the other way is put into the wakeup tree of the state
//! before it, unless one that sleeps there or is in the tree covers it. A continuation that is in
//! the tree leads to a trace that was not seen, so no execution is started in vain.
//!
//! Where we depart: threads may block each other (see `execution/happens_before.rs` for what a
//! race is then); an operation may have several outcomes to choose from, which are siblings; the
//! continuation of a race ends with its second event, and only races are considered whose second
//! event was not there in the execution before.

use super::sleep::{self, Sleeper};
use super::wakeup_tree::{Branch, Reversal};
use super::{End, Pick, Strategy};
use crate::execution::Execution;
use crate::ids::ThreadId;

struct Node {
    thread: ThreadId,
    choice: u32,
    /// What sleeps in this state, branches that were explored included.
    sleep: Vec<Sleeper>,
    /// Branches to come.
    tree: Vec<Branch>,
    /// How the current branch must continue.
    continuation: Vec<Branch>,
    /// The current branch was just taken, and what else its thread could do was not looked at.
    fresh: bool,
}

#[derive(Default)]
pub(super) struct Optimal {
    nodes: Vec<Node>,
}

impl Optimal {
    /// Takes the first branch that is possible. If nobody has asked for it, all ways to perform
    /// its operation will be explored.
    fn enter(node: &mut Node, execution: &Execution, enabled: &[ThreadId]) -> bool {
        while !node.tree.is_empty() {
            let branch = node.tree.remove(0);
            let thread = branch.thread;
            if !enabled.contains(&thread) {
                continue;
            }
            let choices = execution.choices(thread);
            let wanted = branch.choice.filter(|c| *c < choices);
            let choice = match wanted {
                Some(choice) => choice,
                None => match sleep::awake(&node.sleep, execution, thread) {
                    Some(choice) => choice,
                    None => continue,
                },
            };
            // In a continuation that a race asks for, other ways have races of their own.
            for other in (0..choices).filter(|_| wanted.is_none()) {
                let there = other == choice
                    || sleep::asleep(&node.sleep, thread, other)
                    || node.tree.iter().any(|b| b.thread == thread && b.choice == Some(other));
                if !there {
                    node.tree.push(Branch::leaf(thread, Some(other), choices));
                }
            }
            node.thread = thread;
            node.choice = choice;
            node.continuation = branch.children;
            node.fresh = false;
            return true;
        }
        false
    }
}

impl Strategy for Optimal {
    fn pick(&mut self, execution: &Execution, enabled: &[ThreadId], depth: usize) -> Pick {
        if depth == self.nodes.len() {
            let before = self.nodes.last().map(|parent| &parent.sleep[..]);
            let sleep = sleep::after_last(before, execution);
            let parent = self.nodes.last_mut();
            let mut tree = parent.map_or(Vec::new(), |parent| std::mem::take(&mut parent.continuation));
            tree.retain(|b| enabled.contains(&b.thread));
            if tree.is_empty() {
                let Some(thread) = sleep::first_awake(&sleep, execution, enabled) else {
                    return Pick::Redundant;
                };
                tree.push(Branch::leaf(thread, None, execution.choices(thread)));
            }
            self.nodes.push(Node {
                thread: ThreadId::MAIN,
                choice: 0,
                sleep,
                tree,
                continuation: Vec::new(),
                fresh: true,
            });
        }
        let node = &mut self.nodes[depth];
        if node.fresh && !Self::enter(node, execution, enabled) {
            return Pick::Redundant;
        }
        Pick::Run(node.thread, node.choice)
    }

    fn finished(&mut self, execution: &mut Execution, end: End) {
        if end == End::Redundant {
            return;
        }
        execution.races_of_blocked();
        for i in 0..execution.races.len() {
            let race = execution.races[i];
            let Some(node) = self.nodes.get_mut(race.first.index()) else {
                continue;
            };
            let mut reversal = Reversal::new(execution, race);
            for choice in 0..reversal.choices {
                reversal = reversal.with_choice(choice);
                if !reversal.covered(&node.sleep) {
                    reversal.insert(&mut node.tree, &node.sleep);
                }
            }
        }
    }

    fn advance(&mut self, execution: &Execution) -> Option<usize> {
        loop {
            let depth = self.nodes.len().checked_sub(1)?;
            let node = &mut self.nodes[depth];
            if let Some(event) = execution.events.get(depth) {
                node.sleep.push(Sleeper::of(event));
            }
            if node.tree.is_empty() {
                self.nodes.pop();
                continue;
            }
            node.fresh = true;
            return Some(depth);
        }
    }

    fn exhaustive(&self) -> bool {
        true
    }
}
