//! Starting tasks, and waiting for their ends.

use super::alone::{self, Mode};
use super::awaitable::{Cell, Leaf};
use super::task::{self, Cancelled, Core};
use crate::ids::ThreadId;
use crate::runtime::{self, Runtime};
use crate::sync::Mutex as Lane;
use crate::thread;
use std::any::Any;
use std::fmt;
use std::future::Future;
use std::panic::{AssertUnwindSafe, Location, catch_unwind, resume_unwind};
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::task::{Context, Poll, Waker};

/// Why a task has no result.
pub struct JoinError {
    panic: Option<Mutex<Box<dyn Any + Send>>>,
}

impl JoinError {
    fn cancelled() -> JoinError {
        JoinError { panic: None }
    }

    fn panicked(panic: Box<dyn Any + Send>) -> JoinError {
        JoinError {
            panic: Some(Mutex::new(panic)),
        }
    }

    /// True if the task was aborted.
    pub fn is_cancelled(&self) -> bool {
        self.panic.is_none()
    }

    /// True if the task panicked.
    pub fn is_panic(&self) -> bool {
        self.panic.is_some()
    }

    /// What the task panicked with.
    ///
    /// # Panics
    /// If it was aborted.
    pub fn into_panic(self) -> Box<dyn Any + Send> {
        self.try_into_panic()
            .expect("the task was aborted and has not panicked")
    }

    /// What the task panicked with, if it did.
    pub fn try_into_panic(self) -> Result<Box<dyn Any + Send>, JoinError> {
        match self.panic {
            Some(panic) => Ok(panic.into_inner().unwrap_or_else(PoisonError::into_inner)),
            None => Err(JoinError::cancelled()),
        }
    }
}

impl fmt::Display for JoinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_panic() {
            "the task panicked"
        } else {
            "the task was cancelled"
        })
    }
}

impl fmt::Debug for JoinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "JoinError({self})")
    }
}

impl std::error::Error for JoinError {}

type Outcome<T> = Result<T, JoinError>;

/// Whether a task has ended, for those who poll.
#[derive(Default)]
struct Ended {
    done: bool,
    waiter: Option<Waker>,
}

/// What a task and its handles share.
struct Shared {
    core: Arc<Core>,
    /// Its controlled thread.
    thread: OnceLock<ThreadId>,
    ended: Cell<Ended>,
    /// The thread that has joined it.
    joined_by: Mutex<Option<ThreadId>>,
}

/// A task that was started. Awaiting it gives its result. A task goes on if its handle is dropped.
pub struct JoinHandle<T> {
    shared: Arc<Shared>,
    packet: Arc<Mutex<Option<Outcome<T>>>>,
    leaf: Leaf,
    promised: bool,
}

/// Another handle of a task, with which it can be aborted.
#[derive(Clone)]
pub struct AbortHandle {
    shared: Arc<Shared>,
}

/// What a task does besides its future.
#[derive(Default)]
pub struct Setting {
    /// Tasks with the same lane are polled one at a time.
    pub lane: Option<Arc<Lane<()>>>,
    /// Called in the task before it is polled.
    pub enter: Option<Box<dyn FnOnce() + Send>>,
    /// Called in the task at its end, whatever that is.
    pub leave: Option<Box<dyn FnOnce() + Send>>,
}

impl fmt::Debug for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Setting").finish_non_exhaustive()
    }
}

/// Starts a task.
///
/// ```
/// use mazurka::future;
/// mazurka::check(|| {
///     let task = future::spawn(async { 1 + 1 });
///     assert_eq!(future::block_on(task).unwrap(), 2);
/// });
/// ```
#[track_caller]
pub fn spawn<F>(future: F) -> JoinHandle<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    spawn_with(Setting::default(), future)
}

/// Starts a task with a setting.
#[track_caller]
pub fn spawn_with<F>(setting: Setting, future: F) -> JoinHandle<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    let Setting { lane, enter, leave } = setting;
    start(enter, leave, move |core| {
        // A pinned future is dropped where it is.
        let future = pin!(future);
        task::run(core, future, lane.as_deref())
    })
}

/// Starts a thread whose end can be awaited, for code that blocks.
#[track_caller]
pub fn spawn_thread<T, F>(setting: Setting, f: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    start(setting.enter, setting.leave, move |_| Ok(f()))
}

