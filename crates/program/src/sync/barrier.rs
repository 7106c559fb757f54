//! Barriers.

use crate::execution::object::State;
use crate::ids::Handle;
use crate::narrow::limit;
use crate::operation::Kind;
use crate::runtime;
use std::sync::{Condvar, Mutex, PoisonError};

/// A barrier for `n` threads, as `std::sync::Barrier`.
#[derive(Debug)]
pub struct Barrier {
    handle: Handle,
    size: usize,
    /// Outside a check: how many have arrived, and in which generation.
    state: Mutex<(usize, usize)>,
    changed: Condvar,
}

/// Whether a thread is the one of its generation that leads.
#[derive(Clone, Copy, Debug)]
pub struct BarrierWaitResult(bool);

impl BarrierWaitResult {
    /// True for one thread: the last to arrive.
    pub fn is_leader(&self) -> bool {
        self.0
    }
}

impl Barrier {
    /// A barrier for `n` threads.
    #[track_caller]
    pub const fn new(n: usize) -> Barrier {
        Barrier {
            handle: Handle::new(),
            size: n,
            state: Mutex::new((0, 0)),
            changed: Condvar::new(),
        }
    }

    /// Waits until `n` threads have arrived.
    #[track_caller]
    pub fn wait(&self) -> BarrierWaitResult {
        if let Some(rt) = runtime::current_for(&self.handle) {
            let object = rt.object(&self.handle, || State::Barrier {
                size: limit(self.size),
                arrived: 0,
                generation: 0,
            });
            let outcome = rt.visible(Kind::Arrive, object, 0);
            if outcome & 1 == 0 && outcome != runtime::ABANDONED {
                rt.visible(Kind::Pass, object, outcome >> 1);
            }
            return BarrierWaitResult(outcome & 1 == 1);
        }
        let lock = || self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mut state = lock();
        state.0 += 1;
        if state.0 >= self.size {
            state.0 = 0;
            state.1 += 1;
            self.changed.notify_all();
            return BarrierWaitResult(true);
        }
        let generation = state.1;
        while state.1 == generation {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        BarrierWaitResult(false)
    }
}
