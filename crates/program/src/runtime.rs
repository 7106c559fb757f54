//! Where controlled code meets the scheduler: fibers on one side, the execution on the other.
//!
//! While the closure of a `check` runs, every primitive finds the runtime of its OS thread with
//! [`current`] and asks it before it acts; everywhere else `current` is none and primitives are std's.
//! The scheduler calls [`Runtime::step`], which lets one thread perform its announced operation and run to its next one.
//!
//! An execution may end while threads are suspended (a deadlock, a limit). They are then forgotten: no destructor
//! runs, because it could find data half done, and what they own is leaked. If the user asks for it
//! ([`Checker::unwind`](crate::Checker::unwind)), their stacks are unwound instead; operations in destructors then do what
//! they can without waiting.

use crate::execution::Execution;
use crate::execution::thread::{Guard, Status};
use crate::fiber::statics::Statics;
use crate::fiber::{self, Body, Fiber};
use crate::ids::{Handle, ObjectId, ThreadId, next_epoch};
use crate::operation::{Kind, Operation};
use crate::registry::Registered;
use crate::report::ViolationKind;
use crate::thread::end;
use crate::watch::Watch;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, Location, PanicHookInfo, catch_unwind, resume_unwind};
use std::rc::Rc;
use std::sync::{Arc, Once};

thread_local! {
    static CONTEXT: RefCell<Option<Rc<Runtime>>> = const { RefCell::new(None) };
    static INSIDE: Cell<bool> = const { Cell::new(false) };
    static LAST_PANIC: RefCell<Option<(String, String)>> = const { RefCell::new(None) };
}

/// The outcome of an operation that was not performed, because the execution is being abandoned.
pub(crate) const ABANDONED: u32 = u32::MAX;

/// Something that went wrong in an execution.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    pub(crate) kind: ViolationKind,
    pub(crate) message: String,
    pub(crate) thread: ThreadId,
}

pub(crate) struct Runtime {
    pub(crate) execution: RefCell<Execution>,
    fibers: RefCell<Vec<Option<Fiber>>>,
    epoch: Cell<u64>,
    /// The epoch before that of the first execution.
    before: u64,
    statics: RefCell<Statics>,
    abandoning: Cell<bool>,
    /// Threads of executions that are cut are unwound.
    unwinds: bool,
    /// Executions that were cut, and whose threads were forgotten.
    pub(crate) forgotten: Cell<u64>,
    /// The size of a stack, unless a thread asks for more.
    stack: usize,
    pub(crate) watch: Arc<Watch>,
    pub(crate) findings: RefCell<Vec<Finding>>,
    /// Values that are alive and should not be at the end: where they were made.
    pub(crate) alive: RefCell<Vec<&'static Location<'static>>>,
    pub(crate) network: RefCell<crate::net::Network>,
}

/// The runtime, if this is controlled code.
pub(crate) fn current() -> Option<Rc<Runtime>> {
    if INSIDE.get() {
        CONTEXT.with(|c| c.borrow().clone())
    } else {
        None
    }
}

/// The runtime, if this is controlled code. If it is not, and a search has numbered the primitive in an execution that goes on now,
/// that search has lost control of it.
#[track_caller]
pub(crate) fn current_for(handle: &Handle) -> Option<Rc<Runtime>> {
    let current = current();
    if current.is_none() && handle.epoch() != 0 {
        crate::watch::stranger(handle.epoch(), Location::caller());
    }
    current
}

/// The current thread, which is controlled, says that it waits for others, and is in this local state.
pub(crate) fn comes_round(state: [u64; 2]) {
    if let Some(rt) = current().filter(|rt| !rt.abandoning()) {
        rt.execution.borrow_mut().comes_round(state);
    }
}

/// True in controlled code.
pub(crate) fn inside() -> bool {
    INSIDE.get()
}

