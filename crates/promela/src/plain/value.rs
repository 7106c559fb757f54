//! Stored values.
//!
//! Expressions are computed with 32 bits. A value that is stored in a variable or in a field
//! of a message is truncated to its type, like the C types that SPIN uses for
//! Promela's types.

use crate::model::{Model, Type, Variable};

/// The value of a variable.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// A number.
    Scalar(i32),
    /// The elements of an array.
    Array(Vec<Value>),
    /// The fields of a record.
    Record(Vec<Value>),
}

/// A number truncated to a type.
pub(super) fn truncate(kind: Type, value: i32) -> i32 {
    let [lowest, second, ..] = value.to_le_bytes();
    match kind {
        Type::Bit | Type::Bool => value & 1,
        Type::Byte | Type::Pid | Type::Mtype(_) | Type::Chan => i32::from(lowest),
        Type::Short => i32::from(i16::from_le_bytes([lowest, second])),
        Type::Unsigned(bits) if bits < 32 => value & (i32::MAX >> (31 - bits)),
        Type::Unsigned(_) | Type::Int | Type::Record(_) => value,
    }
}

/// The type of the elements of a variable. As in SPIN, the elements of a bit array are bytes, since C has no arrays of
/// bit fields.
pub(super) fn element(variable: &Variable) -> Type {
    match variable.kind {
        Type::Bit | Type::Bool if variable.length.is_some() => Type::Byte,
        kind => kind,
    }
}

/// A value of the variable's shape, all zero.
pub(super) fn zero(model: &Model, variable: &Variable) -> Value {
    let one = match variable.kind {
        Type::Record(record) => {
            let fields = &model.records[record.0 as usize].fields;
            Value::Record(fields.iter().map(|field| zero(model, field)).collect())
        }
        _ => Value::Scalar(0),
    };
    match variable.length {
        None => one,
        Some(length) => Value::Array(vec![one; length as usize]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_keeps_as_many_bits_as_its_type_has() {
        assert_eq!(truncate(Type::Bit, 2), 0);
        assert_eq!(truncate(Type::Byte, -1), 255);
        assert_eq!(truncate(Type::Short, 40_000), 40_000 - 65_536);
        assert_eq!(truncate(Type::Unsigned(3), 13), 5);
        assert_eq!(truncate(Type::Unsigned(32), -1), -1);
        assert_eq!(truncate(Type::Int, i32::MIN), i32::MIN);
    }
}
