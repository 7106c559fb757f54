//! Bounds on a search.

use crate::{Limit, Progress};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Bounds on a search. A search that meets one is inconclusive, unless it has found something.
///
/// ```
/// use mazurka_outcome::{Limit, Limits};
/// use std::time::Duration;
///
/// let limits = Limits { time: Some(Duration::ZERO), ..Limits::default() };
/// assert_eq!(limits.from_now().stop(), Some(Limit::Time));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits<'a> {
    /// Stop once there are more states than this.
    pub states: Option<u64>,
    /// Go no deeper than this: a state after this many transitions is not left.
    pub depth: Option<usize>,
    /// At most this many bytes of memory.
    pub bytes: Option<usize>,
    /// At most this long, from the start of each search.
    pub time: Option<Duration>,
    /// Stop at this time. This is for work that takes several searches.
    pub deadline: Option<Instant>,
    /// Stop as soon as this is true.
    pub interrupt: Option<&'a AtomicBool>,
    /// Not a bound: is told now and then how far the search is.
    pub progress: Option<Progress<'a>>,
}

impl Limits<'_> {
    /// The same limits with a deadline instead of a time: everything done under them, taken together, may take that
    /// long from now on.
    pub fn from_now(self) -> Self {
        let end = self.time.and_then(|time| Instant::now().checked_add(time));
        Self {
            time: None,
            deadline: [self.deadline, end].into_iter().flatten().min(),
            ..self
        }
    }

    /// The reason to stop now, for work that counts no states: the deadline has passed, or the interrupt is set.
    pub fn stop(&self) -> Option<Limit> {
        if self.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Some(Limit::Interrupt);
        }
        let is_over = |end: Instant| Instant::now() >= end;
        self.deadline.is_some_and(is_over).then_some(Limit::Time)
    }
}
