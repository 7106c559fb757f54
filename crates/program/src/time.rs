//! Time that passes in a check: virtual, monotonic, and the same whenever an execution is run again.
//!
//! Steps take no time. A thread's time passes when it sleeps, and when a wait of it times out. The time of an event is that of
//! the latest event that happened before it, and what its thread has slept meanwhile. So it is the length of the longest
//! chain of sleeps that leads to the event, its critical path (Lamport's "space-time view" with weights, CACM 1978), and never runs
//! backwards along happens-before. Since it depends on the order of dependent events only, it is the same in all
//! executions of one Mazurkiewicz trace. So looking at the clock is a step that depends on nothing.
//!
//! Real threads may be slower than that by any amount. So a thread that sleeps longer need not wake up later: the
//! search lets every timeout pass at any moment, and tries all orders of events, whatever the clock says.

use crate::execution::Execution;
use crate::ids::{EventId, ObjectId, ThreadId};
use crate::object_type::{ObjectType, Order, Step};
use crate::operation::Effect;
use crate::runtime::{self, Runtime};
use crate::user::Operations;
use std::ops::{Add, AddAssign, Sub, SubAssign};
use std::sync::OnceLock;
use std::time;

pub use std::time::{Duration, SystemTimeError, TryFromFloatSecsError};

/// A moment, as `std::time::Instant`. In a check, time is virtual: it passes when threads sleep, or when a wait times out.
///
/// ```
/// use mazurka::{thread, time::{Duration, Instant}};
///
/// mazurka::check(|| {
///     let start = Instant::now();
///     let other = thread::spawn(|| thread::sleep(Duration::from_secs(3600)));
///     assert_eq!(start.elapsed(), Duration::ZERO);
///     other.join().unwrap();
///     assert_eq!(start.elapsed(), Duration::from_secs(3600));
/// });
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Instant(time::Instant);

/// A time of day, as `std::time::SystemTime`. In a check, every execution begins at midnight on 1 January 2000.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SystemTime(time::SystemTime);

/// The beginning of 1970.
pub const UNIX_EPOCH: SystemTime = SystemTime::UNIX_EPOCH;

/// When executions begin, in seconds since 1970.
const BEGINNING: Duration = Duration::from_secs(946_684_800);

impl Instant {
    /// This moment.
    #[track_caller]
    pub fn now() -> Instant {
        static BEGINNING: OnceLock<time::Instant> = OnceLock::new();
        match runtime::current() {
            None => Instant(time::Instant::now()),
            Some(rt) => Instant(*BEGINNING.get_or_init(time::Instant::now) + look(&rt)),
        }
    }

    /// The time from an earlier moment to this one; nothing if it was later.
    pub fn duration_since(&self, earlier: Instant) -> Duration {
        self.0.duration_since(earlier.0)
    }

    /// The same; none if it was later.
    pub fn checked_duration_since(&self, earlier: Instant) -> Option<Duration> {
        self.0.checked_duration_since(earlier.0)
    }

    /// The same; nothing if it was later.
    pub fn saturating_duration_since(&self, earlier: Instant) -> Duration {
        self.0.saturating_duration_since(earlier.0)
    }

    /// The time from this moment until now.
    #[track_caller]
    pub fn elapsed(&self) -> Duration {
        Instant::now() - *self
    }

    /// A later moment, if it can be told.
    pub fn checked_add(&self, duration: Duration) -> Option<Instant> {
        self.0.checked_add(duration).map(Instant)
    }

    /// An earlier moment, if it can be told.
    pub fn checked_sub(&self, duration: Duration) -> Option<Instant> {
        self.0.checked_sub(duration).map(Instant)
    }
}

impl SystemTime {
    /// The beginning of 1970.
    pub const UNIX_EPOCH: SystemTime = SystemTime(time::SystemTime::UNIX_EPOCH);

    /// This moment.
    #[track_caller]
    pub fn now() -> SystemTime {
        match runtime::current() {
            None => SystemTime(time::SystemTime::now()),
            Some(rt) => UNIX_EPOCH + BEGINNING + look(&rt),
        }
    }

    /// The time from an earlier moment to this one. Fails if it was later.
    pub fn duration_since(&self, earlier: SystemTime) -> Result<Duration, SystemTimeError> {
        self.0.duration_since(earlier.0)
    }

    /// The time from this moment until now. Fails if it is still to come.
    #[track_caller]
    pub fn elapsed(&self) -> Result<Duration, SystemTimeError> {
        SystemTime::now().duration_since(*self)
    }

    /// A later moment, if it can be told.
    pub fn checked_add(&self, duration: Duration) -> Option<SystemTime> {
        self.0.checked_add(duration).map(SystemTime)
    }

