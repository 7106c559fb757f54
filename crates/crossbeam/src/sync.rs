//! Waiting for other threads.

use crate::unpoisoned;
use mazurka::sync::{Condvar, Mutex};
use mazurka::time::{Duration, Instant};
use std::fmt;
use std::sync::Arc;

pub use mazurka::sync::{
    RwLock as ShardedLock, RwLockReadGuard as ShardedLockReadGuard, RwLockWriteGuard as ShardedLockWriteGuard,
};

/// Waits for a token, as `crossbeam::sync::Parker`.
#[derive(Debug, Default)]
pub struct Parker {
    unparker: Unparker,
}

/// Leaves the token, as `crossbeam::sync::Unparker`.
#[derive(Clone, Debug, Default)]
pub struct Unparker {
    inner: Arc<Token>,
}

#[derive(Debug, Default)]
struct Token {
    there: Mutex<bool>,
    changed: Condvar,
}

impl Parker {
    /// Without a token.
    #[track_caller]
    pub fn new() -> Parker {
        Parker::default()
    }

    /// Waits for the token and takes it.
    #[track_caller]
    pub fn park(&self) {
        let token = &self.unparker.inner;
        let mut there = unpoisoned(
            token
                .changed
                .wait_while(unpoisoned(token.there.lock()), |there| !*there),
        );
        *there = false;
    }

    /// The same, or until the time is up.
    #[track_caller]
    pub fn park_timeout(&self, timeout: Duration) {
        let token = &self.unparker.inner;
        let there = unpoisoned(token.there.lock());
        let (mut there, _) = unpoisoned(token.changed.wait_timeout_while(there, timeout, |there| !*there));
        *there = false;
    }

    /// The same, or until the moment has come.
    #[track_caller]
    pub fn park_deadline(&self, deadline: Instant) {
        self.park_timeout(deadline.saturating_duration_since(Instant::now()));
    }

    /// What leaves the token.
    pub fn unparker(&self) -> &Unparker {
        &self.unparker
    }
}

impl Unparker {
    /// Leaves the token.
    #[track_caller]
    pub fn unpark(&self) {
        *unpoisoned(self.inner.there.lock()) = true;
        self.inner.changed.notify_one();
    }
}

/// Waits until all its clones are dropped, as `crossbeam::sync::WaitGroup`.
pub struct WaitGroup {
    inner: Arc<Group>,
}

struct Group {
    count: Mutex<usize>,
    changed: Condvar,
}

impl WaitGroup {
    /// With one member.
    #[track_caller]
    pub fn new() -> WaitGroup {
        WaitGroup {
            inner: Arc::new(Group {
                count: Mutex::new(1),
                changed: Condvar::new(),
            }),
        }
    }

    /// Leaves, and waits until all others have left.
    #[track_caller]
    pub fn wait(self) {
        let group = Arc::clone(&self.inner);
        drop(self);
        let count = unpoisoned(group.count.lock());
        drop(unpoisoned(group.changed.wait_while(count, |count| *count > 0)));
    }
}

impl Default for WaitGroup {
    #[track_caller]
    fn default() -> WaitGroup {
        WaitGroup::new()
    }
}

impl Clone for WaitGroup {
    #[track_caller]
    fn clone(&self) -> WaitGroup {
        *unpoisoned(self.inner.count.lock()) += 1;
        WaitGroup {
            inner: Arc::clone(&self.inner),
        }
    }
}

impl Drop for WaitGroup {
    #[track_caller]
    fn drop(&mut self) {
        let mut count = unpoisoned(self.inner.count.lock());
        *count -= 1;
        if *count == 0 {
            self.inner.changed.notify_all();
        }
    }
}

impl fmt::Debug for WaitGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WaitGroup").finish_non_exhaustive()
    }
}
