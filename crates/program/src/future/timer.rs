//! Timers: in virtual time in a check, in real time outside.

use super::clock::NEVER;
use super::task::{self, Round, TimerEntry};
use crate::runtime;
use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::ops::{Add, AddAssign, Sub};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

/// A moment: of virtual time in a check, as `std::time::Instant` outside.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Instant(Moment);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Moment {
    /// Since the execution began.
    Virtual(Duration),
    Real(std::time::Instant),
}

impl Instant {
    /// The present.
    pub fn now() -> Instant {
        Instant(match runtime::current() {
            Some(rt) => Moment::Virtual(Duration::from_millis(rt.execution.borrow().clock.now().into())),
            None => Moment::Real(std::time::Instant::now()),
        })
    }

    /// How long after another moment this is; nothing if it is not.
    pub fn duration_since(&self, earlier: Instant) -> Duration {
        self.checked_duration_since(earlier).unwrap_or_default()
    }

    /// How long after another moment this is, if it is.
    pub fn checked_duration_since(&self, earlier: Instant) -> Option<Duration> {
        match (self.0, earlier.0) {
            (Moment::Virtual(a), Moment::Virtual(b)) => a.checked_sub(b),
            (Moment::Real(a), Moment::Real(b)) => a.checked_duration_since(b),
            _ => None,
        }
    }

    /// The same as [`Instant::duration_since`].
    pub fn saturating_duration_since(&self, earlier: Instant) -> Duration {
        self.duration_since(earlier)
    }

    /// How long ago it was.
    pub fn elapsed(&self) -> Duration {
        Instant::now().duration_since(*self)
    }

    /// A later moment, if there is one.
    pub fn checked_add(&self, duration: Duration) -> Option<Instant> {
        Some(Instant(match self.0 {
            Moment::Virtual(moment) => Moment::Virtual(moment.checked_add(duration)?),
            Moment::Real(moment) => Moment::Real(moment.checked_add(duration)?),
        }))
    }

    /// An earlier moment, if there is one.
    pub fn checked_sub(&self, duration: Duration) -> Option<Instant> {
        Some(Instant(match self.0 {
            Moment::Virtual(moment) => Moment::Virtual(moment.checked_sub(duration)?),
            Moment::Real(moment) => Moment::Real(moment.checked_sub(duration)?),
        }))
    }
}

impl Add<Duration> for Instant {
    type Output = Instant;
    fn add(self, duration: Duration) -> Instant {
        self.checked_add(duration).expect("a moment that can be represented")
    }
}

impl AddAssign<Duration> for Instant {
    fn add_assign(&mut self, duration: Duration) {
        *self = *self + duration;
    }
}

impl Sub<Duration> for Instant {
    type Output = Instant;
    fn sub(self, duration: Duration) -> Instant {
        self.checked_sub(duration).expect("a moment that can be represented")
    }
}

impl Sub<Instant> for Instant {
    type Output = Duration;
    fn sub(self, earlier: Instant) -> Duration {
        self.duration_since(earlier)
    }
}

/// A future that is ready at a moment. Dropping it ends it.
pub struct Timer {
    /// None is never.
    deadline: Option<Instant>,
    waits: Waits,
}

/// How a timer waits.
enum Waits {
    No,
    /// A task of a check knows it.
    Inside {
        round: Arc<Mutex<Round>>,
        id: u64,
        fired: Arc<AtomicBool>,
    },
    /// The thread for timers knows it.
    Outside(Key),
}

impl Timer {
    /// A timer that is ready at this moment; without one, it never is.
    pub fn at(deadline: Option<Instant>) -> Timer {
        Timer {
            deadline,
            waits: Waits::No,
        }
    }

    /// A timer that is ready after this time.
    pub fn after(duration: Duration) -> Timer {
        Timer::at(Instant::now().checked_add(duration))
    }

    /// When it is ready.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Sets another deadline.
    pub fn reset(&mut self, deadline: Option<Instant>) {
        self.cancel();
        self.deadline = deadline;
    }

