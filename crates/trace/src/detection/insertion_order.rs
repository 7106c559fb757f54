//! The search for Possibly with the members of a persistent set in the order of the paper.
//!
//! Any order is sound. But sleep sets leave out what an earlier member covers, so how much is explored depends on which
//! member comes first, and the paper's counts depend on it. Its Fig. 3 inserts into T, for the
//! processes of the conjunct in turn, the event that must happen first. Here the members are explored in this
//! order, and the processes of a conjunct are in the order in which the predicate names them. Without persistent
//! sets, the order is that of the processes. The engine ([`super::search`]) takes the last process first, which needs
//! fewer transitions for one of the paper's protocols (see `docs/deviations.md`).
//!
//! Of the false conjuncts the one with the fewest members is taken, as in [`super::ps_poss`]. Godefroid's Fig. 5.2, on cuts:
//! all pairs of enabled events of different processes are independent, so a successor inherits whatever sleeps, and
//! under sleep sets no cut is reached twice.

use super::Explored;
use super::wait_for::follow;
use crate::causality::{Causality, Cut};
use crate::condition::{Condition, Conjunct};
use crate::predicate::{Formula, Node};
use foldhash::HashSet;
use mazurka_core::bitset::{self, BitSet};
use mazurka_core::{End, Limits, ProcessId, Reduction, Watch};

/// Looks for a cut in which the condition holds, which is that of all conjuncts of the formula.
pub(crate) fn possibly(
    order: &Causality,
    formula: &Formula,
    condition: &Condition<'_>,
    reduction: Reduction,
    limits: Limits<'_>,
) -> Explored<Option<Cut>> {
    let mut watch = Watch::new(limits);
    let mut search = Search {
        order,
        condition,
        named: named(formula, condition),
        reduction,
        cut: vec![0; order.processes()],
        visited: HashSet::default(),
        path: Vec::new(),
    };
    let (mut states, mut transitions) = (0u64, 0u64);
    let mut asleep = BitSet::new(order.processes());
    let end = loop {
        if search.is_new() {
            states += 1;
            if condition.holds(&search.cut) {
                return Explored {
                    result: Some(search.cut),
                    states,
                    transitions,
                    end: End::Stopped,
                };
            }
            search.enter(asleep);
        } else {
            search.retreat();
        }
        if let Some(limit) = watch.exceeded(states, || 0) {
            break End::Limit(limit);
        }
        match search.next_member() {
            Some(inherited) => asleep = inherited,
            None => break End::Complete,
        }
        transitions += 1;
    };
    Explored {
        result: None,
        states,
        transitions,
        end,
    }
}

/// The processes of each conjunct in the order in which the text of the predicate names them.
fn named(formula: &Formula, condition: &Condition<'_>) -> Vec<Vec<ProcessId>> {
    let mut nodes = formula.conjuncts();
    // As the condition has them.
    nodes.sort_by_key(|node| formula.support(node).len());
    let in_text = |node: &&Node| {
        let mut atoms = Vec::new();
        node.for_each_atom(&mut |atom| atoms.push(&formula.atoms[atom]));
        atoms.sort_by_key(|atom| atom.span().start);
        let mut processes: Vec<ProcessId> = Vec::new();
        for process in atoms.iter().flat_map(|atom| &atom.reads).map(|read| read.process) {
            if !processes.contains(&process) {
                processes.push(process);
            }
        }
        processes
    };
    let named: Vec<Vec<ProcessId>> = nodes.iter().map(in_text).collect();
    let same = |(named, conjunct): (&Vec<ProcessId>, &Conjunct)| {
        named.len() == conjunct.support.len() && named.iter().all(|p| conjunct.support.contains(p))
    };
    assert!(
        named.iter().zip(condition.conjuncts()).all(same),
        "the conjuncts have another order"
    );
    named
}

struct Search<'a> {
    order: &'a Causality,
    condition: &'a Condition<'a>,
    /// The processes of each conjunct, in the order in which the predicate names them.
    named: Vec<Vec<ProcessId>>,
    reduction: Reduction,
    cut: Cut,
    /// Without sleep sets: the cuts that were visited.
    visited: HashSet<Cut>,
    path: Vec<Frame>,
}

/// A cut on the path.
struct Frame {
    /// The processes to be explored, the first one last.
    todo: Vec<ProcessId>,
    /// The processes whose events sleep.
    asleep: BitSet,
    /// Which one is being explored.
    moved: ProcessId,
}

impl Search<'_> {
    fn is_new(&mut self) -> bool {
        self.reduction.sleep() || self.visited.insert(self.cut.clone())
    }

    fn enter(&mut self, asleep: BitSet) {
        let mut todo = match self.reduction.persistent() {
            true => self.fewest(),
            false => self.enabled(),
        };
        if self.reduction.sleep() {
            todo.retain(|p| !bitset::contains(&asleep, p.index()));
        }
        todo.reverse();
        self.path.push(Frame {
            todo,
            asleep,
            moved: ProcessId::new(0),
        });
    }

    fn retreat(&mut self) {
        if let Some(frame) = self.path.last() {
            self.cut[frame.moved.index()] -= 1;
        }
    }

    /// Takes the next member of the last set that has one, and says what sleeps after it; `None` if there is none.
    fn next_member(&mut self) -> Option<BitSet> {
        loop {
            let frame = self.path.last_mut()?;
            let Some(p) = frame.todo.pop() else {
                self.path.pop();
                self.retreat();
                continue;
            };
            let inherited = frame.asleep.clone();
            bitset::insert(&mut frame.asleep, p.index());
            frame.moved = p;
            self.cut[p.index()] += 1;
            return Some(inherited);
        }
    }

    fn enabled(&self) -> Vec<ProcessId> {
        let all = self.order.process_ids();
        all.filter(|p| follow(self.order, &self.cut, *p) == Some(*p)).collect()
    }

    /// The smallest of the sets of the false conjuncts, in the order of insertion.
    fn fewest(&self) -> Vec<ProcessId> {
        let mut best: Option<Vec<ProcessId>> = None;
        for (c, named) in self.named.iter().enumerate() {
            if self.condition.conjunct_holds(c, &self.cut) {
                continue;
            }
            let mut set = Vec::new();
            for p in named.iter().filter_map(|p| follow(self.order, &self.cut, *p)) {
                if !set.contains(&p) {
                    set.push(p);
                }
            }
            if best.as_ref().is_none_or(|b| set.len() < b.len()) {
                best = Some(set);
            }
        }
        best.unwrap_or_default()
    }
}
