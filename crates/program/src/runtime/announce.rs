//! What primitives do in controlled code: they get a number, announce operations, and wait until the search performs them.

use super::{ABANDONED, Runtime};
use crate::execution::Execution;
use crate::execution::thread::{Guard, Status};
use crate::fiber;
use crate::handle::Handle;
use crate::ids::{ObjectId, ThreadId};
use crate::operation::{Kind, Operation};
use crate::registry::Registered;
use crate::report::ViolationKind;
use std::panic::Location;

impl Runtime {
    /// The number of a primitive in this execution.
    pub(crate) fn object<S: Registered>(&self, handle: &Handle, state: impl FnOnce() -> S) -> ObjectId {
        let other = match handle.number(&self.blocks.borrow()) {
            Ok(object) => return object,
            Err(other) => other,
        };
        let mut execution = self.execution.borrow_mut();
        // Another search may use the same static at the same time, and have numbered it.
        if other != 0
            && let Some(object) = execution.at_address::<S>(handle.address())
        {
            self.number(handle, object);
            return object;
        }
        let object = execution.object(state(), handle.made());
        execution.remember_address(handle.address(), object);
        self.number(handle, object);
        object
    }

    fn number(&self, handle: &Handle, object: ObjectId) {
        let mut blocks = self.blocks.borrow_mut();
        let known = blocks.all().len();
        handle.set_number(&mut blocks, object);
        for block in &blocks.all()[known..] {
            self.watch.goes_on(*block);
        }
    }

    /// The same for a primitive with a value, which must be the same at the start of each execution. A static is
    /// reset, provided that it is `plain`, which means that it owns nothing now. Any other primitive that exists
    /// before the execution starts must not be changed.
    pub(crate) fn object_of<T: ?Sized, S: Registered>(
        &self,
        primitive: &T,
        plain: impl FnOnce() -> bool,
        handle: &Handle,
        state: impl FnOnce() -> S,
    ) -> ObjectId {
        let block = match handle.number(&self.blocks.borrow()) {
            Ok(object) => return object,
            Err(block) => block,
        };
        if block != 0 {
            crate::watch::concurrent_use(block, handle.made());
        }
        let outlives = !self.statics.borrow_mut().keep(primitive, plain()) && block > self.before;
        let object = self.object(handle, state);
        if outlives {
            self.execution.borrow_mut().survivors.push(object);
        }
        object
    }

    /// Announces a visible operation, waits until the search performs it, and returns its outcome.
    #[track_caller]
    pub(crate) fn visible(&self, kind: impl Into<Kind>, object: ObjectId, arg: u32) -> u32 {
        let (kind, at) = (kind.into(), Location::caller());
        self.announce(Operation { kind, object, arg, at }, None)
    }

    /// The same for an operation without an argument, at a given place in the program.
    pub(crate) fn visible_at(&self, kind: impl Into<Kind>, object: ObjectId, at: &'static Location<'static>) -> u32 {
        let (kind, arg) = (kind.into(), 0);
        self.announce(Operation { kind, object, arg, at }, None)
    }

    /// The same with an argument.
    pub(crate) fn visible_with(
        &self,
        kind: impl Into<Kind>,
        object: ObjectId,
        arg: u32,
        at: &'static Location<'static>,
    ) -> u32 {
        let kind = kind.into();
        self.announce(Operation { kind, object, arg, at }, None)
    }

    /// The number of a primitive that this execution has numbered.
    pub(crate) fn known(&self, handle: &Handle) -> Option<ObjectId> {
        handle.number(&self.blocks.borrow()).ok()
    }

    /// The same with a condition of the user's own.
    #[track_caller]
    pub(crate) fn guarded(&self, kind: impl Into<Kind>, object: ObjectId, arg: u32, guard: Guard) -> u32 {
        let (kind, at) = (kind.into(), Location::caller());
        self.announce(Operation { kind, object, arg, at }, Some(guard))
    }

    fn announce(&self, operation: Operation, guard: Option<Guard>) -> u32 {
        if self.abandoning.get() {
            if !std::thread::panicking() {
                // The program caught the unwinding, which must go on.
                fiber::suspend();
            }
            return ABANDONED;
        }
        crate::future::breaks_promise(self);
        let id = {
            let mut execution = self.execution.borrow_mut();
            let id = execution.current;
            execution.threads[id.index()].guard = guard;
            if std::thread::panicking() {
                return Self::while_panicking(&mut execution, operation);
            }
            if let Some(outcome) = execution.answers(&operation) {
                return outcome;
            }
            execution.announce(operation);
            id
        };
        self.check_declaration(id, operation);
        fiber::suspend();
        self.execution.borrow().threads[id.index()].outcome
    }

    /// A thread that has declared what it uses must not use anything else.
    fn check_declaration(&self, id: ThreadId, operation: Operation) {
        let undeclared = {
            let execution = self.execution.borrow();
            let uses = execution.threads[id.index()].uses.as_ref();
            uses.is_some_and(|uses| operation.kind.is_declared() && !uses.contains(&operation.object))
        };
        if undeclared {
            let name = self.execution.borrow().object_name(operation.object);
            let message = format!("{id} uses {name} at {}, which it has not declared", operation.at);
            self.report(ViolationKind::Undeclared, message);
        }
    }

    /// Performs an operation of a destructor during a panic. Other fibers cannot run while this one unwinds, because an
    /// OS thread has one panic at a time. So the operation happens at once, as part of the transition that
    /// panicked, or not at all if it would have to wait.
    fn while_panicking(execution: &mut Execution, operation: Operation) -> u32 {
        execution.uninterleaved = true;
        let id = execution.current;
        let before = execution.threads[id.index()].pending;
        execution.announce(operation);
        let possible = execution.enabled(id);
        execution.threads[id.index()].status = Status::Running;
        let outcome = if possible {
            execution.apply_at_once(id)
        } else {
            ABANDONED
        };
        execution.threads[id.index()].pending = before;
        outcome
    }

    /// Says whether the next wait has a timeout.
    pub(crate) fn set_timeout(&self, timeout: bool) {
        let mut execution = self.execution.borrow_mut();
        let id = execution.current;
        execution.threads[id.index()].timeout = timeout;
    }

    /// The number of the message that the last operation was about.
    pub(crate) fn message_number(&self) -> u32 {
        self.execution
            .borrow()
            .events
            .last()
            .map_or(0, |e| e.footprint.effect.arg)
    }

    /// True if releases are transitions of their own.
    pub(crate) fn releases_are_visible(&self) -> bool {
        self.execution.borrow().settings.visible_releases
    }

    /// Releases a lock, as a visible operation if that matters.
    #[track_caller]
    pub(crate) fn release(&self, kind: impl Into<Kind>, object: ObjectId) {
        if self.abandoning.get() {
            return;
        }
        if self.releases_are_visible() {
            self.visible(kind, object, 0);
        } else {
            self.execution.borrow_mut().release(object);
        }
    }

    /// Keeps trying to take a lock that suspended threads may hold, while these are being unwound.
    pub(crate) fn retry_while_unwinding<T>(&self, mut attempt: impl FnMut() -> Option<T>) -> T {
        loop {
            if let Some(value) = attempt() {
                return value;
            }
            if !self.abandoning.get() || !self.unwind_one() {
                break;
            }
        }
        let why = "needs a lock that the search gave to it but that another thread holds: one that is not under control, or one \
                   of an earlier execution that was cut. In the second case, make the lock in the closure of the check";
        self.watch.end(why)
    }
}
