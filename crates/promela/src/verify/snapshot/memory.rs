//! What the product remembers of an execution besides the state of the model.

/// Bytes that say which snapshots were passed, and may be.
pub(super) trait Memory: Sync {
    /// Room for one caller of [`step`](Self::step) to compute in.
    type Scratch: Default;

    /// Appends what is remembered before the first step.
    fn initial(&self, model: &[u8], out: &mut Vec<u8>);

    /// Appends what is remembered after a step of some participants to the state `after`.
    fn step(&self, scratch: &mut Self::Scratch, memory: &[u8], participants: &[u64], after: &[u8], out: &mut Vec<u8>);

    /// Which snapshots were passed: bit `k` for snapshot number `k`.
    fn passed(&self, memory: &[u8]) -> u64;
}
