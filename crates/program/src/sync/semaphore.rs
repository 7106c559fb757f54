//! Counting semaphores, which std does not have.
//!
//! To the engine, releases commute, and operations that take permits depend on all others.
//! The finest relation (a release and an acquisition commute while there are permits) is not
//! weakly uniform, see `docs/deviations.md`, so this is the constant one.
//!
//! A search that reduces first takes all operations to commute, as they do while permits are *ample*: no more are taken in an execution than there were
//! at first, and no release happens before an acquisition, by program order for instance. If an execution is otherwise, permits
//! are *scarce*, and the search begins again with the constant relation.
//!
//! *No execution is missed.* Let `P'` be the program with operations on semaphores that do nothing and publish nothing. What makes permits scarce is a matter of
//! events and of what happens before what, so it is the same in all equivalent executions, and it stays if an execution goes on. Suppose that
//! the search has ended, and permits were never scarce. As long as they are ample, an execution of `P'` is one of the program's up to order: all
//! acquisitions and what happens before them come first, then there is a permit for each, and no release is seen by any. So the search was that of `P'`, in which
//! all operations on semaphores commute, and it has explored all its traces. Each execution `E` of the program is one of `P'`, since publishing only
//! restricts what is read. If permits were scarce in `E`, they would be so in the explored trace that `E` begins.

use crate::execution::object::Entry;
use crate::execution::thread::Thread;
use crate::execution::{Event, Execution};
use crate::handle::Handle;
use crate::ids::{EventId, ObjectId, ThreadId};
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
            taken: 0,
        })
    }

    /// Waits for a permit and takes it.
    #[track_caller]
    pub fn acquire(&self) {
        if let Some(rt) = runtime::current_for(&self.handle) {
            rt.visible(Acquire, self.object(&rt), permits(&rt));
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
            return rt.visible(TryAcquire, self.object(&rt), permits(&rt)) == 1;
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
            rt.visible(Release, self.object(&rt), permits(&rt));
            return;
        }
        let mut permits = self.permits.lock().unwrap_or_else(PoisonError::into_inner);
        *permits = permits.saturating_add(1);
        drop(permits);
        self.changed.notify_one();
    }
}

crate::thread::uses!([] Semaphore);

/// In an operation on a semaphore: permits are taken to be ample, or they may be scarce.
const AMPLE: u32 = 0;
const SCARCE: u32 = 1;

fn permits(rt: &Runtime) -> u32 {
    if rt.execution.borrow().settings.scarce {
        SCARCE
    } else {
        AMPLE
    }
}

/// Operations on a semaphore. The argument is [`AMPLE`] or [`SCARCE`].
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
    /// How many permits were taken, whether they were given back or not.
    taken: u32,
}

impl State {
    /// A thread is about to take a permit, if there is one: notes whether permits are scarce.
    fn note(execution: &Execution, thread: ThreadId, object: ObjectId) {
        let state = execution.look::<State>(object);
        let released = |(entry, operation): (&Entry, Op)| {
            operation == Release && execution.knows(EventId::NONE, thread, entry.event)
        };
        if state.taken >= state.initial || execution.history::<State>(object).any(released) {
            execution.scarce.set(true);
        }
    }
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
        if operation != Acquire || execution.look::<State>(thread.pending.object).permits > 0 {
            return true;
        }
        execution.scarce.set(true);
        false
    }

    fn perform(execution: &mut Execution, step: Step, operation: Op) -> u32 {
        if operation == Release {
            let state = execution.state::<State>(step.object);
            // No program can take enough permits for this to make a difference.
            state.permits = state.permits.saturating_add(1);
            execution.detectors.released(step.thread, step.object, false);
            return 1;
        }
        Self::note(execution, step.thread, step.object);
        let state = execution.state::<State>(step.object);
        let enough = state.permits > 0;
        if enough {
            state.permits -= 1;
            state.taken = state.taken.saturating_add(1);
        }
        // The order of ample permits is anything, so nothing is learnt from it.
        if enough && step.arg == SCARCE {
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
        a.arg == SCARCE && !matches!((a.kind, b.kind), (Release, Release) | (TryAcquireFail, TryAcquireFail))
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
        for (_, operation) in execution.history::<State>(object).filter(|(e, _)| remain(e.event)) {
            match operation {
                Release => permits += 1,
                Acquire | TryAcquireOk => permits -= 1,
                TryAcquire | TryAcquireFail => {}
            }
        }
        permits > 0
    }
}
