//! Conditions of one process, translated: whether they hold.
//!
//! Most conditions compare a byte with a constant. All of those are one test: whether the byte is in a range, or whether it is
//! not. Parts of `&&` and `||` are in a row, and are looked at in the order of the text until one settles it, so what
//! comes after it cannot fail, as in the interpreter.

use super::value::{ByteElement, Undecided, Value};
use crate::arithmetic::binary;
use crate::model::Binary;

/// A condition.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Guard {
    /// It always holds.
    Always,
    /// It never holds.
    Never,
    /// A byte is in a range.
    Within(u32, Range),
    /// A byte is not in a range.
    Outside(u32, Range),
    /// Two bytes are equal.
    Same(u32, u32),
    /// Two bytes differ.
    Differ(u32, u32),
    /// An element of an array of bytes is in a range.
    ElementWithin(ByteElement, Range),
    /// A comparison.
    Compare(Binary, Box<(Value, Value)>),
    /// A value is not 0.
    Nonzero(Box<Value>),
    /// All of them hold.
    All(Box<[Guard]>),
    /// Some of them hold.
    Any(Box<[Guard]>),
    /// It does not hold.
    Not(Box<Guard>),
}

/// The bytes from `low` to `low + span`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) low: u8,
    pub(super) span: u8,
}

impl Range {
    /// The values of a byte that are not 0.
    pub(super) const POSITIVE: Self = Self { low: 1, span: 254 };

    #[inline]
    fn contains(self, byte: u8) -> bool {
        byte.wrapping_sub(self.low) <= self.span
    }

    /// The bytes that are at least `low` and at most `high`, if there are any.
    fn between(low: i32, high: i32) -> Option<Self> {
        let (low, high) = (low.max(0), high.min(255));
        let span = u8::try_from(high.checked_sub(low)?).ok()?;
        Some(Self {
            low: u8::try_from(low).ok()?,
            span,
        })
    }
}

impl Guard {
    /// Whether it holds in a state.
    #[inline]
    pub(super) fn holds(&self, state: &[u8]) -> Result<bool, Undecided> {
        Ok(match self {
            Self::Always => true,
            Self::Never => false,
            Self::Within(at, range) => range.contains(state[*at as usize]),
            Self::Outside(at, range) => !range.contains(state[*at as usize]),
            _ => return self.compound_holds(state),
        })
    }

    /// Whether it holds, if that needs more than a look.
    fn compound_holds(&self, state: &[u8]) -> Result<bool, Undecided> {
        Ok(match self {
            Self::Always | Self::Never | Self::Within(..) | Self::Outside(..) => return self.holds(state),
            Self::Same(left, right) => state[*left as usize] == state[*right as usize],
            Self::Differ(left, right) => state[*left as usize] != state[*right as usize],
            Self::ElementWithin(element, range) => range.contains(state[element.address(state)?]),
            Self::Compare(operator, operands) => {
                let (left, right) = (operands.0.of(state)?, operands.1.of(state)?);
                binary(*operator, left, right).ok_or(Undecided)? != 0
            }
            Self::Nonzero(value) => value.of(state)? != 0,
            Self::All(parts) => {
                for part in parts {
                    if !part.holds(state)? {
                        return Ok(false);
                    }
                }
                true
            }
            Self::Any(parts) => {
                for part in parts {
                    if part.holds(state)? {
                        return Ok(true);
                    }
                }
                false
            }
            Self::Not(guard) => !guard.holds(state)?,
        })
    }

    /// Whether it is never undecided.
    pub(super) fn is_certain(&self) -> bool {
        match self {
            Self::Always | Self::Never => true,
            Self::Within(..) | Self::Outside(..) | Self::Same(..) | Self::Differ(..) => true,
            Self::ElementWithin(..) => false,
            Self::Compare(_, operands) => operands.0.is_certain() && operands.1.is_certain(),
            Self::Nonzero(value) => value.is_certain(),
            Self::All(parts) | Self::Any(parts) => parts.iter().all(Self::is_certain),
            Self::Not(guard) => guard.is_certain(),
        }
    }

    /// That a value is not 0.
    pub(super) fn nonzero(value: Value) -> Self {
        match value {
            Value::Constant(0) => Self::Never,
            Value::Constant(_) => Self::Always,
            Value::Byte(at) => Self::Within(at, Range::POSITIVE),
            Value::ByteElement(element) => Self::ElementWithin(element, Range::POSITIVE),
            Value::Truth(guard) => *guard,
            value => Self::Nonzero(Box::new(value)),
        }
    }

    /// The opposite.
    pub(super) fn negated(self) -> Self {
        match self {
            Self::Always => Self::Never,
            Self::Never => Self::Always,
            Self::Within(at, range) => Self::Outside(at, range),
            Self::Outside(at, range) => Self::Within(at, range),
            Self::Same(left, right) => Self::Differ(left, right),
            Self::Differ(left, right) => Self::Same(left, right),
            Self::Not(guard) => *guard,
            guard => Self::Not(Box::new(guard)),
        }
    }

    /// That all of them hold. What comes after one that never holds is not looked at.
    pub(super) fn all(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut all = Vec::new();
        for part in parts {
            match part {
                Self::Always => {}
                Self::All(parts) => all.extend(parts),
                part => all.push(part),
            }
            if all.last() == Some(&Self::Never) {
                break;
            }
        }
        match all.len() {
            0 => Self::Always,
            1 => all.remove(0),
            _ => Self::All(all.into()),
        }
    }

