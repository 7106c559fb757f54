//! PS_Def: persistent sets for Definitely (long version, Fig. 5).
//!
//! A counterexample to Definitely is a history in which the predicate never
//! holds. Of two enabled events the order matters only if one of them makes the
//! predicate true, so a set is persistent if the predicate stays false while one
//! stays outside the set, and also when one then takes a member of it.
//!
//! Cases as the paper letters them, for a false conjunct φ and T the events that
//! must happen before a process of φ moves: (c) no event of T makes φ true; (d)
//! another false conjunct φ' of one other process stays false, except perhaps at
//! the end, while one stays outside T; (e) otherwise T is joined with the events
//! for such a φ'; (f) all enabled events. Every false conjunct is tried, and the
//! smallest set is taken. Cases (a) and (b) do not occur: where the predicate
//! holds nothing is enabled here (see [`super::histories`]).
//!
//! The paper's formula (5) lets i1 range over the processes outside supp(φ) ∪
//! active(T), but its proof needs "every process but j is in active(T) or waits
//! for one in it", where j is the process of φ'; this is what is computed (see
//! `docs/deviations.md`).
//!
//! The rule asks a few questions of a computation ([`Lattice`]), so it is the same for a recorded one and
//! for one that is still arriving (`crate::online`).

use super::histories::Width;
use super::wait_for::follow;
use crate::causality::{Causality, Cut, Event};
use crate::clocks::Clocks;
use crate::condition::{Condition, NEVER};
use mazurka_core::ProcessId;
use mazurka_core::bitset::{self, BitSet};
use mazurka_core::persistent::PersistentSets;

/// What the rule asks of a computation. Processes and conjuncts are numbered from 0, and the members of sets are processes.
pub(crate) trait Lattice {
    fn processes(&self) -> usize;
    fn conjuncts(&self) -> usize;
    /// The k-th process that a conjunct reads, if it reads so many.
    fn reads(&self, conjunct: usize, k: usize) -> Option<usize>;
    fn holds(&self, conjunct: usize, cut: &[u32]) -> bool;
    /// A process that can move and must move before `process` does, perhaps itself; `None` if that has ended.
    fn follow(&self, cut: &[u32], process: usize) -> Option<usize>;
    /// Whether a process has ended, or waits for a member of the set.
    fn waits(&self, cut: &[u32], process: usize, members: &BitSet) -> bool;
    /// The first conjunct of formula (5): the process of a conjunct that is false cannot go beyond the next state
    /// in which it is true before a member of the set has moved. "No" is always safe.
    fn stops(&self, conjunct: usize, cut: &[u32], members: &BitSet) -> bool;
}

/// The rule, with room for what it computes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rule {
    members: BitSet,
    joined: BitSet,
    false_conjuncts: Vec<usize>,
}

impl Rule {
    /// Leaves in `out`, which has the processes that can move, the smallest persistent set that is found. The
    /// predicate is false in the cut, and some process can move.
    pub(crate) fn smallest(&mut self, lattice: &impl Lattice, cut: &mut [u32], out: &mut BitSet) {
        let Self {
            members,
            joined,
            false_conjuncts,
        } = self;
        false_conjuncts.clear();
        false_conjuncts.extend((0..lattice.conjuncts()).filter(|c| !lattice.holds(*c, cut)));
        let mut fewest = bitset::len(out);
        let mut improve = |set: &BitSet, out: &mut BitSet| {
            let size = bitset::len(set);
            if size < fewest {
                fewest = size;
                out.copy_from(set);
            }
            fewest == 1
        };
        for &c in false_conjuncts.iter() {
            members.reset(lattice.processes());
            add_waited_for(lattice, c, cut, members);
            if bitset::is_empty(members) {
                // Its processes have ended: it stays false whatever happens, and one
                // history is as good as another. But a history must go on.
                keep_first(out);
                return;
            }
            if keeps_false(lattice, c, cut, members) {
                if improve(members, out) {
                    return;
                }
                continue;
            }
            for &d in false_conjuncts.iter().filter(|d| !overlap(lattice, c, **d)) {
                let is_local = lattice.reads(d, 1).is_none();
                let done = if is_local && false_until_end(lattice, d, cut, members) {
                    improve(members, out)
                } else {
                    joined.copy_from(members);
                    add_waited_for(lattice, d, cut, joined);
                    improve(joined, out)
                };
                if done {
                    return;
                }
            }
        }
    }
}

