//! Counting semaphores, which std does not have.
//!
//! To the engine, releases commute, and operations that take permits depend on all others.
//! The finest relation (a release and an acquisition commute while there are permits) is not
//! weakly uniform, see `docs/deviations.md`, so this is the constant one.

use crate::execution::thread::Thread;
use crate::execution::{Event, Execution};
use crate::handle::Handle;
use crate::ids::{EventId, ObjectId};
use crate::object_type::{ObjectType, Order, Step};
use crate::operation::Effect;
use crate::runtime::{self, Runtime};
use crate::user::Operations;
use Op::{Acquire, Release, TryAcquire, TryAcquireFail, TryAcquireOk};
use std::sync::{Condvar, Mutex, PoisonError};

/// A counting semaphore: `up` and `down` of Stoller's section 9, under their usual names.
///
/// ```
/// use mazurka::sync::Semaphore;
/// static SLOTS: Semaphore = Semaphore::new(2);
/// SLOTS.acquire();
/// assert!(SLOTS.try_acquire());
/// assert!(!SLOTS.try_acquire());
/// SLOTS.release();
/// SLOTS.release();
/// ```
#[derive(Debug)]
pub struct Semaphore {
    handle: Handle,
    initial: u32,
    permits: Mutex<u32>,
    changed: Condvar,
}

impl Semaphore {
    /// Makes a semaphore with this many permits.
    #[track_caller]
    pub const fn new(permits: u32) -> Semaphore {
        Semaphore {
            handle: Handle::new(),
            initial: permits,
            permits: Mutex::new(permits),
            changed: Condvar::new(),
        }
    }

    pub(crate) fn object(&self, rt: &Runtime) -> ObjectId {
        rt.object(&self.handle, || State {
            permits: self.initial,
            initial: self.initial,
        })
    }

    /// Waits for a permit and takes it.
    #[track_caller]
    pub fn acquire(&self) {
        if let Some(rt) = runtime::current_for(&self.handle) {
            rt.visible(Acquire, self.object(&rt), 1);
            return;
        }
        let mut permits = self.permits.lock().unwrap_or_else(PoisonError::into_inner);
        while *permits == 0 {
            permits = self.changed.wait(permits).unwrap_or_else(PoisonError::into_inner);
        }
        *permits -= 1;
    }

    /// Takes a permit if there is one.
    #[track_caller]
    #[inline(always)]
    pub fn try_acquire(&self) -> bool {
        if runtime::possible() {
            crate::fiber::watched!(self.try_acquire_here())
        } else {
            self.try_acquire_here()
        }
    }

    #[inline(never)]
    #[track_caller]
    fn try_acquire_here(&self) -> bool {
        if let Some(rt) = runtime::current_for(&self.handle) {
            return rt.visible(TryAcquire, self.object(&rt), 1) == 1;
        }
        let mut permits = self.permits.lock().unwrap_or_else(PoisonError::into_inner);
        let there = *permits > 0;
        *permits -= u32::from(there);
        there
    }

    /// Adds a permit.
    #[track_caller]
    pub fn release(&self) {
        if let Some(rt) = runtime::current_for(&self.handle) {
            rt.visible(Release, self.object(&rt), 1);
            return;
        }
        let mut permits = self.permits.lock().unwrap_or_else(PoisonError::into_inner);
        *permits = permits.saturating_add(1);
        drop(permits);
        self.changed.notify_one();
    }
}

crate::thread::uses!([] Semaphore);

/// Operations on a semaphore. The argument is how many permits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Op {
    /// Takes permits.
    Acquire,
    /// Tries to take permits.
    TryAcquire,
    /// Refined: tried and succeeded.
    TryAcquireOk,
    /// Refined: tried and failed.
    TryAcquireFail,
    /// Gives permits back.
    Release,
}

/// The state of a semaphore.
#[derive(Clone, Debug)]
pub(crate) struct State {
    permits: u32,
    initial: u32,
}

impl ObjectType for State {
    type Operation = Op;
    const NAME: &'static str = "Semaphore";
    const SILENT: &'static [&'static str] = &["mazurka::sync::semaphore::Semaphore"];

    fn verb(operation: Op) -> &'static str {
        match operation {
            Acquire => "acquire",
            TryAcquire => "try_acquire",
            TryAcquireOk => "try_acquire: acquired",
            TryAcquireFail => "try_acquire: no permit",
            Release => "release",
        }
    }

    fn possible(execution: &Execution, thread: &Thread, operation: Op) -> bool {
        operation != Acquire || execution.look::<State>(thread.pending.object).permits >= thread.pending.arg
    }

    fn perform(execution: &mut Execution, step: Step, operation: Op) -> u32 {
        let permits = &mut execution.state::<State>(step.object).permits;
        if operation == Release {
            // No program can take enough permits for this to make a difference.
            *permits = permits.saturating_add(step.arg);
            execution.detectors.released(step.thread, step.object, false);
            return 1;
        }
        let enough = *permits >= step.arg;
        if enough {
            *permits -= step.arg;
            execution.detectors.synchronised(step.thread, step.object);
        }
        if operation == TryAcquire {
            execution.refine(if enough { TryAcquireOk } else { TryAcquireFail }, step.arg);
        }
        u32::from(enough)
    }

    fn order(&self, first: Effect<Op>, second: Effect<Op>, users: &Operations) -> Order {
        Order::races_if(Self::dependent(first, second, users))
    }

    fn dependent(a: Effect<Op>, b: Effect<Op>, _: &Operations) -> bool {
        !matches!((a.kind, b.kind), (Release, Release) | (TryAcquireFail, TryAcquireFail))
    }

    fn idle(_: &Execution, _: &Event, operation: Op) -> bool {
        operation == TryAcquireFail
    }

    fn possible_without(
        execution: &Execution,
        object: ObjectId,
        effect: Effect<Op>,
        remain: impl Fn(EventId) -> bool,
    ) -> bool {
        if effect.kind != Acquire {
            return true;
        }
        let mut permits = i64::from(execution.look::<State>(object).initial);
        for (entry, operation) in execution.history::<State>(object).filter(|(e, _)| remain(e.event)) {
            match operation {
                Release => permits += i64::from(entry.effect.arg),
                Acquire | TryAcquireOk => permits -= i64::from(entry.effect.arg),
                TryAcquire | TryAcquireFail => {}
            }
        }
        permits >= i64::from(effect.arg)
    }
}
