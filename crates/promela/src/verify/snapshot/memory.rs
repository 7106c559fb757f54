//! The memory of the product: what it stores about an execution besides the state of the model.

/// A memory, as bytes: which snapshots were passed, and which may still be.
pub(super) trait Memory: Sync {
    /// Scratch space for [`step`](Self::step).
    type Scratch: Default;

    /// Appends the memory before the first step.
    fn initial(&self, model: &[u8], out: &mut Vec<u8>);

    /// Appends the memory after a step of some participants to the state `after`.
    fn step(&self, scratch: &mut Self::Scratch, memory: &[u8], participants: &[u64], after: &[u8], out: &mut Vec<u8>);

    /// The snapshots that were passed: bit `k` for snapshot number `k`.
    fn passed(&self, memory: &[u8]) -> u64;
}
