//! Expressions of one process, translated: the numbers that they stand for.
//!
//! Addresses are places in the whole state, and what cannot change is a constant. A value that would be a failure is
//! [`Undecided`]: the interpreter says which failure it is.

use super::guard::Guard;
use crate::arithmetic::{binary, unary};
use crate::ir::Scalar;
use crate::model::{Binary, Unary};

/// The translation does not say what happens: the interpreter is asked. Nothing has this in its way unless it fails or is rare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Undecided;

/// A number.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    /// Always the same.
    Constant(i32),
    /// A byte of the state.
    Byte(u32),
    /// A scalar that is not a byte.
    Scalar(u32, Scalar),
    /// An element of an array of bytes.
    ByteElement(ByteElement),
    /// An element of any array.
    Element(Box<Place>),
    /// An operator on one value.
    Unary(Unary, Box<Value>),
    /// An operator on two values.
    Binary(Binary, Box<(Value, Value)>),
    /// A sum of multiples of scalars.
    Sum(Box<Sum>),
    /// One of two values.
    Choice(Box<(Guard, Value, Value)>),
    /// 1 if something holds, otherwise 0.
    Truth(Box<Guard>),
}

/// An element of an array of bytes whose index is a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ByteElement {
    /// The first element.
    pub(super) at: u32,
    /// The index.
    pub(super) index: u32,
    /// The number of elements.
    pub(super) length: u16,
    /// The distance between two elements.
    pub(super) stride: u16,
}

impl ByteElement {
    /// Where it is.
    #[inline]
    pub(super) fn address(self, state: &[u8]) -> Result<usize, Undecided> {
        let index = state[self.index as usize];
        if u16::from(index) >= self.length {
            return Err(Undecided);
        }
        Ok(self.at as usize + usize::from(index) * usize::from(self.stride))
    }
}

/// A scalar in an array, or in several inside each other.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Place {
    /// The place with all indices 0.
    pub(super) at: u32,
    /// How it is represented.
    pub(super) scalar: Scalar,
    /// The indices.
    pub(super) subscripts: Box<[Subscript]>,
}

/// An index.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Subscript {
    /// Its value.
    pub(super) value: Value,
    /// The number of elements.
    pub(super) length: i32,
    /// The distance between two elements.
    pub(super) stride: u32,
}

impl Place {
    /// Where it is.
    #[inline]
    pub(super) fn address(&self, state: &[u8]) -> Result<usize, Undecided> {
        let mut at = self.at as usize;
        for subscript in &self.subscripts {
            let index = subscript.value.of(state)?;
            if !(0..subscript.length).contains(&index) {
                return Err(Undecided);
            }
            at += index as usize * subscript.stride as usize;
        }
        Ok(at)
    }
}

/// A constant plus multiples of scalars.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Sum {
    pub(super) constant: i32,
    /// Each with its factor.
    pub(super) terms: Box<[(i32, u32, Scalar)]>,
}

impl Value {
    /// Its value in a state.
    #[inline]
    pub(super) fn of(&self, state: &[u8]) -> Result<i32, Undecided> {
        match self {
            Self::Constant(value) => Ok(*value),
            Self::Byte(at) => Ok(i32::from(state[*at as usize])),
            Self::ByteElement(element) => Ok(i32::from(state[element.address(state)?])),
            _ => self.of_compound(state),
        }
    }

    /// Its value, if it needs more than a look or two.
    fn of_compound(&self, state: &[u8]) -> Result<i32, Undecided> {
        Ok(match self {
            Self::Constant(_) | Self::Byte(_) | Self::ByteElement(_) => return self.of(state),
            Self::Scalar(at, scalar) => scalar.load(state, *at as usize),
            Self::Element(place) => place.scalar.load(state, place.address(state)?),
            Self::Unary(operator, operand) => unary(*operator, operand.of(state)?),
            Self::Binary(operator, operands) => {
                let (left, right) = (operands.0.of(state)?, operands.1.of(state)?);
                binary(*operator, left, right).ok_or(Undecided)?
            }
            Self::Sum(sum) => sum.terms.iter().fold(sum.constant, |sum, (factor, at, scalar)| {
                sum.wrapping_add(factor.wrapping_mul(scalar.load(state, *at as usize)))
            }),
            Self::Choice(parts) => match parts.0.holds(state)? {
                true => parts.1.of(state)?,
                false => parts.2.of(state)?,
            },
            Self::Truth(guard) => i32::from(guard.holds(state)?),
        })
    }

    /// Whether it is never undecided.
    pub(super) fn is_certain(&self) -> bool {
        match self {
            Self::Constant(_) | Self::Byte(_) | Self::Scalar(..) | Self::Sum(_) => true,
            Self::ByteElement(_) | Self::Element(_) => false,
            Self::Unary(_, operand) => operand.is_certain(),
            Self::Binary(Binary::Divide | Binary::Remainder, operands) => {
                operands.0.is_certain() && matches!(operands.1, Self::Constant(divisor) if divisor != 0)
            }
            Self::Binary(_, operands) => operands.0.is_certain() && operands.1.is_certain(),
            Self::Choice(parts) => parts.0.is_certain() && parts.1.is_certain() && parts.2.is_certain(),
            Self::Truth(guard) => guard.is_certain(),
        }
    }
}
