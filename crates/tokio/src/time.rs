//! Timers, as `tokio::time`. In a check time is virtual: it passes only when no task can go on, or, with
//! `mazurka::Checker::early_timers`, at any moment.

use mazurka::future::__private::{Timer, Together};
use std::fmt;
use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::task::{Context, Poll};

pub use mazurka::future::Instant;
pub use std::time::Duration;

/// Errors.
pub mod error {
    pub use super::Elapsed;
}

/// Waits for this time.
pub fn sleep(duration: Duration) -> Sleep {
    Sleep(Timer::after(duration))
}

/// Waits until this moment.
pub fn sleep_until(deadline: Instant) -> Sleep {
    Sleep(Timer::at(Some(deadline)))
}

/// The future of [`sleep`].
#[derive(Debug)]
#[must_use = "futures do nothing unless they are awaited"]
pub struct Sleep(Timer);

impl Sleep {
    /// When it is ready.
    ///
    /// # Panics
    /// If that is too far in the future.
    pub fn deadline(&self) -> Instant {
        self.0.deadline().expect("a moment that can be represented")
    }

    /// True if it is ready.
    pub fn is_elapsed(&self) -> bool {
        self.0.is_elapsed()
    }

    /// Sets another deadline.
    pub fn reset(self: Pin<&mut Self>, deadline: Instant) {
        self.get_mut().0.reset(Some(deadline));
    }
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        Pin::new(&mut self.0).poll(context)
    }
}

/// The time was up.
#[derive(Debug, PartialEq, Eq)]
pub struct Elapsed(());

impl fmt::Display for Elapsed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("deadline has elapsed")
    }
}

impl std::error::Error for Elapsed {}

impl From<Elapsed> for std::io::Error {
    fn from(_: Elapsed) -> std::io::Error {
        std::io::ErrorKind::TimedOut.into()
    }
}

/// Waits for a future, but not longer than this.
pub fn timeout<F: IntoFuture>(duration: Duration, future: F) -> Timeout<F::IntoFuture> {
    Timeout {
        future: Box::pin(future.into_future()),
        timer: Timer::after(duration),
    }
}

/// Waits for a future, but not after this moment.
pub fn timeout_at<F: IntoFuture>(deadline: Instant, future: F) -> Timeout<F::IntoFuture> {
    Timeout {
        future: Box::pin(future.into_future()),
        timer: Timer::at(Some(deadline)),
    }
}

/// The future of [`timeout`].
#[must_use = "futures do nothing unless they are awaited"]
pub struct Timeout<F> {
    future: Pin<Box<F>>,
    timer: Timer,
}

impl<F> fmt::Debug for Timeout<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Timeout")
            .field("timer", &self.timer)
            .finish_non_exhaustive()
    }
}

impl<F: Future> Future for Timeout<F> {
    type Output = Result<F::Output, Elapsed>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        let _together = Together::new();
        if let Poll::Ready(output) = this.future.as_mut().poll(context) {
            return Poll::Ready(Ok(output));
        }
        Pin::new(&mut this.timer).poll(context).map(|()| Err(Elapsed(())))
    }
}

/// Ticks now, and then after each period.
///
/// # Panics
/// If the period is zero.
pub fn interval(period: Duration) -> Interval {
    interval_at(Instant::now(), period)
}

/// Ticks at this moment, and then after each period.
///
/// # Panics
/// If the period is zero.
pub fn interval_at(start: Instant, period: Duration) -> Interval {
    assert!(!period.is_zero(), "`period` must be non-zero.");
    Interval {
        timer: Timer::at(Some(start)),
        next: start,
        period,
        behavior: MissedTickBehavior::Burst,
    }
}

/// What an interval does after it was late.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissedTickBehavior {
    /// It ticks as often as it has missed.
    Burst,
    /// It ticks a period later.
    Delay,
    /// It ticks at the next multiple of the period.
    Skip,
}

/// Ticks periodically.
#[derive(Debug)]
pub struct Interval {
    timer: Timer,
    next: Instant,
    period: Duration,
    behavior: MissedTickBehavior,
}

impl Interval {
    /// Waits for the next tick; returns when it was due.
    pub async fn tick(&mut self) -> Instant {
        (&mut self.timer).await;
        let (due, now) = (self.next, Instant::now());
        let late = now.duration_since(due);
        self.next = match self.behavior {
            _ if late <= Duration::from_millis(5) => due + self.period,
            MissedTickBehavior::Burst => due + self.period,
            MissedTickBehavior::Delay => now + self.period,
            MissedTickBehavior::Skip => {
                let over = late.as_nanos() % self.period.as_nanos();
                let over = u64::try_from(over).map_or(self.period, Duration::from_nanos);
                now + (self.period - over)
            }
        };
        self.timer.reset(Some(self.next));
        due
    }

    /// Ticks a period from now.
    pub fn reset(&mut self) {
        self.next = Instant::now() + self.period;
        self.timer.reset(Some(self.next));
    }

    /// Ticks at once.
    pub fn reset_immediately(&mut self) {
        self.next = Instant::now();
        self.timer.reset(Some(self.next));
    }

    /// The time between two ticks.
    pub fn period(&self) -> Duration {
        self.period
    }

    /// What it does after it was late.
    pub fn missed_tick_behavior(&self) -> MissedTickBehavior {
        self.behavior
    }

    /// Sets what it does after it was late.
    pub fn set_missed_tick_behavior(&mut self, behavior: MissedTickBehavior) {
        self.behavior = behavior;
    }
}
