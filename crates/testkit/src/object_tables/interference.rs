//! `▷s`, the first operation to interfere (thesis, Def. 4.26), where every process may
//! execute every operation.

use super::{Entry, ObjectTables};
use mazurka_core::{Op, Relation};
use std::collections::BTreeSet;

impl ObjectTables<'_> {
    /// `a ▷ b` from a value, by Def. 4.26: operations independent of `a` lead to
    /// a value where `b` is defined and dependent with `a`.
    fn may_interfere(&self, a: Op, b: Op, value: &[i64], relation: Relation) -> bool {
        let quiet = |op: Op, v: &[i64]| !self.dependent(a, op, v, relation);
        let reachable = self.closure(BTreeSet::from([value.to_vec()]), quiet);
        let interferes = |v: &Vec<i64>| self.dependent(a, b, v, relation) && self.is_defined(b, v);
        reachable.iter().any(interferes)
    }

    /// Entries of `first_to_interfere` that Def. 4.26 demands and the table lacks.
    pub fn interfering_defects(&self, relation: Relation) -> Vec<String> {
        let lacking = self.entries().filter(|(a, b, v)| {
            !self.kind.first_to_interfere(*a, *b, &self.bytes(v), relation) && self.may_interfere(*a, *b, v, relation)
        });
        lacking
            .map(|(a, b, v)| format!("{relation:?}: `first_to_interfere` lacks {:?}", self.entry(a, b, v)))
            .collect()
    }

    /// Entries of `first_to_interfere` that Def. 4.26 does not demand.
    pub fn interfering_excess(&self, relation: Relation) -> Vec<Entry> {
        let excess = self.entries().filter(|(a, b, v)| {
            self.kind.first_to_interfere(*a, *b, &self.bytes(v), relation) && !self.may_interfere(*a, *b, v, relation)
        });
        excess.map(|(a, b, v)| self.entry(a, b, v)).collect()
    }
}
