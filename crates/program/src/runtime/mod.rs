//! Where controlled code meets the scheduler: fibers on one side, the execution on the other.
//!
//! While the closure of a `check` runs, every primitive finds the runtime of its OS thread with
//! [`current`] and asks it before it acts. Everywhere else `current` is none and primitives are std's.
//! The scheduler calls [`Runtime::step`], in which one thread performs its announced operation and runs to its next one.
//!
//! An execution may end while threads are suspended (in a deadlock, or at a limit). They are then forgotten: no destructor
//! runs, because it might find data half done, and what they own is leaked. If the user asks for it
//! ([`Checker::unwind`](crate::Checker::unwind)), their stacks are unwound instead. Operations of destructors then do what
//! they can without waiting.

mod announce;
mod panics;
mod threads;

use crate::execution::Execution;
use crate::fiber::statics::Statics;
use crate::fiber::{Body, Fiber};
use crate::handle::{Blocks, Handle, next_block};
use crate::ids::ThreadId;
use crate::report::ViolationKind;
use crate::sync::Owned;
use crate::time::Time;
use crate::watch::Watch;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, Location, catch_unwind, resume_unwind};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

thread_local! {
    static CONTEXT: RefCell<Option<Rc<Runtime>>> = const { RefCell::new(None) };
    static INSIDE: Cell<bool> = const { Cell::new(false) };
    static CALLS: Cell<u64> = const { Cell::new(0) };
}

/// The outcome of an operation that was not performed, because the execution is being abandoned.
pub(crate) const ABANDONED: u32 = u32::MAX;

/// A violation that was found while an execution runs.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    pub(crate) kind: ViolationKind,
    pub(crate) message: String,
    pub(crate) thread: ThreadId,
}

pub(crate) struct Runtime {
    pub(crate) execution: RefCell<Execution>,
    fibers: RefCell<Vec<Option<Fiber>>>,
    /// What the present execution numbers objects from.
    blocks: RefCell<Blocks>,
    /// A block before those of the first execution.
    before: u64,
    statics: RefCell<Statics>,
    abandoning: Cell<bool>,
    /// Whether threads of executions that are cut are unwound.
    unwinds: bool,
    /// How many executions were cut and had their threads forgotten.
    pub(crate) forgotten: Cell<u64>,
    /// The size of a stack, unless a thread asks for more.
    stack: usize,
    pub(crate) watch: Arc<Watch>,
    pub(crate) findings: RefCell<Vec<Finding>>,
    pub(crate) owned: RefCell<Owned>,
    pub(crate) time: RefCell<Time>,
    pub(crate) network: RefCell<crate::net::Network>,
    /// Tasks that controlled threads poll.
    pub(crate) tasks: RefCell<Vec<crate::future::Running>>,
    /// The class of an object of which a leaf has promised to be ready, see `future/alone.rs`.
    pub(crate) promised: Cell<Option<u64>>,
    /// Where the program wakes a task.
    pub(crate) waking: Cell<Option<&'static Location<'static>>>,
}

/// How many searches run now in the process.
static SEARCHES: Mutex<usize> = Mutex::new(0);

/// Whether there are any. While there are none, primitives need not look any further.
///
/// A flag and not the number: what is loaded may stay in a frame of the program, where it belongs to the state of a loop that
/// waits, and during a search the flag does not change.
static SEARCHING: AtomicBool = AtomicBool::new(false);

/// False if no search runs in the process, so that this is not controlled code. One load and one branch.
#[inline(always)]
pub(crate) fn possible() -> bool {
    SEARCHING.load(Ordering::Relaxed)
}

/// A search begins, or ends.
fn count(one: impl FnOnce(usize) -> usize) {
    let mut searches = SEARCHES.lock().unwrap_or_else(PoisonError::into_inner);
    *searches = one(*searches);
    SEARCHING.store(*searches > 0, Ordering::Relaxed);
}

/// The runtime, if this is controlled code.
#[inline]
pub(crate) fn current() -> Option<Rc<Runtime>> {
    if possible() { find() } else { None }
}

#[cold]
fn find() -> Option<Rc<Runtime>> {
    CALLS.set(CALLS.get() + 1);
    find_uncounted()
}

/// How many calls of primitives there were. Between two moments with the same number, a thread has not asked for its runtime.
pub(crate) fn calls() -> u64 {
    CALLS.get()
}

/// The same as [`current`] for what leaves no trace that tells threads apart: starting and joining them.
pub(crate) fn current_uncounted() -> Option<Rc<Runtime>> {
    if possible() { find_uncounted() } else { None }
}

#[cold]
fn find_uncounted() -> Option<Rc<Runtime>> {
    if INSIDE.get() {
        CONTEXT.with(|c| c.borrow().clone())
    } else {
        None
    }
}

