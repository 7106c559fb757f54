//! Checking limits while a search runs.

use crate::{Limit, Limits, Progress, Statistics};
use std::time::{Duration, Instant};

/// Checks limits without reading the clock too often.
///
/// ```
/// use mazurka_outcome::{Limit, Limits, Watch};
///
/// let mut watch = Watch::new(Limits { states: Some(10), ..Limits::default() });
/// let stopped = (1..).find_map(|states| Some((states, watch.exceeded(states, || 0)?)));
/// assert_eq!(stopped, Some((11, Limit::States)));
/// ```
#[derive(Debug)]
pub struct Watch<'a> {
    limits: Limits<'a>,
    start: Instant,
    /// When the clock was last looked at.
    last: Duration,
    /// When progress was last reported.
    reported: Duration,
    /// Transitions until the next look, and from one look to the next.
    countdown: u32,
    stride: u32,
}

/// At most this many transitions between two looks at the clock.
const MAX_STRIDE: u32 = 1024;
/// About this long between two looks.
const INTERVAL: Duration = Duration::from_millis(10);
/// About this long between two reports.
const REPORT: Duration = Duration::from_millis(200);

impl<'a> Watch<'a> {
    /// Starts to watch.
    pub fn new(limits: Limits<'a>) -> Self {
        Self {
            limits,
            start: Instant::now(),
            last: Duration::ZERO,
            reported: Duration::ZERO,
            countdown: 0,
            stride: 1,
        }
    }

    /// The limits that are checked.
    #[inline]
    pub fn limits(&self) -> &Limits<'a> {
        &self.limits
    }

    /// The time since the start.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// The limit that is exceeded, if any. `bytes` is called only now and then. A
    /// report of progress has only states, bytes and time.
    #[inline]
    pub fn exceeded(&mut self, states: u64, bytes: impl Fn() -> usize) -> Option<Limit> {
        self.exceeded_by(states, || Statistics {
            states,
            bytes: bytes(),
            ..Statistics::default()
        })
    }

    /// The limit that is exceeded, if any. `so_far` is called only now and then. It
    /// tells what the search has cost, except for the time.
    #[inline]
    pub fn exceeded_by(&mut self, states: u64, so_far: impl Fn() -> Statistics) -> Option<Limit> {
        if self.limits.states.is_some_and(|max| states > max) {
            return Some(Limit::States);
        }
        if self.countdown > 0 {
            self.countdown -= 1;
            return None;
        }
        self.look(&so_far)
    }

    /// Looks at the clock and at whatever is not looked at all the time. Compiled once, not for each search.
    #[cold]
    fn look(&mut self, so_far: &dyn Fn() -> Statistics) -> Option<Limit> {
        let now = self.start.elapsed();
        self.stride = match now - self.last {
            // In one step: transitions may become slow from one to the next.
            long if long > INTERVAL => {
                let times = u32::try_from(long.as_nanos() / INTERVAL.as_nanos());
                (self.stride / times.unwrap_or(u32::MAX).max(2)).max(1)
            }
            _ => (self.stride * 2).min(MAX_STRIDE),
        };
        (self.last, self.countdown) = (now, self.stride);
        if let Some(limit) = self.limits.stop() {
            return Some(limit);
        }
        if self.limits.time.is_some_and(|max| now > max) {
            return Some(Limit::Time);
        }
        let report = self.limits.progress.filter(|_| now - self.reported >= REPORT);
        if report.is_none() && self.limits.bytes.is_none() {
            return None;
        }
        let so_far = Statistics { time: now, ..so_far() };
        if let Some(Progress(report)) = report {
            self.reported = now;
            report(&so_far);
        }
        if self.limits.bytes.is_some_and(|max| so_far.bytes > max) {
            return Some(Limit::Memory);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering};

    #[test]
    fn progress_is_reported_now_and_then() {
        let (reports, last) = (AtomicU64::new(0), AtomicU64::new(0));
        let report = |so_far: &Statistics| {
            assert!(so_far.time >= REPORT && so_far.bytes == 7);
            reports.fetch_add(1, Ordering::Relaxed);
            assert!(last.swap(so_far.states, Ordering::Relaxed) < so_far.states);
        };
        let mut watch = Watch::new(Limits {
            progress: Some(Progress(&report)),
            ..Limits::default()
        });
        let mut states = 0;
        while reports.load(Ordering::Relaxed) < 2 {
            states += 1;
            assert_eq!(watch.exceeded(states, || 7), None);
            std::thread::sleep(Duration::from_millis(1));
        }
        assert!(watch.elapsed() >= 2 * REPORT);
    }
}