    /// That some of them hold. What comes after one that always holds is not looked at.
    pub(super) fn any(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut any = Vec::new();
        for part in parts {
            match part {
                Self::Never => {}
                Self::Any(parts) => any.extend(parts),
                part => any.push(part),
            }
            if any.last() == Some(&Self::Always) {
                break;
            }
        }
        match any.len() {
            0 => Self::Never,
            1 => any.remove(0),
            _ => Self::Any(any.into()),
        }
    }

    /// A comparison of two values.
    pub(super) fn compare(operator: Binary, left: Value, right: Value) -> Self {
        match (&left, &right) {
            (Value::Constant(left), Value::Constant(right)) => {
                return Self::nonzero(Value::Constant(binary(operator, *left, *right).unwrap_or(0)));
            }
            (Value::Byte(a), Value::Byte(b)) if operator == Binary::Equal => return Self::Same(*a, *b),
            (Value::Byte(a), Value::Byte(b)) if operator == Binary::NotEqual => return Self::Differ(*a, *b),
            (Value::Byte(at), Value::Constant(constant)) => return Self::byte(*at, operator, *constant),
            (Value::Constant(constant), Value::Byte(at)) => return Self::byte(*at, operator.mirrored(), *constant),
            (Value::ByteElement(element), Value::Constant(constant)) => {
                if let Some(range) = satisfying(operator, *constant) {
                    return Self::ElementWithin(*element, range);
                }
            }
            (Value::Constant(constant), Value::ByteElement(element)) => {
                if let Some(range) = satisfying(operator.mirrored(), *constant) {
                    return Self::ElementWithin(*element, range);
                }
            }
            _ => {}
        }
        Self::Compare(operator, Box::new((left, right)))
    }

    /// A comparison of a byte with a constant.
    fn byte(at: u32, operator: Binary, constant: i32) -> Self {
        if operator == Binary::NotEqual {
            return Self::byte(at, Binary::Equal, constant).negated();
        }
        match satisfying(operator, constant) {
            Some(Range { low: 0, span: 255 }) => Self::Always,
            Some(range) => Self::Within(at, range),
            None => Self::Never,
        }
    }
}

/// The bytes that compare with a constant in this way, if there are any and they are a range.
fn satisfying(operator: Binary, constant: i32) -> Option<Range> {
    match operator {
        Binary::Equal => Range::between(constant, constant),
        Binary::Less => Range::between(0, constant.checked_sub(1)?),
        Binary::LessEqual => Range::between(0, constant),
        Binary::Greater => Range::between(constant.checked_add(1)?, 255),
        Binary::GreaterEqual => Range::between(constant, 255),
        Binary::NotEqual if constant == 0 => Some(Range::POSITIVE),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMPARISONS: [Binary; 6] = [
        Binary::Equal,
        Binary::NotEqual,
        Binary::Less,
        Binary::LessEqual,
        Binary::Greater,
        Binary::GreaterEqual,
    ];

    /// Every byte against every constant that matters.
    #[test]
    fn comparisons_of_bytes_are_what_they_were() {
        let constants = [i32::MIN, -1, 0, 1, 2, 7, 254, 255, 256, i32::MAX];
        for operator in COMPARISONS {
            for constant in constants {
                let right = Guard::compare(operator, Value::Byte(0), Value::Constant(constant));
                let left = Guard::compare(operator, Value::Constant(constant), Value::Byte(0));
                let element = ByteElement {
                    at: 0,
                    index: 1,
                    length: 1,
                    stride: 1,
                };
                let of_element = Guard::compare(operator, Value::ByteElement(element), Value::Constant(constant));
                let by_element = Guard::compare(operator, Value::Constant(constant), Value::ByteElement(element));
                for byte in 0..=255 {
                    let state = [byte, 0];
                    let expected = |left, right| Ok(binary(operator, left, right) == Some(1));
                    let (byte, shown) = (i32::from(byte), (operator, constant));
                    assert_eq!(right.holds(&state), expected(byte, constant), "{shown:?} {byte}");
                    assert_eq!(left.holds(&state), expected(constant, byte), "{shown:?} {byte}");
                    assert_eq!(of_element.holds(&state), expected(byte, constant), "{shown:?} {byte}");
                    assert_eq!(by_element.holds(&state), expected(constant, byte), "{shown:?} {byte}");
                    assert_eq!(
                        right.clone().negated().holds(&state),
                        expected(byte, constant).map(|h| !h)
                    );
                }
            }
        }
    }

    #[test]
    fn what_is_settled_is_not_looked_at() {
        let fails = || {
            Guard::ElementWithin(
                ByteElement {
                    at: 0,
                    index: 0,
                    length: 0,
                    stride: 1,
                },
                Range::POSITIVE,
            )
        };
        assert_eq!(Guard::all([Guard::Never, fails()]), Guard::Never);
        assert_eq!(Guard::any([Guard::Always, fails()]), Guard::Always);
        assert_eq!(Guard::all([fails(), Guard::Never]).holds(&[0]), Err(Undecided));
        assert_eq!(Guard::any([fails(), Guard::Always]).holds(&[0]), Err(Undecided));
    }
}
