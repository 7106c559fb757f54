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

use super::histories::Width;
use super::wait_for::follow;
use crate::causality::{Causality, Cut, Event};
use crate::clocks::Clocks;
use crate::condition::{Condition, NEVER};
use crate::narrow::short;
use mazurka_core::ProcessId;
use mazurka_core::bitset::{self, BitSet};
use mazurka_core::persistent::PersistentSets;

/// The algorithm of the long version.
#[derive(Debug)]
pub(crate) struct PsDef<'a> {
    order: &'a Causality,
    width: Width,
    clocks: &'a Clocks,
    condition: &'a Condition<'a>,
    /// The paper's nextTrue, for every conjunct of one process.
    next_true: Vec<Vec<u32>>,
    cut: Cut,
    position: Vec<u32>,
    members: BitSet,
    joined: BitSet,
    false_conjuncts: Vec<usize>,
}

impl<'a> PsDef<'a> {
    pub(crate) fn new(order: &'a Causality, clocks: &'a Clocks, condition: &'a Condition<'a>) -> Self {
        Self {
            order,
            width: Width::of(order),
            clocks,
            condition,
            next_true: condition.next_true(),
            cut: Cut::new(),
            position: vec![0; order.processes()],
            members: BitSet::default(),
            joined: BitSet::default(),
            false_conjuncts: Vec::new(),
        }
    }

    /// The conjuncts that are false, in a list to be given back.
    fn take_false_conjuncts(&mut self) -> Vec<usize> {
        let mut out = std::mem::take(&mut self.false_conjuncts);
        out.clear();
        let all = 0..self.condition.conjuncts().len();
        out.extend(all.filter(|c| !self.condition.conjunct_holds(*c, &self.cut)));
        out
    }

    /// Adds the events that must happen before a process of `conjunct` moves.
    fn add_waited_for(&self, conjunct: usize, out: &mut BitSet) {
        for &process in &self.condition.conjuncts()[conjunct].support {
            if let Some(p) = follow(self.order, &self.cut, process) {
                bitset::insert(out, self.position[p.index()] as usize);
            }
        }
    }

    /// Case (c): no event of the set makes the conjunct true.
    fn keeps_false(&mut self, conjunct: usize, enabled: &[Event], members: &BitSet) -> bool {
        bitset::iter(members).all(|k| {
            let p = enabled[k].process.index();
            self.cut[p] += 1;
            let holds = self.condition.conjunct_holds(conjunct, &self.cut);
            self.cut[p] -= 1;
            !holds
        })
    }

    /// Formula (5) for the conjunct `other` of one process j.
    fn false_until_end(&self, other: usize, enabled: &[Event], members: &BitSet) -> bool {
        let j = self.condition.conjuncts()[other].support[0];
        let last = self.order.events(j);
        let active = |p: ProcessId| bitset::iter(members).any(|k| enabled[k].process == p);
        let stops = match self.next_true[other][self.cut[j.index()] as usize] {
            // It never becomes true.
            NEVER => true,
            // The state after the true one lies beyond an event of the set.
            state if state < last => bitset::iter(members).any(|k| {
                let i = enabled[k].process;
                i == j || self.clocks.known(j, state + 1, i) > self.cut[i.index()]
            }),
            _ => true,
        };
        let waits = |i: ProcessId| match follow_to(self.order, &self.cut, i, &active) {
            Waiting::Ended | Waiting::ForMember => true,
            Waiting::Free => false,
        };
        stops && self.order.process_ids().all(|i| i == j || active(i) || waits(i))
    }
}

enum Waiting {
    Ended,
    ForMember,
    Free,
}

/// Whether a member of the set is reachable from `process` in the wait-for graph.
fn follow_to(order: &Causality, cut: &[u32], process: ProcessId, member: &dyn Fn(ProcessId) -> bool) -> Waiting {
    if cut[process.index()] == order.events(process) {
        return Waiting::Ended;
    }
    let mut seen = vec![false; cut.len()];
    let mut todo = vec![process];
    while let Some(p) = todo.pop() {
        if member(p) {
            return Waiting::ForMember;
        }
        if std::mem::replace(&mut seen[p.index()], true) {
            continue;
        }
        let causes = order.causes(p, cut[p.index()] + 1).iter();
        todo.extend(causes.filter(|c| c.index > cut[c.process.index()]).map(|c| c.process));
    }
    Waiting::Free
}

impl PersistentSets<Event> for PsDef<'_> {
    fn chosen(&mut self, state: &[u8], enabled: &[Event], out: &mut BitSet) -> bool {
        self.width.decode(state, &mut self.cut);
        for (k, event) in enabled.iter().enumerate() {
            self.position[event.process.index()] = short(k);
        }
        let conjuncts = self.condition.conjuncts();
        let false_conjuncts = self.take_false_conjuncts();
        let mut members = std::mem::take(&mut self.members);
        let mut joined = std::mem::take(&mut self.joined);
        let mut fewest = enabled.len();
        out.set_all(enabled.len());
        let mut improve = |set: &BitSet, out: &mut BitSet| {
            let size = bitset::len(set);
            // A history must go on, so the set must have a member.
            if (1..fewest).contains(&size) {
                fewest = size;
                out.copy_from(set);
            }
            fewest == 1
        };
        'search: for &c in &false_conjuncts {
            members.reset(enabled.len());
            self.add_waited_for(c, &mut members);
            if bitset::is_empty(&members) {
                // Its processes have ended: it stays false whatever happens, and one
                // history is as good as another.
                bitset::insert(&mut members, 0);
                improve(&members, out);
                break;
            }
            if self.keeps_false(c, enabled, &members) {
                if improve(&members, out) {
                    break;
                }
                continue;
            }
            let support = &conjuncts[c].support;
            for &d in &false_conjuncts {
                let other = &conjuncts[d].support;
                if other.iter().any(|p| support.contains(p)) {
                    continue;
                }
                if other.len() == 1 && self.false_until_end(d, enabled, &members) {
                    if improve(&members, out) {
                        break 'search;
                    }
                } else {
                    joined.copy_from(&members);
                    self.add_waited_for(d, &mut joined);
                    improve(&joined, out);
                }
            }
        }
        self.members = members;
        self.joined = joined;
        self.false_conjuncts = false_conjuncts;
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
