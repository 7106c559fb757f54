//! A channel for the latest value.

use super::batch::wake_all;
use super::permits::Wakers;
use super::waiters::{Wait, Waiters};
use mazurka::future::__private::{Cell, Need};
use mazurka::sync::{RwLock, RwLockReadGuard};
use std::fmt;
use std::future::{Future, poll_fn};
use std::ops::Deref;
use std::sync::{Arc, PoisonError};

/// Errors.
pub mod error {
    use std::fmt;

    /// There are no receivers. It has the value.
    #[derive(Debug, PartialEq, Eq, Clone, Copy)]
    pub struct SendError<T>(pub T);

    impl<T> fmt::Display for SendError<T> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("channel closed")
        }
    }

    impl<T: fmt::Debug> std::error::Error for SendError<T> {}

    /// There are no senders.
    #[derive(Debug, PartialEq, Eq, Clone)]
    pub struct RecvError(pub(super) ());

    impl fmt::Display for RecvError {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("channel closed")
        }
    }

    impl std::error::Error for RecvError {}
}

use error::{RecvError, SendError};

struct State {
    /// How often the value was sent.
    version: u32,
    senders: usize,
    receivers: usize,
    /// Receivers that wait for a value.
    waiters: Waiters,
    /// Senders that wait until there are no receivers.
    abandoned: Waiters,
}

struct Shared<T> {
    /// The value and its version.
    value: RwLock<(T, u32)>,
    cell: Cell<State>,
}

fn gauge(state: &State) -> [u32; 2] {
    let version = if state.senders == 0 { u32::MAX } else { state.version };
    [version, u32::from(state.receivers == 0)]
}

impl<T> Shared<T> {
    #[track_caller]
    fn read(&self) -> RwLockReadGuard<'_, (T, u32)> {
        self.value.read().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Makes a channel with a first value, which the receiver has seen.
#[track_caller]
pub fn channel<T>(value: T) -> (Sender<T>, Receiver<T>) {
    let sender = Sender::new(value);
    let receiver = sender.subscribe();
    (sender, receiver)
}

/// The present value. While it is borrowed, no other is sent.
pub struct Ref<'a, T> {
    guard: RwLockReadGuard<'a, (T, u32)>,
    changed: bool,
}

impl<T> Ref<'_, T> {
    /// True if the receiver had not seen it.
    pub fn has_changed(&self) -> bool {
        self.changed
    }
}

impl<T> Deref for Ref<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.guard.0
    }
}

impl<T: fmt::Debug> fmt::Debug for Ref<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

/// Sends values.
pub struct Sender<T> {
    shared: Arc<Shared<T>>,
}

impl<T> Sender<T> {
    /// Makes a channel without receivers.
    #[track_caller]
    pub fn new(value: T) -> Sender<T> {
        let state = State {
            version: 1,
            senders: 1,
            receivers: 0,
            waiters: Waiters::new(),
            abandoned: Waiters::new(),
        };
        Sender {
            shared: Arc::new(Shared {
                value: RwLock::new((value, 1)),
                cell: Cell::new("watch channel", state, gauge),
            }),
        }
    }

    /// Sends a value, if there are receivers.
    #[track_caller]
    pub fn send(&self, value: T) -> Result<(), SendError<T>> {
        if self.receiver_count() == 0 {
            return Err(SendError(value));
        }
        self.send_replace(value);
        Ok(())
    }

    /// Sends a value; returns the one before.
    #[track_caller]
    pub fn send_replace(&self, mut value: T) -> T {
        self.send_modify(|old| std::mem::swap(old, &mut value));
        value
    }

    /// Modifies the value and sends it.
    #[track_caller]
    pub fn send_modify(&self, modify: impl FnOnce(&mut T)) {
        self.send_if_modified(|value| {
            modify(value);
            true
        });
    }

    /// Modifies the value, and sends it if that returns true.
    #[track_caller]
    pub fn send_if_modified(&self, modify: impl FnOnce(&mut T) -> bool) -> bool {
        let version = {
            let mut value = self.shared.value.write().unwrap_or_else(PoisonError::into_inner);
            let (value, version) = &mut *value;
            if !modify(value) {
                return false;
            }
            *version += 1;
            *version
        };
        let wakers = self.shared.cell.change(|state| {
            // Another sender may have been faster.
            state.version = state.version.max(version);
            state.waiters.take()
        });
        wake_all(wakers);
        true
    }

