//! Conditional stubborn sets on the same system (long version, section 9.1.2).
//!
//! Algorithm 4 of Godefroid's thesis, with the operations that the paper derives from a
//! computation: an event assigns its process's state and place, and tests the places of
//! the processes whose events it follows; the transition t0 reads the states of the
//! predicate's processes. Then the closure of an enabled event is: t0, if the predicate
//! reads its process; of t0, the next events of the processes of a false conjunct; of an
//! event that is not the next one of its process, the one before it; of the next event of
//! a process that is not enabled, an event that it follows and that has not happened.
//! An enabled event is dependent with nothing else, since what it tests stays true.
//!
//! Each set contains that of [`super::ps_poss`] for the same conjunct, and the event that
//! the closure starts from. This algorithm is here for comparison. The paper's cost of up to as many steps as a
//! process has events is avoided, since the events between are not listed.

use super::histories::Width;
use crate::causality::{Causality, Cut, Event};
use crate::condition::Condition;
use mazurka_core::bitset::{self, BitSet};
use mazurka_core::persistent::PersistentSets;

/// The algorithm.
#[derive(Debug)]
pub(crate) struct ConditionalStubborn<'a> {
    order: &'a Causality,
    width: Width,
    condition: &'a Condition<'a>,
    /// Whether the predicate reads each process.
    read: Vec<bool>,
    cut: Cut,
    wrong: BitSet,
    todo: Vec<Event>,
    /// Per process: whether its next event is in the closure.
    reached: Vec<bool>,
}

impl<'a> ConditionalStubborn<'a> {
    pub(crate) fn new(order: &'a Causality, condition: &'a Condition<'a>) -> Self {
        let mut read = vec![false; order.processes()];
        for p in condition.conjuncts().iter().flat_map(|c| &c.support) {
            read[p.index()] = true;
        }
        Self {
            order,
            width: Width::of(order),
            condition,
            read,
            cut: Cut::new(),
            wrong: BitSet::default(),
            todo: Vec::new(),
            reached: vec![false; order.processes()],
        }
    }
}

impl PersistentSets<Event> for ConditionalStubborn<'_> {
    fn prepare(&mut self, state: &[u8], _: &[Event]) {
        self.width.decode(state, &mut self.cut);
        self.condition.false_conjuncts(&self.cut, &mut self.wrong);
    }

    fn containing(&mut self, _: &[u8], enabled: &[Event], start: usize, most: usize, out: &mut BitSet) -> bool {
        // Where the predicate holds, t0 is enabled and disables all.
        let Some(conjunct) = bitset::iter(&self.wrong).next() else {
            out.set_all(enabled.len());
            return true;
        };
        out.reset(enabled.len());
        self.reached.fill(false);
        self.todo.clear();
        self.todo.push(enabled[start]);
        let mut t0 = false;
        while let Some(t) = self.todo.pop() {
            let p = t.process.index();
            // With an event all before it in its process are in the closure, down to the
            // next one, which alone can be enabled.
            let t = Event::new(t.process, self.cut[p] + 1);
            if std::mem::replace(&mut self.reached[p], true) {
                continue;
            }
            let missing = |c: &&Event| c.index > self.cut[c.process.index()];
            if let Some(cause) = self.order.causes(t.process, t.index).iter().find(missing) {
                self.todo.push(*cause);
                continue;
            }
            let at = enabled.iter().position(|e| *e == t).expect("it is enabled");
            bitset::insert(out, at);
            if self.read[p] && !std::mem::replace(&mut t0, true) {
                for &q in &self.condition.conjuncts()[conjunct].support {
                    let executed = self.cut[q.index()];
                    if executed < self.order.events(q) {
                        self.todo.push(Event::new(q, executed + 1));
                    }
                }
            }
        }
        bitset::len(out) <= most
    }
}
