//! Dependency for a value (thesis, Def. 3.18) and for some value (Defs 4.6, 4.13).

use super::{Entry, ObjectTables};
use mazurka_core::Relation;

impl ObjectTables<'_> {
    /// Entries of `dependent` that are not valid or not symmetric, and relations
    /// over all values that are too small.
    pub fn dependency_defects(&self, relation: Relation) -> Vec<String> {
        let mut wrong = Vec::new();
        for (a, b, value) in self.entries() {
            let dependent = self.dependent(a, b, value, relation);
            let mut report = |what: &str| wrong.push(format!("{relation:?}: {what} {:?}", self.entry(a, b, value)));
            if !dependent && !self.may_be_independent(a, b, value) {
                report("`dependent` is not valid:");
            }
            if dependent != self.dependent(b, a, value, relation) {
                report("`dependent` is not symmetric:");
            }
            if dependent && !self.kind.can_be_dependent(a, b, relation) {
                report("`can_be_dependent` lacks");
            }
            let both = self.is_defined(a, value) && self.is_defined(b, value);
            if dependent && both && !self.kind.do_not_accord(a, b, relation) {
                report("`do_not_accord` lacks");
            }
            if relation == Relation::Constant && dependent != self.dependent(a, b, &self.values[0], relation) {
                report("not constant:");
            }
        }
        for (a, b) in self.pairs() {
            if self.kind.can_be_dependent(a, b, relation) != self.kind.can_be_dependent(b, a, relation)
                || self.kind.do_not_accord(a, b, relation) != self.kind.do_not_accord(b, a, relation)
            {
                wrong.push(format!(
                    "{relation:?}: {} and {} are not symmetric",
                    self.name(a),
                    self.name(b)
                ));
            }
        }
        wrong
    }

    /// Entries that are dependent although Def. 3.18 lets them be independent.
    pub fn dependent_excess(&self, relation: Relation) -> Vec<Entry> {
        let entries = self.entries();
        let excess =
            entries.filter(|(a, b, v)| self.dependent(*a, *b, v, relation) && self.may_be_independent(*a, *b, v));
        excess.map(|(a, b, v)| self.entry(a, b, v)).collect()
    }
}