impl Runtime {
    /// Makes a runtime the one of this OS thread; `f` runs with it.
    pub(crate) fn with<R>(
        execution: Execution,
        (unwinds, stack): (bool, usize),
        watch: &Arc<Watch>,
        f: impl FnOnce(&Rc<Runtime>) -> R,
    ) -> R {
        install_hook();
        let settings = execution.settings;
        let runtime = Rc::new(Runtime {
            execution: RefCell::new(execution),
            fibers: RefCell::new(Vec::new()),
            epoch: Cell::new(0),
            before: next_epoch(),
            statics: RefCell::default(),
            abandoning: Cell::new(false),
            unwinds,
            forgotten: Cell::new(0),
            stack,
            watch: Arc::clone(watch),
            findings: RefCell::new(Vec::new()),
            alive: RefCell::new(Vec::new()),
            network: RefCell::new(crate::net::Network::default()),
        });
        CONTEXT.with(|c| *c.borrow_mut() = Some(Rc::clone(&runtime)));
        let result = catch_unwind(AssertUnwindSafe(|| f(&runtime)));
        runtime.abandon();
        runtime.statics.take().restore();
        CONTEXT.with(|c| *c.borrow_mut() = None);
        // Threads that were forgotten own the runtime, and so it is leaked. What it has grown to is not.
        *runtime.execution.borrow_mut() = Execution::new(settings);
        runtime.fibers.take();
        result.unwrap_or_else(|panic| resume_unwind(panic))
    }

    // The scheduler's side.

    /// Begins an execution: its first thread runs to its first visible operation.
    pub(crate) fn start(self: &Rc<Self>, first_new: usize, body: Body) {
        self.epoch.set(next_epoch());
        self.findings.borrow_mut().clear();
        self.alive.borrow_mut().clear();
        *self.network.borrow_mut() = crate::net::Network::default();
        self.execution.borrow_mut().reset(first_new);
        self.statics.borrow_mut().restore();
        self.watch.begins(self.epoch.get());
        self.spawn(None, body, 0, Location::caller());
        self.settle();
    }

    /// A thread performs its announced operation and runs to its next one.
    pub(crate) fn step(self: &Rc<Self>, id: ThreadId, choice: u32) {
        self.execution.borrow_mut().perform(id, choice);
        self.resume(id);
        self.execution.borrow_mut().finish_event();
        self.settle();
    }

    /// New threads run to their first visible operation.
    fn settle(&self) {
        loop {
            let id = {
                let mut execution = self.execution.borrow_mut();
                if execution.newborn.is_empty() {
                    return;
                }
                let id = execution.newborn.remove(0);
                execution.begin_thread(id);
                id
            };
            self.resume(id);
        }
    }

    fn resume(&self, id: ThreadId) {
        {
            let execution = self.execution.borrow();
            let thread = &execution.threads[id.index()];
            let operation = (!thread.events.is_empty()).then_some(thread.pending);
            self.watch.gives_control(id, thread.name.as_deref(), operation);
        }
        let mut fiber = self.fibers.borrow_mut()[id.index()]
            .take()
            .expect("a thread that has not ended");
        INSIDE.set(true);
        let ended = fiber.resume();
        INSIDE.set(false);
        self.watch.has_control();
        if !ended {
            self.fibers.borrow_mut()[id.index()] = Some(fiber);
        }
    }

    /// Ends the execution where it is: suspended threads are forgotten, or unwound.
    pub(crate) fn abandon(&self) {
        if self.fibers.borrow().iter().all(Option::is_none) {
            return;
        }
        if !self.unwinds {
            self.forgotten.set(self.forgotten.get() + 1);
            for fiber in self.fibers.borrow_mut().iter_mut() {
                if let Some(mut fiber) = fiber.take() {
                    fiber.forget();
                }
            }
            self.execution.borrow_mut().forget_locals();
            return;
        }
        self.abandoning.set(true);
        let inside = INSIDE.replace(true);
        while self.unwind_one() {}
        INSIDE.set(inside);
        self.abandoning.set(false);
    }

    /// Unwinds the youngest suspended thread; false if there is none.
    pub(crate) fn unwind_one(&self) -> bool {
        let fiber = {
            let mut fibers = self.fibers.borrow_mut();
            let youngest = fibers.iter_mut().rev().find(|f| f.is_some());
            youngest.and_then(Option::take)
        };
        let Some(mut fiber) = fiber else { return false };
        fiber.unwind();
        true
    }

    /// Ends one thread, for a scope that is itself unwound.
    pub(crate) fn end_thread(&self, id: ThreadId) {
        let fiber = self.fibers.borrow_mut().get_mut(id.index()).and_then(Option::take);
        if let Some(mut fiber) = fiber {
            if self.abandoning() {
                fiber.unwind();
            } else {
                fiber.forget();
            }
        }
    }

    // The side of controlled code.

    pub(crate) fn abandoning(&self) -> bool {
        self.abandoning.get()
    }

