//! Optimal dynamic partial-order reduction: exactly one execution of every Mazurkiewicz trace.
//!
//! Abdulla, Aronis, Jonsson, Sagonas, *Source Sets: A Foundation for Optimal Dynamic Partial Order
//! Reduction*, JACM 2017, Algorithm 2. Each maximal execution is searched for races. For each
//! race, a continuation in which it goes the other way is put into the wakeup tree of the state
//! before it, unless a continuation that sleeps there or is in the tree covers it. Each continuation in
//! the tree leads to a trace that was not seen, so no execution is started in vain.
//!
//! Departures: threads may block each other (see `execution/happens_before.rs` for what a
//! race is then); an operation may have several outcomes to choose from, which are siblings; the
//! continuation of a race ends with its second event; and only races whose second event is new in this
//! execution are considered.

use super::estimate::{Level, Shape};
use super::reversal::Reversal;
use super::sleep::{self, Sleeper};
use super::wakeup_tree::{self, Branch, Footprints, Step};
use super::{ExecutionEnd, Pick, Strategy};
use crate::execution::{Execution, Other, Race};
use crate::ids::ThreadId;
use mazurka_outcome::Doubt;
use std::borrow::Cow;

struct Node {
    thread: ThreadId,
    choice: u32,
    /// What sleeps in this state, branches that were explored included.
    sleep: Vec<Sleeper>,
    /// How many branches were explored.
    explored: usize,
    /// Branches to come.
    tree: Vec<Branch>,
    /// How the current branch must continue.
    continuation: Vec<Branch>,
    /// The next branch is still to be taken.
    fresh: bool,
    /// How many executions were run before.
    begun: u64,
}

#[derive(Default)]
pub(super) struct Optimal {
    nodes: Vec<Node>,
    footprints: Footprints,
    shape: Shape,
    /// A continuation could not be followed, so executions may be missing.
    astray: bool,
}

impl Node {
    /// What will sleep when the sequence of a race is explored: also the first operation of the race in all ways in which it is
    /// explored, if the sequence is to be without it.
    fn asleep_later(&self, execution: &Execution, race: &Race) -> Cow<'_, [Sleeper]> {
        if !matches!(race.how, Other::Replaces(_)) {
            return Cow::Borrowed(&self.sleep);
        }
        let first = Sleeper::of(&execution.events[race.first.index()]);
        let siblings = self
            .tree
            .iter()
            .map(Branch::first)
            .filter(|step| step.thread == first.thread);
        let choices = siblings.filter_map(|step| step.choice()).chain([first.choice]);
        let later = choices.map(|choice| Sleeper { choice, ..first });
        Cow::Owned(self.sleep.iter().copied().chain(later).collect())
    }
}

impl Optimal {
    /// Takes the first branch that is possible. If no race has asked for it, all ways to perform
    /// its operation will be explored.
    fn enter(node: &mut Node, execution: &Execution, enabled: &[ThreadId], astray: &mut bool) -> bool {
        while !node.tree.is_empty() {
            let branch = node.tree.remove(0);
            let Step { thread, .. } = branch.first();
            if !enabled.contains(&thread) {
                continue;
            }
            let ways = execution.ways(thread);
            let wanted = branch.first().choice().filter(|c| ways.has(*c));
            let choice = match wanted {
                Some(choice) => choice,
                // It was to see something that it cannot see here.
                None if branch.first().choice().is_some()
                    && execution.threads[thread.index()].pending.kind.is_open() =>
                {
                    debug_assert!(false, "continuations are consistent");
                    *astray = true;
                    continue;
                }
                None => match sleep::awake(&node.sleep, execution, thread) {
                    Some(choice) => choice,
                    None => continue,
                },
            };
            // In a continuation that a race asks for, other ways have races of their own, unless it reads.
            let all = wanted.is_none() || execution.threads[thread.index()].pending.kind.is_open();
            for other in ways.iter().filter(|_| all) {
                let there = other == choice
                    || sleep::asleep(&node.sleep, thread, other)
                    || node
                        .tree
                        .iter()
                        .any(|b| b.first().thread == thread && b.first().choice() == Some(other));
                if !there {
                    let leaf = Branch::leaf(Step::new(thread, Some(other), ways.len()));
                    wakeup_tree::add(&mut node.tree, Some(leaf));
                }
            }
            node.thread = thread;
            node.choice = choice;
            node.continuation = branch.after_first();
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
            let freely = self.nodes.last().is_none_or(|parent| parent.continuation.is_empty());
            let sleep = sleep::after_last(before, execution, freely);
            let parent = self.nodes.last_mut();
            let mut tree = parent.map_or(Vec::new(), |parent| std::mem::take(&mut parent.continuation));
            tree.retain(|b| enabled.contains(&b.first().thread));
            if tree.is_empty() {
                let Some(thread) = sleep::first_awake(&sleep, execution, enabled) else {
                    return Pick::Redundant;
                };
                tree.push(Branch::leaf(Step::new(thread, None, execution.ways(thread).len())));
            }
            self.nodes.push(Node {
                thread: ThreadId::MAIN,
                choice: 0,
                sleep,
                explored: 0,
                tree,
                continuation: Vec::new(),
                fresh: true,
                begun: self.shape.run,
            });
        }
        let node = &mut self.nodes[depth];
        if node.fresh && !Self::enter(node, execution, enabled, &mut self.astray) {
            return Pick::Redundant;
        }
        Pick::Run(node.thread, node.choice)
    }

