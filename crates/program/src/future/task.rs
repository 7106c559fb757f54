//! Tasks: a future, the thread that polls it, and its waker.
//!
//! A task has a thread of its own, controlled in a check and of the system outside. It is polled, then it waits until it is
//! woken, then it is polled again. So all interleavings of polls and wakes are interleavings of threads, and every executor with
//! several workers is covered. Tasks of one *lane* are polled one at a time, as by an executor with one worker.

use super::alone::{self, Class, Deed};
use super::clock::{Moment, NEVER};
use super::wakeup::{self, Await};
use crate::handle::Handle;
use crate::ids::{ObjectId, ThreadId};
use crate::runtime::{self, Runtime};
use crate::sync::Mutex as Lane;
use std::future::Future;
use std::panic::{AssertUnwindSafe, Location, catch_unwind, resume_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

/// What others know of a task.
pub(crate) struct Core {
    handle: Handle,
    pub(super) spawned: &'static Location<'static>,
    /// Somebody may abort it.
    cancellable: bool,
    aborted: AtomicBool,
    /// Its thread outside a check, and whether it was woken.
    outside: Mutex<Option<std::thread::Thread>>,
    woken: AtomicBool,
}

impl Core {
    pub(super) fn new(spawned: &'static Location<'static>, cancellable: bool) -> Arc<Core> {
        Arc::new(Core {
            handle: Handle::new(),
            spawned,
            cancellable,
            aborted: AtomicBool::new(false),
            outside: Mutex::new(None),
            woken: AtomicBool::new(false),
        })
    }

    /// The token of the task, which this thread runs.
    pub(super) fn token(&self, rt: &Runtime, thread: ThreadId) -> ObjectId {
        wakeup::token(rt, &self.handle, thread, self.cancellable, self.spawned)
    }

    pub(super) fn wake(&self) {
        match runtime::current_for(&self.handle) {
            Some(rt) => {
                // A task of an earlier execution is gone.
                if let Some(token) = rt.known(&self.handle)
                    && !rt.abandoning()
                {
                    wakeup::wake(&rt, token, rt.waking.take().unwrap_or(self.spawned));
                }
            }
            None => {
                self.woken.store(true, Ordering::Release);
                if let Some(thread) = &*lock(&self.outside) {
                    thread.unpark();
                }
            }
        }
    }

    /// Cancels the task at its next await.
    pub(super) fn abort(&self) {
        if let Some(rt) = runtime::current().filter(|_| !self.cancellable) {
            alone::needs_polls(&rt, alone::aborted(self.spawned));
        }
        // In a check nobody runs between the step and this.
        if runtime::inside() {
            self.wake();
            self.aborted.store(true, Ordering::Relaxed);
        } else {
            self.aborted.store(true, Ordering::Release);
            self.wake();
        }
    }

    fn is_aborted(&self) -> bool {
        self.aborted.load(Ordering::Acquire)
    }
}

struct TaskWaker(Arc<Core>);

impl Wake for TaskWaker {
    fn wake(self: Arc<Self>) {
        self.0.wake();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.0.wake();
    }
}

/// A timer of a task.
pub(super) struct TimerEntry {
    pub(super) id: u64,
    pub(super) deadline: Moment,
    /// Whom to wake, if not the task itself.
    pub(super) waker: Option<Waker>,
    pub(super) fired: Arc<AtomicBool>,
}

/// What a task has learned in its polls.
#[derive(Default)]
pub(super) struct Round {
    /// What to do for a leaf that has promised to be ready.
    pub(super) deed: Option<Deed>,
    /// A promise that can be kept now.
    pub(super) kept: Option<Class>,
    /// It has yielded.
    yielded: bool,
    /// How many combinators poll now.
    together: u32,
    /// Leaves that were polled and are not ready.
    awaits: Vec<(u64, Await)>,
    pub(super) timers: Vec<TimerEntry>,
    next: u64,
}

impl Round {
    pub(super) fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }
}

