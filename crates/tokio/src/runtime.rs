//! Runtimes, as `tokio::runtime`.
//!
//! A task has a thread of its own, so any number of workers is covered. The tasks of a runtime for the current thread are polled one at a
//! time, and so is what its `block_on` runs.

use mazurka::future::__private::{Setting, block_on_with, spawn_thread, spawn_with};
use mazurka::future::{AbortHandle, JoinHandle};
use mazurka::sync::Mutex as Lane;
use std::cell::RefCell;
use std::fmt;
use std::future::Future;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

mazurka::thread::thread_local! {
    static CURRENT: RefCell<Vec<Handle>> = const { RefCell::new(Vec::new()) };
}

#[derive(Default)]
struct Inner {
    lane: Option<Arc<Lane<()>>>,
    /// What was spawned: tasks, and threads for code that blocks.
    tasks: Mutex<Vec<AbortHandle>>,
    threads: Mutex<Vec<AbortHandle>>,
}

/// A reference to a runtime.
#[derive(Clone)]
pub struct Handle {
    inner: Arc<Inner>,
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handle").finish_non_exhaustive()
    }
}

/// There is no runtime.
#[derive(Debug)]
pub struct TryCurrentError(());

impl fmt::Display for TryCurrentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("there is no reactor running, must be called from the context of a Tokio 1.x runtime")
    }
}

impl std::error::Error for TryCurrentError {}

/// While it exists, the runtime is the current one.
#[must_use = "a guard that is not kept ends at once"]
#[derive(Debug)]
pub struct EnterGuard<'a> {
    _handle: &'a Handle,
    // It belongs to its thread.
    _thread: std::marker::PhantomData<*const ()>,
}

impl Drop for EnterGuard<'_> {
    fn drop(&mut self) {
        // The stack may be gone if its thread ends.
        _ = CURRENT.try_with(|current| current.borrow_mut().pop());
    }
}

impl Handle {
    /// The runtime of the current task or thread.
    ///
    /// # Panics
    /// If there is none.
    #[track_caller]
    pub fn current() -> Handle {
        match Handle::try_current() {
            Ok(handle) => handle,
            Err(error) => panic!("{error}"),
        }
    }

    /// The runtime of the current task or thread, if there is one.
    pub fn try_current() -> Result<Handle, TryCurrentError> {
        let last = CURRENT.try_with(|current| current.borrow().last().cloned());
        last.ok().flatten().ok_or(TryCurrentError(()))
    }

    /// Makes it the current one.
    pub fn enter(&self) -> EnterGuard<'_> {
        CURRENT.with(|current| current.borrow_mut().push(self.clone()));
        EnterGuard {
            _handle: self,
            _thread: std::marker::PhantomData,
        }
    }

    fn setting(&self, leave: Option<Box<dyn FnOnce() + Send>>) -> Setting {
        let handle = self.clone();
        Setting {
            lane: self.inner.lane.clone(),
            enter: Some(Box::new(move || {
                CURRENT.with(|current| current.borrow_mut().push(handle))
            })),
            leave,
        }
    }

    /// Starts a task.
    #[track_caller]
    pub fn spawn<F>(&self, future: F) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        self.spawn_and(future, None)
    }

    #[track_caller]
    pub(crate) fn spawn_and<F>(&self, future: F, leave: Option<Box<dyn FnOnce() + Send>>) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        let task = spawn_with(self.setting(leave), future);
        keep(&self.inner.tasks, &task);
        task
    }

    /// Runs code that blocks, on a thread.
    #[track_caller]
    pub fn spawn_blocking<F, R>(&self, f: F) -> JoinHandle<R>
    where
        F: FnOnce() -> R + Send + 'static,
        R: Send + 'static,
    {
        let task = spawn_thread(self.setting(None), f);
        keep(&self.inner.threads, &task);
        task
    }

    /// Waits for a future, as a thread.
    #[track_caller]
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        let _current = self.enter();
        block_on_with(self.inner.lane.as_deref(), future)
    }
}

fn keep<T>(handles: &Mutex<Vec<AbortHandle>>, task: &JoinHandle<T>) {
    let mut handles = handles.lock().unwrap_or_else(PoisonError::into_inner);
    handles.push(task.abort_handle());
}

/// A runtime, as `tokio::runtime::Runtime`. When it is dropped, its tasks are cancelled, and it waits for their ends.
#[derive(Debug)]
pub struct Runtime {
    handle: Handle,
}

impl Runtime {
    /// A runtime with several workers.
    pub fn new() -> io::Result<Runtime> {
        Builder::new_multi_thread().enable_all().build()
    }

    /// A reference to it.
    pub fn handle(&self) -> &Handle {
        &self.handle
    }

    /// Makes it the current one.
    pub fn enter(&self) -> EnterGuard<'_> {
        self.handle.enter()
    }

    /// Starts a task.
    #[track_caller]
    pub fn spawn<F>(&self, future: F) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        self.handle.spawn(future)
    }

    /// Runs code that blocks, on a thread.
    #[track_caller]
    pub fn spawn_blocking<F, R>(&self, f: F) -> JoinHandle<R>
    where
        F: FnOnce() -> R + Send + 'static,
        R: Send + 'static,
    {
        self.handle.spawn_blocking(f)
    }

    /// Waits for a future, as a thread.
    #[track_caller]
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.handle.block_on(future)
    }

    /// Cancels all tasks and does not wait.
    pub fn shutdown_background(self) {
        self.cancel();
        std::mem::forget(self);
    }

    /// Cancels all tasks, and waits until they have ended, however long that takes.
    pub fn shutdown_timeout(self, _duration: Duration) {
        drop(self);
    }

    fn cancel(&self) -> Vec<AbortHandle> {
        let tasks = std::mem::take(&mut *self.handle.inner.tasks.lock().unwrap_or_else(PoisonError::into_inner));
        tasks.iter().for_each(AbortHandle::abort);
        tasks
    }
}

impl Drop for Runtime {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        let tasks = self.cancel();
        let threads = std::mem::take(&mut *self.handle.inner.threads.lock().unwrap_or_else(PoisonError::into_inner));
        tasks.iter().chain(&threads).for_each(AbortHandle::wait);
    }
}

/// Makes runtimes, as `tokio::runtime::Builder`.
#[derive(Debug)]
pub struct Builder {
    current_thread: bool,
}

impl Builder {
    /// A runtime whose tasks are polled one at a time.
    pub fn new_current_thread() -> Builder {
        Builder { current_thread: true }
    }

    /// A runtime whose tasks are polled by several workers.
    pub fn new_multi_thread() -> Builder {
        Builder { current_thread: false }
    }

    /// Does nothing: everything is enabled.
    pub fn enable_all(&mut self) -> &mut Builder {
        self
    }

    /// Does nothing: timers are enabled.
    pub fn enable_time(&mut self) -> &mut Builder {
        self
    }

    /// Does nothing: any number of workers is covered.
    ///
    /// # Panics
    /// If it is none.
    pub fn worker_threads(&mut self, workers: usize) -> &mut Builder {
        assert!(workers > 0, "Worker threads cannot be set to 0");
        self
    }

    /// Does nothing: there are as many threads as needed.
    pub fn max_blocking_threads(&mut self, _threads: usize) -> &mut Builder {
        self
    }

    /// Makes the runtime.
    pub fn build(&mut self) -> io::Result<Runtime> {
        let lane = self.current_thread.then(|| Arc::new(Lane::new(())));
        Ok(Runtime {
            handle: Handle {
                inner: Arc::new(Inner {
                    lane,
                    ..Inner::default()
                }),
            },
        })
    }
}
