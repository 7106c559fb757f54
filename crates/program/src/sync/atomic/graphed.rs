//! Operations of atomics in a check with weak memory.

use super::weak::{Op, State};
use crate::execution::values::Done;
use crate::ids::ObjectId;
use crate::memory::{Asked, NONE};
use crate::runtime::{ABANDONED, Runtime};
use std::panic::Location;
use std::rc::Rc;
use std::sync::atomic::Ordering;

/// An atomic in controlled code. Its operations return nothing if the execution is being abandoned.
pub(super) struct Graphed {
    rt: Rc<Runtime>,
    object: ObjectId,
}

impl Graphed {
    /// The atomic, which has the value `now` if no operation has happened to it.
    pub(super) fn new(rt: Rc<Runtime>, object: ObjectId, now: impl FnOnce() -> u64) -> Graphed {
        let mut execution = rt.execution.borrow_mut();
        if execution.look::<State>(object).location == NONE {
            let location = execution.detectors.graph.location(now());
            execution.state::<State>(object).location = location;
        }
        drop(execution);
        Graphed { rt, object }
    }

    /// Performs an operation; returns its outcome and what it has read.
    #[track_caller]
    fn perform(&self, operation: Op, asked: Asked) -> Option<(bool, u64)> {
        self.rt.execution.borrow_mut().asks(asked);
        let outcome = self.rt.visible(operation, self.object, 0);
        if outcome == ABANDONED {
            return None;
        }
        let execution = self.rt.execution.borrow();
        Some((outcome != 0, execution.threads[execution.current.index()].found))
    }

    /// The operation that was performed has done this.
    #[track_caller]
    pub(super) fn has_done(&self, done: Done) {
        if self.rt.abandoning() {
            return;
        }
        let mut execution = self.rt.execution.borrow_mut();
        execution.has_done(self.object, done);
        let update = match done {
            Done::Wrote(_) => false,
            Done::Updated { .. } => true,
            _ => return,
        };
        if execution.is_on_trial() {
            return;
        }
        let id = execution.current;
        let release = execution.threads[id.index()].access.releases(update);
        let race = execution.detectors.wrote(id, self.object, release, Location::caller());
        drop(execution);
        self.rt.found_race(race);
    }

    #[track_caller]
    pub(super) fn load(&self, order: Ordering) -> Option<u64> {
        self.perform(Op::Read, Asked::load(order)).map(|(_, bits)| bits)
    }

    #[track_caller]
    pub(super) fn store(&self, bits: u64, order: Ordering) {
        self.perform(Op::Write, Asked::store(bits, order));
    }

    /// Writes what follows from what it reads, and returns that.
    #[track_caller]
    pub(super) fn update(&self, order: Ordering, next: impl FnOnce(u64) -> u64) -> Option<u64> {
        let asked = Asked {
            update: true,
            ..Asked::load(order)
        };
        let (_, bits) = self.perform(Op::Modify, asked)?;
        self.rt.execution.borrow_mut().updates_to(next(bits));
        Some(bits)
    }

    #[track_caller]
    pub(super) fn compare(
        &self,
        (expected, new): (u64, u64),
        (success, failure): (Ordering, Ordering),
        may_fail: bool,
    ) -> Option<Result<u64, u64>> {
        let asked = Asked {
            update: true,
            expected: Some(expected),
            written: new,
            may_fail,
            success,
            failure,
            last: false,
        };
        let (updated, bits) = self.perform(Op::Modify, asked)?;
        Some(if updated { Ok(bits) } else { Err(bits) })
    }

    /// Reads the last value, since nobody else can use the atomic. What happens to it until its next operation is not seen.
    #[track_caller]
    pub(super) fn alone(&self) -> Option<u64> {
        let asked = Asked {
            last: true,
            ..Asked::load(Ordering::Relaxed)
        };
        let (_, bits) = self.perform(Op::Read, asked)?;
        let mut execution = self.rt.execution.borrow_mut();
        execution.disturbs();
        execution.state::<State>(self.object).location = NONE;
        drop(execution);
        Some(bits)
    }
}