/// A task that a controlled thread polls now.
pub(crate) struct Running {
    thread: ThreadId,
    cancellable: bool,
    waker: usize,
    pub(super) round: Arc<Mutex<Round>>,
}

/// A leaf that was polled is no longer awaited when this is dropped.
#[derive(Default)]
pub(super) struct Registration(Option<(Arc<Mutex<Round>>, u64)>);

impl Drop for Registration {
    fn drop(&mut self) {
        if let Some((round, id)) = self.0.take() {
            lock(&round).awaits.retain(|(other, _)| *other != id);
        }
    }
}

impl Registration {
    /// The current task awaits this, besides others.
    pub(super) fn new(what: Await) -> Registration {
        let Some(rt) = runtime::current() else {
            return Registration::default();
        };
        let Some(round) = current_round(&rt) else {
            return Registration::default();
        };
        let mut inner = lock(&round);
        let id = inner.number();
        inner.awaits.push((id, what));
        drop(inner);
        Registration(Some((round, id)))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn find<R>(rt: &Runtime, f: impl FnOnce(&Running) -> R) -> Option<R> {
    let me = rt.thread();
    let tasks = rt.tasks.borrow();
    tasks.iter().rev().find(|task| task.thread == me).map(f)
}

/// What the innermost task of the current thread knows.
pub(super) fn current_round(rt: &Runtime) -> Option<Arc<Mutex<Round>>> {
    find(rt, |task| Arc::clone(&task.round))
}

/// The same, for a function of it.
pub(super) fn with_current<R>(rt: &Runtime, f: impl FnOnce(&mut Round) -> R) -> Option<R> {
    current_round(rt).map(|round| f(&mut lock(&round)))
}

/// True if the waker is that of the current task itself.
pub(super) fn is_own(rt: &Runtime, context: &Context<'_>) -> bool {
    find(rt, |task| task.waker == context.waker().data().addr()) == Some(true)
}

/// True if the current task has nothing else to wait for than the leaf that is polled.
pub(super) fn awaits_nothing_else(rt: &Runtime, context: &Context<'_>) -> bool {
    let cancellable = find(rt, |task| task.cancellable) != Some(false);
    let nothing = |round: &mut Round| {
        round.deed.is_none()
            && round.together == 0
            && round.awaits.is_empty()
            && round.timers.is_empty()
            && !round.yielded
    };
    !cancellable && is_own(rt, context) && with_current(rt, nothing) == Some(true)
}

/// While it exists, a combinator polls several futures of the current task.
#[doc(hidden)]
pub struct Together(Option<Arc<Mutex<Round>>>);

impl Together {
    #[expect(clippy::new_without_default, reason = "it has an effect")]
    pub fn new() -> Together {
        let round = runtime::current().and_then(|rt| current_round(&rt));
        if let Some(round) = &round {
            lock(round).together += 1;
        }
        Together(round)
    }
}

impl Drop for Together {
    fn drop(&mut self) {
        if let Some(round) = &self.0 {
            lock(round).together -= 1;
        }
    }
}

/// The task yields; false if that needs a wake.
pub(super) fn yields(context: &Context<'_>) -> bool {
    let Some(rt) = runtime::current() else { return false };
    let alone = awaits_nothing_else(&rt, context);
    if alone {
        with_current(&rt, |round| round.yielded = true);
    }
    alone
}

/// The task was aborted.
#[derive(Debug)]
pub(super) struct Cancelled;

/// Polls a future until it is ready, on the current thread.
pub(super) fn run<F: Future>(
    core: &Arc<Core>,
    future: Pin<&mut F>,
    lane: Option<&Lane<()>>,
) -> Result<F::Output, Cancelled> {
    match runtime::current() {
        Some(rt) => run_inside(&rt, core, future, lane),
        None => run_outside(core, future, lane),
    }
}

fn run_outside<F: Future>(
    core: &Arc<Core>,
    mut future: Pin<&mut F>,
    lane: Option<&Lane<()>>,
) -> Result<F::Output, Cancelled> {
    *lock(&core.outside) = Some(std::thread::current());
    let waker = Waker::from(Arc::new(TaskWaker(Arc::clone(core))));
    let mut context = Context::from_waker(&waker);
    loop {
        if core.is_aborted() {
            return Err(Cancelled);
        }
        let turn = lane.map(|lane| lane.lock().unwrap_or_else(PoisonError::into_inner));
        let polled = future.as_mut().poll(&mut context);
        drop(turn);
        if let Poll::Ready(output) = polled {
            return Ok(output);
        }
        while !core.woken.swap(false, Ordering::Acquire) {
            std::thread::park();
        }
    }
}

/// Ends the part of a task that polls.
struct Polling<'a>(&'a Runtime);

impl Drop for Polling<'_> {
    fn drop(&mut self) {
        let me = self.0.thread();
        let mut tasks = self.0.tasks.borrow_mut();
        if let Some(position) = tasks.iter().rposition(|task| task.thread == me) {
            tasks.remove(position);
        }
    }
}

