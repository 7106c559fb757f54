//! Calls that happen once.

use mazurka::sync;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// A call that happens once, as `parking_lot::Once`.
#[derive(Debug, Default)]
pub struct Once {
    inner: sync::Once,
    poisoned: AtomicBool,
}

/// How far the call is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnceState {
    /// It was not called, or it is being called now.
    New,
    /// It has panicked.
    Poisoned,
    /// It is being called. Not told apart from [`OnceState::New`] here.
    InProgress,
    /// It is over.
    Done,
}

impl OnceState {
    /// True if the last attempt has panicked.
    pub fn poisoned(self) -> bool {
        self == OnceState::Poisoned
    }

    /// True if the call is over.
    pub fn done(self) -> bool {
        self == OnceState::Done
    }
}

impl Once {
    /// Makes one that was not called yet.
    #[track_caller]
    pub const fn new() -> Once {
        Once {
            inner: sync::Once::new(),
            poisoned: AtomicBool::new(false),
        }
    }

    /// How far the call is.
    #[track_caller]
    pub fn state(&self) -> OnceState {
        if self.inner.is_completed() {
            OnceState::Done
        } else if self.poisoned.load(Relaxed) {
            OnceState::Poisoned
        } else {
            OnceState::New
        }
    }

    /// Calls `f` if this is the first call, or waits until the first call is over.
    #[track_caller]
    pub fn call_once(&self, f: impl FnOnce()) {
        self.inner.call_once(|| self.noting(f));
    }

    /// The same, even if an earlier call has panicked.
    #[track_caller]
    pub fn call_once_force(&self, f: impl FnOnce(OnceState)) {
        self.inner.call_once_force(|state| {
            let state = if state.is_poisoned() {
                OnceState::Poisoned
            } else {
                OnceState::New
            };
            self.noting(|| f(state));
        });
    }

    /// Calls `f`, and notes whether it panics.
    fn noting(&self, f: impl FnOnce()) {
        self.poisoned.store(true, Relaxed);
        f();
        self.poisoned.store(false, Relaxed);
    }
}
