//! Rules 1-4 of section 4.2 of the paper, word for word, and mistakes in them.

use std::collections::BTreeSet;

/// A mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mutation {
    None,
    /// One row must have all components for the snapshot to be passed.
    OneRow,
    /// The conjuncts are evaluated in the state before the step, as a misprint in 4.3 has it.
    StateBefore,
    /// Components whose conjunct is `true` are left out.
    OnlyInvolved,
    /// No rule 3.
    NoCutSets,
    /// Rule 3 without its precondition.
    AlwaysCutSets,
    /// Rule 1 also keeps what is left of sets with participants.
    StrippedSets,
    /// Rule 4 adds one set of all participants that satisfy.
    JointSet,
    /// Initially, one set.
    JointStart,
}

impl Mutation {
    pub const ALL: [Self; 8] = [
        Self::OneRow,
        Self::StateBefore,
        Self::OnlyInvolved,
        Self::NoCutSets,
        Self::AlwaysCutSets,
        Self::StrippedSets,
        Self::JointSet,
        Self::JointStart,
    ];
}

pub struct PrintedBasis {
    all: u64,
    rows: BTreeSet<u64>,
    mutation: Mutation,
    passed: bool,
}

fn members(set: u64) -> impl Iterator<Item = u64> {
    (0..64).map(|i| 1 << i).filter(move |bit| set & bit != 0)
}

impl PrintedBasis {
    pub fn new(components: usize, satisfied: u64, mutation: Mutation) -> Self {
        let mut basis = Self {
            all: u64::MAX >> (64 - components),
            rows: match mutation {
                Mutation::JointStart => BTreeSet::from([satisfied]),
                _ => members(satisfied).collect(),
            },
            mutation,
            passed: false,
        };
        basis.detect();
        basis
    }

    /// Leaves out components, if that is the mistake to make.
    pub fn only(mut self, involved: u64) -> Self {
        if self.mutation == Mutation::OnlyInvolved {
            self.all &= involved;
            self.rows = self
                .rows
                .iter()
                .map(|row| row & involved)
                .filter(|row| *row != 0)
                .collect();
            self.detect();
        }
        self
    }

    fn detect(&mut self) {
        let union = self.rows.iter().fold(0, |union, row| union | row);
        self.passed |= match self.mutation {
            Mutation::OneRow => self.rows.contains(&self.all),
            _ => union == self.all,
        };
    }

    pub fn is_passed(&self) -> bool {
        self.passed
    }

    pub fn rows(&self) -> BTreeSet<u64> {
        self.rows.clone()
    }

    pub fn step(&mut self, a: u64, satisfied: u64) {
        let a = a & self.all;
        if a == 0 {
            return;
        }
        let mut c = BTreeSet::new();
        let union = self.rows.iter().fold(0, |union, row| union | row);
        let smallest = |x: u64| {
            self.rows
                .iter()
                .filter(|row| *row & x != 0)
                .fold(u64::MAX, |s, row| s & row)
        };
        for row in &self.rows {
            if row & a == 0 || a & !row == 0 {
                c.insert(*row);
            } else {
                let allowed = a & !union == 0 || self.mutation == Mutation::AlwaysCutSets;
                if allowed && self.mutation != Mutation::NoCutSets {
                    let frozen = members(a).filter(|x| x & union != 0);
                    c.insert(frozen.fold(*row, |set, x| set | smallest(x)));
                }
                if self.mutation == Mutation::StrippedSets && row & !a != 0 {
                    c.insert(row & !a);
                }
            }
        }
        match self.mutation {
            Mutation::JointSet => c.extend(Some(a & satisfied).filter(|set| *set != 0)),
            _ => c.extend(members(a & satisfied)),
        }
        // Non-trivial unions of others go.
        let is_union = |set: &u64| {
            let parts = c.iter().filter(|other| *other & !set == 0 && *other != set);
            parts.fold(0, |union, part| union | part) == *set
        };
        self.rows = c.iter().copied().filter(|set| !is_union(set)).collect();
        self.detect();
    }
}