    fn finished(&mut self, execution: &mut Execution, end: ExecutionEnd) {
        if end == ExecutionEnd::Redundant {
            return;
        }
        self.shape.run += 1;
        execution.races_of_blocked();
        for i in 0..execution.races.len() {
            let race = execution.races[i];
            let Some(node) = self.nodes.get_mut(race.first.index()) else {
                continue;
            };
            let mut reversal = Reversal::new(execution, race);
            for i in 0..reversal.ways.len() {
                let way = reversal.ways[i];
                reversal = reversal.with_choice(way);
                if !reversal.covered(&node.asleep_later(execution, &race)) {
                    reversal.insert(&mut node.tree, &mut self.footprints, &node.sleep);
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
                node.explored += 1;
            }
            if node.tree.is_empty() {
                self.shape.explored(depth, node.explored);
                self.nodes.pop();
                continue;
            }
            node.fresh = true;
            return Some(depth);
        }
    }

    fn progress(&self) -> Option<f64> {
        let levels = self.nodes.iter().map(|node| Level {
            explored: node.explored,
            left: node.tree.len(),
            begun: node.begun,
        });
        Some(self.shape.part(&levels.collect::<Vec<_>>()))
    }

    fn doubt(&self) -> Option<Doubt> {
        self.astray.then_some(Doubt::Unexplored)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fiber::Body;
    use crate::sync::atomic::{AtomicUsize, Ordering::SeqCst};
    use crate::{Checker, thread};
    use std::cell::Cell;
    use std::rc::Rc;
    use std::sync::Arc;

    /// An optimal search that is watched: how many bytes its trees held at most, in the first executions and later.
    struct Watched {
        search: Optimal,
        executions: u64,
        early: Rc<Cell<usize>>,
        late: Rc<Cell<usize>>,
    }

    const EARLY: u64 = 500;

    impl Strategy for Watched {
        fn pick(&mut self, execution: &Execution, enabled: &[ThreadId], depth: usize) -> Pick {
            self.search.pick(execution, enabled, depth)
        }

        fn finished(&mut self, execution: &mut Execution, end: ExecutionEnd) {
            self.search.finished(execution, end);
            self.executions += 1;
            let trees = self.search.nodes.iter().flat_map(|n| [&n.tree, &n.continuation]);
            let bytes = trees.map(wakeup_tree::bytes).sum::<usize>();
            let most = if self.executions <= EARLY {
                &self.early
            } else {
                &self.late
            };
            most.set(most.get().max(bytes));
        }

        fn advance(&mut self, execution: &Execution) -> Option<usize> {
            self.search.advance(execution)
        }

        fn doubt(&self) -> Option<Doubt> {
            None
        }
    }

    /// Reference program q: a reader looks for the last zero of an array that others fill.
    fn lastzero(n: usize) {
        let array: Arc<Vec<_>> = Arc::new((0..=n).map(|_| AtomicUsize::new(0)).collect());
        for t in 0..=n {
            let a = Arc::clone(&array);
            thread::spawn(move || {
                if t == 0 {
                    let mut i = n;
                    while a[i].load(SeqCst) != 0 {
                        i -= 1;
                    }
                } else {
                    a[t].store(a[t - 1].load(SeqCst) + 1, SeqCst);
                }
            });
        }
    }

    #[test]
    fn trees_do_not_grow_with_the_number_of_executions() {
        let (early, late) = (Rc::new(Cell::new(0)), Rc::new(Cell::new(0)));
        let mut watched = |_| -> Box<dyn Strategy> {
            Box::new(Watched {
                search: Optimal::default(),
                executions: 0,
                early: Rc::clone(&early),
                late: Rc::clone(&late),
            })
        };
        let report = {
            let place = (std::panic::Location::caller(), 0);
            crate::search::drive(&Checker::new(), place, &mut watched, &|| Body::new(|| lastzero(10)))
        };
        assert_eq!(report.executions, 3328);
        let (early, late) = (early.get(), late.get());
        assert!(
            late <= 2 * early,
            "{late} bytes after {early} in the first {EARLY} executions"
        );
        assert!(late <= 120_000, "{late} bytes");
    }
}
