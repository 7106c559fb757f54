//! Wakeup trees: continuations that are still to be explored from a state.
//!
//! A wakeup tree is an ordered tree of steps (Abdulla, Aronis, Jonsson, Sagonas, JACM 2017, section 6). `reversal.rs` inserts
//! continuations. The trees are the price of optimal search: each state of the present execution holds all
//! continuations that are still to be explored from it, and there can be many. So they are kept
//! small: steps that follow each other without a fork are one [`Branch`], a step takes sixteen bytes, and what an operation was
//! is stored once for all steps that refer to it. Explored steps are removed at once.

use crate::ids::ThreadId;
use crate::operation::Footprint;
use std::collections::HashMap;

/// A step of a continuation.
///
/// It names a thread, not an operation: what the thread does next is looked up in the execution that
/// a new sequence comes from. What the operation turned out to be is remembered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Step {
    pub(super) thread: ThreadId,
    /// In which way, or [`Step::ANY`].
    choice: u32,
    /// Of how many.
    pub(super) choices: u32,
    pub(super) memory: Memory,
}

/// What a step remembers of its operation, in the execution that it comes from: a number in [`Footprints`], and whether it
/// was executed in this context, so that it is known what it turned out to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Memory(u32);

impl Step {
    const ANY: u32 = u32::MAX;

    /// A step of which nothing is remembered.
    pub(super) fn new(thread: ThreadId, choice: Option<u32>, choices: u32) -> Step {
        Step {
            thread,
            choice: choice.unwrap_or(Step::ANY),
            choices,
            memory: Memory::NOTHING,
        }
    }

    /// The same step with what is remembered of it.
    pub(super) fn with(self, memory: Memory) -> Step {
        Step { memory, ..self }
    }

    /// In which way; none if it is not known yet.
    pub(super) fn choice(&self) -> Option<u32> {
        (self.choice != Step::ANY).then_some(self.choice)
    }
}

impl Memory {
    const NOTHING: Memory = Memory(u32::MAX);
}

/// Footprints that steps refer to. They are few: a program has few operations.
#[derive(Default)]
pub(super) struct Footprints {
    known: Vec<Footprint>,
    numbers: HashMap<Footprint, u32>,
}

impl Footprints {
    pub(super) fn remember(&mut self, footprint: Footprint, executed: bool) -> Memory {
        let number = *self.numbers.entry(footprint).or_insert_with(|| {
            self.known.push(footprint);
            let number = u32::try_from(self.known.len() - 1).ok();
            // One bit says whether it was executed, and one number is left for nothing.
            number.filter(|n| *n < u32::MAX >> 1).expect("footprints are few")
        });
        Memory(number << 1 | u32::from(executed))
    }

    /// The footprint, and whether it was executed.
    pub(super) fn recall(&self, memory: Memory) -> Option<(Footprint, bool)> {
        let footprint = *self.known.get((memory.0 >> 1) as usize)?;
        Some((footprint, memory.0 & 1 == 1))
    }
}

/// Steps that follow each other, at least one, and what can come after the last.
#[derive(Clone, Debug)]
pub(super) struct Branch {
    steps: Vec<Step>,
    pub(super) children: Vec<Branch>,
}

impl Branch {
    /// A branch that ends after these steps; none if there are none.
    pub(super) fn line(steps: Vec<Step>) -> Option<Branch> {
        (!steps.is_empty()).then_some(Branch {
            steps,
            children: Vec::new(),
        })
    }

    /// A branch of one step.
    pub(super) fn leaf(step: Step) -> Branch {
        Branch {
            steps: vec![step],
            children: Vec::new(),
        }
    }

    pub(super) fn first(&self) -> Step {
        self.steps[0]
    }

    pub(super) fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Makes the steps from `k` on, if there are any, a branch of their own after the others. There must be others.
    pub(super) fn split(&mut self, k: usize) {
        if k >= self.steps.len() {
            return;
        }
        let children = std::mem::take(&mut self.children);
        let steps = self.steps[k..].to_vec();
        self.steps.truncate(k);
        self.steps.shrink_to_fit();
        self.children.reserve_exact(2);
        self.children.push(Branch { steps, children });
    }

    /// What follows the first step.
    pub(super) fn after_first(mut self) -> Vec<Branch> {
        self.steps.remove(0);
        if self.steps.is_empty() {
            self.children
        } else {
            vec![self]
        }
    }

    /// Memory that the branch holds outside itself, in bytes.
    #[cfg(test)]
    fn bytes(&self) -> usize {
        self.steps.capacity() * size_of::<Step>() + bytes(&self.children)
    }
}

/// Adds a branch; most levels have few.
pub(super) fn add(level: &mut Vec<Branch>, branch: Option<Branch>) {
    if let Some(branch) = branch {
        if level.capacity() < 4 {
            level.reserve_exact(1);
        }
        level.push(branch);
    }
}

/// Memory that a level of a tree holds, in bytes.
#[cfg(test)]
pub(super) fn bytes(level: &Vec<Branch>) -> usize {
    level.capacity() * size_of::<Branch>() + level.iter().map(Branch::bytes).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::ObjectId;
    use crate::operation::Effect;

    fn step(thread: u32) -> Step {
        Step::new(ThreadId(thread), Some(0), 1)
    }

    fn threads(branch: &Branch) -> Vec<u32> {
        branch.steps().iter().map(|s| s.thread.0).collect()
    }

    #[test]
    fn a_line_is_split_where_something_else_can_follow() {
        let mut branch = Branch::line(vec![step(1), step(2), step(3)]).unwrap();
        branch.split(3);
        assert!(branch.children.is_empty());
        branch.split(1);
        add(&mut branch.children, Some(Branch::leaf(step(4))));
        assert_eq!(threads(&branch), [1]);
        assert_eq!(
            branch.children.iter().map(threads).collect::<Vec<_>>(),
            [vec![2, 3], vec![4]]
        );
        let rest = branch.after_first();
        let [first, second] = <[Branch; 2]>::try_from(rest).unwrap();
        assert_eq!(threads(&first.after_first()[0]), [3]);
        assert!(second.after_first().is_empty());
        assert!(Branch::line(Vec::new()).is_none());
    }

    #[test]
    fn what_steps_remember_is_stored_once() {
        let footprint = |arg| Footprint {
            object: ObjectId(7),
            effect: Effect {
                arg,
                ..crate::choice::nothing().effect()
            },
            also: None,
        };
        let mut footprints = Footprints::default();
        let sent = footprints.remember(footprint(0), true);
        let other = footprints.remember(footprint(1), false);
        assert_eq!(footprints.remember(footprint(0), true), sent);
        assert_eq!(footprints.recall(sent), Some((footprint(0), true)));
        assert_eq!(footprints.recall(other), Some((footprint(1), false)));
        assert_eq!(footprints.recall(step(1).memory), None);
        assert_eq!(footprints.known.len(), 2);
        assert_eq!(size_of::<Step>(), 16);
    }
}
