//! The kinds of operations that translations consist of.
//!
//! A comparison of engines shows little about an operation that no model has. So the tests count which ones occur.

use super::block::Made;
use super::effect::Effect;
use super::guard::Guard;
use super::instance::{Gate, Instance};
use super::value::Value;
use std::collections::BTreeSet;

/// All kinds.
pub(crate) const SHAPES: [&str; 39] = [
    "add byte",
    "all",
    "always",
    "any",
    "ask for a guard",
    "ask for an effect",
    "binary",
    "block",
    "block with too many ways",
    "block, unrolled",
    "byte",
    "byte element",
    "choice",
    "compare",
    "constant",
    "copy byte",
    "differ",
    "element",
    "element within",
    "else",
    "never",
    "nonzero",
    "not",
    "nothing",
    "outside",
    "put",
    "require",
    "same",
    "scalar",
    "set byte",
    "store",
    "store byte element",
    "store element",
    "sum",
    "take",
    "take without removal",
    "truth",
    "unary",
    "within",
];

/// Adds the kinds that an instance has.
pub(super) fn of(instance: &Instance<'_>, found: &mut BTreeSet<&'static str>) {
    for gate in &instance.gates {
        match gate {
            Gate::If(guard) => of_guard(guard, found),
            Gate::Else => {
                found.insert("else");
            }
            Gate::Ask => {
                found.insert("ask for a guard");
            }
        }
    }
    for movement in &instance.moves {
        of_effect(&movement.effect, found);
    }
}

fn of_guard(guard: &Guard, found: &mut BTreeSet<&'static str>) {
    let shape = match guard {
        Guard::Always => "always",
        Guard::Never => "never",
        Guard::Within(..) => "within",
        Guard::Outside(..) => "outside",
        Guard::Same(..) => "same",
        Guard::Differ(..) => "differ",
        Guard::ElementWithin(..) => "element within",
        Guard::Compare(_, operands) => {
            of_value(&operands.0, found);
            of_value(&operands.1, found);
            "compare"
        }
        Guard::Nonzero(value) => {
            of_value(value, found);
            "nonzero"
        }
        Guard::All(parts) => {
            parts.iter().for_each(|part| of_guard(part, found));
            "all"
        }
        Guard::Any(parts) => {
            parts.iter().for_each(|part| of_guard(part, found));
            "any"
        }
        Guard::Not(guard) => {
            of_guard(guard, found);
            "not"
        }
    };
    found.insert(shape);
}

fn of_value(value: &Value, found: &mut BTreeSet<&'static str>) {
    let shape = match value {
        Value::Constant(_) => "constant",
        Value::Byte(_) => "byte",
        Value::Scalar(..) => "scalar",
        Value::ByteElement(_) => "byte element",
        Value::Element(place) => {
            place.subscripts.iter().for_each(|s| of_value(&s.value, found));
            "element"
        }
        Value::Unary(_, operand) => {
            of_value(operand, found);
            "unary"
        }
        Value::Binary(_, operands) => {
            of_value(&operands.0, found);
            of_value(&operands.1, found);
            "binary"
        }
        Value::Sum(_) => "sum",
        Value::Choice(parts) => {
            of_guard(&parts.0, found);
            of_value(&parts.1, found);
            of_value(&parts.2, found);
            "choice"
        }
        Value::Truth(guard) => {
            of_guard(guard, found);
            "truth"
        }
    };
    found.insert(shape);
}

fn of_effect(effect: &Effect, found: &mut BTreeSet<&'static str>) {
    let shape = match effect {
        Effect::Nothing => "nothing",
        Effect::SetByte(..) => "set byte",
        Effect::AddByte(..) => "add byte",
        Effect::CopyByte(..) => "copy byte",
        Effect::Store(_, _, value) => {
            of_value(value, found);
            "store"
        }
        Effect::StoreByteElement(_, value) => {
            of_value(value, found);
            "store byte element"
        }
        Effect::StoreElement(parts) => {
            of_value(&parts.1, found);
            "store element"
        }
        Effect::Put(put) => {
            put.fields.iter().for_each(|(_, _, value)| of_value(value, found));
            "put"
        }
        Effect::Take(take) => {
            of_guard(&take.check, found);
            take.stores.iter().for_each(|store| of_effect(store, found));
            match take.copy {
                true => "take without removal",
                false => "take",
            }
        }
        Effect::Require(guard) => {
            of_guard(guard, found);
            "require"
        }
        Effect::Block(block) => {
            for part in block.parts() {
                of_guard(&part.guard, found);
                part.effects.iter().for_each(|effect| of_effect(effect, found));
            }
            match block.made {
                Made::Once => "block",
                Made::Unrolled => "block, unrolled",
                Made::Plain => "block with too many ways",
            }
        }
        Effect::Ask => "ask for an effect",
    };
    found.insert(shape);
}