    /// Whether it is ready now.
    pub fn is_elapsed(&self) -> bool {
        let fired = matches!(&self.waits, Waits::Inside { fired, .. } if fired.load(Ordering::Relaxed));
        fired || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    fn cancel(&mut self) {
        match std::mem::replace(&mut self.waits, Waits::No) {
            Waits::No => {}
            Waits::Inside { round, id, .. } => lock(&round).timers.retain(|timer| timer.id != id),
            Waits::Outside(key) => {
                lock(&DRIVER.timers).remove(&key);
            }
        }
    }

    fn wait(&mut self, context: &Context<'_>) {
        let Some(rt) = runtime::current() else {
            if let Some(Instant(Moment::Real(deadline))) = self.deadline {
                self.cancel();
                self.waits = Waits::Outside(DRIVER.add(deadline, context.waker().clone()));
            }
            return;
        };
        let round = task::current_round(&rt).expect("a timer is polled by a task: use block_on or spawn");
        let again = matches!(self.waits, Waits::Inside { .. });
        if again && rt.execution.borrow().settings.early_timers && crate::choose(2) == 1 {
            if let Waits::Inside { fired, .. } = &self.waits {
                fired.store(true, Ordering::Relaxed);
            }
            return;
        }
        self.cancel();
        let left = self.deadline.map(|deadline| deadline.duration_since(Instant::now()));
        let deadline = left.map_or(NEVER, |left| rt.execution.borrow().clock.after(left));
        let fired = Arc::new(AtomicBool::new(false));
        let waker = (!task::is_own(&rt, context)).then(|| context.waker().clone());
        let mut inner = lock(&round);
        let id = inner.number();
        inner.timers.push(TimerEntry {
            id,
            deadline,
            waker,
            fired: Arc::clone(&fired),
        });
        drop(inner);
        self.waits = Waits::Inside { round, id, fired };
    }
}

impl Future for Timer {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let this = self.get_mut();
        if let Some(rt) = runtime::current() {
            super::alone::breaks_promise(&rt);
        }
        if !this.is_elapsed() {
            this.wait(context);
        }
        if this.is_elapsed() {
            if runtime::current().is_none() {
                this.cancel();
            }
            return Poll::Ready(());
        }
        Poll::Pending
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        self.cancel();
    }
}

impl fmt::Debug for Timer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Timer")
            .field("deadline", &self.deadline)
            .finish_non_exhaustive()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A deadline, and a number that makes it unique.
type Key = (std::time::Instant, u64);

/// The thread that fires timers outside checks.
struct Driver {
    timers: Mutex<BTreeMap<Key, Waker>>,
    changed: Condvar,
    started: std::sync::Once,
}

static DRIVER: Driver = Driver {
    timers: Mutex::new(BTreeMap::new()),
    changed: Condvar::new(),
    started: std::sync::Once::new(),
};

impl Driver {
    fn add(&'static self, deadline: std::time::Instant, waker: Waker) -> Key {
        self.started.call_once(|| {
            let thread = std::thread::Builder::new().name("mazurka timers".to_owned());
            thread.spawn(|| self.run()).expect("a thread can be started");
        });
        static NEXT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
        let key = (deadline, NEXT.fetch_add(1, Ordering::Relaxed));
        lock(&self.timers).insert(key, waker);
        self.changed.notify_one();
        key
    }

    fn run(&self) {
        let mut timers = lock(&self.timers);
        loop {
            let now = std::time::Instant::now();
            timers = match timers.first_key_value() {
                None => self.changed.wait(timers).unwrap_or_else(PoisonError::into_inner),
                Some((&(deadline, _), _)) if deadline > now => {
                    let waited = self.changed.wait_timeout(timers, deadline - now);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
                Some(_) => {
                    let due = timers.pop_first();
                    drop(timers);
                    if let Some((_, waker)) = due {
                        waker.wake();
                    }
                    lock(&self.timers)
                }
            };
        }
    }
}
