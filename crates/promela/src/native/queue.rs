//! Messages to and from a channel with a buffer that is known in advance.
//!
//! The number of messages is the first byte of the channel, and the oldest message is in the first slot. A receive takes
//! that one, so all addresses but the one of the slot that a message goes to are fixed.

use super::effect::Effect;
use super::guard::Guard;
use super::value::{Undecided, Value};
use crate::ir::Scalar;

/// A message is sent.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Put {
    /// The number of messages in the channel.
    pub(super) at: u32,
    /// The number of messages that it can hold.
    pub(super) capacity: u8,
    /// The size of a slot.
    pub(super) slot: u32,
    /// The fields: their offsets in a slot, representations, values.
    pub(super) fields: Box<[(u32, Scalar, Value)]>,
}

impl Put {
    #[inline]
    pub(super) fn apply(&self, state: &mut [u8]) -> Result<(), Undecided> {
        let len = state[self.at as usize];
        // A message that is lost is the interpreter's business.
        if len >= self.capacity {
            return Err(Undecided);
        }
        let slot = self.at as usize + 1 + usize::from(len) * self.slot as usize;
        for (offset, scalar, value) in &self.fields {
            let value = value.of(state)?;
            scalar.store(state, slot + *offset as usize, value);
        }
        state[self.at as usize] = len + 1;
        Ok(())
    }

    /// Whether nothing is written before it is known that the message can be sent.
    pub(super) fn is_sudden(&self) -> bool {
        self.fields.iter().skip(1).all(|(_, _, value)| value.is_certain())
    }
}

/// The oldest message is received.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Take {
    /// The number of messages in the channel.
    pub(super) at: u32,
    /// The size of a slot.
    pub(super) slot: u32,
    /// Whether the message matches, if finding out may fail. Otherwise it does, since the step is executable.
    pub(super) check: Guard,
    /// Stores the fields, one after the other, since one may be an index of the next.
    pub(super) stores: Box<[Effect]>,
    /// Whether the message stays.
    pub(super) copy: bool,
}

impl Take {
    #[inline]
    pub(super) fn apply(&self, state: &mut [u8]) -> Result<(), Undecided> {
        if !self.check.holds(state)? {
            return Err(Undecided);
        }
        for store in &self.stores {
            store.apply(state)?;
        }
        if self.copy {
            return Ok(());
        }
        let (at, slot) = (self.at as usize, self.slot as usize);
        let len = state[at];
        let (first, end) = (at + 1, at + 1 + usize::from(len) * slot);
        if len > 1 {
            state.copy_within(first + slot..end, first);
        }
        state[end - slot..end].fill(0);
        state[at] = len - 1;
        Ok(())
    }

    /// Whether nothing is written before it is known that the message can be stored.
    pub(super) fn is_sudden(&self) -> bool {
        self.stores.iter().skip(1).all(|store| match store {
            Effect::StoreByteElement(..) | Effect::StoreElement(_) => false,
            Effect::Store(_, _, value) => value.is_certain(),
            _ => true,
        })
    }
}