/// The runtime, if this is controlled code. If it is not, but the primitive belongs to an execution that runs now,
/// the search of that execution is told that it has lost control of the primitive.
#[inline]
#[track_caller]
pub(crate) fn current_for(handle: &Handle) -> Option<Rc<Runtime>> {
    if possible() { find_for(handle) } else { None }
}

#[cold]
#[track_caller]
fn find_for(handle: &Handle) -> Option<Rc<Runtime>> {
    let current = find();
    if current.is_none() && handle.block() != 0 {
        crate::watch::uncontrolled_use(handle.block(), Location::caller());
    }
    current
}

/// The current thread, which is controlled, calls `yield_now` there.
pub(crate) fn pauses(at: &'static Location<'static>) {
    if let Some(rt) = current().filter(|rt| !rt.abandoning()) {
        let ends = rt.execution.borrow_mut().pauses(at);
        if !ends {
            let thread = rt.thread();
            rt.report(
                ViolationKind::Uncontrolled,
                format!(
                    "{thread} calls `yield_now` at {at} again and again, and nothing else happens: its loop waits for something that is \
                     not under control, such as an atomic of std"
                ),
            );
            rt.discard();
        }
    }
}

/// True in controlled code.
#[inline]
pub(crate) fn inside() -> bool {
    possible() && INSIDE.get()
}

impl Runtime {
    /// Calls `f` with a new runtime, which is that of this OS thread meanwhile.
    pub(crate) fn with<R>(
        execution: Execution,
        (unwinds, stack): (bool, usize),
        watch: &Arc<Watch>,
        f: impl FnOnce(&Rc<Runtime>) -> R,
    ) -> R {
        panics::install_hook();
        let settings = execution.settings;
        let runtime = Rc::new(Runtime {
            execution: RefCell::new(execution),
            fibers: RefCell::new(Vec::new()),
            blocks: RefCell::default(),
            before: next_block(),
            statics: RefCell::default(),
            abandoning: Cell::new(false),
            unwinds,
            forgotten: Cell::new(0),
            stack,
            watch: Arc::clone(watch),
            findings: RefCell::new(Vec::new()),
            owned: RefCell::default(),
            time: RefCell::default(),
            network: RefCell::new(crate::net::Network::default()),
            tasks: RefCell::default(),
            promised: Cell::new(None),
            waking: Cell::new(None),
        });
        CONTEXT.with(|c| *c.borrow_mut() = Some(Rc::clone(&runtime)));
        count(|searches| searches + 1);
        let result = catch_unwind(AssertUnwindSafe(|| f(&runtime)));
        runtime.abandon();
        runtime.statics.take().restore();
        count(|searches| searches - 1);
        CONTEXT.with(|c| *c.borrow_mut() = None);
        // Forgotten threads own the runtime, so it is leaked. Its large parts are freed here.
        *runtime.execution.borrow_mut() = Execution::new(settings);
        runtime.fibers.take();
        result.unwrap_or_else(|panic| resume_unwind(panic))
    }

    // The scheduler's side.

    /// Starts an execution: its first thread runs to its first visible operation.
    pub(crate) fn start(self: &Rc<Self>, first_new: usize, body: Body) {
        self.blocks.borrow_mut().renew();
        self.findings.borrow_mut().clear();
        self.owned.borrow_mut().clear();
        self.time.borrow_mut().begin();
        *self.network.borrow_mut() = crate::net::Network::default();
        self.tasks.borrow_mut().clear();
        self.promised.set(None);
        self.waking.set(None);
        self.execution.borrow_mut().reset(first_new);
        self.statics.borrow_mut().restore();
        self.watch.begins(self.blocks.borrow().all()[0]);
        self.spawn(None, body, 0, Location::caller());
        self.settle();
    }

    /// Lets a thread perform its announced operation and run to its next one.
    pub(crate) fn step(self: &Rc<Self>, id: ThreadId, choice: u32) {
        self.execution.borrow_mut().perform(id, choice);
        self.resume(id);
        self.execution.borrow_mut().finish_event();
        self.settle();
    }

    /// Runs new threads to their first visible operations.
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

    /// Ends the execution where it is. Suspended threads are forgotten or unwound.
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

    pub(crate) fn abandoning(&self) -> bool {
        self.abandoning.get()
    }

    /// The current thread.
    pub(crate) fn thread(&self) -> ThreadId {
        self.execution.borrow().current
    }

    /// Notes a data race, if there is one.
    pub(crate) fn found_race(&self, race: Option<String>) {
        if let Some(message) = race {
            self.report(ViolationKind::DataRace, message);
        }
    }

    /// Records a violation.
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
}
