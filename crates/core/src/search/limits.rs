//! When to stop, when to report, and how a search ended.

use super::statistics::Statistics;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Bounds on a search. Reaching one makes the answer inconclusive.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits<'a> {
    /// Stop once there are more states than this.
    pub states: Option<u64>,
    /// Go no deeper than this: a state after this many transitions is not left.
    pub depth: Option<usize>,
    /// At most this many bytes of memory.
    pub bytes: Option<usize>,
    /// At most this long, from the beginning of each search.
    pub time: Option<Duration>,
    /// No longer than until then: for work that takes several searches.
    pub deadline: Option<Instant>,
    /// Stop as soon as this is true.
    pub interrupt: Option<&'a AtomicBool>,
    /// Not a bound: whom to tell now and then how far the search is.
    pub progress: Option<Progress<'a>>,
}

impl Limits<'_> {
    /// The same with a deadline instead of a time: all that is done under them together may take that long, from
    /// now on.
    pub fn from_now(self) -> Self {
        let end = self.time.and_then(|time| Instant::now().checked_add(time));
        Self {
            time: None,
            deadline: [self.deadline, end].into_iter().flatten().min(),
            ..self
        }
    }

    /// Whether to stop now, for work that counts no states: the time is over, or somebody asked to.
    pub fn stop(&self) -> Option<Limit> {
        if self.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Some(Limit::Interrupt);
        }
        let is_over = |end: Instant| Instant::now() >= end;
        self.deadline.is_some_and(is_over).then_some(Limit::Time)
    }
}

/// Is told a few times a second what a search has cost so far.
///
/// ```
/// # use mazurka_core::{Limits, Progress, Statistics};
/// let show = |so_far: &Statistics| eprintln!("{} states, depth {}", so_far.states, so_far.depth);
/// let limits = Limits { progress: Some(Progress(&show)), ..Limits::default() };
/// ```
#[derive(Clone, Copy)]
pub struct Progress<'a>(pub &'a (dyn Fn(&Statistics) + Sync));

impl fmt::Debug for Progress<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Progress")
    }
}

/// The bound that a search met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, thiserror::Error)]
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
    /// No cached state can be forgotten: every one is on the current path or, with the terminal-component proviso,
    /// in a component that is not complete.
    #[error("the cache is too small: every state in it is still needed")]
    Cache,
    /// Everything was explored but what a bitstate store took for something else.
    #[error("a bitstate search may take a new state for a known one")]
    Bitstate,
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

impl End {
    /// The bound that was met, if one was.
    pub fn limit(self) -> Option<Limit> {
        match self {
            Self::Limit(limit) => Some(limit),
            Self::Complete | Self::Stopped => None,
        }
    }
}

/// Checks the limits without asking the clock too often: for searches of their own
/// that are to respect the same bounds.
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

    /// The bounds.
    pub fn limits(&self) -> &Limits<'a> {
        &self.limits
    }

    /// How long it has been.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// The limit that is exceeded, if any; `bytes` is asked only now and then. A
    /// report of progress says no more than states, bytes and time.
    #[inline]
    pub fn exceeded(&mut self, states: u64, bytes: impl FnOnce() -> usize) -> Option<Limit> {
        self.exceeded_by(states, || Statistics {
            states,
            bytes: bytes(),
            ..Statistics::default()
        })
    }

    /// The limit that is exceeded, if any, by a search that tells what it cost so
    /// far, but for the time, when it is asked.
    #[inline]
    pub fn exceeded_by(&mut self, states: u64, so_far: impl FnOnce() -> Statistics) -> Option<Limit> {
        if self.limits.states.is_some_and(|max| states > max) {
            return Some(Limit::States);
        }
        if self.countdown > 0 {
            self.countdown -= 1;
            return None;
        }
        self.look(so_far)
    }

    /// Looks at the clock and at whatever is not looked at all the time.
    #[cold]
    fn look(&mut self, so_far: impl FnOnce() -> Statistics) -> Option<Limit> {
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
    use std::sync::atomic::AtomicU64;

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