/// Leaves one member in a set.
fn keep_first(set: &mut BitSet) {
    let first = bitset::iter(set).next();
    set.fill(0);
    if let Some(first) = first {
        bitset::insert(set, first);
    }
}

fn processes_of(lattice: &impl Lattice, conjunct: usize) -> impl Iterator<Item = usize> {
    (0..).map_while(move |k| lattice.reads(conjunct, k))
}

/// Whether two conjuncts read the same process.
fn overlap(lattice: &impl Lattice, c: usize, d: usize) -> bool {
    processes_of(lattice, d).any(|p| processes_of(lattice, c).any(|q| p == q))
}

/// Adds the processes that must move before one of `conjunct` does.
fn add_waited_for(lattice: &impl Lattice, conjunct: usize, cut: &[u32], out: &mut BitSet) {
    for p in processes_of(lattice, conjunct) {
        if let Some(q) = lattice.follow(cut, p) {
            bitset::insert(out, q);
        }
    }
}

/// Case (c): no event of the set makes the conjunct true.
fn keeps_false(lattice: &impl Lattice, conjunct: usize, cut: &mut [u32], members: &BitSet) -> bool {
    bitset::iter(members).all(|p| {
        cut[p] += 1;
        let holds = lattice.holds(conjunct, cut);
        cut[p] -= 1;
        !holds
    })
}

/// Formula (5) for the conjunct `other` of one process.
fn false_until_end(lattice: &impl Lattice, other: usize, cut: &[u32], members: &BitSet) -> bool {
    let j = lattice.reads(other, 0);
    let others_wait = || {
        (0..lattice.processes()).all(|i| Some(i) == j || bitset::contains(members, i) || lattice.waits(cut, i, members))
    };
    lattice.stops(other, cut, members) && others_wait()
}

/// The algorithm of the long version.
#[derive(Debug)]
pub(crate) struct PsDef<'a> {
    width: Width,
    recorded: Recorded<'a>,
    rule: Rule,
    cut: Cut,
    chosen: BitSet,
}

/// A computation that has ended.
#[derive(Debug)]
struct Recorded<'a> {
    order: &'a Causality,
    clocks: &'a Clocks,
    condition: &'a Condition<'a>,
    /// The paper's nextTrue, for every conjunct of one process.
    next_true: Vec<Vec<u32>>,
}

impl<'a> PsDef<'a> {
    pub(crate) fn new(order: &'a Causality, clocks: &'a Clocks, condition: &'a Condition<'a>) -> Self {
        Self {
            width: Width::of(order),
            recorded: Recorded {
                order,
                clocks,
                condition,
                next_true: condition.next_true(),
            },
            rule: Rule::default(),
            cut: Cut::new(),
            chosen: BitSet::default(),
        }
    }
}

