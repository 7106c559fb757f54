//! One thread waits for a notification, which may come before.

use mazurka::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A notification for one thread. Unlike loom's, a wait does not end for no reason.
#[derive(Debug, Default)]
pub struct Notify {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    notified: bool,
    waiting: bool,
}

impl Notify {
    /// Nobody has notified yet.
    #[track_caller]
    pub const fn new() -> Notify {
        Notify {
            state: Mutex::new(State {
                notified: false,
                waiting: false,
            }),
            changed: Condvar::new(),
        }
    }

    #[track_caller]
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets the thread that waits go on, or the next one that will.
    #[track_caller]
    pub fn notify(&self) {
        self.state().notified = true;
        self.changed.notify_one();
    }

    /// Waits for a notification, and takes it.
    ///
    /// # Panics
    /// If another thread waits.
    #[track_caller]
    pub fn wait(&self) {
        let mut state = self.state();
        assert!(!state.waiting, "only a single thread may wait on `Notify`");
        state.waiting = true;
        while !state.notified {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.notified = false;
        state.waiting = false;
    }
}
