//! The tables of an object type, checked entry by entry against the definitions.
//!
//! An object type defines what its operations do ([`ObjectType::operate`]), and
//! claims things about them. Every claim is compared with what follows from the
//! definition alone, for every value in a small range:
//!
//! * `dependent`: valid (thesis, Def. 3.18);
//! * `can_be_dependent` and `do_not_accord`: large enough (Defs 4.6 and 4.13);
//! * `first_to_interfere`: large enough (Def. 4.26), where every process may execute
//!   every operation;
//! * weak uniformity (Def. 6.6), also for transitions that use several operations
//!   on the object;
//! * `succession`, for weak stubborn sets;
//! * the encoding, and `defined_iff`.
//!
//! Entries that are larger than their definition are sound; they are listed by
//! [`ObjectTables::dependent_excess`] and [`ObjectTables::interfering_excess`].

mod dependency;
mod encoding;
mod interference;
mod succession;
mod uniformity;

use mazurka_core::{ObjectType, Op, Operated, ProcessId, Relation};
use std::collections::BTreeSet;

/// The tables of one object type, with the values and inputs to try.
#[derive(Debug)]
pub struct ObjectTables<'a> {
    kind: &'a dyn ObjectType,
    ops: Vec<Op>,
    inputs: Vec<i64>,
    /// The values whose entries are checked.
    values: Vec<Vec<i64>>,
    /// The longest channel and the largest number that are looked at.
    horizon: usize,
}

/// A place in a table: two operations by name (with who performs them, if that
/// matters) and a value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// The row.
    pub a: String,
    /// The column.
    pub b: String,
    /// The value.
    pub value: Vec<i64>,
}

const RELATIONS: [Relation; 3] = [Relation::Constant, Relation::WeaklyUniform, Relation::Conditional];

impl<'a> ObjectTables<'a> {
    /// The tables, with these inputs for operations that take one. Unbounded types are cut:
    /// entries are checked for channels of at most `depth` messages (or numbers
    /// up to `depth`), looking ahead to `depth + 4`.
    pub fn new(kind: &'a dyn ObjectType, inputs: &[i64], depth: usize) -> Self {
        let processes = if kind.refined_by_process() { 3 } else { 1 };
        let mut ops = Vec::new();
        for by in (0..processes).map(ProcessId::new) {
            for k in 0..kind.operations().len() {
                let kind = u8::try_from(k).expect("an object type has at most 256 operations");
                ops.push(Op { kind, by });
            }
        }
        let mut tables = Self {
            kind,
            ops,
            inputs: inputs.to_vec(),
            values: Vec::new(),
            horizon: depth + 4,
        };
        let all = tables.closure(BTreeSet::from([kind.initial()]), |_, _| true);
        tables.values = all.into_iter().filter(|v| size(v) <= depth).collect();
        tables
    }

    /// The values that are looked at.
    pub fn values(&self) -> &[Vec<i64>] {
        &self.values
    }

    /// Everything that is wrong.
    pub fn defects(&self) -> Vec<String> {
        let mut wrong = self.encoding_defects();
        wrong.extend(self.succession_defects());
        for relation in RELATIONS {
            wrong.extend(self.dependency_defects(relation));
            wrong.extend(self.interfering_defects(relation));
            if relation != Relation::Conditional || self.kind.conditional_is_weakly_uniform() {
                wrong.extend(self.uniformity_defects(relation));
            }
        }
        wrong
    }

    // ---- definition

    fn takes_input(&self, op: Op) -> bool {
        self.kind.operations()[usize::from(op.kind)].takes_input
    }

    fn inputs_of(&self, op: Op) -> &[i64] {
        if self.takes_input(op) { &self.inputs } else { &[0] }
    }

