//! The operators of expressions: 32-bit arithmetic that wraps.
//!
//! The checker uses it for constants, and the compiled form for everything. The plain interpreter has
//! its own arithmetic, because it serves as a second opinion.

use crate::model::{Binary, Unary};

/// The value of an operator on one value.
#[inline]
pub(crate) fn unary(operator: Unary, value: i32) -> i32 {
    match operator {
        Unary::Not => i32::from(value == 0),
        Unary::Negate => value.wrapping_neg(),
        Unary::Complement => !value,
    }
}

/// The value of an operator on two values, unless it divides by 0. Both values are given, so
/// callers must not use it for `&&` and `||` if the second may fail.
#[inline(always)]
pub(crate) fn binary(operator: Binary, left: i32, right: i32) -> Option<i32> {
    Some(match operator {
        Binary::Add => left.wrapping_add(right),
        Binary::Subtract => left.wrapping_sub(right),
        Binary::Multiply => left.wrapping_mul(right),
        Binary::Divide if right == 0 => return None,
        Binary::Divide => left.wrapping_div(right),
        Binary::Remainder if right == 0 => return None,
        Binary::Remainder => left.wrapping_rem(right),
        Binary::BitAnd => left & right,
        Binary::BitOr => left | right,
        Binary::BitXor => left ^ right,
        Binary::ShiftLeft => left.wrapping_shl(right as u32),
        Binary::ShiftRight => left.wrapping_shr(right as u32),
        Binary::Less => i32::from(left < right),
        Binary::LessEqual => i32::from(left <= right),
        Binary::Greater => i32::from(left > right),
        Binary::GreaterEqual => i32::from(left >= right),
        Binary::Equal => i32::from(left == right),
        Binary::NotEqual => i32::from(left != right),
        Binary::And => i32::from(left != 0 && right != 0),
        Binary::Or => i32::from(left != 0 || right != 0),
    })
}
