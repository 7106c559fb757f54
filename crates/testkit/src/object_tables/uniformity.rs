//! Weak uniformity (thesis, Def. 6.6) of what transitions do to one object.

use super::ObjectTables;
use mazurka_core::{Op, Relation};

impl ObjectTables<'_> {
    /// What transitions can do to the object: any operations that do not modify,
    /// and then at most one that does.
    fn uses(&self) -> Vec<Vec<Op>> {
        let modifies = |op: &Op| self.kind.operations()[usize::from(op.kind)].modifies;
        let looks: Vec<Op> = self
            .ops
            .iter()
            .copied()
            .filter(|op| !modifies(op) && op.by.index() == 0)
            .collect();
        let changes: Vec<Option<Op>> = self
            .ops
            .iter()
            .copied()
            .filter(modifies)
            .map(Some)
            .chain([None])
            .collect();
        let mut uses = Vec::new();
        for set in 0..1_usize << looks.len() {
            for change in &changes {
                let chosen = looks.iter().enumerate().filter(|(k, _)| set >> k & 1 == 1);
                let ops: Vec<Op> = chosen.map(|(_, op)| *op).chain(*change).collect();
                if !ops.is_empty() {
                    uses.push(ops);
                }
            }
        }
        uses
    }

    /// Triples of transitions that contradict Def. 6.6: `t1`, `t2` and `t3` use
    /// one or more operations on the object, and are dependent if some of their
    /// operations are.
    pub fn uniformity_defects(&self, relation: Relation) -> Vec<String> {
        let uses = self.uses();
        let independent =
            |t: &[Op], u: &[Op], v: &[i64]| t.iter().all(|a| u.iter().all(|b| !self.dependent(*a, *b, v, relation)));
        let after = |t: &[Op], v: &[i64]| -> Vec<Vec<i64>> {
            if t.iter().all(|op| self.is_defined(*op, v)) {
                self.results(t[t.len() - 1], v)
            } else {
                Vec::new()
            }
        };
        let names = |t: &[Op]| t.iter().map(|op| self.name(*op)).collect::<Vec<_>>().join("+");
        let mut wrong = Vec::new();
        for s in &self.values {
            for t1 in &uses {
                for s1 in after(t1, s) {
                    for t3 in uses.iter().filter(|t3| independent(t1, t3, s)) {
                        for other in after(t3, s) {
                            for t2 in &uses {
                                if !independent(t1, t2, s)
                                    && !after(t2, &s1).is_empty()
                                    && independent(t2, t3, &s1)
                                    && independent(t1, t2, &other)
                                {
                                    wrong.push(format!(
                                        "{relation:?} is not weakly uniform at {s:?}: t1 = {}, t2 = {}, t3 = {}",
                                        names(t1),
                                        names(t2),
                                        names(t3)
                                    ));
                                }
                            }
                        }
                    }
                }
            }
        }
        wrong.sort_by_key(String::len);
        wrong.dedup();
        wrong
    }
}
