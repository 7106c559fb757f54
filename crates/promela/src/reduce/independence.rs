//! The dependency relation for sleep sets.
//!
//! Two steps of different processes are independent if no operation of one conflicts with an operation of
//! the other. The operations of a step come from its [instance](super::instance), regardless
//! of the values of changing locals. So the relation is the same in all states in which
//! the two processes have the same instances, and in particular weakly uniform (thesis,
//! Def. 6.6), which sleep sets with a proviso require. A step that needs `timeout` is
//! dependent on everything.

use super::instance::Instances;
use super::timeout::timeouts;
use crate::ir::{EXCLUSIVE, Program};
use crate::run::{Processes, Step};
use mazurka_core::{Dependency, bitset};
use std::cell::RefCell;

/// The dependency relation of a compiled model.
#[derive(Debug)]
pub(crate) struct Independence<'p> {
    program: &'p Program,
    instances: RefCell<Instances<'p>>,
    mentions_timeout: Vec<Vec<bool>>,
}

impl<'p> Independence<'p> {
    pub(crate) fn new(program: &'p Program) -> Self {
        Self {
            program,
            instances: RefCell::new(Instances::new(program)),
            mentions_timeout: timeouts(program),
        }
    }
}

impl Dependency<Step> for Independence<'_> {
    fn independent(&self, state: &[u8], t: Step, u: Step) -> bool {
        if state[EXCLUSIVE] != 0 {
            return false;
        }
        let moves = |s: Step| {
            let partner = s.has_partner().then_some((s.partner, s.partner_edge));
            std::iter::once((s.pid, s.edge)).chain(partner)
        };
        let mut instances = self.instances.borrow_mut();
        for (p, e) in moves(t) {
            for (q, f) in moves(u) {
                if p == q {
                    return false;
                }
                let mut processes = Processes::new(self.program, state);
                let (Some(one), Some(other)) = (processes.clone().nth(p as usize), processes.nth(q as usize)) else {
                    return false;
                };
                // An `atomic` runs to its end or to a point where it waits, or it is global. So the others are executable afterwards.
                let late = |process: &crate::run::ProcessRef<'_>, edge: u16| {
                    self.mentions_timeout[process.proctype.0 as usize][edge as usize]
                };
                if late(&one, e) || late(&other, f) {
                    return false;
                }
                let (one, other) = (instances.find(state, one), instances.find(state, other));
                let (one, other) = (instances.get(one), instances.get(other));
                let (e, f) = (e as usize, f as usize);
                if one.is_global(e) || other.is_global(f) || bitset::intersects(one.hits(e), other.does(f)) {
                    return false;
                }
            }
        }
        true
    }
}
