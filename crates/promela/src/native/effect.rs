//! What edges of one process do, translated.
//!
//! An effect that is [`Undecided`] may have changed the state on the way, unless it [leaves it](Effect::is_sudden) as it was. Whoever
//! applies one keeps a copy then, and has the interpreter execute the step again from there.

use super::block::Block;
use super::guard::Guard;
use super::queue::{Put, Take};
use super::value::{ByteElement, Place, Undecided, Value};
use crate::ir::Scalar;

/// The effect of an edge, but for the location of its process.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Effect {
    /// None.
    Nothing,
    /// A byte gets a value.
    SetByte(u32, u8),
    /// A byte grows, and wraps.
    AddByte(u32, u8),
    /// A byte becomes equal to another, which is the second.
    CopyByte(u32, u32),
    /// A scalar gets a value.
    Store(u32, Scalar, Box<Value>),
    /// An element of an array of bytes gets a value.
    StoreByteElement(ByteElement, Box<Value>),
    /// An element of any array gets a value.
    StoreElement(Box<(Place, Value)>),
    /// A message is sent.
    Put(Box<Put>),
    /// A message is received.
    Take(Box<Take>),
    /// None, if this holds.
    Require(Box<Guard>),
    /// A `d_step`.
    Block(Box<Block>),
    /// The interpreter executes it.
    Ask,
}

impl Effect {
    /// Changes a state.
    #[inline]
    pub(super) fn apply(&self, state: &mut [u8]) -> Result<(), Undecided> {
        match self {
            Self::Nothing => {}
            Self::SetByte(at, value) => state[*at as usize] = *value,
            Self::AddByte(at, amount) => state[*at as usize] = state[*at as usize].wrapping_add(*amount),
            Self::CopyByte(to, from) => state[*to as usize] = state[*from as usize],
            _ => return self.apply_compound(state),
        }
        Ok(())
    }

    fn apply_compound(&self, state: &mut [u8]) -> Result<(), Undecided> {
        match self {
            Self::Nothing | Self::SetByte(..) | Self::AddByte(..) | Self::CopyByte(..) => return self.apply(state),
            Self::Store(at, scalar, value) => {
                let value = value.of(state)?;
                scalar.store(state, *at as usize, value);
            }
            Self::StoreByteElement(element, value) => {
                let (value, at) = (value.of(state)?, element.address(state)?);
                Scalar::Byte.store(state, at, value);
            }
            Self::StoreElement(parts) => {
                let (place, value) = &**parts;
                let (value, at) = (value.of(state)?, place.address(state)?);
                place.scalar.store(state, at, value);
            }
            Self::Put(put) => put.apply(state)?,
            Self::Take(take) => take.apply(state)?,
            Self::Require(guard) => {
                if !guard.holds(state)? {
                    return Err(Undecided);
                }
            }
            Self::Block(block) => block.run(state)?,
            Self::Ask => return Err(Undecided),
        }
        Ok(())
    }

    /// Whether it leaves the state as it was if it is undecided.
    pub(super) fn is_sudden(&self) -> bool {
        match self {
            Self::Put(put) => put.is_sudden(),
            Self::Take(take) => take.is_sudden(),
            Self::Block(_) => false,
            _ => true,
        }
    }
}
