//! Channels on which time sends messages.
//!
//! In a check, a timer can be due at any moment, as every timeout. When its message is received, its time has come: virtual time
//! passes until then.

use super::select::{Offer, Reserved, Signal};
use super::{Receiver, Source};
use crate::unpoisoned;
use mazurka::sync::{Condvar, Mutex};
use mazurka::time::{Duration, Instant};
use mazurka::{choose, is_checking, thread};
use std::sync::Arc;

/// Sends one message, many, or none.
pub(super) struct Timer<T> {
    /// When the next message is due.
    next: Mutex<Option<Instant>>,
    period: Option<Duration>,
    capacity: usize,
    make: fn(Instant) -> T,
    /// Never notified.
    never: Condvar,
}

fn receiver<T>(
    next: Option<Instant>,
    period: Option<Duration>,
    capacity: usize,
    make: fn(Instant) -> T,
) -> Receiver<T> {
    Receiver {
        source: Source::Timer(Arc::new(Timer {
            next: Mutex::new(next),
            period,
            capacity,
            make,
            never: Condvar::new(),
        })),
    }
}

/// A receiver that gets one message after a while.
#[track_caller]
pub fn after(duration: Duration) -> Receiver<Instant> {
    receiver(Instant::now().checked_add(duration), None, 1, |moment| moment)
}

/// A receiver that gets one message at a moment.
#[track_caller]
pub fn at(moment: Instant) -> Receiver<Instant> {
    receiver(Some(moment), None, 1, |moment| moment)
}

/// A receiver that gets a message again and again, after the same while.
#[track_caller]
pub fn tick(period: Duration) -> Receiver<Instant> {
    receiver(Instant::now().checked_add(period), Some(period), 1, |moment| moment)
}

/// A receiver that never gets a message.
#[track_caller]
pub fn never<T>() -> Receiver<T> {
    receiver(None, None, 0, |_| unreachable!("never"))
}

impl<T> Timer<T> {
    pub(super) fn capacity(&self) -> usize {
        self.capacity
    }

    /// When the next message is due.
    #[track_caller]
    pub(super) fn due(&self) -> Option<Instant> {
        *unpoisoned(self.next.lock())
    }

    /// Takes the message that was due at this moment, unless another thread has taken it. Its time comes, if it has not.
    #[track_caller]
    pub(super) fn fire(&self, due: Instant) -> Option<T> {
        let mut next = unpoisoned(self.next.lock());
        if *next != Some(due) {
            return None;
        }
        *next = self.period.and_then(|period| due.checked_add(period));
        drop(next);
        if is_checking() {
            thread::sleep(due.saturating_duration_since(Instant::now()));
        }
        Some((self.make)(due))
    }

    /// Waits for the next message.
    #[track_caller]
    pub(super) fn wait(&self) -> T {
        loop {
            let Some(due) = self.due() else {
                let guard = unpoisoned(self.next.lock());
                drop(unpoisoned(self.never.wait(guard)));
                continue;
            };
            if !is_checking() {
                thread::sleep(due.saturating_duration_since(Instant::now()));
            }
            if let Some(message) = self.fire(due) {
                return message;
            }
        }
    }

    /// Takes the next message if it is due.
    #[track_caller]
    pub(super) fn look(&self) -> Option<T> {
        let due = self.due()?;
        let now = Instant::now() >= due || is_checking() && choose(2) == 1;
        if now { self.fire(due) } else { None }
    }

    /// Waits for the next message, or until the time is up.
    #[track_caller]
    pub(super) fn wait_for(&self, timeout: Duration) -> Option<T> {
        let deadline = Instant::now().checked_add(timeout);
        let due = self
            .due()
            .filter(|due| deadline.is_none_or(|deadline| *due <= deadline));
        match due {
            Some(due) => {
                if !is_checking() {
                    thread::sleep(due.saturating_duration_since(Instant::now()));
                }
                self.fire(due)
            }
            None => {
                thread::sleep(timeout);
                None
            }
        }
    }
}

impl<T> Offer for Timer<T> {
    #[track_caller]
    fn is_possible(&self, _send: bool) -> bool {
        self.due().is_some_and(|due| is_checking() || Instant::now() >= due)
    }

    #[track_caller]
    fn reserve(&self, _send: bool) -> Option<Reserved> {
        let due = self.due()?;
        (is_checking() || Instant::now() >= due).then_some(Reserved::Due(due))
    }

    fn due(&self) -> Option<Instant> {
        Timer::due(self)
    }

    fn watch(&self, _signal: &Arc<Signal>) {}

    fn unwatch(&self, _signal: &Arc<Signal>) {}
}
