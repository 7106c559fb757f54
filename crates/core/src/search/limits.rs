//! When to stop, and how a search ended.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Bounds on a search. Reaching one makes the answer inconclusive.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits<'a> {
    /// At most this many states.
    pub states: Option<u64>,
    /// No longer paths than this.
    pub depth: Option<usize>,
    /// At most this many bytes of memory.
    pub bytes: Option<usize>,
    /// At most this long.
    pub time: Option<Duration>,
    /// Stop as soon as this is true.
    pub interrupt: Option<&'a AtomicBool>,
}

/// The bound that a search met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Limit {
    /// [`Limits::states`]
    #[error("the limit on states was reached")]
    States,
    /// [`Limits::depth`]
    #[error("the limit on depth was reached")]
    Depth,
    /// [`Limits::bytes`]
    #[error("the limit on memory was reached")]
    Memory,
    /// [`Limits::time`]
    #[error("the time is over")]
    Time,
    /// [`Limits::interrupt`]
    #[error("interrupted")]
    Interrupt,
    /// Every cached state is on the current path: the cache is too small.
    #[error("the cache is smaller than the current path")]
    Cache,
}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Everything that the reduction selects was explored.
    Complete,
    /// The observer had seen enough, or a transition failed.
    Stopped,
    /// A bound was met.
    Limit(Limit),
}

/// Checks the limits without asking the clock too often.
#[derive(Debug)]
pub(crate) struct Watch<'a> {
    limits: Limits<'a>,
    start: Instant,
    countdown: u32,
}

/// Transitions between two looks at the clock.
const STRIDE: u32 = 4096;

impl<'a> Watch<'a> {
    pub(crate) fn new(limits: Limits<'a>) -> Self {
        Self {
            limits,
            start: Instant::now(),
            countdown: 0,
        }
    }

    pub(crate) fn limits(&self) -> &Limits<'a> {
        &self.limits
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// The limit that is exceeded, if any; `bytes` is asked only now and then.
    #[inline]
    pub(crate) fn exceeded(&mut self, states: u64, bytes: impl FnOnce() -> usize) -> Option<Limit> {
        if self.limits.states.is_some_and(|max| states > max) {
            return Some(Limit::States);
        }
        if self.countdown > 0 {
            self.countdown -= 1;
            return None;
        }
        self.countdown = STRIDE;
        if self.limits.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Some(Limit::Interrupt);
        }
        if self.limits.time.is_some_and(|max| self.start.elapsed() > max) {
            return Some(Limit::Time);
        }
        if self.limits.bytes.is_some_and(|max| bytes() > max) {
            return Some(Limit::Memory);
        }
        None
    }
}
