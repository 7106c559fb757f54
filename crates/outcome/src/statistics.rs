//! What a search cost.

use std::time::Duration;

/// What a search cost, in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// States entered. With a caching store, a state that was forgotten and met
    /// again counts again.
    pub states: u64,
    /// Transitions explored.
    pub transitions: u64,
    /// Transitions that led to a stored state.
    pub matched: u64,
    /// The longest path, in transitions.
    pub depth: usize,
    /// States stored at the end.
    pub stored: u64,
    /// How often a state was forgotten.
    pub cleared: u64,
    /// Bytes held at the end: stored states, sleep sets, stack or queue.
    pub bytes: usize,
    /// How long it took.
    pub time: Duration,
}
