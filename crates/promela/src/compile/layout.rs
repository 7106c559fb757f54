//! The layout of variables and channels in a state.

use crate::ir::{ChannelLayout, Scalar};
use crate::model::{Expr, Initial, Model, RecordId, Type, Variable};

/// The representation of the elements of a variable. As in SPIN's verifiers, the elements of
/// bit arrays are bytes, which can hold more than a bit.
pub(super) fn scalar(kind: Type, is_array: bool) -> Scalar {
    match Scalar::of(kind) {
        Scalar::Bit if is_array => Scalar::Byte,
        scalar => scalar,
    }
}

/// The size of one element of a variable, in bytes.
pub(super) fn element_size(model: &Model, kind: Type) -> usize {
    match kind {
        Type::Record(record) => fields(model, record).iter().map(|f| size(model, f)).sum(),
        kind => Scalar::of(kind).size(),
    }
}

/// The size of a variable, in bytes.
pub(super) fn size(model: &Model, variable: &Variable) -> usize {
    element_size(model, variable.kind) * variable.length.unwrap_or(1) as usize
}

/// The fields of a record.
pub(super) fn fields(model: &Model, record: RecordId) -> &[Variable] {
    &model.records[record.0 as usize].fields
}

/// The offset of a field in its record.
pub(super) fn field_offset(model: &Model, record: RecordId, field: u32) -> usize {
    let before = &fields(model, record)[..field as usize];
    before.iter().map(|f| size(model, f)).sum()
}

/// A scalar part of a variable, and its initial value.
#[derive(Clone, Debug)]
pub(super) struct Leaf<'m> {
    pub(super) at: usize,
    pub(super) scalar: Scalar,
    pub(super) initial: LeafInitial<'m>,
}

/// The initial value of a scalar.
#[derive(Clone, Debug)]
pub(super) enum LeafInitial<'m> {
    Zero,
    Value(&'m Expr),
    Channel { capacity: u32, fields: &'m [Type] },
}

/// The scalars of a variable that begins at `at`, in order.
pub(super) fn leaves<'m>(model: &'m Model, variable: &'m Variable, at: usize, out: &mut Vec<Leaf<'m>>) {
    let stride = element_size(model, variable.kind);
    for element in 0..variable.length.unwrap_or(1) as usize {
        let at = at + element * stride;
        match variable.kind {
            Type::Record(record) => {
                let mut field_at = at;
                for field in fields(model, record) {
                    leaves(model, field, field_at, out);
                    field_at += size(model, field);
                }
            }
            kind => {
                let initial = match &variable.initial {
                    Initial::Zero => LeafInitial::Zero,
                    Initial::Value(value) => LeafInitial::Value(value),
                    Initial::List(values) => values
                        .get(element)
                        .or(values.last())
                        .map_or(LeafInitial::Zero, LeafInitial::Value),
                    Initial::Channel { capacity, fields } => LeafInitial::Channel {
                        capacity: *capacity,
                        fields,
                    },
                };
                out.push(Leaf {
                    at,
                    scalar: scalar(kind, variable.length.is_some()),
                    initial,
                });
            }
        }
    }
}

/// The layout of a channel that begins at `at`.
pub(super) fn channel(capacity: u32, fields: &[Type], at: usize) -> ChannelLayout {
    let mut slot = 0;
    let fields = fields
        .iter()
        .map(|kind| {
            let scalar = Scalar::of(*kind);
            let field = (slot, scalar);
            slot += scalar.size();
            field
        })
        .collect();
    ChannelLayout {
        at,
        capacity: capacity as usize,
        fields,
        slot,
    }
}
