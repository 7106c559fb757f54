//! Two memories in one: bases for the snapshots that are conjunctions, residuals for the others.

use super::frozen::{Frozen, Scratch};
use super::memory::Memory;
use super::symbolic::Symbolic;

/// Both memories. The bytes are those of the second, then those of the first, then the length of the first.
#[derive(Debug)]
pub(super) struct Joined<'m, 'a> {
    pub(super) frozen: Frozen<'a>,
    pub(super) symbolic: &'m Symbolic<'a>,
}

/// The bytes of the length.
const LENGTH: usize = 4;

/// The bytes of the first memory and those of the second.
pub(super) fn split(memory: &[u8]) -> (&[u8], &[u8]) {
    let (rest, length) = memory.split_at(memory.len() - LENGTH);
    let length = u32::from_le_bytes(length.try_into().expect("four bytes"));
    let (second, first) = rest.split_at(rest.len() - length as usize);
    (first, second)
}

fn finish(out: &mut Vec<u8>, from: usize) {
    let length = crate::narrow::index(out.len() - from);
    out.extend(length.to_le_bytes());
}

impl Memory for Joined<'_, '_> {
    type Scratch = Scratch;

    fn initial(&self, model: &[u8], out: &mut Vec<u8>) {
        self.symbolic.initial(model, out);
        let from = out.len();
        self.frozen.initial(model, out);
        finish(out, from);
    }

    fn step(&self, scratch: &mut Scratch, memory: &[u8], participants: &[u64], after: &[u8], out: &mut Vec<u8>) {
        let (first, second) = split(memory);
        self.symbolic.step(&mut (), second, participants, after, out);
        let from = out.len();
        self.frozen.step(scratch, first, participants, after, out);
        finish(out, from);
    }

    fn passed(&self, memory: &[u8]) -> u64 {
        let (first, second) = split(memory);
        self.frozen.passed(first) | self.symbolic.passed(second)
    }
}
