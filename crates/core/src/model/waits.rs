//! What decides whether a process can move: the dependency that weak fairness adds (thesis 7.4).
//!
//! An execution is fair to a process if the process moves infinitely often, or infinitely often it cannot. The second
//! half is a fact about states, and independent transitions in another order pass through other states. So for each
//! control point where a process may have to wait, a reduction keeps the order of those transitions of *others* that
//! can change whether it may go on: see [`crate::Independence::with_order`].
//!
//! Whether a process at a control point can move depends on the objects that the guards and the partial operations of
//! the transitions that leave the point look at, and on where the other processes of those transitions are. Monitors do
//! not count: they block nobody.

use super::Model;
use crate::bitset::{self, BitSet};
use crate::ids::{LocalId, ObjectId, ProcessId, TransitionId};

impl Model {
    /// For each control point where `process` may have to wait, the transitions of others that can change whether it
    /// may go on. Empty sets and repetitions are left out.
    ///
    /// ```
    /// # use mazurka_core::{Builder, bitset};
    /// # let mut m = Builder::new("m");
    /// let [a] = m.process("A", ["a"]);
    /// let [b] = m.process("B", ["b"]);
    /// let x = m.boolean("x");
    /// m.transition("wait", a, a).when(x.is(1));
    /// m.transition("set", b, b).then(x.write(1));
    /// m.transition("idle", b, b);
    /// let model = m.build()?;
    /// let waits = |name| model.waits(model.process_named(name).expect("it was added"));
    /// assert_eq!(bitset::iter(&waits("A")[0]).collect::<Vec<_>>(), [1]); // `set`
    /// assert!(waits("B").is_empty()); // it can always move
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn waits(&self, process: ProcessId) -> Vec<BitSet> {
        let mut waits: Vec<BitSet> = Vec::new();
        let points = (0..self.locals()).map(LocalId::new);
        for point in points.filter(|l| self.process_of(*l) == process) {
            let Some((objects, places)) = self.looks(process, point) else {
                continue;
            };
            let mut changes = BitSet::new(self.transitions());
            for t in (0..self.transitions()).map(TransitionId::new) {
                let matters = objects.iter().any(|o| self.may_modify(t, *o))
                    || places.iter().any(|l| self.enters_or_leaves(t, *l));
                if matters && !self.active(t).contains(&process) {
                    bitset::insert(&mut changes, t.index());
                }
            }
            if !bitset::is_empty(&changes) && !waits.contains(&changes) {
                waits.push(changes);
            }
        }
        waits
    }

    /// What decides whether a process can leave a control point: objects, and where others are. `None` if it always
    /// can.
    fn looks(&self, process: ProcessId, point: LocalId) -> Option<(Vec<ObjectId>, Vec<LocalId>)> {
        let (mut objects, mut places) = (Vec::new(), Vec::new());
        for t in (0..self.transitions()).map(TransitionId::new) {
            if self.is_monitors(t) || !self.preset(t).contains(&point) {
                continue;
            }
            let transition = &self.transitions[t.index()];
            let partners = transition.active.iter().zip(&transition.pre);
            let partners = partners.filter(|(p, _)| **p != process && !self.is_monitor(**p));
            let before = places.len();
            places.extend(partners.map(|(_, l)| *l));
            if transition.conditions.is_empty() && transition.partial.is_empty() && places.len() == before {
                return None;
            }
            let conditions = transition.conditions.iter().flat_map(|c| &c.uses);
            objects.extend(conditions.chain(&transition.partial).map(|used| used.object));
        }
        Some((objects, places))
    }
}