    /// The present value.
    #[track_caller]
    pub fn borrow(&self) -> Ref<'_, T> {
        Ref {
            guard: self.shared.read(),
            changed: false,
        }
    }

    /// A receiver that has seen the present value.
    #[track_caller]
    pub fn subscribe(&self) -> Receiver<T> {
        let seen = self.shared.cell.change(|state| {
            state.receivers += 1;
            state.version
        });
        Receiver {
            shared: Arc::clone(&self.shared),
            seen,
        }
    }

    /// How many receivers there are.
    #[track_caller]
    pub fn receiver_count(&self) -> usize {
        self.shared.cell.look(|state| state.receivers)
    }

    /// True if there are no receivers.
    #[track_caller]
    pub fn is_closed(&self) -> bool {
        self.receiver_count() == 0
    }

    /// Waits until there are no receivers.
    #[track_caller]
    pub fn closed(&self) -> impl Future<Output = ()> {
        let cell = &self.shared.cell;
        let mut wait = Wait::new(cell, "the end of all watch receivers", |state| &mut state.abandoned);
        let need = Need {
            index: 1,
            least: 1,
            reads: true,
        };
        poll_fn(move |context| wait.poll(need, context, |state| (state.receivers == 0).then_some(())))
    }

    /// True if both belong to one channel.
    pub fn same_channel(&self, other: &Sender<T>) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Sender<T> {
        // Nobody can tell how many there are, as long as there is one.
        self.shared.cell.quietly(|state| state.senders += 1);
        Sender {
            shared: Arc::clone(&self.shared),
        }
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        let wakers = self.shared.cell.change(|state| {
            state.senders -= 1;
            if state.senders == 0 {
                state.waiters.take()
            } else {
                Wakers::new()
            }
        });
        wake_all(wakers);
    }
}

impl<T> fmt::Debug for Sender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("watch::Sender").finish_non_exhaustive()
    }
}

/// Sees the latest value.
pub struct Receiver<T> {
    shared: Arc<Shared<T>>,
    /// The version that it has seen.
    seen: u32,
}

impl<T> Receiver<T> {
    /// The present value, which does not count as seen.
    #[track_caller]
    pub fn borrow(&self) -> Ref<'_, T> {
        let guard = self.shared.read();
        let changed = guard.1 > self.seen;
        Ref { guard, changed }
    }

    /// The present value, which now counts as seen.
    #[track_caller]
    pub fn borrow_and_update(&mut self) -> Ref<'_, T> {
        let guard = self.shared.read();
        let changed = guard.1 > self.seen;
        self.seen = self.seen.max(guard.1);
        Ref { guard, changed }
    }

    /// True if there is a value that it has not seen.
    #[track_caller]
    pub fn has_changed(&self) -> Result<bool, RecvError> {
        self.shared.cell.look(|state| {
            if state.senders == 0 {
                return Err(RecvError(()));
            }
            Ok(state.version > self.seen)
        })
    }

    /// Makes the present value count as not seen.
    pub fn mark_changed(&mut self) {
        self.seen = self.seen.saturating_sub(1);
    }

    /// Makes the present value count as seen.
    #[track_caller]
    pub fn mark_unchanged(&mut self) {
        self.seen = self.shared.cell.look(|state| state.version).max(self.seen);
    }

    /// Waits for a value that it has not seen, which then counts as seen.
    #[track_caller]
    pub fn changed(&mut self) -> impl Future<Output = Result<(), RecvError>> {
        changed(&self.shared, &mut self.seen)
    }

    /// Waits for a value with a property, which then counts as seen.
    pub async fn wait_for(&mut self, mut wanted: impl FnMut(&T) -> bool) -> Result<Ref<'_, T>, RecvError> {
        let Receiver { shared, seen } = self;
        let shared: &Shared<T> = shared;
        let mut closed = false;
        loop {
            {
                let guard = shared.read();
                let changed = guard.1 > *seen;
                *seen = guard.1.max(*seen);
                if (!closed || changed) && wanted(&guard.0) {
                    return Ok(Ref { guard, changed });
                }
            }
            if closed {
                return Err(RecvError(()));
            }
            closed = changed(shared, seen).await.is_err();
        }
    }

    /// True if both belong to one channel.
    pub fn same_channel(&self, other: &Receiver<T>) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }
}

#[track_caller]
fn changed<T>(shared: &Shared<T>, seen: &mut u32) -> impl Future<Output = Result<(), RecvError>> {
    let mut wait = Wait::new(&shared.cell, "a change of a watch channel", |state| &mut state.waiters);
    poll_fn(move |context| {
        let need = Need {
            index: 0,
            least: *seen + 1,
            reads: true,
        };
        wait.poll(need, context, |state| {
            if state.version > *seen {
                *seen = state.version;
                return Some(Ok(()));
            }
            (state.senders == 0).then_some(Err(RecvError(())))
        })
    })
}

impl<T> Clone for Receiver<T> {
    #[track_caller]
    fn clone(&self) -> Receiver<T> {
        self.shared.cell.change(|state| state.receivers += 1);
        Receiver {
            shared: Arc::clone(&self.shared),
            seen: self.seen,
        }
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        let wakers = self.shared.cell.change(|state| {
            state.receivers -= 1;
            if state.receivers == 0 {
                state.abandoned.take()
            } else {
                Wakers::new()
            }
        });
        wake_all(wakers);
    }
}

impl<T> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("watch::Receiver").finish_non_exhaustive()
    }
}