    /// An earlier moment, if it can be told.
    pub fn checked_sub(&self, duration: Duration) -> Option<SystemTime> {
        self.0.checked_sub(duration).map(SystemTime)
    }
}

/// What durations do to moments.
macro_rules! shifts {
    ($($moment:ident),+) => {
        $(
            impl Add<Duration> for $moment {
                type Output = $moment;
                fn add(self, duration: Duration) -> $moment {
                    $moment(self.0 + duration)
                }
            }

            impl AddAssign<Duration> for $moment {
                fn add_assign(&mut self, duration: Duration) {
                    self.0 += duration;
                }
            }

            impl Sub<Duration> for $moment {
                type Output = $moment;
                fn sub(self, duration: Duration) -> $moment {
                    $moment(self.0 - duration)
                }
            }

            impl SubAssign<Duration> for $moment {
                fn sub_assign(&mut self, duration: Duration) {
                    self.0 -= duration;
                }
            }
        )+
    };
}

shifts!(Instant, SystemTime);

impl Sub<Instant> for Instant {
    type Output = Duration;
    fn sub(self, earlier: Instant) -> Duration {
        self.duration_since(earlier)
    }
}

/// How much time has passed at the current thread since the execution began. It is a step, so that everything before it is over.
#[track_caller]
fn look(rt: &Runtime) -> Duration {
    rt.visible(Op::Look, ObjectId::NONE, 0);
    let mut execution = rt.execution.borrow_mut();
    execution.looks_at_clock = true;
    rt.time.borrow_mut().of(&execution, execution.current)
}

/// Time passes at the current thread, because it sleeps, or because a wait of it has timed out.
#[track_caller]
pub(crate) fn pass(rt: &Runtime, duration: Duration) {
    if duration.is_zero() || rt.abandoning() {
        return;
    }
    let last = |execution: &Execution| execution.threads[execution.current.index()].events.last().copied();
    if last(&rt.execution.borrow()).is_none() {
        // Sleeps are known by the event that they follow.
        rt.visible(Op::Look, ObjectId::NONE, 0);
    }
    {
        let mut execution = rt.execution.borrow_mut();
        if execution.settings.clocked {
            execution.disturbs();
        }
    }
    if let Some(event) = last(&rt.execution.borrow()) {
        rt.time.borrow_mut().slept.push((event, duration));
    }
}

/// The time of an execution.
#[derive(Default)]
pub(crate) struct Time {
    /// After which events threads have slept, in the order of events.
    slept: Vec<(EventId, Duration)>,
    /// The time at the end of each transition, as far as it was needed.
    after: Vec<Duration>,
}

impl Time {
    pub(crate) fn begin(&mut self) {
        self.slept.clear();
        self.after.clear();
    }

    /// The time of the current event, which is one of `thread`.
    fn of(&mut self, execution: &Execution, thread: ThreadId) -> Duration {
        if self.slept.is_empty() {
            return Duration::ZERO;
        }
        let current = execution.events.len().saturating_sub(1);
        for event in self.after.len()..current {
            let id = EventId::new(event);
            let before = self.latest(execution, execution.clock(id), id);
            let slept = self.slept.iter().filter(|(after, _)| *after == id);
            let after = slept.fold(before, |sum, (_, duration)| sum.saturating_add(*duration));
            self.after.push(after);
        }
        let clock = &execution.threads[thread.index()].clock;
        self.latest(execution, clock, EventId::new(current))
    }

    /// The latest time of the events in a clock, without `event` itself.
    fn latest(&self, execution: &Execution, clock: &[u32], event: EventId) -> Duration {
        let last = clock.iter().zip(&execution.threads).filter_map(|(count, thread)| {
            let known = &thread.events[..*count as usize];
            known.iter().rev().find(|e| **e != event)
        });
        last.map(|e| self.after[e.index()]).max().unwrap_or_default()
    }
}

/// The operation of looking at the clock.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Op {
    /// Looks, which depends on nothing.
    Look,
}

/// A clock has no state: see [`Time`].
#[derive(Clone, Debug)]
pub(crate) struct State;

impl ObjectType for State {
    type Operation = Op;
    const NAME: &'static str = "clock";
    const DECLARED: bool = false;

    fn verb(_: Op) -> &'static str {
        "look at"
    }

    fn target(_: &Execution, _: &crate::execution::Event, _: Op) -> String {
        "the clock".to_owned()
    }

    fn perform(_: &mut Execution, step: Step, _: Op) -> u32 {
        step.choice
    }

    fn order(&self, _: Effect<Op>, _: Effect<Op>, _: &Operations) -> Order {
        Order::Unordered
    }

    fn dependent(_: Effect<Op>, _: Effect<Op>, _: &Operations) -> bool {
        false
    }
}
