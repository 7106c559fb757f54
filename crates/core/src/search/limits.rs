//! When to stop, and how a search ended.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Bounds on a search. Reaching one makes the answer inconclusive.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits<'a> {
    /// Stop once there are more states than this.
    pub states: Option<u64>,
    /// Go no deeper than this: a state after so many transitions is not left.
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

/// Checks the limits without asking the clock too often: for searches of their own
/// that are to respect the same bounds.
#[derive(Debug)]
pub struct Watch<'a> {
    limits: Limits<'a>,
    start: Instant,
    /// When the clock was last looked at.
    last: Duration,
    /// Transitions until the next look, and from one look to the next.
    countdown: u32,
    stride: u32,
}

/// At most this many transitions between two looks at the clock.
const MAX_STRIDE: u32 = 4096;
/// About this long between two looks.
const INTERVAL: Duration = Duration::from_millis(10);

impl<'a> Watch<'a> {
    /// Starts to watch.
    pub fn new(limits: Limits<'a>) -> Self {
        Self {
            limits,
            start: Instant::now(),
            last: Duration::ZERO,
            countdown: 0,
            stride: 1,
        }
    }

    /// The bounds.
    pub fn limits(&self) -> &Limits<'a> {
        &self.limits
    }

    /// How long it has been.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// The limit that is exceeded, if any; `bytes` is asked only now and then.
    #[inline]
    pub fn exceeded(&mut self, states: u64, bytes: impl FnOnce() -> usize) -> Option<Limit> {
        if self.limits.states.is_some_and(|max| states > max) {
            return Some(Limit::States);
        }
        if self.countdown > 0 {
            self.countdown -= 1;
            return None;
        }
        let now = self.start.elapsed();
        self.stride = match now - self.last {
            long if long > INTERVAL => (self.stride / 2).max(1),
            _ => (self.stride * 2).min(MAX_STRIDE),
        };
        (self.last, self.countdown) = (now, self.stride);
        if self.limits.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Some(Limit::Interrupt);
        }
        if self.limits.time.is_some_and(|max| now > max) {
            return Some(Limit::Time);
        }
        if self.limits.bytes.is_some_and(|max| bytes() > max) {
            return Some(Limit::Memory);
        }
        None
    }
}