#[track_caller]
fn start<T: Send + 'static>(
    enter: Option<Box<dyn FnOnce() + Send>>,
    leave: Option<Box<dyn FnOnce() + Send>>,
    body: impl FnOnce(&Arc<Core>) -> Result<T, Cancelled> + Send + 'static,
) -> JoinHandle<T> {
    let at = Location::caller();
    let rt = runtime::current();
    let cancellable = rt.as_ref().is_some_and(|rt| alone::is_polled(rt, alone::aborted(at)));
    let shared = Arc::new(Shared {
        core: Core::new(at, cancellable),
        thread: OnceLock::new(),
        ended: Cell::polled("end of a task", Ended::default()),
        joined_by: Mutex::new(None),
    });
    let packet = Arc::new(Mutex::new(None));
    let (inner, out) = (Arc::clone(&shared), Arc::clone(&packet));
    let thread = thread::Builder::new().spawn(move || {
        if let Some(enter) = enter {
            enter();
        }
        let result = catch_unwind(AssertUnwindSafe(|| body(&inner.core)));
        if let Some(result) = conclude(result) {
            *out.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
            // Whoever waits must not find what it has been given still in use.
            drop(out);
            inner.end();
            if let Some(leave) = leave {
                leave();
            }
        }
    });
    let thread = thread.expect("a thread can be started");
    if let (Some(rt), Some(id)) = (&rt, thread.controlled_id()) {
        let name = format!("task {} of {at}", id.0);
        rt.execution.borrow_mut().threads[id.index()].name = Some(name.into());
        shared.thread.get_or_init(|| id);
        // The task can be woken, or aborted, before it runs.
        shared.core.token(rt, id);
    }
    JoinHandle {
        shared,
        packet,
        leaf: Leaf::made_at("the end of a task", at),
        promised: false,
    }
}

/// What becomes of the result of a task; none if its execution or node has ended.
fn conclude<T>(result: std::thread::Result<Result<T, Cancelled>>) -> Option<Outcome<T>> {
    let panic = match result {
        Ok(Ok(value)) => return Some(Ok(value)),
        Ok(Err(Cancelled)) => return Some(Err(JoinError::cancelled())),
        Err(panic) => panic,
    };
    if let Some(rt) = runtime::current() {
        if rt.abandoning() {
            resume_unwind(panic);
        }
        rt.note_panic();
    }
    Some(Err(JoinError::panicked(panic)))
}

impl Shared {
    /// The task has ended.
    fn end(&self) {
        let unseen = runtime::current().is_some_and(|rt| !alone::is_polled(&rt, alone::joined(self.core.spawned)));
        if unseen {
            return;
        }
        let waiter = self.ended.change(|ended| {
            ended.done = true;
            ended.waiter.take()
        });
        if let Some(waiter) = waiter {
            waiter.wake();
        }
    }

    /// Says that the end is looked at, and not only waited for.
    fn is_seen(&self) {
        if let Some(rt) = runtime::current() {
            alone::needs_polls(&rt, alone::joined(self.core.spawned));
        }
    }

    fn is_finished(&self) -> bool {
        self.is_seen();
        self.ended.look(|ended| ended.done)
    }

    /// True if the current thread knows that the task has ended.
    fn is_known_to_have_ended(&self) -> bool {
        match (runtime::current(), self.thread.get()) {
            (Some(rt), Some(id)) => {
                let joined = *self.joined_by.lock().unwrap_or_else(PoisonError::into_inner);
                joined == Some(rt.thread()) || knows_end(&rt, *id)
            }
            _ => self.ended.look(|ended| ended.done),
        }
    }

    /// Waits, as a thread, until the task has ended.
    fn wait(&self) {
        if self.is_known_to_have_ended() {
            return;
        }
        match (runtime::current(), self.thread.get()) {
            (Some(rt), Some(id)) => {
                thread::wait_for(&rt, *id);
            }
            _ => {
                while !self.ended.look(|ended| ended.done) {
                    std::thread::sleep(std::time::Duration::from_micros(100));
                }
            }
        }
    }
}