    /// The current thread.
    pub(crate) fn thread(&self) -> ThreadId {
        self.execution.borrow().current
    }

    /// The number of a primitive in this execution.
    pub(crate) fn object<S: Registered>(&self, handle: &Handle, state: impl FnOnce() -> S) -> ObjectId {
        let epoch = self.epoch.get();
        let other = match handle.number(epoch) {
            Ok(object) => return object,
            Err(other) => other,
        };
        let mut execution = self.execution.borrow_mut();
        // Another search may use the same static at the same time, and have numbered it.
        if other != 0
            && let Some(object) = execution.at_address::<S>(handle.address())
        {
            handle.set_number(epoch, object);
            return object;
        }
        let object = execution.object(state(), handle.made);
        execution.remember_address(handle.address(), object);
        handle.set_number(epoch, object);
        object
    }

    /// The same for a primitive with a value, which must be the same at the beginning of each execution. If it is a static, it is
    /// put back, provided that it is `plain`: that it owns nothing now. Anything else that is there already when an
    /// execution begins must not be changed.
    pub(crate) fn object_of<T: ?Sized, S: Registered>(
        &self,
        primitive: &T,
        plain: impl FnOnce() -> bool,
        handle: &Handle,
        state: impl FnOnce() -> S,
    ) -> ObjectId {
        if let Ok(object) = handle.number(self.epoch.get()) {
            return object;
        }
        if handle.epoch() != 0 {
            crate::watch::shared(handle.epoch(), handle.made);
        }
        let outlives = !self.statics.borrow_mut().keep(primitive, plain()) && handle.epoch() > self.before;
        let object = self.object(handle, state);
        if outlives {
            self.execution.borrow_mut().survivors.push(object);
        }
        object
    }

    /// Announces a visible operation, waits until the search lets it happen, and gives its outcome.
    #[track_caller]
    pub(crate) fn visible(&self, kind: impl Into<Kind>, object: ObjectId, arg: u32) -> u32 {
        let (kind, at) = (kind.into(), Location::caller());
        self.announce(Operation { kind, object, arg, at }, None)
    }

