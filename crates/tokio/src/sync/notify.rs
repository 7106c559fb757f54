//! Notifications without a value.

use super::batch::wake_all;
use super::permits::Wakers;
use mazurka::future::__private::{Cell, Leaf};
use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

/// Wakes one task or all of them, as `tokio::sync::Notify`. A notification that finds nobody waiting is stored, one at most.
#[derive(Debug)]
pub struct Notify {
    cell: Cell<State>,
}

#[derive(Debug)]
struct State {
    /// A notification for the next who asks.
    stored: bool,
    /// How often all were notified.
    rounds: u64,
    waiters: VecDeque<Waiter>,
    /// Waiters that were notified and do not know it.
    notified: Vec<(u64, By)>,
    next: u64,
}

#[derive(Debug)]
struct Waiter {
    number: u64,
    waker: Option<Waker>,
}

/// Who has notified a waiter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    One,
    Last,
    All,
}

impl State {
    /// Notifies a waiter, or the next who asks.
    fn notify(&mut self, by: By) -> Wakers {
        let waiter = match by {
            By::Last => self.waiters.pop_back(),
            _ => self.waiters.pop_front(),
        };
        let Some(waiter) = waiter else {
            self.stored = true;
            return Wakers::new();
        };
        self.notified.push((waiter.number, by));
        waiter.waker.into_iter().collect()
    }

    fn notify_all(&mut self) -> Wakers {
        self.rounds += 1;
        let mut wakers = Wakers::new();
        for waiter in std::mem::take(&mut self.waiters) {
            self.notified.push((waiter.number, By::All));
            wakers.extend(waiter.waker);
        }
        wakers
    }

    fn take_notification(&mut self, number: u64) -> Option<By> {
        let position = self.notified.iter().position(|(other, _)| *other == number)?;
        Some(self.notified.swap_remove(position).1)
    }

    /// True if there is a notification. If not, the waiter waits.
    fn poll(&mut self, stage: &mut Stage, waker: Option<&Waker>) -> bool {
        let done = match *stage {
            Stage::Done => true,
            Stage::New { rounds } => {
                // A stored notification is for others, if all were notified.
                rounds != self.rounds || std::mem::take(&mut self.stored)
            }
            Stage::Waits(number) => self.take_notification(number).is_some(),
        };
        if done {
            *stage = Stage::Done;
            return true;
        }
        let number = match *stage {
            Stage::Waits(number) => number,
            _ => {
                let number = self.next;
                self.next += 1;
                self.waiters.push_back(Waiter { number, waker: None });
                *stage = Stage::Waits(number);
                number
            }
        };
        if let (Some(waker), Some(waiter)) = (waker, self.waiters.iter_mut().find(|w| w.number == number)) {
            waiter.waker = Some(waker.clone());
        }
        false
    }

    /// A waiter goes away. A notification for one goes to the next.
    fn leave(&mut self, number: u64) -> Wakers {
        self.waiters.retain(|waiter| waiter.number != number);
        match self.take_notification(number) {
            None | Some(By::All) => Wakers::new(),
            Some(by) => self.notify(by),
        }
    }
}

impl Notify {
    /// Makes a place to wait without a notification.
    #[track_caller]
    pub const fn new() -> Notify {
        Notify {
            cell: Cell::polled(
                "Notify",
                State {
                    stored: false,
                    rounds: 0,
                    waiters: VecDeque::new(),
                    notified: Vec::new(),
                    next: 0,
                },
            ),
        }
    }

    /// Makes a place to wait without a notification.
    #[track_caller]
    pub const fn const_new() -> Notify {
        Notify::new()
    }

    /// Waits for a notification. It gets one for all from now on, even if it is not polled yet.
    #[track_caller]
    pub fn notified(&self) -> Notified<'_> {
        Notified {
            notify: self,
            stage: Stage::New {
                rounds: self.cell.look(|state| state.rounds),
            },
            leaf: Leaf::new("a Notify"),
        }
    }

    /// Notifies the task that has waited longest, or the next that asks.
    #[track_caller]
    pub fn notify_one(&self) {
        wake_all(self.cell.change(|state| state.notify(By::One)));
    }

    /// Notifies the task that came last, or the next that asks.
    #[track_caller]
    pub fn notify_last(&self) {
        wake_all(self.cell.change(|state| state.notify(By::Last)));
    }

    /// Notifies all that wait.
    #[track_caller]
    pub fn notify_waiters(&self) {
        wake_all(self.cell.change(State::notify_all));
    }
}

impl Default for Notify {
    #[track_caller]
    fn default() -> Notify {
        Notify::new()
    }
}

/// Where a future of a notification is.
#[derive(Clone, Copy, Debug)]
enum Stage {
    /// It was not polled. All had been notified that often when it was made.
    New {
        rounds: u64,
    },
    Waits(u64),
    Done,
}

/// Waits for a notification, see [`Notify::notified`].
#[derive(Debug)]
#[must_use = "futures do nothing unless they are awaited"]
pub struct Notified<'a> {
    notify: &'a Notify,
    stage: Stage,
    leaf: Leaf,
}

impl Notified<'_> {
    /// Waits from now on, without a task to wake. True if there was a notification.
    #[track_caller]
    pub fn enable(self: Pin<&mut Self>) -> bool {
        let this = self.get_mut();
        this.notify.cell.change(|state| state.poll(&mut this.stage, None))
    }
}

impl Future for Notified<'_> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let this = self.get_mut();
        let stage = &mut this.stage;
        this.leaf.poll(&this.notify.cell, None, context, |state, context| {
            if state.poll(stage, Some(context.waker())) {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        })
    }
}

impl Drop for Notified<'_> {
    fn drop(&mut self) {
        if let Stage::Waits(number) = self.stage {
            wake_all(self.notify.cell.change(|state| state.leave(number)));
        }
    }
}