fn run_inside<F: Future>(
    rt: &Runtime,
    core: &Arc<Core>,
    mut future: Pin<&mut F>,
    lane: Option<&Lane<()>>,
) -> Result<F::Output, Cancelled> {
    alone::breaks_promise(rt);
    let token = core.token(rt, rt.thread());
    let own = Arc::new(TaskWaker(Arc::clone(core)));
    let waker = Waker::from(Arc::clone(&own));
    let round: Arc<Mutex<Round>> = Arc::default();
    rt.tasks.borrow_mut().push(Running {
        thread: rt.thread(),
        cancellable: core.cancellable,
        waker: waker.data().addr(),
        round: Arc::clone(&round),
    });
    let _polling = Polling(rt);
    let mut context = Context::from_waker(&waker);
    if core.cancellable {
        wakeup::park(rt, token, Vec::new(), NEVER, core.spawned);
    }
    loop {
        if core.is_aborted() {
            return Err(Cancelled);
        }
        let turn = lane.map(|lane| lane.lock().unwrap_or_else(PoisonError::into_inner));
        let polled = catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(&mut context)));
        if !matches!(polled, Ok(Poll::Pending)) {
            alone::breaks_promise(rt);
        }
        if let Some(class) = lock(&round).kept.take() {
            alone::needs_polls(rt, class);
        }
        match polled {
            Err(panic) => resume_unwind(panic),
            Ok(Poll::Ready(output)) => return Ok(output),
            // Two are known: here, and in the context.
            Ok(Poll::Pending) if Arc::strong_count(&own) > 2 => alone::breaks_promise(rt),
            Ok(Poll::Pending) => {}
        }
        drop(turn);
        wait(rt, core, token, &round);
    }
}

/// Waits until a task is to be polled again.
fn wait(rt: &Runtime, core: &Core, token: ObjectId, round: &Mutex<Round>) {
    if let Some(class) = rt.promised.take() {
        let deed = lock(round).deed.take();
        if let Some(deed) = deed {
            deed(rt);
        }
        lock(round).kept = Some(class);
        return;
    }
    if std::mem::take(&mut lock(round).yielded) {
        crate::thread::yield_now();
        return;
    }
    let (awaits, deadline) = {
        let round = lock(round);
        let awaits: Vec<Await> = round.awaits.iter().map(|(_, what)| *what).collect();
        (awaits, round.timers.iter().map(|t| t.deadline).min().unwrap_or(NEVER))
    };
    if wakeup::park(rt, token, awaits, deadline, core.spawned) {
        let (fired, rest): (Vec<_>, Vec<_>) = {
            let mut round = lock(round);
            std::mem::take(&mut round.timers)
                .into_iter()
                .partition(|t| t.deadline <= deadline)
        };
        lock(round).timers = rest;
        for timer in fired {
            timer.fired.store(true, Ordering::Relaxed);
            if let Some(waker) = timer.waker {
                waker.wake();
            }
        }
    }
}