    /// The same for an operation that somebody else has asked for, without an argument.
    pub(crate) fn visible_at(&self, kind: impl Into<Kind>, object: ObjectId, at: &'static Location<'static>) -> u32 {
        let (kind, arg) = (kind.into(), 0);
        self.announce(Operation { kind, object, arg, at }, None)
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
                // Somebody caught the unwinding: it goes on.
                fiber::suspend();
            }
            return ABANDONED;
        }
        let id = {
            let mut execution = self.execution.borrow_mut();
            let id = execution.current;
            execution.threads[id.index()].guard = guard;
            if std::thread::panicking() {
                return Self::while_panicking(&mut execution, operation);
            }
            if execution.tries(&operation) {
                return 0;
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
            operation.kind.is_declared() && uses.is_some_and(|uses| !uses.contains(&operation.object))
        };
        if undeclared {
            let name = self.execution.borrow().object_name(operation.object);
            let message = format!("{id} uses {name} at {}, which it has not declared", operation.at);
            self.report(ViolationKind::Undeclared, message);
        }
    }

    /// Other fibers cannot run while this one unwinds: the OS thread knows of one panic at a
    /// time. So an operation in a destructor happens at once, as part of the transition that
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

    /// The current thread has panicked, and somebody has caught it to pass it on.
    pub(crate) fn note_panic(&self) {
        let mut execution = self.execution.borrow_mut();
        let id = execution.current;
        execution.threads[id.index()].panicked = true;
    }

    /// True if the node of the current thread has crashed, and its stack is being unwound.
    pub(crate) fn crashed(&self) -> bool {
        let execution = self.execution.borrow();
        execution.threads[execution.current.index()].crashed
    }

    /// The wait that comes next has a timeout, or not.
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

    /// Releases a lock: visibly if that matters.
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

    /// Starts a thread, with a stack of at least this size; it runs when the current transition is over.
    pub(crate) fn spawn(
        self: &Rc<Self>,
        parent: Option<ThreadId>,
        body: Body,
        stack: usize,
        at: &'static Location<'static>,
    ) -> ThreadId {
        let id = self.execution.borrow_mut().spawn(parent, at);
        let runtime = Rc::clone(self);
        let body = body.within(move |body| {
            let result = catch_unwind(AssertUnwindSafe(body));
            if runtime.abandoning() {
                // A forced unwinding ends here.
                runtime.drop_locals(id);
                return;
            }
            if runtime.execution.borrow().threads[id.index()].crashed {
                // Nothing is dropped in order: the node is gone.
                runtime.execution.borrow_mut().finish_thread();
                return;
            }
            let noted = runtime.execution.borrow().threads[id.index()].panicked;
            runtime.end_of_thread(id, result.is_err() || noted);
        });
        let fiber = Fiber::new(body, stack.max(self.stack));
        let mut fibers = self.fibers.borrow_mut();
        while fibers.len() <= id.index() {
            fibers.push(None);
        }
        fibers[id.index()] = Some(fiber);
        id
    }

    fn end_of_thread(&self, id: ThreadId, panicked: bool) {
        if panicked {
            let (message, at) = last_panic();
            let tainted = {
                let mut execution = self.execution.borrow_mut();
                execution.threads[id.index()].panicked = true;
                execution.threads[id.index()].tainted
            };
            if !tainted {
                self.report(ViolationKind::Panic, format!("panicked at {at}: {message}"));
            }
        }
        if !self.drop_locals(id) {
            return;
        }
        if self.releases_are_visible() {
            end::finish(self, id);
        }
        self.execution.borrow_mut().finish_thread();
    }

    /// Thread-local values are dropped by their thread, the youngest first; one that was dropped is not made again. False if
    /// the execution was abandoned meanwhile.
    fn drop_locals(&self, id: ThreadId) -> bool {
        loop {
            let local = {
                let mut execution = self.execution.borrow_mut();
                let locals = execution.threads[id.index()].locals.iter_mut().rev();
                locals.filter(|l| l.needs_drop).find_map(|l| l.value.take())
            };
            let Some(local) = local else { return true };
            let abandoned = self.abandoning();
            let result = catch_unwind(AssertUnwindSafe(|| drop(local)));
            if self.abandoning() && !abandoned {
                self.drop_locals(id);
                return false;
            }
            if result.is_err() && !abandoned {
                let (message, at) = last_panic();
                let message =
                    format!("panicked at {at} in the destructor of a thread-local value, where std aborts: {message}");
                self.report(ViolationKind::Panic, message);
            }
        }
    }

    /// Takes down that something is wrong.
    pub(crate) fn report(&self, kind: ViolationKind, message: String) {
        let execution = self.execution.borrow();
        if execution.discarded {
            return;
        }
        self.findings.borrow_mut().push(Finding {
            kind,
            message,
            thread: execution.current,
        });
    }

    /// The current thread takes no further part: an assumption failed.
    pub(crate) fn discard(&self) {
        if self.abandoning.get() || std::thread::panicking() {
            return;
        }
        {
            let mut execution = self.execution.borrow_mut();
            execution.discarded = true;
            let id = execution.current;
            execution.threads[id.index()].status = Status::Discarded;
        }
        fiber::suspend();
    }

    /// Keeps trying while suspended threads, which are being unwound, may hold what is asked for.
    pub(crate) fn insist<T>(&self, mut attempt: impl FnMut() -> Option<T>) -> T {
        loop {
            if let Some(value) = attempt() {
                return value;
            }
            if !self.abandoning.get() || !self.unwind_one() {
                break;
            }
        }
        let why = "needs a lock that the search gave to it and somebody else holds: a thread that is not under control, or one of an \
                   execution that was cut, because the lock was not made in the closure of the check";
        self.watch.end(why)
    }
}

/// What the last panic said, and where.
fn last_panic() -> (String, String) {
    LAST_PANIC
        .take()
        .unwrap_or_else(|| ("a panic without a message".into(), "?".into()))
}

/// Panics of controlled threads are results, not messages.
fn install_hook() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info: &PanicHookInfo<'_>| {
            if !inside() {
                before(info);
                return;
            }
            let message = if let Some(text) = info.payload().downcast_ref::<&str>() {
                (*text).to_owned()
            } else if let Some(text) = info.payload().downcast_ref::<String>() {
                text.clone()
            } else {
                "a panic without a message".to_owned()
            };
            let at = info.location().map_or_else(|| "?".to_owned(), ToString::to_string);
            if let Some(rt) = current() {
                rt.watch.panics(&message, &at);
            }
            LAST_PANIC.set(Some((message, at)));
        }));
    });
}