impl Lattice for Recorded<'_> {
    fn processes(&self) -> usize {
        self.order.processes()
    }

    fn conjuncts(&self) -> usize {
        self.condition.conjuncts().len()
    }

    fn reads(&self, conjunct: usize, k: usize) -> Option<usize> {
        let support = &self.condition.conjuncts()[conjunct].support;
        support.get(k).map(|p| p.index())
    }

    fn holds(&self, conjunct: usize, cut: &[u32]) -> bool {
        self.condition.conjunct_holds(conjunct, cut)
    }

    fn follow(&self, cut: &[u32], process: usize) -> Option<usize> {
        follow(self.order, cut, ProcessId::new(process)).map(ProcessId::index)
    }

    fn waits(&self, cut: &[u32], process: usize, members: &BitSet) -> bool {
        let process = ProcessId::new(process);
        if cut[process.index()] == self.order.events(process) {
            return true;
        }
        let mut seen = vec![false; cut.len()];
        let mut todo = vec![process];
        while let Some(p) = todo.pop() {
            if bitset::contains(members, p.index()) {
                return true;
            }
            if std::mem::replace(&mut seen[p.index()], true) {
                continue;
            }
            let causes = self.order.causes(p, cut[p.index()] + 1).iter();
            todo.extend(causes.filter(|c| c.index > cut[c.process.index()]).map(|c| c.process));
        }
        false
    }

    fn stops(&self, conjunct: usize, cut: &[u32], members: &BitSet) -> bool {
        let j = self.condition.conjuncts()[conjunct].support[0];
        match self.next_true[conjunct][cut[j.index()] as usize] {
            // It never becomes true.
            NEVER => true,
            // The state after the true one lies beyond an event of the set.
            state if state < self.order.events(j) => bitset::iter(members)
                .any(|i| i == j.index() || self.clocks.known(j, state + 1, ProcessId::new(i)) > cut[i]),
            _ => true,
        }
    }
}

impl PersistentSets<Event> for PsDef<'_> {
    fn chosen(&mut self, state: &[u8], enabled: &[Event], out: &mut BitSet) -> bool {
        self.width.decode(state, &mut self.cut);
        self.chosen.reset(self.recorded.processes());
        for event in enabled {
            bitset::insert(&mut self.chosen, event.process.index());
        }
        if !enabled.is_empty() {
            self.rule.smallest(&self.recorded, &mut self.cut, &mut self.chosen);
        }
        out.reset(enabled.len());
        for (k, event) in enabled.iter().enumerate() {
            if bitset::contains(&self.chosen, event.process.index()) {
                bitset::insert(out, k);
            }
        }
        true
    }

    fn containing(&mut self, _: &[u8], enabled: &[Event], _: usize, _: usize, out: &mut BitSet) -> bool {
        out.set_all(enabled.len());
        true
    }
}

/// The algorithm of the conference version, for conjunctions of 1-local predicates
/// (CAV 2000, Fig. 3): the events that must happen before a process moves whose
/// conjunct is false and stays false with its next event. Theorem 2 there claims
/// that there always is such a process; there need not be (two processes without
/// messages, each false, then true), and then all enabled events are taken.
#[derive(Debug)]
pub(crate) struct PsDefSimple<'a> {
    order: &'a Causality,
    width: Width,
    condition: &'a Condition<'a>,
    cut: Cut,
}

impl<'a> PsDefSimple<'a> {
    /// The condition must be a conjunction of 1-local predicates.
    pub(crate) fn new(order: &'a Causality, condition: &'a Condition<'a>) -> Self {
        debug_assert!(condition.is_local());
        Self {
            order,
            width: Width::of(order),
            condition,
            cut: Cut::new(),
        }
    }
}

impl PersistentSets<Event> for PsDefSimple<'_> {
    fn chosen(&mut self, state: &[u8], enabled: &[Event], out: &mut BitSet) -> bool {
        self.width.decode(state, &mut self.cut);
        for (c, conjunct) in self.condition.conjuncts().iter().enumerate() {
            let [i] = conjunct.support[..] else { continue };
            if self.condition.conjunct_holds(c, &self.cut) {
                continue;
            }
            let Some(j) = follow(self.order, &self.cut, i) else {
                continue;
            };
            self.cut[i.index()] += 1;
            let stays_false = !self.condition.conjunct_holds(c, &self.cut);
            self.cut[i.index()] -= 1;
            if stays_false {
                out.reset(enabled.len());
                let at = enabled.iter().position(|e| e.process == j);
                bitset::insert(out, at.expect("nobody waits for it in vain"));
                return true;
            }
        }
        out.set_all(enabled.len());
        true
    }

    fn containing(&mut self, _: &[u8], enabled: &[Event], _: usize, _: usize, out: &mut BitSet) -> bool {
        out.set_all(enabled.len());
        true
    }
}