    fn run(&self, op: Op, input: i64, value: &[i64]) -> Option<(i64, Vec<i64>)> {
        match self.kind.operate(op, input, value) {
            Operated::Undefined => None,
            Operated::OutOfRange => panic!("{op:?}: input {input} is out of range"),
            Operated::Done(output, value) => Some((output, value)),
        }
    }

    /// The results of an operation for all inputs.
    fn results(&self, op: Op, value: &[i64]) -> Vec<Vec<i64>> {
        let inputs = self.inputs_of(op).iter();
        inputs.filter_map(|i| Some(self.run(op, *i, value)?.1)).collect()
    }

    fn is_defined(&self, op: Op, value: &[i64]) -> bool {
        !self.results(op, value).is_empty()
    }

    /// The values reachable by operations that `permitted` lets pass.
    fn closure(&self, start: BTreeSet<Vec<i64>>, permitted: impl Fn(Op, &[i64]) -> bool) -> BTreeSet<Vec<i64>> {
        let mut open: Vec<Vec<i64>> = start.iter().cloned().collect();
        let mut seen = start;
        while let Some(value) = open.pop() {
            for op in self.ops.iter().filter(|op| permitted(**op, &value)) {
                for next in self.results(*op, &value) {
                    if size(&next) <= self.horizon && seen.insert(next.clone()) {
                        open.push(next);
                    }
                }
            }
        }
        seen
    }

    /// Def. 3.18, points 1 and 2, for all inputs.
    fn may_be_independent(&self, a: Op, b: Op, value: &[i64]) -> bool {
        self.inputs_of(a).iter().all(|in_a| {
            self.inputs_of(b).iter().all(|in_b| {
                let first_a = self.run(a, *in_a, value);
                let first_b = self.run(b, *in_b, value);
                let then_b = first_a.as_ref().map(|(_, v)| self.run(b, *in_b, v));
                let then_a = first_b.as_ref().map(|(_, v)| self.run(a, *in_a, v));
                let b_stays = then_b.as_ref().is_none_or(|r| r.is_some() == first_b.is_some());
                let a_stays = then_a.as_ref().is_none_or(|r| r.is_some() == first_a.is_some());
                let commute = match (&first_a, &first_b, &then_b, &then_a) {
                    (Some((out_a, _)), Some((out_b, _)), Some(Some((late_b, v))), Some(Some((late_a, w)))) => {
                        out_a == late_a && out_b == late_b && v == w
                    }
                    (Some(_), Some(_), _, _) => false,
                    _ => true,
                };
                a_stays && b_stays && commute
            })
        })
    }

    // ---- claims

    fn dependent(&self, a: Op, b: Op, value: &[i64], relation: Relation) -> bool {
        self.kind.dependent(a, b, &self.bytes(value), relation)
    }

    fn bytes(&self, value: &[i64]) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.kind.encode(value, &mut bytes);
        bytes
    }

    fn name(&self, op: Op) -> String {
        let name = self.kind.operations()[usize::from(op.kind)].name;
        if self.kind.refined_by_process() {
            format!("{name}{}", op.by.index())
        } else {
            name.into()
        }
    }

    fn entry(&self, a: Op, b: Op, value: &[i64]) -> Entry {
        Entry {
            a: self.name(a),
            b: self.name(b),
            value: value.to_vec(),
        }
    }

    fn pairs(&self) -> impl Iterator<Item = (Op, Op)> + '_ {
        self.ops.iter().flat_map(|a| self.ops.iter().map(move |b| (*a, *b)))
    }

    fn entries(&self) -> impl Iterator<Item = (Op, Op, &[i64])> + '_ {
        let values = |(a, b)| self.values.iter().map(move |v| (a, b, &v[..]));
        self.pairs().flat_map(values)
    }
}

/// How far a value is from the small ones: the messages of a channel count, or
/// the number itself.
fn size(value: &[i64]) -> usize {
    match value {
        [number] if *number > 1 => usize::try_from(*number).unwrap_or(usize::MAX),
        messages => messages.len(),
    }
}