/// True if all events of a thread that has ended happened before what the current thread has done so far.
fn knows_end(rt: &Runtime, id: ThreadId) -> bool {
    let execution = rt.execution.borrow();
    let thread = &execution.threads[id.index()];
    let known = execution.threads[execution.current.index()].clock.get(id.index());
    thread.status == crate::execution::thread::Status::Finished
        && known.copied().unwrap_or(0) as usize >= thread.events.len()
        && !thread.events.is_empty()
}

impl<T> JoinHandle<T> {
    /// Aborts the task: at its next await it is dropped instead.
    pub fn abort(&self) {
        self.abort_handle().abort();
    }

    /// True if the task has ended.
    pub fn is_finished(&self) -> bool {
        self.shared.is_finished()
    }

    /// A handle with which the task can be aborted.
    pub fn abort_handle(&self) -> AbortHandle {
        AbortHandle {
            shared: Arc::clone(&self.shared),
        }
    }

    /// Says that the current thread knows that the task has ended.
    #[doc(hidden)]
    pub fn has_ended(&self) {
        if let Some(rt) = runtime::current() {
            *self.shared.joined_by.lock().unwrap_or_else(PoisonError::into_inner) = Some(rt.thread());
        }
    }

    /// The result, if the task has ended and it was not taken.
    pub fn take(&self) -> Option<Result<T, JoinError>> {
        self.packet.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl AbortHandle {
    /// Aborts the task: at its next await it is dropped instead.
    pub fn abort(&self) {
        if !self.shared.is_known_to_have_ended() {
            self.shared.core.abort();
        }
    }

    /// True if the task has ended.
    pub fn is_finished(&self) -> bool {
        self.shared.is_finished()
    }

    /// Waits, as a thread, until the task has ended.
    pub fn wait(&self) {
        self.shared.wait();
    }
}

impl fmt::Debug for AbortHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AbortHandle").finish_non_exhaustive()
    }
}

impl<T> JoinHandle<T> {
    /// Polls the end of a controlled task; none if it must be polled like any other leaf.
    fn poll_alone(&mut self, rt: &Runtime, context: &Context<'_>, at: &'static Location<'static>) -> Option<Poll<()>> {
        let class = alone::joined(self.shared.core.spawned);
        let id = *self.shared.thread.get()?;
        if self.promised {
            alone::arrives(rt, class);
            self.promised = false;
            return Some(Poll::Ready(()));
        }
        let mode = alone::mode(rt, class, context, !self.leaf.is_polled());
        alone::polls(rt, class, mode);
        if mode == Mode::Polled {
            return None;
        }
        alone::promise(rt, class, move |rt| _ = thread::wait_for_at(rt, id, at));
        self.promised = true;
        Some(Poll::Pending)
    }
}

impl<T> Future for JoinHandle<T> {
    type Output = Result<T, JoinError>;

    #[track_caller]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let (this, at) = (self.get_mut(), Location::caller());
        let alone = runtime::current()
            .filter(|rt| !rt.abandoning())
            .and_then(|rt| this.poll_alone(&rt, context, at));
        let ended = match alone {
            Some(poll) => poll,
            None => {
                let ended = &this.shared.ended;
                this.leaf.poll(ended, None, context, |ended, context| {
                    if ended.done {
                        return Poll::Ready(());
                    }
                    ended.waiter = Some(context.waker().clone());
                    Poll::Pending
                })
            }
        };
        ended.map(|()| {
            this.has_ended();
            this.take().expect("a task is joined once")
        })
    }
}

impl<T> Drop for JoinHandle<T> {
    fn drop(&mut self) {
        if self.promised {
            alone::dropped();
        }
    }
}

impl<T> Unpin for JoinHandle<T> {}

impl<T> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinHandle").finish_non_exhaustive()
    }
}

/// Polls a future until it is ready, on the current thread, and returns its output.
///
/// ```
/// assert_eq!(mazurka::future::block_on(async { 1 + 1 }), 2);
/// ```
#[track_caller]
pub fn block_on<F: Future>(future: F) -> F::Output {
    block_on_with(None, future)
}

/// The same for a future that is polled in a lane.
#[track_caller]
pub fn block_on_with<F: Future>(lane: Option<&Lane<()>>, future: F) -> F::Output {
    let core = Core::new(Location::caller(), false);
    task::run(&core, pin!(future), lane).expect("nobody can abort it")
}
